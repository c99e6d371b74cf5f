package telephony

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/people"
)

// ErrNotLive says that a call is not carried by this process.
var ErrNotLive = errors.New("call is not live here")

// drainGrace is how long calls that a drain cuts short may take to end.
const drainGrace = 20 * time.Second

// registry knows the calls that this process carries. There are hundreds at
// most, so what is not asked for by call id is looked for one by one.
type registry struct {
	running sync.WaitGroup

	mu       sync.Mutex // guards what follows
	calls    map[store.CallID]*liveCall
	draining bool
}

func newRegistry() *registry {
	return &registry{calls: make(map[store.CallID]*liveCall)}
}

// get returns a live call.
func (r *registry) get(id store.CallID) (*liveCall, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c, ok := r.calls[id]
	return c, ok
}

// begin returns the live call id, which it makes and starts where there is none.
// While draining it starts none and reports false.
func (r *registry) begin(id store.CallID, create func() *liveCall) (*liveCall, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if c, ok := r.calls[id]; ok {
		return c, true
	}
	if r.draining {
		return nil, false
	}
	c := create()
	r.calls[id] = c
	c.metrics.live.Inc()
	r.running.Go(func() { c.run(context.Background()) }) // a call outlives the request that began it
	return c, true
}

// remove forgets a call that has ended.
func (r *registry) remove(c *liveCall) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.calls[c.id] == c {
		delete(r.calls, c.id)
		c.metrics.live.Dec()
	}
}

// all returns the live calls in no order.
func (r *registry) all() []*liveCall {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Collect(maps.Values(r.calls))
}

// admits reports whether a new stream may come in. While draining, only the
// calls that are here may get one, should their line break.
func (r *registry) admits() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.draining || len(r.calls) > 0
}

// line returns the one line that fits. Several (two people on one telephone) are none.
func (r *registry) line(fits func(calls.Line) bool) (calls.Line, bool) {
	var found calls.Line
	n := 0
	for _, c := range r.all() {
		if l := c.now(); fits(l) {
			found = l
			n++
		}
	}
	return found, n == 1
}

// LineByCall returns who is on a call, as those may know it who speak there: see
// [calls.Line.Told]. A call that has ended is not found. Calls carried here are answered
// for from memory, others by the database.
func (s *Service) LineByCall(ctx context.Context, id store.CallID) (calls.Line, bool, error) {
	if c, ok := s.live.get(id); ok {
		s.lookWho(ctx, c)
		return c.now().Told(), true, nil
	}
	c, err := s.dep.Store.Call(ctx, id)
	return s.storedLine(ctx, c, err)
}

// LineByPerson returns the call that a person is on.
func (s *Service) LineByPerson(ctx context.Context, id store.PersonID) (calls.Line, bool, error) {
	if l, ok := s.live.line(func(l calls.Line) bool { return l.Person.ID == id }); ok {
		return l.Told(), true, nil
	}
	c, err := s.dep.Store.LiveCallOf(ctx, id)
	return s.storedLine(ctx, c, err)
}

// LineByPhone returns the call with a telephone, given in E.164. Where several
// people share it and are on calls, none is found: guessing could tell one
// person what belongs to another.
func (s *Service) LineByPhone(ctx context.Context, phone string) (calls.Line, bool, error) {
	if l, ok := s.live.line(func(l calls.Line) bool { return l.Call.Phone == phone }); ok {
		return l.Told(), true, nil
	}
	callList, err := s.dep.Store.LiveCallsByPhone(ctx, phone)
	if err != nil || len(callList) != 1 {
		return calls.Line{}, false, err
	}
	return s.storedLine(ctx, callList[0], nil)
}

func (s *Service) storedLine(ctx context.Context, c calls.Call, err error) (calls.Line, bool, error) {
	switch {
	case errors.Is(err, store.ErrNotFound):
		return calls.Line{}, false, nil
	case err != nil:
		return calls.Line{}, false, err
	case !c.Live():
		return calls.Line{}, false, nil
	}
	l, _, err := s.lineOf(ctx, c)
	return l.Told(), err == nil, err
}

// lineOf adds to a call who is on it, and whether their words may be kept. The
// words of somebody whom we do not know are not.
func (s *Service) lineOf(ctx context.Context, c calls.Call) (l calls.Line, keepWords bool, err error) {
	l = calls.Line{Call: c, ConversationID: c.ConversationID}
	if !c.Whose().Known() {
		return l, false, nil
	}
	if l.Person, err = s.dep.Store.Person(ctx, c.Whose()); err != nil {
		return l, false, err
	}
	if !c.PersonID.Known() {
		return l.Told(), false, nil
	}
	scopes, err := s.dep.Store.ConsentScopes(ctx, c.PersonID)
	return l, people.KeepsWords(scopes), err
}

// EndAfterSpeech ends a call once the person has heard what is being said to
// them. It returns at once, or with [ErrNotLive]. Should the person speak over
// it, the call goes on.
func (s *Service) EndAfterSpeech(_ context.Context, id store.CallID, reason string) error {
	c, ok := s.live.get(id)
	if !ok {
		return fmt.Errorf("end call %s: %w", id, ErrNotLive)
	}
	v := verdict{cause: askedCause(reason), phone: phoneHangUp}
	c.tell(func(context.Context) *verdict { return c.endAfterSpeech(v) }) // where it is ending anyway, nobody listens
	return nil
}

// WillEnd notes why the voice service's own tool is about to end a call. The
// reason does not come through that service, so it is kept for when the tool is used.
func (s *Service) WillEnd(id store.CallID, reason string) {
	if c, ok := s.live.get(id); ok {
		c.facts.set(func(f *facts) { f.endReason = reason })
	}
}

// Drain refuses new calls and waits for the live ones. When ctx ends first, it
// says goodbye to those that are left and ends them, and returns an error that
// says how many they were.
func (s *Service) Drain(ctx context.Context) error {
	s.log.LogAttrs(ctx, slog.LevelInfo, "draining calls", slog.Int("count", len(s.live.all())))
	return s.live.drain(ctx)
}

func (r *registry) drain(ctx context.Context) error {
	r.mu.Lock()
	r.draining = true
	r.mu.Unlock()
	ended := make(chan struct{})
	go func() {
		r.running.Wait()
		close(ended)
	}()
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
	}
	cut := r.all()
	for _, c := range cut {
		go c.end(verdict{cause: causeShutdown, phone: phoneFarewell})
	}
	select {
	case <-ended:
		return fmt.Errorf("%d calls were cut short: %w", len(cut), ctx.Err())
	case <-time.After(drainGrace):
		return fmt.Errorf("drain: %d calls did not end: %w", len(r.all()), ctx.Err())
	}
}
