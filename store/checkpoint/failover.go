package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"
)

// The stores behind a [Failover], as it names them.
const (
	PartRedis    = "redis"
	PartPostgres = "postgres"
)

// FailoverConfig tells a [Failover] how patient to be. Log is required.
type FailoverConfig struct {
	Log *slog.Logger
	// OnDegraded, if set, hears when a part is lost and when it is back. It is
	// called in order, and must not block nor call the store.
	OnDegraded func(part string, lost bool)
	// RedisTimeout is how long a turn waits for Redis before it goes to
	// PostgreSQL, once: a lost Redis is asked again by the catch-up alone.
	// Default 500 ms. For a thread that this process has not seen yet it is
	// CompareTimeout: what the process before it had no time to copy is there alone.
	RedisTimeout time.Duration
	// PostgresTimeout is how long the catch-up waits for one step of PostgreSQL;
	// default two seconds.
	PostgresTimeout time.Duration
	// CompareTimeout is how long a turn waits for PostgreSQL where nobody knows
	// whether Redis' copy is the newest: after a start, or after Redis was lost. To
	// go on from an older copy would ask twice. Default three seconds.
	CompareTimeout time.Duration
	// Retry is the first wait before a lost part is asked again. It doubles up to
	// eight times as long. Default 250 ms.
	Retry time.Duration
	// CloseTimeout is how long Close tries to bring PostgreSQL up to date;
	// default 5 s.
	CloseTimeout time.Duration
}

// Failover keeps threads in Redis, with PostgreSQL behind it.
//
// While Redis is there, a turn costs what Redis costs, and PostgreSQL is brought
// up to date in the background. When Redis is lost, be it in the middle of a
// turn, PostgreSQL serves from where the thread stood, and when Redis is back it
// catches up. A thread that this process has not seen since Redis was last lost
// is compared with PostgreSQL once, and of two copies the newer one counts; so a
// Redis that comes back empty, or older, asks nothing twice.
//
// It may be used concurrently, and by several processes over the same stores.
type Failover struct {
	redis *Redis
	pg    *Postgres
	cfg   FailoverConfig
	log   *slog.Logger
	keep  int

	stop    chan struct{} // closed by Close: no more waiting
	wake    chan struct{} // tells the catch-up that there is more
	working sync.WaitGroup

	mu      sync.Mutex // guards what follows
	threads map[string]*thread
	todo    map[string]*thread // those for which a part has yet to hear something
	lost    map[string]bool    // by part
	// outage counts the times that Redis was lost: what was known of it before is
	// not known any more.
	outage int
	busy   bool // the catch-up runs
	closed bool
}

// NewFailover puts redis before pg. Both become its own: Close closes them.
func NewFailover(redis *Redis, pg *Postgres, cfg FailoverConfig) *Failover {
	cfg.RedisTimeout = orDefault(cfg.RedisTimeout, 500*time.Millisecond)
	cfg.PostgresTimeout = orDefault(cfg.PostgresTimeout, 2*time.Second)
	cfg.CompareTimeout = orDefault(cfg.CompareTimeout, 3*time.Second)
	cfg.Retry = orDefault(cfg.Retry, 250*time.Millisecond)
	cfg.CloseTimeout = orDefault(cfg.CloseTimeout, 5*time.Second)
	return &Failover{
		redis: redis, pg: pg, cfg: cfg, log: cfg.Log, keep: pg.keep,
		stop: make(chan struct{}), wake: make(chan struct{}, 1),
		threads: make(map[string]*thread), todo: make(map[string]*thread), lost: make(map[string]bool),
	}
}

// Load returns what there is of a thread.
func (f *Failover) Load(ctx context.Context, name string) (History, error) {
	th, err := f.ready(ctx, name)
	if err != nil {
		return History{}, fmt.Errorf("load thread %q: %w", name, err)
	}
	defer f.leave(th)
	if known, ok := f.serves(th); ok {
		h, err := bounded(ctx, f.patience(th), func(ctx context.Context) (History, error) { return f.redis.Load(ctx, name) })
		switch {
		case err == nil && f.trust(name, th, &h):
			return h, nil
		case err == nil || errors.Is(err, ErrCorrupt): // old, or nothing of ours: what PostgreSQL has is put over it
			return f.compare(ctx, name, th, known, h)
		case ctx.Err() != nil:
			return History{}, err
		}
		f.lose(ctx, PartRedis, err)
	}
	return f.fromPostgres(ctx, name, th)
}

// fromPostgres is for a thread that Redis does not serve.
func (f *Failover) fromPostgres(ctx context.Context, name string, th *thread) (History, error) {
	// First what is owed: were it asked for after the load, then what is told
	// PostgreSQL in between would be in neither.
	pending := f.pending(th)
	h, err := f.pg.Load(ctx, name)
	if err != nil {
		f.fault(ctx, PartPostgres, err)
		if ctx.Err() == nil && !pending.empty() {
			return pending.clone(), nil // what PostgreSQL is still to hear is the newest there is
		}
		return History{}, fmt.Errorf("load thread %q: %w", name, err)
	}
	h = union(h, pending.clone(), f.keep)
	f.mu.Lock()
	th.rev = max(th.rev, h.rev())
	f.mu.Unlock()
	return h, nil
}

// compare is for a thread of which Redis' copy is not known to be the newest: it
// joins the copies, and lets the one that lags hear of the other.
func (f *Failover) compare(ctx context.Context, name string, th *thread, known mark, fromRedis History) (History, error) {
	pending := f.pending(th) // before the load, as in fromPostgres
	type answer struct {
		history History
		grave   int64
	}
	// It is asked even where it counts as lost: it may only have been slow for others.
	a, err := bounded(ctx, f.cfg.CompareTimeout, func(ctx context.Context) (answer, error) {
		grave, err := f.pg.Grave(ctx, name)
		if err != nil {
			return answer{}, err
		}
		h, err := f.pg.Load(ctx, name)
		return answer{h, grave}, err
	})
	if err != nil {
		if ctx.Err() != nil {
			return History{}, err
		}
		f.fault(ctx, PartPostgres, err)
		return f.without(th, fromRedis), nil
	}
	if rev := fromRedis.rev(); rev > 0 && rev <= a.grave {
		fromRedis = History{}
		f.bury(name, th, a.grave)
	}
	h := union(union(a.history, fromRedis, f.keep), pending.clone(), f.keep)
	lags := h.rev() > fromRedis.rev() || len(h.Writes) > len(fromRedis.Writes)
	if lags {
		f.log.LogAttrs(ctx, slog.LevelInfo, "checkpoints in redis are behind", slog.String("thread", name))
	}
	f.compared(name, th, known, &h, h.rev() > a.history.rev() || len(h.Writes) > len(a.history.Writes), lags)
	return h, nil
}

// without is what is known of a thread while PostgreSQL cannot be asked.
func (f *Failover) without(th *thread, fromRedis History) History {
	pending := f.pending(th)
	return union(fromRedis, pending.clone(), f.keep)
}

// Put adds a checkpoint after head, or returns [ErrConflict].
func (f *Failover) Put(ctx context.Context, name string, cp Checkpoint, head ID) error {
	th, err := f.ready(ctx, name)
	if err == nil {
		defer f.leave(th)
		err = cp.check()
	}
	if err == nil {
		err = th.enter(ctx)
	}
	if err != nil {
		return fmt.Errorf("put checkpoint of %q: %w", name, err)
	}
	defer th.exit()
	cp = cp.clone() // PostgreSQL hears of it later
	if _, ok := f.serves(th); ok {
		_, err := bounded(ctx, f.cfg.RedisTimeout, func(ctx context.Context) (struct{}, error) {
			return struct{}{}, f.redis.Put(ctx, name, cp, head)
		})
		switch {
		case err == nil:
			f.owe(name, th, History{Checkpoints: []Checkpoint{cp}})
			return nil
		case errors.Is(err, ErrConflict):
			f.doubt(th) // Redis may have started anew since the load: compare before trying again
			return err
		case ctx.Err() != nil:
			return err
		}
		f.lose(ctx, PartRedis, err)
	}
	if err := f.settle(ctx, name, th); err != nil {
		return err
	}
	if err := f.pg.Put(ctx, name, cp, head); err != nil {
		f.fault(ctx, PartPostgres, err)
		return err
	}
	f.served(name, th, cp.Rev)
	return nil
}

// Write notes a task's result and returns the one that counts: the first.
func (f *Failover) Write(ctx context.Context, name string, w Write) (Write, error) {
	th, err := f.ready(ctx, name)
	if err == nil {
		defer f.leave(th)
		err = checkWrite(&w)
	}
	if err == nil {
		err = th.enter(ctx)
	}
	if err != nil {
		return Write{}, fmt.Errorf("note work of %q: %w", name, err)
	}
	defer th.exit()
	if _, ok := f.serves(th); ok {
		got, err := bounded(ctx, f.cfg.RedisTimeout, func(ctx context.Context) (Write, error) { return f.redis.Write(ctx, name, w) })
		switch {
		case err == nil:
			f.owe(name, th, History{Writes: []Write{got.clone()}})
			return got, nil
		case errors.Is(err, ErrNotFound), errors.Is(err, ErrInvalid):
			f.doubt(th)
			return Write{}, err
		case ctx.Err() != nil:
			return Write{}, err
		}
		f.lose(ctx, PartRedis, err)
	}
	if err := f.settle(ctx, name, th); err != nil {
		return Write{}, err
	}
	got, err := f.pg.Write(ctx, name, w)
	if err != nil {
		f.fault(ctx, PartPostgres, err)
		return Write{}, err
	}
	f.served(name, th, 0)
	return got, nil
}

// Get returns one checkpoint, the newest for the zero id, or [ErrNotFound].
func (f *Failover) Get(ctx context.Context, name string, id ID) (Checkpoint, error) {
	return get(ctx, f, name, id)
}

// List returns the checkpoints that q asks for, newest first.
func (f *Failover) List(ctx context.Context, name string, q Query) ([]Checkpoint, error) {
	return list(ctx, f, name, q)
}

// Copy copies a thread to one that does not exist, or returns [ErrConflict].
func (f *Failover) Copy(ctx context.Context, from, to string) error {
	th, err := f.ready(ctx, to)
	if err == nil {
		defer f.leave(th)
		err = th.enter(ctx)
	}
	if err != nil {
		return fmt.Errorf("copy %q: %w", from, err)
	}
	defer th.exit()
	h, err := f.Load(ctx, from)
	if err != nil {
		return fmt.Errorf("copy %q: %w", from, err)
	}
	there, err := f.Load(ctx, to)
	switch {
	case err != nil:
	case h.empty():
		err = ErrNotFound
	case !there.empty():
		err = ErrConflict
	default:
		err = f.pg.Merge(ctx, to, h)
	}
	if err != nil {
		f.fault(ctx, PartPostgres, err)
		return fmt.Errorf("copy %q to %q: %w", from, to, err)
	}
	f.served(to, th, h.rev())
	return nil
}

// Prune leaves the newest checkpoints of a thread, at least one, in both stores.
// Where one is lost it keeps more for a while: pruning saves room, no more.
func (f *Failover) Prune(ctx context.Context, name string, keep int) error {
	th, err := f.ready(ctx, name)
	if err == nil {
		defer f.leave(th)
		err = th.enter(ctx)
	}
	if err != nil {
		return fmt.Errorf("prune %q: %w", name, err)
	}
	defer th.exit()
	if err := f.settle(ctx, name, th); err != nil {
		return err
	}
	if err := f.pg.Prune(ctx, name, keep); err != nil {
		f.fault(ctx, PartPostgres, err)
		return err
	}
	if _, ok := f.serves(th); ok {
		if err := f.redis.Prune(ctx, name, keep); err != nil {
			f.fault(ctx, PartRedis, err)
		}
	}
	return nil
}

// Delete forgets a thread in both stores. PostgreSQL must hear of it; where Redis
// is lost its copy is dead from then on, and is deleted when Redis is back.
func (f *Failover) Delete(ctx context.Context, name string) error {
	th, err := f.ready(ctx, name)
	if err == nil {
		defer f.leave(th)
		err = th.enter(ctx)
	}
	if err != nil {
		return fmt.Errorf("delete %q: %w", name, err)
	}
	defer th.exit()
	if err := th.hush(ctx); err != nil {
		return fmt.Errorf("delete %q: %w", name, err)
	}
	defer th.unhush()
	rev := f.last(th)
	if err := f.pg.Bury(ctx, name, rev); err != nil {
		f.fault(ctx, PartPostgres, err)
		return err
	}
	f.forget(th)
	if !f.isLost(PartRedis) {
		_, err = bounded(ctx, f.cfg.RedisTimeout, func(ctx context.Context) (struct{}, error) {
			return struct{}{}, f.redis.Bury(ctx, name, rev)
		})
		if err == nil {
			return nil
		}
		f.fault(ctx, PartRedis, err)
	}
	f.bury(name, th, rev)
	return nil
}

// Sweep deletes what nobody has touched since the given time from PostgreSQL;
// Redis does so by itself.
func (f *Failover) Sweep(ctx context.Context, before time.Time) (int, error) {
	return f.pg.Sweep(ctx, before)
}

// Degraded names the parts that are lost now, in order.
func (f *Failover) Degraded() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var parts []string
	for part, lost := range f.lost {
		if lost {
			parts = append(parts, part)
		}
	}
	slices.Sort(parts)
	return parts
}

// Close brings PostgreSQL up to date as far as it can be in time, waits for what
// runs, and closes both stores.
func (f *Failover) Close() error {
	f.mu.Lock()
	if f.closed {
		f.mu.Unlock()
		f.working.Wait()
		return nil
	}
	f.closed = true
	close(f.stop)
	f.mu.Unlock()
	f.working.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), f.cfg.CloseTimeout)
	defer cancel()
	return errors.Join(f.flushAll(ctx), f.redis.Close(), f.pg.Close())
}

// bounded runs do with its own deadline.
func bounded[T any](ctx context.Context, d time.Duration, do func(context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	return do(ctx)
}
