package learn

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/memory/forget"
	"github.com/naiber/naiber/memory/service"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/chats"
	"github.com/naiber/naiber/store/memories"
)

// TestALimitCoversNames sets a limit on the brother, and speaks of Karl.
func TestALimitCoversNames(t *testing.T) {
	t.Parallel()
	h := newHouse(t, settings)
	h.model.on(TaskSummary, retold)
	h.model.on(TaskFacts, func(task Task) (any, error) {
		return FactsAnswer{Facts: []FactAnswer{fact("Karl drinks", "worry", lines(task, "Karl drinks")...), fact("Margaret grows roses", "like", lines(task, "roses")...)}}, nil
	})
	h.model.on(TaskNames, func(task Task) (any, error) {
		n := lines(task, "brother Karl")
		return NamesAnswer{
			Entities:  []EntityAnswer{{Name: "Karl", Kind: "person", Turns: n}},
			Relations: []RelationAnswer{{From: "PERSON", Label: "brother", To: "Karl", Turns: n}},
		}, nil
	})
	h.model.on(TaskPromises, func(task Task) (any, error) {
		return PromisesAnswer{Promises: []PromiseAnswer{{Text: "how Karl is", Kind: "follow_up", Repeat: "never", Turns: lines(task, "Karl drinks")}}}, nil
	})
	h.learn(t, h.call(t, tuesday, "My brother Karl called.", "Karl drinks.", "I grow roses."))
	r, err := h.Recollect(t.Context(), h.who, tuesday.AddDate(0, 0, 1), 10)
	if err != nil || !strings.Contains(r.Summary, "Karl") || len(r.Facts) != 2 || len(r.Promises) != 1 {
		t.Fatalf("before the limit: %+v, %v", r, err)
	}

	h.learn(t, h.call(t, tuesday.AddDate(0, 0, 1), "Don't mention my brother.", "a: How is Karl?", "Poorly.", "It was Karl who fell.", "I baked an apple cake."))
	r, err = h.Recollect(t.Context(), h.who, tuesday.AddDate(0, 0, 2), 10)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Facts) != 1 || !strings.Contains(r.Facts[0].Text, "roses") || len(r.Promises) != 0 || strings.Contains(r.Summary, "Karl") {
		t.Errorf("raised: %+v", r)
	}
	sum := h.column(t, "select s.text from summaries s order by created_at desc limit 1")
	if len(sum) != 1 || strings.Contains(sum[0], "Karl") || strings.Contains(sum[0], "Poorly") || !strings.Contains(sum[0], "cake") {
		t.Errorf("summed up: %q", sum)
	}
	g, err := h.svc.Around(t.Context(), memories.Scope{Person: h.who.ID}, "How is Karl?")
	if err != nil || strings.Contains(FormatGraph(g.Graph), "Karl") {
		t.Errorf("in the graph: %s, %v", FormatGraph(g.Graph), err)
	}
}

// What is never to be kept may come up all the same: then it leaves the transcript
// as well, where it stood until the call was over.
func TestWhatIsNeverKeptLeavesTheTranscript(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.neverStore(t, "soup")
	c := h.call(t, tuesday, "My soup will be boiling over.", "I grow roses.")
	h.learn(t, c)
	h.learn(t, h.call(t, tuesday.AddDate(0, 0, 1), "I grow beans."))
	if len(h.eraser.asked) != 1 {
		t.Fatalf("asked %+v", h.eraser.asked)
	}
	lines, err := h.st.Transcript(t.Context(), c.ID)
	if err != nil {
		t.Fatal(err)
	}
	if r := h.eraser.asked[0]; r.Topic != "soup" || !r.At.After(lines[1].At) || r.At.After(lines[1].At.Add(time.Second)) || r.Person != c.PersonID {
		t.Errorf("asked %+v", r)
	}
}

// What cools down is not raised, but whoever speaks of it is understood: by the
// topic, or by the name of whom it means.
func TestAroundHearsWhoSpeaksOfIt(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.model.on(TaskNames, func(task Task) (any, error) {
		n := lines(task, "brother Karl")
		return NamesAnswer{
			Entities:  []EntityAnswer{{Name: "Karl", Kind: "person", Turns: n}, {Name: "Biscuit", Kind: "pet", Turns: n}},
			Relations: []RelationAnswer{{From: "PERSON", Label: "brother", To: "Karl", Turns: n}, {From: "Karl", Label: "owns", To: "Biscuit", Turns: n}},
		}, nil
	})
	h.learn(t, h.call(t, tuesday, "My brother Karl has a cat called Biscuit."))
	until := time.Now().Add(time.Hour)
	limit := memories.Limit{PersonID: h.who.ID, Topic: "brother", Rule: memories.CoolDown, Until: &until, By: "Margaret"}
	if _, err := h.st.ReplaceMemoryLimit(t.Context(), nil, limit); err != nil {
		t.Fatal(err)
	}
	for question, want := range map[string]bool{"How is Biscuit?": false, "How is Karl?": true, "Does my brother feed Biscuit?": true} {
		g, err := h.svc.Around(t.Context(), memories.Scope{Person: h.who.ID}, question)
		if got := FormatGraph(g.Graph); err != nil || strings.Contains(got, "Karl") != want {
			t.Errorf("%q finds %q, %v", question, got, err)
		}
	}
}

// What may not be raised takes nobody's place: an opening has the newest facts of
// those that may.
func TestRecollectFillsUp(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	facts := []string{"Margaret grows roses", "Margaret sings", "Her brother drinks", "Her brother sold the farm", "Her brother is ill"}
	for i, text := range facts {
		err := h.st.InTx(t.Context(), func(tx store.Tx) error {
			return h.st.AddMemoryFact(t.Context(), tx, memories.Fact{
				ID: uuid.New(), PersonID: h.who.ID, Text: text, Kind: "other", Confidence: 1, LearnedAt: tuesday.Add(time.Duration(i) * time.Hour),
			}, nil, nil)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := h.st.ReplaceMemoryLimit(t.Context(), nil, memories.Limit{PersonID: h.who.ID, Topic: "brother", Rule: memories.NeverRaise, By: "Margaret"}); err != nil {
		t.Fatal(err)
	}
	r, err := h.Recollect(t.Context(), h.who, tuesday.AddDate(0, 0, 1), 2)
	if err != nil || len(r.Facts) != 2 || r.Facts[0].Text != "Margaret sings" || r.Facts[1].Text != "Margaret grows roses" {
		t.Errorf("recollected %+v, %v", r.Facts, err)
	}
}

// Memory leaves out what is never to be kept, also of what is written. The text
// channel had it all the same, and what nAIber wrote to it.
func TestWhatIsNeverKeptLeavesTheTextChannel(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.neverStore(t, "brother")
	h.cfg.Forgetter = forgets{h.svc}
	s := h.session(t)
	for _, e := range []chats.Episode{
		{Message: "I grow roses.", Response: "How lovely!"},
		{Message: "My brother drinks.", Response: "I am sorry."},
		{Message: "Anyway.", Response: "How is your brother today?"},
		{Message: "I bake.", Response: "What do you bake?"},
	} {
		e.SessionID = s.id
		e, kept, err := h.st.AddChatEpisode(t.Context(), e)
		if err != nil || !kept {
			t.Fatal(kept, err)
		}
		s.now = e.CreatedAt.Add(-time.Minute)
		s.write(t, e.Message)
		s.now = e.CreatedAt.Add(-time.Minute)
		s.write(t, "a: "+e.Response)
	}
	w := memories.Writing{Session: s.id, PersonID: h.who.ID, Through: s.now}
	s.learn(t, w)
	if got := strings.Join(h.column(t, "select message from chat_episodes order by id"), "\n"); got != "I grow roses.\nI bake." {
		t.Errorf("left in the text channel:\n%s", got)
	}
	s.learn(t, w)
}

// neverStore sets that a topic is never to be kept.
func (h *house) neverStore(t *testing.T, topic string) {
	t.Helper()
	err := h.st.InTx(t.Context(), func(tx store.Tx) error {
		_, err := h.st.AddMemoryLimit(t.Context(), tx, memories.Limit{
			ID: uuid.New(), PersonID: h.who.ID, Topic: topic, Rule: memories.NeverStore, By: "Susan", How: "by letter",
		})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// forgets forgets topics wherever they are.
type forgets struct{ svc *service.Service }

func (f forgets) Forget(ctx context.Context, r ForgetRequest) error {
	_, err := f.svc.Forget(ctx, forget.Request{Person: r.Person, Topic: r.Topic, Until: r.At})
	return err
}
