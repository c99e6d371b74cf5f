package app_test

import (
	"errors"
	"net/http"
	"slices"
	"testing"

	"github.com/naiber/naiber/app/sandbox/carrier"
)

// A telephone that rings falls silent when the call is not wanted any more, whichever way that
// comes and in whichever process.
func TestRevokedWhileItRings(t *testing.T) {
	t.Parallel()
	h := openHouse(t, houseOptions{})
	rings := h.sortRings()
	for name, revoke := range map[string]func(h *house, p person){
		"by the interface": func(h *house, p person) {
			h.must(http.MethodDelete, "/api/v1/people/"+p.ID+"/consents/calls?by=Tobias", nil, nil)
		},
		"by another process": func(h *house, p person) { h.command("people", "revoke", p.ID, "calls", "--by", "Tobias") },
		"by text message": func(h *house, p person) {
			if _, err := h.world.Phones().Text(h.t.Context(), p.Phone, "STOP"); err != nil {
				h.t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := h.in(t)
			p := h.addPerson(nil)
			mine := rings(p.Phone)
			id := h.place(p)
			ring := <-mine
			revoke(h, p)
			<-ring.Over()
			h.ended(id)
			c := h.call(id)
			if c.Status != "canceled" || c.Outcome != "canceled" || c.EndedCause != "canceled" || c.EndedBy != "naiber" {
				t.Errorf("call %+v", c)
			}
			if kinds, _ := timeline(t, h.db, id); !slices.Contains(kinds, "revoked") {
				t.Errorf("timeline %v", kinds)
			}
			if _, err := ring.Answer(); err == nil {
				t.Error("the call can still be answered")
			}
		})
	}
}

// Whoever answers in the moment in which the call is no longer wanted hears no more than that.
func TestRevokedInTheMomentOfTheAnswer(t *testing.T) {
	t.Parallel()
	h := openHouse(t, houseOptions{})
	for _, tt := range []struct{ name, how, hears string }{
		{"opted out", "update people set opted_out_at = now() where id = $1", "won't call you any more"},
		{"consent taken back by somebody", "update consents set revoked_at = now(), revoked_by = 'Tobias', revoked_how = 'on paper' where person_id = $1 and scope = 'calls'", "I have to stop here for today"},
	} {
		id, set := answeredUnwanted(h, tt.how)
		ada := listen(t, set)
		ada.hears(t, tt.hears)
		ada.waitsForEnd(t)
		if c := h.ended(id); c.EndedCause != "canceled" || len(c.said("assistant")) > 0 {
			t.Errorf("%s: call %+v", tt.name, c)
		}
	}
}

// answeredUnwanted answers a call after the statement has taken back, unseen, what the person had
// agreed to. Where the process saw it nevertheless, and the phone is silent, another is called.
func answeredUnwanted(h *house, statement string) (id string, set *carrier.Handset) {
	h.t.Helper()
	for {
		p := h.addPerson(nil)
		id, ring := h.place(p), h.ring()
		if _, err := h.db.Pool().Exec(h.t.Context(), statement, p.ID); err != nil { // nobody is told
			h.t.Fatal(err)
		}
		set, err := ring.Answer()
		if err == nil {
			return id, set
		}
		if !errors.Is(err, carrier.ErrRingOver) {
			h.t.Fatal(err)
		}
	}
}
