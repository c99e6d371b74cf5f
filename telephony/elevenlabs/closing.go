package elevenlabs

import "github.com/coder/websocket"

// Party is whose doing the end of a conversation was.
type Party string

// The parties. PartyUs is anything of ours, our model endpoint included, and
// everything that nobody recognises.
const (
	PartyNobody     Party = "nobody"     // a normal end
	PartyUs         Party = "us"         // our input, configuration or endpoint
	PartyElevenLabs Party = "elevenlabs" // their service
	PartyNetwork    Party = "network"    // the line between
	PartyPolicy     Party = "policy"     // their rules about what may be said
	PartyTimeLimit  Party = "time_limit" // the limit that the call was given
)

// Closing is why a conversation ended.
type Closing struct {
	// Reason is a constant phrase for logs and metrics: the error type where it
	// is known.
	Reason string
	By     Party
	// Retry reports whether a new conversation may be tried for the same call:
	// what went wrong need not go wrong again.
	Retry bool
}

// errorClosings holds what each error type means. It is a table because it is
// the specification.
var errorClosings = map[string]struct {
	by    Party
	retry bool
}{
	// Sent by us, and it would be refused again.
	"invalid_message":                   {PartyUs, false},
	"missing_fields":                    {PartyUs, false},
	"value_error":                       {PartyUs, false},
	"override_error":                    {PartyUs, false},
	"missing_dynamic_variable":          {PartyUs, false},
	"missing_dynamic_variable_transfer": {PartyUs, false},
	"telephony_agent_error":             {PartyUs, false},
	"mcp_tool_error":                    {PartyUs, false},
	"mcp_https_error":                   {PartyUs, false},
	// Our model endpoint was late, broken or silent; the next turn may be well.
	"llm_timeout":         {PartyUs, true},
	"custom_llm_error":    {PartyUs, true},
	"llm_error":           {PartyUs, true},
	"cascade_brain_error": {PartyUs, true},
	// We sent no audio for a minute.
	"transport_receive_timeout": {PartyUs, true},
	// Theirs.
	"asyncio_timeout":         {PartyElevenLabs, true},
	"http_exception":          {PartyElevenLabs, true},
	"asr_transcription_error": {PartyElevenLabs, true},
	"tts_cascade_error":       {PartyElevenLabs, true},
	"vad_error":               {PartyElevenLabs, true},
	"turn_probability_error":  {PartyElevenLabs, true},
	"redis_timeout_error":     {PartyElevenLabs, true},
	"unknown_websocket_crash": {PartyElevenLabs, true},
	// The same words would meet the same rule.
	"safety_violation": {PartyPolicy, false},
	// As configured.
	"max_duration_exceeded": {PartyTimeLimit, false},
}

// CloseReason explains the end of a conversation from the socket's close code
// and the error type that came before it. A code of 0 or less means that the
// socket ended without one; an empty error type, that no error came.
func CloseReason(code websocket.StatusCode, errorType string) Closing {
	if known, ok := errorClosings[errorType]; ok {
		return Closing{Reason: errorType, By: known.by, Retry: known.retry}
	}
	switch code {
	case websocket.StatusNormalClosure:
		return Closing{Reason: "normal", By: PartyNobody}
	case websocket.StatusProtocolError: // an operational failure, a timeout, or safety
		return Closing{Reason: "operational_failure", By: PartyElevenLabs, Retry: true}
	case websocket.StatusPolicyViolation:
		return Closing{Reason: "refused", By: PartyUs}
	case websocket.StatusInternalError:
		return Closing{Reason: "server_crash", By: PartyElevenLabs, Retry: true}
	case websocket.StatusGoingAway, websocket.StatusServiceRestart, websocket.StatusTryAgainLater:
		return Closing{Reason: "server_restart", By: PartyElevenLabs, Retry: true}
	case websocket.StatusNoStatusRcvd, websocket.StatusAbnormalClosure, websocket.StatusTLSHandshake:
		return Closing{Reason: "connection_lost", By: PartyNetwork, Retry: true}
	default:
	}
	if code <= 0 {
		return Closing{Reason: "connection_lost", By: PartyNetwork, Retry: true}
	}
	return Closing{Reason: "unrecognised", By: PartyUs}
}
