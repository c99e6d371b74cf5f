package checkpoint

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/internal/db"
)

const (
	// DefaultKeep is how many checkpoints of a thread are kept: a replaced turn goes back
	// one, and a repeated one rarely more than a few.
	DefaultKeep = 6
	// DefaultTTL is how long a thread is kept after its last write. A check can be resumed
	// for half a day; the rest is for delayed post-call work.
	DefaultTTL = 7 * 24 * time.Hour
)

// The names of a [Store]'s parts.
const (
	PartRedis    = "redis"
	PartPostgres = "postgres"
)

// How long a turn waits for one store if the other may suffice. PostgreSQL has every
// thread, so Redis is given up on sooner.
const (
	redisTimeout    = 500 * time.Millisecond
	postgresTimeout = 3 * time.Second
)

// Config configures a [Store]. Log is required.
type Config struct {
	// RedisURL is redis://, rediss:// or unix://, with user, password and database. If
	// empty, threads are stored only in PostgreSQL.
	RedisURL string
	// Keep is the minimum number of checkpoints kept of a thread; default [DefaultKeep].
	Keep int
	// TTL is how long Redis keeps a thread after its last write; default [DefaultTTL].
	// PostgreSQL keeps it until [Store.Sweep].
	TTL time.Duration
	Log *slog.Logger
	// OnMissed, if set, is called with the part that a call had to continue without.
	OnMissed func(part string)
}

// Store stores threads in PostgreSQL and Redis. It may be used concurrently, and by several
// processes over the same stores.
type Store struct {
	postgres postgres
	redis    *redis // nil if not configured
	cfg      Config
}

// New returns a Store on an open, migrated database, which the caller must close. It does
// not fail if Redis cannot be reached: the Store works without it until it can.
func New(st *store.Store, cfg Config) (*Store, error) {
	cfg.Keep, cfg.TTL = cmp.Or(cfg.Keep, DefaultKeep), cmp.Or(cfg.TTL, DefaultTTL)
	s := &Store{postgres: postgres{st, db.New()}, cfg: cfg}
	if cfg.RedisURL == "" {
		return s, nil
	}
	var err error
	s.redis, err = newRedis(cfg.RedisURL, cfg.TTL)
	return s, err
}

// Load returns the history of a thread.
func (s *Store) Load(ctx context.Context, thread string) (h History, err error) {
	if err = checkCall(ctx, thread); err == nil {
		h, err = s.load(ctx, thread)
	}
	if err != nil {
		return History{}, fmt.Errorf("load thread %q: %w", thread, err)
	}
	return h, nil
}

// load reads both stores and returns the newer thread. From PostgreSQL it first reads only
// the revision, and the rest only if that is newer.
func (s *Store) load(ctx context.Context, thread string) (History, error) {
	if s.redis == nil {
		return s.postgres.load(ctx, thread)
	}
	var h History
	var redisErr error
	var asked sync.WaitGroup
	asked.Go(func() { h, redisErr = s.redis.load(ctx, thread) })
	waits, cancel := context.WithTimeout(ctx, postgresTimeout)
	rev, err := s.postgres.rev(waits, thread)
	cancel()
	asked.Wait()
	switch {
	case ctx.Err() != nil:
		return History{}, ctx.Err()
	case err != nil && (redisErr != nil || h.rev == 0):
		// A thread that is missing from Redis is not necessarily a new one.
		return History{}, errors.Join(err, redisErr)
	case err != nil:
		s.missed(ctx, PartPostgres, err)
	case redisErr != nil:
		s.missed(ctx, PartRedis, redisErr)
		h, err = s.postgres.load(ctx, thread)
		h.redisAway = true
		return h, err
	case rev > h.rev:
		return s.postgres.load(ctx, thread)
	}
	return h, nil
}

// Put adds a checkpoint to the thread that was loaded as h. It returns [ErrConflict] if the
// thread has changed since. Both stores are written, so that one can fail later; one of
// them suffices.
func (s *Store) Put(ctx context.Context, thread string, h History, cp Checkpoint) error {
	err := checkCall(ctx, thread)
	var next stored
	if err == nil {
		next, err = h.with(cp, s.cfg.Keep)
	}
	if err == nil {
		err = s.put(ctx, thread, next, &h)
	}
	if err != nil {
		return fmt.Errorf("put checkpoint of %q: %w", thread, err)
	}
	return nil
}

// put writes PostgreSQL first: if it can be reached, it decides which of several writers
// advances the thread, and only that one writes Redis.
func (s *Store) put(ctx context.Context, thread string, next stored, h *History) error {
	if s.redis == nil {
		return s.postgres.put(ctx, thread, next, h.rev)
	}
	waits, cancel := context.WithTimeout(ctx, postgresTimeout)
	err := s.postgres.put(waits, thread, next, h.rev)
	cancel()
	if errors.Is(err, ErrConflict) || ctx.Err() != nil || err == nil && h.redisAway {
		return err
	}
	redisErr := s.redis.put(ctx, thread, next, h.rev)
	switch {
	case err != nil && redisErr != nil:
		return errors.Join(err, redisErr)
	case err != nil:
		s.missed(ctx, PartPostgres, err)
	case redisErr != nil && !errors.Is(redisErr, ErrConflict): // on a conflict the next turn was faster
		s.missed(ctx, PartRedis, redisErr)
	}
	return nil
}

// Delete deletes a thread in both stores. It is a no-op if there is none. PostgreSQL must
// succeed; if Redis does not, its copy no longer counts and is deleted by [Store.Sweep].
func (s *Store) Delete(ctx context.Context, thread string) error {
	err := checkCall(ctx, thread)
	if err == nil {
		err = s.postgres.delete(ctx, s.postgres.st.Pool(), []string{thread})
	}
	if err != nil {
		return fmt.Errorf("delete thread %q: %w", thread, err)
	}
	s.deleteFromRedis(ctx, []string{thread})
	return nil
}

// Forget deletes, inside tx, every thread whose name has the prefix, and the named ones,
// which may be in Redis alone. done deletes them from Redis; call it after tx is committed.
func (s *Store) Forget(ctx context.Context, tx store.Tx, prefix string, names []string) (done func(context.Context), err error) {
	if err := checkCall(ctx, prefix); err != nil {
		return nil, fmt.Errorf("forget threads: %w", err)
	}
	threads, err := s.postgres.q.CheckpointsNamed(ctx, tx, prefix)
	if err == nil {
		threads = append(threads, names...)
		slices.Sort(threads)
		threads = slices.Compact(threads)
		err = s.postgres.delete(ctx, tx, threads)
	}
	if err != nil {
		return nil, fmt.Errorf("forget threads %q: %w", prefix, err)
	}
	return func(ctx context.Context) { s.deleteFromRedis(ctx, threads) }, nil
}

// Sweep deletes threads not written since the given time from PostgreSQL, which has no TTL,
// and retries missed deletions in Redis. It returns how many threads it deleted from
// PostgreSQL.
func (s *Store) Sweep(ctx context.Context, before time.Time) (int, error) {
	deleted, err := s.postgres.q.CheckpointsDeleted(ctx, s.postgres.st.Pool())
	var n int64
	if err == nil {
		s.deleteFromRedis(ctx, deleted)
		n, err = s.postgres.q.CheckpointsSweep(ctx, s.postgres.st.Pool(), before)
	}
	if err != nil {
		return 0, fmt.Errorf("sweep checkpoints: %w", err)
	}
	return int(n), nil
}

func (s *Store) deleteFromRedis(ctx context.Context, threads []string) {
	if s.redis == nil {
		return
	}
	if err := s.redis.delete(ctx, threads); err != nil {
		s.missed(ctx, PartRedis, err)
	}
}

// missed logs and reports that a call continues without a part, unless its caller has gone.
func (s *Store) missed(ctx context.Context, part string, err error) {
	if ctx.Err() != nil {
		return
	}
	s.cfg.Log.LogAttrs(ctx, slog.LevelWarn, "checkpoint store missed", slog.String("part", part), slog.Any("err", err))
	if s.cfg.OnMissed != nil {
		s.cfg.OnMissed(part)
	}
}

// Ping returns an error unless Redis answers. It must not be called without Redis.
func (s *Store) Ping(ctx context.Context) error { return s.redis.ping(ctx) }

// Close closes the connections to Redis.
func (s *Store) Close() {
	if s.redis != nil {
		s.redis.client.Close()
	}
}

// checkCall returns an error if a call has an invalid thread name or its context is done.
func checkCall(ctx context.Context, thread string) error {
	if err := checkThread(thread); err != nil {
		return err
	}
	return ctx.Err()
}
