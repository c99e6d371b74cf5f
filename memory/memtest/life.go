package memtest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/memory/forget"
	"github.com/naiber/naiber/memory/search"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/memories"
)

// Life is a person with a call and all that is learned from it: a brother Karl
// and a dog Biscuit.
type Life struct {
	*House

	In    memory.Scope
	Call  store.CallID
	Turns []uuid.UUID
	Facts map[string]uuid.UUID
	Lines []int64
}

// spoken is what is said in the call of a life.
var spoken = []string{
	"a: Hello, how are you?", "My brother came to see me.", "a: What did you do with your brother?", "We played cards all evening.",
	"Karl always wins.", "a: And the dog?", "Biscuit chewed a shoe.", "Biscuit is a terrier.",
}

// NewLife makes a Life in a house.
func NewLife(t testing.TB, h *House) *Life {
	t.Helper()
	l := &Life{House: h, In: h.Margaret(t), Facts: map[string]uuid.UUID{}}
	l.Call = l.Called(t)
	var said []memory.Turn
	for i, turn := range Talk(l.In, l.Call.String(), November, spoken...) {
		u, err := h.Store.AddUtterance(t.Context(), calls.Utterance{CallID: l.Call, Role: turn.Speaker, Text: turn.Text, At: turn.At})
		if err != nil {
			t.Fatal(err)
		}
		kind := `{"role": "user", "text": %q}`
		if _, err := h.Store.AddEvent(t.Context(), l.Call, "heard", fmt.Appendf(nil, kind, turn.Text), ""); err != nil {
			t.Fatal(err)
		}
		if turn.Speaker == calls.RoleUser {
			if err := h.Store.StartTurn(t.Context(), calls.Turn{
				ID: store.NewTurnID(), CallID: l.Call, Place: i, Attempt: 1, Kind: calls.TurnSpeech, Heard: turn.Text, Persona: "general", At: turn.At,
			}); err != nil {
				t.Fatal(err)
			}
		}
		turn.CallID, turn.SourceKey = l.Call, memory.CallKey(l.Call, u.ID)
		l.Lines = append(l.Lines, u.ID)
		said = append(said, turn)
	}
	l.Turns = h.MustKeep(t, said...).IDs
	l.Learn(t)
	l.MustIndex(t)
	return l
}

func (l *Life) Called(t testing.TB) store.CallID {
	t.Helper()
	c, err := l.Store.CreateCall(t.Context(), calls.NewCall{PersonID: l.In.Person, Type: calls.CallGeneral, Direction: calls.Inbound, Phone: "+15550100123"})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := l.Store.FinishCall(t.Context(), c.ID, calls.Ending{Outcome: calls.OutcomeReached, Cause: "goodbye", By: "person"}, nil); err != nil {
		t.Fatal(err)
	}
	return c.ID
}

func (l *Life) Fact(t testing.TB, text string, turns ...int) uuid.UUID {
	t.Helper()
	id := uuid.New()
	var from []uuid.UUID
	for _, i := range turns {
		from = append(from, l.Turns[i])
	}
	l.Tx(t, func(tx store.Tx) error {
		if err := l.Store.AddMemoryFact(t.Context(), tx, memories.Fact{
			ID: id, PersonID: l.In.Person, Text: text, Kind: "person", Topic: "family", Confidence: 0.9, LearnedAt: November,
		}, from, nil); err != nil {
			return err
		}
		return l.Refresh(t.Context(), tx, from...)
	})
	l.Facts[text] = id
	return id
}

func (l *Life) Tx(t testing.TB, do func(tx store.Tx) error) {
	t.Helper()
	if err := l.Store.InTx(t.Context(), do); err != nil {
		t.Fatal(err)
	}
}

func (l *Life) Entity(t testing.TB, kind, name, notes string, aliases []string, turns ...int) uuid.UUID {
	t.Helper()
	id := uuid.New()
	var from []uuid.UUID
	for _, i := range turns {
		from = append(from, l.Turns[i])
	}
	l.Tx(t, func(tx store.Tx) error {
		return l.Store.SaveMemoryEntity(t.Context(), tx, l.In.Person, memories.Entity{ID: id, Kind: kind, Name: name, Notes: notes, Aliases: aliases}, November, from)
	})
	return id
}

// learn keeps what would be learned from the call.
func (l *Life) Learn(t testing.TB) {
	t.Helper()
	visit := l.Fact(t, "Margaret's brother Karl visited her.", 1, 4)
	l.Fact(t, "Margaret has a terrier called Biscuit.", 6, 7)
	self := l.Entity(t, "person", "Margaret", "", []string{"margaret"})
	karl := l.Entity(t, "person", "Karl", "her brother", []string{"karl"}, 1, 4)
	dog := l.Entity(t, "pet", "Biscuit", "a terrier", []string{"biscuit"}, 6, 7)
	l.Tx(t, func(tx store.Tx) error {
		for _, r := range []memories.Relation{
			{ID: uuid.New(), From: karl, To: self, Label: "brother_of", FactID: visit, Since: November},
			{ID: uuid.New(), From: self, To: dog, Label: "owns", Since: November.Add(7 * time.Minute)},
		} {
			if err := l.Store.AddMemoryRelation(t.Context(), tx, r); err != nil {
				return err
			}
		}
		if err := l.Store.AddPersonSummary(t.Context(), tx, memories.MemorySummary{
			ID: uuid.New(), PersonID: l.In.Person, Text: "Margaret had a visit.", FromTurn: l.Turns[0], ToTurn: l.Turns[7],
			FromAt: November, ToAt: November.Add(7 * time.Minute), Turns: 8, Tokens: 10,
		}); err != nil {
			return err
		}
		return l.Store.AddMemoryPromise(t.Context(), tx, memories.Promise{
			ID: uuid.New(), PersonID: l.In.Person, Text: "I will ask about the cards.", Kind: "follow_up", CallID: l.Call, TurnID: l.Turns[3],
		})
	})
	if err := l.Store.SaveSummary(t.Context(), nil, memories.Summary{CallID: l.Call, PersonID: l.In.Person, Text: "Her brother came."}); err != nil {
		t.Fatal(err)
	}
	mentions := []memories.TopicMention{{Label: "brother", Mentions: 1}, {Label: "dog", Mentions: 2}}
	if err := l.Store.SaveTopics(t.Context(), l.In.Person, l.Call, November, mentions); err != nil {
		t.Fatal(err)
	}
}

func (l *Life) MustIndex(t testing.TB) {
	t.Helper()
	if _, err := l.IndexPending(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func (l *Life) MustForget(t testing.TB, r forget.Request) forget.Forgotten {
	t.Helper()
	r.Person = l.In.Person
	f, err := l.Forget(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// verified holds that nothing of it resurfaces.
func (l *Life) Verified(t testing.TB, f forget.Forgotten) {
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
func (l *Life) Everything(t testing.TB) string {
	t.Helper()
	var all []string
	for _, table := range []string{
		"memory_turns", "memory_windows", "memory_facts", "memory_entities", "memory_aliases", "memory_relations", "memory_summaries",
		"memory_promises", "memory_terms", "utterances", "turns", "call_events", "summaries", "topics", "chat_episodes", "chat_sessions", "chat_summaries",
		"health_answers", "health_checks", "audit",
	} {
		all = append(all, l.Column(t, "select row_to_json(x)::text from "+table+" x")...)
	}
	return strings.ToLower(strings.Join(all, "\n"))
}

func (l *Life) Gone(t testing.TB, words ...string) {
	t.Helper()
	all := l.Everything(t)
	for _, w := range words {
		if at := strings.Index(all, w); at >= 0 {
			t.Errorf("%q is still there: …%s…", w, all[max(0, at-100):min(len(all), at+100)])
		}
	}
}

func (l *Life) Stays(t testing.TB, words ...string) {
	t.Helper()
	all := l.Everything(t)
	for _, w := range words {
		if !strings.Contains(all, w) {
			t.Errorf("%q is gone", w)
		}
	}
}

// NewYork is where people live.
func NewYork(t testing.TB) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

// Only returns settings with one list.
func Only(name string) func(*search.Query) {
	set := search.DefaultSettings()
	set.Similarity = 0.1
	if name == search.ListKeyword {
		set.VectorWeight = 0
	} else {
		set.KeywordWeight = 0
	}
	return func(q *search.Query) { q.Settings = &set }
}
