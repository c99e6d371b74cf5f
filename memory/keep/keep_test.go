package keep_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/memory/memtest"
	"github.com/naiber/naiber/memory/search"
	"github.com/naiber/naiber/memory/service"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/memories"
	"github.com/naiber/naiber/store/people"
)

const windowTexts = "select w.text from memory_windows w join memory_turns t on t.id = w.id order by t.conversation, t.seq"

func TestKeepWritesWindows(t *testing.T) {
	t.Parallel()
	h := memtest.New(t, nil)
	in := h.Margaret(t)
	h.MustKeep(t, memtest.Talk(in, "call", memtest.November, "a: How is Tom?", "He came home.", "a: I am glad.", "So am I.")...)
	// It was ten o'clock where Margaret lives.
	want := []string{
		"Tuesday, 3 November 2026\nnAIber: How is Tom?",
		"Tuesday, 3 November 2026\nnAIber: How is Tom?\nMargaret: He came home.",
		"Tuesday, 3 November 2026\nnAIber: How is Tom?\nMargaret: He came home.\nnAIber: I am glad.",
		"Tuesday, 3 November 2026\nMargaret: He came home.\nnAIber: I am glad.\nMargaret: So am I.",
	}
	if diff := cmp.Diff(want, h.Column(t, windowTexts)); diff != "" {
		t.Error(diff)
	}
	if got := h.Column(t, "select lexeme from memory_terms where lexeme in ('tom', 'glad', 'the') order by lexeme"); !slices.Equal(got, []string{"glad", "tom"}) {
		t.Errorf("terms = %q", got)
	}
}

// TestPauseEndsWindows holds apart what was said with an hour or more between.
func TestPauseEndsWindows(t *testing.T) {
	t.Parallel()
	h := memtest.New(t, nil)
	in := h.Margaret(t)
	turns := memtest.Talk(in, "chat", memtest.November, "The boiler is out.", "a: Is somebody coming?", "Lionel, at noon.", "He mended it.", "a: Good.")
	for i := 3; i < len(turns); i++ {
		turns[i].At = turns[i].At.Add(time.Hour)
	}
	h.MustKeep(t, turns...)
	const sizes = "select cardinality(w.turn_ids)::text from memory_windows w join memory_turns t on t.id = w.id order by t.seq"
	if got := h.Column(t, sizes); !slices.Equal(got, []string{"1", "2", "3", "1", "2"}) {
		t.Errorf("windows of %v turns", got)
	}
	turns[3].At = turns[3].At.Add(-2 * time.Minute) // nearer than an hour to the one before it
	h.MustKeep(t, turns...)
	if got := h.Column(t, sizes); !slices.Equal(got, []string{"1", "2", "3", "3", "3"}) {
		t.Errorf("windows of %v turns where no hour lies between", got)
	}
}

func TestKeepTwiceChangesNothing(t *testing.T) {
	t.Parallel()
	h := memtest.New(t, nil)
	in := h.Margaret(t)
	turns := memtest.Talk(in, "call", memtest.November, "a: How is Tom?", "He came home.", "a: I am glad.", "So am I.")
	first := h.MustKeep(t, turns...)
	before := h.Column(t, "select row_to_json(w)::text from memory_windows w order by id")
	again := h.MustKeep(t, turns...)
	if first.Added != 4 || again.Unchanged != 4 || again.Added+again.Replaced != 0 || !slices.Equal(first.IDs, again.IDs) {
		t.Errorf("kept %+v, then %+v", first, again)
	}
	if diff := cmp.Diff(before, h.Column(t, "select row_to_json(w)::text from memory_windows w order by id")); diff != "" {
		t.Error(diff)
	}
	if n, err := h.Pending(t.Context()); n != 0 || err != nil {
		t.Errorf("%d vectors to make, %v; want none", n, err)
	}
}

func TestReplacedTurnIsFoundAnew(t *testing.T) {
	t.Parallel()
	h := memtest.New(t, nil)
	in := h.Margaret(t)
	turns := memtest.Talk(in, "call", memtest.November, "a: How is Tom?", "He is in Boston.", "a: I see.")
	h.MustKeep(t, turns...)
	turns[1].Text = "He is in Chicago."
	if kept := h.MustKeep(t, turns...); kept.Replaced != 1 || kept.Unchanged != 2 {
		t.Errorf("kept %+v", kept)
	}
	if got := memtest.Texts(h.Ask(t, in, "Chicago").Hits); !slices.Contains(got, "He is in Chicago.") {
		t.Errorf("found %q", got)
	}
	set := search.DefaultSettings()
	set.VectorWeight = 0
	if got := h.Ask(t, in, "Boston", func(q *search.Query) { q.Settings = &set }); len(got.Hits) != 0 {
		t.Errorf("found %q, which nobody said any more", memtest.Texts(got.Hits))
	}
	if got := h.Column(t, "select lexeme from memory_terms where lexeme = 'boston'"); len(got) != 0 {
		t.Error("a word that nobody says any more is still counted")
	}
}

func TestKeepNeedsConsent(t *testing.T) {
	t.Parallel()
	h := memtest.New(t, nil)
	yes, no := h.Margaret(t), memory.Scope{Person: h.Person(t, "Rose", people.ScopeCalls).ID}
	turns := append(memtest.Talk(yes, "one", memtest.November, "I like tea."), memtest.Talk(no, "two", memtest.November, "I like coffee.")...)
	if _, err := h.Keep(t.Context(), turns); !errors.Is(err, memory.ErrNoConsent) {
		t.Errorf("Keep: %v", err)
	}
	if got := h.Column(t, "select text from memory_turns"); len(got) != 0 {
		t.Errorf("kept %q", got)
	}
}

func TestKeepRefuses(t *testing.T) {
	t.Parallel()
	h := memtest.New(t, nil)
	in := h.Margaret(t)
	other := memory.Scope{Person: h.Person(t, "Rose", people.ScopeMemory).ID}
	mine := h.MustKeep(t, memtest.Talk(in, "call", memtest.November, "I like tea.")...).IDs[0]
	for name, row := range map[string]struct {
		change func(*memory.Turn)
		want   error
	}{
		"nobody's":          {func(x *memory.Turn) { x.Scope = memory.Scope{} }, memory.ErrEmptyScope},
		"empty":             {func(x *memory.Turn) { x.Text = " \x00\n" }, memory.ErrInvalid},
		"endless":           {func(x *memory.Turn) { x.Text = strings.Repeat("la ", 25_000) }, memory.ErrInvalid},
		"unknown speaker":   {func(x *memory.Turn) { x.Speaker = "nurse" }, memory.ErrInvalid},
		"unknown source":    {func(x *memory.Turn) { x.Source = "rumour" }, memory.ErrInvalid},
		"no time":           {func(x *memory.Turn) { x.At = time.Time{} }, memory.ErrInvalid},
		"negative place":    {func(x *memory.Turn) { x.Seq = -1 }, memory.ErrInvalid},
		"somebody's id":     {func(x *memory.Turn) { x.ID, x.Scope = mine, other }, memory.ErrOtherOwner},
		"a place taken":     {func(x *memory.Turn) { x.ID, x.SourceKey, x.Seq = uuid.New(), "", 1 }, store.ErrConflict},
		"an unknown person": {func(x *memory.Turn) { x.Scope = memory.Scope{Person: store.NewPersonID()} }, store.ErrNotFound},
	} {
		turn := memtest.Talk(in, "call", memtest.November, "I like tea.", "And cake.")[1]
		row.change(&turn)
		if _, err := h.Keep(t.Context(), []memory.Turn{turn}); !errors.Is(err, row.want) {
			t.Errorf("%s: %v, want %v", name, err, row.want)
		}
	}
	if got := h.Column(t, "select text from memory_turns"); len(got) != 1 {
		t.Errorf("memory holds %q", got)
	}
}

func TestNeverStored(t *testing.T) {
	t.Parallel()
	h := memtest.New(t, nil)
	in := h.Margaret(t)
	h.Limit(t, in, memories.NeverStore, "my brothers", nil)
	kept := h.MustKeep(t, memtest.Talk(in, "call", memtest.November, "a: And your brother?", "He is in prison.", "a: I am sorry.", "I like tea.", "My brother hates it.")...)
	if kept.Left != 3 || kept.Added != 2 || kept.IDs[1] != uuid.Nil || kept.IDs[3] == uuid.Nil {
		t.Errorf("kept %+v", kept)
	}
	if got := h.Column(t, "select text from memory_turns order by seq"); !slices.Equal(got, []string{"I am sorry.", "I like tea."}) {
		t.Errorf("memory holds %q", got)
	}
}

// TestWindowsFollowTurns keeps, replaces and deletes turns at random; the windows
// must always be those that the same turns get when they are kept at once.
func TestWindowsFollowTurns(t *testing.T) {
	t.Parallel()
	h := memtest.New(t, func(c *service.Config) { c.Vectors, c.Embedder = nil, nil })
	in := h.Margaret(t)
	r := rand.New(rand.NewPCG(3, 4))
	now := map[int]memory.Turn{}
	for step := range 60 {
		at := 1 + r.IntN(7)
		turn := memory.Turn{
			Scope: in, Conversation: "call", Seq: at, Speaker: calls.RoleUser, Text: fmt.Sprintf("word%d", step),
			At: memtest.November.Add(time.Duration(at) * time.Minute), Source: memories.FromCall, SourceKey: strconv.Itoa(at),
		}
		if old, there := now[at]; there && r.IntN(2) == 0 {
			if n, err := h.Delete(t.Context(), in, old.ID); n != 1 || err != nil {
				t.Fatalf("deleted %d, %v", n, err)
			}
			delete(now, at)
			h.Exec(t, "delete from memory_tombstones") // it may come again here
		} else {
			turn.ID = h.MustKeep(t, turn).IDs[0]
			now[at] = turn
		}
		if diff := cmp.Diff(expectedWindows(t, now), h.Column(t, windowTexts)); diff != "" {
			t.Fatalf("step %d: %s", step, diff)
		}
	}
	h.CheckTerms(t)
}

func expectedWindows(t *testing.T, now map[int]memory.Turn) []string {
	t.Helper()
	var turns []memory.Turn
	for at := range 8 {
		if x, ok := now[at]; ok {
			x.Name = "Margaret"
			turns = append(turns, x)
		}
	}
	var want []string
	for i := range turns {
		begin := max(0, i-2)
		lines := []string{turns[begin].At.In(memtest.NewYork(t)).Format("Monday, 2 January 2006")}
		for _, turn := range turns[begin : i+1] {
			lines = append(lines, "Margaret: "+turn.Text)
		}
		want = append(want, strings.Join(lines, "\n"))
	}
	return want
}

func TestKeepAtOnce(t *testing.T) {
	t.Parallel()
	h := memtest.New(t, nil)
	in := h.Margaret(t)
	var wg sync.WaitGroup
	for i := range 12 {
		wg.Go(func() {
			turn := memory.Turn{
				Scope: in, Conversation: "call", Speaker: calls.RoleUser, Text: fmt.Sprintf("word%d", i%6), At: memtest.November,
				Source: memories.FromCall, SourceKey: strconv.Itoa(i % 6),
			}
			if _, err := h.Keep(t.Context(), []memory.Turn{turn}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if got := h.Column(t, "select seq::text from memory_turns order by seq"); !slices.Equal(got, []string{"1", "2", "3", "4", "5", "6"}) {
		t.Errorf("places %q", got)
	}
	if got := h.Column(t, "select text from memory_windows"); len(got) != 6 {
		t.Errorf("%d windows of 6 turns, want one each", len(got))
	}
	h.CheckTerms(t)
	if _, err := h.IndexPending(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestFactsExtendTheKey(t *testing.T) {
	t.Parallel()
	h := memtest.New(t, nil)
	in := h.Margaret(t)
	ids := h.MustKeep(t, memtest.Talk(in, "call", memtest.November, "a: And the little one?", "She has started with the cello.", "a: Lovely.")...).IDs
	if got := h.Ask(t, in, "granddaughter Emily"); len(got.Hits) != 0 {
		t.Fatalf("found %q too early", memtest.Texts(got.Hits))
	}
	err := h.Store.InTx(t.Context(), func(tx store.Tx) error {
		_, err := tx.Exec(t.Context(), `with f as (insert into memory_facts (id, person_id, text, kind, learned_at)
			values (gen_random_uuid(), $1, 'Margaret''s granddaughter Emily plays the cello.', 'person', now()) returning id)
			insert into memory_fact_sources select id, $2 from f`, in.Person.UUID, ids[1])
		return errors.Join(err, h.Refresh(t.Context(), tx, ids[1]))
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.IndexPending(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := memtest.Texts(h.Ask(t, in, "How is your granddaughter?").Hits); !slices.Contains(got, "She has started with the cello.") {
		t.Errorf("found %q", got)
	}
}
