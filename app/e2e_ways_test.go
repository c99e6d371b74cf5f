package app_test

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/naiber/naiber/app/sandbox/carrier"
)

// private is what is known of the people in these tests and nobody else may hear.
var private = []string{"Ada", "Winter", "Kilbride", "Tobias", "warfarin"}

func assertNothingPrivate(t *testing.T, heard string) {
	t.Helper()
	for _, fact := range private {
		if strings.Contains(heard, fact) {
			t.Errorf("heard %q, which tells %q", heard, fact)
		}
	}
}

// What may become of a call that is not answered by the person, or by a person
// at all. The calls share one house and go on side by side.
func TestWaysOfACall(t *testing.T) {
	t.Parallel()
	h := openHouse(t, houseOptions{env: map[string]string{"NAIBER_CALLS_RING_TIMEOUT": "5s"}})
	rings := h.sortRings()
	type scene struct {
		name  string
		play  func(t *testing.T, s scenery)
		want  callView
		talks bool // with nAIber: work follows the call
	}
	for _, sc := range []scene{
		{"voicemail", playVoicemail, callView{Status: "completed", Outcome: "voicemail", EndedCause: "voicemail", EndedBy: "naiber", AnsweredBy: "machine_end_beep"}, true},
		{"busy", playBusy, callView{Status: "busy", Outcome: "busy", EndedCause: "busy", EndedBy: "person"}, false},
		{"no answer", playNoAnswer, callView{Status: "no-answer", Outcome: "no_answer", EndedCause: "no_answer", EndedBy: "person"}, false},
		{"hung up without a word", playHangUp, callView{Status: "completed", Outcome: "silent", EndedCause: "hung_up", EndedBy: "person"}, true},
		{"hung up after a word", playWordAndHangUp, callView{Status: "completed", Outcome: "reached", EndedCause: "hung_up", EndedBy: "person"}, true},
		{"hung up by the operator", playOperator, callView{Status: "completed", Outcome: "reached", EndedCause: "operator", EndedBy: "operator"}, true},
		{"wants no more calls", playOptOut, callView{Status: "completed", Outcome: "reached", EndedCause: "opted_out", EndedBy: "person"}, true},
	} {
		t.Run(sc.name, func(t *testing.T) {
			t.Parallel()
			h := h.in(t)
			p := h.addPerson(nil)
			mine := rings(p.Phone)
			id := h.place(p)
			sc.play(t, scenery{h, p, id, mine})
			h.ended(id)
			c := await(h, "Twilio's last word on the call", func() (callView, bool) {
				c := h.call(id)
				return c, c.Status == sc.want.Status
			})
			got := callView{Status: c.Status, Outcome: c.Outcome, EndedCause: c.EndedCause, EndedBy: c.EndedBy, AnsweredBy: sc.want.AnsweredBy}
			if sc.want.AnsweredBy != "" {
				got.AnsweredBy = c.AnsweredBy
			}
			if gotJSON, wantJSON := shown(t, got), shown(t, sc.want); gotJSON != wantJSON {
				t.Errorf("the call is\n%s, want\n%s", gotJSON, wantJSON)
			}
			kinds, _ := timeline(t, h.db, id)
			jobs := 0
			if sc.talks && c.ConversationID != "" { // a machine may be found out before the conversation begins
				jobs = 1
			}
			if n := count(kinds, "post_call_scheduled"); n != jobs {
				t.Errorf("%d × work after the call, want %d: %v", n, jobs, kinds)
			}
		})
	}
}

func shown(t *testing.T, c callView) string {
	t.Helper()
	b, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// scenery is what a scene is played with.
type scenery struct {
	h     *house
	p     person
	id    string
	rings <-chan *carrier.Ring
}

func (s scenery) ring(t *testing.T) *carrier.Ring {
	t.Helper()
	select {
	case r := <-s.rings:
		return r
	case <-time.After(patience):
		t.Fatal("the telephone does not ring")
		return nil
	}
}

func (s scenery) answer(t *testing.T) *elder {
	t.Helper()
	set, err := s.ring(t).Answer()
	if err != nil {
		t.Fatal(err)
	}
	return listen(t, set)
}

func playVoicemail(t *testing.T, s scenery) {
	t.Helper()
	set, err := s.ring(t).AnswerAsMachine("Hello, this is nobody at home, please leave a message after the tone.")
	if err != nil {
		t.Fatal(err)
	}
	tape := listen(t, set)
	message := tape.hears(t, "automated call")
	assertNothingPrivate(t, message)
	if n := len(strings.Fields(message)); n > 60 {
		t.Errorf("the message has %d words, want a short one: %q", n, message)
	}
	tape.waitsForEnd(t)
}

func playBusy(t *testing.T, s scenery) {
	t.Helper()
	if err := s.ring(t).Reject(); err != nil {
		t.Error(err)
	}
}

func playNoAnswer(t *testing.T, s scenery) {
	t.Helper()
	if err := s.ring(t).Ignore(); err != nil {
		t.Error(err)
	}
}

func playHangUp(t *testing.T, s scenery) {
	t.Helper()
	ada := s.answer(t)
	ada.words(t, 5)
	ada.set.HangUp()
}

func playWordAndHangUp(t *testing.T, s scenery) {
	t.Helper()
	ada := s.answer(t)
	ada.hears(t, "Naiber")
	ada.answers(t, "I was just having my tea with honey.")
	ada.set.HangUp()
}

func playOperator(t *testing.T, s scenery) {
	t.Helper()
	ada := s.answer(t)
	ada.hears(t, "Naiber")
	ada.answers(t, "I was just having my tea with honey.")
	s.h.must(http.MethodPost, "/api/v1/calls/"+s.id+"/hangup", nil, nil)
	ada.waitsForEnd(t)
}

func playOptOut(t *testing.T, s scenery) {
	t.Helper()
	ada := s.answer(t)
	ada.hears(t, "Naiber")
	ada.says(t, "Please stop calling me.")
	ada.hears(t, "Shall I stop calling you")
	ada.says(t, "Yes, please.")
	ada.hears(t, "won't call you any more")
	ada.waitsForEnd(t)
	s.h.ended(s.id)
	s.h.refuses(s.p, http.StatusUnprocessableEntity, "opted_out", false)
}

// refuses checks that the gate refuses a call to p by rule, says until when,
// where that is known, and places none.
func (h *house) refuses(p person, status int, rule string, until bool) {
	h.t.Helper()
	var before, after struct{ Items []object }
	h.must(http.MethodGet, "/api/v1/calls?userId="+p.ID, nil, &before)
	code, text := h.request(http.MethodPost, "/call", object{"userId": p.ID, "callType": "general"}, nil)
	var problem struct {
		Rule   string
		Until  *time.Time
		Detail string
	}
	if err := json.Unmarshal([]byte(text), &problem); err != nil {
		h.t.Fatalf("refusal %d %s: %v", code, text, err)
	}
	if code != status || problem.Rule != rule || problem.Detail == "" || (problem.Until != nil) != until || until && !problem.Until.After(time.Now()) {
		h.t.Errorf("POST /call: %d %s; want %d, rule %s, until %v", code, text, status, rule, until)
	}
	h.must(http.MethodGet, "/api/v1/calls?userId="+p.ID, nil, &after)
	if len(after.Items) != len(before.Items) {
		h.t.Errorf("a refused call is on record: %d calls, before %d", len(after.Items), len(before.Items))
	}
}

// Every rule of the gate, asked over the API.
func TestGateRefusals(t *testing.T) {
	t.Parallel()
	h := openHouse(t, houseOptions{env: map[string]string{"NAIBER_CALLS_DAILY_CAP": "1"}})
	now := time.Now().UTC()
	clock := func(d time.Duration) string { return now.Add(d).Format("15:04") }
	conflict, unprocessable := http.StatusConflict, http.StatusUnprocessableEntity

	h.refuses(h.addPerson(object{"consent": object{"recording": true, "source": "form"}}), unprocessable, "no_consent", false)
	h.refuses(h.addPerson(object{"timezone": "UTC", "quietHours": object{"start": clock(-time.Hour), "end": clock(time.Hour)}}), conflict, "quiet_hours", true)

	paused := h.addPerson(nil)
	h.must(http.MethodPost, "/api/v1/people/"+paused.ID+"/pauses", object{"endsAt": now.Add(time.Hour), "reason": "hospital"}, nil)
	h.refuses(paused, conflict, "paused", true)

	opted := h.addPerson(nil)
	h.must(http.MethodPatch, "/api/v1/people/"+opted.ID, object{"optedOut": true}, nil)
	h.refuses(opted, unprocessable, "opted_out", false)

	p := h.addPerson(nil)
	id := h.place(p)
	h.refuses(p, conflict, "live_call", false)
	ring := h.ring()
	if ring.To != p.Phone {
		t.Errorf("the telephone of %s rings; only that of %s may", ring.To, p.Phone)
	}
	if err := ring.Reject(); err != nil {
		t.Fatal(err)
	}
	h.ended(id)
	h.refuses(p, conflict, "daily_cap", true)
	select {
	case r := <-h.rings:
		t.Errorf("the telephone of %s rings after a refusal", r.To)
	default:
	}
}

// Somebody phones nAIber whom nobody knows.
func TestInbound(t *testing.T) {
	t.Parallel()
	h := openHouse(t, houseOptions{})
	h.addPerson(nil)
	for name, number := range map[string]string{"unknown": newPhone(), "withheld": "anonymous"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := h.in(t)
			stranger := h.phoneIn(number)
			stranger.hears(t, "this is Naiber", "artificial intelligence", "I don't know who you are")
			stranger.answers(t, "Do you know Ada? What medicine does she take?")
			stranger.answers(t, "Where does she live, and who is her son?")
			stranger.says(t, "Goodbye.")
			stranger.listens(t)
			stranger.waitsForEnd(t)
			heard := strings.ReplaceAll(stranger.transcript(), "Ada?", "") // what the caller said may come back
			for _, fact := range []string{"Winter", "Kilbride", "Tobias", "warfarin"} {
				if strings.Contains(heard, fact) {
					t.Errorf("an unknown caller heard %q: %s", fact, heard)
				}
			}
			for _, asked := range h.asked.all() {
				if strings.Contains(asked, "who is her son") && (strings.Contains(asked, "Kilbride") || strings.Contains(asked, "warfarin")) {
					t.Error("the model was told personal facts on a stranger's call")
				}
			}
		})
	}
}

// phoneIn lets somebody phone nAIber.
func (h *house) phoneIn(from string) *elder {
	h.t.Helper()
	set, err := h.world.Phones().Dial(h.t.Context(), from)
	if err != nil {
		h.t.Fatalf("phone nAIber: %v", err)
	}
	return listen(h.t, set)
}

// latestCall is the id of the newest call.
func (h *house) latestCall(query string) string {
	h.t.Helper()
	var list struct{ Items []callView }
	h.must(http.MethodGet, "/api/v1/calls"+query, nil, &list)
	if len(list.Items) == 0 {
		h.t.Fatal("no call is on record")
	}
	return list.Items[0].ID
}

// Nobody speaks: gentle questions, a goodbye, and the end.
func TestSilenceLadder(t *testing.T) {
	t.Parallel()
	h := openHouse(t, houseOptions{})
	h.hurryTurns()
	id := h.place(h.addPerson(nil))
	ada := h.answer()
	ada.waitsForEnd(t)
	ladder := regexp.MustCompile(`(?s)Naiber.*Take your time.*Are you still there\?.*say goodbye for now`)
	if heard := ada.transcript(); !ladder.MatchString(heard) {
		t.Errorf("heard: %s", heard)
	}
	c := h.ended(id)
	if c.Outcome != "silent" || c.EndedCause != "silence" {
		t.Errorf("the call is %+v", c)
	}
	for _, turn := range c.Turns {
		if turn.Kind != "silence" || turn.Model != "" {
			t.Errorf("a turn on a silent line: %+v", turn)
		}
	}
	if asked := h.asked.all(); len(asked) > 0 && strings.Contains(strings.Join(asked, ""), `"stream":true`) {
		t.Error("silence cost a model call")
	}
}

// hurryTurns makes the voice agent wait for a second only before it asks what to
// say to a silence.
func (h *house) hurryTurns() {
	h.t.Helper()
	agent := ""
	for _, v := range h.env {
		if id, ok := strings.CutPrefix(v, "ELEVENLABS_AGENT_ID="); ok {
			agent = id
		}
	}
	body := `{"conversation_config":{"turn":{"turn_timeout":1}}}`
	req, err := http.NewRequestWithContext(h.t.Context(), http.MethodPatch, h.world.URL()+"/v1/convai/agents/"+agent, strings.NewReader(body))
	if err != nil {
		h.t.Fatal(err)
	}
	req.Header.Set("xi-api-key", houseVoiceKey)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		h.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		h.t.Fatalf("change the agent: %s", resp.Status)
	}
}
