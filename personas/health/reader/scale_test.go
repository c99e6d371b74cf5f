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
		{"es", "pain", "no me duele mucho", "unclear"},
		{"es", "pain", "no me duele la rodilla", "unclear"},
		{"de", "energy", "keine Energie", "unclear ?1"},
	} {
		w.check(t)
	}
}
