package app_test

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/naiber/naiber/app/sandbox/carrier"
	"github.com/naiber/naiber/orchestration"
)

// elder is a person with a telephone at the ear.
type elder struct {
	set *carrier.Handset

	mu     sync.Mutex // guards what follows
	grown  chan struct{}
	events []carrier.HeardEvent
	next   int // the first event that listens has not seen
	over   bool
}

func listen(t *testing.T, set *carrier.Handset) *elder {
	t.Helper()
	e := &elder{set: set, grown: make(chan struct{})}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ev := range set.Heard() {
			e.add(ev)
		}
		e.mu.Lock()
		defer e.mu.Unlock()
		e.over = true
		close(e.grown)
	}()
	t.Cleanup(func() {
		set.HangUp()
		<-done
		if t.Failed() {
			t.Logf("heard at the telephone: %s", e.transcript())
		}
	})
	return e
}

func (e *elder) add(ev carrier.HeardEvent) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.events = append(e.events, ev)
	close(e.grown)
	e.grown = make(chan struct{})
}

// until waits for the first event from the next one on that fits, and goes on
// behind it. It fails the test when the call ends before.
func (e *elder) until(t *testing.T, what string, fits func(carrier.HeardEvent) bool) carrier.HeardEvent {
	t.Helper()
	limit := time.NewTimer(patience)
	defer limit.Stop()
	for {
		e.mu.Lock()
		for ; e.next < len(e.events); e.next++ {
			if ev := e.events[e.next]; fits(ev) {
				e.next++
				e.mu.Unlock()
				return ev
			}
		}
		grown, over := e.grown, e.over
		e.mu.Unlock()
		if over {
			t.Fatalf("the call ended before %s was heard", what)
		}
		select {
		case <-grown:
		case <-limit.C:
			t.Fatalf("%s was never heard", what)
		}
	}
}

// listens waits until the other side has spoken and is quiet, and returns what
// it said. A filler alone says that more is to come.
func (e *elder) listens(t *testing.T) string {
	t.Helper()
	var said []string
	for {
		said = append(said, e.until(t, "anything", func(ev carrier.HeardEvent) bool {
			return ev.Kind == carrier.HeardSilence && !slices.ContainsFunc(orchestration.DefaultFillers, func(filler string) bool {
				return strings.TrimSpace(ev.Text) == strings.TrimSpace(filler)
			})
		}).Text)
		if !e.goesOn() {
			return strings.Join(said, " ")
		}
	}
}

// goesOn reports whether the other side says more soon after it fell silent. How soon
// depends on how late this machine is: a busy one pauses between two sentences.
func (e *elder) goesOn() bool {
	const nap, naps, most = 5 * time.Millisecond, 10, 3 * time.Second
	from := time.Now()
	for range naps {
		<-time.After(nap)
	}
	for until := time.Now().Add(min(most, naps*(time.Since(from)-naps*nap))); ; <-time.After(nap) {
		e.mu.Lock()
		more := slices.ContainsFunc(e.events[e.next:], func(ev carrier.HeardEvent) bool { return ev.Kind == carrier.HeardWord })
		over := e.over
		e.mu.Unlock()
		if more || over || time.Now().After(until) {
			return more
		}
	}
}

// hears listens until all the parts were said, and returns what was. A busy machine
// may pause anywhere, so that one sentence is heard as two.
func (e *elder) hears(t *testing.T, parts ...string) string {
	t.Helper()
	var said string
	e.until(t, strings.Join(parts, " … "), func(ev carrier.HeardEvent) bool {
		if ev.Kind != carrier.HeardSilence && ev.Kind != carrier.HeardSay {
			return false
		}
		if containsAll(ev.Text, parts...) {
			said = ev.Text
			return true
		}
		said = strings.TrimSpace(said + " " + ev.Text)
		return containsAll(said, parts...)
	})
	return said
}

// words waits until the other side is in the middle of speaking: n more words
// were heard.
func (e *elder) words(t *testing.T, n int) {
	t.Helper()
	e.until(t, "a few words", func(ev carrier.HeardEvent) bool {
		if ev.Kind == carrier.HeardWord {
			n--
		}
		return n == 0
	})
}

// breaksIn speaks while the other side does, after n of its words. Where it was
// done by then, since the machine was slow, the next reply is broken into.
func (e *elder) breaksIn(t *testing.T, n int, text string) {
	t.Helper()
	for range 4 {
		e.words(t, n)
		e.set.Say(text)
		heard := e.until(t, "the interruption", func(ev carrier.HeardEvent) bool {
			return ev.Kind == carrier.HeardClear || ev.Kind == carrier.HeardSilence
		})
		if heard.Kind == carrier.HeardClear {
			return
		}
	}
	t.Fatal("nothing can be broken into")
}

// says speaks, and returns when it was said.
func (e *elder) says(t *testing.T, text string) {
	t.Helper()
	select {
	case <-e.set.Say(text):
	case <-time.After(patience):
		t.Fatalf("%q could not be said", text)
	}
}

// answers says something and returns the reply.
func (e *elder) answers(t *testing.T, text string) string {
	t.Helper()
	e.says(t, text)
	return e.listens(t)
}

// waitsForEnd waits until the call is over.
func (e *elder) waitsForEnd(t *testing.T) {
	t.Helper()
	limit := time.NewTimer(patience)
	defer limit.Stop()
	for {
		e.mu.Lock()
		grown, over := e.grown, e.over
		e.mu.Unlock()
		if over {
			return
		}
		select {
		case <-grown:
		case <-limit.C:
			t.Fatal("the call does not end")
		}
	}
}

// transcript is all that was heard so far.
func (e *elder) transcript() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	var words []string
	for _, ev := range e.events {
		switch ev.Kind {
		case carrier.HeardWord, carrier.HeardSay:
			words = append(words, ev.Text)
		case carrier.HeardSilence:
			words = append(words, "/")
		case carrier.HeardClear:
			words = append(words, "[clear]")
		default:
		}
	}
	return strings.Join(words, " ")
}

func containsAll(s string, parts ...string) bool {
	return !slices.ContainsFunc(parts, func(p string) bool { return !strings.Contains(s, p) })
}
