package elevenlabs

import (
	"math"
	"testing"

	"github.com/coder/websocket"
)

func TestEncode(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ got, want string }{
		{string(AppendUserAudio([]byte("x"), []byte("AAAA"))), `x{"user_audio_chunk":"AAAA"}`},
		{string(AppendPong(nil, 0)), `{"type":"pong","event_id":0}`},
		{string(AppendUserMessage(nil, `pressed "1"`)), `{"type":"user_message","text":"pressed \"1\""}`},
	} {
		if tt.got != tt.want {
			t.Errorf("got %s, want %s", tt.got, tt.want)
		}
	}
}

func TestAppendInit(t *testing.T) {
	t.Parallel()
	greeting, wait := "Good morning, Ada.", ""
	for _, tt := range []struct {
		name string
		in   Init
		want string
	}{
		{"nothing", Init{}, `{"type":"conversation_initiation_client_data"}`},
		{"nil values", Init{ExtraBody: map[string]any{}}, `{"type":"conversation_initiation_client_data"}`},
		{"wait for the person", Init{FirstMessage: &wait}, `{"type":"conversation_initiation_client_data","conversation_config_override":{"agent":{"first_message":""}}}`},
		{"one override", Init{Language: "es"}, `{"type":"conversation_initiation_client_data","conversation_config_override":{"agent":{"language":"es"}}}`},
		{"all", Init{
			Prompt: "p", FirstMessage: &greeting, Language: "en",
			ExtraBody: map[string]any{"call": "c_123", "token": "t"}, UserID: "u_17",
		}, `{"type":"conversation_initiation_client_data","conversation_config_override":{"agent":{"first_message":"Good morning, Ada.","language":"en","prompt":{"prompt":"p"}}},` +
			`"custom_llm_extra_body":{"call":"c_123","token":"t"},"user_id":"u_17"}`},
	} {
		got, err := AppendInit([]byte("x"), tt.in)
		if err != nil || string(got) != "x"+tt.want {
			t.Errorf("%s:\ngot  %s, %v\nwant x%s", tt.name, got, err, tt.want)
		}
	}
	if got, err := AppendInit(nil, Init{ExtraBody: map[string]any{"a": math.NaN()}}); err == nil || got != nil {
		t.Errorf("NaN: got %s, %v", got, err)
	}
}

// TestCloseReason is the specification of what an end means.
func TestCloseReason(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		code      websocket.StatusCode
		errorType string
		want      Closing
	}{
		{1000, "", Closing{"normal", PartyNobody, false}},
		{1000, "max_duration_exceeded", Closing{"max_duration_exceeded", PartyTimeLimit, false}},
		{1002, "", Closing{"operational_failure", PartyElevenLabs, true}},
		{1002, "llm_timeout", Closing{"llm_timeout", PartyUs, true}},
		{1002, "custom_llm_error", Closing{"custom_llm_error", PartyUs, true}},
		{1002, "transport_receive_timeout", Closing{"transport_receive_timeout", PartyUs, true}},
		{1002, "tts_cascade_error", Closing{"tts_cascade_error", PartyElevenLabs, true}},
		{1002, "safety_violation", Closing{"safety_violation", PartyPolicy, false}},
		{1002, "something new", Closing{"operational_failure", PartyElevenLabs, true}},
		{1006, "override_error", Closing{"override_error", PartyUs, false}},
		{1008, "missing_dynamic_variable", Closing{"missing_dynamic_variable", PartyUs, false}},
		{1008, "", Closing{"refused", PartyUs, false}},
		{1011, "", Closing{"server_crash", PartyElevenLabs, true}},
		{1011, "unknown_websocket_crash", Closing{"unknown_websocket_crash", PartyElevenLabs, true}},
		{1001, "", Closing{"server_restart", PartyElevenLabs, true}},
		{1006, "", Closing{"connection_lost", PartyNetwork, true}},
		{0, "", Closing{"connection_lost", PartyNetwork, true}},
		{-1, "", Closing{"connection_lost", PartyNetwork, true}},
		{1009, "", Closing{"unrecognised", PartyUs, false}},
		{4999, "", Closing{"unrecognised", PartyUs, false}},
	} {
		if got := CloseReason(tt.code, tt.errorType); got != tt.want {
			t.Errorf("%d %q: got %+v, want %+v", tt.code, tt.errorType, got, tt.want)
		}
	}
}
