package service_test

import (
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/memory/memtest"
	"github.com/naiber/naiber/memory/profile"
	"github.com/naiber/naiber/memory/search"
	"github.com/naiber/naiber/memory/service"
	"github.com/naiber/naiber/memory/vectors"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/memories"
	"github.com/naiber/naiber/store/storetest"
)

// mostTrips is how many round trips to PostgreSQL a recall may take.
const mostTrips = 4

func TestRecallTakesFourRoundTrips(t *testing.T) {
	t.Parallel()
	h, trips := countedHouse(t)
	in := h.Margaret(t)
	in.Session, in.Project = uuid.New(), uuid.New()
	me := memory.Scope{Person: in.Person}
	h.MustKeep(t, memtest.Talk(in, "one", memtest.November.AddDate(0, 0, -7), "a: How is Isla?", "My granddaughter plays the cello.", "The dog ate a slipper.")...)
	h.MustKeep(t, memtest.Talk(me, "two", memtest.November, "Isla has a puppy.", "a: How nice.", "My brother Karl drinks.")...)
	self := h.Meet(t, me, "Margaret", "person", "", uuid.Nil, "margaret")
	h.Meet(t, me, "Isla", "person", "granddaughter", self, "isla")
	h.Meet(t, me, "Karl", "person", "brother", self, "karl")
	if _, err := h.IndexPending(t.Context()); err != nil {
		t.Fatal(err)
	}
	person, err := h.Store.Person(t.Context(), in.Person)
	if err != nil {
		t.Fatal(err)
	}
	known := profile.New(profile.Config{Source: h.Store, Consents: h.Store, Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(known.Close)
	r := service.NewRecaller(known, h.Service)
	r.SetNow(func() time.Time { return memtest.November })
	const question = "What did my granddaughter Isla and the dog do last Tuesday?"
	ways := map[string]func() (search.Found, error){
		"in a call": func() (search.Found, error) {
			v, err := r.Embed(t.Context(), question)
			if err != nil {
				return search.Found{}, err
			}
			return r.Recall(t.Context(), person, question, v)
		},
		"in a call by words alone": func() (search.Found, error) { return r.Recall(t.Context(), person, question, nil) },
		"in writing": func() (search.Found, error) {
			return h.Search(t.Context(), search.Query{Scope: in, Text: question, Now: memtest.November, Graph: true, Entities: search.MaxStarts})
		},
	}
	ahead := memtest.November.AddDate(1, 0, 0)
	for _, limited := range []string{"without limits", "with limits"} {
		if limited == "with limits" {
			h.Limit(t, in, memories.NeverRaise, "brother", nil)
			h.Limit(t, in, memories.CoolDown, "arthritis", &ahead)
		}
		for way, recall := range ways {
			if _, err := recall(); err != nil { // what may be copied is from now on
				t.Fatal(err)
			}
			for range 2 {
				var found search.Found
				n, statements := trips.Of(func() { found, err = recall() })
				if err != nil || len(found.Hits) == 0 || len(found.Graph.Edges) == 0 || len(found.Degraded) > 0 {
					t.Fatalf("%s, %s: %+v, %v", way, limited, found, err)
				}
				t.Logf("%s, %s: %d round trips, %d statements", way, limited, n, statements)
				if n == 0 || n > mostTrips {
					t.Errorf("%s, %s: %d round trips, %d statements", way, limited, n, statements)
				}
			}
		}
	}
}

func TestNothingToRecallTakesOneStatement(t *testing.T) {
	t.Parallel()
	h, trips := countedHouse(t)
	in := h.Margaret(t)
	known := []string{"Anna is Margaret's daughter.", "Margaret likes roses."}
	search := func() (found search.Found, statements int) {
		t.Helper()
		var err error
		_, statements = trips.Of(func() {
			found, err = h.Search(t.Context(), search.Query{Scope: in, Text: "Did Isla play the cello on Tuesday?", Now: memtest.November, Graph: true, Known: known})
		})
		if err != nil {
			t.Fatal(err)
		}
		return found, statements
	}
	for range 2 {
		if found, statements := search(); statements != 1 || !slices.Equal(found.Known, known) || len(found.Hits) > 0 {
			t.Fatalf("%d statements found %+v", statements, found)
		}
	}
	h.Limit(t, in, memories.NeverRaise, "roses", nil)
	if found, _ := search(); !slices.Equal(found.Known, known[:1]) {
		t.Errorf("%q may be told in spite of a limit", found.Known)
	}
	h.MustKeep(t, memtest.Talk(in, "one", memtest.November, "Isla plays the cello.", "a: How nice.")...)
	if found, _ := search(); len(found.Hits) != 2 {
		t.Errorf("what was kept meanwhile is not found: %+v", found)
	}
	h.Exec(t, "delete from consents where person_id = $1", in.Person)
	if found, _ := search(); len(found.Hits)+len(found.Known) > 0 {
		t.Errorf("without consent %+v is told", found)
	}
}

func TestNothingIsToldWithoutConsentOrMemories(t *testing.T) {
	t.Parallel()
	h, _ := countedHouse(t)
	in := h.Margaret(t)
	h.Exec(t, "delete from consents where person_id = $1", in.Person)
	for _, who := range []memory.Scope{in, {Person: store.NewPersonID()}} {
		found, err := h.Search(t.Context(), search.Query{Scope: who, Text: "Did Isla play the cello?", Known: []string{"Margaret likes roses."}})
		if err != nil || len(found.Hits)+len(found.Known) > 0 {
			t.Errorf("%+v, %v", found, err)
		}
	}
}

// TestRecallIsPlannedOnce keeps PostgreSQL from planning a recall's statements for
// each question anew, which takes longer than to run them.
func TestRecallIsPlannedOnce(t *testing.T) {
	t.Parallel()
	h, _ := countedHouse(t)
	in := h.Margaret(t)
	h.MustKeep(t, memtest.Talk(in, "one", memtest.November, "Isla plays the cello.", "a: How nice.")...)
	const times = 7 // PostgreSQL plans for all values from the sixth on, where that looks cheaper
	words := search.Settings{KeywordWeight: 1, RRFK: 20, Candidates: 100, Limit: 15, Budget: 1500}
	for range times { // one after the other, and so on one connection
		if found := h.Ask(t, in, "Does Isla play the cello?", func(q *search.Query) { q.Settings, q.Graph = &words, true }); len(found.Hits) != 2 {
			t.Fatalf("%+v", found)
		}
	}
	const planned = `select generic_plans || ' ' || custom_plans from pg_prepared_statements where statement like '%' || $1 || ' :%'`
	for _, name := range []string{"MemoryEntitiesNamed", "MemoryWindowsByTerms", "MemoryTurnsOutdated"} {
		if got, want := h.Column(t, planned, name), fmt.Sprint(times, " ", 0); !slices.Equal(got, []string{want}) {
			t.Errorf("%s was run by its one plan and by others %q times, want %q", name, got, want)
		}
	}
}

// countedHouse is a house with vectors whose round trips are counted.
func countedHouse(t *testing.T) (*memtest.House, *storetest.Trips) {
	t.Helper()
	st, trips := storetest.Counted(t, storetest.URL(t))
	shelf := vectors.NewPostgres(st, vectors.PostgresConfig{})
	t.Cleanup(func() { _ = shelf.Close() })
	svc, err := service.New(service.Config{Store: st, Vectors: shelf, Embedder: &memtest.Embedder{}, Model: "bag-of-words-1", VectorWait: time.Minute, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return &memtest.House{Service: svc, Store: st}, trips
}
