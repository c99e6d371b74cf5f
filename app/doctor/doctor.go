// Package doctor checks everything that nAIber depends on: that it can be reached, that the
// credentials are valid, that it is configured as needed. For each problem it says what to do.
//
// It changes nothing that matters, answers within the deadline of one check, since all run at
// once, and prints no credential and no telephone number in full.
package doctor

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/naiber/naiber/internal/english"
)

// checkTimeout bounds each check, and so all of them, since they run at once.
const checkTimeout = 10 * time.Second

// detailRunes bounds the detail of one finding, in characters: errors can quote whole pages.
const detailRunes = 400

// Status is the result of a check.
type Status string

// The statuses. Only Fail makes the whole unwell.
const (
	OK   Status = "ok"
	Warn Status = "warn" // works, but not as well as it should, or not for long
	Fail Status = "fail"
	Skip Status = "skip" // not configured, or cannot be checked now
)

// Finding is what a check found, and what to do about it.
type Finding struct {
	Status Status `json:"status"`
	// Detail is what was found, in one line for users.
	Detail string `json:"detail,omitempty"`
	// Fix is what to do about it; empty if nothing need be done.
	Fix string `json:"fix,omitempty"`
}

// Check is a named check.
type Check struct {
	// Name is short, such as "twilio number".
	Name string
	// Run checks. Its context is done after ten seconds, and Run must then return.
	Run func(ctx context.Context) Finding
}

// An outcome is a check's name, finding and duration.
type outcome struct {
	Name string `json:"name"`
	Finding
	ElapsedMS int64 `json:"elapsedMs"`
}

// Run runs all checks at once and prints their findings in the order of checks: as a list for
// users, each line as soon as it is known, or as one JSON object. It returns when all checks have
// ended, and reports whether none failed and everything could be printed.
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

// run runs one check with a deadline. A panic counts as a failure.
func run(ctx context.Context, c Check) (o outcome) {
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	defer func() {
		if recover() != nil { // the value may hold a secret, so it is not shown
			o = outcome{Name: c.Name, Finding: fail("the check itself broke down", "Please report this.")}
		}
		o.ElapsedMS = time.Since(began).Milliseconds()
	}()
	f := c.Run(ctx)
	f.Detail = english.Shorten(english.OneLine(f.Detail), detailRunes)
	if _, known := signs[f.Status]; !known { // an unknown status is a failure
		f.Status = Fail
	}
	return outcome{Name: c.Name, Finding: f}
}

func ok(detail string) Finding { return Finding{Status: OK, Detail: detail} }

func warn(detail, fix string) Finding { return Finding{Status: Warn, Detail: detail, Fix: fix} }

func fail(detail, fix string) Finding { return Finding{Status: Fail, Detail: detail, Fix: fix} }

func skip(detail string) Finding { return Finding{Status: Skip, Detail: detail} }

// reason returns the text of an error.
func reason(err error) string {
	if errors.Is(err, context.DeadlineExceeded) {
		return "no answer in time"
	}
	return err.Error()
}
