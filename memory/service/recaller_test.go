package service_test

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/memory/memtest"
	"github.com/naiber/naiber/memory/profile"
	"github.com/naiber/naiber/memory/service"
	"github.com/naiber/naiber/store/memories"
	"github.com/naiber/naiber/store/people"
)

func TestRecallerWritesDaysAndNames(t *testing.T) {
	t.Parallel()
	h := memtest.New(t, nil)
	p := h.Person(t, "Margaret", people.ScopeMemory)
	p.Notes = "Was a nurse in the prison."
	p, err := h.Store.UpdatePerson(t.Context(), p, nil)
	if err != nil {
		t.Fatal(err)
	}
	in := memory.Scope{Person: p.ID}
	h.MustKeep(t, memtest.Talk(in, "one", memtest.November, "a: How is Tom?", "He came home.")...)
	h.MustKeep(t, memtest.Talk(in, "two", memtest.November.AddDate(-1, 0, 0), "Tom broke\nhis leg.")...)
	known := profile.New(profile.Config{Source: h.Store, Consents: h.Store, Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(known.Close)
	r := service.NewRecaller(known, h.Service)
	r.SetNow(func() time.Time { return memtest.November })
	recall := func(query string) string {
		t.Helper()
		got, err := r.Recall(t.Context(), p, query, nil)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(append(service.Lines(got.Hits, p.Location(), memtest.November), got.Known...), "\n")
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
	h.Limit(t, in, memories.NeverRaise, "prison", nil)
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
