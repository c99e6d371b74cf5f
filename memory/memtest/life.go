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

// Life is a person with a call and all that is learned from it: a brother Karl and a dog
// Biscuit.
type Life struct {
	*House

	In    memory.Scope
	Call  store.CallID
	Turns []uuid.UUID
	Facts map[string]uuid.UUID
	Lines []int64
}

// spoken is what is said in the call of a Life.
var spoken = []string{
	"a: Hello, how are you?", "My brother came to see me.", "a: What did you do with your brother?", "We played cards all evening.",
	"Karl always wins.", "a: And the dog?", "Biscuit chewed a shoe.", "Biscuit is a terrier.",
}

// NewLife creates a Life in a house.
func NewLife(tb testing.TB, h *House) *Life {
	tb.Helper()
	l := &Life{House: h, In: h.Margaret(tb), Facts: map[string]uuid.UUID{}}
	l.Call = l.Called(tb)
	var said []memory.Turn
	for i, turn := range Talk(l.In, l.Call.String(), November, spoken...) {
		u, err := h.Store.AddUtterance(tb.Context(), calls.Utterance{CallID: l.Call, Role: turn.Speaker, Text: turn.Text, At: turn.At})
		if err != nil {
			tb.Fatal(err)
		}
		kind := `{"role": "user", "text": %q}`
		if _, err := h.Store.AddEvent(tb.Context(), l.Call, "heard", fmt.Appendf(nil, kind, turn.Text), ""); err != nil {
			tb.Fatal(err)
		}
		if turn.Speaker == calls.RoleUser {
			if err := h.Store.StartTurn(tb.Context(), calls.Turn{
				ID: store.NewTurnID(), CallID: l.Call, Place: i, Attempt: 1, Kind: calls.TurnSpeech, Heard: turn.Text, Persona: "general", At: turn.At,
			}); err != nil {
				tb.Fatal(err)
			}
		}
		turn.CallID, turn.SourceKey = l.Call, memory.CallKey(l.Call, u.ID)
		l.Lines = append(l.Lines, u.ID)
		said = append(said, turn)
	}
	l.Turns = h.MustKeep(tb, said...).IDs
	l.Learn(tb)
	l.MustIndex(tb)
	return l
}

func (l *Life) Called(tb testing.TB) store.CallID {
	tb.Helper()
	c, err := l.Store.CreateCall(tb.Context(), calls.NewCall{PersonID: l.In.Person, Type: calls.CallGeneral, Direction: calls.Inbound, Phone: "+15550100123"})
	if err != nil {
		tb.Fatal(err)
	}
	if _, _, err := l.Store.FinishCall(tb.Context(), c.ID, calls.Ending{Verified: calls.Presumed, Outcome: calls.OutcomeReached, Cause: "goodbye", By: "person"}, nil); err != nil {
		tb.Fatal(err)
	}
	return c.ID
}

func (l *Life) Fact(tb testing.TB, text string, turns ...int) uuid.UUID {
	tb.Helper()
	id := uuid.New()
	var from []uuid.UUID
	for _, i := range turns {
		from = append(from, l.Turns[i])
	}
	l.Tx(tb, func(tx store.Tx) error {
		if err := l.Store.AddMemoryFact(tb.Context(), tx, memories.Fact{
			ID: id, PersonID: l.In.Person, Text: text, Kind: "person", Topic: "family", Confidence: 0.9, LearnedAt: November,
		}, from, nil); err != nil {
			return err
		}
		return l.Refresh(tb.Context(), tx, from...)
	})
	l.Facts[text] = id
	return id
}

func (l *Life) Tx(tb testing.TB, do func(tx store.Tx) error) {
	tb.Helper()
	if err := l.Store.InTx(tb.Context(), do); err != nil {
		tb.Fatal(err)
	}
}

func (l *Life) Entity(tb testing.TB, kind, name, notes string, aliases []string, turns ...int) uuid.UUID {
	tb.Helper()
	id := uuid.New()
	var from []uuid.UUID
	for _, i := range turns {
		from = append(from, l.Turns[i])
	}
	l.Tx(tb, func(tx store.Tx) error {
		return l.Store.SaveMemoryEntity(tb.Context(), tx, l.In.Person, memories.Entity{ID: id, Kind: kind, Name: name, Notes: notes, Aliases: aliases}, November, from)
	})
	return id
}

// Learn stores what would be learned from the call.
func (l *Life) Learn(tb testing.TB) {
	tb.Helper()
	visit := l.Fact(tb, "Margaret's brother Karl visited her.", 1, 4)
	l.Fact(tb, "Margaret has a terrier called Biscuit.", 6, 7)
	self := l.Entity(tb, "person", "Margaret", "", []string{"margaret"})
	karl := l.Entity(tb, "person", "Karl", "her brother", []string{"karl"}, 1, 4)
	dog := l.Entity(tb, "pet", "Biscuit", "a terrier", []string{"biscuit"}, 6, 7)
	l.Tx(tb, func(tx store.Tx) error {
		for _, r := range []memories.Relation{
			{ID: uuid.New(), From: karl, To: self, Label: "brother_of", FactID: visit, Since: November},
			{ID: uuid.New(), From: self, To: dog, Label: "owns", Since: November.Add(7 * time.Minute)},
		} {
			if err := l.Store.AddMemoryRelation(tb.Context(), tx, r); err != nil {
				return err
			}
		}
		if err := l.Store.AddPersonSummary(tb.Context(), tx, memories.MemorySummary{
			ID: uuid.New(), PersonID: l.In.Person, Text: "Margaret had a visit.", FromTurn: l.Turns[0], ToTurn: l.Turns[7],
			FromAt: November, ToAt: November.Add(7 * time.Minute), Turns: 8, Tokens: 10,
		}); err != nil {
			return err
		}
		return l.Store.AddMemoryPromise(tb.Context(), tx, memories.Promise{
			ID: uuid.New(), PersonID: l.In.Person, Text: "I will ask about the cards.", Kind: "follow_up", CallID: l.Call, TurnID: l.Turns[3],
		})
	})
	if err := l.Store.SaveSummary(tb.Context(), nil, memories.Summary{CallID: l.Call, PersonID: l.In.Person, Text: "Her brother came."}); err != nil {
		tb.Fatal(err)
	}
	mentions := []memories.TopicMention{{Label: "brother", Mentions: 1}, {Label: "dog", Mentions: 2}}
	if err := l.Store.SaveTopics(tb.Context(), l.In.Person, l.Call, November, mentions); err != nil {
		tb.Fatal(err)
	}
}

func (l *Life) MustIndex(tb testing.TB) {
	tb.Helper()
	if _, err := l.IndexPending(tb.Context()); err != nil {
		tb.Fatal(err)
	}
}

func (l *Life) MustForget(tb testing.TB, r forget.Request) forget.Forgotten {
	tb.Helper()
	r.Person = l.In.Person
	f, err := l.Forget(tb.Context(), r)
	if err != nil {
		tb.Fatal(err)
	}
	return f
}

// Verified fails the test unless [forget.Forgetter.Verify] finds nothing.
func (l *Life) Verified(tb testing.TB, f forget.Forgotten) {
	tb.Helper()
	checks, err := l.Verify(tb.Context(), f)
	if err != nil {
		tb.Fatal(err)
	}
	if len(checks) < 20 {
		tb.Errorf("%d places were looked at", len(checks))
	}
	for _, c := range checks {
		if c.Found != 0 {
			tb.Errorf("%s: %d are still there", c.Place, c.Found)
		}
	}
}

// Everything returns all text stored in the tables that hold words, in lower case.
func (l *Life) Everything(tb testing.TB) string {
	tb.Helper()
	var all []string
	for _, table := range []string{
		"memory_turns", "memory_windows", "memory_facts", "memory_entities", "memory_aliases", "memory_relations", "memory_summaries",
		"memory_promises", "memory_terms", "utterances", "turns", "call_events", "summaries", "topics", "chat_episodes", "chat_sessions", "chat_summaries",
		"health_answers", "health_checks", "health_questions", "discussions", "discussion_events", "discussion_actions", "audit",
	} {
		all = append(all, l.Column(tb, "select row_to_json(x)::text from "+table+" x")...)
	}
	return strings.ToLower(strings.Join(all, "\n"))
}

func (l *Life) Gone(tb testing.TB, words ...string) {
	tb.Helper()
	all := l.Everything(tb)
	for _, w := range words {
		if at := strings.Index(all, w); at >= 0 {
			tb.Errorf("%q is still there: …%s…", w, all[max(0, at-100):min(len(all), at+100)])
		}
	}
}

func (l *Life) Stays(tb testing.TB, words ...string) {
	tb.Helper()
	all := l.Everything(tb)
	for _, w := range words {
		if !strings.Contains(all, w) {
			tb.Errorf("%q is gone", w)
		}
	}
}

// NewYork returns the time zone of the people in tests.
func NewYork(tb testing.TB) *time.Location {
	tb.Helper()
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		tb.Fatal(err)
	}
	return zone
}

// Only returns a query option for settings with one list.
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
