package app_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/memories"
)

// remembering are settings with which one short call is worth a summary.
var remembering = map[string]string{
	"NAIBER_MEMORY_SUMMARY_TOKENS": "20", "NAIBER_MEMORY_SUMMARY_TURNS": "2", "NAIBER_MEMORY_INDEX_EVERY": "100ms",
	"NAIBER_RAG_DEADLINE": "5s", "NAIBER_CALLS_OPENING_DEADLINE": "5s", // a busy machine is slow
}

// learned is what is kept of a person.
type learned struct {
	facts, promises, entities []string
	turns                     []memories.Turn
	summary                   string
}

func learnedOf(t *testing.T, db *store.Store, p person) learned {
	t.Helper()
	id, err := store.ParsePersonID(p.ID)
	if err != nil {
		t.Fatal(err)
	}
	var l learned
	facts, err := db.KnownMemoryFacts(t.Context(), id, time.Now().Add(time.Hour), 100, memories.DefaultTextConfig, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range facts {
		l.facts = append(l.facts, f.Text)
	}
	promises, err := db.OpenMemoryPromises(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range promises {
		l.promises = append(l.promises, p.Text)
	}
	entities, err := db.KnownMemoryEntities(t.Context(), nil, memories.Scope{Person: id}, 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entities {
		l.entities = append(l.entities, e.Name)
	}
	if l.turns, err = db.MemoryTurnsOf(t.Context(), memories.Scope{Person: id}, time.Now().AddDate(1, 0, 0), uuid.Max, 1000); err != nil {
		t.Fatal(err)
	}
	sum, _, err := db.PersonSummary(t.Context(), nil, id)
	if err != nil {
		t.Fatal(err)
	}
	l.summary = sum.Text
	return l
}

// tellsOfThomas is a call in which there is something to learn.
func tellsOfThomas(t *testing.T, h *house, p person) string {
	t.Helper()
	id := h.place(p)
	ada := h.answer()
	ada.hears(t, "Naiber")
	ada.answers(t, "My grandson Thomas has moved to Lisbon.")
	ada.answers(t, "I have an appointment with the optician tomorrow.")
	ada.says(t, "I must go now. Goodbye.")
	ada.listens(t)
	ada.waitsForEnd(t)
	return id
}

func has(all []string, parts ...string) bool {
	return slices.ContainsFunc(all, func(s string) bool { return containsAll(s, parts...) })
}

// What is told in one call is known in the next one, and in the text channel.
func TestMemoryFromCallToCall(t *testing.T) {
	t.Parallel()
	h := openHouse(t, houseOptions{env: remembering})
	p := h.addPerson(nil)
	h.settled(tellsOfThomas(t, h, p))
	l := learnedOf(t, h.db, p)
	if !has(l.facts, "Thomas", "Lisbon") || !has(l.promises, "optician") || !has(l.entities, "Thomas") || len(l.turns) < 6 || l.summary == "" {
		t.Fatalf("after the first call: %+v", l)
	}

	asked := len(h.asked.all())
	id := h.place(p)
	ada := h.answer()
	ada.hears(t, "Naiber")
	ada.answers(t, "Do you remember where Thomas lives now?")
	prompts := h.asked.all()[asked:]
	for _, want := range []string{
		"WHAT YOU REMEMBER", "WHAT YOU MEANT TO COME BACK TO", "optician", "RELEVANT MEMORIES", "Ada: My grandson Thomas has moved to Lisbon.",
	} {
		if !has(prompts, want) {
			t.Errorf("the second call's prompts lack %q:\n%s", want, strings.Join(prompts, "\n"))
		}
	}
	ada.answers(t, "Please don't mention the optician.")
	var limits struct {
		Items []struct{ Topic, Rule string }
	}
	h.must(http.MethodGet, "/api/v1/people/"+p.ID+"/limits", nil, &limits)
	if len(limits.Items) != 1 || limits.Items[0].Topic != "optician" || limits.Items[0].Rule != "never_raise" {
		t.Errorf("limits while the call goes on: %+v", limits.Items)
	}
	ada.says(t, "Goodbye now.")
	ada.listens(t)
	ada.waitsForEnd(t)
	for _, turn := range h.settled(id).Turns {
		if strings.Contains(turn.Outcome, "degraded") {
			t.Errorf("turn %+v", turn)
		}
	}

	t.Run("text channel", func(t *testing.T) { writes(t, h.in(t), p) })
	t.Run("forget", func(t *testing.T) { forgets(t, h.in(t), p) })
}

// remembered is what the API finds in a person's memory.
func (h *house) remembered(p person, q string) []string {
	h.t.Helper()
	var out struct {
		Items []struct{ Text string }
	}
	h.must(http.MethodGet, "/api/v1/people/"+p.ID+"/memories?q="+q, nil, &out)
	var texts []string
	for _, i := range out.Items {
		texts = append(texts, i.Text)
	}
	return texts
}

// forgets is a person's right to have something forgotten: it is nowhere any more,
// and no prompt has it.
func forgets(t *testing.T, h *house, p person) {
	t.Helper()
	h.must(http.MethodPost, "/api/v1/people/"+p.ID+"/memories", object{"items": []object{{"text": "I keep bees in Whitby."}}}, nil)
	if got := h.remembered(p, "Thomas"); !has(got, "Lisbon") {
		t.Errorf("before: %q", got)
	}
	var out struct {
		Turns, Facts int
		Verified     bool
		Checks       []object
	}
	h.must(http.MethodPost, "/api/v1/people/"+p.ID+"/forget", object{"topic": "Thomas", "verify": true}, &out)
	if out.Turns == 0 || out.Facts == 0 || !out.Verified || len(out.Checks) < 5 {
		t.Errorf("forgotten: %+v", out)
	}
	if got := h.remembered(p, "Thomas+Lisbon"); has(got, "Thomas") || has(got, "Lisbon") {
		t.Errorf("after: %q", got)
	}
	if got := h.remembered(p, "bees"); !has(got, "Whitby") {
		t.Errorf("something else went too: %q", got)
	}
	asked := len(h.asked.all())
	h.must(http.MethodPost, "/chat", object{"userId": p.ID, "message": "Where does my grandson live?"}, nil)
	if prompts := h.asked.all()[asked:]; has(prompts, "Lisbon") || has(prompts, "Thomas") {
		t.Errorf("a prompt has what was forgotten:\n%s", strings.Join(prompts, "\n"))
	}
	if printed := h.command("people", "forget", p.ID, "--topic", "bees", "--verify"); has(h.remembered(p, "bees"), "Whitby") {
		t.Errorf("naiber people forget left the bees:\n%s", printed)
	}
}

// writes is the text channel, which shares the memory of calls.
func writes(t *testing.T, h *house, p person) {
	t.Helper()
	if code, _ := h.request(http.MethodGet, "/health", nil, nil); code != http.StatusOK {
		t.Errorf("GET /health: %d", code)
	}
	asked := len(h.asked.all())
	var out struct {
		SessionID, Response string
		Remembered          bool
		Degraded            []string
	}
	h.must(http.MethodPost, "/chat", object{"userId": p.ID, "message": "Where does Thomas live now? My parrot Coco wants to know."}, &out)
	if out.SessionID == "" || out.Response == "" || !out.Remembered || len(out.Degraded) > 0 {
		t.Errorf("POST /chat: %+v", out)
	}
	if prompts := h.asked.all()[asked:]; !has(prompts, "Lisbon", "Thomas (person)") {
		t.Errorf("the model was not told of Thomas:\n%s", strings.Join(prompts, "\n"))
	}
	await(h, "the parrot to be remembered", func() (int, bool) {
		l := learnedOf(t, h.db, p)
		n := len(slices.DeleteFunc(l.turns, func(m memories.Turn) bool { return !strings.Contains(m.Text, "Coco") }))
		return n, n > 0
	})
	h.must(http.MethodDelete, "/sessions/"+out.SessionID, nil, nil)
	for _, m := range learnedOf(t, h.db, p).turns {
		if m.Source == memories.FromChat {
			t.Errorf("of the session that was deleted memory keeps %q", m.Text)
		}
	}
}

// The process dies in the midst of learning from a call, again and again: when
// it is back nothing is there twice, and nothing is missing.
func TestKillInTheMidstOfLearning(t *testing.T) {
	t.Parallel()
	h := openHouse(t, houseOptions{env: remembering})
	whole, p := h.addPerson(nil), h.addPerson(nil)
	h.settled(tellsOfThomas(t, h, whole))
	want := learnedOf(t, h.db, whole) // what a quiet life leaves

	stalled := h.asked.stallOn("memory_names")
	id := tellsOfThomas(t, h, p)
	for _, next := range []string{"memory_promises", "memory_summary", ""} {
		select {
		case <-stalled:
		case <-time.After(patience):
			t.Fatalf("learning never came to what is before %q", next)
		}
		h.process.kill()
		stalled = h.asked.stallOn(next)
		h.rescueJobs()
		h.open()
	}
	h.settled(id)
	h.oneJob(id)
	got := learnedOf(t, h.db, p)
	if len(got.turns) != len(want.turns) || got.summary == "" || got.summary != want.summary {
		t.Errorf("%d turns and the summary %q, want %d and %q", len(got.turns), got.summary, len(want.turns), want.summary)
	}
	for what, lists := range map[string][2][]string{
		"facts": {got.facts, want.facts}, "promises": {got.promises, want.promises}, "entities": {got.entities, want.entities},
	} {
		for _, l := range lists {
			slices.Sort(l)
		}
		if !slices.Equal(lists[0], lists[1]) || len(lists[0]) == 0 {
			t.Errorf("%s: %q, want %q", what, lists[0], lists[1])
		}
	}
}

// rescueJobs does at once what the queue does some time after a worker died:
// its jobs may be worked on again.
func (h *house) rescueJobs() {
	h.t.Helper()
	for _, query := range []string{"delete from job_turns", "update river_job set state = 'available' where state = 'running'"} {
		if _, err := h.db.Pool().Exec(h.t.Context(), query); err != nil {
			h.t.Fatal(err)
		}
	}
}

// What a person writes is learned from when they have stopped, and forgotten when
// they ask for it there, or delete what they wrote.
func TestLearnsFromWhatIsWritten(t *testing.T) {
	t.Parallel()
	env := map[string]string{"NAIBER_CHAT_LEARN_AFTER": "1s", "NAIBER_JOBS_POST_CALL_PER_MINUTE": "100"}
	h := openHouse(t, houseOptions{env: env})
	p := h.addPerson(nil)
	write := func(session, message string) string {
		t.Helper()
		h.must(http.MethodPost, "/chat", object{"userId": p.ID, "sessionId": session, "message": message}, nil)
		return session
	}
	knows := func(what string, of func(l learned) bool) {
		t.Helper()
		await(h, what, func() (learned, bool) {
			l := learnedOf(t, h.db, p)
			return l, of(l)
		})
	}
	garden := write("garden", "My grandson Thomas has moved to Lisbon.")
	knows("Thomas to be known", func(l learned) bool { return has(l.facts, "Thomas", "Lisbon") && has(l.entities, "Thomas") })
	other := write("kitchen", "My daughter Susan lives in Whitby.")
	knows("Susan to be known", func(l learned) bool { return has(l.facts, "Susan", "Whitby") })

	write(garden, "Please forget what I told you about Thomas.")
	knows("Thomas to be forgotten", func(l learned) bool {
		return !has(l.facts, "Thomas") && !has(l.entities, "Thomas") && !slices.ContainsFunc(l.turns, func(m memories.Turn) bool { return strings.Contains(m.Text, "Thomas") })
	})
	_, history := h.request(http.MethodGet, "/sessions/"+garden+"/history", nil, nil)
	if strings.Contains(history, "Thomas") {
		t.Errorf("the session still says\n%s", history)
	}
	if l := learnedOf(t, h.db, p); !has(l.facts, "Susan", "Whitby") {
		t.Errorf("something else went too: %q", l.facts)
	}
	h.must(http.MethodDelete, "/sessions/"+other, nil, nil)
	knows("Susan to be forgotten", func(l learned) bool { return !has(l.facts, "Susan") && !has(l.entities, "Susan") })
}
