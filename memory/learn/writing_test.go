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
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/chats"
	"github.com/naiber/naiber/store/memories"
	"github.com/naiber/naiber/store/people"
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
func (s *session) write(t *testing.T, lines ...string) memories.Writing {
	t.Helper()
	for _, text := range lines {
		speaker := calls.RoleUser
		if rest, ok := strings.CutPrefix(text, "a: "); ok {
			speaker, text = calls.RoleAssistant, rest
		}
		s.wrote++
		s.now = s.now.Add(time.Minute)
		scope := memory.Scope{Person: s.who.ID, Session: s.id}
		_, err := s.svc.Keep(t.Context(), []memory.Turn{{
			Scope: scope, Conversation: s.id.String(), Speaker: speaker, Text: text, At: s.now,
			Source: memories.FromChat, SourceKey: memory.EpisodeKey(s.id, int64(s.wrote), speaker),
		}})
		if err != nil {
			t.Fatal(err)
		}
	}
	w := memories.Writing{Session: s.id, PersonID: s.who.ID, After: s.from, Through: s.now}
	s.from = s.now
	return w
}

func (s *session) learn(t *testing.T, w memories.Writing) {
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
	if _, err := h.st.RevokeConsent(t.Context(), h.who.ID, people.ScopeMemory, "Margaret", "by telephone"); err != nil {
		t.Fatal(err)
	}
	s.learn(t, w)
	if len(h.model.asked) > 0 {
		t.Errorf("asked %v", h.model.asked)
	}
}

// Of sessions that belong to no person, whom and what they speak of is learned and
// seen by their project, as long as they are in it and what was said is there.
func TestGraphOfAProject(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.model.on(TaskNames, func(task Task) (any, error) {
		var out NamesAnswer
		for name, kind := range map[string]string{"Alice": "person", "Rex": "pet", "Nexus": "organisation"} {
			if at := lines(task, name); len(at) > 0 {
				out.Entities = append(out.Entities, EntityAnswer{Name: name, Kind: kind, Turns: at})
			}
		}
		if at := lines(task, "Rex"); len(at) > 0 {
			out.Relations = []RelationAnswer{{From: "Alice", Label: "dog", To: "Rex", Turns: at}, {From: "PERSON", Label: "knows", To: "Alice", Turns: at}}
		}
		if at := lines(task, "Nexus"); len(at) > 0 {
			out.Relations = append(out.Relations, RelationAnswer{From: "Alice", Label: "works at", To: "Nexus", Turns: at})
		}
		return out, nil
	})
	project := uuid.MustParse(h.column(t, "insert into chat_projects (id, name) values (gen_random_uuid(), 'Family') returning id::text")[0])
	scopes := map[string]memories.Scope{}
	for name, said := range map[string]string{"one": "Alice has a dog called Rex.", "two": "Alice works at Nexus now."} {
		ses, _, err := h.st.EnsureChatSession(t.Context(), name, store.PersonID{}, project)
		if err != nil {
			t.Fatal(err)
		}
		scopes[name] = memories.Scope{Session: ses.ID, Project: project}
		e, _, err := h.st.AddChatEpisode(t.Context(), chats.Episode{SessionID: ses.ID, Message: said, Response: "I see.", Tokens: 5})
		if err != nil {
			t.Fatal(err)
		}
		_, err = h.svc.Keep(t.Context(), []memory.Turn{{
			Scope: scopes[name], Conversation: ses.ID.String(), Speaker: calls.RoleUser, Text: said, At: e.CreatedAt,
			Source: memories.FromChat, SourceKey: memory.EpisodeKey(ses.ID, e.ID, calls.RoleUser),
		}})
		if err == nil {
			_, err = h.st.ChatEpisodeRemembered(t.Context(), e.ID, project)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	due, err := h.st.WritingDue(t.Context(), time.Now().Add(time.Hour), 10)
	if err != nil || len(due) != 2 {
		t.Fatalf("due: %+v, %v", due, err)
	}
	for _, w := range due {
		for range 2 { // again changes nothing
			if err := h.LearnWriting(t.Context(), w); err != nil {
				t.Fatal(err)
			}
		}
	}
	graph := func(in memories.Scope) string {
		t.Helper()
		g, err := h.svc.Around(t.Context(), in, "How is Alice?")
		if err != nil {
			t.Fatal(err)
		}
		return FormatGraph(g.Graph)
	}
	for _, in := range scopes {
		text := graph(in)
		if strings.Count(text, "- Alice (person)") != 1 || !strings.Contains(text, "→ dog Rex (pet)") || !strings.Contains(text, "→ works_at Nexus (organisation)") {
			t.Errorf("the project knows\n%s", text)
		}
	}
	if text := graph(memories.Scope{Session: uuid.New(), Project: uuid.New()}); text != "" {
		t.Errorf("another project knows\n%s", text)
	}
	if err := h.svc.Move(t.Context(), scopes["one"].Session, uuid.Nil); err != nil {
		t.Fatal(err)
	}
	if text := graph(scopes["two"]); strings.Contains(text, "Rex") || !strings.Contains(text, "Nexus") {
		t.Errorf("after a session left, the project knows\n%s", text)
	}
	if text := graph(memories.Scope{Session: scopes["one"].Session}); !strings.Contains(text, "Rex") || strings.Contains(text, "Nexus") {
		t.Errorf("the session that left knows\n%s", text)
	}
	turns, err := h.svc.List(t.Context(), scopes["two"], memory.Turn{}, 10)
	if err != nil || len(turns) != 1 {
		t.Fatalf("turns %v, %v", turns, err)
	}
	if _, err := h.svc.Delete(t.Context(), scopes["two"], turns[0].ID); err != nil {
		t.Fatal(err)
	}
	if text := graph(scopes["two"]); text != "" {
		t.Errorf("what was forgotten is known\n%s", text)
	}
}
