package who

import (
	"cmp"
	"os"
	"strings"
	"testing"
)

var housed = map[string]Names{
	"en": {Own: []string{"Margaret Ellis", "Peggy"}, Others: []string{"Harold Ellis", "Susan Marsh"}},
	"de": {Own: []string{"Margarete Winkler", "Grete"}, Others: []string{"Harald Winkler", "Sabine Marsch"}},
	"es": {Own: []string{"Margarita Ortega", "doña Marga"}, Others: []string{"Jaime Ruiz", "Lucía Prado"}},
}

func TestRead(t *testing.T) {
	t.Parallel()
	for tag, names := range housed {
		raw, err := os.ReadFile("testdata/" + tag + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for line := range strings.Lines(string(raw)) {
			said, want, ok := strings.Cut(strings.TrimSpace(line), "|")
			if !ok || strings.HasPrefix(line, "#") {
				continue
			}
			n++
			said, asked := strings.CutSuffix(said, " ?")
			if got := cmp.Or(Read(strings.TrimSpace(said), tag, names, asked, false), "other"); string(got) != want {
				t.Errorf("%s: %q (asked: %t) says %q, want %q", tag, said, asked, got, want)
			}
		}
		if n < 60 {
			t.Errorf("%s: only %d lines were read", tag, n)
		}
	}
}

// What is said in the middle of a call ends it only where it names the person.
func TestDenies(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]Answer{
		"I'm not Margaret, you know.":                         SomeoneElse,
		"Oh, you want Margaret? This is Margaret's daughter.": SomeoneElse,
		"Margaret died on Tuesday.":                           Died,
		"Margaret is in hospital.":                            Hospital,
		"There's no Margaret here.":                           WrongNumber,
		"She's in hospital, the poor soul.":                   Other,
		"I'm his wife, after all.":                            Other,
		"I rang a wrong number yesterday.":                    Other,
		"She passed away last year.":                          Other,
		"Harold Ellis died in 1998, you know.":                Other,
		"Peter Ellis is in hospital, he is my son.":           Other,
		"The Ellis is gone from the river.":                   Other,
		"Mrs Ellis is in hospital.":                           Doubt,
		"Mr Ellis died in the spring.":                        Doubt,
		"Mrs Margaret Ellis is in hospital.":                  Hospital,
		"They call me Margaret the Second.":                   Other,
		"My name's Margaret, like my mother.":                 Other,
	} {
		if got := Denies(said, "en", housed["en"]); got != want {
			t.Errorf("%q: %q, want %q", said, got, want)
		}
	}
}

func TestAsksFor(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{
		"Good morning. This is Naiber. Am I speaking with Mrs. Ellis?": true,
		"Am I speaking with Mrs. Ellis? ":                              true,
		"Hello Mrs. Ellis, this is Naiber. How are you?":               false,
		"How are you, Mrs. Ellis?":                                     true,
		"Am I speaking with Mrs. Ellis? Are you still there?":          false,
		"Hello Mrs. Ellis.":                                            false,
		"":                                                             false,
	} {
		if got := asksFor(line, "Mrs. Ellis"); got != want {
			t.Errorf("%q: %t", line, got)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add("No, this is her daughter.", "en", true)
	f.Add("Señora Ortega’s not @me", "es", false)
	f.Fuzz(func(t *testing.T, said, tag string, asked bool) {
		a := Read(said, tag, housed["en"], asked, asked)
		if a != Read(said, tag, housed["en"], asked, asked) {
			t.Errorf("%q is read in two ways", said)
		}
		if strings.TrimSpace(said) == "" && a != Other {
			t.Errorf("nothing says %q", a)
		}
	})
}
