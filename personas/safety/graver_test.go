package safety

import "testing"

// Words that a phrase takes for a lesser danger, as a fall, are heard as the graver one that they
// tell of.
func TestGraverDangerIsHeardThanAPhraseTells(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"a fish bone's gone down the wrong way I can feel it, I keep gagging, I can't hardly swallow me spit":                  "breathing",
		"I gave him his insulin and then my daughter had already given him his insulin and it's the big dose, he's gone shaky": "overdose",
		"I've turned the oven on and put me head down beside it, I only rang to hear a voice":                                  "suicide_attempt",
	} {
		flags, _ := heardIn("en", said)
		if len(flags) == 0 || flags[0].kind != want {
			t.Errorf("%q: %+v, want %s", said, flags, want)
		}
	}
}
