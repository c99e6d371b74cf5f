package search_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/memory/memtest"
	"github.com/naiber/naiber/memory/search"
	"github.com/naiber/naiber/memory/service"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/memories"
)

// learned is a fact that was learned from a turn, and what closes it when.
type learned struct {
	text  string
	turn  uuid.UUID
	by    int // the place of the fact that took its place, from 1; 0: it holds
	until time.Time
}

func learn(t *testing.T, h *memtest.House, in memory.Scope, facts ...learned) []uuid.UUID {
	t.Helper()
	ids := make([]uuid.UUID, len(facts))
	err := h.Store.InTx(t.Context(), func(tx store.Tx) error {
		for i, f := range facts {
			ids[i] = uuid.New()
			err := h.Store.AddMemoryFact(t.Context(), tx, memories.Fact{
				ID: ids[i], PersonID: in.Person, Text: f.text, Kind: "life", Confidence: 1, LearnedAt: memtest.November.AddDate(-1, 0, i),
			}, []uuid.UUID{f.turn}, nil)
			if err != nil {
				return err
			}
		}
		for i, f := range facts {
			if f.by == 0 {
				continue
			}
			if ok, err := h.Store.CloseMemoryFact(t.Context(), tx, in.Person, ids[i], ids[f.by-1], f.until, f.until); err != nil || !ok {
				t.Errorf("close %q: %t, %v", f.text, ok, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.IndexPending(t.Context()); err != nil {
		t.Fatal(err)
	}
	return ids
}

// tom is what was said of Tom, the old in words that the question has more of.
func tom(t *testing.T, h *memtest.House, in memory.Scope) (old, now uuid.UUID) {
	t.Helper()
	old = h.MustKeep(t, memtest.Talk(in, "one", memtest.November.AddDate(0, -2, 0), "a: Where is Tom, your son?", "Tom, my son, is in hospital.")...).IDs[1]
	now = h.MustKeep(t, memtest.Talk(in, "two", memtest.November.AddDate(0, 0, -3), "a: Good morning.", "Hello dear.", "a: And your boy?",
		"He came home, so Tom eats again.")...).IDs[3]
	return old, now
}

func placeOf(hits []search.Hit, id uuid.UUID) int {
	return slices.IndexFunc(hits, func(h search.Hit) bool { return h.ID == id })
}

func TestOutdatedStandsBehindWhatIsTrue(t *testing.T) {
	t.Parallel()
	h := memtest.New(t, nil)
	in := h.Margaret(t)
	old, now := tom(t, h, in)
	const question = "Is my son Tom in hospital?"
	before := h.Ask(t, in, question).Hits
	if o, n := placeOf(before, old), placeOf(before, now); o < 0 || n < o {
		t.Fatalf("without facts the old turn is in place %d, the new one in %d", o, n)
	}
	home := memtest.November.AddDate(0, 0, -3)
	learn(t, h, in, learned{"Tom is in hospital.", old, 2, home}, learned{"Tom is at home.", now, 0, time.Time{}})
	got := h.Ask(t, in, question).Hits
	if len(got) != len(before) {
		t.Errorf("%d turns were found, and %d before", len(got), len(before))
	}
	o, n := got[placeOf(got, old)], got[placeOf(got, now)]
	if placeOf(got, n.ID) > placeOf(got, o.ID) || n.Block >= o.Block || n.Score <= o.Score {
		t.Errorf("what is true has place %d, block %d, score %v; what was: %d, %d, %v",
			placeOf(got, n.ID), n.Block, n.Score, placeOf(got, o.ID), o.Block, o.Score)
	}
	if n.Outdated != nil || o.Outdated == nil || !o.Outdated.Since.Equal(home) || o.Outdated.Now != "Tom is at home." {
		t.Errorf("the old turn is outdated by %+v, the new one by %+v", o.Outdated, n.Outdated)
	}
	written := strings.Join(service.Lines(got, memtest.November.Location(), memtest.November), "\n")
	if want := "Tom, my son, is in hospital. (no longer so since 31 Oct: Tom is at home.)"; !strings.Contains(written, want) {
		t.Errorf("recalled %q, without %q", written, want)
	}
	early := h.Ask(t, in, question, func(q *search.Query) { q.Now = home.Add(-time.Hour) }).Hits
	if hit := early[placeOf(early, old)]; hit.Outdated != nil {
		t.Errorf("outdated before it was: %+v", hit.Outdated)
	}
}

func TestOutdatedOnlyWhereAllHasEnded(t *testing.T) {
	t.Parallel()
	h := memtest.New(t, nil)
	in := h.Margaret(t)
	old, now := tom(t, h, in)
	last := h.MustKeep(t, memtest.Talk(in, "three", memtest.November.AddDate(0, 0, -1), "Tom moved to Leeds.")...).IDs[0]
	learn(t, h, in, learned{"Tom is in hospital.", old, 3, memtest.November.AddDate(0, 0, -3)}, learned{"Tom is Margaret's son.", old, 0, time.Time{}},
		learned{"Tom is at home.", now, 4, memtest.November.AddDate(0, 0, -1)}, learned{"Tom lives in Leeds.", last, 0, time.Time{}})
	hits := h.Ask(t, in, "Tom").Hits
	if hit := hits[placeOf(hits, old)]; hit.Outdated != nil {
		t.Errorf("%q still says who Tom is, and is outdated: %+v", hit.Text, hit.Outdated)
	}
	h.Exec(t, "delete from memory_facts where text = $1", "Tom is Margaret's son.")
	hits = h.Ask(t, in, "Tom").Hits
	hit := hits[placeOf(hits, old)]
	if hit.Outdated == nil || hit.Outdated.Now != "Tom lives in Leeds." || !hit.Outdated.Since.Equal(memtest.November.AddDate(0, 0, -3)) {
		t.Errorf("what it became was outdated as well: %+v", hit.Outdated)
	}
	if a, b, c := placeOf(hits, last), placeOf(hits, now), placeOf(hits, old); a > b || b > c {
		t.Errorf("the newest is in place %d, the middle in %d, the oldest in %d", a, b, c)
	}
}

// TestOutdatedTellsNoSecret holds that the note says nothing that the turn which
// it comes from would not be recalled for.
func TestOutdatedTellsNoSecret(t *testing.T) {
	t.Parallel()
	h := memtest.New(t, nil)
	in := h.Margaret(t)
	project := memory.Scope{Person: in.Person, Project: uuid.New()}
	old := h.MustKeep(t, memtest.Talk(project, "one", memtest.November.AddDate(0, -2, 0), "Tom works at the bank.")...).IDs[0]
	now := h.MustKeep(t, memtest.Talk(in, "two", memtest.November.AddDate(0, 0, -3), "They took Tom to prison.")...).IDs[0]
	learn(t, h, in, learned{"Tom works at the bank.", old, 2, memtest.November.AddDate(0, 0, -3)}, learned{"Tom is in jail.", now, 0, time.Time{}})
	note := func(in memory.Scope) string {
		t.Helper()
		hits := h.Ask(t, in, "Tom at the bank").Hits
		if placeOf(hits, old) < 0 || hits[placeOf(hits, old)].Outdated == nil {
			t.Fatalf("%v finds %+v", in, hits)
		}
		return hits[placeOf(hits, old)].Outdated.Now
	}
	if got := note(in); got != "Tom is in jail." {
		t.Errorf("without a limit: %q", got)
	}
	if got := note(memory.Scope{Project: project.Project}); got != "" {
		t.Errorf("the project does not see the other turn, and is told %q", got)
	}
	h.Limit(t, in, memories.NeverRaise, "prison", nil)
	if got := note(in); got != "" {
		t.Errorf("in spite of the limit: %q", got)
	}
	h.Exec(t, "delete from memory_limits")
	h.Limit(t, in, memories.NeverRaise, "jail", nil)
	if got := note(in); got != "" {
		t.Errorf("in spite of the limit on its word: %q", got)
	}
}

func TestOutdatedNote(t *testing.T) {
	t.Parallel()
	day := time.Date(2026, 11, 3, 2, 0, 0, 0, time.UTC)
	west := time.FixedZone("west", -5*60*60)
	for name, row := range map[string]struct {
		of   *search.Outdated
		loc  *time.Location
		now  time.Time
		want string
	}{
		"nothing":           {nil, time.UTC, day, ""},
		"with what is true": {&search.Outdated{Since: day, Now: "Tom came home."}, time.UTC, day, "(no longer so since 3 Nov: Tom came home.)"},
		"without":           {&search.Outdated{Since: day}, west, day, "(no longer so since 2 Nov)"},
		"another year":      {&search.Outdated{Since: day}, time.UTC, day.AddDate(1, 0, 0), "(no longer so since 3 Nov 2026)"},
	} {
		if got := row.of.Note(row.loc, row.now); got != row.want {
			t.Errorf("%s: %q, want %q", name, got, row.want)
		}
	}
}
