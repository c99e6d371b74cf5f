package checkpoint

import (
	"context"
	"errors"
	"log/slog"
	"time"
)

// thread is what a [Failover] knows of one thread. What follows the channels is
// guarded by the Failover's mutex.
type thread struct {
	// turn lets one change at a time through, in this process: what goes to
	// PostgreSQL because Redis failed must not overtake what Redis took.
	turn chan struct{}
	// flush is held while PostgreSQL hears of what is owed, so that what is
	// deleted meanwhile does not come back.
	flush chan struct{}
	// users counts the calls that hold it, so that it is not forgotten under them.
	users int
	used  time.Time

	// rev is the newest revision that this process knows of. Redis is trusted
	// with it where seen is the current outage.
	rev  int64
	seen int
	// owed is what PostgreSQL has yet to hear.
	owed History
	// lags says that Redis has yet to hear of what PostgreSQL has.
	lags bool
	// dead, if not zero, is the revision up to which Redis is to delete its copy.
	dead int64
}

const (
	// manyThreads is when those that have been idle are forgotten: what they say
	// can be found out again.
	manyThreads = 4096
	idleThread  = 10 * time.Minute
)

// enter waits for its turn to change the thread.
func (th *thread) enter(ctx context.Context) error {
	select {
	case th.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (th *thread) exit() { <-th.turn }

// hush waits until no flush of the thread is under way, and keeps others from it.
func (th *thread) hush(ctx context.Context) error {
	select {
	case th.flush <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (th *thread) unhush() { <-th.flush }

// instep reports whether both parts have heard of everything.
func (th *thread) instep() bool { return th.owed.empty() && !th.lags && th.dead == 0 }

// idle reports whether forgetting the thread loses nothing.
func (th *thread) idle(now time.Time) bool {
	return th.users == 0 && th.instep() && now.Sub(th.used) > idleThread
}

// ready returns what is known of a thread, for a caller that will leave it.
func (f *Failover) ready(ctx context.Context, name string) (*thread, error) {
	if err := checkThread(name); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return nil, ErrClosed
	}
	f.working.Add(1)
	return f.get(name), nil
}

// get is for callers that hold mu.
func (f *Failover) get(name string) *thread {
	th := f.threads[name]
	now := time.Now()
	if th == nil {
		if len(f.threads) >= manyThreads && len(f.threads)%256 == 0 { // not at every new one
			for other, old := range f.threads {
				if old.idle(now) {
					delete(f.threads, other)
				}
			}
		}
		th = &thread{turn: make(chan struct{}, 1), flush: make(chan struct{}, 1), seen: -1}
		f.threads[name] = th
	}
	th.users++
	th.used = now
	return th
}

func (f *Failover) leave(th *thread) {
	f.mu.Lock()
	defer f.mu.Unlock()
	th.users--
	f.working.Done()
}

// mark is what was known of a thread at some time.
type mark struct {
	rev    int64
	outage int
}

// serves reports whether Redis is there and in step for a thread, and what is
// known of it before Redis is asked.
func (f *Failover) serves(th *thread) (mark, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return mark{th.rev, f.outage}, !f.lost[PartRedis] && !th.lags && th.dead == 0
}

// patience is how long Redis is waited for with a thread.
func (f *Failover) patience(th *thread) time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	if th.seen < 0 {
		return f.cfg.CompareTimeout
	}
	return f.cfg.RedisTimeout
}

func (f *Failover) isLost(part string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.lost[part]
}

// trust reports whether h, from Redis, can be taken as it is: the thread was
// compared since Redis was last lost, and h is not older than what is known.
func (f *Failover) trust(name string, th *thread, h *History) bool {
	f.mu.Lock()
	known := th.rev
	ok := th.seen == f.outage && h.rev() >= known
	if ok {
		th.rev = h.rev()
	}
	f.mu.Unlock()
	if ok && h.rev() > known {
		// Another process has been here. It tells PostgreSQL, unless it died first.
		f.owe(name, th, h.clone())
	}
	return ok
}

// doubt makes the next load compare the copies.
func (f *Failover) doubt(th *thread) {
	f.mu.Lock()
	defer f.mu.Unlock()
	th.seen = -1
}

// compared notes that both stores were asked, when known was known; h is what
// they have together. It may be less than was known: the thread was deleted.
func (f *Failover) compared(name string, th *thread, known mark, h *History, postgresLags, redisLags bool) {
	f.mu.Lock()
	th.seen = known.outage
	if rev := h.rev(); th.rev == known.rev || rev > th.rev {
		th.rev = rev
	}
	f.mu.Unlock()
	if postgresLags {
		f.owe(name, th, h.clone())
	}
	if redisLags {
		f.served(name, th, 0)
	}
}

// pending is what PostgreSQL has yet to hear. It must not be changed.
func (f *Failover) pending(th *thread) History {
	f.mu.Lock()
	defer f.mu.Unlock()
	return th.owed
}

// owe remembers what PostgreSQL has yet to hear, and sees to it that it does.
func (f *Failover) owe(name string, th *thread, more History) {
	f.mu.Lock()
	th.owed = union(th.owed, more, f.keep)
	th.rev = max(th.rev, th.owed.rev())
	f.todo[name] = th
	f.mu.Unlock()
	f.catchUp()
}

// settle brings PostgreSQL up to date with a thread before it serves a change.
func (f *Failover) settle(ctx context.Context, name string, th *thread) error {
	owed := f.pending(th)
	if owed.empty() {
		return nil
	}
	if err := f.pg.Merge(ctx, name, owed); err != nil {
		f.fault(ctx, PartPostgres, err)
		return err
	}
	f.paid(th, &owed)
	return nil
}

// paid strikes out what PostgreSQL has heard of.
func (f *Failover) paid(th *thread, heard *History) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var left History
	for _, cp := range th.owed.Checkpoints {
		if _, ok := heard.Find(cp.ID); !ok {
			left.Checkpoints = append(left.Checkpoints, cp)
		}
	}
	for _, w := range th.owed.Writes {
		if _, ok := heard.Done(w.Checkpoint, w.Task); !ok {
			left.Writes = append(left.Writes, w)
		}
	}
	th.owed = left
}

// served notes that PostgreSQL has something that Redis is yet to hear of, and
// sees to it that it does.
func (f *Failover) served(name string, th *thread, rev int64) {
	f.mu.Lock()
	th.rev = max(th.rev, rev)
	th.lags = true
	f.todo[name] = th
	f.mu.Unlock()
	f.catchUp()
}

// last is a revision that nothing of the thread is newer than.
func (f *Failover) last(th *thread) int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return NextRev(th.rev, time.Now())
}

// forget drops what was known of a thread that was deleted.
func (f *Failover) forget(th *thread) {
	f.mu.Lock()
	defer f.mu.Unlock()
	th.owed, th.rev, th.lags, th.dead, th.seen = History{}, 0, false, 0, -1
}

// bury has Redis delete its copy up to rev.
func (f *Failover) bury(name string, th *thread, rev int64) {
	f.mu.Lock()
	th.dead = max(th.dead, rev)
	f.todo[name] = th
	f.mu.Unlock()
	f.catchUp()
}

// fault counts err against a part, unless the caller's time was up or the answer
// is a proper one.
func (f *Failover) fault(ctx context.Context, part string, err error) {
	if ctx.Err() != nil || errors.Is(err, ErrConflict) || errors.Is(err, ErrNotFound) || errors.Is(err, ErrInvalid) || errors.Is(err, ErrClosed) {
		return
	}
	f.lose(ctx, part, err)
}

// lose notes that a part is lost, says so once, and has the catch-up look for it.
func (f *Failover) lose(ctx context.Context, part string, err error) {
	f.mu.Lock()
	was := f.lost[part]
	f.lost[part] = true
	if !was {
		if part == PartRedis {
			f.outage++
		}
		f.log.LogAttrs(ctx, slog.LevelWarn, "checkpoint store lost", slog.String("part", part), slog.Any("err", err))
		if f.cfg.OnDegraded != nil {
			f.cfg.OnDegraded(part, true)
		}
	}
	f.mu.Unlock()
	f.catchUp()
}

// regain notes that a part is back.
func (f *Failover) regain(ctx context.Context, part string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.lost[part] {
		return
	}
	f.lost[part] = false
	f.log.LogAttrs(ctx, slog.LevelInfo, "checkpoint store back", slog.String("part", part))
	if f.cfg.OnDegraded != nil {
		f.cfg.OnDegraded(part, false)
	}
}
