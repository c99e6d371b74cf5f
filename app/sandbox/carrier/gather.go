package carrier

import (
	"context"
	"strconv"
	"time"
)

// gather carries out a Gather: it speaks its nouns and waits for keys, which end the speech. With
// keys the call continues at the action, without any at the next verb.
func (k *call) gather(ctx context.Context, doc document, verb node) (*source, error) {
	if input := verb.attr("input"); input != "" && input != "dtmf" {
		k.c.warn(ctx, 12200, k.sid, "input not supported: "+input)
		return nil, nil //nolint:nilnil // on to the next verb
	}
	want, err := strconv.Atoi(verb.attr("numDigits"))
	if err != nil || want < 1 {
		want = maxEvents // until the time is up
	}
	wait, err := strconv.Atoi(verb.attr("timeout"))
	if err != nil || wait < 1 {
		wait = 5
	}
	keys := make(chan string, 32)
	k.line.gather(keys)
	defer k.line.gather(nil)
	speech, hush := context.WithCancel(ctx)
	said := make(chan struct{})
	go func() {
		defer close(said)
		for _, noun := range verb.Children {
			if speech.Err() == nil {
				_, _ = k.perform(speech, doc, noun) // Say and Pause return no source
			}
		}
	}()
	defer func() { hush(); <-said }()
	digits := k.keyed(ctx, keys, want, k.c.seconds(float64(wait)), said, hush)
	if digits == "" || ctx.Err() != nil {
		return nil, nil //nolint:nilnil // as above
	}
	next, err := k.follows(ctx, doc, verb.attr("action"))
	if next != nil {
		next.digits = digits
	}
	return next, err
}

// keyed returns the keys that are pressed until there are as many as wanted, a # was pressed, or
// none came for wait after the speech ended.
func (k *call) keyed(ctx context.Context, keys <-chan string, want int, wait time.Duration, said <-chan struct{}, hush func()) (digits string) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	timer.Stop()
	for {
		select {
		case d := <-keys:
			hush()
			if d == "#" {
				return digits
			}
			if digits += d; len(digits) >= want {
				return digits
			}
			timer.Reset(wait)
		case <-said:
			said = nil
			timer.Reset(wait)
		case <-timer.C:
			return digits
		case <-ctx.Done():
			return ""
		}
	}
}
