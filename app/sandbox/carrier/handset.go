package carrier

import (
	"errors"
	"strings"
	"time"

	"github.com/naiber/naiber/app/sandbox/audio"
)

// ErrBadDigit is returned for a key that no telephone has.
var ErrBadDigit = errors.New("not a key of a telephone")

// HeardKind says what a [HeardEvent] is.
type HeardKind string

// The kinds of events.
const (
	// HeardWord is one word that was played, or, when Partial, the beginning
	// of one that was cut off.
	HeardWord HeardKind = "word"
	// HeardSilence says that the other side has stopped speaking for a while;
	// Text is all that it said since the last silence.
	HeardSilence HeardKind = "silence"
	// HeardClear says that the rest of what was to be played was thrown away.
	HeardClear HeardKind = "clear"
	// HeardMark is a mark that was reached; Text is its name.
	HeardMark HeardKind = "mark"
	// HeardSay is a sentence of the carrier's own voice.
	HeardSay HeardKind = "say"
	// HeardClosed is the end of the call, and the last event.
	HeardClosed HeardKind = "closed"
)

// HeardEvent is something that the person at the phone notices.
type HeardEvent struct {
	Kind HeardKind
	Text string
	// Partial marks a word that broke off.
	Partial bool
	// At is when, on the clock of the call's audio, counted from its answer.
	At time.Duration
}

// Handset is a phone in somebody's hand. It is safe for concurrent use.
type Handset struct {
	k *call
}

// CallSID is the carrier's name for the call.
func (h *Handset) CallSID() string { return h.k.sid }

// Heard is what there is to hear, in order; it is closed after HeardClosed. A
// listener who falls more than a thousand events behind misses some, never the
// end.
func (h *Handset) Heard() <-chan HeardEvent { return h.k.line.events }

// Say speaks text at the carrier's usual speed, after what is being said
// already. The channel is closed when it has been said, or cut off.
func (h *Handset) Say(text string) <-chan struct{} { return h.SayAt(text, h.k.c.cfg.WPM) }

// SayAt is Say at wpm words per minute.
func (h *Handset) SayAt(text string, wpm int) <-chan struct{} {
	return h.k.line.say(audio.Encode(text, wpm))
}

// Noise makes a sound without words for d.
func (h *Handset) Noise(d time.Duration) <-chan struct{} { return h.k.line.say(audio.Beep(d)) }

// Pause keeps silent for d, after what is being said already: a pause on the
// line's own clock, however late the person's thoughts are.
func (h *Handset) Pause(d time.Duration) <-chan struct{} {
	return h.k.line.say(audio.Quiet(audio.Bytes(d)))
}

// Hush stops speaking at once, in the middle of a word.
func (h *Handset) Hush() { h.k.line.hush() }

// Press presses keys: 0–9, * and #. An error presses none.
func (h *Handset) Press(digits string) error {
	if strings.Trim(digits, "0123456789*#") != "" {
		return ErrBadDigit
	}
	h.k.line.press(digits)
	return nil
}

// HangUp ends the call. It may be called twice.
func (h *Handset) HangUp() { h.k.hangUp(errHungUp) }

// Done is closed when the call has ended.
func (h *Handset) Done() <-chan struct{} { return h.k.over }
