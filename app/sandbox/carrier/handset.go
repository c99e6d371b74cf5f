package carrier

import (
	"errors"
	"strings"
	"time"

	"github.com/naiber/naiber/app/sandbox/audio"
)

// ErrBadDigit is returned for a key that no telephone has.
var ErrBadDigit = errors.New("not a key of a telephone")

// HeardKind is the kind of a [HeardEvent].
type HeardKind string

// The kinds of events.
const (
	// HeardWord is one word that was played or, if Partial, the beginning of a word that was cut
	// off.
	HeardWord HeardKind = "word"
	// HeardSilence means that the other side has stopped speaking for a while; Text is everything
	// it said since the last silence.
	HeardSilence HeardKind = "silence"
	// HeardClear means that the audio waiting to be played was discarded.
	HeardClear HeardKind = "clear"
	// HeardMark is a mark that was reached; Text is its name.
	HeardMark HeardKind = "mark"
	// HeardSay is a sentence of the carrier's own voice.
	HeardSay HeardKind = "say"
	// HeardClosed is the end of the call, and the last event.
	HeardClosed HeardKind = "closed"
)

// HeardEvent is something that the person at the phone perceives.
type HeardEvent struct {
	Kind HeardKind
	Text string
	// Partial marks a word that broke off.
	Partial bool
	// At is the time on the clock of the call's audio, counted from its answer.
	At time.Duration
}

// Handset is the phone of a person on a call. It is safe for concurrent use.
type Handset struct {
	k *call
}

// CallSID returns the carrier's id of the call.
func (h *Handset) CallSID() string { return h.k.sid }

// Heard returns the channel of what the person hears, in order; it is closed after HeardClosed. A
// listener that falls more than a thousand events behind misses some, but never HeardClosed.
func (h *Handset) Heard() <-chan HeardEvent { return h.k.line.events }

// Say speaks text at the carrier's usual speed, after what is being said already. The returned
// channel is closed when the text has been said or cut off.
func (h *Handset) Say(text string) <-chan struct{} { return h.SayAt(text, h.k.c.cfg.WPM) }

// SayAt is like Say, at wpm words per minute.
func (h *Handset) SayAt(text string, wpm int) <-chan struct{} {
	return h.k.line.say(audio.Encode(text, wpm))
}

// Noise makes a sound without words for d, after what is being said already. The returned channel
// is closed as by Say.
func (h *Handset) Noise(d time.Duration) <-chan struct{} { return h.k.line.say(audio.Beep(d)) }

// Pause keeps silent for d, after what is being said already. It lasts d on the line's own clock,
// however late the caller is. The returned channel is closed as by Say.
func (h *Handset) Pause(d time.Duration) <-chan struct{} {
	return h.k.line.say(audio.Quiet(audio.Bytes(d)))
}

// Hush stops speaking at once, even in the middle of a word.
func (h *Handset) Hush() { h.k.line.hush() }

// Press presses keys: 0–9, * and #. If it returns an error, it has pressed none.
func (h *Handset) Press(digits string) error {
	if strings.Trim(digits, "0123456789*#") != "" {
		return ErrBadDigit
	}
	h.k.line.press(digits)
	return nil
}

// HangUp ends the call. It may be called twice.
func (h *Handset) HangUp() { h.k.hangUp(errHungUp) }

// Done returns a channel that is closed when the call has ended.
func (h *Handset) Done() <-chan struct{} { return h.k.over }
