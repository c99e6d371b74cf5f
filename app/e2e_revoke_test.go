package app_test

import (
	"net/http"
	"slices"
	"testing"
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
		p := h.addPerson(nil)
		id := h.place(p)
		ring := h.ring()
		if _, err := h.db.Pool().Exec(t.Context(), tt.how, p.ID); err != nil { // nobody is told
			t.Fatal(err)
		}
		set, err := ring.Answer()
		if err != nil {
			t.Fatal(err)
		}
		ada := listen(t, set)
		ada.hears(t, tt.hears)
		ada.waitsForEnd(t)
		if c := h.ended(id); c.EndedCause != "canceled" || len(c.said("assistant")) > 0 {
			t.Errorf("%s: call %+v", tt.name, c)
		}
	}
}
