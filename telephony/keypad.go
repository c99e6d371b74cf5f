package telephony

import (
	"time"

	"github.com/naiber/naiber/telephony/elevenlabs"
)

const (
	// keypadPause between two digits makes them two entries.
	keypadPause = 1500 * time.Millisecond
	// keypadMost is how many digits may wait to be passed on; more are let go.
	keypadMost = 64
)

// onKey collects a key that the person pressed.
func (c *liveCall) onKey(st *stream, digit string) {
	l := &c.loop
	if st != l.stream || !keypadDigit(digit) || len(l.keys) >= keypadMost {
		return
	}
	l.keys += digit
	l.lastWords = time.Now()
	l.keypad.Reset(keypadPause)
}

// keypadDigit reports whether s is one key of a telephone.
func keypadDigit(s string) bool {
	return len(s) == 1 && (s[0] >= '0' && s[0] <= '9' || s[0] == '*' || s[0] == '#' || s[0] >= 'A' && s[0] <= 'D')
}

// onKeypad passes on digits after which no more came.
func (c *liveCall) onKeypad() {
	l := &c.loop
	if l.keys == "" || l.conv == nil || l.conv.id == "" {
		return // wait for the next conversation
	}
	keys := l.keys
	l.keys = ""
	l.keypad.Stop()
	c.facts.heard() // no machine presses keys
	c.notes.event("keypad", map[string]any{"digits": keys})
	_ = l.conv.send(func(dst []byte) []byte { // its reader reports a broken socket
		return elevenlabs.AppendUserMessage(dst, "[keypad: "+keys+"]")
	})
}
