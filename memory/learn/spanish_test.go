package learn

import (
	"os"
	"strings"
	"testing"

	"github.com/naiber/naiber/store/calls"
)

// What people ask for in Spanish, and what only sounds so.
func TestSpanishWishes(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/wishes.es.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		want, said, ok := strings.Cut(strings.TrimSpace(line), " | ")
		if strings.HasPrefix(line, "#") || !ok {
			continue
		}
		for _, heard := range []string{said, strings.ToUpper(said[:1]) + said[1:] + "."} {
			if got := wished(listen([]calls.Utterance{{Role: calls.RoleUser, Text: heard}}), heard); got != want {
				t.Errorf("%q asks for %q, want %q", heard, got, want)
			}
		}
	}
}

// wished is what a line asks for, in a word or a few.
func wished(r requests, said string) string {
	if AsksToForgetAll(said) {
		return "all"
	}
	topic := func(name string, that bool) string {
		if that {
			return "that"
		}
		return name
	}
	switch {
	case len(r.limits) > 0:
		switch l := r.limits[0]; {
		case l.lift:
			return "lift " + l.topic
		case l.today:
			return "today " + topic(l.topic, l.that)
		default:
			return string(l.rule) + " " + topic(l.topic, l.that)
		}
	case len(r.forget) > 0 && r.forget[0].day != "":
		return "forget " + r.forget[0].day
	case len(r.forget) > 0:
		return "forget " + topic(r.forget[0].topic, r.forget[0].that())
	}
	return "-"
}

func TestForgettingAllInSpanish(t *testing.T) {
	t.Parallel()
	asked := ForgetAllQuestion("es-MX")
	for said, want := range map[string]bool{
		"Sí, por favor.": true, "Bórrelo todo.": true, "Claro que sí": true, "No, no.": false, "Sí, pero lo de mi hija no.": false, "Espere.": false,
	} {
		if got := ConfirmsForgetting(asked, said); got != want {
			t.Errorf("%q confirms: %v, want %v", said, got, want)
		}
	}
	if ConfirmsForgetting("¿Le llamo mañana?", "Sí") {
		t.Error("a yes to something else forgets all")
	}
	if got := ForgetAllQuestion("de"); got != ForgetAllQuestion("en") {
		t.Errorf("German is asked %q", got)
	}
}

// The Spanish file has what the English one has of requests.
func TestSpanishFileIsComplete(t *testing.T) {
	t.Parallel()
	only := map[string]bool{ // ways of English alone
		"forget_clause": true, "forget_about": true, "kindly": true, "someones_own": true, "somebody": true, "that_one": true,
		"raise_idiom": true,
	}
	for _, key := range []string{
		"relations", "alone", "calendar", "asking", "never_store", "never_raise", "lift", "again", "for_now", "clause_end", "topic_head", "pronoun",
		"someone", "no_topic", "joint", "one_more", "yes", "perhaps", "forget_topic", "forget_that", "forget_all", "forget_day", "forget_idiom",
		"about_what", "forget_question", "forget_mark", "forget_clause", "forget_about", "kindly", "someones_own", "somebody", "that_one", "raise_idiom",
	} {
		if len(englishFile[key]) == 0 {
			t.Errorf("english.txt has no %s", key)
		}
		if len(spanishFile[key]) == 0 && !only[key] {
			t.Errorf("spanish.txt has no %s", key)
		}
	}
	if !strings.Contains(plain(ForgetAllQuestion("es")), inSpanish.forgetMark) {
		t.Error("the question would not be known again")
	}
}
