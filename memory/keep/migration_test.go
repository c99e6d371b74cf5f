package keep_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/memory/memtest"
	"github.com/naiber/naiber/sql/migrations"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/people"
)

// TestMigrationCutsWindows holds the windows that the migration writes to those
// that are written when the same turns are kept.
func TestMigrationCutsWindows(t *testing.T) {
	t.Parallel()
	h := memtest.New(t, nil)
	for _, in := range []memory.Scope{h.Margaret(t), {Person: h.Person(t, "Rose", people.ScopeMemory).ID}} {
		call := memtest.Talk(in, "call", memtest.November, "a: How is Tom?", "He came home.", "a: I am glad.", "So am I.")
		chat := memtest.Talk(in, "chat", memtest.November, "The boiler is out.", "Lionel mended it.", "a: Good.")
		chat[0].Name = "A neighbour"
		chat[2].At = chat[1].At.Add(time.Hour)
		ids := h.MustKeep(t, append(call, append(chat, memtest.Talk(in, "letter", memtest.November, "Dear all")...)...)...).IDs
		h.Exec(t, `insert into memory_facts (id, person_id, text, kind, learned_at)
			select gen_random_uuid(), $1, f, 'person', now() from unnest(array['Tom is home.', 'Tom is her son.', 'Tom is home.']) f`, in.Person.UUID)
		h.Exec(t, `insert into memory_fact_sources select f.id, t from memory_facts f, unnest($2::uuid[]) t where f.person_id = $1`, in.Person.UUID, ids[1:3])
		if err := h.Store.InTx(t.Context(), func(tx store.Tx) error { return h.Refresh(t.Context(), tx, ids[1:3]...) }); err != nil {
			t.Fatal(err)
		}
	}
	const all = "select (to_jsonb(w) - 'created_at')::text from memory_windows w order by id"
	want := h.Column(t, all)
	conn := stdlib.OpenDBFromPool(h.Store.Pool())
	t.Cleanup(func() { _ = conn.Close() })
	p, err := goose.NewProvider(goose.DialectPostgres, conn, migrations.FS, goose.WithTableName("schema_migrations"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.DownTo(t.Context(), 36); err != nil {
		t.Fatal(err)
	}
	// As they were before: the last two turns had none of their own.
	h.Exec(t, "delete from memory_windows where id in (select id from memory_turns where seq > 2)")
	h.Exec(t, "update memory_windows set text = 'Tuesday', extra = '', tsv = to_tsvector('english', 'Tuesday')")
	h.Exec(t, "delete from memory_queue")
	if _, err := p.Up(t.Context()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, h.Column(t, all)); diff != "" {
		t.Error(diff)
	}
	h.CheckTerms(t)
	if n, err := h.Pending(t.Context()); n != len(want) || err != nil {
		t.Errorf("%d vectors to make of %d, %v", n, len(want), err)
	}
}
