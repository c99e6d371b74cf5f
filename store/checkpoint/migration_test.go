package checkpoint_test

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"github.com/naiber/naiber/sql/migrations"
	"github.com/naiber/naiber/store/checkpoint"
	"github.com/naiber/naiber/store/storetest"
)

// Threads that are under way when the schema is brought up to date go on, and those
// that were deleted stay so; going back leaves a schema that can be taken up again.
func TestMigrationKeepsThreads(t *testing.T) {
	t.Parallel()
	st := storetest.New(t)
	conn := stdlib.OpenDBFromPool(st.Pool())
	t.Cleanup(func() { _ = conn.Close() })
	p, err := goose.NewProvider(goose.DialectPostgres, conn, migrations.FS, goose.WithTableName("schema_migrations"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.DownTo(t.Context(), 33); err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 11, 20, 9, 0, 0, 123_456_000, time.UTC)
	first := checkpoint.Checkpoint{
		ID: checkpoint.NewID(), Rev: at.UnixMicro(), At: at, Graph: "health", Schema: 1, Node: "wait",
		Turn: checkpoint.Turn{Conversation: "conv_é", Place: 1, Key: "k", At: at.Add(-time.Second)}, Outcome: []byte(`{}`), State: []byte("\x00\xff"),
	}
	second := first
	second.ID, second.Parent, second.Rev, second.Step, second.Done = checkpoint.NewID(), first.ID, first.Rev+1, 300, true
	second.Turn.Place, second.State = 20_000, make([]byte, 70_000)
	exec := func(sql string, args ...any) {
		t.Helper()
		if _, err := st.Pool().Exec(t.Context(), sql, args...); err != nil {
			t.Fatal(err)
		}
	}
	exec("insert into checkpoint_threads (thread, head, rev) values ('open', $1, $2)", second.ID.UUID, second.Rev)
	for _, cp := range []checkpoint.Checkpoint{first, second} {
		exec(`insert into checkpoints (thread, id, parent, rev, step, at, graph, schema_version, node, conversation, place, turn_key, turn_at, done, outcome, state)
			values ('open', $1, nullif($2, '00000000-0000-0000-0000-000000000000'::uuid), $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
			cp.ID.UUID, cp.Parent.UUID, cp.Rev, cp.Step, cp.At, cp.Graph, cp.Schema, cp.Node, cp.Turn.Conversation, cp.Turn.Place, cp.Turn.Key, cp.Turn.At, cp.Done, cp.Outcome, cp.State)
	}
	exec("insert into checkpoint_threads (thread) values ('empty')")
	exec("insert into checkpoint_graves (thread, rev) values ('deleted', $1)", second.Rev)
	if _, err := p.Up(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := open(t, st, "")
	h := load(t, s, "open")
	holds(t, "under way", h.Checkpoints, first, second)
	if err := s.Put(t.Context(), "open", h, next(&second, "x")); err != nil {
		t.Error(err)
	}
	holds(t, "empty", load(t, s, "empty").Checkpoints)
	late := next(nil, "late")
	late.At = at
	if err := s.Put(t.Context(), "deleted", checkpoint.History{}, late); err == nil {
		t.Error("a deleted thread came back")
	}
}
