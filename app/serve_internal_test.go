package app

import (
	"testing"

	"github.com/naiber/naiber/app/sandbox/elders"
)

func TestFirstCallInASandboxIsAnswered(t *testing.T) {
	t.Parallel()
	all, err := elders.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		if got := e.Ring(firstSeed + 1); got.Outcome != elders.Answer {
			t.Errorf("%s: %v", e.ID, got)
		}
	}
}
