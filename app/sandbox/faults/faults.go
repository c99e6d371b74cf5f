// Package faults switches faults of the sandbox on and off, one by one, for a test or a curious
// user.
//
// The simulated services ask it at the places where the real ones fail; [All] describes what each
// fault does, for listings.
package faults

// The names of the faults. [All] says what each does.
const (
	DroppedStream       = "dropped_stream"
	RateLimit           = "429"
	CreateTimeout       = "create_timeout"
	BadSignature        = "bad_signature"
	DuplicateCallbacks  = "duplicate_callbacks"
	OutOfOrderCallbacks = "out_of_order_callbacks"
	NotBase64           = "not_base64"
	UnknownEvent        = "unknown_event"

	RepeatedTurn = "repeated_turn"
	LLMRetries   = "llm_retries"
	DroppedVoice = "dropped_voice"
	VoiceBusy    = "voice_429"
	WrongFormat  = "wrong_format"
	LateAudio    = "late_audio"

	SlowModel      = "slow_model"
	ModelError     = "model_error"
	ModelHTML      = "model_html"
	ModelEmpty     = "model_empty"
	ModelHalfChunk = "model_half_chunk"
	ModelLength    = "model_length"
	ModelHang      = "model_hang"

	Restart = "restart"
)

// Kind is what a fault's value means.
type Kind string

const (
	// Switch is on or off and has no further value.
	Switch Kind = "switch"
	// Count takes a number: how many times the fault happens before it is off again.
	Count Kind = "count"
	// Millis takes a time in milliseconds.
	Millis Kind = "ms"
	// Status takes an HTTP status code.
	Status Kind = "status"
	// Action happens once, when the fault is set.
	Action Kind = "action"
)

// Info describes one fault.
type Info struct {
	Name string `json:"name"`
	// Where is the part with the fault: carrier, voice, model or process.
	Where string `json:"where"`
	Kind  Kind   `json:"kind"`
	// Default is the value that a plain "on" stands for.
	Default string `json:"default"`
	// Description is a sentence for users.
	Description string `json:"description"`
}

// All returns every fault in the order in which to show them.
func All() []Info {
	return []Info{
		{DroppedStream, "carrier", Millis, "3000", "The carrier's media socket breaks this long after it began, without a stop message."},
		{RateLimit, "carrier", Count, "1", "The carrier refuses this many REST requests with 429."},
		{CreateTimeout, "carrier", Count, "1", "The carrier places the call, but the answer to the request never comes."},
		{BadSignature, "carrier", Switch, "on", "The carrier signs webhooks and the media socket with a wrong token."},
		{DuplicateCallbacks, "carrier", Switch, "on", "Every status callback is delivered twice."},
		{OutOfOrderCallbacks, "carrier", Switch, "on", "Neighbouring status callbacks arrive in the wrong order."},
		{NotBase64, "carrier", Count, "1", "This many media frames from the carrier are not base64."},
		{UnknownEvent, "carrier", Switch, "on", "Carrier and voice service send events of an unknown kind."},
		{RepeatedTurn, "voice", Switch, "on", "The voice service asks for every turn twice at the same time."},
		{LLMRetries, "voice", Millis, "200", "A turn without a token after this time is asked again, up to eight at once."},
		{DroppedVoice, "voice", Millis, "3000", "The voice service's socket breaks this long after it began."},
		{VoiceBusy, "voice", Count, "1", "The voice service refuses this many signed URLs with 429."},
		{WrongFormat, "voice", Switch, "on", "The voice service announces PCM where µ-law was agreed."},
		{LateAudio, "voice", Switch, "on", "After an interruption one more piece of the cancelled reply arrives."},
		{SlowModel, "model", Millis, "3000", "The model's first token comes this much later."},
		{ModelError, "model", Status, "500", "The model answers with this status."},
		{ModelHTML, "model", Switch, "on", "The model answers with a web page."},
		{ModelEmpty, "model", Switch, "on", "The model answers with no text at all."},
		{ModelHalfChunk, "model", Switch, "on", "The model's stream breaks in the middle of a chunk."},
		{ModelLength, "model", Switch, "on", "The model's reply is cut off by its token limit."},
		{ModelHang, "model", Switch, "on", "The model takes the request and never answers."},
		{Restart, "process", Action, "now", "The process is killed and started again."},
	}
}
