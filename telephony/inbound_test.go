package telephony

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/people"
)

// ring is somebody who phones; it returns what Twilio is told.
func (h *house) ring(sid, from string) string {
	h.t.Helper()
	w := h.hook("/twilio/voice", "CallSid", sid, "From", from, "To", houseNumber, "CallStatus", "ringing", "Direction", "inbound")
	if w.Code != http.StatusOK {
		h.t.Fatalf("%s: %d %s", sid, w.Code, w.Body)
	}
	return w.Body.String()
}

func answered(twiml string) bool { return strings.Contains(twiml, "<Stream") }

// What the call of a person is about is asked for once they have shown who they are, and
// a wrong answer does no harm.
func TestInboundType(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		types []calls.CallType
		says  calls.CallType
		want  calls.CallType
	}{
		{"a check was broken off", allTypes, calls.CallHealthCheck, calls.CallHealthCheck},
		{"nothing is open", allTypes, calls.CallGeneral, calls.CallGeneral},
		{"there is no such persona", []calls.CallType{calls.CallGeneral}, calls.CallHealthCheck, calls.CallGeneral},
		{"there is no such type", allTypes, "bingo", calls.CallGeneral},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t, func(c *Config) { c.Types, c.InboundCheck = tt.types, CheckKeyed })
			ada := h.person("Ada", "+15550100123")
			if err := h.st.SetPIN(t.Context(), ada.ID, "271828"); err != nil {
				t.Fatal(err)
			}
			var asked []store.PersonID
			h.dep.InboundType = func(ctx context.Context, p people.Person) calls.CallType {
				if _, bounded := ctx.Deadline(); !bounded {
					t.Error("the question may take for ever")
				}
				asked = append(asked, p.ID)
				return tt.says
			}
			for sid, from := range map[string]string{"CA1": ada.Phone, "CA2": "+15550100777", "CA3": "anonymous"} {
				want := calls.CallGeneral
				if from == ada.Phone {
					want = tt.want
				}
				var body string
				if from != ada.Phone {
					body = h.ring(sid, from)
				} else {
					body = h.hook("/twilio/check?try=1", "CallSid", sid, "From", from, "CallStatus", "in-progress", "Digits", "271828").Body.String()
				}
				if !answered(body) {
					t.Fatalf("%s was not answered: %s", from, body)
				}
				c, err := h.st.CallBySID(t.Context(), sid)
				if err != nil || c.Type != want {
					t.Errorf("%s: type %q, %v; want %q", from, c.Type, err, want)
				}
			}
			if len(asked) != 1 || asked[0] != ada.ID {
				t.Errorf("asked about %v, want Ada alone", asked)
			}
		})
	}
}

// Callers whom nobody knows are answered up to the cap and no further; those we
// know always are, and a line that is free again is given away again.
func TestUnknownLiveCap(t *testing.T) {
	t.Parallel()
	h := newHouse(t, func(c *Config) { c.UnknownLiveCap = 2 })
	ada := h.person("Ada", "+15550100123")
	first := h.ring("CA1", "+15550100777")
	if !answered(first) || !answered(h.ring("CA2", "anonymous")) {
		t.Fatal("the first two were not answered")
	}
	away := h.ring("CA3", "+15550100778")
	if answered(away) || !strings.Contains(away, "busy at the moment") || !strings.Contains(away, "<Hangup") {
		t.Errorf("the third hears %s", away)
	}
	if _, err := h.st.CallBySID(t.Context(), "CA3"); err == nil {
		t.Error("the third call is on record")
	}
	if !answered(h.ring("CA4", ada.Phone)) {
		t.Error("Ada was kept out")
	}
	if !answered(h.ring("CA1", "+15550100777")) {
		t.Error("a caller who is on the line was turned away when Twilio asked again")
	}
	if w := h.hook("/twilio/status", "CallSid", "CA2", "CallStatus", "completed"); w.Code != http.StatusNoContent {
		t.Fatal(w.Code)
	}
	if !answered(h.ring("CA5", "+15550100778")) {
		t.Error("the line that became free was not given away")
	}
}

// Callers who come in one instant are counted one after the other.
func TestUnknownLiveCapAtOnce(t *testing.T) {
	t.Parallel()
	h := newHouse(t, func(c *Config) { c.UnknownLiveCap = 3 })
	var all sync.WaitGroup
	var mu sync.Mutex // guards n
	n := 0
	for i := range 9 {
		all.Go(func() {
			if answered(h.ring(fmt.Sprintf("CA%d", i), "anonymous")) {
				mu.Lock()
				n++
				mu.Unlock()
			}
		})
	}
	all.Wait()
	if n != 3 {
		t.Errorf("%d were answered, want 3", n)
	}
}

// None at all is a cap, too.
func TestNoUnknownCallers(t *testing.T) {
	t.Parallel()
	h := newHouse(t, func(c *Config) { c.UnknownLiveCap = 0 })
	if body := h.ring("CA1", "anonymous"); answered(body) {
		t.Errorf("a stranger was answered: %s", body)
	}
}
