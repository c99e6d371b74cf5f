package twilio

import (
	"fmt"
	"io"
)

// AccountSID names a Twilio account ("AC…").
type AccountSID string

// CallSID names one call leg ("CA…").
type CallSID string

// StreamSID names one Media Stream of a call ("MZ…"). A call that is picked up
// again after its stream died has a new one.
type StreamSID string

// NumberSID names an owned phone number ("PN…").
type NumberSID string

// Secret is a credential. It prints as "[redacted]" under every verb and in
// JSON, so that it cannot reach a log by accident.
type Secret string

const redacted = "[redacted]"

// Format implements [fmt.Formatter] and hides the value.
func (Secret) Format(f fmt.State, _ rune) {
	_, _ = io.WriteString(f, redacted) // a formatter has nowhere to report this
}

// MarshalText implements [encoding.TextMarshaler] and hides the value.
func (Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }
