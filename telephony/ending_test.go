package telephony

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/people"
)

// Without consent to recording, what was said ends with the call: also what is
// written down only after it.
func TestFinishKeepsOnlyWordsThatMayBeKept(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	unknown, err := h.st.CreateCall(t.Context(), calls.NewCall{
		Type: calls.CallGeneral, Direction: calls.Inbound, Phone: "+15550100777", SID: "CA777",
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name  string
		call  calls.Call
		keeps bool
	}{
		{"allowed", h.place(h.person("Ada", "+15550100123")), true},
		{"not allowed", h.place(h.person("Bo", "+15550100124", people.ScopeRecording)), false},
		{"an unknown caller", unknown, false},
	} {
		var turns [2]calls.Turn
		for i := range turns {
			turns[i] = calls.Turn{
				ID: store.NewTurnID(), CallID: tc.call.ID, Place: i, Attempt: 1, Kind: calls.TurnSpeech, Heard: "my knee", At: time.Now(),
			}
			if err := h.st.StartTurn(t.Context(), turns[i]); err != nil {
				t.Fatal(err)
			}
		}
		reply := calls.TurnResult{Reply: "I am sorry.", Outcome: calls.TurnSpoken}
		if err := h.st.FinishTurn(t.Context(), turns[0].ID, reply); err != nil {
			t.Fatal(err)
		}
		h.status(tc.call, "completed")
		if err := h.st.FinishTurn(t.Context(), turns[1].ID, reply); err != nil {
			t.Fatal(err)
		}
		got, err := h.st.Turns(t.Context(), tc.call.ID)
		if err != nil || len(got) != len(turns) {
			t.Fatalf("%s: %d turns, %v", tc.name, len(got), err)
		}
		want := [2]string{}
		if tc.keeps {
			want = [2]string{"my knee", reply.Reply}
		}
		for i, turn := range got {
			if turn.Heard != want[0] || turn.Reply != want[1] || turn.Outcome != calls.TurnSpoken {
				t.Errorf("%s: turn %d = %q, %q, %s; want %q", tc.name, i, turn.Heard, turn.Reply, turn.Outcome, want)
			}
		}
	}
}

// An ending that is not recorded is not told either.
func TestEndedIsToldWithTheEnding(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	c := h.place(h.person("Ada", "+15550100123", people.ScopeRecording))
	if err := h.st.AddConversation(t.Context(), c.ID, "conv_1"); err != nil {
		t.Fatal(err)
	}
	turn := calls.Turn{ID: store.NewTurnID(), CallID: c.ID, Kind: calls.TurnSpeech, Heard: "my knee", At: time.Now()}
	if err := h.st.StartTurn(t.Context(), turn); err != nil {
		t.Fatal(err)
	}
	end := endingOf(causeGoodbye, "", 1)
	h.post.err = store.ErrConflict
	if err := h.finish(t.Context(), c.ID, end); err == nil {
		t.Fatal("finished without what follows")
	}
	if got := h.kinds(c.ID); slices.Contains(got, "ended") {
		t.Errorf("timeline = %v", got)
	}
	if turns, err := h.st.Turns(t.Context(), c.ID); err != nil || turns[0].Heard != turn.Heard {
		t.Errorf("while the call lives: %+v, %v", turns, err)
	}
	h.post.err = nil
	for range 2 {
		if err := h.finish(t.Context(), c.ID, end); err != nil {
			t.Fatal(err)
		}
	}
	events, err := h.st.EventsAfter(t.Context(), c.ID, 0)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, e := range events {
		if e.Kind != "ended" {
			continue
		}
		n++
		for _, want := range []string{`"outcome": "reached"`, `"cause": "goodbye"`, `"by": "naiber"`, `"seconds": 0`} {
			if !strings.Contains(string(e.Data), want) {
				t.Errorf("%s lacks %s", e.Data, want)
			}
		}
	}
	if n != 1 || events[len(events)-1].Kind != "post_call_scheduled" {
		t.Errorf("ended is told %d times; timeline %v", n, h.kinds(c.ID))
	}
}
