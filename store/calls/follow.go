package calls

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/naiber/naiber/store/internal/ids"
	"github.com/naiber/naiber/store/internal/pg"
	"github.com/naiber/naiber/store/survive"
)

// followRetry is the pause after a lost listening connection.
const followRetry = time.Second

// Follower reports that a call's timeline or a discussion has grown, or that a person's
// record has changed, whichever process wrote it.
type Follower struct {
	s    *Store
	done chan struct{}
	stop context.CancelFunc

	mu       sync.Mutex // guards the fields below
	watchers map[pg.CallID]map[chan struct{}]struct{}
	touched  []func(pg.PersonID)
	said     []func(discussion uuid.UUID, seq int64)
}

// Follow starts to listen on its own connection. Call [Follower.Stop] to end it.
func (s *Store) Follow(ctx context.Context) *Follower {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	f := &Follower{s: s, done: make(chan struct{}), stop: cancel, watchers: make(map[pg.CallID]map[chan struct{}]struct{})}
	go f.run(ctx)
	return f
}

// Stop ends the listening and waits for its end. It may be called twice.
func (f *Follower) Stop() {
	f.stop()
	<-f.done
}

// Watch returns a channel that receives a value after the call's timeline has grown, at
// least one for any number of events, and a function that ends the watch.
func (f *Follower) Watch(id pg.CallID) (<-chan struct{}, func()) {
	ch := make(chan struct{}, 1)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.watchers[id] == nil {
		f.watchers[id] = make(map[chan struct{}]struct{})
	}
	f.watchers[id][ch] = struct{}{}
	return ch, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.watchers[id], ch)
		if len(f.watchers[id]) == 0 {
			delete(f.watchers, id)
		}
	}
}

// OnTouch registers do to be called after each [Store.TouchPerson], in whichever process.
// It is called with the zero id if some may have been missed, for any person. do must not
// block.
func (f *Follower) OnTouch(do func(pg.PersonID)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.touched = append(f.touched, do)
}

// OnDiscussion registers do to be called after events were appended to a discussion, in
// whichever process, with the number of the last one. It is called with the zero id if some
// may have been missed, for any discussion. do must not block.
func (f *Follower) OnDiscussion(do func(id uuid.UUID, seq int64)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.said = append(f.said, do)
}

func (f *Follower) run(ctx context.Context) {
	defer close(f.done)
	for ctx.Err() == nil {
		if err := f.listen(ctx); err != nil && ctx.Err() == nil {
			f.s.db.Log.WarnContext(ctx, "timeline listener lost its connection", "err", err)
			select {
			case <-ctx.Done():
			case <-time.After(followRetry):
			}
		}
	}
}

func (f *Follower) listen(ctx context.Context) error {
	conn, err := pgx.ConnectConfig(ctx, f.s.db.Pool.Config().ConnConfig.Copy())
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if _, err := conn.Exec(ctx, "listen call_events; listen people_touched; listen discussion_events"); err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	f.wakeAll() // for what was missed while not listening
	f.touch(pg.PersonID{})
	f.say(uuid.Nil, 0)
	for {
		n, err := conn.WaitForNotification(ctx)
		if err != nil {
			return fmt.Errorf("wait: %w", err)
		}
		switch n.Channel {
		case "people_touched":
			if id, err := ids.ParsePersonID(n.Payload); err == nil {
				f.touch(id)
			}
		case "discussion_events":
			for one := range strings.SplitSeq(n.Payload, ",") {
				id, seq, _ := strings.Cut(one, " ")
				last, err := strconv.ParseInt(seq, 10, 64)
				if parsed, bad := uuid.Parse(id); errors.Join(err, bad) == nil {
					f.say(parsed, last)
				}
			}
		default:
			if id, err := ids.ParseCallID(n.Payload); err == nil {
				f.wake(id)
			}
		}
	}
}

func (f *Follower) touch(id pg.PersonID) {
	f.mu.Lock()
	told := slices.Clone(f.touched)
	f.mu.Unlock()
	for _, do := range told {
		survive.Do(f.s.db.Log, "follow", func() { do(id) })
	}
}

func (f *Follower) say(id uuid.UUID, seq int64) {
	f.mu.Lock()
	told := slices.Clone(f.said)
	f.mu.Unlock()
	for _, do := range told {
		survive.Do(f.s.db.Log, "follow", func() { do(id, seq) })
	}
}

func (f *Follower) wake(id pg.CallID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for ch := range f.watchers[id] {
		nudge(ch)
	}
}

func (f *Follower) wakeAll() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, chans := range f.watchers {
		for ch := range chans {
			nudge(ch)
		}
	}
}

func nudge(ch chan struct{}) {
	select {
	case ch <- struct{}{}:
	default:
	}
}
