package memory

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/memory/vectors"
	"github.com/naiber/naiber/store/memories"
	"github.com/naiber/naiber/store/people"
)

func TestRecallerWritesDaysAndNames(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	p := h.person(t, "Margaret", people.ScopeMemory)
	p.Notes = "Was a nurse in the prison."
	p, err := h.st.UpdatePerson(t.Context(), p, nil)
	if err != nil {
		t.Fatal(err)
	}
	in := Scope{Person: p.ID}
	h.keep(t, talk(in, "one", november, "a: How is Tom?", "He came home.")...)
	h.keep(t, talk(in, "two", november.AddDate(-1, 0, 0), "Tom broke\nhis leg.")...)
	profile := NewProfile(Config{Source: h.st, Consents: h.st, Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(profile.Close)
	r := NewRecaller(profile, h.Service)
	r.now = func() time.Time { return november }
	recall := func(query string) string {
		t.Helper()
		got, err := r.Recall(t.Context(), p, query, nil)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(append(Lines(got.Hits, p.Location(), november), got.Known...), "\n")
	}
	got := recall("Tom")
	for _, want := range []string{
		"Tue 3 Nov: nAIber: How is Tom? Margaret: He came home.", "Mon 3 Nov 2025: Margaret: Tom broke his leg.",
		"About Margaret: Was a nurse in the prison.",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("recalled %q, without %q", got, want)
		}
	}
	h.limit(t, in, memories.NeverRaise, "prison", nil)
	if got := recall("prison"); strings.Contains(got, "nurse") {
		t.Errorf("recalled %q, which is not to be brought up", got)
	}
	if got, err := r.Recollect(t.Context(), p); err != nil || len(got) != 0 {
		t.Errorf("recollected %q, %v", got, err)
	}
	if got, err := r.Recall(t.Context(), people.Person{}, "Tom", nil); err != nil || len(got.Hits)+len(got.Known) != 0 {
		t.Errorf("of nobody: %+v, %v", got, err)
	}
}

func TestFuse(t *testing.T) {
	t.Parallel()
	a, b, c := uuid.UUID{1}, uuid.UUID{2}, uuid.UUID{3}
	words, meaning := []uuid.UUID{a, b}, []uuid.UUID{b, c}
	for name, row := range map[string]struct {
		words, meaning float64
		want           []uuid.UUID
	}{
		"found twice is best":        {1, 1, []uuid.UUID{b, a, c}},
		"the heavier list leads":     {1, 3, []uuid.UUID{b, c, a}},
		"a list without weight":      {1, 0, []uuid.UUID{a, b}},
		"the other one":              {0, 1, []uuid.UUID{b, c}},
		"a first place outweighs it": {1, 0.01, []uuid.UUID{a, b, c}},
	} {
		var got []uuid.UUID
		for _, r := range fuse(60, list{ListKeyword, row.words, words}, list{ListVector, row.meaning, meaning}) {
			got = append(got, r.id)
		}
		if len(got) != len(row.want) {
			t.Errorf("%s: %v, want %v", name, got, row.want)
			continue
		}
		for i := range got {
			if got[i] != row.want[i] {
				t.Errorf("%s: %v, want %v", name, got, row.want)
				break
			}
		}
	}
	if got := fuse(60, list{ListKeyword, 1, words})[0].score; got != 1.0/61 {
		t.Errorf("first of one list: %v, want 1/61", got)
	}
}

var _ vectors.Store = (*shaky)(nil)
