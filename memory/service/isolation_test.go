package service_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/memory/memtest"
	"github.com/naiber/naiber/memory/search"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/memories"
)

// TestIsolation keeps, deletes and moves turns of random owners, all of whom speak
// of the same things, and holds after each step that a search or a list of a
// random scope brings nothing from outside of it.
func TestIsolation(t *testing.T) {
	t.Parallel()
	h := memtest.New(t, nil)
	r := rand.New(rand.NewPCG(5, 6))
	var people []store.PersonID
	var sessions, projects []uuid.UUID
	for range 4 {
		people = append(people, h.Margaret(t).Person)
		sessions, projects = append(sessions, uuid.New()), append(projects, uuid.New())
	}
	pick := func() memory.Scope {
		for {
			var s memory.Scope
			if r.IntN(2) == 0 {
				s.Person = people[r.IntN(4)]
			}
			if r.IntN(2) == 0 {
				s.Session = sessions[r.IntN(4)]
			}
			if r.IntN(3) == 0 {
				s.Project = projects[r.IntN(4)]
			}
			if !s.Empty() {
				return s
			}
		}
	}
	owner := map[uuid.UUID]memory.Scope{}
	words := strings.Fields("dog garden roses soup doctor Tom puppy terrier rain tea")
	for step := range 80 {
		switch r.IntN(6) {
		case 0:
			session, project := sessions[r.IntN(4)], projects[r.IntN(4)]
			if err := h.Move(t.Context(), session, project); err != nil {
				t.Fatal(err)
			}
			for id, s := range owner {
				if s.Session == session {
					s.Project = project
					owner[id] = s
				}
			}
		case 1:
			for id := range owner {
				if _, err := h.Delete(t.Context(), owner[id], id); err != nil {
					t.Fatal(err)
				}
				delete(owner, id)
				break
			}
		default:
			s := pick()
			text := words[r.IntN(len(words))] + " and " + words[r.IntN(len(words))]
			kept := h.MustKeep(t, memory.Turn{
				Scope: s, Conversation: fmt.Sprint("talk ", r.IntN(3)), Speaker: calls.RoleUser, Text: text,
				At: memtest.November.Add(-time.Duration(r.IntN(100)) * time.Hour), Source: memories.FromChat,
			})
			owner[kept.IDs[0]] = s
		}
		if step%8 == 0 {
			if _, err := h.IndexPending(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		in := pick()
		for _, hit := range h.Ask(t, in, words[r.IntN(len(words))]+" last Sunday", func(q *search.Query) { q.Limit = 50 }).Hits {
			if !sees(in, owner[hit.ID]) {
				t.Fatalf("step %d: %v found %q of %v", step, in, hit.Text, owner[hit.ID])
			}
		}
		turns, err := h.List(t.Context(), in, memory.Turn{}, 100)
		if err != nil {
			t.Fatal(err)
		}
		want := 0
		for _, s := range owner {
			if sees(in, s) {
				want++
			}
		}
		if len(turns) != want {
			t.Fatalf("step %d: %v lists %d turns, want %d", step, in, len(turns), want)
		}
	}
	h.CheckTerms(t)
}

// sees reports whether a scope, as a filter, is to find what owner owns.
func sees(in, owner memory.Scope) bool {
	return slices.ContainsFunc(in.Owners(), func(id uuid.UUID) bool { return slices.Contains(owner.Owners(), id) })
}
