package sandbox

import (
	"testing"

	"github.com/naiber/naiber/app/sandbox/carrier"
	"github.com/naiber/naiber/app/sandbox/elders"
)

// An elder does not answer a pause within a sentence, which a busy machine makes.
func TestElderWaitsForTheEndOfASentence(t *testing.T) {
	t.Parallel()
	cast, err := elders.Load()
	if err != nil {
		t.Fatal(err)
	}
	script := elders.NewScript(cast[0], 1)
	script.Next("")
	var heard []string
	say := func(kind carrier.HeardKind, word string) (reacts bool) {
		_, heard, reacts = hear(script, carrier.HeardEvent{Kind: kind, Text: word}, heard)
		return reacts
	}
	for _, e := range []struct {
		kind   carrier.HeardKind
		word   string
		reacts bool
	}{
		{carrier.HeardWord, "How", false},
		{carrier.HeardWord, "are", false},
		{carrier.HeardSilence, "", false},
		{carrier.HeardWord, "you?", false},
		{carrier.HeardSilence, "", true},
	} {
		if got := say(e.kind, e.word); got != e.reacts {
			t.Errorf("%s %q: reacts %t", e.kind, e.word, got)
		}
	}
}
