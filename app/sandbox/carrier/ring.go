package carrier

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/naiber/naiber/app/sandbox/audio"
)

// ErrRingOver is returned for a phone that no longer rings: somebody has decided already, the
// time is up or the caller has given up.
var ErrRingOver = errors.New("the phone does not ring any more")

// An Answerer is called when a phone rings. It may decide at once, or return and leave the
// decision for later: an undecided phone rings until its time is up. ctx ends with the call.
type Answerer func(ctx context.Context, ring *Ring)

// Ring is a ringing phone. It is safe for concurrent use.
type Ring struct {
	// From and To are numbers in E.164.
	From, To string
	// CallSID is the carrier's id of the call.
	CallSID string

	k       *call
	decided chan string // how the ringing ended: the call's status then
	over    chan struct{}

	mu      sync.Mutex // guards the fields below
	ignored bool
	ended   bool
}

func newRing(k *call) *Ring {
	s := k.snapshot()
	return &Ring{From: s.from, To: s.to, CallSID: k.sid, k: k, decided: make(chan string, 1), over: make(chan struct{})}
}

// end ends the ringing with the status that the call has then, unless it has ended before. The
// carrier and the person compete for it: a call that was answered can no longer be canceled, and
// the other way round. It reports whether it ended the ringing.
func (r *Ring) end(status string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended {
		return false
	}
	r.conclude(status)
	return true
}

// decide does what the person decides, unless the phone no longer rings for them.
func (r *Ring) decide(what func()) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ignored || r.ended {
		return ErrRingOver
	}
	what()
	return nil
}

// conclude ends the ringing. The caller must hold the mutex.
func (r *Ring) conclude(status string) {
	r.ended = true
	r.decided <- status
}

// Over returns a channel that is closed when the phone stops ringing, for whatever reason.
func (r *Ring) Over() <-chan struct{} { return r.over }

// Answer picks up. The only error is ErrRingOver.
func (r *Ring) Answer() (*Handset, error) {
	if err := r.decide(func() { r.conclude(inProgress) }); err != nil {
		return nil, err
	}
	return &Handset{k: r.k}, nil
}

// Reject refuses the call: the caller finds the line busy. The only error is ErrRingOver.
func (r *Ring) Reject() error { return r.decide(func() { r.conclude(busy) }) }

// Ignore lets the phone ring until its time is up; nobody can answer it then. The only error is
// ErrRingOver.
func (r *Ring) Ignore() error { return r.decide(func() { r.ignored = true }) }

// beepLength is the length of an answering machine's tone.
const beepLength = 400 * time.Millisecond

// AnswerAsMachine picks up as an answering machine does: it plays greeting and a beep, and then
// records until the caller hangs up. What is recorded can be heard with the handset. The only
// error is ErrRingOver.
func (r *Ring) AnswerAsMachine(greeting string) (*Handset, error) {
	if err := r.decide(func() {
		speech := append(audio.Encode(greeting, r.k.c.cfg.WPM), audio.Beep(beepLength)...)
		r.k.greeting = r.k.line.say(speech)
		r.conclude(inProgress)
	}); err != nil {
		return nil, err
	}
	return &Handset{k: r.k}, nil
}
