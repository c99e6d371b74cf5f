package telephony

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/naiber/naiber/store/calls"
)

// A call that nobody carries here, and Twilio's view of it.
func TestReconcile(t *testing.T) {
	t.Parallel()
	const (
		young = 5 * time.Second
		old   = 5 * time.Minute
		older = 30 * time.Minute
	)
	restart := func(o calls.Outcome) *calls.Ending {
		return &calls.Ending{Outcome: o, Cause: causeProcessRestart, By: byNaiber}
	}
	for _, c := range []struct {
		name  string
		later time.Duration // how much later the reconciliation runs
		set   func(h *house, c calls.Call)
		want  *calls.Ending
		asked int // updates at Twilio
	}{
		{"still queued", old, func(*house, calls.Call) {}, nil, 0},
		{"still ringing", old, func(h *house, c calls.Call) { h.carrier.set(c.SID, "ringing") }, nil, 0},
		{
			"was not answered", young, func(h *house, c calls.Call) { h.carrier.set(c.SID, "no-answer") },
			&calls.Ending{Outcome: calls.OutcomeNoAnswer, Cause: causeNoAnswer, By: byPerson}, 0,
		},
		{
			"was busy", young, func(h *house, c calls.Call) { h.carrier.set(c.SID, "busy") },
			&calls.Ending{Outcome: calls.OutcomeBusy, Cause: causeBusy, By: byPerson}, 0,
		},
		{
			"was answered, and no stream came", young, func(h *house, c calls.Call) { h.carrier.set(c.SID, "completed") },
			&calls.Ending{Outcome: calls.OutcomeSilent, Cause: causeHungUp, By: byPerson}, 0,
		},
		{
			"was in progress, and ended in the meantime", young, func(h *house, c calls.Call) {
				h.conversed(c, "Hello?")
				h.carrier.set(c.SID, "completed")
			}, restart(calls.OutcomeReached), 0,
		},
		{
			"had said goodbye", young, func(h *house, c calls.Call) {
				h.conversed(c, "Goodbye!")
				h.note(h.t.Context(), c.ID, "goodbye", "", map[string]any{"reason": causeGoodbye})
				h.carrier.set(c.SID, "completed")
			}, &calls.Ending{Outcome: calls.OutcomeReached, Cause: causeGoodbye, By: byNaiber}, 0,
		},
		{
			"Twilio has forgotten it", young, func(h *house, _ calls.Call) {
				h.carrier.mu.Lock()
				h.carrier.calls = nil
				h.carrier.mu.Unlock()
			}, restart(calls.OutcomeFailed), 0,
		},
		{
			"a stream runs, in another process", old, func(h *house, c calls.Call) {
				h.conversed(c, "Hello?")
				h.carrier.set(c.SID, "in-progress")
			}, nil, 0,
		},
		{
			"the line broke a moment ago", young, func(h *house, c calls.Call) {
				h.conversed(c, "Hello?")
				h.note(h.t.Context(), c.ID, "reconnecting", "", nil)
				h.carrier.set(c.SID, "in-progress")
			}, nil, 0,
		},
		{
			"the line broke and did not come back", old, func(h *house, c calls.Call) {
				h.conversed(c, "Hello?")
				h.note(h.t.Context(), c.ID, "reconnecting", "", nil)
				h.carrier.set(c.SID, "in-progress")
			}, restart(calls.OutcomeReached), 1,
		},
		{
			"the stream stopped and nothing followed", old, func(h *house, c calls.Call) {
				h.conversed(c, "Hello?")
				h.note(h.t.Context(), c.ID, "stream_status", "", map[string]any{"event": "stream-stopped", "streamSid": "MZ1"})
				h.carrier.set(c.SID, "in-progress")
			}, restart(calls.OutcomeReached), 1,
		},
		{
			"an earlier stream stopped", old, func(h *house, c calls.Call) {
				h.conversed(c, "Hello?")
				h.note(h.t.Context(), c.ID, "stream_status", "", map[string]any{"event": "stream-stopped", "streamSid": "MZ0"})
				h.carrier.set(c.SID, "in-progress")
			}, nil, 0,
		},
		{
			"answered, and a stream never came", old, func(h *house, c calls.Call) {
				h.status(c, "in-progress")
				h.carrier.set(c.SID, "in-progress")
			}, restart(calls.OutcomeFailed), 1,
		},
		{
			"answered, as far as we know just now", old, func(h *house, c calls.Call) { h.carrier.set(c.SID, "in-progress") }, nil, 0,
		},
		{
			"far beyond its time limit", older, func(h *house, c calls.Call) {
				h.conversed(c, "Hello?")
				h.carrier.set(c.SID, "in-progress")
			}, restart(calls.OutcomeReached), 1,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t, nil)
			call := h.place(h.person("Ada", "+15550100123"))
			c.set(h, call)
			h.cfg.Now = func() time.Time { return time.Now().Add(c.later) }
			for range 2 { // it may run again and again
				if err := h.Reconcile(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			h.ended(call.ID, c.want)
			if asked := h.carrier.asked(); len(asked) != c.asked {
				t.Errorf("asked %q", asked)
			}
		})
	}
}

// conversed gives a call a stream and a conversation in which something was said.
func (h *house) conversed(c calls.Call, said string) {
	h.t.Helper()
	h.status(c, "in-progress")
	h.note(h.t.Context(), c.ID, "stream_started", "", map[string]any{"streamSid": "MZ1"})
	if err := h.st.AddConversation(h.t.Context(), c.ID, "conv_"+c.ID.String()); err != nil {
		h.t.Fatal(err)
	}
	h.says(c.ID, calls.RoleUser, said)
}

// A creation that told us nothing: the call is found at Twilio, or it never was.
func TestReconcileWithoutSID(t *testing.T) {
	t.Parallel()
	for _, exists := range []bool{true, false} {
		h := newHouse(t, func(c *Config) { c.DailyCap = 9 })
		ada := h.person("Ada", "+15550100123")
		earlier := h.place(ada) // another call of hers, which must not be taken for the lost one
		h.status(earlier, "busy")
		h.carrier.onCreate = func(_ int, w http.ResponseWriter) (bool, bool) {
			w.WriteHeader(http.StatusServiceUnavailable)
			return true, false
		}
		c, err := h.Place(t.Context(), PlaceRequest{PersonID: ada.ID, Type: calls.CallGeneral})
		if err == nil {
			t.Fatal("placed")
		}
		if exists { // it comes to light later
			h.carrier.mu.Lock()
			made := h.carrier.add(h.carrier.calls[0].form)
			made.Status = "no-answer"
			h.carrier.mu.Unlock()
		}
		if err := h.Reconcile(t.Context()); err != nil {
			t.Fatal(err)
		}
		h.ended(c.ID, nil) // its creation may still be under way
		h.cfg.Now = func() time.Time { return time.Now().Add(3 * time.Minute) }
		if err := h.Reconcile(t.Context()); err != nil {
			t.Fatal(err)
		}
		want := &calls.Ending{Outcome: calls.OutcomeFailed, Cause: causeFailed, By: byNaiber}
		if exists {
			want = &calls.Ending{Outcome: calls.OutcomeNoAnswer, Cause: causeNoAnswer, By: byPerson}
		}
		h.ended(c.ID, want)
		if got := h.call(c.ID).SID; (got != "") != exists {
			t.Errorf("sid = %q", got)
		}
	}
}

func TestReconcileGoesOnAfterAnError(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	first, second := h.place(h.person("Ada", "+15550100123")), h.place(h.person("Bo", "+15550100124"))
	h.conversed(first, "Hello?")
	h.note(t.Context(), first.ID, "reconnecting", "", nil)
	h.carrier.set(first.SID, "in-progress")
	h.carrier.set(second.SID, "busy")
	h.carrier.onUpdate = func(w http.ResponseWriter) bool { // hanging up does not work
		fault(w, http.StatusUnauthorized, 20003)
		return true
	}
	h.cfg.Now = func() time.Time { return time.Now().Add(5 * time.Minute) }
	if err := h.Reconcile(t.Context()); err == nil {
		t.Error("no error")
	}
	h.ended(first.ID, nil)
	if got := h.kinds(first.ID); !slices.Contains(got, "answered") {
		t.Errorf("timeline = %v; want the answer that nobody had told of", got)
	}
	if got := h.kinds(second.ID); !slices.Contains(got, "ended") {
		t.Errorf("timeline = %v", got)
	}
}
