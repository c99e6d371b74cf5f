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
	decided chan bool // whether it was answered
	over    chan struct{}

	mu   sync.Mutex // guards done
	done bool
}

func newRing(k *call) *Ring {
	s := k.snapshot()
	return &Ring{From: s.from, To: s.to, CallSID: k.sid, k: k, decided: make(chan bool, 1), over: make(chan struct{})}
}

// decide calls what, unless the ring has been decided already.
func (r *Ring) decide(what func()) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.done {
		return ErrRingOver
	}
	r.done = true
	what()
	return nil
}

// end ends the ringing.
func (r *Ring) end() {
	_ = r.decide(func() {}) // it may be decided already
	close(r.over)
}

// Over returns a channel that is closed when the phone stops ringing, for whatever reason.
func (r *Ring) Over() <-chan struct{} { return r.over }

// Answer picks up. The only error is ErrRingOver.
func (r *Ring) Answer() (*Handset, error) {
	if err := r.decide(func() { r.decided <- true }); err != nil {
		return nil, err
	}
	return &Handset{k: r.k}, nil
}

// Reject refuses the call: the caller finds the line busy. The only error is ErrRingOver.
func (r *Ring) Reject() error { return r.decide(func() { r.decided <- false }) }

// Ignore lets the phone ring until its time is up; nobody can answer it then. The only error is
// ErrRingOver.
func (r *Ring) Ignore() error { return r.decide(func() {}) }

// beepLength is the length of an answering machine's tone.
const beepLength = 400 * time.Millisecond

// AnswerAsMachine picks up as an answering machine does: it plays greeting and a beep, and then
// records until the caller hangs up. What is recorded can be heard with the handset. The only
// error is ErrRingOver.
func (r *Ring) AnswerAsMachine(greeting string) (*Handset, error) {
	if err := r.decide(func() {
		speech := append(audio.Encode(greeting, r.k.c.cfg.WPM), audio.Beep(beepLength)...)
		r.k.greeting = r.k.line.say(speech)
		r.decided <- true
	}); err != nil {
		return nil, err
	}
	return &Handset{k: r.k}, nil
}
