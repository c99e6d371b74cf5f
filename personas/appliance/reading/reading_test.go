package reading_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/naiber/naiber/personas/appliance/reading"
)

// Danger is heard in each language, with denials, the past, other people and idioms left
// alone; and no language hears danger in what another leaves alone.
func TestDanger(t *testing.T) {
	t.Parallel()
	for _, code := range reading.Codes {
		raw, err := os.ReadFile("testdata/danger." + code + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(raw)) {
			want, said, ok := strings.Cut(strings.TrimSpace(line), ": ")
			if !ok || want[0] == '#' {
				continue
			}
			if want == "fine" {
				want = ""
			}
			if got, _ := reading.Danger(said, code); got != want {
				t.Errorf("%s: %q is %q, want %q", code, said, got, want)
			}
		}
	}
}

func TestGoals(t *testing.T) {
	t.Parallel()
	const diagnose, install, check, mail = "diagnose_repair", "install_instruction", "check_compatibility", "email_summary"
	for _, tt := range []struct {
		language, said string
		want           []string
	}{
		{"en", "fix", []string{diagnose}},
		{"en", "help me troubleshoot it", []string{diagnose}},
		{"en", "Can you diagnose this?", []string{diagnose}},
		{"en", "what's wrong with it?", []string{diagnose}},
		{"en", "What is wrong with my oven", []string{diagnose}},
		{"en", "I need a repair", []string{diagnose}},
		{"en", "install", []string{install}},
		{"en", "how to install it", []string{install}},
		{"en", "I need a replacement", []string{install}},
		{"en", "I want to replace the pump", []string{install}},
		{"en", "How do I fit this part?", []string{install}},
		{"en", "is it compatible", []string{check}},
		{"en", "will it work", []string{check}},
		{"en", "Will that one work with mine?", []string{check}},
		{"en", "does it fit", []string{check}},
		{"en", "save this", []string{mail}},
		{"en", "email", []string{mail}},
		{"en", "send it to me", []string{mail}},
		{"en", "share it", []string{mail}},
		{"en", "forward that", []string{mail}},
		{"en", "e-mail me", []string{mail}},
		{"en", "check if it fits, install it and email me", []string{check, install, mail}},
		{"en", "email me how to install it", []string{mail, install}},
		{"en", "don't email me anything", nil},
		{"en", "I don't want to replace it", nil},
		{"en", "it was fixed last year", nil},
		{"en", "My e-mail address is a@example.com", nil},
		{"en", "the weather is lovely", nil},
		{"es", "¿qué le pasa?", []string{diagnose}},
		{"es", "quiero repararlo", []string{diagnose}},
		{"es", "¿cómo se instala?", []string{install}},
		{"es", "¿es compatible?", []string{check}},
		{"es", "envíemelo por correo", []string{mail}},
		{"es", "no me mande nada por correo", nil},
	} {
		if got := reading.Read(tt.said, tt.language).Goals; !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q wants %q, want %q", tt.language, tt.said, got, tt.want)
		}
	}
}

func TestSymptoms(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		language, said string
		want           []string
	}{
		{"en", "it won't start", []string{"Will Not Start"}},
		{"en", "It wont start", []string{"Will Not Start"}},
		{"en", "I can't get it to start", []string{"Will Not Start"}},
		{"en", "doesn't drain", []string{"Not draining"}},
		{"en", "there's water left in the bottom", []string{"Not draining"}},
		{"en", "is leaking", []string{"Leaking"}},
		{"en", "there is water all over the floor", []string{"Leaking"}},
		{"en", "makes a grinding noise", []string{"Noisy"}},
		{"en", "the fridge doesn't cool and no ice comes", []string{"Not cooling", "Not making ice"}},
		{"en", "It leaks. It also will not drain", []string{"Leaking", "Not draining"}},
		{"en", "the door won't close", []string{"Door won't close"}},
		{"en", "it isn't leaking", nil},
		{"en", "it leaked last year", nil},
		{"en", "no noise at all", nil},
		{"en", "if it leaks I'll tell you", nil},
		{"en", "it starts and drains", nil},
		{"es", "no arranca", []string{"Will Not Start"}},
		{"es", "pierde agua y hace mucho ruido", []string{"Leaking", "Noisy"}},
		{"es", "no hace ruido", nil},
	} {
		if got := reading.Read(tt.said, tt.language).Symptoms; !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q tells of %q, want %q", tt.language, tt.said, got, tt.want)
		}
	}
}

func TestNumbers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ language, said, want string }{
		{"en", "WDT780SAEM1", "WDT780SAEM1"},
		{"en", "W as in whisky, D, T, seven eighty, S A E M one", "WDT780SAEM1"},
		{"en", "double u, d, t, 7 80, s a e m 1", "WDT780SAEM1"},
		{"en", "whisky delta tango seven hundred eighty sierra alpha echo mike one", "WDT780SAEM1"},
		{"en", "kay dee double you four eighty two double ess", "KDW482SS"},
		{"en", "K. D. W. 482 S.S.", "KDW482SS"},
		{"en", "kdw-482-ss", "KDW482SS"},
		{"en", "D for David, T as in tea, two one six", "DT216"},
		{"en", "K P three four oh six nine seven one", "KP3406971"},
		{"en", "K P three four zero six nine seventy one", "KP3406971"},
		{"en", "thirty-four oh six nine seven one, it's the part", "3406971"},
		{"en", "B as in tango four four four A", "T444A"},
		{"en", "are you why 12345", "12345"},
		{"en", "it takes 20 minutes", ""},
		{"en", "I am seventy eight years old", ""},
		{"en", "write to ames1942@example.com", ""},
		{"es", "ka de uve doble cuatro ocho dos ese ese", "KDW482SS"},
		{"es", "KDW cuatrocientos ochenta y dos, ese, ese", "KDW482SS"},
	} {
		var got []string
		if n := reading.Read(tt.said, tt.language).Numbers; len(n) > 0 {
			got = n[0].Variants
		}
		if (tt.want == "") != (len(got) == 0) || tt.want != "" && !slices.Contains(got, tt.want) {
			t.Errorf("%s: %q may be %q, want %q among them", tt.language, tt.said, got, tt.want)
		}
	}
}

func TestEmails(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		language, said, want string
		spoken               bool
	}{
		{"en", "margaret.ames@example.com", "margaret.ames@example.com", false},
		{"en", "It's Margaret.Ames@Example.com.", "margaret.ames@example.com", false},
		{"en", "margaret dot ames at example dot com", "margaret.ames@example.com", true},
		{"en", "send it to m ames at example dot co dot uk, all lower case", "mames@example.co.uk", true},
		{"en", "my address is M A R G A R E T underscore ames nineteen forty two at g mail dot com", "margaret_ames1942@gmail.com", true},
		{"en", "ames dash m at example dot org please", "ames-m@example.org", true},
		{"en", "margaret at example.com", "margaret@example.com", true},
		{"en", "lorna dot mac callum, that's M A C C A double L U M, at post dot example", "lorna.maccallum@post.example", true},
		{"en", "dennis underscore whitlock, that's the line on the floor, at example dot net", "dennis_whitlock@example.net", true},
		{"en", "I am at home today", "", false},
		{"en", "the spot is at the back dot", "", false},
		{"en", "x@nowhere", "", false},
		{"es", "margarita punto ames arroba ejemplo punto com", "margarita.ames@ejemplo.com", true},
		{"es", "margarita guion bajo uno dos arroba ejemplo punto es", "margarita_12@ejemplo.es", true},
	} {
		if got := reading.Read(tt.said, tt.language).Email; got.Address != tt.want || got.Spoken != tt.spoken {
			t.Errorf("%s: %q is %+v, want %q, spoken %t", tt.language, tt.said, got, tt.want, tt.spoken)
		}
	}
}

// A talk about other things turns to an appliance where one is in trouble.
func TestBegins(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]bool{
		"my dishwasher won't start":                                 true,
		"the washing machine is broken":                             true,
		"I'm having trouble with my oven":                           true,
		"the fridge makes such a noise":                             true,
		"can you help me fix the dryer?":                            true,
		"how do I install PS3406971?":                               true,
		"my husband doesn't work any more":                          false,
		"the dishwasher was a good present":                         false,
		"I put the plates in the dishwasher":                        false,
		"my neighbour's dishwasher is leaking":                      false,
		"my knee won't bend":                                        false,
		"the car won't start":                                       false,
		"I had a broken washing machine last year":                  false,
		"I baked a cake in the oven and it was lovely":              false,
		"please send my daughter my love":                           false,
		"there was a film about a fridge that was broken, so funny": false,
	} {
		if got := reading.Begins(said, "en"); got != want {
			t.Errorf("%q begins: %t, want %t (%+v)", said, got, want, reading.Read(said, "en"))
		}
	}
}

func TestDistance(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		a, b   string
		atMost float64
	}{
		{"KDW482SS", "KDW482SS", 0},
		{"KDW428SS", "KDW482SS", 0.7},
		{"KDW48255", "KDW482SS", 0.6},
		{"KTW482SS", "KDW482SS", 0.4},
		{"KDW50", "KDW15", 0.5},
		{"KDW482S", "KDW482SS", 0.6},
		{"O00", "000", 0.1},
	} {
		if got := reading.Distance(tt.a, tt.b); got > tt.atMost+1e-9 || got != reading.Distance(tt.b, tt.a) {
			t.Errorf("%s and %s are %v apart, and %v the other way; want %v at most", tt.a, tt.b, got, reading.Distance(tt.b, tt.a), tt.atMost)
		}
	}
	if got := reading.Distance("KDW482SS", "WDT780SAEM1"); got < 4 {
		t.Errorf("different numbers are %v apart", got)
	}
}

// FuzzRead: whatever is said is read without harm, and what is read of it is well formed.
func FuzzRead(f *testing.F) {
	f.Add("W as in whisky, D, T, seven eighty, S A E M one")
	f.Add("double double u at at dot com dot, that's M A M A at x dot y")
	f.Add("İ ſ ’’ \x00 twenty hundred million at ß@ß.ß (dot)")
	f.Add("ka de uve doble, guion bajo arroba punto")
	f.Fuzz(func(t *testing.T, said string) {
		for _, code := range reading.Codes {
			rd := reading.Read(said, code)
			for _, n := range rd.Numbers {
				for _, v := range n.Variants {
					if v == "" || reading.Plain(v) != v {
						t.Errorf("%q: number %q", said, v)
					}
				}
				if n.Start < 0 || n.Start > n.End || n.End > len(said) {
					t.Errorf("%q: a number from %d to %d", said, n.Start, n.End)
				}
			}
			for _, q := range rd.Stream.Queries() {
				rd.Stream.Cost(q)
			}
			rd.Stream.Cost("WDT780SAEM1")
			if e := rd.Email; e.Address != "" && !reading.Valid(e.Address) {
				t.Errorf("%q: address %q", said, e.Address)
			}
			reading.Danger(said, code)
		}
	})
}

func BenchmarkRead(b *testing.B) {
	const said = "Well dear, I was in the garden this morning with the roses, and then my daughter came and we had tea, but my dishwasher won't start, it is a K D W four eight two S S"
	for b.Loop() {
		reading.Danger(said, "en")
		reading.Read(said, "en")
	}
}
