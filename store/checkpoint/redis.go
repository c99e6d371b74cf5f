package checkpoint

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/redis/rueidis"
)

//go:embed scripts/put.lua
var putScript string

const redisDialTimeout = time.Second

// redis stores each thread under one key, which is the thread's name. A load is one GET and
// a put one script, so the cost of a turn does not depend on what else is in Redis.
type redis struct {
	client  rueidis.Client
	putting *rueidis.Lua
	ttl     string // in milliseconds
	timeout time.Duration
}

func newRedis(rawURL string, ttl time.Duration) (*redis, error) {
	opt, err := redisOption(rawURL)
	if err != nil {
		return nil, err
	}
	client, err := rueidis.NewClient(opt)
	if client == nil {
		return nil, fmt.Errorf("make redis client: %w", err)
	}
	return &redis{
		client: client, putting: rueidis.NewLuaScript(putScript), ttl: strconv.FormatInt(ttl.Milliseconds(), 10), timeout: redisTimeout,
	}, nil
}

func redisOption(rawURL string) (rueidis.ClientOption, error) {
	// The error of url.Parse would repeat the URL, with the password.
	unreadable := errors.New("redis url cannot be read (its text is kept out of the log, since it may hold a password)")
	u, err := url.Parse(rawURL)
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
	opt.Dialer.Timeout = redisDialTimeout
	// This lets a client recover even from a Redis that is not up yet.
	opt.ForceSingleClient = true
	// Do not wait for a lost Redis: PostgreSQL has the threads as well.
	opt.DisableRetry = true
	opt.DisableCache = true
	return opt, nil
}

// load returns the history of a thread. A value that cannot be decoded counts as missing:
// PostgreSQL has the thread.
func (r *redis) load(ctx context.Context, thread string) (History, error) {
	ctx, cancel := context.WithTimeout(ctx, r.timeout)
	defer cancel()
	b, err := r.client.Do(ctx, r.client.B().Get().Key(thread).Build()).AsBytes()
	if err != nil && !rueidis.IsRedisNil(err) {
		return History{}, err
	}
	cps, err := decode(b)
	if err != nil || len(cps) == 0 {
		return History{}, nil
	}
	return History{Checkpoints: cps, rev: cps[0].Rev}, nil
}

// put stores a thread that was loaded at the revision seen.
func (r *redis) put(ctx context.Context, thread string, next stored, seen int64) error {
	ctx, cancel := context.WithTimeout(ctx, r.timeout)
	defer cancel()
	args := []string{strconv.FormatInt(seen, 10), rueidis.BinaryString(next.data), r.ttl}
	done, err := r.putting.Exec(ctx, r.client, []string{thread}, args).AsBool()
	if err == nil && !done {
		return ErrConflict
	}
	return err
}

// deleteAtOnce is how many keys one command deletes: Redis serves no other command
// meanwhile.
const deleteAtOnce = 500

func (r *redis) delete(ctx context.Context, threads []string) error {
	for some := range slices.Chunk(threads, deleteAtOnce) {
		waits, cancel := context.WithTimeout(ctx, r.timeout)
		err := r.client.Do(waits, r.client.B().Del().Key(some...).Build()).Error()
		cancel()
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *redis) ping(ctx context.Context) error {
	if err := r.client.Do(ctx, r.client.B().Ping().Build()).Error(); err != nil {
		return fmt.Errorf("ping redis: %w", err)
	}
	return nil
}
