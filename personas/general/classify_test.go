package general

import "testing"

func TestClassify(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		heard string
		want  Intent
	}{
		{"", IntentFiller},
		{"um", IntentFiller},
		{"Uh, well...", IntentFiller},
		{"Hmm.", IntentFiller},
		{"Let me think", IntentFiller},
		{"oh, um, you know", IntentFiller},
		{"So, anyway", IntentFiller},
		{"Hang on.", IntentFiller},
		{"Yeah.", IntentBackchannel},
		{"yes, yes", IntentBackchannel},
		{"OK", IntentBackchannel},
		{"Mm hmm.", IntentBackchannel},
		{"uh-huh", IntentBackchannel},
		{"Mm.", IntentBackchannel},
		{"I see.", IntentBackchannel},
		{"Oh really?", IntentBackchannel},
		{"No.", IntentBackchannel},
		{"I suppose so, yes", IntentBackchannel},
		{"Well, of course", IntentBackchannel},
		{"That's right.", IntentBackchannel},
		{"Right, okay then", IntentBackchannel},
		{"I don’t", IntentTalk},
		{"Thank you very much.", IntentPleasantry},
		{"Oh, that's lovely, dear.", IntentPleasantry},
		{"You're very kind.", IntentPleasantry},
		{"I'm fine, thank you", IntentPleasantry},
		{"Can't complain", IntentPleasantry},
		{"That’s nice.", IntentPleasantry},
		{"Not too bad, thanks", IntentPleasantry},
		{"How are you?", IntentTalk},
		{"Good morning, how are you", IntentPleasantry},
		{"Sorry, pardon", IntentPleasantry},
		{"Bless you", IntentPleasantry},
		{"Hello?", IntentGreeting},
		{"Hello, hello", IntentGreeting},
		{"Good morning!", IntentGreeting},
		{"Hi there.", IntentGreeting},
		{"Oh, good evening", IntentGreeting},
		{"Who is this?", IntentGreeting},
		{"Yes, speaking.", IntentGreeting},
		{"Goodbye.", IntentGoodbye},
		{"Bye bye!", IntentGoodbye},
		{"OK, bye then", IntentGoodbye},
		{"Well, goodnight dear", IntentGoodbye},
		{"Thank you for calling, goodbye", IntentGoodbye},
		{"I have to go now, the doorbell", IntentGoodbye},
		{"I must be going.", IntentGoodbye},
		{"I'd better go.", IntentGoodbye},
		{"I'll let you go, dear.", IntentGoodbye},
		{"Talk to you tomorrow", IntentGoodbye},
		{"See you later.", IntentGoodbye},
		{"Take care of yourself", IntentGoodbye},
		{"That was nice. Cheerio!", IntentGoodbye},
		{"I want to hang up", IntentGoodbye},
		{"I don't want to talk any more", IntentGoodbye},
		{"That's all for today", IntentGoodbye},
		{"My soup is boiling, bye", IntentGoodbye},
		{"you can hang up", IntentGoodbye},
		{"It was lovely talking to you, take care, bye now", IntentGoodbye},
		{"I have had such a long day with the garden and the cat and my sister, so I will say bye for now", IntentGoodbye},
		{"My neighbour brought me apples this afternoon. Goodbye for now.", IntentGoodbye},
		{"We talked about the apples for an hour, the two of us and the cat. See you tomorrow!", IntentGoodbye},
		{"My neighbour brought me apples this afternoon, goodbye now", IntentGoodbye},
		{"He stood there at the gate with his little suitcase and he said. Goodbye.", IntentTalk},
		{"She waved to me and said bye bye", IntentTalk},
		{"I waited so long. And he never came.", IntentTalk},
		{"I said goodbye to my husband in that hospital", IntentTalk},
		{"She never said goodbye", IntentTalk},
		{"I have to go to the doctor tomorrow", IntentTalk},
		{"I had to go home early", IntentTalk},
		{"Do I have to go?", IntentTalk},
		{"The goodbye was hard", IntentTalk},
		{"It was a long goodbye", IntentTalk},
		{"My granddaughter waved bye bye to the train", IntentTalk},
		{"I've got to go to church on Sunday", IntentTalk},
		{"I'm tired", IntentTalk},
		{"I do not want to be called", IntentTalk},
		{"My daughter doesn't call me any more", IntentTalk},
		{"Don't call me Mrs Ellis, call me Margaret", IntentTalk},
		{"My children don't call me any more", IntentTalk},
		{"Please don't stop calling me", IntentTalk},
		{"My knee hurts today", IntentTalk},
		{"What day is it?", IntentTalk},
		{"I planted the roses", IntentTalk},
		{"No, my daughter Susan", IntentTalk},
		{"Yes, and the cat came home", IntentTalk},
		{"Can you hear me?", IntentTalk},
		{"Are you a person?", IntentTalk},
		{"I fell", IntentTalk},
		{"Help", IntentTalk},
		{"Ja, gut", IntentTalk},
		{"42", IntentTalk},
	} {
		t.Run(tt.heard, func(t *testing.T) {
			t.Parallel()
			if got := classify(tt.heard); got != tt.want {
				t.Errorf("classify(%q) = %s, want %s", tt.heard, got, tt.want)
			}
		})
	}
}

// FuzzClassify: any words have one intent, and nothing panics.
func FuzzClassify(f *testing.F) {
	f.Add("Well, goodbye then")
	f.Add("don't' call '")
	f.Fuzz(func(t *testing.T, heard string) {
		if classify(heard) == "" {
			t.Errorf("%q has no intent", heard)
		}
	})
}

// What is longer than what is tried would never be met.
func TestPhrasesAreShortEnough(t *testing.T) {
	t.Parallel()
	for _, set := range []phrases{said.Fillers, said.Backchannels, said.Pleasantries, said.Greetings, said.Farewells, said.Partings} {
		for p := range set {
			if len(p) > maxPhraseBytes || longestPhrase(p+" indeed", []phrases{set}) < len(p) {
				t.Errorf("%q is never met", p)
			}
		}
	}
}

// Each file of phrases has all that English has.
func TestPhrasesOfEachLanguageAreComplete(t *testing.T) {
	t.Parallel()
	for language, w := range wordings {
		for i, set := range w.sets() {
			if len(*set) == 0 {
				t.Errorf("%s: set %d is empty", language, i)
			}
		}
		if w.Texts.WillForget == "" || w.Texts.CannotForget == "" || w.Texts.Farewell == "" {
			t.Errorf("%s: texts %+v", language, w.Texts)
		}
	}
}

func TestClassifySpanish(t *testing.T) {
	t.Parallel()
	for heard, want := range map[string]Intent{
		"Pues...":                     IntentFiller,
		"Sí, claro, ya veo.":          IntentBackchannel,
		"Muchas gracias, hija":        IntentPleasantry,
		"Buenas tardes":               IntentGreeting,
		"Hasta luego":                 IntentGoodbye,
		"Bueno, pues adiós, cuídese":  IntentGoodbye,
		"Bueno hija, me tengo que ir": IntentGoodbye,
		"Me gusta mucho la novela de las cuatro y luego salgo a la plaza a ver a la gente. Adiós, adiós.": IntentGoodbye,
		"Le dije adiós a mi hermano en la estación":                                                       IntentTalk,
		"Tengo que irme a la cama temprano estos días":                                                    IntentTalk,
		"Ayer vino mi nieta con un pastel":                                                                IntentTalk,
		"¿Sabe usted algo de rosas?":                                                                      IntentTalk,
		"Mi vecina no me dice ni adiós en la escalera cuando me la cruzo por las mañanas":                 IntentTalk,
		"Adios":                      IntentGoodbye,
		"Que descanse, hasta mañana": IntentGoodbye,
		"Y entonces me dijo. Adiós.": IntentTalk,
	} {
		if got := classify(heard); got != want {
			t.Errorf("%q is %s, want %s", heard, got, want)
		}
	}
}
