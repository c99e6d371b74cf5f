package safety

import (
	"slices"
	"strings"
	"testing"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/orchestration"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/alerts"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/people"
)

// What is said to the question whether calls shall stop, in whichever language the person's file
// names: a yes and a no of different languages never make each other up.
func TestAnswersToWhetherCallsShallStop(t *testing.T) {
	t.Parallel()
	for _, own := range codes {
		for _, u := range lines(t, "stop_answers") {
			turn := &orchestration.Turn{Kind: calls.TurnSpeech, Heard: u.said, Line: calls.Line{Person: people.Person{Language: own}}}
			got := "neither"
			switch yes, no := hear(turn).answer(); {
			case yes && no:
				got = "both"
			case yes:
				got = "yes"
			case no:
				got = "no"
			}
			if got != u.want {
				t.Errorf("%s: %q: heard as %s, want %s", own, u.said, got, u.want)
			}
		}
	}
}

// An unclear reply, or none, to whether calls shall stop is asked about once more; what is unclear
// then, or not answered before the call ends, a human being is told of.
func TestOptOutThatIsNotAnswered(t *testing.T) {
	t.Parallel()
	open := []string{openOptOut}
	for _, code := range codes {
		x, w := languages[code].Texts, wishes[code]
		for _, c := range []struct {
			replies []string
			want    []string // what is said to each
			told    []string
		}{
			{nil, nil, open},
			{[]string{"What?"}, []string{x.AskAgain}, open},
			{[]string{"What?", w.yes}, []string{x.AskAgain, x.OptedOut}, nil},
			{[]string{"What?", w.no}, []string{x.AskAgain, x.GoOnCalling}, nil},
			{[]string{"Hm?", "Eh?"}, []string{x.AskAgain, sign(x.Unclear)}, open},
			{[]string{"Hm?", "Eh?", "Seven"}, []string{x.AskAgain, sign(x.Unclear), ""}, open},
			{[]string{""}, []string{x.AskAgain}, open},
			{[]string{"", w.yes}, []string{x.AskAgain, x.OptedOut}, nil},
			{[]string{"", ""}, []string{x.AskAgain, ""}, open},
			{[]string{w.yes}, []string{x.OptedOut}, nil},
			{[]string{w.no}, []string{x.GoOnCalling}, nil},
			{[]string{w.no, "Seven"}, []string{x.GoOnCalling, ""}, nil},
		} {
			st := new(raised)
			who := store.NewPersonID()
			line := calls.Line{Call: calls.Call{ID: store.NewCallID(), PersonID: who, Type: calls.CallHealthCheck}, Person: people.Person{ID: who, Language: code}}
			k := newTalk(t, st, line, broken)
			k.naiber("How did you sleep?")
			k.hears(t, w.out, x.AskOptOut)
			for i, reply := range c.replies {
				if c.want[i] == "" {
					k.reachesPersona(t, reply)
					continue
				}
				got, err := k.says(t.Context(), reply)
				if err != nil || !strings.HasPrefix(english.Plain(got.Text), english.Plain(c.want[i])) {
					t.Errorf("%s %q: %q, %v; want %q", code, c.replies[:i+1], got.Text, err, c.want[i])
				}
			}
			k.rules.Ended(line.Call.ID)
			k.rules.Ended(line.Call.ID)
			if got := st.kinds(k.rules); !slices.Equal(got, c.told) {
				t.Errorf("%s %q: told of %v, want %v", code, c.replies, got, c.told)
			}
			if c.told != nil && len(st.all) > 0 && st.all[0].Quote != w.out {
				t.Errorf("%s %q: alert %+v", code, c.replies, st.all[0])
			}
		}
	}
}

// A question that the line broke in, or that was cut short, is asked again; a wish in a turn that a
// longer hearing replaced is none.
func TestOptOutThatWasNotHeardToItsEnd(t *testing.T) {
	t.Parallel()
	x := languages["en"].Texts
	for name, c := range map[string]struct {
		then func(k *talk)
		said string
		want string
		told []string
	}{
		"the line broke": {func(k *talk) { pickedUp(k) }, "Hello?", x.AskOptOut, []string{openOptOut}},
		"cut short":      {func(k *talk) { k.messages[len(k.messages)-1].Content, k.place = "I can", 4 }, "Yes, dear?", x.AskOptOut, []string{openOptOut}},
		"spoke on":       {func(k *talk) { k.messages = k.messages[:1] }, "Stop calling me Margaret", "", nil},
	} {
		st := new(raised)
		who := store.NewPersonID()
		k := newTalk(t, st, calls.Line{Call: calls.Call{ID: store.NewCallID(), PersonID: who}, Person: people.Person{ID: who, Language: "en"}}, broken)
		k.line.Call.ConversationID, k.line.ConversationID, k.place = "conv_1", "conv_1", 2
		k.naiber("How did you sleep?")
		k.hears(t, "Stop calling me", x.AskOptOut)
		c.then(k)
		if c.want == "" {
			k.reachesPersona(t, c.said)
		} else {
			k.hears(t, c.said, c.want)
		}
		k.rules.Ended(k.line.Call.ID)
		if got := st.kinds(k.rules); !slices.Equal(got, c.told) {
			t.Errorf("%s: told of %v, want %v", name, got, c.told)
		}
	}
}

// A wish in a turn that is answered by words about danger is asked about after them.
func TestOptOutBesideDanger(t *testing.T) {
	t.Parallel()
	x := languages["en"].Texts
	st := new(raised)
	who := store.NewPersonID()
	line := calls.Line{Call: calls.Call{ID: store.NewCallID(), PersonID: who}, Person: people.Person{ID: who, Language: "en"}}
	for _, u := range lines(t, "opt_out.en") { // words that may mean danger as well
		flags, doubts := hear(&orchestration.Turn{Line: line, Kind: calls.TurnSpeech, Heard: u.said}).flags(u.said)
		if u.want != "out" || len(flags) > 0 || len(doubts) == 0 || doubts[0].tier() < alerts.Urgent {
			continue
		}
		k := newTalk(t, st, line, broken)
		k.naiber("How did you sleep?")
		k.hears(t, u.said, x.doubt(doubts[0].kind))
		k.place = 2
		k.hears(t, "No, no.", x.NoDanger+" "+x.AskOptOut)
		k.hears(t, "Yes, no more please.", x.OptedOut)
		k.rules.Ended(line.Call.ID)
		if got := st.kinds(k.rules); len(got) > 0 {
			t.Errorf("%q: told of %v", u.said, got)
		}
	}

	k := newTalk(t, st, line, broken)
	k.naiber("How did you sleep?")
	k.hears(t, "I am on the floor and can't get up. And stop calling me.", x.answer("fall_stuck")[:20])
	k.rules.Ended(k.line.Call.ID)
	if got := st.kinds(k.rules); !slices.Contains(got, openOptOut) {
		t.Errorf("told of %v", got)
	}
}
