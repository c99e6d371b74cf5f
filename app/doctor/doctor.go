// Package doctor checks everything that nAIber depends on: that it can be
// reached, that the credentials are good, that it is configured as needed. Of
// what is not well it says what to do.
//
// It promises to change nothing that matters, to answer within the deadline of
// one check, since all run at once, and to print no credential and no telephone
// number in full.
package doctor

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/naiber/naiber/internal/english"
)

// checkTimeout bounds one check. All run at once, so it bounds them all.
const checkTimeout = 10 * time.Second

// detailRunes bounds what one finding says: errors can quote whole pages.
const detailRunes = 400

// Status is how a check came out.
type Status string

// The statuses. Only a failure makes the whole unwell.
const (
	OK   Status = "ok"
	Warn Status = "warn" // works, but not as well as it should, or not for long
	Fail Status = "fail"
	Skip Status = "skip" // not configured, or cannot be told now
)

// Finding is what a check found.
type Finding struct {
	Status Status `json:"status"`
	// Detail is what was found, in one line for people.
	Detail string `json:"detail,omitempty"`
	// Fix is what to do about it, empty when there is nothing to do.
	Fix string `json:"fix,omitempty"`
}

// Check is one thing to be looked at.
type Check struct {
	// Name is short, such as "twilio number".
	Name string
	// Run looks. Its context ends after ten seconds, and it must end with it.
	Run func(ctx context.Context) Finding
}

// outcome is a check with its finding.
type outcome struct {
	Name string `json:"name"`
	Finding
	ElapsedMS int64 `json:"elapsedMs"`
}

// Run runs all checks at once and prints what they find, in their order: as a
// list for people, each line as soon as it is known, or as one JSON object. It
// returns when all have ended, and reports whether none failed and all could be
// printed.
func Run(ctx context.Context, checks []Check, out io.Writer, asJSON bool) (well bool) {
	results := make([]chan outcome, len(checks))
	for i, c := range checks {
		results[i] = make(chan outcome, 1)
		go func() { results[i] <- run(ctx, c) }()
	}
	r := report{out: out, width: width(checks), json: asJSON}
	for _, result := range results {
		r.add(<-result)
	}
	return r.end()
}

// run runs one check within its time.
func run(ctx context.Context, c Check) (o outcome) {
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	defer func() {
		if recover() != nil { // its value may hold anything, so it is not shown
			o = outcome{Name: c.Name, Finding: fail("the check itself broke down", "Please report this.")}
		}
		o.ElapsedMS = time.Since(began).Milliseconds()
	}()
	f := c.Run(ctx)
	f.Detail = english.Shorten(english.OneLine(f.Detail), detailRunes)
	if _, known := signs[f.Status]; !known { // that is no good news
		f.Status = Fail
	}
	return outcome{Name: c.Name, Finding: f}
}

func ok(detail string) Finding { return Finding{Status: OK, Detail: detail} }

func warn(detail, fix string) Finding { return Finding{Status: Warn, Detail: detail, Fix: fix} }

func fail(detail, fix string) Finding { return Finding{Status: Fail, Detail: detail, Fix: fix} }

func skip(detail string) Finding { return Finding{Status: Skip, Detail: detail} }

// reason is an error in words.
func reason(err error) string {
	if errors.Is(err, context.DeadlineExceeded) {
		return "no answer in time"
	}
	return err.Error()
}
