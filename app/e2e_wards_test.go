package app_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/naiber/naiber/app/sandbox/faults"
)

// Somebody tells of danger in a health check while every model is down: they hear
// whom to ring, the check stops, the call is marked at once, and once they say to be
// all right the check goes on with its question.
func TestDangerInAHealthCheckWithTheModelDown(t *testing.T) {
	t.Parallel()
	h := openHouse(t, houseOptions{})
	h.fault(faults.ModelError, "")
	p := h.addPerson(nil)
	var out struct{ CallID string }
	if code, text := h.request(http.MethodPost, "/call", object{"userId": p.ID, "callType": "health_check"}, &out); code != http.StatusAccepted {
		t.Fatalf("POST /call: %d %s", code, text)
	}
	ada := h.answer()
	ada.hears(t, "Am I speaking with Ada?")
	ada.says(t, "Yes, speaking.")
	ada.hears(t, "moment")
	ada.says(t, "Yes")
	ada.hears(t, "energy")
	ada.says(t, "I am on the floor, call an ambulance.")
	ada.hears(t, "cannot call for help", "9 1 1")
	var c struct {
		Danger struct{ Kind, OverAt string }
	}
	marked := await(h, "the mark on the call", func() (string, bool) {
		h.must(http.MethodGet, "/api/v1/calls/"+out.CallID, nil, &c)
		return c.Danger.Kind, c.Danger.Kind != ""
	})
	kinds, _ := timeline(t, h.db, out.CallID)
	if c.Danger.OverAt != "" || !slices.Contains(kinds, "danger") {
		t.Errorf("marked %s %+v, timeline %v", marked, c, kinds)
	}
	ada.says(t, "Seven.")
	if stay := ada.hears(t, "9 1 1", "somebody with you"); strings.Contains(stay, "energy") {
		t.Errorf("the check went on: %q", stay)
	}
	ada.says(t, "I'm all right, it was a mistake.")
	ada.hears(t, "glad", "energy")
	ada.says(t, "Seven.")
	ada.hears(t, "sleep")
	ada.says(t, "Please stop calling me.") // heard in a check as well
	ada.hears(t, "Shall I stop calling you")
	ada.says(t, "No, keep calling.")
	ada.hears(t, "go on calling", "sleep")
	h.must(http.MethodPost, "/api/v1/calls/"+out.CallID+"/hangup", nil, nil)
	ada.waitsForEnd(t)
	h.ended(out.CallID)
}

// After the third answer in a row that fails, nAIber says that it is its own doing
// and that it will call back; and it does, once things work again.
func TestCallsBackAfterEveryAnswerFailed(t *testing.T) {
	t.Parallel()
	h := openHouse(t, houseOptions{env: map[string]string{"NAIBER_JOBS_CALL_BACK_DELAY": "2s"}})
	p := h.addPerson(nil)
	id := h.place(p)
	ada := h.answer()
	ada.hears(t, "Naiber", "moment")
	h.fault(faults.ModelError, "")
	ada.says(t, inTrouble)
	ada.hears(t, "say it again")
	ada.says(t, inTrouble)
	ada.hears(t, "say it again")
	ada.says(t, inTrouble)
	ada.hears(t, "wrong on my side", "call you back")
	h.fault(faults.ModelError, "off")
	ada.waitsForEnd(t)
	if c := h.ended(id); c.EndedCause != "trouble" || c.EndedBy != "naiber" {
		t.Errorf("the call is %+v", c)
	}
	again := h.answer()
	again.hears(t, "Naiber")
	again.answers(t, "My neighbour brought me apples this afternoon.")
	again.says(t, "Goodbye for now.")
	again.listens(t)
	again.waitsForEnd(t)
}
