package elevenlabs

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const (
	vectorSecret = Secret("wsec_test")
	vectorBody   = `{"type":"post_call_transcription"}`
	vectorHex    = "81a65aa1e2057ec4cdc236dca583cf6ef5899fbc7acd1fe2c0921f684fa3779c"
	vectorHeader = "t=1739537297,v0=" + vectorHex
)

// verify checks a webhook.
func verify(secret Secret, header string, body []byte, now time.Time) error {
	s, err := NewSignature(secret, header, now)
	if err != nil {
		return err
	}
	return s.Check(body)
}

func TestSignature(t *testing.T) {
	t.Parallel()
	signed := time.Unix(1739537297, 0)
	for _, tt := range []struct {
		name, header, body string
		secret             Secret
		age                time.Duration
		want               error
	}{
		{"vector", vectorHeader, vectorBody, vectorSecret, 0, nil},
		{"half an hour old", vectorHeader, vectorBody, vectorSecret, 30 * time.Minute, nil},
		{"our clock is a little behind", vectorHeader, vectorBody, vectorSecret, -5 * time.Minute, nil},
		{"spaces, upper case, another signature", "v0=" + strings.Repeat("00", 32) + ", t=1739537297, v0=" + strings.ToUpper(vectorHex) + ", v1=x", vectorBody, vectorSecret, 0, nil},
		{"older", vectorHeader, vectorBody, vectorSecret, 30*time.Minute + time.Second, ErrStale},
		{"from the future", vectorHeader, vectorBody, vectorSecret, -6 * time.Minute, ErrStale},
		{"changed body", vectorHeader, vectorBody + " ", vectorSecret, 0, ErrSignature},
		{"changed time", "t=1739537298,v0=" + vectorHex, vectorBody, vectorSecret, 0, ErrSignature},
		{"other secret", vectorHeader, vectorBody, "wsec_other", 0, ErrSignature},
		{"no secret", vectorHeader, vectorBody, "", 0, ErrSignature},
		{"no header", "", vectorBody, vectorSecret, 0, ErrSignature},
		{"no signature", "t=1739537297", vectorBody, vectorSecret, 0, ErrSignature},
		{"no time", "v0=" + vectorHex, vectorBody, vectorSecret, 0, ErrSignature},
		{"not hex", "t=1739537297,v0=zz", vectorBody, vectorSecret, 0, ErrSignature},
		{"signature of another length", "t=1739537297,v0=" + vectorHex[2:], vectorBody, vectorSecret, 0, ErrSignature},
		{"endless time", "t=99999999999999999999,v0=" + vectorHex, vectorBody, vectorSecret, 0, ErrSignature},
	} {
		if err := verify(tt.secret, tt.header, []byte(tt.body), signed.Add(tt.age)); !errors.Is(err, tt.want) {
			t.Errorf("%s: err = %v, want %v", tt.name, err, tt.want)
		}
	}
	if got := SignWebhook(vectorSecret, []byte(vectorBody), signed); got != vectorHeader {
		t.Errorf("got %s, want %s", got, vectorHeader)
	}
}

const transcriptionBody = `{"type":"post_call_transcription","event_timestamp":1739537297,"new":1,"data":{
 "agent_id":"agent_1","conversation_id":"conv_01","status":"done","user_id":"u_17","has_audio":true,
 "transcript":[
  {"role":"agent","message":"Hi.","time_in_call_secs":0,"interrupted":true,"original_message":"Hi. How?"},
  {"role":"user","message":null,"time_in_call_secs":"later"},
  {"role":"agent","message":null,"time_in_call_secs":2.5,"tool_calls":[{"request_id":"r","tool_name":"end_call","params_as_json":"{}","tool_has_been_called":true}],
   "tool_results":[{"request_id":"r","tool_name":"end_call","result_value":"ok","is_error":false}]}],
 "metadata":{"start_time_unix_secs":1739537200,"call_duration_secs":61,"cost":12,"termination_reason":"end_call","error":{"code":1002,"reason":"x"}},
 "analysis":{"call_successful":"success","transcript_summary":"Fine.","call_summary_title":"Chat"}}}`

func TestParseWebhook(t *testing.T) {
	t.Parallel()
	got, err := ParseWebhook([]byte(transcriptionBody))
	want := WebhookEvent{
		Type: PostCallTranscription, ConversationID: "conv_01",
		Conversation: &Conversation{
			Transcript: []TranscriptTurn{{Role: "agent", Message: "Hi."}, {Role: "user"}, {Role: "agent", Seconds: 2.5}},
			Metadata:   CallMetadata{StartUnix: 1739537200},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("err %v (-want +got):\n%s", err, diff)
	}
	if c := got.Conversation; c.Metadata.Started().Unix() != 1739537200 || c.Transcript[2].At() != 2500*time.Millisecond {
		t.Errorf("times: %v, %v", c.Metadata.Started(), c.Transcript[2].At())
	}
	for body, want := range map[string]WebhookEvent{
		`{"type":"post_call_audio","data":{"conversation_id":"c","full_audio":"AAAA"}}`: {Type: "post_call_audio", ConversationID: "c"},
		`{"type":"answering_machine_detection","data":[1]}`:                             {Type: "answering_machine_detection"},
		`{"type":"new"}`: {Type: "new"},
	} {
		got, err := ParseWebhook([]byte(body))
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: err %v (-want +got):\n%s", body, err, diff)
		}
	}
	for _, body := range []string{
		`{"type":"post\u0000call"}`, `{"type":"new","data":{"conversation_id":"conv\u0000"}}`, ``, `[]`, `{}`, `{"type":1}`, vectorBody, `{"type":"post_call_transcription","data":{}}`, `{"type":"post_call_transcription","data":7}`,
	} {
		if _, err := ParseWebhook([]byte(body)); !errors.Is(err, ErrMalformed) {
			t.Errorf("%s: err = %v", body, err)
		}
	}
}

func FuzzSignature(f *testing.F) {
	f.Add(vectorHeader, []byte(vectorBody))
	f.Add("t=1,v0=,v0=zz", []byte{})
	f.Fuzz(func(t *testing.T, header string, body []byte) {
		now := time.Unix(1739537297, 0)
		if verify(vectorSecret, header, body, now) == nil && (string(body) != vectorBody || !strings.Contains(strings.ToLower(header), vectorHex)) {
			t.Errorf("accepted %q with %q", body, header)
		}
		if err := verify(vectorSecret, SignWebhook(vectorSecret, body, now), body, now); err != nil {
			t.Errorf("our own signature: %v", err)
		}
	})
}

func FuzzParseWebhook(f *testing.F) {
	f.Add([]byte(transcriptionBody))
	f.Add([]byte(`{"type":"x","event_timestamp":1e300,"data":null}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		event, err := ParseWebhook(body)
		if err != nil {
			return
		}
		if event.Type == "" || (event.Conversation != nil) != (event.Type == PostCallTranscription) {
			t.Errorf("event %+v", event)
		}
		if c := event.Conversation; c != nil {
			for _, turn := range c.Transcript {
				if turn.At() < 0 {
					t.Errorf("a turn at %v", turn.At())
				}
			}
		}
	})
}
