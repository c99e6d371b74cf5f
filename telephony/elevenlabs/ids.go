package elevenlabs

import (
	"fmt"
	"io"
)

// AgentID names an agent: the configuration that conversations run under.
type AgentID string

// ConversationID names one conversation. A call that lost its conversation and
// began another has several.
type ConversationID string

// SecretID names a secret kept in the workspace. It is not secret itself.
type SecretID string

// WebhookID names a webhook of the workspace.
type WebhookID string

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
