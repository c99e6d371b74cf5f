package doctor

import (
	"log/slog"
	"testing"

	"github.com/naiber/naiber/jobs"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/storetest"
)

func TestPostgres(t *testing.T) {
	t.Parallel()
	quiet := slog.New(slog.DiscardHandler)
	tests := []struct {
		name    string
		prepare func(t *testing.T, st *store.Store)
		want    want
	}{
		{"as it should be", func(*testing.T, *store.Store) {}, want{OK, "PostgreSQL |schema up to date"}},
		{"a step is missing", func(t *testing.T, st *store.Store) {
			t.Helper()
			if _, err := st.MigrateDown(t.Context()); err != nil {
				t.Fatal(err)
			}
		}, want{Warn, "are missing|.sql|naiber migrate"}},
		{"job tables are missing", func(t *testing.T, st *store.Store) {
			t.Helper()
			if _, err := st.Pool().Exec(t.Context(), "delete from river_migration where version > 1"); err != nil {
				t.Fatal(err)
			}
		}, want{Fail, "job queue|naiber migrate"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			url := storetest.URL(t)
			st := storetest.Open(t, url)
			if err := jobs.Migrate(t.Context(), st, quiet); err != nil {
				t.Fatal(err)
			}
			tt.prepare(t, st)
			tt.want.check(t, find(t, PostgresOn(st)))
			tt.want.check(t, find(t, Postgres(url)))
		})
	}
}

func TestPostgresOutOfReach(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, url string
		want      want
	}{
		{"none", "", want{Skip, "DATABASE_URL"}},
		{"nobody listens", "postgres://u:hunter2@127.0.0.1:1/x?connect_timeout=2", want{Fail, "127.0.0.1|DATABASE_URL"}},
		{"not an address", "postgres://u:hunter2@%/x", want{Fail, "cannot be read"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.want.check(t, find(t, Postgres(tt.url)), "hunter2")
		})
	}
}

func TestTooOld(t *testing.T) {
	t.Parallel()
	if f, old := tooOld(120_020, "12.20"); !old || f.Status != Fail {
		t.Errorf("12.20: %v", f)
	}
	if f, old := tooOld(130_000, "13.0"); old {
		t.Errorf("13.0: %v", f)
	}
}

func TestMemory(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t)
	st := storetest.Open(t, url)
	expect := func(w want) {
		t.Helper()
		w.check(t, find(t, MemoryOn(st, "small/1")))
		w.check(t, find(t, Memory(url, "small/1")))
	}
	expect(want{OK, "empty"})
	if err := st.NoteVectorModel(t.Context(), "small/1"); err != nil {
		t.Fatal(err)
	}
	expect(want{OK, "all vectors are made"})
	queue := func(ago string) {
		t.Helper()
		const query = "insert into memory_queue (kind, id, added_at) values ('window', gen_random_uuid(), now() - $1::interval)"
		if _, err := st.Pool().Exec(t.Context(), query, ago); err != nil {
			t.Fatal(err)
		}
	}
	queue("1 minute")
	expect(want{OK, "1 vectors are being made"})
	queue("2 hours")
	expect(want{Warn, "2 vectors wait|searched by words"})
	if err := st.NoteVectorModel(t.Context(), "large/1"); err != nil {
		t.Fatal(err)
	}
	expect(want{Warn, "large/1|small/1|made anew"})
	want{Skip, "private"}.check(t, find(t, Memory("", "small/1")))
}
