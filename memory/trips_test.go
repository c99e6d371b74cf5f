package memory

import (
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/memory/vectors"
	"github.com/naiber/naiber/store/memories"
	"github.com/naiber/naiber/store/storetest"
)

// mostTrips is how many round trips to PostgreSQL a recall may take.
const mostTrips = 4

func TestRecallTakesFourRoundTrips(t *testing.T) {
	t.Parallel()
	st, trips := storetest.Counted(t, storetest.URL(t))
	shelf := vectors.NewPostgres(st, vectors.PostgresConfig{})
	t.Cleanup(func() { _ = shelf.Close() })
	svc, err := New(ServiceConfig{Store: st, Vectors: shelf, Embedder: &embedder{}, Model: "bag-of-words-1", VectorWait: time.Minute, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	h := &house{Service: svc, st: st}
	in := h.margaret(t)
	in.Session, in.Project = uuid.New(), uuid.New()
	me := Scope{Person: in.Person}
	h.keep(t, talk(in, "one", november.AddDate(0, 0, -7), "a: How is Isla?", "My granddaughter plays the cello.", "The dog ate a slipper.")...)
	h.keep(t, talk(me, "two", november, "Isla has a puppy.", "a: How nice.", "My brother Karl drinks.")...)
	self := h.meet(t, me, "Margaret", "person", "", uuid.Nil, "margaret")
	h.meet(t, me, "Isla", "person", "granddaughter", self, "isla")
	h.meet(t, me, "Karl", "person", "brother", self, "karl")
	if _, err := h.IndexPending(t.Context()); err != nil {
		t.Fatal(err)
	}
	person, err := st.Person(t.Context(), in.Person)
	if err != nil {
		t.Fatal(err)
	}
	profile := NewProfile(Config{Source: st, Consents: st, Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(profile.Close)
	r := NewRecaller(profile, svc)
	r.now = func() time.Time { return november }
	const question = "What did my granddaughter Isla and the dog do last Tuesday?"
	ways := map[string]func() (Found, error){
		"in a call": func() (Found, error) {
			v, err := r.Embed(t.Context(), question)
			if err != nil {
				return Found{}, err
			}
			return r.Recall(t.Context(), person, question, v)
		},
		"in a call by words alone": func() (Found, error) { return r.Recall(t.Context(), person, question, nil) },
		"in writing": func() (Found, error) {
			return svc.Search(t.Context(), Query{Scope: in, Text: question, Now: november, Graph: true, Entities: MaxStarts})
		},
	}
	ahead := november.AddDate(1, 0, 0)
	for _, limited := range []string{"without limits", "with limits"} {
		if limited == "with limits" {
			h.limit(t, in, memories.NeverRaise, "brother", nil)
			h.limit(t, in, memories.CoolDown, "arthritis", &ahead)
		}
		for way, recall := range ways {
			if _, err := recall(); err != nil { // what may be copied is from now on
				t.Fatal(err)
			}
			for range 2 {
				var found Found
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
