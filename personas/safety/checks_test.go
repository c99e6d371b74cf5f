package safety

import (
	"testing"

	"github.com/naiber/naiber/orchestration"
	"github.com/naiber/naiber/store/alerts"
	"github.com/naiber/naiber/store/calls"
)

// Plain replies to a health check's questions are no emergency.
func TestRepliesToChecksAreNoDanger(t *testing.T) {
	t.Parallel()
	for _, said := range []string{
		"the box is empty for today", "my box is empty", "all gone, the box is empty",
		"These feet won't go in my church shoes, and they went in fine last Sunday.",
		"there is a red place on my little toe that wasn't there before",
		"I would not leave the house without and I have been to church already",
	} {
		turn := orchestration.Turn{Kind: calls.TurnSpeech, Heard: said}
		turn.Line.Person.Language, turn.Line.Call.Type = "en", calls.CallHealthCheck
		if flags, _ := hear(&turn).flags(said); len(flags) > 0 && flags[0].tier() >= alerts.Urgent {
			t.Errorf("%q is %s (%s)", said, flags[0].kind, flags[0].why)
		}
	}
}
