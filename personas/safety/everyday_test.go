package safety

import (
	"errors"
	"testing"

	"github.com/naiber/naiber/store/storetest"
)

// Tablets that were taken as usual are no overdose; all of them at once are.
func TestTabletsTakenAsUsual(t *testing.T) {
	t.Parallel()
	for said, urgent := range map[string]bool{
		"I've taken my tablets.": false, "I took my pills": false, "I've had my medicine": false, "he's taken his tablets": false, "I've taken them all": false,
		"I took them all at once": true, "I've taken them, all of them, I just want it to be over": true, "I've swallowed them all": true,
		"I've taken my husband's tablets by mistake": true, "I took his tablets instead of mine": true,
	} {
		if flags, _ := heardIn("en", said); (len(flags) > 0) != urgent {
			t.Errorf("%q: %+v", said, flags)
		}
	}
}

// Whoever ends a call because somebody is at the door is not asked, and nobody is told when they
// have hung up.
func TestGoodbyeAtTheDoor(t *testing.T) {
	t.Parallel()
	st := storetest.New(t)
	for said, asks := range map[string]bool{
		"Well, I must let you go now, there is somebody at the door. Goodbye, goodbye!": false, "There's somebody at the door, so bye for now. Bye!": false,
		"There's somebody at the door and I don't know who it is.": true,
	} {
		k := newTalk(t, st, lineTo(t, st, "en"), broken)
		if got, err := k.says(t.Context(), said); errors.Is(err, errPersona) == asks {
			t.Errorf("%q: %q, %v", said, got.Text, err)
		}
	}
}

// What people say of the call, of being alone or of an appliance is neither danger nor asked about.
func TestTalkOfEveryDayIsNoDanger(t *testing.T) {
	t.Parallel()
	for _, said := range []string{
		"I want to stop now. Goodbye.", "I have to go now, goodbye.", "I must be going.", "I want to stop", "I can't say, I am sorry.", "Can you call me tomorrow instead?",
		"I only wanted to hear a voice, the house is so quiet.", "The evenings are long since Frank went.", "I miss him, the house is empty without him.", "Nights can be long.",
		"My dishwasher won't start", "It leaks. It also will not drain", "How do I install it", "Who is this fellow on the television?", "Tomorrow morning would be better",
		"tengo que irme ya, adiós", "quiero parar ya", "lo dejamos por hoy", "mi lavavajillas no arranca", "solo quería oír una voz, la casa está tan callada",
	} {
		for _, language := range []string{"en", "es"} {
			if flags, doubts := heardIn(language, said); len(flags)+len(doubts) > 0 {
				t.Errorf("%s: %q: %+v, asked about %+v", language, said, flags, doubts)
			}
		}
	}
}
