package telephony

import (
	"net/http"
	"slices"
	"testing"

	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/people"
)

// What rings is cancelled once it is not wanted any more; what was answered is not, and
// neither is what the consent is not about.
func TestRevokedCancelsWhatRings(t *testing.T) {
	t.Parallel()
	optOut := func(h *house, p people.Person) error { return h.st.OptOut(h.t.Context(), p.ID, "test") }
	revoke := func(scope people.Scope) func(*house, people.Person) error {
		return func(h *house, p people.Person) error {
			_, err := h.st.RevokeConsent(h.t.Context(), p.ID, scope, "the daughter", "on paper")
			return err
		}
	}
	for _, tt := range []struct {
		name   string
		kind   calls.CallType
		status string // at Twilio and here
		change func(*house, people.Person) error
		want   bool
	}{
		{"opted out while it waits", calls.CallGeneral, "queued", optOut, true},
		{"opted out while it rings", calls.CallGeneral, "ringing", optOut, true},
		{"consent taken back while it rings", calls.CallGeneral, "ringing", revoke(people.ScopeCalls), true},
		{"no more checks of memory", calls.CallCognitive, "ringing", revoke(people.ScopeCognitive), true},
		{"no more checks of memory, in a chat", calls.CallGeneral, "ringing", revoke(people.ScopeCognitive), false},
		{"nothing is taken back", calls.CallGeneral, "ringing", func(*house, people.Person) error { return nil }, false},
		{"opted out in the call", calls.CallGeneral, "in-progress", optOut, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t, nil)
			ada, tom := h.person("Ada", "+15550100123"), h.person("Tom", "+15550100124")
			other := h.place(tom)
			c, err := h.Place(t.Context(), PlaceRequest{PersonID: ada.ID, Type: tt.kind, By: "test"})
			if err != nil {
				t.Fatal(err)
			}
			h.carrier.set(c.SID, tt.status)
			if tt.status != "queued" {
				h.status(c, tt.status)
			}
			if err := tt.change(h, ada); err != nil {
				t.Fatal(err)
			}
			for range 2 { // as in two processes
				if err := h.Revoked(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			h.ended(other.ID, nil)
			if !tt.want {
				h.ended(c.ID, nil)
				if asked := h.carrier.asked(); len(asked) > 0 {
					t.Errorf("the carrier was asked for %v", asked)
				}
				return
			}
			h.ended(c.ID, &calls.Ending{Outcome: calls.OutcomeCanceled, Cause: causeCanceled, By: byNaiber})
			if asked := h.carrier.asked(); !slices.Equal(asked, []string{c.SID + " canceled"}) {
				t.Errorf("the carrier was asked for %v", asked)
			}
			if kinds := h.kinds(c.ID); !slices.Contains(kinds, "revoked") || h.call(c.ID).Status != calls.StatusCanceled {
				t.Errorf("timeline %v of a call that is %s", kinds, h.call(c.ID).Status)
			}
		})
	}
}

// An opt-out that comes while Twilio is asked for the call finds no name to cancel it by:
// whoever learns the name cancels it.
func TestRevokedWhileTheCallIsCreated(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	ada := h.person("Ada", "+15550100123")
	h.carrier.onCreate = func(int, http.ResponseWriter) (answered, placed bool) {
		if err := h.st.OptOut(t.Context(), ada.ID, "sms"); err != nil {
			t.Error(err)
		}
		if err := h.Revoked(t.Context()); err != nil {
			t.Error(err)
		}
		return false, true
	}
	c, err := h.Place(t.Context(), PlaceRequest{PersonID: ada.ID, Type: calls.CallGeneral, By: "test"})
	if err != nil {
		t.Fatal(err)
	}
	if asked := h.carrier.asked(); !slices.Equal(asked, []string{c.SID + " canceled"}) {
		t.Errorf("the carrier was asked for %v", asked)
	}
	h.ended(c.ID, &calls.Ending{Outcome: calls.OutcomeCanceled, Cause: causeCanceled, By: byNaiber})
}

// The carrier has answered the call already, though no callback has said so: nothing ends it
// but its own stream, and reconciliation leaves it to that.
func TestRevokedLosesTheRaceWithTheAnswer(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	ada := h.person("Ada", "+15550100123")
	c := h.place(ada)
	h.carrier.set(c.SID, "in-progress")
	if err := h.st.OptOut(t.Context(), ada.ID, "sms"); err != nil {
		t.Fatal(err)
	}
	if err := h.Revoked(t.Context()); err != nil {
		t.Fatal(err)
	}
	h.ended(c.ID, nil)
	no, err := h.unwantedNow(t.Context(), c)
	if err != nil || no == nil || no.Rule != RuleOptedOut {
		t.Errorf("the stream is told %+v, %v", no, err)
	}
}
