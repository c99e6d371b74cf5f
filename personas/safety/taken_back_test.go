package safety

import (
	"slices"
	"testing"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/people"
)

// Danger is over only by words that surely say so: of somebody else's danger by word of them, and
// of a wish to die by what takes it back. Whatever else is said, nAIber stays with the person.
func TestWhatTakesDangerBack(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		language, danger string
		over, lasts      []string
	}{
		{"en", "I've got a crushing pain in my chest", []string{
			"I'm all right now, thank you", "I'm all right, it was a mistake", "False alarm.", "It was only a joke", "It's passed.", "It has stopped now, dear.", "The pain has gone.",
			"I'm fine now, it has passed", "Nothing is wrong.", "I was only joking.", "I feel much better now.", "You misunderstood me.", "No, no, I am perfectly well.", "It's stopped hurting now.", "I'm okay.", "It was nothing, really.",
			"estoy bien, no es nada", "ya se me pasó", "mir geht es gut", "no, no emergency, I was talking about my neighbour", "I'm all right now but thank you", "Oh, I'm quite all right, love.",
		}, []string{
			"It's gone into my arm", "It's gone worse", "No. My head, I hit it. It's gone dark", "I'm fine as long as I don't move", "I don't need you, I need my daughter", "I'd feel better with somebody here",
			"It's better if I sit still", "I'm all right if I keep still", "I'm fine. Only it hurts.", "I don't mean to be a nuisance", "I'm not all right", "It's nothing like before, it's worse", "My voice, it's gone",
			"It's passed into my jaw", "I'm fine until I breathe in", "I suppose I'm all right", "I'll be all right", "I don't need an ambulance", "I'm better off at home", "It's over the left side", "I'm not joking",
			"It's not a false alarm", "I'm better when I sit up", "no es nada comparado con ayer, es peor", "mir geht es gut nur die Brust drückt", "I'm all right except for my arm", "All right.", "I'm well aware of that",
			"Me encuentro bien si no respiro", "es ist weg gewesen und jetzt schlimmer", "The pain has gone down my arm", "It's moved", "I'm fine, but I feel sick", "I haven't taken anything", "I didn't do anything", "I'm all right while I'm sitting",
		}},
		{"en", "I have fallen and I can't get up", []string{"I'm up again", "I got back up again", "I'm back on my feet now, thank you.", "I'm all right now, thank you", "I'm up now and I'm fine.", "I managed to get up", "my neighbour helped me up, I'm all right now"}, []string{
			"It's better if I lie still", "I'm okay I suppose, only I'm still on the floor", "I didn't mean to fall", "It's over there, the phone, I can't reach it", "I'm fine, I just can't move", "I'm not hurt",
			"It's better on this side", "I can't get back up again", "I need nothing, my dear.", "I'm all right down here", "I never got up again",
		}},
		{"en", "I can't breathe", []string{"It's passed", "I'm breathing again, I'm all right now", "I'm fine now"}, []string{"I don't need anything, just air", "It's better by the window", "I'm fine, just let me have some air"}},
		{"en", "The kitchen is full of smoke", []string{"The smoke has cleared, I'm all right", "It was a false alarm", "I'm safe now"}, []string{"It's gone into the hall now", "It's over the cooker", "It's gone black"}},
		{
			"en", "My husband has collapsed",
			[]string{"He is fine now, sitting up", "He's all right now", "It was only a joke", "False alarm, he's sitting up", "My husband is all right again"},
			[]string{"I'm fine, it's him", "It's not me, I'm all right", "I'm all right", "I'm all right, thank you.", "He's gone", "He's not all right", "He's fine as long as he lies down", "I feel better now"},
		},
		{
			"en", "I want to die",
			[]string{"I didn't mean that", "I was only joking", "I won't do anything", "I'm all right, it was a mistake", "I didn't mean it like that"},
			[]string{"It's better this way", "I don't mean anything to anybody", "it's alright, it will soon be over", "I'm all right", "I feel better now I've decided", "It's over", "I don't need anything", "I'm fine.", "It was a mistake to be born", "I was thinking of my sister", "I was talking about my friend who died"},
		},
		{"en", "I've taken an overdose", []string{"I was only joking", "False alarm"}, []string{"I'm fine", "It was a mistake", "It's better this way", "I feel fine", "I didn't mean to", "I don't need them any more"}},
		{
			"es", "Me duele mucho el pecho",
			[]string{"estoy bien, no es nada", "ya se me pasó", "Ya estoy mejor, gracias", "fue una falsa alarma", "era broma", "Me encuentro bien", "No, no, estoy bien", "Ya pasó", "I'm all right now"},
			[]string{"no es nada comparado con ayer, es peor", "Estoy bien mareada", "no necesito nada más que alguien me levante", "Estoy bien si no me muevo", "no pasa nada si me muero", "no quise decir nada", "Estoy mejor sentada", "se me pasó al brazo", "No estoy bien", "Estoy bien, pero no puedo mover el brazo"},
		},
		{"es", "Me he caído y no puedo levantarme", []string{"Ya me he levantado", "ya me levanté", "Estoy bien, ha sido un error"}, []string{"no me levanté", "no necesito nada más que alguien me levante", "no me pasa nada, pero sigo en el suelo"}},
		{"es", "Quiero morirme", []string{"no lo decía en serio", "era broma", "Estoy bien, ha sido un error"}, []string{"ya estoy tranquila, lo tengo decidido", "estoy bien", "ya estoy mejor", "no necesito nada", "no pasa nada"}},
		{"es", "Mi marido se ha desmayado", []string{"ya está bien, está sentado", "mi marido ya está bien", "falsa alarma"}, []string{"yo estoy bien, es él", "estoy bien", "él no está bien"}},
		{
			"de", "Ich habe Schmerzen in der Brust",
			[]string{"mir geht es gut", "war nur ein Witz", "Es geht schon wieder.", "Alles in Ordnung, danke.", "Fehlalarm", "Mir geht es wieder besser", "Der Schmerz ist weg."},
			[]string{"mir geht es gut nur die Brust drückt", "mir geht es besser wenn ich sitze", "es ist weg gewesen und jetzt schlimmer", "Mir geht es nicht gut", "Mir geht es gut, aber der Arm tut weh", "Es ist vorbei mit mir", "kein Witz"},
		},
		{"de", "Ich bin gestürzt und komme nicht hoch", []string{"Ich bin wieder aufgestanden", "Alles in Ordnung, es war ein Versehen"}, []string{"mir ist nichts passiert, ich liege noch", "mir fehlt nichts nur die Kraft"}},
		{"de", "Ich will sterben", []string{"Das war nicht so gemeint", "war nur ein Witz"}, []string{"mir geht es gut", "es ist vorbei", "alles in Ordnung", "es ist besser so"}},
	} {
		for over, replies := range map[bool][]string{true: c.over, false: c.lasts} {
			for _, reply := range replies {
				k := newTalk(t, nowhere{}, calls.Line{Person: people.Person{Phone: "+442071838750", Language: c.language}}, broken)
				k.naiber("I see. How did you sleep?")
				k.hears(t, c.danger, "")
				got, err := k.says(t.Context(), reply)
				said := k.rules.lines.marks(got.Text)
				if is := slices.ContainsFunc(said, func(text string) bool { return roles[text].over }); is != over || err != nil {
					t.Errorf("%q, then %q: %q, %v; want it to be over: %t", c.danger, reply, got.Text, err, over)
				}
			}
		}
	}
}

// What somebody else's danger needs outlives the lines between, a question that was asked about it,
// and what the person says of themselves.
func TestSomebodyElsesDangerLasts(t *testing.T) {
	t.Parallel()
	x := &languages["en"].Texts
	k := newTalk(t, nowhere{}, british, broken)
	k.hears(t, "My chest hurts terribly", "9 9 9")
	k.hears(t, "And now my husband has collapsed", "")
	for _, reply := range []string{"", "Seven", "I'm fine", "I'm all right now, thank you"} {
		if got := k.hears(t, reply, ""); slices.Contains(k.rules.lines.marks(got.Text), x.Emergency.Over) {
			t.Errorf("%q is answered %q", reply, got.Text)
		}
	}
	k.hears(t, "He's all right now", x.Emergency.Over[:20])
}

// What does not surely say that all is well denies no doubt.
func TestWhatIsBetterThisWayDeniesNothing(t *testing.T) {
	t.Parallel()
	for _, said := range []string{"It's better this way", "I don't need them any more", "I don't mean anything to anybody", "It's over.", "ya estoy tranquila, lo tengo decidido", "I'm fine as long as I lie still"} {
		st := new(raised)
		k := newTalk(t, st, british, broken)
		doubted, kind := inDoubt(t)
		k.hears(t, doubted, languages["en"].Texts.doubt(kind))
		if _, err := k.says(t.Context(), said); err != nil {
			t.Fatal(err)
		}
		if got := st.kinds(k.rules); !slices.Contains(got, kind) {
			t.Errorf("%q denied %s: raised %v", said, kind, got)
		}
	}
	for _, said := range []string{"It's better this way", "I don't need them any more"} {
		for _, code := range codes {
			l := languages[code]
			if l.takesBack(l.Tokens(english.Scan(said)), needs{}) {
				t.Errorf("%s: %q takes back", code, said)
			}
		}
	}
}
