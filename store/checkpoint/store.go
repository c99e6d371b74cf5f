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
	// DefaultKeep is how many checkpoints of a thread are kept: a replaced turn
	// goes back one, and a repeated one is rarely further behind than a few.
	DefaultKeep = 6
	// DefaultTTL is how long a thread is kept after its last write. A check can
	// be resumed for half a day; the rest is for an aftermath that was held up.
	DefaultTTL = 7 * 24 * time.Hour
)

// The parts of a [Store], as it names them.
const (
	PartRedis    = "redis"
	PartPostgres = "postgres"
)

// How long a turn waits for one store while the other may do. PostgreSQL has every
// thread, and Redis can be missed sooner.
const (
	redisTimeout    = 500 * time.Millisecond
	postgresTimeout = 3 * time.Second
)

// Config says how a [Store] keeps threads. Log is required.
type Config struct {
	// RedisURL is redis://, rediss:// or unix://, with user, password and database.
	// Empty: threads are kept in PostgreSQL alone.
	RedisURL string
	// Keep is how many checkpoints of a thread are kept at least; default [DefaultKeep].
	Keep int
	// TTL is how long Redis keeps a thread after its last write; default
	// [DefaultTTL]. PostgreSQL keeps it until [Store.Sweep].
	TTL time.Duration
	Log *slog.Logger
	// OnMissed, if set, hears which part a call went on without.
	OnMissed func(part string)
}

// Store keeps threads in PostgreSQL and Redis. It may be used concurrently, and by
// several processes over the same stores.
type Store struct {
	postgres postgres
	redis    *redis // nil: there is none
	cfg      Config
}

// New makes a store on an open, migrated database, which stays the caller's to
// close. A Redis that cannot be reached now is no error: it is missed until it can.
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

// Load returns what there is of a thread.
func (s *Store) Load(ctx context.Context, thread string) (h History, err error) {
	if err = checkCall(ctx, thread); err == nil {
		h, err = s.load(ctx, thread)
	}
	if err != nil {
		return History{}, fmt.Errorf("load thread %q: %w", thread, err)
	}
	return h, nil
}

// load asks both stores and returns the newer thread. Of PostgreSQL's it asks the
// revision, and the rest only where that is newer.
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
		// That Redis does not have a thread does not make it a new one.
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

// Put adds a checkpoint to the thread that was loaded as h, or returns
// [ErrConflict]. It is stored when PostgreSQL or Redis has it; both are asked, so
// that the one can be missed later.
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

// put asks PostgreSQL first: where it can be reached it decides who of several
// writers advances the thread, and Redis hears of the one who did.
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
	case redisErr != nil && !errors.Is(redisErr, ErrConflict): // else the next turn was faster
		s.missed(ctx, PartRedis, redisErr)
	}
	return nil
}

// Delete forgets a thread in both stores. One that is not there is fine. PostgreSQL
// must hear of it; where Redis does not, its copy counts no more and is deleted by
// [Store.Sweep].
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

// Forget deletes, inside tx, every thread whose name begins with prefix, and the
// named ones, which Redis may have alone. Once tx is committed, done deletes them
// from Redis.
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

// Sweep deletes what nobody has written to since the given time from PostgreSQL,
// which has no time to live, and from Redis what it missed to delete. It reports how
// many threads it deleted.
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

// missed tells that a call goes on without a part, unless its caller has gone.
func (s *Store) missed(ctx context.Context, part string, err error) {
	if ctx.Err() != nil {
		return
	}
	s.cfg.Log.LogAttrs(ctx, slog.LevelWarn, "checkpoint store missed", slog.String("part", part), slog.Any("err", err))
	if s.cfg.OnMissed != nil {
		s.cfg.OnMissed(part)
	}
}

// Ping reports whether Redis answers.
func (s *Store) Ping(ctx context.Context) error { return s.redis.ping(ctx) }

// Close ends the connections to Redis.
func (s *Store) Close() {
	if s.redis != nil {
		s.redis.client.Close()
	}
}

// checkCall reports why a call cannot be made.
func checkCall(ctx context.Context, thread string) error {
	if err := checkThread(thread); err != nil {
		return err
	}
	return ctx.Err()
}
