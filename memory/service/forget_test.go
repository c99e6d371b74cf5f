package service

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/memory/forget"
	"github.com/naiber/naiber/memory/index"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/chats"
	"github.com/naiber/naiber/store/checks"
	"github.com/naiber/naiber/store/memories"
	"github.com/naiber/naiber/store/people"
)

// life is a person with a call and all that is learned from it: a brother Karl
// and a dog Biscuit.
type life struct {
	*house

	in    memory.Scope
	call  store.CallID
	turns []uuid.UUID
	facts map[string]uuid.UUID
	lines []int64
}

// spoken is what is said in the call of a life.
var spoken = []string{
	"a: Hello, how are you?", "My brother came to see me.", "a: What did you do with your brother?", "We played cards all evening.",
	"Karl always wins.", "a: And the dog?", "Biscuit chewed a shoe.", "Biscuit is a terrier.",
}

func newLife(t *testing.T, h *house) *life {
	t.Helper()
	l := &life{house: h, in: h.margaret(t), facts: map[string]uuid.UUID{}}
	l.call = l.called(t)
	var said []memory.Turn
	for i, turn := range talk(l.in, l.call.String(), november, spoken...) {
		u, err := h.st.AddUtterance(t.Context(), calls.Utterance{CallID: l.call, Role: turn.Speaker, Text: turn.Text, At: turn.At})
		if err != nil {
			t.Fatal(err)
		}
		kind := `{"role": "user", "text": %q}`
		if _, err := h.st.AddEvent(t.Context(), l.call, "heard", fmt.Appendf(nil, kind, turn.Text), ""); err != nil {
			t.Fatal(err)
		}
		if turn.Speaker == calls.RoleUser {
			if err := h.st.StartTurn(t.Context(), calls.Turn{
				ID: store.NewTurnID(), CallID: l.call, Place: i, Attempt: 1, Kind: calls.TurnSpeech, Heard: turn.Text, Persona: "general", At: turn.At,
			}); err != nil {
				t.Fatal(err)
			}
		}
		turn.CallID, turn.SourceKey = l.call, memory.CallKey(l.call, u.ID)
		l.lines = append(l.lines, u.ID)
		said = append(said, turn)
	}
	l.turns = h.keep(t, said...).IDs
	l.learn(t)
	l.index(t)
	return l
}

func (l *life) called(t *testing.T) store.CallID {
	t.Helper()
	c, err := l.st.CreateCall(t.Context(), calls.NewCall{PersonID: l.in.Person, Type: calls.CallGeneral, Direction: calls.Inbound, Phone: "+15550100123"})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := l.st.FinishCall(t.Context(), c.ID, calls.Ending{Outcome: calls.OutcomeReached, Cause: "goodbye", By: "person"}, nil); err != nil {
		t.Fatal(err)
	}
	return c.ID
}

func (l *life) fact(t *testing.T, text string, turns ...int) uuid.UUID {
	t.Helper()
	id := uuid.New()
	var from []uuid.UUID
	for _, i := range turns {
		from = append(from, l.turns[i])
	}
	l.tx(t, func(tx store.Tx) error {
		if err := l.st.AddMemoryFact(t.Context(), tx, memories.Fact{
			ID: id, PersonID: l.in.Person, Text: text, Kind: "person", Topic: "family", Confidence: 0.9, LearnedAt: november,
		}, from, nil); err != nil {
			return err
		}
		return l.Refresh(t.Context(), tx, from...)
	})
	l.facts[text] = id
	return id
}

func (l *life) tx(t *testing.T, do func(tx store.Tx) error) {
	t.Helper()
	if err := l.st.InTx(t.Context(), do); err != nil {
		t.Fatal(err)
	}
}

func (l *life) entity(t *testing.T, kind, name, notes string, aliases []string, turns ...int) uuid.UUID {
	t.Helper()
	id := uuid.New()
	var from []uuid.UUID
	for _, i := range turns {
		from = append(from, l.turns[i])
	}
	l.tx(t, func(tx store.Tx) error {
		return l.st.SaveMemoryEntity(t.Context(), tx, l.in.Person, memories.Entity{ID: id, Kind: kind, Name: name, Notes: notes, Aliases: aliases}, november, from)
	})
	return id
}

// learn keeps what would be learned from the call.
func (l *life) learn(t *testing.T) {
	t.Helper()
	visit := l.fact(t, "Margaret's brother Karl visited her.", 1, 4)
	l.fact(t, "Margaret has a terrier called Biscuit.", 6, 7)
	self := l.entity(t, "person", "Margaret", "", []string{"margaret"})
	karl := l.entity(t, "person", "Karl", "her brother", []string{"karl"}, 1, 4)
	dog := l.entity(t, "pet", "Biscuit", "a terrier", []string{"biscuit"}, 6, 7)
	l.tx(t, func(tx store.Tx) error {
		for _, r := range []memories.Relation{
			{ID: uuid.New(), From: karl, To: self, Label: "brother_of", FactID: visit, Since: november},
			{ID: uuid.New(), From: self, To: dog, Label: "owns", Since: november.Add(7 * time.Minute)},
		} {
			if err := l.st.AddMemoryRelation(t.Context(), tx, r); err != nil {
				return err
			}
		}
		if err := l.st.AddPersonSummary(t.Context(), tx, memories.MemorySummary{
			ID: uuid.New(), PersonID: l.in.Person, Text: "Margaret had a visit.", FromTurn: l.turns[0], ToTurn: l.turns[7],
			FromAt: november, ToAt: november.Add(7 * time.Minute), Turns: 8, Tokens: 10,
		}); err != nil {
			return err
		}
		return l.st.AddMemoryPromise(t.Context(), tx, memories.Promise{
			ID: uuid.New(), PersonID: l.in.Person, Text: "I will ask about the cards.", Kind: "follow_up", CallID: l.call, TurnID: l.turns[3],
		})
	})
	if err := l.st.SaveSummary(t.Context(), nil, memories.Summary{CallID: l.call, PersonID: l.in.Person, Text: "Her brother came."}); err != nil {
		t.Fatal(err)
	}
	mentions := []memories.TopicMention{{Label: "brother", Mentions: 1}, {Label: "dog", Mentions: 2}}
	if err := l.st.SaveTopics(t.Context(), l.in.Person, l.call, november, mentions); err != nil {
		t.Fatal(err)
	}
}

func (l *life) index(t *testing.T) {
	t.Helper()
	if _, err := l.IndexPending(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func (l *life) forget(t *testing.T, r forget.Request) forget.Forgotten {
	t.Helper()
	r.Person = l.in.Person
	f, err := l.Forget(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// verified holds that nothing of it resurfaces.
func (l *life) verified(t *testing.T, f forget.Forgotten) {
	t.Helper()
	checks, err := l.Verify(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	if len(checks) < 20 {
		t.Errorf("%d places were looked at", len(checks))
	}
	for _, c := range checks {
		if c.Found != 0 {
			t.Errorf("%s: %d are still there", c.Place, c.Found)
		}
	}
}

// everything is all text that is kept in any table, to look for words in.
func (l *life) everything(t *testing.T) string {
	t.Helper()
	var all []string
	for _, table := range []string{
		"memory_turns", "memory_windows", "memory_facts", "memory_entities", "memory_aliases", "memory_relations", "memory_summaries",
		"memory_promises", "memory_terms", "utterances", "turns", "call_events", "summaries", "topics", "chat_episodes", "chat_sessions", "chat_summaries",
		"health_answers", "health_checks", "audit",
	} {
		all = append(all, l.column(t, "select row_to_json(x)::text from "+table+" x")...)
	}
	return strings.ToLower(strings.Join(all, "\n"))
}

func (l *life) gone(t *testing.T, words ...string) {
	t.Helper()
	all := l.everything(t)
	for _, w := range words {
		if at := strings.Index(all, w); at >= 0 {
			t.Errorf("%q is still there: …%s…", w, all[max(0, at-100):min(len(all), at+100)])
		}
	}
}

func (l *life) stays(t *testing.T, words ...string) {
	t.Helper()
	all := l.everything(t)
	for _, w := range words {
		if !strings.Contains(all, w) {
			t.Errorf("%q is gone", w)
		}
	}
}

func TestForgetTopic(t *testing.T) {
	t.Parallel()
	l := newLife(t, newHouse(t, nil))
	f := l.forget(t, forget.Request{Topic: "brother"})
	// The answer to a question about him goes, and what names him only by his name.
	if f.Turns != 4 || f.Facts != 1 || f.Entities != 1 || f.Lines != 4 {
		t.Errorf("forgot %+v", f)
	}
	l.gone(t, "brother", "karl", "cards", "had a visit", "her brother came")
	l.stays(t, "biscuit", "terrier", "hello, how are you")
	l.verified(t, f)
	if got := l.column(t, "select label from topics"); !slices.Equal(got, []string{"dog"}) {
		t.Errorf("topics = %q", got)
	}
	if got := texts(l.ask(t, l.in, "Biscuit terrier").Hits); !slices.Contains(got, "Biscuit is a terrier.") {
		t.Errorf("found %q", got)
	}
}

// Forgetting a topic reaches no further than what was said before.
func TestForgetTopicUntil(t *testing.T) {
	t.Parallel()
	l := newLife(t, newHouse(t, nil))
	f := l.forget(t, forget.Request{Topic: "Biscuit", Until: november.Add(7 * time.Minute)})
	if f.Turns != 1 {
		t.Errorf("forgot %+v", f)
	}
	l.stays(t, "biscuit is a terrier")
	l.gone(t, "chewed a shoe")
}

func TestForgetOneMemory(t *testing.T) {
	t.Parallel()
	l := newLife(t, newHouse(t, nil))
	both := l.fact(t, "Biscuit is a terrier.", 6, 7)
	word := l.fact(t, "Biscuit chewed.", 6, 7)
	f := l.forget(t, forget.Request{Memories: []uuid.UUID{l.turns[6]}})
	if f.Turns != 1 || f.Lines != 1 || f.Summaries != 2 {
		t.Errorf("forgot %+v", f)
	}
	l.gone(t, "chew", "shoe")
	l.verified(t, f)
	if got := l.column(t, "select id::text from memory_facts where id = $1", both); len(got) != 1 {
		t.Error("a fact is gone though somebody else says it")
	}
	if got := l.column(t, "select turn_id::text from memory_fact_sources where fact_id = $1", both); !slices.Equal(got, []string{l.turns[7].String()}) {
		t.Errorf("sources = %q", got)
	}
	if got := l.column(t, "select id::text from memory_facts where id = $1", word); len(got) != 0 {
		t.Error("a fact is there whose words nobody said")
	}
	l.stays(t, "brother", "karl", "a terrier")
}

func TestForgetFact(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		keep bool
		gone []string
	}{
		"with its words":     {false, []string{"biscuit", "terrier"}},
		"the sentence alone": {true, []string{"has a terrier called"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLife(t, newHouse(t, nil))
			f := l.forget(t, forget.Request{Fact: l.facts["Margaret has a terrier called Biscuit."], KeepWords: row.keep})
			if f.Facts != 1 || f.Turns != map[bool]int{false: 2, true: 0}[row.keep] {
				t.Errorf("forgot %+v", f)
			}
			l.gone(t, row.gone...)
			l.stays(t, "karl")
			l.verified(t, f)
		})
	}
}

// A day is the person's own: in New York, three in the morning UTC is still the
// evening before.
func TestForgetDay(t *testing.T) {
	t.Parallel()
	l := newLife(t, newHouse(t, nil))
	late := time.Date(2026, time.November, 4, 3, 0, 0, 0, time.UTC)
	l.keep(t, talk(l.in, "evening", late, "I heard an owl.")...)
	l.keep(t, talk(l.in, "next", late.Add(5*time.Hour), "I saw a heron.")...)
	f := l.forget(t, forget.Request{Day: "2026-11-03"})
	if f.Turns != 9 || f.Facts != 2 {
		t.Errorf("forgot %+v", f)
	}
	l.gone(t, "owl", "karl", "biscuit", "cards")
	l.stays(t, "heron")
	l.verified(t, f)
}

func TestForgetAll(t *testing.T) {
	t.Parallel()
	l := newLife(t, newHouse(t, nil))
	other := newLife(t, l.house)
	l.limit(t, l.in, memories.NeverRaise, "accident", nil)
	f := l.forget(t, forget.Request{All: true})
	l.verified(t, f)
	if n := l.column(t, "select text from memory_turns where person_id = $1 union all select text from utterances where call_id = $2 and text <> ''",
		l.in.Person.UUID, l.call.UUID); len(n) != 0 {
		t.Errorf("left %q", n)
	}
	if got := l.column(t, "select topic from memory_limits"); !slices.Equal(got, []string{"accident"}) {
		t.Errorf("limits = %q: they are the person's wish", got)
	}
	if got := other.ask(t, other.in, "Karl").Hits; len(got) == 0 {
		t.Error("somebody else forgot as well")
	}
}

// Whoever learns from a call, and read its transcript before it was forgotten,
// does not bring it back. Somebody who means it does.
func TestForgottenStaysForgotten(t *testing.T) {
	t.Parallel()
	l := newLife(t, newHouse(t, nil))
	before, err := l.st.MemoryTurns(t.Context(), nil, l.turns)
	if err != nil {
		t.Fatal(err)
	}
	pending, err := l.st.AddUtterance(t.Context(), calls.Utterance{CallID: l.call, Role: calls.RoleUser, Text: "Karl rang again.", At: november})
	if err != nil {
		t.Fatal(err)
	}
	late := memory.Turn{
		Scope: l.in, Conversation: l.call.String(), Speaker: calls.RoleUser, Text: pending.Text, At: november,
		Source: memories.FromCall, SourceKey: memory.CallKey(l.call, pending.ID),
	}
	l.forget(t, forget.Request{Topic: "Karl"})
	kept := l.keep(t, append(before, late)...)
	if kept.Added != 0 || kept.Left != 2 || kept.Unchanged != 7 {
		t.Errorf("kept %+v", kept)
	}
	l.gone(t, "karl")
	late.Source, late.Text = memories.FromAPI, "Karl is back."
	l.keep(t, late)
	l.stays(t, "karl is back.")
}

// Vectors that cannot be deleted are deleted later, without any embedder.
func TestForgetWhileVectorsAreAway(t *testing.T) {
	t.Parallel()
	l := newLife(t, newHouse(t, nil))
	l.shelf.fail(errAway)
	f := l.forget(t, forget.Request{All: true})
	if _, err := l.Verify(t.Context(), f); err == nil {
		t.Error("verified though vectors are away")
	}
	if n, err := l.EraseForgotten(t.Context()); err == nil {
		t.Errorf("erased %d while vectors are away", n)
	}
	if pending, err := l.st.Erasures(t.Context(), 2); err != nil || len(pending) != 1 || pending[0].Person != l.in.Person {
		t.Errorf("erasure pending: %v, %v", pending, err)
	}
	l.shelf.fail(nil)
	l.emb.fail(errAway)
	l.do(t, "update memory_queue set claimed_until = null")
	if _, err := l.EraseForgotten(t.Context()); err != nil {
		t.Fatal(err)
	}
	l.emb.fail(nil)
	l.verified(t, f)
	if pending, err := l.st.Erasures(t.Context(), 2); err != nil || len(pending) != 0 {
		t.Errorf("erasure pending: %v, %v", pending, err)
	}
}

// A vector that nobody remembers having written goes with the next forgetting.
func TestStrayVectorsAreDeleted(t *testing.T) {
	t.Parallel()
	l := newLife(t, newHouse(t, nil))
	l.do(t, "alter table memory_windows disable trigger memory_windows_queued")
	l.do(t, "delete from memory_windows")
	l.do(t, "alter table memory_windows enable trigger memory_windows_queued")
	f := l.forget(t, forget.Request{Memories: []uuid.UUID{l.turns[0]}})
	l.verified(t, f)
	ids, err := l.shelf.IDs(t.Context(), index.Scope(l.in))
	if err != nil {
		t.Fatal(err)
	}
	if left := l.column(t, "select id::text from memory_facts union select id::text from memory_entities union select id::text from memory_windows"); len(ids) > len(left) {
		t.Errorf("%d vectors for %d things", len(ids), len(left))
	}
}

func TestForgetPersonIsTold(t *testing.T) {
	t.Parallel()
	var told []store.PersonID
	h := newHouse(t, func(c *Config) { c.Forgot = func(id store.PersonID) { told = append(told, id) } })
	h.st.OnDelete(h.ForgetPerson)
	l := newLife(t, h)
	if err := h.st.DeletePerson(t.Context(), l.in.Person); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(told, []store.PersonID{l.in.Person}) {
		t.Errorf("told of %v", told)
	}
	l.gone(t, "karl", "biscuit")
	for _, table := range []string{"memory_vectors", "memory_queue", "memory_erasures", "memory_tombstones"} {
		if got := l.column(t, "select x::text from "+table+" x"); len(got) != 0 {
			t.Errorf("%s has %q", table, got)
		}
	}
}

func TestForgetRefuses(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	l, other := newLife(t, h), newLife(t, h)
	before := l.everything(t)
	for name, row := range map[string]struct {
		r    forget.Request
		want error
	}{
		"nobody":              {forget.Request{All: true}, memory.ErrEmptyScope},
		"nothing":             {forget.Request{Person: l.in.Person}, memory.ErrInvalid},
		"two things":          {forget.Request{Person: l.in.Person, All: true, Topic: "Karl"}, memory.ErrInvalid},
		"no day":              {forget.Request{Person: l.in.Person, Day: "yesterday"}, memory.ErrInvalid},
		"an endless topic":    {forget.Request{Person: l.in.Person, Topic: strings.Repeat("x", 101)}, memory.ErrInvalid},
		"unknown person":      {forget.Request{Person: store.NewPersonID(), All: true}, store.ErrNotFound},
		"unknown memory":      {forget.Request{Person: l.in.Person, Memories: []uuid.UUID{uuid.New()}}, store.ErrNotFound},
		"somebody else's":     {forget.Request{Person: l.in.Person, Memories: []uuid.UUID{l.turns[0], other.turns[0]}}, store.ErrNotFound},
		"unknown fact":        {forget.Request{Person: l.in.Person, Fact: uuid.New()}, store.ErrNotFound},
		"somebody else's one": {forget.Request{Person: l.in.Person, Fact: other.facts["Margaret has a terrier called Biscuit."]}, store.ErrNotFound},
	} {
		if _, err := l.Forget(t.Context(), row.r); !errors.Is(err, row.want) {
			t.Errorf("%s: %v, want %v", name, err, row.want)
		}
	}
	if diff := cmp.Diff(before, l.everything(t)); diff != "" {
		t.Error(diff)
	}
}

func TestSweep(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	l, other := newLife(t, h), newLife(t, h)
	l.keep(t, talk(l.in, "later", november.AddDate(0, 1, 0), "The heron is back.")...)
	n, err := h.Sweep(t.Context(), november.AddDate(0, 0, 1))
	if err != nil || n != len(l.turns)+len(other.turns) {
		t.Errorf("swept %d, %v", n, err)
	}
	l.gone(t, "biscuit", "karl", "cards")
	l.stays(t, "heron")
	if n, err := h.Sweep(t.Context(), november.AddDate(0, 0, 1)); n != 0 || err != nil {
		t.Errorf("swept %d again, %v", n, err)
	}
}

// What belongs to nobody in particular, and what people said who are not
// remembered, is kept no longer than the rest.
func TestSweepReachesAllOwners(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	quiet := &life{house: h, in: memory.Scope{Person: h.person(t, "Rose", people.ScopeRecording).ID}}
	old, recent := november, november.AddDate(0, 1, 0)
	call := quiet.called(t)
	for at, text := range map[time.Time]string{old: "A wren sang.", recent: "A heron came."} {
		if _, err := h.st.AddUtterance(t.Context(), calls.Utterance{CallID: call, Role: calls.RoleUser, Text: text, At: at}); err != nil {
			t.Fatal(err)
		}
	}
	family := uuid.New()
	h.do(t, "insert into chat_projects (id, name) values ($1, 'family')", family)
	for i, in := range []memory.Scope{{Session: uuid.New()}, {Session: uuid.New(), Project: family}, {Person: quiet.in.Person, Session: uuid.New()}} {
		var person, project *uuid.UUID
		if in.Person.Known() {
			person = &in.Person.UUID
		}
		if in.Project != uuid.Nil {
			project = &in.Project
		}
		h.do(t, "insert into chat_sessions (id, external_id, name, person_id, project_id) values ($1, $2, 'On owls', $3, $4)", in.Session, strconv.Itoa(i), person, project)
		for at, text := range map[time.Time]string{old: "An owl hooted.", recent: "A heron flew."} {
			h.do(t, "insert into chat_episodes (session_id, message, response, tokens, created_at) values ($1, $2, 'I see.', 3, $3)", in.Session, text, at)
			if !in.Person.Known() {
				h.keep(t, memory.Turn{Scope: in, Conversation: in.Session.String(), Speaker: calls.RoleUser, Text: text, At: at, Source: memories.FromChat})
			}
		}
	}
	n, err := h.Sweep(t.Context(), old.AddDate(0, 0, 1))
	if err != nil || n != 2 {
		t.Errorf("swept %d, %v", n, err)
	}
	quiet.gone(t, "owl", "wren")
	quiet.stays(t, "a heron came", "a heron flew")
	if got := h.column(t, "select text from memory_turns"); len(got) != 2 {
		t.Errorf("left %q", got)
	}
	if n, err := h.Sweep(t.Context(), old.AddDate(0, 0, 1)); n != 0 || err != nil {
		t.Errorf("swept %d again, %v", n, err)
	}
}

// What is written by chat, and the words of health answers, go too.
func TestForgetReachesChatAndHealth(t *testing.T) {
	t.Parallel()
	l := newLife(t, newHouse(t, nil))
	session := uuid.New()
	l.do(t, "insert into chat_sessions (id, external_id, name, person_id) values ($1, 'one', 'About Karl', $2)", session, l.in.Person.UUID)
	var episodes []int64
	for _, said := range []string{"Karl writes to me.", "I like soup."} {
		e, kept, err := l.st.AddChatEpisode(t.Context(), chats.Episode{SessionID: session, Message: said, Response: "I see.", Tokens: 3})
		if err != nil || !kept {
			t.Fatal(kept, err)
		}
		episodes = append(episodes, e.ID)
	}
	key := memory.EpisodeKey(session, episodes[1], calls.RoleUser)
	soup := l.keep(t, memory.Turn{
		Scope: memory.Scope{Person: l.in.Person, Session: session}, Conversation: session.String(), Speaker: calls.RoleUser, Text: "I like soup.",
		At: november, Source: memories.FromChat, SourceKey: key,
	}).IDs[0]
	l.do(t, "insert into health_checks (call_id, person_id, status, started_at, ended_at, questions) values ($1, $2, 'completed', $3, $3, '{\"x\": \"Karl\"}')",
		l.call.UUID, l.in.Person.UUID, november)
	l.do(t, `insert into health_answers (call_id, person_id, seq, question_id, question, type, status, value, quote, confidence, attempts, at, carried, earlier)
		values ($1, $2, 0, 'sleep', 'How did you sleep?', 'boolean', 'answered', 'true', 'Karl snored.', 1, 1, $3, false, '[{"quote": "Karl did"}]')`,
		l.call.UUID, l.in.Person.UUID, november)
	for i, said := range []string{"Karl comes for tea", "Sowing beans"} { // answers that are words themselves
		l.do(t, `insert into health_answers (call_id, person_id, seq, question_id, question, type, status, value, quote, confidence, attempts, at, carried, earlier)
			values ($1, $2, $3, $4, 'What are your plans?', 'text', 'answered', to_jsonb($5::text), '', 1, 1, $6, false, jsonb_build_array(jsonb_build_object('value', $5::text)))`,
			l.call.UUID, l.in.Person.UUID, i+1, fmt.Sprint("plans", i), said, november)
	}
	l.verified(t, l.forget(t, forget.Request{Topic: "Karl"}))
	l.gone(t, "karl")
	l.stays(t, `"value":"sowing beans"`)
	l.stays(t, "i like soup", `"value":true`)
	l.verified(t, l.forget(t, forget.Request{Memories: []uuid.UUID{soup}}))
	l.gone(t, "soup")
}

// An answer may wait in a check's thread while its words are forgotten: it is
// written without them later. What is answered afterwards has its words.
func TestForgetReachesChecksThatAreNotWritten(t *testing.T) {
	t.Parallel()
	for name, r := range map[string]forget.Request{
		"a topic": {Topic: "Karl"}, "a day": {Day: time.Now().In(newYork(t)).Format(time.DateOnly)}, "all": {All: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLife(t, newHouse(t, nil))
			if _, err := l.st.GiveConsent(t.Context(), l.in.Person, people.Consent{Scope: people.ScopeRecording, GivenBy: "Margaret", How: "on paper"}); err != nil {
				t.Fatal(err)
			}
			call := l.called(t)
			l.do(t, "insert into checkpoint_threads (thread, head, rev, data) values ($1, gen_random_uuid(), 1, '')", "health_check:"+l.in.Person.String()+":conv")
			said := time.Now()
			f := l.forget(t, r)
			l.verified(t, f)
			hc := checks.Check{CallID: call, PersonID: l.in.Person, Status: checks.Completed, StartedAt: said, EndedAt: said}
			for at, quote := range map[time.Time]string{said: "Karl snored.", said.Add(2 * time.Minute): "The owl woke me."} {
				hc.Answers = append(hc.Answers, checks.Answer{
					QuestionID: quote, Question: "Why?", Type: "text", Status: "answered", Value: fmt.Appendf(nil, "%q", quote), Quote: quote, At: at,
					Earlier: []checks.Reading{{Status: "answered", Value: []byte(`"Karl did"`), Quote: "Karl did", At: said}},
				})
			}
			if err := l.st.SaveHealthCheck(t.Context(), hc); err != nil {
				t.Fatal(err)
			}
			got := l.column(t, "select quote || value::text || earlier::text from health_answers order by quote")
			if len(got) != 2 || strings.Contains(strings.Join(got, ""), "Karl") || !strings.Contains(got[1], "owl") {
				t.Errorf("written: %q", got)
			}
			l.do(t, "update people set forgotten_until = null")
			if checks, err := l.Verify(t.Context(), f); err != nil || !slices.Contains(checks, forget.Check{Place: "checkpoints", Found: 1}) {
				t.Errorf("a thread whose words would be written is not told of: %v, %v", checks, err)
			}
		})
	}
}

// While somebody forgets, somebody learns: in whatever order, nothing is left of
// what was forgotten, and all of the rest is there.
func TestForgetWhileKeeping(t *testing.T) {
	t.Parallel()
	l := newLife(t, newHouse(t, nil))
	all, err := l.st.MemoryTurns(t.Context(), nil, l.turns)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		for ctx.Err() == nil {
			if _, err := l.Keep(context.WithoutCancel(ctx), all); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	f := l.forget(t, forget.Request{Topic: "Biscuit"})
	cancel()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	l.index(t)
	l.verified(t, f)
	l.gone(t, "biscuit", "terrier")
}

func newYork(t *testing.T) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	return zone
}
