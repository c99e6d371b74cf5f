package council

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/discussions"
	"github.com/naiber/naiber/store/survive"
)

// Frame is an event as viewers get it, always with the same bytes.
type Frame struct {
	Seq  int64
	JSON []byte
}

// frame encodes an event of a discussion.
func frame(id uuid.UUID, e discussions.Event) (Frame, error) {
	head, err := json.Marshal(struct {
		Type string    `json:"type"`
		Seq  int64     `json:"seq"`
		ID   uuid.UUID `json:"discussionId"`
		At   time.Time `json:"at"`
	}{e.Kind, e.Seq, id, e.At.UTC()})
	if data := bytes.TrimSpace(e.Data); err == nil && len(data) > 2 { // more than {}
		head = append(append(head[:len(head)-1], ','), data[1:]...)
	}
	return Frame{e.Seq, head}, err
}

// tailFrames is how many of a discussion's last frames are held for its viewers. A viewer that is
// further behind reads from the database.
const tailFrames = 512

// feed passes the events of discussions to their viewers. Each discussion has one reader of the
// database in this process, however many viewers there are, and it reads nothing while this process
// appends the events itself.
type feed struct {
	mu    sync.Mutex
	tails map[uuid.UUID]*tail
}

// tail is the end of a discussion that has viewers.
type tail struct {
	viewers  int
	frames   []Frame // without gaps
	last     int64   // seq of the last frame; 0: none
	expected int64   // seq up to which this process is appending
	grown    chan struct{}
	gone     bool          // the discussion was forgotten
	pull     chan struct{} // asks the reader for new events
	stop     context.CancelFunc
}

// join adds a viewer, which must call leave.
func (c *Council) join(ctx context.Context, id uuid.UUID) (t *tail, leave func()) {
	f := &c.feed
	f.mu.Lock()
	defer f.mu.Unlock()
	t = f.tails[id]
	if t == nil {
		ctx, stop := context.WithCancel(context.WithoutCancel(ctx)) // outlives this viewer: others may join
		t = &tail{grown: make(chan struct{}), pull: make(chan struct{}, 1), stop: stop}
		f.tails[id] = t
		go survive.Do(c.cfg.Log, "council feed", func() { c.pull(ctx, id, t) })
	}
	t.viewers++
	return t, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if t.viewers--; t.viewers == 0 {
			t.stop()
			delete(f.tails, id)
		}
	}
}

// errFar is returned if a tail does not reach back far enough.
var errFar = errors.New("not in the tail")

// after returns the frames of t after seq, and a channel that is closed when t grows.
func (f *feed) after(t *tail, seq int64) ([]Frame, <-chan struct{}, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case t.gone:
		return nil, nil, store.ErrNotFound
	case seq >= t.last && t.last > 0:
		return nil, t.grown, nil
	case len(t.frames) > 0 && t.frames[0].Seq <= seq+1:
		return slices.Clone(t.frames[seq+1-t.frames[0].Seq:]), t.grown, nil
	}
	return nil, t.grown, errFar
}

// publish adds stored events to the discussion's tail.
func (f *feed) publish(id uuid.UUID, events []discussions.Event) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	t := f.tails[id]
	if t == nil {
		return nil
	}
	for _, e := range events {
		if e.Seq <= t.last {
			continue
		}
		fr, err := frame(id, e)
		if err != nil {
			return err
		}
		if e.Seq != t.last+1 {
			t.frames = nil // a viewer that lacks those between reads them
		}
		t.frames, t.last = append(t.frames, fr), e.Seq
	}
	if extra := len(t.frames) - tailFrames; extra > 0 {
		t.frames = slices.Clone(t.frames[extra:])
	}
	close(t.grown)
	t.grown = make(chan struct{})
	return nil
}

// forget ends a tail whose discussion was forgotten.
func (f *feed) forget(t *tail) {
	f.mu.Lock()
	defer f.mu.Unlock()
	t.gone, t.frames = true, nil
	close(t.grown)
	t.grown = make(chan struct{})
}

// expect records that this process is appending up to seq; 0 means that it is not.
func (f *feed) expect(id uuid.UUID, seq int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if t := f.tails[id]; t != nil {
		t.expected = seq
	}
}

// Appended reports that a discussion has events up to seq, whichever process wrote them, or with 0
// that it may have more. The zero id stands for any discussion. It does not block.
func (c *Council) Appended(id uuid.UUID, seq int64) {
	f := &c.feed
	f.mu.Lock()
	defer f.mu.Unlock()
	if t := f.tails[id]; t != nil && (seq == 0 || seq > max(t.last, t.expected)) {
		nudge(t.pull)
	}
	if id == uuid.Nil {
		for _, t := range f.tails {
			nudge(t.pull)
		}
	}
}

func nudge(ch chan struct{}) {
	select {
	case ch <- struct{}{}:
	default:
	}
}

// pull reads what other processes append, whenever t.pull asks for it.
func (c *Council) pull(ctx context.Context, id uuid.UUID, t *tail) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.pull:
		}
		c.feed.mu.Lock()
		last := t.last
		c.feed.mu.Unlock()
		frames, err := c.read(ctx, id, last)
		if len(frames) > 0 {
			nudge(t.pull) // there may be more
		} else if err == nil {
			_, err = c.cfg.Store.Discussion(ctx, id)
		}
		switch {
		case errors.Is(err, store.ErrNotFound):
			c.feed.forget(t)
			return
		case err != nil && ctx.Err() == nil:
			c.cfg.Log.WarnContext(ctx, "discussion cannot be followed for now", "discussion_id", id, "err", err)
			select { // try again, but not at once
			case <-ctx.Done():
			case <-time.After(time.Second):
				nudge(t.pull)
			}
		}
	}
}

// read reads and publishes events after one; if there are many, not all of them.
func (c *Council) read(ctx context.Context, id uuid.UUID, after int64) ([]Frame, error) {
	events, err := c.cfg.Store.DiscussionEvents(ctx, id, after)
	if err != nil || len(events) == 0 {
		return nil, err
	}
	out := make([]Frame, len(events))
	for i, e := range events {
		if out[i], err = frame(id, e); err != nil {
			return nil, err
		}
	}
	return out, c.feed.publish(id, events)
}

// Follow calls yield with the frames of a discussion that come after number after, in order and
// without gaps: first the past ones, then new ones, until ctx is done or yield fails. A call
// without frames means that the viewer has caught up. If the discussion is forgotten meanwhile,
// Follow returns [store.ErrNotFound].
func (c *Council) Follow(ctx context.Context, id uuid.UUID, after int64, yield func([]Frame) error) error {
	t, leave := c.join(ctx, id)
	defer leave()
	for {
		frames, grown, err := c.feed.after(t, after)
		if errors.Is(err, errFar) {
			if frames, err = c.read(ctx, id, after); len(frames) > 0 {
				nudge(t.pull) // there may be more
			} else if err == nil { // it may have been forgotten before this viewer joined
				_, err = c.cfg.Store.Discussion(ctx, id)
			}
		}
		if err != nil {
			return err
		}
		if err := yield(frames); err != nil {
			return err
		}
		if len(frames) > 0 {
			after = frames[len(frames)-1].Seq
			continue
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-grown:
		}
	}
}
