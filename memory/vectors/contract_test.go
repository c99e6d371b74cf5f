package vectors_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/naiber/naiber/memory/vectors"
	"github.com/naiber/naiber/memory/vectors/qdranttest"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/store/storetest"
)

func TestPostgresContract(t *testing.T) {
	t.Parallel()
	st := storetest.New(t)
	testStore(t, func(t *testing.T) Subject {
		t.Helper()
		return Subject{
			Store: vectors.NewPostgres(st, vectors.PostgresConfig{}), Other: vectors.NewPostgres(st, vectors.PostgresConfig{}),
			Person: func() uuid.UUID { return newPerson(t, st) },
		}
	})
}

// TestPostgresWithoutRoomContract holds a store to the contract that can keep
// next to nothing: one copy goes for the next, and larger ones are never kept.
func TestPostgresWithoutRoomContract(t *testing.T) {
	t.Parallel()
	st := storetest.New(t)
	testStore(t, func(t *testing.T) Subject {
		t.Helper()
		open := func() vectors.Store { return vectors.NewPostgres(st, vectors.PostgresConfig{CacheBytes: 700}) }
		return Subject{Store: open(), Other: open(), Person: func() uuid.UUID { return newPerson(t, st) }}
	})
}

// TestQdrantContract runs over a server of the test's own, or the one at QDRANT_URL.
func TestQdrantContract(t *testing.T) {
	t.Parallel()
	cfg := vectors.QdrantConfig{URL: os.Getenv("QDRANT_URL"), APIKey: os.Getenv("QDRANT_API_KEY")} //nolint:forbidigo // whose server it is, is said by who runs the test
	if cfg.URL == "" {
		cfg.URL, cfg.APIKey = qdranttest.New(t, qdranttest.Options{}).URL(), ""
	}
	testStore(t, func(t *testing.T) Subject {
		t.Helper()
		cfg := cfg
		cfg.Collection = "contract_" + strings.ReplaceAll(uuid.NewString(), "-", "")
		s := Subject{Store: openQdrant(t, cfg), Other: openQdrant(t, cfg), Person: uuid.New}
		janitor := openQdrant(t, cfg)
		t.Cleanup(func() { vectors.DropCollection(t, janitor) })
		return s
	})
}

// TestQdrantWithoutExactContract has a server whose strict mode refuses what is exact.
func TestQdrantWithoutExactContract(t *testing.T) {
	t.Parallel()
	srv := qdranttest.New(t, qdranttest.Options{NoExact: true})
	testStore(t, func(t *testing.T) Subject {
		t.Helper()
		cfg := vectors.QdrantConfig{URL: srv.URL(), Collection: "contract_" + strings.ReplaceAll(uuid.NewString(), "-", "")}
		return Subject{Store: openQdrant(t, cfg), Other: openQdrant(t, cfg), Person: uuid.New}
	})
}

func openQdrant(tb testing.TB, cfg vectors.QdrantConfig) *vectors.Qdrant {
	tb.Helper()
	q, err := vectors.NewQdrant(cfg)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = q.Close() })
	return q
}

func newPerson(tb testing.TB, st *store.Store) uuid.UUID {
	tb.Helper()
	p, err := st.CreatePerson(tb.Context(), people.Person{Name: "Ada", Phone: "+15550100123", Timezone: "Europe/London", Language: "en"}, nil, nil)
	if err != nil {
		tb.Fatalf("create person: %v", err)
	}
	return p.ID.UUID
}
