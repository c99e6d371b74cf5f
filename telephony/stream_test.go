package telephony

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/telephony/elevenlabs"
	"github.com/naiber/naiber/telephony/twilio"
)

// TestStreamOnTheRealThing carries a call over real sockets with the real
// database: signature, one-use token, opening, words in both directions, the
// directory, the ending, and what is on record afterwards.
func TestStreamOnTheRealThing(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	inits := make(chan string, 4)
	voice := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/v1/") {
			_, _ = w.Write([]byte(`{"signed_url":"ws://` + r.Host + `/conversation"}`))
			return
		}
		conn, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer func() { _ = conn.CloseNow() }()
		ctx := context.WithoutCancel(r.Context())
		_, first, err := conn.Read(ctx)
		if err != nil {
			return
		}
		inits <- string(first)
		for _, m := range []string{
			`{"type":"conversation_initiation_metadata","conversation_initiation_metadata_event":{"conversation_id":"conv_1",` +
				`"agent_output_audio_format":"ulaw_8000","user_input_audio_format":"ulaw_8000"}}`,
			`{"type":"audio","audio_event":{"event_id":1,"audio_base_64":"` + audioOf(1, 160) + `"}}`,
			`{"type":"agent_response","agent_response_event":{"agent_response":"Good morning.","event_id":1}}`,
			`{"type":"user_transcript","user_transcription_event":{"user_transcript":"hello","event_id":2}}`,
		} {
			_ = conn.Write(ctx, websocket.MessageText, []byte(m))
		}
		for {
			if _, _, err := conn.Read(ctx); err != nil {
				return
			}
		}
	}))
	t.Cleanup(voice.Close)
	client, err := elevenlabs.New(elevenlabs.Config{APIKey: "key", BaseURL: voice.URL})
	if err != nil {
		t.Fatal(err)
	}
	tr := &http.Transport{}
	t.Cleanup(tr.CloseIdleConnections)
	h.dep.ElevenLabs, h.dep.HTTP = client, &http.Client{Transport: tr}
	web := httptest.NewServer(h.web)
	t.Cleanup(web.Close)

	ada := h.person("Ada", "+15550100123")
	call, err := h.st.Dial(t.Context(), time.Now(), calls.NewCall{
		PersonID: ada.ID, Type: calls.CallGeneral, Direction: calls.Outbound, StreamToken: "once",
	}, func(calls.DialFacts) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	if err := h.st.SetCallSID(t.Context(), call.ID, "CA01"); err != nil {
		t.Fatal(err)
	}

	connect := func(signed bool) (*websocket.Conn, error) {
		header := http.Header{}
		if signed {
			header.Set(twilio.SignatureHeader, twilio.Sign(houseToken, "wss://naiber.example.org/outbound-media-stream", nil))
		}
		conn, _, err := websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(web.URL, "http")+"/outbound-media-stream", //nolint:bodyclose // the library closes it
			&websocket.DialOptions{HTTPHeader: header})
		return conn, err
	}
	if _, err := connect(false); err == nil {
		t.Fatal("an unsigned stream was accepted")
	}
	start := func(conn *websocket.Conn) {
		for _, m := range []string{
			`{"event":"connected","protocol":"Call","version":"1.0.0"}`,
			`{"event":"start","sequenceNumber":"1","streamSid":"MZ01","start":{"streamSid":"MZ01","callSid":"CA01",` +
				`"mediaFormat":{"encoding":"audio/x-mulaw","sampleRate":8000,"channels":1},"customParameters":{"token":"once"}}}`,
		} {
			if err := conn.Write(t.Context(), websocket.MessageText, []byte(m)); err != nil {
				t.Fatal(err)
			}
		}
	}
	phone, err := connect(true)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = phone.CloseNow() }()
	start(phone)
	if _, m, err := phone.Read(t.Context()); err != nil || !strings.Contains(string(m), audioOf(1, 160)) {
		t.Fatalf("the phone got %q, %v, want the audio", m, err)
	}
	if init := <-inits; !strings.Contains(init, "token-of-"+call.ID.String()) {
		t.Errorf("the opening carries no call token: %s", init)
	}

	line, found, err := h.LineByCall(t.Context(), call.ID)
	if err != nil || !found || line.Person.ID.Known() || line.Person.Name != "" || line.Call.PersonID.Known() || line.Call.Whose() != ada.ID {
		t.Errorf("line by call before anybody has said who they are: %+v, %t, %v", line, found, err)
	}
	if line, found, _ = h.LineByPhone(t.Context(), ada.Phone); !found || line.Person.Name != "" {
		t.Errorf("line by phone before that: %+v, %t", line, found)
	}
	if _, err := h.Verify(t.Context(), call.ID, calls.Presumed); err != nil {
		t.Fatal(err)
	}
	line, found, err = h.LineByCall(t.Context(), call.ID)
	if err != nil || !found || line.Person.ID != ada.ID || line.ConversationID != "conv_1" {
		t.Errorf("line by call: %+v, %t, %v", line, found, err)
	}
	if _, found, _ = h.LineByPerson(t.Context(), ada.ID); !found {
		t.Error("no line by person")
	}
	if _, found, _ = h.LineByPhone(t.Context(), ada.Phone); !found {
		t.Error("no line by phone")
	}

	replay, err := connect(true)
	if err != nil {
		t.Fatal(err)
	}
	start(replay)
	if _, _, err := replay.Read(t.Context()); websocket.CloseStatus(err) != websocket.StatusPolicyViolation {
		t.Errorf("a replayed token ends with %v, want close 1008", err)
	}
	_ = replay.CloseNow()

	lc, here := h.live.get(call.ID)
	if !here {
		t.Fatal("the call is not live")
	}
	_ = phone.Write(t.Context(), websocket.MessageText, []byte(`{"event":"stop","streamSid":"MZ01","stop":{"callSid":"CA01"}}`))
	lc.carrierEnded(calls.StatusCompleted)
	<-lc.done

	ended := h.call(call.ID)
	if want := (calls.Ending{Outcome: calls.OutcomeReached, Cause: causeHungUp, By: byPerson}); ended.Ending == nil || *ended.Ending != want {
		t.Errorf("ending %+v, want %+v", ended.Ending, want)
	}
	if ended.ConversationID != "conv_1" || ended.FirstWordMS == nil {
		t.Errorf("conversation %q, first word %v", ended.ConversationID, ended.FirstWordMS)
	}
	lines, err := h.st.Transcript(t.Context(), call.ID)
	if err != nil || len(lines) != 2 || lines[0].Text != "Good morning." || lines[1].Text != "hello" {
		t.Errorf("transcript %+v, %v", lines, err)
	}
	events, err := h.st.EventsAfter(t.Context(), call.ID, 0)
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, e := range events {
		kinds = append(kinds, e.Kind)
	}
	for _, kind := range []string{"stream_started", "conversation_started", "first_word", "heard", "ended"} {
		if !slices.Contains(kinds, kind) {
			t.Errorf("no event %s in %v", kind, kinds)
		}
	}
	if _, found, err := h.LineByCall(t.Context(), call.ID); found || err != nil {
		t.Errorf("a call that ended is found: %v", err)
	}
	if err := h.Drain(t.Context()); err != nil {
		t.Error(err)
	}
}
