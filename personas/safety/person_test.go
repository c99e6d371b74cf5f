package safety

import (
	"context"
	"strings"
	"testing"

	"github.com/naiber/naiber/orchestration"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/people"
)

// whether are ways to ask whether a person is speaking, and what only sounds like them.
var whether = map[string]struct{ asked, other []string }{
	"en": {
		[]string{
			"Are you a person?", "are you real", "Are you a real person or a machine?", "Am I talking to a machine?", "am I speaking to a real human being",
			"Are you a robot or a girl?", "Is this a recording?", "Is this one of those robots?", "Who is this really?", "What are you exactly?",
			"You're not a real person, are you?", "You're a computer, aren't you?", "Are you human, dear?", "You sound like a robot.", "Is there anybody there really?",
			"Who am I really talking to?", "Are you one of those machines?", "Is that a real voice or a computer?", "Aren't you a robot?", "What are you?",
		},
		[]string{
			"Are you coming to see me?", "Is this about my tablets?", "My son is a real person to talk to.", "Are you sure?", "Who is this fellow on the television?",
			"The washing machine is broken.", "What are you doing today?", "Are you a friend of my daughter's?", "I bought a robot for the garden.",
		},
	},
	"es": {
		[]string{
			"¿Es usted una persona?", "¿Eres un robot?", "¿Estoy hablando con una máquina?", "¿Esto es una grabación?", "¿Quién es usted de verdad?", "¿Es usted real?",
			"¿Hablo con una persona de verdad?", "¿Es un robot o una señorita?", "¿Con quién estoy hablando realmente?", "¿Qué es usted exactamente?",
		},
		[]string{"¿Es usted de Madrid?", "Mi hija es una persona muy buena.", "¿Quién es ese señor?", "La lavadora no funciona.", "¿Qué es eso?"},
	},
	"de": {
		[]string{"Sind Sie ein Mensch?", "Sind Sie echt?", "Spreche ich mit einer Maschine?", "Ist das ein Tonband?", "Bist du ein Roboter oder ein Mädchen?", "Wer sind Sie wirklich?"},
		[]string{"Sind Sie morgen da?", "Mein Mann war ein guter Mensch.", "Die Waschmaschine geht nicht."},
	},
}

func TestWhetherAPersonIsSpeaking(t *testing.T) {
	t.Parallel()
	for code, said := range whether {
		for _, callType := range []calls.CallType{calls.CallGeneral, calls.CallHealthCheck, calls.CallApplianceHelp, calls.CallCognitive} {
			line := calls.Line{Call: calls.Call{Type: callType}, Person: people.Person{Language: code}}
			for _, words := range said.asked {
				k := newTalk(t, nowhere{}, line, broken)
				k.naiber("Good morning. What did you have for breakfast?")
				want := languages[code].Texts.Computer
				if callType != calls.CallCognitive {
					want += " What did you have for breakfast?"
				}
				if got, err := k.says(t.Context(), words); err != nil || got.Text != want {
					t.Errorf("%s, %s: %q, %v; want %q", callType, words, got.Text, err, want)
				}
			}
			for _, words := range said.other {
				k := newTalk(t, nowhere{}, line, broken)
				k.reachesPersona(t, words)
			}
		}
	}
}

func TestTheRestIsAnsweredByThePersona(t *testing.T) {
	t.Parallel()
	heard := ""
	k := newTalk(t, nowhere{}, calls.Line{Person: people.Person{Language: "en"}}, orchestration.PersonaFunc(func(_ context.Context, t *orchestration.Turn, s *orchestration.Speech) error {
		heard = t.Heard
		return s.Say("I am sorry to hear that.")
	}))
	got, err := k.says(t.Context(), "Are you a real person? I slept badly last night.")
	if want := languages["en"].Texts.Computer + " I am sorry to hear that."; err != nil || got.Text != want || heard != "I slept badly last night." {
		t.Errorf("got %q of %q, %v; want %q", got.Text, heard, err, want)
	}
}

func TestTheTruthIsToldInDangerToo(t *testing.T) {
	t.Parallel()
	k := newTalk(t, nowhere{}, calls.Line{Person: people.Person{Language: "en"}}, broken)
	k.hears(t, "There is a fire in the kitchen", languages["en"].Texts.Danger[:20])
	got := k.hears(t, "Are you a real person?", languages["en"].Texts.Computer)
	if rest := strings.TrimPrefix(got.Text, languages["en"].Texts.Computer); strings.TrimSpace(rest) == "" {
		t.Errorf("nothing is said of the danger: %q", got.Text)
	}
}
