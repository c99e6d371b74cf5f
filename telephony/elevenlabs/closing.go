package elevenlabs

import (
	"slices"

	"github.com/coder/websocket"
)

// Party is the party that caused the end of a conversation.
type Party string

// The parties. PartyUs includes our model endpoint and every cause that is not known.
const (
	PartyNobody     Party = "nobody"     // a normal end
	PartyUs         Party = "us"         // our input, configuration or endpoint
	PartyElevenLabs Party = "elevenlabs" // their service
	PartyNetwork    Party = "network"    // the line between
	PartyPolicy     Party = "policy"     // their rules about what may be said
	PartyTimeLimit  Party = "time_limit" // the limit that the call was given
)

// Closing is the reason why a conversation ended.
type Closing struct {
	// Reason is a constant phrase for logs and metrics: the error type if it is known.
	Reason string
	By     Party
	// Retry reports whether to try a new conversation for the same call: the failure need not
	// recur.
	Retry bool
}

// errorTypes holds the meaning of each error type. It is a table because it is the specification.
var errorTypes = []struct {
	by    Party
	retry bool
	types []string
}{
	{PartyUs, false, []string{ // sent by us, and it would be refused again
		"invalid_message", "missing_fields", "value_error", "override_error", "missing_dynamic_variable",
		"missing_dynamic_variable_transfer", "telephony_agent_error", "mcp_tool_error", "mcp_https_error",
	}},
	{PartyUs, true, []string{ // our model endpoint was late, broken or silent; the next turn may succeed
		"llm_timeout", "custom_llm_error", "llm_error", "cascade_brain_error",
	}},
	{PartyUs, true, []string{"transport_receive_timeout"}}, // we sent no audio for a minute
	{PartyElevenLabs, true, []string{
		"asyncio_timeout", "http_exception", "asr_transcription_error", "tts_cascade_error", "vad_error",
		"turn_probability_error", "redis_timeout_error", "unknown_websocket_crash",
	}},
	{PartyPolicy, false, []string{"safety_violation"}}, // the same words would be refused again
	{PartyTimeLimit, false, []string{"max_duration_exceeded"}},
}

// closeCodes holds the meaning of each close code, for a close without a known error type.
var closeCodes = map[websocket.StatusCode]Closing{
	websocket.StatusNormalClosure:   {"normal", PartyNobody, false},
	websocket.StatusProtocolError:   {"operational_failure", PartyElevenLabs, true}, // or a timeout, or safety
	websocket.StatusPolicyViolation: {"refused", PartyUs, false},
	websocket.StatusInternalError:   {"server_crash", PartyElevenLabs, true},
	websocket.StatusGoingAway:       {"server_restart", PartyElevenLabs, true},
	websocket.StatusServiceRestart:  {"server_restart", PartyElevenLabs, true},
	websocket.StatusTryAgainLater:   {"server_restart", PartyElevenLabs, true},
	websocket.StatusNoStatusRcvd:    {"connection_lost", PartyNetwork, true},
	websocket.StatusAbnormalClosure: {"connection_lost", PartyNetwork, true},
	websocket.StatusTLSHandshake:    {"connection_lost", PartyNetwork, true},
}

// CloseReason returns the reason for the end of a conversation, given the socket's close code and
// the error type that preceded it. A code of 0 or less means that the socket ended without one; an
// empty error type means that no error came.
func CloseReason(code websocket.StatusCode, errorType string) Closing {
	for _, known := range errorTypes {
		if slices.Contains(known.types, errorType) {
			return Closing{errorType, known.by, known.retry}
		}
	}
	if closing, known := closeCodes[code]; known {
		return closing
	}
	if code <= 0 {
		return closeCodes[websocket.StatusAbnormalClosure]
	}
	return Closing{"unrecognised", PartyUs, false}
}
