package safety

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/naiber/naiber/orchestration"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/people"
)

// in returns the red flags and doubts in what somebody who speaks a language says in a call.
func in(call calls.CallType, language, said string) (flags, doubts []redFlag) {
	turn := &orchestration.Turn{Kind: calls.TurnSpeech, Heard: said}
	turn.Line.Person, turn.Line.Call.Type = people.Person{Language: language}, call
	return hear(turn).flags(said)
}

// Plain cries for help and wishes to die are heard in a talk and in a check; what only sounds like
// them is not even asked about.
func TestPlainCriesAreHeard(t *testing.T) {
	t.Parallel()
	const raised, asked, unheard = "raised", "asked about", "unheard"
	for _, c := range []struct {
		language, want string
		said           []string
	}{
		{"en", raised, []string{
			"Please send help", "A six, though. Please send help.", "Send help.", "Please get help", "Send somebody quickly", "Send someone please", "Please come quickly, I need help", "I need a doctor quickly",
			"I don't want to live", "I don't want to live any longer", "One. I don't want to live.", "Everyone would be better off without me", "I've been saving up my pills",
			"My chest is killing me", "Ten. My chest is killing me", "I took forty paracetamol", "I've taken twenty aspirin", "I'm suffocating", "I passed out", "I blacked out", "I fainted this morning",
			"I passed out in the bathroom", "I can't get out of bed", "there's a fire", "the curtains have caught", "I heard glass breaking, they're still downstairs",
		}},
		{"en", asked, []string{
			"I need help", "I really need help", "I can't stand up", "I don't know where I am", "can't go on", "I can't go on", "I'm in trouble, I need somebody", "I've taken all my tablets", "I just want it all to stop",
		}},
		{"en", unheard, []string{
			"I'm dying to see the garden", "I had a heart attack in 1998", "My feet are killing me", "This heat is killing me", "It was a stroke of luck", "The cat fell off the shelf", "I took forty minutes",
			"I don't want to live in a home", "I can't go on holiday", "I need help with the crossword", "I need help with the shopping", "We made a fire in the grate", "I passed out the leaflets",
			"I'm on fire today", "I'm choking up thinking of him", "Me muero de risa", "I can't stand him", "I took twenty photographs", "My daughter helps me, I don't need help", "There's a fire station near us",
			"Send somebody to mend the television", "I passed out of college in 1950", "I need someone to mend the roof", "I've taken my tablets", "I've taken two paracetamol",
			"I don't know where I put my glasses", "I don't know where I left my keys", "I can't go on the bus any more", "I've been saving up my pennies",
		}},
		{"es", raised, []string{
			"Me tomé treinta pastillas", "quiero matarme", "Mándeme ayuda por favor", "han entrado a robar", "Se me torció la boca", "La cocina, ¡se prende la cocina!", "Estoy sangrando mucho", "Me tomé toda la caja", "No tengo por qué vivir",
		}},
		{"es", asked, []string{"Me tomé todas las pastillas", "Necesito ayuda", "Le tengo miedo"}},
		{"es", unheard, []string{"Me muero de risa", "No necesito ayuda", "Me tomé todas las uvas", "Quiero matarme de risa", "Me tomé las pastillas", "Me tomé dos pastillas esta mañana", "Me tomé las tres pastillas después del desayuno", "Tengo miedo de las tormentas", "No sé dónde están las gafas", "Le tengo miedo a las arañas"}},
		{"de", raised, []string{
			"Ich liege am Boden", "Schicken Sie Hilfe", "Mein Mann liegt am Boden", "Ich kriege einen Herzinfarkt", "Es raucht in der Küche", "Da ist ein Einbrecher", "Das Leben hat keinen Sinn mehr",
		}},
		{"de", asked, []string{"Ich brauche Hilfe", "Ich kann nicht mehr"}},
		{"de", unheard, []string{"Ich lache mich tot", "Das Buch liegt am Boden", "Der Hund liegt am Boden", "Ich rauche in der Küche", "Das hat keinen Sinn mehr", "Im Film war ein Einbrecher", "Ich brauche keine Hilfe", "Ich kann nicht mehr lesen"}},
	} {
		for _, said := range c.said {
			for _, call := range []calls.CallType{calls.CallGeneral, calls.CallHealthCheck} {
				flags, doubts := in(call, c.language, said)
				got := unheard
				switch {
				case slices.ContainsFunc(flags, redFlag.urgent):
					got = raised
				case len(flags) == 0 && slices.ContainsFunc(doubts, redFlag.urgent):
					got = asked
				}
				if got != c.want && (got == unheard || c.want != asked) {
					t.Errorf("%s, %s: %q is %s, want %s: %+v, %+v", call, c.language, said, got, c.want, flags, doubts)
				}
			}
		}
	}
}

// What is only ever asked about is raised once it is not denied.
func TestNeedOfHelpIsAskedAbout(t *testing.T) {
	t.Parallel()
	x := languages["en"].Texts
	for reply, told := range map[string]bool{"Yes.": true, "No, only with the crossword.": false} {
		st := new(raised)
		k := newTalk(t, st, british, broken)
		k.naiber("How did you sleep?")
		k.hears(t, "I need help", x.doubt("help"))
		k.hears(t, reply, map[bool]string{true: "9 9 9", false: x.NoDanger}[told])
		if got := st.kinds(k.rules); slices.Contains(got, "help") != told {
			t.Errorf("%q: raised %v", reply, got)
		}
	}
}

var distressCues = regexp.MustCompile(`(?m)^phrases distress:\n((?:  .*\n)+)`)

// Whatever the reader of health checks takes for distress leads to a flag or a doubt: the reader
// alone tells nobody.
func TestDistressOfTheReaderIsHeard(t *testing.T) {
	t.Parallel()
	for _, code := range codes {
		raw, err := os.ReadFile("../health/reader/cues/" + code + "/intent.cues")
		if err != nil {
			t.Fatal(err)
		}
		m := distressCues.FindStringSubmatch(string(raw))
		if m == nil {
			t.Fatalf("%s: no cues of distress", code)
		}
		for cue := range strings.SplitSeq(strings.Join(strings.Fields(m[1]), " "), ",") {
			cue = strings.TrimSpace(cue)
			if cue == "" {
				continue
			}
			for _, call := range []calls.CallType{calls.CallGeneral, calls.CallHealthCheck} {
				if flags, doubts := in(call, code, cue); len(flags)+len(doubts) == 0 {
					t.Errorf("%s, %s: %q is neither a flag nor a doubt", call, code, cue)
				}
			}
		}
	}
}
