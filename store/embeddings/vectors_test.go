package embeddings_test

import (
	"context"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/embeddings"
	"github.com/naiber/naiber/store/memories"
	"github.com/naiber/naiber/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// TestVectorsNeverScanned puts many people's vectors in the table and has the
// server count how often it read the table from end to end: never, whatever is
// asked of one owner.
func TestVectorsNeverScanned(t *testing.T) {
	t.Parallel()
	st := storetest.Open(t, oneConnection(t, storetest.URL(t)))
	ctx := t.Context()
	exec := func(sql string) {
		t.Helper()
		if _, err := st.Pool().Exec(ctx, sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	exec(`insert into people (id, name, phone, timezone)
		select ('00000000-0000-4000-8000-' || lpad(i::text, 12, '0'))::uuid, 'P', '+15550100123', 'UTC' from generate_series(1, 100) i`)
	exec(`insert into memory_vectors (id, person_id, session_id, project_id, kind, model, dims, vector, norm, at, rev)
		select gen_random_uuid(), p.id, gen_random_uuid(), '00000000-0000-4000-9000-000000000001', 'window', 'm@1', 1, '\x0000803f', 1, now(), n
		from people p, generate_series(1, 300) n`)
	exec(`insert into memory_vector_shelves (kind, owner, version, cut) select 'person', id, 300, 1 from people`)
	exec(`analyze memory_vectors`)
	before := scans(t, st)

	person := uuid.MustParse("00000000-0000-4000-8000-000000000007")
	owner := memories.Scope{Person: store.PersonID{UUID: person}}
	for range 8 { // often enough for the server to settle on a plan
		read(ctx, t, st, embeddings.Read{Kind: "person", Owner: person, Model: "m@1", Dims: 1}, 300)
		read(ctx, t, st, embeddings.Read{Kind: "person", Owner: person, Model: "m@1", Dims: 1, Since: 290}, 10)
		if n, err := st.CountVectors(ctx, owner, "m@1"); err != nil || n != 300 {
			t.Fatalf("count = %d, %v", n, err)
		}
		if ids, err := st.VectorIDs(ctx, owner); err != nil || len(ids) != 300 {
			t.Fatalf("ids = %d, %v", len(ids), err)
		}
	}
	v := embeddings.Vector{ID: uuid.New(), Owner: owner, Kind: "fact", Model: "m@1", Values: []float32{1}, Norm: 1, At: time.Now()}
	for range 8 {
		if err := st.SaveVectors(ctx, []embeddings.Vector{v}); err != nil {
			t.Fatal(err)
		}
		if err := st.DeleteVectors(ctx, []uuid.UUID{v.ID}); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := st.DeleteVectorsOf(ctx, owner); err != nil || n != 300 {
		t.Fatalf("deleted %d, %v", n, err)
	}
	if after := scans(t, st); after != before {
		t.Errorf("the table was read from end to end %d times", after-before)
	}
	var n int
	if err := st.Pool().QueryRow(ctx, "select count(*) + 0 from memory_vectors where norm = 1").Scan(&n); err != nil || n != 29_700 {
		t.Fatalf("%d are left, %v", n, err)
	}
	if scans(t, st) == before {
		t.Error("a query that does read the whole table was not counted: this test cannot fail")
	}
}

func read(ctx context.Context, t *testing.T, st *store.Store, r embeddings.Read, want int) {
	t.Helper()
	n := 0
	err := st.ReadVectors(ctx, r, embeddings.Reader{
		Begin: func(int64, bool, int) error { return nil },
		Row: func(_ uuid.UUID, kind string, values []byte) error {
			if kind == "window" && slices.Equal(embeddings.AppendFloats(nil, values), []float32{1}) {
				n++
			}
			return nil
		},
	})
	if err != nil || n != want {
		t.Fatalf("read %d vectors, %v, want %d", n, err, want)
	}
}

// scans is how often the table was read from end to end so far.
func scans(t *testing.T, st *store.Store) (n int64) {
	t.Helper()
	if _, err := st.Pool().Exec(t.Context(), "select pg_stat_force_next_flush()"); err != nil {
		t.Skipf("this server does not tell its statistics at once: %v", err)
	}
	if err := st.Pool().QueryRow(t.Context(), "select seq_scan from pg_stat_user_tables where relname = 'memory_vectors'").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// oneConnection has all queries told to the statistics by one connection.
func oneConnection(t *testing.T, raw string) string {
	t.Helper()
	u, err := url.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	q.Set("pool_max_conns", "1")
	u.RawQuery = q.Encode()
	return u.String()
}
