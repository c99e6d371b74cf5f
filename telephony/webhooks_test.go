package telephony

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/telephony/elevenlabs"
	"github.com/naiber/naiber/telephony/twilio"
)

func TestWebhooksAreLocked(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	c := h.place(h.person("Ada", "+15550100123"))
	before := h.kinds(c.ID)
	form := url.Values{
		"CallSid": {c.SID}, "CallStatus": {"completed"}, "AnsweredBy": {"machine_end_beep"}, "From": {"+15550100123"},
		"StreamEvent": {"stream-error"},
	}
	for _, route := range []string{routeVoice, routeStatus, routeAMD, routeReconnect, routeStream} {
		target := route + "?call=" + c.ID.String()
		for name, signature := range map[string]string{
			"none":        "",
			"wrong key":   twilio.Sign("54321", houseURL+target, form),
			"other route": twilio.Sign(houseToken, houseURL+"/twilio/other?call="+c.ID.String(), form),
			"other body":  twilio.Sign(houseToken, houseURL+target, url.Values{"CallSid": {c.SID}}),
		} {
			w := h.deliver(target, form, signature)
			if w.Code != http.StatusForbidden || strings.TrimSpace(w.Body.String()) != "Forbidden" {
				t.Errorf("%s, signature %s: %d %q", route, name, w.Code, w.Body)
			}
		}
		big := httptest.NewRequestWithContext(t.Context(), http.MethodPost, target, strings.NewReader(strings.Repeat("a", 10<<20)))
		big.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		w := httptest.NewRecorder()
		h.web.ServeHTTP(w, big)
		if w.Code != http.StatusRequestEntityTooLarge {
			t.Errorf("%s, 10 MB: %d", route, w.Code)
		}
		if w := h.hook(target); w.Code != http.StatusBadRequest {
			t.Errorf("%s, no call named: %d", route, w.Code)
		}
	}
	h.ended(c.ID, nil)
	if got := h.kinds(c.ID); !slices.Equal(got, before) {
		t.Errorf("timeline grew to %v", got)
	}
	if n := counted(t, h.metrics.webhooks.WithLabelValues(routeStatus, "signature")); n != 4 {
		t.Errorf("rejections counted: %v", n)
	}
}

func TestStatusesFold(t *testing.T) {
	t.Parallel()
	reached := &calls.Ending{Outcome: calls.OutcomeReached, Cause: causeHungUp, By: byPerson}
	for _, c := range []struct {
		name     string
		statuses []string
		heard    []string
		want     *calls.Ending
		status   calls.CallStatus
		timeline []string // beyond queued and dialled
	}{
		{
			"in order",
			[]string{"initiated", "ringing", "in-progress", "completed"},
			[]string{"Hello?"},
			reached, calls.StatusCompleted,
			[]string{"initiated", "ringing", "answered", "ended"},
		},
		{
			"out of order",
			[]string{"in-progress", "ringing", "completed", "initiated", "in-progress"},
			[]string{"Hello?"},
			reached, calls.StatusCompleted,
			[]string{"answered", "ended"},
		},
		{
			"each of them twice",
			[]string{"ringing", "ringing", "in-progress", "in-progress", "completed", "completed"},
			[]string{"Hello?"},
			reached, calls.StatusCompleted,
			[]string{"ringing", "answered", "ended"},
		},
		{
			"answered, and nobody spoke",
			[]string{"in-progress", "completed"},
			[]string{"..."},
			&calls.Ending{Outcome: calls.OutcomeSilent, Cause: causeHungUp, By: byPerson}, calls.StatusCompleted,
			[]string{"answered", "ended"},
		},
		{
			"busy",
			[]string{"ringing", "busy"},
			nil,
			&calls.Ending{Outcome: calls.OutcomeBusy, Cause: causeBusy, By: byPerson}, calls.StatusBusy,
			[]string{"ringing", "ended"},
		},
		{
			"nobody home",
			[]string{"no-answer", "ringing"},
			nil,
			&calls.Ending{Outcome: calls.OutcomeNoAnswer, Cause: causeNoAnswer, By: byPerson}, calls.StatusNoAnswer,
			[]string{"ended"},
		},
		{
			"failed",
			[]string{"failed", "completed"},
			nil,
			&calls.Ending{Outcome: calls.OutcomeFailed, Cause: causeFailed, By: byTwilio}, calls.StatusFailed,
			[]string{"ended"},
		},
		{
			"canceled",
			[]string{"canceled"},
			nil,
			&calls.Ending{Outcome: calls.OutcomeCanceled, Cause: causeCanceled, By: byNaiber}, calls.StatusCanceled,
			[]string{"ended"},
		},
		{"a word we do not know", []string{"levitating"}, nil, nil, calls.StatusQueued, nil},
		{"under way", []string{"in-progress"}, nil, nil, calls.StatusInProgress, []string{"answered"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t, nil)
			call := h.place(h.person("Ada", "+15550100123"))
			for _, text := range c.heard {
				h.says(call.ID, calls.RoleUser, text)
			}
			for _, s := range c.statuses {
				h.status(call, s)
			}
			h.ended(call.ID, c.want)
			if got := h.call(call.ID).Status; got != c.status {
				t.Errorf("status = %s, want %s", got, c.status)
			}
			if got, want := h.kinds(call.ID), append([]string{"queued", "dialled"}, c.timeline...); !slices.Equal(got, want) {
				t.Errorf("timeline = %v, want %v", got, want)
			}
			if c.want != nil {
				if n := counted(t, h.metrics.endings.WithLabelValues(c.want.Cause, c.want.By)); n != 1 {
					t.Errorf("endings counted: %v", n)
				}
			}
		})
	}
}

// What follows a call exists exactly when its ending does.
func TestEndingAndPostCallAreOne(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	c := h.place(h.person("Ada", "+15550100123"))
	if err := h.st.AddConversation(t.Context(), c.ID, "conv_1"); err != nil {
		t.Fatal(err)
	}
	h.status(c, "in-progress")
	h.says(c.ID, calls.RoleUser, "Hello?")
	h.post.err = store.ErrConflict
	w := h.hook("/twilio/status?call="+c.ID.String(), "CallSid", c.SID, "CallStatus", "completed")
	if w.Code != http.StatusInternalServerError {
		t.Errorf("answered %d, want 500 so that Twilio comes again", w.Code)
	}
	h.ended(c.ID, nil)

	h.post.err = nil
	h.status(c, "completed") // Twilio comes again
	h.status(c, "completed")
	h.ended(c.ID, &calls.Ending{Outcome: calls.OutcomeReached, Cause: causeHungUp, By: byPerson})
	if h.post.count() != 1 {
		t.Errorf("%d post-call jobs", h.post.count())
	}
	if got := h.kinds(c.ID); !slices.Equal(got[len(got)-2:], []string{"ended", "post_call_scheduled"}) {
		t.Errorf("timeline = %v", got)
	}
}

// The timeline explains a completed call better than its status does.
func TestGoodbyeBeforeCompleted(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	c := h.place(h.person("Ada", "+15550100123"))
	h.says(c.ID, calls.RoleUser, "Goodbye then.")
	h.note(t.Context(), c.ID, "goodbye", "", map[string]any{"reason": causeGoodbye})
	h.status(c, "completed")
	h.ended(c.ID, &calls.Ending{Outcome: calls.OutcomeReached, Cause: causeGoodbye, By: byNaiber})
}

// Without consent to recording the timeline says that somebody spoke, not what.
func TestReachedWithoutRecording(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	c := h.place(h.person("Ada", "+15550100123", people.ScopeRecording))
	h.note(t.Context(), c.ID, "heard", "", map[string]any{"role": "assistant"})
	h.note(t.Context(), c.ID, "heard", "", map[string]any{"role": "user"})
	h.status(c, "completed")
	h.ended(c.ID, &calls.Ending{Outcome: calls.OutcomeReached, Cause: causeHungUp, By: byPerson})
}

func TestStatusBringsTheSID(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	h.carrier.onCreate = func(_ int, w http.ResponseWriter) (bool, bool) {
		w.WriteHeader(http.StatusServiceUnavailable)
		return true, false
	}
	c, err := h.Place(t.Context(), PlaceRequest{PersonID: h.person("Ada", "+15550100123").ID, Type: calls.CallGeneral})
	if err == nil {
		t.Fatal("placed")
	}
	c.SID = "CA77"
	h.status(c, "ringing")
	if got := h.call(c.ID); got.SID != "CA77" || got.Status != calls.StatusRinging {
		t.Errorf("call = %+v", got)
	}
	// A second telephone call for the same wish is hung up.
	double := c
	double.SID = "CA78"
	h.status(double, "ringing")
	if got := h.carrier.asked(); !slices.Equal(got, []string{"CA78 completed"}) {
		t.Errorf("asked %v", got)
	}
	h.status(double, "completed")
	h.ended(c.ID, nil)
}

func TestStatusOfNoCallOfOurs(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	for _, target := range []string{
		"/twilio/status", "/twilio/status?call=" + store.NewCallID().String(), "/twilio/status?call=nonsense",
	} {
		if w := h.hook(target, "CallSid", "CA404", "CallStatus", "completed"); w.Code != http.StatusNoContent {
			t.Errorf("%s: %d", target, w.Code)
		}
	}
}

func TestAnsweredBy(t *testing.T) {
	t.Parallel()
	voicemail := &calls.Ending{Outcome: calls.OutcomeVoicemail, Cause: causeVoicemail, By: byNaiber}
	reached := &calls.Ending{Outcome: calls.OutcomeReached, Cause: causeHungUp, By: byPerson}
	for _, c := range []struct {
		name, answeredBy string
		heard            []string
		asked            string // the start of what Twilio is asked to do, without the sid
		end              *calls.Ending
	}{
		{"a person", "human", []string{"Hello?"}, "", reached},
		{"too early to say", "machine_start", []string{"Hello?"}, "", reached},
		{"nobody can say", "unknown", []string{"Hello?"}, "", reached},
		{"a machine", "machine_end_beep", []string{"You have reached the Examples."}, "<?xml", voicemail},
		{"a quiet machine", "machine_end_silence", nil, "<?xml", voicemail},
		{"a machine that talks with us", "machine_end_other", []string{"Hello?", "Yes, I am well."}, "", reached},
		{"a fax", "fax", nil, "completed", voicemail},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t, nil)
			call := h.place(h.person("Ada", "+15550100123"))
			h.status(call, "in-progress")
			for _, text := range c.heard {
				h.says(call.ID, calls.RoleUser, text)
			}
			for range 2 {
				w := h.hook("/twilio/amd?call="+call.ID.String(), "CallSid", call.SID, "AnsweredBy", c.answeredBy)
				if w.Code != http.StatusNoContent {
					t.Fatalf("answered %d", w.Code)
				}
			}
			asked := h.carrier.asked()
			if c.asked == "" && len(asked) != 0 || c.asked != "" && (len(asked) != 1 || !strings.HasPrefix(asked[0], call.SID+" "+c.asked)) {
				t.Errorf("asked %q, want %q", asked, c.asked)
			}
			if c.asked == "<?xml" {
				if !strings.Contains(asked[0], "<Say") || !strings.Contains(asked[0], "<Hangup>") || strings.Contains(asked[0], "Ada") {
					t.Errorf("message is %s", asked[0])
				}
			}
			h.ended(call.ID, nil)
			h.status(call, "completed")
			h.ended(call.ID, c.end)
			if got := h.call(call.ID).AnsweredBy; got != c.answeredBy {
				t.Errorf("answered by %q", got)
			}
		})
	}
}

func TestMessageThatCannotBeLeft(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	c := h.place(h.person("Ada", "+15550100123"))
	h.carrier.onUpdate = func(w http.ResponseWriter) bool {
		fault(w, http.StatusBadRequest, 21218)
		h.carrier.onUpdate = nil
		return true
	}
	h.hook("/twilio/amd?call="+c.ID.String(), "CallSid", c.SID, "AnsweredBy", "machine_end_beep")
	if asked := h.carrier.asked(); len(asked) != 2 || asked[1] != c.SID+" completed" {
		t.Errorf("asked %q", asked)
	}
}

func TestStreamStatusIsKept(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	c := h.place(h.person("Ada", "+15550100123"))
	for range 2 {
		h.hook("/twilio/stream?call="+c.ID.String(), "CallSid", c.SID, "StreamSid", "MZ1", "StreamEvent", "stream-error", "StreamError", "31920")
	}
	if got := h.kinds(c.ID); !slices.Equal(got, []string{"queued", "dialled", "stream_status"}) {
		t.Errorf("timeline = %v", got)
	}
}

func TestInbound(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	ada := h.person("Ada", "+15550100123")
	if err := h.st.OptOut(t.Context(), ada.ID, "test"); err != nil { // not to be phoned; she may phone
		t.Fatal(err)
	}
	h.person("Bo", "+15550100124")
	h.person("Cleo", "+15550100124")
	for _, c := range []struct {
		name, from, phone string
		believed          store.PersonID
	}{
		{"a person we know", "+15550100123", "+15550100123", ada.ID},
		{"a shared number", "+15550100124", "+15550100124", store.PersonID{}},
		{"a strange number", "+15550100777", "+15550100777", store.PersonID{}},
		{"no number", "anonymous", withheld, store.PersonID{}},
		{"an address", "sip:ada@example.org", withheld, store.PersonID{}},
	} {
		sid := "CA" + c.name
		var tokens []string
		for range 2 { // Twilio may ask twice
			w := h.hook("/twilio/voice", "CallSid", sid, "From", c.from, "To", houseNumber, "CallStatus", "ringing", "Direction", "inbound")
			if w.Code != http.StatusOK || w.Header().Get("Content-Type") != twilio.TwiMLContentType {
				t.Fatalf("%s: %d %s", c.name, w.Code, w.Body)
			}
			token, redirect := readConnect(t, w.Body.String())
			if !strings.Contains(redirect, "/twilio/reconnect?call=") {
				t.Errorf("%s: redirect %q", c.name, redirect)
			}
			tokens = append(tokens, token)
		}
		got, err := h.st.CallBySID(t.Context(), sid)
		if err != nil {
			t.Fatal(err)
		}
		if got.PersonID.Known() || got.BelievedID != c.believed || got.Phone != c.phone || got.Direction != calls.Inbound ||
			got.Type != calls.CallGeneral || got.Status != calls.StatusInProgress || got.AnsweredAt == nil {
			t.Errorf("%s: %+v", c.name, got)
		}
		if kinds := h.kinds(got.ID); !slices.Equal(kinds, []string{"queued", "answered"}) {
			t.Errorf("%s: timeline %v", c.name, kinds)
		}
		if opened, err := h.st.TakeStreamToken(t.Context(), tokens[1]); err != nil || opened.ID != got.ID {
			t.Errorf("%s: the token opens %v, %v", c.name, opened.ID, err)
		}
	}
	// Ada, from a second telephone with the same number.
	w := h.hook("/twilio/voice", "CallSid", "CA2", "From", ada.Phone, "CallStatus", "ringing")
	if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "already have a call") || strings.Contains(w.Body.String(), "Stream") {
		t.Errorf("second call: %d %s", w.Code, w.Body)
	}
	// The number's own status callback carries no id of ours.
	w = h.hook("/twilio/status", "CallSid", "CAno number", "CallStatus", "completed", "CallDuration", "3")
	if w.Code != http.StatusNoContent {
		t.Errorf("status of an inbound call: %d", w.Code)
	}
	c, err := h.st.CallBySID(t.Context(), "CAno number")
	if err != nil {
		t.Fatal(err)
	}
	h.ended(c.ID, &calls.Ending{Outcome: calls.OutcomeSilent, Cause: causeHungUp, By: byPerson})
	w = h.hook("/twilio/voice", "CallSid", "CAno number", "From", "anonymous", "CallStatus", "ringing")
	if strings.Contains(w.Body.String(), "Stream") || !strings.Contains(w.Body.String(), "<Hangup>") {
		t.Errorf("a call that ended is answered again: %s", w.Body)
	}
}

func TestReconnect(t *testing.T) {
	t.Parallel()
	h := newHouse(t, func(c *Config) { c.ReconnectLimit = 2 })
	c := h.place(h.person("Ada", "+15550100123"))
	h.status(c, "in-progress")
	h.says(c.ID, calls.RoleUser, "The tulips are up.")
	again := func() string {
		t.Helper()
		w := h.hook("/twilio/reconnect?call="+c.ID.String(), "CallSid", c.SID, "CallStatus", "in-progress")
		if w.Code != http.StatusOK {
			t.Fatalf("answered %d", w.Code)
		}
		return w.Body.String()
	}
	for i := range 2 {
		token, _ := readConnect(t, again())
		got, err := h.st.TakeStreamToken(t.Context(), token)
		if err != nil || got.ID != c.ID || got.Reconnects != i+1 {
			t.Errorf("attempt %d: %+v, %v", i+1, got, err)
		}
	}
	sorry := again()
	if !strings.Contains(sorry, "the line keeps breaking") || !strings.Contains(sorry, "<Hangup>") {
		t.Errorf("at the limit: %s", sorry)
	}
	h.ended(c.ID, &calls.Ending{Outcome: calls.OutcomeReached, Cause: causeStreamLost, By: byTwilio})
	if after := again(); strings.Contains(after, "Say") || strings.Contains(after, "Stream") || !strings.Contains(after, "<Hangup>") {
		t.Errorf("after the end: %s", after)
	}
	if got := h.kinds(c.ID); !slices.Equal(got, []string{"queued", "dialled", "answered", "reconnecting", "reconnecting", "ended"}) {
		t.Errorf("timeline = %v", got)
	}
}

func TestReconnectAfterANormalEnd(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	c := h.place(h.person("Ada", "+15550100123"))
	if err := h.finish(t.Context(), c.ID, endingOf(causeGoodbye, "", 3)); err != nil {
		t.Fatal(err)
	}
	for _, target := range []string{
		"/twilio/reconnect?call=" + c.ID.String(), "/twilio/reconnect?call=" + store.NewCallID().String(), "/twilio/reconnect",
	} {
		w := h.hook(target, "CallSid", c.SID, "CallStatus", "in-progress")
		if w.Code != http.StatusOK || strings.Contains(w.Body.String(), "Say") || !strings.Contains(w.Body.String(), "<Hangup>") {
			t.Errorf("%s: %d %s", target, w.Code, w.Body)
		}
	}
}

func transcription(conversation string) string {
	b, err := json.Marshal(map[string]any{
		"type": "post_call_transcription", "event_timestamp": 1739537297,
		"data": map[string]any{
			"agent_id": "agent_1", "conversation_id": conversation, "status": "done",
			"metadata": map[string]any{"start_time_unix_secs": 1739537200},
			"transcript": []map[string]any{
				{"role": "agent", "message": "Good morning, Ada.", "time_in_call_secs": 0},
				{"role": "user", "message": "Hello.", "time_in_call_secs": 3},
				{"role": "user", "message": "...", "time_in_call_secs": 9},
				{"role": "agent", "message": nil, "time_in_call_secs": 10},
			},
		},
	})
	if err != nil {
		panic(err)
	}
	return string(b)
}

func TestPostCallWebhook(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	begin := func(name, phone, conversation string, without ...people.Scope) calls.Call {
		t.Helper()
		c := h.place(h.person(name, phone, without...))
		if err := h.st.AddConversation(t.Context(), c.ID, conversation); err != nil {
			t.Fatal(err)
		}
		return c
	}
	deliver := func(body string, want int) {
		t.Helper()
		if w := h.postCall(body, elevenlabs.SignWebhook(houseSecret, []byte(body), time.Now())); w.Code != want {
			t.Errorf("answered %d, want %d", w.Code, want)
		}
	}
	lines := func(c calls.Call) []string {
		t.Helper()
		transcript, err := h.st.Transcript(t.Context(), c.ID)
		if err != nil {
			t.Fatal(err)
		}
		var texts []string
		for _, u := range transcript {
			texts = append(texts, string(u.Role)+": "+u.Text)
		}
		return texts
	}
	filled := []string{"assistant: Good morning, Ada.", "user: Hello."}

	ada := begin("Ada", "+15550100123", "conv_a")
	for range 3 {
		deliver(transcription("conv_a"), http.StatusOK)
	}
	if got := lines(ada); !slices.Equal(got, filled) {
		t.Errorf("an empty transcript became %q", got)
	}
	if got := h.kinds(ada.ID); !slices.Equal(got, []string{"queued", "dialled", "voice_service_report"}) {
		t.Errorf("timeline = %v", got)
	}

	bo := begin("Bo", "+15550100124", "conv_b")
	if _, err := h.st.AddUtterance(t.Context(), calls.Utterance{
		CallID: bo.ID, Role: calls.RoleUser, Text: "Ours.", ConversationID: "conv_b", At: time.Now(),
	}); err != nil {
		t.Fatal(err)
	}
	deliver(transcription("conv_b"), http.StatusOK)
	if got := lines(bo); !slices.Equal(got, []string{"user: Ours."}) {
		t.Errorf("our transcript became %q", got)
	}

	cleo := begin("Cleo", "+15550100125", "conv_c", people.ScopeRecording)
	deliver(transcription("conv_c"), http.StatusOK)
	if got := lines(cleo); len(got) != 0 {
		t.Errorf("kept without consent: %q", got)
	}

	deliver(transcription("conv_unknown"), http.StatusOK)
	deliver(`{"type":"post_call_audio","data":{"conversation_id":"conv_a","full_audio":"AAAA"}}`, http.StatusOK)
	deliver(`{"type":"brand_new","data":{}}`, http.StatusOK)
	deliver(`{"type":`, http.StatusBadRequest)
	deliver(strings.Repeat("a", postCallLimit+1), http.StatusRequestEntityTooLarge)

	body := transcription("conv_a")
	for name, signature := range map[string]string{
		"none":    "",
		"wrong":   elevenlabs.SignWebhook("other", []byte(body), time.Now()),
		"old":     elevenlabs.SignWebhook(houseSecret, []byte(body), time.Now().Add(-time.Hour)),
		"another": elevenlabs.SignWebhook(houseSecret, []byte(body+" "), time.Now()),
	} {
		if w := h.postCall(body, signature); w.Code != http.StatusForbidden || strings.TrimSpace(w.Body.String()) != "Forbidden" {
			t.Errorf("signature %s: %d %s", name, w.Code, w.Body)
		}
	}
	if strings.Contains(h.log.String(), "Good morning") {
		t.Error("log holds what was said")
	}
}

// A delivery that ElevenLabs did not sign changes nothing, and one that claims no
// signature is not even read.
func TestPostCallWebhookIsLocked(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	c := h.place(h.person("Ada", "+15550100123"))
	if err := h.st.AddConversation(t.Context(), c.ID, "conv_a"); err != nil {
		t.Fatal(err)
	}
	before := h.kinds(c.ID)
	small, large := transcription("conv_a"), strings.Repeat("a", 10<<20)
	sign := func(secret elevenlabs.Secret, body string, age time.Duration) string {
		return elevenlabs.SignWebhook(secret, []byte(body), time.Now().Add(-age))
	}
	for _, tt := range []struct {
		name, body, signature string
		want                  int
		unread                bool
	}{
		{"no signature", small, "", http.StatusForbidden, true},
		{"no signature, 10 MB", large, "", http.StatusForbidden, true},
		{"no signature but a time", large, "t=" + strconv.FormatInt(time.Now().Unix(), 10), http.StatusForbidden, true},
		{"old, 10 MB", large, sign(houseSecret, large, time.Hour), http.StatusForbidden, true},
		{"another's secret", small, sign("other", small, 0), http.StatusForbidden, false},
		{"another body", small, sign(houseSecret, small+" ", 0), http.StatusForbidden, false},
		{"10 MB", large, sign(houseSecret, large, 0), http.StatusRequestEntityTooLarge, true},
		{"10 MB of an unknown length", large, sign(houseSecret, large, 0), http.StatusRequestEntityTooLarge, false},
		{"no JSON", `{"type":`, sign(houseSecret, `{"type":`, 0), http.StatusBadRequest, false},
	} {
		body := strings.NewReader(tt.body)
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/elevenlabs/webhook", body)
		r.Header.Set(elevenlabs.SignatureHeader, tt.signature)
		if strings.Contains(tt.name, "unknown length") {
			r.ContentLength = -1
		}
		w := httptest.NewRecorder()
		h.web.ServeHTTP(w, r)
		if w.Code != tt.want || strings.TrimSpace(w.Body.String()) != http.StatusText(tt.want) {
			t.Errorf("%s: %d %q, want %d", tt.name, w.Code, w.Body, tt.want)
		}
		if unread := body.Len() == len(tt.body); unread != tt.unread {
			t.Errorf("%s: %d of %d bytes are left", tt.name, body.Len(), len(tt.body))
		}
	}
	if got := h.kinds(c.ID); !slices.Equal(got, before) {
		t.Errorf("timeline grew to %v", got)
	}
	if lines, err := h.st.Transcript(t.Context(), c.ID); err != nil || len(lines) != 0 {
		t.Errorf("transcript = %v, %v", lines, err)
	}
}

func TestPostCallWebhookWithoutSecretIsNotRead(t *testing.T) {
	t.Parallel()
	h := newHouse(t, func(c *Config) { c.WebhookSecret = "" })
	body := transcription("conv_a")
	for _, secret := range []elevenlabs.Secret{"", "guessed"} {
		unread := strings.NewReader(body)
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/elevenlabs/webhook", unread)
		r.Header.Set(elevenlabs.SignatureHeader, elevenlabs.SignWebhook(secret, []byte(body), time.Now()))
		w := httptest.NewRecorder()
		h.web.ServeHTTP(w, r)
		if w.Code != http.StatusForbidden || unread.Len() != len(body) {
			t.Errorf("answered %d with %d of %d bytes unread", w.Code, unread.Len(), len(body))
		}
	}
}
