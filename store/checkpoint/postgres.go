package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/internal/db"
)

// Postgres keeps threads in the database. It may be used concurrently.
type Postgres struct {
	st     *store.Store
	q      *db.Queries
	keep   int
	closed atomic.Bool
}

// NewPostgres makes a store on an open, migrated database, which stays the
// caller's to close. It keeps at least so many checkpoints of a thread; zero
// means [DefaultKeep].
func NewPostgres(st *store.Store, keep int) *Postgres {
	return &Postgres{st: st, q: db.New(), keep: max(orDefault(keep, DefaultKeep), 1)}
}

// Load returns what there is of a thread.
func (p *Postgres) Load(ctx context.Context, thread string) (History, error) {
	var h History
	err := p.do(ctx, thread, func() error {
		rows, err := p.q.CheckpointsOf(ctx, p.st.Pool(), thread)
		if err != nil {
			return err
		}
		for i := range rows {
			h.Checkpoints = append(h.Checkpoints, fromRow(&rows[i]))
		}
		writes, err := p.q.CheckpointWritesOf(ctx, p.st.Pool(), thread)
		for _, w := range writes {
			h.Writes = append(h.Writes, fromWriteRow(w))
		}
		return err
	})
	if err != nil {
		return History{}, fmt.Errorf("load thread %q: %w", thread, err)
	}
	return h, nil
}

// Put adds a checkpoint after head, or returns [ErrConflict].
func (p *Postgres) Put(ctx context.Context, thread string, cp Checkpoint, head ID) error {
	err := p.do(ctx, thread, func() error {
		if err := cp.check(); err != nil {
			return err
		}
		n, err := p.q.CheckpointPut(ctx, p.st.Pool(), db.CheckpointPutParams{
			ID: cp.ID.UUID, Rev: cp.Rev, Thread: thread, Expected: optional(head), Parent: optional(cp.Parent),
			Others: int32(p.keep - 1), Step: int32(cp.Step), At: cp.At, Graph: cp.Graph, SchemaVersion: int32(cp.Schema), //nolint:gosec // small counts
			Node: cp.Node, Conversation: cp.Turn.Conversation, Place: int32(cp.Turn.Place), TurnKey: cp.Turn.Key, //nolint:gosec // a count
			TurnAt: cp.Turn.At, Done: cp.Done, Outcome: present(cp.Outcome), State: present(cp.State),
		})
		if err != nil || n > 0 {
			return err
		}
		now, err := p.q.CheckpointHead(ctx, p.st.Pool(), thread)
		if err == nil && now.Head != nil && *now.Head == cp.ID.UUID {
			return nil // told twice
		}
		if err == nil || errors.Is(err, pgx.ErrNoRows) {
			return ErrConflict
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("put checkpoint of %q: %w", thread, err)
	}
	return nil
}

// Write notes a task's result and returns the one that counts: the first.
func (p *Postgres) Write(ctx context.Context, thread string, w Write) (Write, error) {
	err := p.do(ctx, thread, func() error {
		if err := checkWrite(&w); err != nil {
			return err
		}
		if !w.Checkpoint.Known() {
			if err := p.q.CheckpointThreadOpen(ctx, p.st.Pool(), thread); err != nil {
				return err
			}
		}
		n, err := p.note(ctx, thread, w)
		if err != nil || n > 0 {
			return err
		}
		row, err := p.q.CheckpointWriteOf(ctx, p.st.Pool(), db.CheckpointWriteOfParams{Thread: thread, Checkpoint: w.Checkpoint.UUID, Task: w.Task})
		if errors.Is(err, pgx.ErrNoRows) {
			return ErrNotFound
		}
		w = fromWriteRow(row)
		return err
	})
	if err != nil {
		return Write{}, fmt.Errorf("note work of %q after %s: %w", thread, w.Checkpoint, err)
	}
	return w, nil
}

func (p *Postgres) note(ctx context.Context, thread string, w Write) (int64, error) {
	return p.q.CheckpointWritePut(ctx, p.st.Pool(), db.CheckpointWritePutParams{
		Thread: thread, Checkpoint: w.Checkpoint.UUID, Task: w.Task, Value: present(w.Value), At: w.At,
	})
}

// Get returns one checkpoint, the newest for the zero id, or [ErrNotFound].
func (p *Postgres) Get(ctx context.Context, thread string, id ID) (Checkpoint, error) {
	return get(ctx, p, thread, id)
}

// List returns the checkpoints that q asks for, newest first.
func (p *Postgres) List(ctx context.Context, thread string, q Query) ([]Checkpoint, error) {
	return list(ctx, p, thread, q)
}

// Copy copies a thread to one that does not exist, or returns [ErrConflict].
func (p *Postgres) Copy(ctx context.Context, from, to string) error {
	err := p.do(ctx, from, func() error {
		if err := checkThread(to); err != nil {
			return err
		}
		return p.st.InTx(ctx, func(tx store.Tx) error { return p.copy(ctx, tx, from, to) })
	})
	if err != nil {
		return fmt.Errorf("copy %q to %q: %w", from, to, err)
	}
	return nil
}

func (p *Postgres) copy(ctx context.Context, tx store.Tx, from, to string) error {
	if _, err := p.q.CheckpointHead(ctx, tx, from); errors.Is(err, pgx.ErrNoRows) {
		return ErrNotFound
	}
	n, err := p.q.CheckpointThreadCopy(ctx, tx, db.CheckpointThreadCopyParams{Source: from, Target: to})
	if err != nil {
		return err
	}
	if n == 0 {
		return ErrConflict
	}
	if err := p.q.CheckpointsCopy(ctx, tx, db.CheckpointsCopyParams{Source: from, Target: to}); err != nil {
		return err
	}
	return p.q.CheckpointWritesCopy(ctx, tx, db.CheckpointWritesCopyParams{Source: from, Target: to})
}

// Prune leaves the newest checkpoints of a thread, at least one.
func (p *Postgres) Prune(ctx context.Context, thread string, keep int) error {
	err := p.do(ctx, thread, func() error {
		return p.q.CheckpointsPrune(ctx, p.st.Pool(), db.CheckpointsPruneParams{Thread: thread, Keep: int32(max(keep, 1))}) //nolint:gosec // a small count
	})
	if err != nil {
		return fmt.Errorf("prune %q: %w", thread, err)
	}
	return nil
}

// Merge takes over from a copy of a thread what is newer than what is here, and
// the results that are missing.
func (p *Postgres) Merge(ctx context.Context, thread string, h History) error {
	err := p.do(ctx, thread, func() error {
		head, err := p.q.CheckpointHead(ctx, p.st.Pool(), thread)
		if err != nil && !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		for i := range slices.Backward(h.Checkpoints) {
			if cp := &h.Checkpoints[i]; cp.Rev > head.Rev {
				if err := p.take(ctx, thread, cp); err != nil {
					return err
				}
			}
		}
		for _, w := range h.Writes {
			if len(h.Checkpoints) == 0 {
				if err := p.q.CheckpointThreadOpen(ctx, p.st.Pool(), thread); err != nil {
					return err
				}
			}
			if _, err := p.note(ctx, thread, w); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("merge %q: %w", thread, err)
	}
	return nil
}

func (p *Postgres) take(ctx context.Context, thread string, cp *Checkpoint) error {
	_, err := p.q.CheckpointTake(ctx, p.st.Pool(), db.CheckpointTakeParams{
		ID: cp.ID.UUID, Rev: cp.Rev, Thread: thread, Parent: optional(cp.Parent),
		Others: int32(p.keep - 1), Step: int32(cp.Step), At: cp.At, Graph: cp.Graph, SchemaVersion: int32(cp.Schema), //nolint:gosec // small counts
		Node: cp.Node, Conversation: cp.Turn.Conversation, Place: int32(cp.Turn.Place), TurnKey: cp.Turn.Key, //nolint:gosec // a count
		TurnAt: cp.Turn.At, Done: cp.Done, Outcome: present(cp.Outcome), State: present(cp.State),
	})
	return err
}

// Delete forgets a thread. One that is not there is fine.
func (p *Postgres) Delete(ctx context.Context, thread string) error {
	err := p.do(ctx, thread, func() error { return p.q.CheckpointThreadDelete(ctx, p.st.Pool(), thread) })
	if err != nil {
		return fmt.Errorf("delete %q: %w", thread, err)
	}
	return nil
}

// Bury deletes a thread and remembers that all of it up to rev is dead, wherever
// a copy may turn up.
func (p *Postgres) Bury(ctx context.Context, thread string, rev int64) error {
	err := p.do(ctx, thread, func() error {
		return p.st.InTx(ctx, func(tx store.Tx) error {
			if err := p.q.CheckpointGraveDig(ctx, tx, db.CheckpointGraveDigParams{Thread: thread, Rev: rev}); err != nil {
				return err
			}
			return p.q.CheckpointThreadDelete(ctx, tx, thread)
		})
	})
	if err != nil {
		return fmt.Errorf("bury %q: %w", thread, err)
	}
	return nil
}

// Forget deletes, inside tx, every thread whose name begins with prefix, and
// buries those and the named ones, of which there may be copies elsewhere. It
// returns the names of all.
func (p *Postgres) Forget(ctx context.Context, tx store.Tx, prefix string, names []string) ([]string, error) {
	if p.closed.Load() {
		return nil, ErrClosed
	}
	if err := checkThread(prefix); err != nil {
		return nil, fmt.Errorf("forget threads: %w", err)
	}
	if names == nil {
		names = []string{}
	}
	dead, err := p.q.CheckpointsForget(ctx, tx, db.CheckpointsForgetParams{Prefix: prefix, Names: names, Rev: NextRev(0, time.Now())})
	if err != nil {
		return nil, fmt.Errorf("forget threads %q: %w", prefix, err)
	}
	return dead, nil
}

// Grave returns the revision up to which a thread is dead, zero if it never was.
func (p *Postgres) Grave(ctx context.Context, thread string) (int64, error) {
	var rev int64
	err := p.do(ctx, thread, func() (err error) {
		rev, err = p.q.CheckpointGraveOf(ctx, p.st.Pool(), thread)
		return err
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("grave of %q: %w", thread, err)
	}
	return rev, nil
}

// Sweep deletes threads and graves that were last touched before the given time
// and reports how many threads. PostgreSQL has no time to live: this is it.
func (p *Postgres) Sweep(ctx context.Context, before time.Time) (int, error) {
	if p.closed.Load() {
		return 0, ErrClosed
	}
	n, err := p.q.CheckpointsSweep(ctx, p.st.Pool(), before)
	if err == nil {
		err = p.q.CheckpointGravesSweep(ctx, p.st.Pool(), before)
	}
	if err != nil {
		return 0, fmt.Errorf("sweep checkpoints: %w", err)
	}
	return int(n), nil
}

// Ping asks the database for a sign of life.
func (p *Postgres) Ping(ctx context.Context) error { return p.st.Ping(ctx) }

// Close makes the store answer [ErrClosed]; the database stays open.
func (p *Postgres) Close() error {
	p.closed.Store(true)
	return nil
}

// do runs f if the store is open and the thread can be one.
func (p *Postgres) do(ctx context.Context, thread string, f func() error) error {
	if p.closed.Load() {
		return ErrClosed
	}
	if err := checkThread(thread); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return f()
}

func fromRow(r *db.Checkpoint) Checkpoint {
	return Checkpoint{
		ID: ID{r.ID}, Parent: fromOptional(r.Parent), Rev: r.Rev, Step: int(r.Step), At: r.At.UTC(),
		Graph: r.Graph, Schema: int(r.SchemaVersion), Node: r.Node,
		Turn: Turn{Conversation: r.Conversation, Place: int(r.Place), Key: r.TurnKey, At: r.TurnAt.UTC()},
		Done: r.Done, Outcome: r.Outcome, State: r.State,
	}
}

func fromWriteRow(r db.CheckpointWrite) Write {
	return Write{Checkpoint: ID{r.Checkpoint}, Task: r.Task, Value: r.Value, At: r.At.UTC()}
}

func optional(id ID) *uuid.UUID {
	if !id.Known() {
		return nil
	}
	return &id.UUID
}

func fromOptional(id *uuid.UUID) ID {
	if id == nil {
		return ID{}
	}
	return ID{*id}
}

// present turns nil into no bytes: the columns hold no null.
func present(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}
