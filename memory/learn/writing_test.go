package learn

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/store"
)

// session is a written conversation of the house's person.
type session struct {
	*house
	id    uuid.UUID
	from  time.Time // what was written until then has been taken
	now   time.Time
	wrote int
}

func (h *house) session(t *testing.T) *session {
	t.Helper()
	ses, _, err := h.st.EnsureChatSession(t.Context(), "letters", h.who.ID, uuid.Nil)
	if err != nil {
		t.Fatal(err)
	}
	return &session{house: h, id: ses.ID, now: tuesday}
}

// write keeps lines as the text channel does, and returns the stretch that they
// make: "a: " begins what nAIber wrote.
func (s *session) write(t *testing.T, lines ...string) store.Writing {
	t.Helper()
	for _, text := range lines {
		speaker := store.RoleUser
		if rest, ok := strings.CutPrefix(text, "a: "); ok {
			speaker, text = store.RoleAssistant, rest
		}
		s.wrote++
		s.now = s.now.Add(time.Minute)
		scope := memory.Scope{Person: s.who.ID, Session: s.id}
		_, err := s.svc.Keep(t.Context(), []memory.Turn{{
			Scope: scope, Conversation: s.id.String(), Speaker: speaker, Text: text, At: s.now,
			Source: store.MemoryFromChat, SourceKey: memory.EpisodeKey(s.id, int64(s.wrote), speaker),
		}})
		if err != nil {
			t.Fatal(err)
		}
	}
	w := store.Writing{Session: s.id, PersonID: s.who.ID, After: s.from, Through: s.now}
	s.from = s.now
	return w
}

func (s *session) learn(t *testing.T, w store.Writing) {
	t.Helper()
	if err := s.LearnWriting(t.Context(), w); err != nil {
		t.Fatal(err)
	}
}

// What a person writes is learned from as what they say is: it ends what was true
// before, whichever way that was told.
func TestLearnsFromWriting(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.model.on(TaskFacts, func(task Task) (any, error) {
		var out FactsAnswer
		for text, words := range map[string]string{
			"Margaret's son Tom is in hospital": "is in hospital", "Margaret's son Tom came home": "came home", "Margaret grows roses": "grow roses",
		} {
			if at := lines(task, words); len(at) > 0 {
				out.Facts = append(out.Facts, fact(text, "health", at...))
			}
		}
		return out, nil
	})
	h.model.on(TaskPromises, func(task Task) (any, error) {
		at := lines(task, "eye visit")
		if len(at) == 0 {
			return PromisesAnswer{}, nil
		}
		return PromisesAnswer{Promises: []PromiseAnswer{{Text: "how the eye visit went", Kind: "follow_up", Turns: at}}}, nil
	})
	h.learn(t, h.call(t, tuesday.AddDate(0, 0, -7), "My son Tom is in hospital."))

	s := h.session(t)
	w := s.write(t, "a: How are you?", "My son Tom came home.", "a: How lovely!", "I have an eye visit soon.")
	s.learn(t, w)
	if diff := cmp.Diff([]string{"Margaret's son Tom came home"}, h.known(t)); diff != "" {
		t.Error(diff)
	}
	if got := h.column(t, "select text from memory_promises where call_id is null and turn_id is not null"); !slices.Equal(got, []string{"how the eye visit went"}) {
		t.Errorf("promises %q", got)
	}
	sources := h.column(t, `select t.source || ' ' || t.text from memory_fact_sources s join memory_turns t on t.id = s.turn_id
		join memory_facts f on f.id = s.fact_id where f.text like '%came home'`)
	if diff := cmp.Diff([]string{"chat My son Tom came home."}, sources); diff != "" {
		t.Error(diff)
	}
	asked := h.model.times(TaskFacts)
	s.learn(t, w) // again changes nothing, and asks nothing
	if n := h.model.times(TaskFacts); n != asked {
		t.Errorf("asked %d times more", n-asked)
	}

	// What follows is understood by what stands before it, which is not learned again.
	s.learn(t, s.write(t, "I grow roses."))
	h.model.mu.Lock()
	last := h.model.asked[slices.IndexFunc(h.model.asked, func(task Task) bool { return strings.Contains(task.User, "grow roses") })]
	h.model.mu.Unlock()
	if !strings.Contains(last.User, "They wrote to nAIber on Tuesday, 3 November 2026") || !strings.Contains(last.User, "[2] Person: «I have an eye visit soon.»\n[3] Person: «I grow roses.»") {
		t.Errorf("shown:\n%s", last.User)
	}
	if diff := cmp.Diff([]string{"Margaret's son Tom came home", "Margaret grows roses"}, h.known(t)); diff != "" {
		t.Error(diff)
	}
	if got := h.column(t, "select text from summaries"); len(got) != 1 { // the call's
		t.Errorf("summaries of calls: %q", got)
	}
}

// A model that is away leaves neither holes nor duplicates.
func TestWritingIsLearnedFromWhenTheModelIsBack(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	s := h.session(t)
	h.model.on(TaskFacts, facts(fact("Margaret grows roses", "like", 1)))
	w := s.write(t, append([]string{"I grow roses."}, chatter(100)...)...)
	h.model.away(errAway)
	if err := s.LearnWriting(t.Context(), w); err == nil || !strings.Contains(err.Error(), "session "+s.id.String()) {
		t.Errorf("err = %v", err)
	}
	h.model.away(nil)
	s.learn(t, w)
	s.learn(t, w)
	if got := h.column(t, "select text from memory_facts"); len(got) != 1 {
		t.Errorf("facts: %q", got)
	}
	if got := h.column(t, "select text from memory_turns"); len(got) != 101 {
		t.Errorf("%d turns", len(got))
	}
}

// What somebody writes about being remembered counts as if they had said it.
func TestWrittenWishesAreObeyed(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	s := h.session(t)
	h.model.on(TaskFacts, func(task Task) (any, error) {
		if strings.Contains(task.User, "brother") || strings.Contains(task.User, "gin") {
			t.Errorf("the model is shown what is to be forgotten:\n%s", task.User)
		}
		return FactsAnswer{}, nil
	})
	s.learn(t, s.write(t, "My brother drinks.", "a: I am sorry.", "Please forget what I said about my brother.", "I hid the gin behind the piano.",
		"a: Did you?", "Forget that, please.", "And please don't mention the war again."))
	if got := h.column(t, "select topic || ' ' || rule || ' ' || how from memory_limits"); !slices.Equal(got, []string{"war never_raise said in session " + s.id.String()}) {
		t.Errorf("limits %q", got)
	}
	left := strings.Join(h.column(t, "select text from memory_turns order by seq"), "\n")
	if left != "I am sorry.\nAnd please don't mention the war again." {
		t.Errorf("left:\n%s", left)
	}
}

func TestNothingIsLearnedWithoutConsent(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	s := h.session(t)
	w := s.write(t, "I grow roses.")
	if _, err := h.st.RevokeConsent(t.Context(), h.who.ID, store.ScopeMemory, "Margaret", "by telephone"); err != nil {
		t.Fatal(err)
	}
	s.learn(t, w)
	if len(h.model.asked) > 0 {
		t.Errorf("asked %v", h.model.asked)
	}
}
