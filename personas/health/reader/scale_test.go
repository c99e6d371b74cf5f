package reader_test

import (
	"strings"
	"testing"

	"github.com/naiber/naiber/personas/health/reader"
)

// wording is a reply to each of some questions, and how all of them read it.
type wording struct{ language, questions, said, want string }

// check reads each wording, and reports what was read otherwise.
func (w wording) check(t *testing.T) {
	t.Helper()
	for id := range strings.FieldsSeq(w.questions) {
		q, in, ok := questionIn(id, w.language)
		if !ok {
			t.Fatalf("no question %q", id)
		}
		if got := written(reader.Read(q, w.said, in)); got != w.want {
			t.Errorf("%s: Read(%s, %q) = %q, want %q", w.language, id, w.said, got, w.want)
		}
	}
}

// TestNoneOfItsSubject holds that words for none of something answer no question about another
// subject.
func TestNoneOfItsSubject(t *testing.T) {
	t.Parallel()
	const others = "energy mood sleepq hours glasses falls"
	for language, said := range map[string][]string{
		"en": {"No pain.", "I haven't any pain", "I don't have any pain", "not a bit of pain", "without pain", "free of pain"},
		"es": {
			"nada de dolor", "nadita de dolor", "sin dolor", "sin dolores", "sin dolor ninguno", "ningún dolor", "no tengo dolor", "no tengo ningún dolor",
			"no tengo nada de dolor", "hoy no tengo dolor, gracias a Dios", "no me duele nada", "no me duele", "ya no me duele", "no me duele nada de nada",
		},
		"de": {"keine Schmerzen", "gar keine Schmerzen"},
	} {
		for _, s := range said {
			wording{language, others, s, "unclear"}.check(t)
			wording{language, "pain", s, "answered 0"}.check(t)
		}
	}
	for _, w := range []wording{
		{"en", "energy", "no energy", "answered 1"},
		{"en", "energy", "not a bit of energy", "unclear ?1"},
		{"en", "energy mood", "none at all", "unclear ?1"},
		{"en", "mood sleepq", "didn't need it", "unclear"},
		{"en", "glasses", "not a drop", "answered 0"},
		{"es", "energy", "nada de energía", "unclear ?1"},
		{"es", "energy", "no tengo fuerzas", "unclear ?1"},
		{"es", "energy mood", "nada", "unclear ?1"},
		{"es", "mood sleepq", "no he tomado nada", "unclear"},
		{"es", "glasses", "no he tomado nada", "answered 0"},
		{"es", "pain", "no me duele mucho", "unclear ?2"},
		{"es", "pain", "no me duele la rodilla", "unclear"},
		{"es", "pain", "a mí no me duele ni la conciencia", "answered 0"},
		{"es", "pain", "no me duele absolutamente nada", "answered 0"},
		{"de", "energy", "keine Energie", "unclear ?1"},
	} {
		w.check(t)
	}
}

// TestGrades holds in which direction polite words answer a scale of well-being and one of pain.
func TestGrades(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		language, well, pain string
		said                 []string
	}{
		{"en", "9", "1", []string{"very good", "Very good, thank you."}},
		{"en", "7", "2", []string{"good", "Good, dear."}},
		{"en", "7", "3", []string{
			"can't complain", "oh, I can't complain", "I can't really complain", "mustn't grumble", "Mustn't complain, dear", "can't grumble", "no complaints",
			"I've no complaints", "nothing to complain about", "well enough", "good enough", "nicely enough",
		}},
		{"en", "6", "3", []string{"not bad", "not too bad", "not so bad", "none too bad", "could be worse", "it could be worse"}},
		{"en", "6", "4", []string{"okay", "all right", "Alright.", "I'm alright", "bearing up", "bearing up, thank you", "getting by"}},
		{"en", "6", "5", []string{"so so", "so-so", "middling", "fair to middling", "middling to fair"}},
		{"en", "4", "6", []string{"none too good", "none too well", "none too clever", "a bit down"}},
		{"en", "4", "2", []string{"not much", "not a lot", "a bit low", "rather low", "not enough", "not long enough", "not nearly enough"}},
		{"en", "4", "3", []string{"a little", "a bit", "just a little"}},
		{"en", "2", "1", []string{"very little", "hardly any", "next to nothing", "very low"}},
		{"en", "8", "8", []string{"a lot", "quite a lot", "plenty", "more than enough"}},
		{"es", "7", "3", []string{"no me puedo quejar", "No me quejo.", "no puedo quejarme", "sin quejas", "bastante bien"}},
		{"es", "6", "3", []string{"nada mal", "podría ser peor", "podría estar peor"}},
		{"es", "6", "5", []string{"regular", "ni bien ni mal", "ahí vamos", "tirando", "vamos tirando", "ahí voy", "ahí andamos", "se va tirando"}},
		{"es", "4", "2", []string{"poco", "un poco", "no mucho", "un poco bajo", "no lo suficiente", "no es suficiente"}},
		{"es", "2", "1", []string{"muy poco", "muy bajo", "poquísimo"}},
		{"es", "8", "8", []string{"mucho", "bastante", "más que suficiente"}},
	} {
		for _, said := range tt.said {
			wording{tt.language, "energy mood sleepq", said, "unclear ?" + tt.well}.check(t)
			wording{tt.language, "pain", said, "unclear ?" + tt.pain}.check(t)
		}
	}
	for _, w := range []wording{
		{"en", "mood energy", "I can't complain about the food", "unclear"},
		{"en", "energy", "I was real low after the funeral", "unclear"},
		{"en", "fall dizzy pills usual sleepc", "can't complain", "unclear"},
		{"en", "mood", "I've a lot on my mind", "unclear"},
		{"en", "mood", "leave well enough alone", "unclear"},
		{"en", "energy", "plenty to do", "unclear"},
		{"en", "energy", "not much energy", "unclear ?4"},
		{"en", "sleepc", "none too good", "answered poor"},
		{"en", "sleepc", "none too bad", "answered fair"},
		{"en", "sleepc", "well enough", "answered good"},
		{"en", "sleepc", "not enough", "answered poor"},
		{"en", "sleepc", "alright", "answered fair"},
		{"es", "mood", "tengo mucho que hacer", "unclear"},
		{"es", "mood", "un poco triste", "unclear"},
		{"es", "sleepq", "no dormí bien", "unclear ?4"},
		{"es", "sleepq", "no dormí lo suficiente", "unclear ?4"},
		{"es", "pain", "tirando a mal", "unclear ?8"},
	} {
		w.check(t)
	}
}
