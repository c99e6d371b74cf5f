package telephony

import (
	"crypto/rand"
	"slices"
	"strings"
	"testing"

	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/people"
)

// carry has a call carried here.
func (h *house) carry(call calls.Call, p people.Person) *liveCall {
	h.t.Helper()
	c, ok := h.live.begin(call.ID, func() *liveCall {
		return newLiveCall(common{cfg: h.cfg, do: h.deps(), live: h.live, log: h.Service.log, metrics: h.metrics}, calls.Line{Call: call, Person: p}, true, 0)
	})
	if !ok {
		h.t.Fatal("no new calls are taken")
	}
	return c
}

// Calls that this process carries end by their own loop, whoever brings the news.
func TestCarriedCalls(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		do    func(h *house, c calls.Call)
		want  calls.Ending
		asked []string // without the sid
	}{
		{
			"Twilio says that it is over", func(h *house, c calls.Call) { h.status(c, "completed") },
			calls.Ending{Outcome: calls.OutcomeSilent, Cause: causeHungUp, By: byPerson},
			nil,
		},
		{
			"an operator hangs up", func(h *house, c calls.Call) {
				if err := h.HangUp(h.t.Context(), c.ID, "nurse"); err != nil {
					h.t.Error(err)
				}
			},
			calls.Ending{Outcome: calls.OutcomeCanceled, Cause: causeOperator, By: byOperator},
			[]string{"completed"},
		},
		{
			"the line broke too often", func(h *house, c calls.Call) {
				for range h.cfg.ReconnectLimit {
					if _, err := h.st.Reconnect(h.t.Context(), c.ID, rand.Text()); err != nil {
						h.t.Error(err)
					}
				}
				w := h.hook("/twilio/reconnect?call="+c.ID.String(), "CallSid", c.SID, "CallStatus", "in-progress")
				if !strings.Contains(w.Body.String(), "<Say") {
					h.t.Errorf("no apology: %s", w.Body)
				}
			},
			calls.Ending{Outcome: calls.OutcomeFailed, Cause: causeStreamLost, By: byTwilio},
			nil,
		},
		{
			"a machine answered", func(h *house, c calls.Call) {
				h.hook("/twilio/amd?call="+c.ID.String(), "CallSid", c.SID, "AnsweredBy", "machine_end_beep")
				h.status(c, "completed")
			},
			calls.Ending{Outcome: calls.OutcomeVoicemail, Cause: causeVoicemail, By: byNaiber},
			[]string{"<?xml"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t, nil)
			ada := h.person("Ada", "+15550100123")
			call := h.place(ada)
			h.status(call, "in-progress")
			lc := h.carry(call, ada)
			c.do(h, call)
			<-lc.done
			h.ended(call.ID, &c.want)
			var asked []string
			for _, a := range h.carrier.asked() {
				_, what, _ := strings.Cut(a, " ")
				asked = append(asked, strings.Fields(what)[0])
			}
			if !slices.Equal(asked, c.asked) {
				t.Errorf("asked %q, want %q", asked, c.asked)
			}
			if !lc.ending() {
				t.Error("the call does not know that it has ended")
			}
			w := h.hook("/twilio/reconnect?call="+call.ID.String(), "CallSid", call.SID, "CallStatus", "in-progress")
			if strings.Contains(w.Body.String(), "Say") || !strings.Contains(w.Body.String(), "<Hangup>") {
				t.Errorf("after the end: %s", w.Body)
			}
		})
	}
}
