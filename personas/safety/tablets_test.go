package safety

import (
	"testing"

	"github.com/naiber/naiber/orchestration"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/people"
)

// Tablets that were taken as usual are no overdose; all of them at once are.
func TestTabletsTakenAsUsual(t *testing.T) {
	t.Parallel()
	for said, urgent := range map[string]bool{
		"I've taken my tablets.": false, "I took my pills": false, "I've had my medicine": false, "he's taken his tablets": false, "I've taken them all": false,
		"I took them all at once": true, "I've taken them, all of them, I just want it to be over": true, "I've swallowed them all": true,
		"I've taken my husband's tablets by mistake": true, "I took his tablets instead of mine": true,
	} {
		turn := &orchestration.Turn{Kind: calls.TurnSpeech, Heard: said}
		turn.Line = calls.Line{Person: people.Person{Language: "en"}, Call: calls.Call{Type: calls.CallGeneral}}
		if flags, _ := hear(turn).flags(said); (len(flags) > 0) != urgent {
			t.Errorf("%q: %+v", said, flags)
		}
	}
}
