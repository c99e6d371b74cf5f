package api

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/memories"
	"github.com/naiber/naiber/telephony"
)

func TestPlaceCall(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	ada := r.person("Ada", "+15550100123")
	got := r.ok(http.StatusAccepted, http.MethodPost, "/call", `{"userId":"`+ada+`","callType":"general","reason":"birthday"}`)
	if !strings.HasPrefix(got.get("callSid").String(), "CA") || got.get("status").String() != "queued" || got.get("callId").String() == "" {
		t.Errorf("answer = %s", got.body)
	}
	call := r.ok(http.StatusOK, http.MethodGet, "/api/v1/calls/"+got.get("callId").String(), "")
	if call.get("reason").String() != "birthday" || call.get("userId").String() != ada || call.get("callType").String() != "general" {
		t.Errorf("call = %s", call.body)
	}
	r.person("Bo", "+15550100124")
	r.ok(http.StatusAccepted, http.MethodPost, "/call", `{"phone":"+1 555 010 0124","callType":"health_check"}`)
}

func TestIdempotencyKey(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	body := `{"userId":"` + r.person("Ada", "+15550100123") + `","callType":"general"}`
	first := r.ok(http.StatusAccepted, http.MethodPost, "/call", body, "Idempotency-Key", "k1")
	again := r.ok(http.StatusAccepted, http.MethodPost, "/call", body, "Idempotency-Key", "k1")
	if first.body != again.body || r.made.Load() != 1 {
		t.Errorf("%d calls: %s and %s", r.made.Load(), first.body, again.body)
	}
	other := strings.Replace(body, "general", "cognitive", 1)
	got := r.problem(http.StatusUnprocessableEntity, http.MethodPost, "/call", other, "Idempotency-Key", "k1")
	if at := got.get("errors.0.location").String(); at != "header.Idempotency-Key" {
		t.Errorf("location = %s", at)
	}
	r.problem(http.StatusBadRequest, http.MethodPost, "/call", body, "Idempotency-Key", "k\xff")
	r.problem(http.StatusUnprocessableEntity, http.MethodPost, "/call", body, "Idempotency-Key", strings.Repeat("k", 201))
}

func TestGateRefusesByRule(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 3, 2, 15, 30, 0, 0, time.UTC) // 12:00 in Newfoundland
	for _, tt := range []struct {
		name   string
		change func(*telephony.Config)
		before func(r *rig, me string)
		status int
		rule   string
		until  string
	}{
		{"no consent", nil, func(r *rig, me string) {
			r.ok(http.StatusOK, http.MethodDelete, me+"/consents/calls", "")
		}, 422, "no_consent", ""},
		{"opted out", nil, func(r *rig, me string) {
			r.ok(http.StatusOK, http.MethodPatch, me, `{"optedOut":true}`)
		}, 422, "opted_out", ""},
		{"paused until lifted", nil, func(r *rig, me string) {
			r.ok(http.StatusCreated, http.MethodPost, me+"/pauses", `{"startsAt":"2026-03-01T00:00:00Z","indefinite":true}`)
		}, 422, "paused", ""},
		{"paused for a week", nil, func(r *rig, me string) {
			r.ok(http.StatusCreated, http.MethodPost, me+"/pauses", `{"startsAt":"2026-03-01T00:00:00Z","endsAt":"2026-03-08T12:00:00Z"}`)
		}, 409, "paused", "2026-03-08T12:00:00Z"},
		{"quiet hours", nil, func(r *rig, me string) {
			r.ok(http.StatusOK, http.MethodPatch, me, `{"quietHours":{"start":"11:00","end":"14:00"}}`)
		}, 409, "quiet_hours", "2026-03-02T17:30:00Z"},
		{"second live call", nil, func(r *rig, me string) { r.dial(strings.TrimPrefix(me, "/api/v1/people/")) }, 409, "live_call", ""},
		{"daily cap", func(c *telephony.Config) { c.DailyCap = 0 }, nil, 409, "daily_cap", "2026-03-03T03:30:00Z"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, func(c *telephony.Config) {
				c.Now = func() time.Time { return noon }
				if tt.change != nil {
					tt.change(c)
				}
			})
			ada := r.person("Ada", "+15550100123")
			if tt.before != nil {
				tt.before(r, "/api/v1/people/"+ada)
			}
			before, made := r.rows(), r.made.Load()
			got := r.problem(tt.status, http.MethodPost, "/call", `{"userId":"`+ada+`","callType":"general"}`)
			if got.get("rule").String() != tt.rule || got.get("until").String() != tt.until {
				t.Errorf("refusal = %s, want %s until %q", got.body, tt.rule, tt.until)
			}
			if r.rows() != before || r.made.Load() != made {
				t.Error("the refused call left something behind")
			}
		})
	}
}

func TestSharedTelephoneNeedsAName(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	r.person("Ada", "+15550100123")
	r.person("Augustus", "+15550100123")
	got := r.problem(http.StatusUnprocessableEntity, http.MethodPost, "/call", `{"phone":"+15550100123","callType":"general"}`)
	if at := got.get("errors.0.location").String(); at != "body.phone" {
		t.Errorf("location = %s", at)
	}
}

func TestCarrierRefuses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		code   int64 // of Twilio's error
		status int
	}{
		{"the number", 21211, 422},
		{"our settings", 21212, 502},
		{"the wish", 29999, 502},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, nil)
			r.refuses.Store(tt.code)
			r.problem(tt.status, http.MethodPost, "/call", `{"userId":"`+r.person("Ada", "+15550100123")+`","callType":"general"}`)
		})
	}
}

func TestCallWithAllThatIsKept(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	ada := r.person("Ada", "+15550100123")
	id := r.dial(ada)
	path := "/api/v1/calls/" + id.String()
	fresh := r.ok(http.StatusOK, http.MethodGet, path, "")
	for field, want := range map[string]string{
		"status": "queued", "transcript": "[]", "topics": "[]", "turns": "[]", "summary": "", "outcome": "", "endedAt": "", "direction": "outbound",
	} {
		if got := fresh.get(field).String(); got != want {
			t.Errorf("fresh call: %s = %s, want %s", field, got, want)
		}
	}
	r.conversation(id, ada)
	got := r.ok(http.StatusOK, http.MethodGet, path, "")
	for field, want := range map[string]string{
		"id": id.String(), "userId": ada, "callType": "general", "status": "completed", "outcome": "reached", "endedCause": "hung_up",
		"endedBy": "person", "conversationId": "conv_1", "answeredBy": "human", "firstWordMs": "420",
		"transcript.#.role": `["assistant","user"]`, "transcript.#.text": `["Hello, A","Hello!"]`, "transcript.0.intended": "Hello, Ada!",
		"summary": "Ada is well.", "topics.#.label": `["Whist"]`, "topics.0.mentions": "2",
		"turns.#": "1", "turns.0.ttftMs": "12.5", "turns.0.durationMs": "30", "turns.0.place": "1", "turns.0.kind": "speech",
		"turns.0.outcome": "spoken", "turns.0.heard": "Hello!", "turns.0.reply": "How are you?", "turns.0.persona": "general", "turns.0.model": "m1",
	} {
		if v := got.get(field).String(); v != want {
			t.Errorf("%s = %s, want %s", field, v, want)
		}
	}
	for _, field := range []string{"startedAt", "answeredAt", "endedAt", "transcript.0.at", "turns.0.at", "topics.0.lastMentionedAt"} {
		if !strings.HasSuffix(got.get(field).String(), "Z") {
			t.Errorf("%s = %q is not in UTC", field, got.get(field))
		}
	}
	if topics := r.ok(http.StatusOK, http.MethodGet, "/api/v1/people/"+ada, "").get("topics.#.label").String(); topics != `["Whist"]` {
		t.Errorf("the person's topics = %s", topics)
	}
}

// conversation writes what a whole call leaves behind.
func (r *rig) conversation(id store.CallID, person string) {
	r.t.Helper()
	ctx := r.t.Context()
	must := func(err error) {
		r.t.Helper()
		if err != nil {
			r.t.Fatal(err)
		}
	}
	pid, err := store.ParsePersonID(person)
	must(err)
	_, _, err = r.st.FoldStatus(ctx, id, calls.StatusInProgress, time.Now())
	must(err)
	must(r.st.SetAnsweredBy(ctx, id, "human"))
	must(r.st.AddConversation(ctx, id, "conv_1"))
	must(r.st.SetFirstWord(ctx, id, 420*time.Millisecond))
	_, err = r.st.AddUtterance(ctx, calls.Utterance{CallID: id, Role: calls.RoleAssistant, Text: "Hello, Ada!", ConversationID: "conv_1", EventID: 1, At: time.Now()})
	must(err)
	_, err = r.st.CorrectUtterance(ctx, id, "conv_1", 1, "", "Hello, A")
	must(err)
	_, err = r.st.AddUtterance(ctx, calls.Utterance{CallID: id, Role: calls.RoleUser, Text: "Hello!", ConversationID: "conv_1", EventID: 2, At: time.Now()})
	must(err)
	turn := calls.Turn{ID: store.NewTurnID(), CallID: id, ConversationID: "conv_1", Place: 1, Attempt: 1, Kind: calls.TurnSpeech, Heard: "Hello!", Persona: "general", At: time.Now()}
	must(r.st.StartTurn(ctx, turn))
	must(r.st.FinishTurn(ctx, turn.ID, calls.TurnResult{
		Reply: "How are you?", Outcome: calls.TurnSpoken, Model: "m1", TTFT: 12500 * time.Microsecond, Duration: 30 * time.Millisecond,
	}))
	r.end(id)
	must(r.st.SaveSummary(ctx, nil, memories.Summary{CallID: id, PersonID: pid, Text: "Ada is well.", Model: "m1"}))
	must(r.st.SaveTopics(ctx, pid, id, time.Now(), []memories.TopicMention{{Label: "Whist", Mentions: 2}}))
}

func TestHangUp(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	path := "/api/v1/calls/" + r.dial(r.person("Ada", "+15550100123")).String()
	got := r.ok(http.StatusAccepted, http.MethodPost, path+"/hangup", "")
	if got.body != "" || got.header.Get("Content-Length") != "0" {
		t.Errorf("answer = %q, %v", got.body, got.header)
	}
	ended := r.ok(http.StatusOK, http.MethodGet, path, "")
	if ended.get("endedAt").String() == "" || ended.get("endedCause").String() != "operator" {
		t.Errorf("call = %s", ended.body)
	}
	before := r.rows()
	r.problem(http.StatusConflict, http.MethodPost, path+"/hangup", "")
	if r.rows() != before {
		t.Error("hanging up twice changed something")
	}
}

func TestListCalls(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	ada, bo := r.person("Ada", "+15550100123"), r.person("Bo", "+15550100124")
	var want []string // newest first
	for range 3 {
		id := r.dial(ada)
		r.end(id)
		want = slices.Insert(want, 0, id.String())
	}
	live := r.dial(bo).String()
	got, pages := r.pages("/api/v1/calls?limit=2&userId=" + ada)
	if !slices.Equal(got, want) || pages != 2 {
		t.Errorf("Ada's calls = %v in %d pages, want %v in 2", got, pages, want)
	}
	if got, pages := r.pages("/api/v1/calls?limit=4"); !slices.Equal(got, slices.Insert(want, 0, live)) || pages != 1 {
		t.Errorf("all calls = %v in %d pages", got, pages)
	}
	for status, n := range map[string]int64{"queued": 1, "canceled": 3, "completed": 0} { // they ended before anybody answered
		if got := r.ok(http.StatusOK, http.MethodGet, "/api/v1/calls?status="+status, "").get("items.#").Int(); got != n {
			t.Errorf("%s calls = %d, want %d", status, got, n)
		}
	}
}
