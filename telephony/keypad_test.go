package telephony

import (
	"errors"
	"testing"

	"github.com/naiber/naiber/store/calls"
)

func TestKeypadDigit(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"0", "7", "9", "*", "#"} {
		if !keypadDigit(key) {
			t.Errorf("%q is no key", key)
		}
	}
	for _, other := range []string{"", "12", "A", "E", "a", " ", "/", ":", "é", "\x00"} {
		if keypadDigit(other) {
			t.Errorf("%q is a key", other)
		}
	}
}

// Whoever presses keys has answered: a process that finds the call later counts
// as the one did that carried it, with a transcript and without.
func TestKeysCountAsSpeech(t *testing.T) {
	t.Parallel()
	h := newHouse(t, func(c *Config) { c.DailyCap = 9 })
	words := func(c calls.Call) { h.says(c.ID, calls.RoleUser, "Yes.") }
	silence := func(c calls.Call) { h.says(c.ID, calls.RoleUser, "...") }
	fact := func(c calls.Call) {
		h.note(h.t.Context(), c.ID, "heard", "", map[string]any{"role": calls.RoleUser})
	}
	ours := func(c calls.Call) {
		h.says(c.ID, calls.RoleAssistant, "Hello.")
		h.note(h.t.Context(), c.ID, "heard", "", map[string]any{"role": calls.RoleAssistant, "text": "Hello."})
	}
	keys := func(c calls.Call) {
		h.note(h.t.Context(), c.ID, "keypad", "", map[string]any{"digits": "12"})
	}
	told := func(c calls.Call) { // as the timeline tells what the transcript holds too
		words(c)
		h.note(h.t.Context(), c.ID, "heard", "", map[string]any{"role": calls.RoleUser, "text": "Yes."})
	}
	ada := h.person("Ada", "+15550100123")
	for _, tc := range []struct {
		name string
		what []func(calls.Call)
		want int
	}{
		{"nothing", nil, 0},
		{"keys alone", []func(calls.Call){keys}, 1},
		{"keys for an answer", []func(calls.Call){ours, keys}, 1},
		{"keys twice", []func(calls.Call){keys, keys}, 2},
		{"words and keys", []func(calls.Call){told, keys}, 2},
		{"silence and keys", []func(calls.Call){silence, keys}, 1},
		{"words that are not kept", []func(calls.Call){fact, keys, fact}, 3},
	} {
		c := h.place(ada)
		for _, do := range tc.what {
			do(c)
		}
		got, err := h.timesSpoken(t.Context(), c.ID)
		if err != nil || got != tc.want {
			t.Errorf("%s: %d, %v; want %d", tc.name, got, err, tc.want)
		}
		h.status(c, "completed") // one live call a person
	}
}

func TestKeysThatEndAllCalls(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		kind calls.CallType
		keys string
		want bool
	}{
		{calls.CallGeneral, "9", true},
		{calls.CallGeneral, "99", false},
		{calls.CallGeneral, "*9", true},
		{calls.CallHealthCheck, "9", false}, // may be an answer: the turn tells
		{calls.CallHealthCheck, "*9", true},
		{calls.CallCognitive, "9", false},
		{calls.CallCognitive, "*9", true},
		{calls.CallApplianceHelp, "9", false},
		{calls.CallApplianceHelp, "9*", false},
	} {
		if got := optsOut(test.kind, test.keys); got != test.want {
			t.Errorf("%q in a call of type %s: %t", test.keys, test.kind, got)
		}
	}
}

// A key ends all calls, but not while somebody is in danger, who may be dialling for help.
func TestOptOutKeyInDanger(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	ada := h.person("Ada", "+15550100123")
	c := h.place(ada)
	ctx := t.Context()
	out := func() bool {
		p, err := h.st.Person(ctx, ada.ID)
		if err != nil {
			t.Fatal(err)
		}
		return p.OptedOutAt != nil
	}
	if err := h.st.MarkDanger(ctx, c.ID, "fall_stuck", h.cfg.Now()); err != nil {
		t.Fatal(err)
	}
	if err := h.deps().optOut(ctx, c); !errors.Is(err, errInDanger) || out() {
		t.Fatalf("in danger: %v, opted out %t", err, out())
	}
	if err := h.st.EndDanger(ctx, c.ID, h.cfg.Now()); err != nil {
		t.Fatal(err)
	}
	if err := h.deps().optOut(ctx, c); err != nil || !out() {
		t.Fatalf("after it: %v, opted out %t", err, out())
	}
}
