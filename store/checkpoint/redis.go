package checkpoint

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/redis/rueidis"
)

// The scripts change a thread in one step. Each reads and writes its one key.
var (
	//go:embed scripts/put.lua
	putScript string
	//go:embed scripts/write.lua
	writeScript string
	//go:embed scripts/merge.lua
	mergeScript string
	//go:embed scripts/prune.lua
	pruneScript string
	//go:embed scripts/bury.lua
	buryScript string
)

// RedisConfig says where Redis is and how long it keeps what.
type RedisConfig struct {
	// URL is redis://, rediss:// or unix://, with user, password and database.
	URL string
	// Keep is how many checkpoints of a thread are kept at least; default [DefaultKeep].
	Keep int
	// TTL is how long a thread is kept after its last write; default [DefaultTTL].
	TTL time.Duration
	// DialTimeout bounds making a connection; default one second.
	DialTimeout time.Duration
}

// Redis keeps each thread under one key, which is the thread's name: the key
// holds the thread's newest checkpoints as one string. Loading is one GET and
// every change one script, so the cost of a turn does not depend on what else is
// in Redis. It may be used concurrently.
type Redis struct {
	client rueidis.Client
	keep   string
	ttl    time.Duration
	closed atomic.Bool

	put, write, merge, prune, bury *rueidis.Lua
}

// NewRedis makes a store on the Redis at cfg.URL. A Redis that cannot be reached
// now is no error: commands fail until it can be.
func NewRedis(cfg RedisConfig) (*Redis, error) {
	opt, err := redisOption(cfg)
	if err != nil {
		return nil, err
	}
	client, err := rueidis.NewClient(opt)
	if client == nil {
		return nil, fmt.Errorf("make redis client: %w", err)
	}
	script := func(s string) *rueidis.Lua { return rueidis.NewLuaScript(s) }
	return &Redis{
		client: client, keep: strconv.Itoa(max(orDefault(cfg.Keep, DefaultKeep), 1)), ttl: orDefault(cfg.TTL, DefaultTTL),
		put: script(putScript), write: script(writeScript), merge: script(mergeScript),
		prune: script(pruneScript), bury: script(buryScript),
	}, nil
}

func redisOption(cfg RedisConfig) (rueidis.ClientOption, error) {
	// A URL's error would repeat it, with the password.
	unreadable := errors.New("redis url cannot be read (its text is kept out of the log, since it may hold a password)")
	u, err := url.Parse(cfg.URL)
	if err != nil {
		return rueidis.ClientOption{}, unreadable
	}
	if u.Scheme != "unix" {
		u.Path = strings.TrimRight(u.Path, "/") // "redis://host/" means the same as "redis://host"
	}
	opt, err := rueidis.ParseURL(u.String())
	if err != nil {
		return rueidis.ClientOption{}, unreadable
	}
	opt.ClientName = "naiber"
	opt.Dialer.Timeout = orDefault(cfg.DialTimeout, time.Second)
	// With these, a client comes back even from a Redis that is not there yet.
	opt.ForceSingleClient = true
	// Nobody waits for a Redis that is lost: PostgreSQL stands behind it.
	opt.DisableRetry = true
	opt.DisableCache = true
	return opt, nil
}

// Load returns what there is of a thread.
func (r *Redis) Load(ctx context.Context, thread string) (History, error) {
	if err := r.ready(ctx, thread); err != nil {
		return History{}, fmt.Errorf("load thread %q: %w", thread, err)
	}
	b, err := r.client.Do(ctx, r.client.B().Get().Key(thread).Build()).AsBytes()
	if rueidis.IsRedisNil(err) {
		return History{}, nil
	}
	if err != nil {
		return History{}, fmt.Errorf("load thread %q from redis: %w", thread, r.said(err))
	}
	h, err := decode(b)
	if err != nil {
		return History{}, fmt.Errorf("load thread %q from redis: %w", thread, err)
	}
	return h, nil
}

// Put adds a checkpoint after head, or returns [ErrConflict].
func (r *Redis) Put(ctx context.Context, thread string, cp Checkpoint, head ID) error {
	err := r.ready(ctx, thread)
	if err == nil {
		err = cp.check()
	}
	if err != nil {
		return fmt.Errorf("put checkpoint of %q: %w", thread, err)
	}
	expected := ""
	if head.Known() {
		expected = string(head.UUID[:])
	}
	record := appendCheckpoint(make([]byte, 0, len(cp.State)+len(cp.Outcome)+256), &cp)
	answer, err := r.exec(ctx, r.put, thread, expected, rueidis.BinaryString(record), r.keep, r.millis()).AsInt64()
	switch {
	case err != nil:
		err = r.said(err)
	case answer < 0:
		err = ErrCorrupt
	case answer == 0:
		err = ErrConflict
	}
	if err != nil {
		return fmt.Errorf("put checkpoint of %q into redis: %w", thread, err)
	}
	return nil
}

// Write notes a task's result and returns the one that counts: the first.
func (r *Redis) Write(ctx context.Context, thread string, w Write) (Write, error) {
	err := r.ready(ctx, thread)
	if err == nil {
		err = checkWrite(&w)
	}
	if err != nil {
		return Write{}, fmt.Errorf("note work of %q: %w", thread, err)
	}
	m, err := r.exec(ctx, r.write, thread, string(w.Checkpoint.UUID[:]), string(appendTask(nil, &w)),
		rueidis.BinaryString(appendWrite(nil, &w)), r.millis()).ToMessage()
	if err != nil {
		return Write{}, fmt.Errorf("note work of %q in redis: %w", thread, r.said(err))
	}
	if m.IsInt64() {
		return Write{}, fmt.Errorf("note work of %q after %s: %w", thread, w.Checkpoint, ErrNotFound)
	}
	record, err := m.AsBytes()
	if err != nil {
		return Write{}, fmt.Errorf("note work of %q in redis: %w", thread, err)
	}
	h, err := decode(record)
	if err != nil || len(h.Writes) != 1 {
		return Write{}, fmt.Errorf("note work of %q in redis: %w", thread, errors.Join(ErrCorrupt, err))
	}
	return h.Writes[0], nil
}

// Get returns one checkpoint, the newest for the zero id, or [ErrNotFound].
func (r *Redis) Get(ctx context.Context, thread string, id ID) (Checkpoint, error) {
	return get(ctx, r, thread, id)
}

// List returns the checkpoints that q asks for, newest first.
func (r *Redis) List(ctx context.Context, thread string, q Query) ([]Checkpoint, error) {
	return list(ctx, r, thread, q)
}

// Copy copies a thread to one that does not exist, or returns [ErrConflict].
func (r *Redis) Copy(ctx context.Context, from, to string) error {
	if err := checkThread(to); err != nil {
		return fmt.Errorf("copy %q: %w", from, err)
	}
	h, err := r.Load(ctx, from)
	if err == nil && h.empty() {
		err = ErrNotFound
	}
	if err != nil {
		return fmt.Errorf("copy %q: %w", from, err)
	}
	set := r.client.B().Set().Key(to).Value(rueidis.BinaryString(encode(&h))).Nx().Px(r.ttl).Build()
	err = r.client.Do(ctx, set).Error()
	if rueidis.IsRedisNil(err) {
		err = ErrConflict
	}
	if err != nil {
		return fmt.Errorf("copy %q to %q in redis: %w", from, to, r.said(err))
	}
	return nil
}

// Prune leaves the newest checkpoints of a thread, at least one.
func (r *Redis) Prune(ctx context.Context, thread string, keep int) error {
	return r.change(ctx, "prune", r.prune, thread, strconv.Itoa(max(keep, 1)))
}

// Merge takes over a copy of a thread, unless what is here is newer.
func (r *Redis) Merge(ctx context.Context, thread string, h History) error {
	if h.empty() {
		return nil
	}
	return r.change(ctx, "merge", r.merge, thread, rueidis.BinaryString(encode(&h)), r.millis())
}

// Bury deletes what there is of a thread up to a revision.
func (r *Redis) Bury(ctx context.Context, thread string, rev int64) error {
	return r.change(ctx, "bury", r.bury, thread, strconv.FormatInt(rev, 10))
}

// Delete forgets a thread. One that is not there is fine.
func (r *Redis) Delete(ctx context.Context, thread string) error {
	err := r.ready(ctx, thread)
	if err == nil {
		err = r.said(r.client.Do(ctx, r.client.B().Del().Key(thread).Build()).Error())
	}
	if err != nil {
		return fmt.Errorf("delete %q from redis: %w", thread, err)
	}
	return nil
}

// Ping asks Redis for a sign of life.
func (r *Redis) Ping(ctx context.Context) error {
	if err := r.client.Do(ctx, r.client.B().Ping().Build()).Error(); err != nil {
		return fmt.Errorf("ping redis: %w", r.said(err))
	}
	return nil
}

// Close ends the connections. What comes later is answered with [ErrClosed].
func (r *Redis) Close() error {
	if r.closed.CompareAndSwap(false, true) {
		r.client.Close()
	}
	return nil
}

func (r *Redis) change(ctx context.Context, what string, script *rueidis.Lua, thread string, args ...string) error {
	err := r.ready(ctx, thread)
	if err == nil {
		err = r.said(r.exec(ctx, script, thread, args...).Error())
	}
	if err != nil {
		return fmt.Errorf("%s %q in redis: %w", what, thread, err)
	}
	return nil
}

func (r *Redis) exec(ctx context.Context, script *rueidis.Lua, thread string, args ...string) rueidis.RedisResult {
	return script.Exec(ctx, r.client, []string{thread}, args)
}

func (r *Redis) millis() string { return strconv.FormatInt(r.ttl.Milliseconds(), 10) }

func (r *Redis) ready(ctx context.Context, thread string) error {
	if r.closed.Load() {
		return ErrClosed
	}
	if err := checkThread(thread); err != nil {
		return err
	}
	return ctx.Err()
}

// said tells a client that was closed from a Redis that is lost.
func (r *Redis) said(err error) error {
	if errors.Is(err, rueidis.ErrClosing) && r.closed.Load() {
		return ErrClosed
	}
	return err
}
