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

// ErrNotLive means that a call is not carried by this process.
var ErrNotLive = errors.New("call is not live here")

// drainGrace is how long calls that a drain ends may take to do so.
const drainGrace = 20 * time.Second

// registry holds the calls that this process carries. There are hundreds at most, so lookups other
// than by call id are linear.
type registry struct {
	running sync.WaitGroup

	mu       sync.Mutex // guards the fields below
	calls    map[store.CallID]*liveCall
	draining bool
}

func newRegistry() *registry {
	return &registry{calls: make(map[store.CallID]*liveCall)}
}

// get returns the live call id, and whether there is one.
func (r *registry) get(id store.CallID) (*liveCall, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c, ok := r.calls[id]
	return c, ok
}

// begin returns the live call id, which it creates and starts if there is none. While draining it
// starts none and returns false.
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

// remove removes a call that has ended.
func (r *registry) remove(c *liveCall) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.calls[c.id] == c {
		delete(r.calls, c.id)
		c.metrics.live.Dec()
	}
}

// all returns the live calls, in no particular order.
func (r *registry) all() []*liveCall {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Collect(maps.Values(r.calls))
}

// admits reports whether a new stream may be opened. While draining, only a broken line of a call
// carried here may get one.
func (r *registry) admits() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.draining || len(r.calls) > 0
}

// line returns the only line for which fits returns true. It returns false if there are several
// (two people on one telephone).
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

// LineByCall returns the line of a call, limited to what its speaker may know: see
// [calls.Line.Told]. It does not find a call that has ended. Calls carried here are read from
// memory, others from the database.
func (s *Service) LineByCall(ctx context.Context, id store.CallID) (calls.Line, bool, error) {
	if c, ok := s.live.get(id); ok {
		s.lookWho(ctx, c)
		return c.now().Told(), true, nil
	}
	c, err := s.dep.Store.Call(ctx, id)
	return s.storedLine(ctx, c, err)
}

// LineByPerson returns the line of the call that a person is on.
func (s *Service) LineByPerson(ctx context.Context, id store.PersonID) (calls.Line, bool, error) {
	if l, ok := s.live.line(func(l calls.Line) bool { return l.Person.ID == id }); ok {
		return l.Told(), true, nil
	}
	c, err := s.dep.Store.LiveCallOf(ctx, id)
	return s.storedLine(ctx, c, err)
}

// LineByPhone returns the line of the call with a telephone, given in E.164. If several people
// share it and are on calls, none is found: guessing could disclose one person's data to another.
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

// lineOf returns the line of a call with its person, and whether their words may be kept. The words
// of an unknown caller are not kept.
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

// EndAfterSpeech ends a call once the person has heard what is being said to them. It does not wait
// for that. It returns [ErrNotLive] if the call is not carried here. If the person speaks over the
// goodbye, the call goes on.
func (s *Service) EndAfterSpeech(_ context.Context, id store.CallID, reason string) error {
	c, ok := s.live.get(id)
	if !ok {
		return fmt.Errorf("end call %s: %w", id, ErrNotLive)
	}
	v := verdict{cause: askedCause(reason), phone: phoneHangUp}
	c.tell(func(context.Context) *verdict { return c.endAfterSpeech(v) }) // false if the call is ending anyway
	return nil
}

// WillEnd stores the reason why the voice service's own tool is about to end a call. That service
// does not pass the reason on, so it is kept until the tool is used.
func (s *Service) WillEnd(id store.CallID, reason string) {
	if c, ok := s.live.get(id); ok {
		c.facts.set(func(f *facts) { f.endReason = reason })
	}
}

// Drain refuses new calls and waits for the live ones. If ctx ends first, it says goodbye in those
// that are left, ends them, and returns an error that gives their number.
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
