package english_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/naiber/naiber/internal/english"
)

func TestPlain(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"":                       "",
		"  Oh,  DEAR! ":          "oh dear",
		"I don’t — 'never' – go": "i don't never go",
		"It's 7:30":              "it's 7 30",
		"' '":                    "",
	} {
		if got := english.Plain(said); got != want {
			t.Errorf("Plain(%q) = %q, want %q", said, got, want)
		}
	}
}

func TestHolds(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text, phrase string
		want         bool
	}{
		{"not now dear", "not now", true},
		{"not nowhere", "not now", false},
		{"stop", "stop", true},
		{"nonstop", "stop", false},
		{"", "stop", false},
	} {
		if got := english.Holds(tt.text, "never said", tt.phrase); got != tt.want {
			t.Errorf("Holds(%q, %q) = %v", tt.text, tt.phrase, got)
		}
	}
}

func TestClipAndShorten(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text             string
		n                int
		clipped, shorter string
	}{
		{"für Änne", 8, "für Änne", "für Änne"},
		{"für Änne", 5, "für Ä", "für…"},
		{"für Änne", 4, "für", "für…"},
		{"a wheelbarrow", 10, "a wheelbar", "a wheelba…"},
		{"word", 1, "w", "…"},
	} {
		if got := english.Clip(tt.text, tt.n); got != tt.clipped {
			t.Errorf("Clip(%q, %d) = %q, want %q", tt.text, tt.n, got, tt.clipped)
		}
		if got := english.Shorten(tt.text, tt.n); got != tt.shorter {
			t.Errorf("Shorten(%q, %d) = %q, want %q", tt.text, tt.n, got, tt.shorter)
		}
	}
}

func TestOneLine(t *testing.T) {
	t.Parallel()
	if got := english.OneLine(" a\n\tb\x00 c "); got != "a b c" {
		t.Errorf("got %q", got)
	}
}

func TestSentences(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text string
		want []string
	}{
		{"", nil},
		{" Yes. No!  Well… perhaps?", []string{"Yes.", "No!", "Well…", "perhaps?"}},
		{"Dr. Smith came. St. Anne's is near", []string{"Dr. Smith came.", "St. Anne's is near"}},
		{"It is 6.5 now\nand “so.” There", []string{"It is 6.5 now", "and “so.”", "There"}},
	} {
		if diff := cmp.Diff(tt.want, english.Sentences(tt.text)); diff != "" {
			t.Errorf("%q: %s", tt.text, diff)
		}
	}
}

func TestScan(t *testing.T) {
	t.Parallel()
	var got strings.Builder
	text := "Well, it’s 7:30 – 'half-past'. I'd (6.5) “pints”!"
	for _, w := range english.Scan(text) {
		got.WriteString([]string{" ", ", ", ". "}[w.Break] + w.Text)
		if !strings.EqualFold(strings.Trim(strings.ReplaceAll(text[w.Start:w.End], "’", "'"), "'"), w.Text) {
			t.Errorf("%q stands at %q", w.Text, text[w.Start:w.End])
		}
	}
	if want := ". well, it's 7:30, half past. i'd, 6.5, pints"; got.String() != want {
		t.Errorf("got %q, want %q", got.String(), want)
	}
}

func TestNumbers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		words string
		value int
		n     int
	}{
		{"seven", 7, 1},
		{"7 pills", 7, 1},
		{"seventy two years", 72, 2},
		{"twenty ten", 20, 1},
		{"a hundred and forty two of them", 142, 5},
		{"two hundred", 200, 2},
		{"two hundred and a few", 200, 2},
		{"hundred five", 105, 2},
		{"a few", 0, 0},
		{"", 0, 0},
	} {
		if value, n := english.NumberAt(strings.Fields(tt.words)...); value != tt.value || n != tt.n {
			t.Errorf("%q: got %d in %d words", tt.words, value, n)
		}
	}
}

// Forms of one word meet; other words do not.
func TestStem(t *testing.T) {
	t.Parallel()
	for _, forms := range []string{
		"visit visits visited visiting", "stop stopped stopping", "go goes went gone going", "child children", "die died dying dead",
		"mother mum mom mothers", "bake bakes baked baking", "worry worries worried", "sell sold selling", "hip hips", "garden gardening",
	} {
		words := strings.Fields(forms)
		for _, w := range words[1:] {
			if a, b := english.Stem(words[0]), english.Stem(w); !english.Alike(a, b) {
				t.Errorf("%s is %q and %s is %q", words[0], a, w, b)
			}
		}
	}
	for _, pair := range []string{"cat car", "tom tim", "hip hop", "rose road", "sister brother", "monday sunday"} {
		a, b, _ := strings.Cut(pair, " ")
		if english.Alike(english.Stem(a), english.Stem(b)) {
			t.Errorf("%s and %s are one", a, b)
		}
	}
}

func TestShare(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		sentence, text string
		want           float64
	}{
		{"Tom visits his mother", "My Tom visited mum on Sunday", 1},
		{"Tom has a red car", "Tom's car", 2.0 / 3},
		{"She is so very well", "anything", 1},
		{"Tom has a cat", "", 0},
	} {
		if got := english.Share(tt.sentence, tt.text); got != tt.want {
			t.Errorf("%q in %q: got %v, want %v", tt.sentence, tt.text, got, tt.want)
		}
	}
}

func TestProper(t *testing.T) {
	t.Parallel()
	names, numbers := english.Proper("Tom's in Bath with Ann’s 2 cats. He and I left at 7:30, I'm told")
	if want := []string{"bath", "ann"}; !slices.Equal(names, want) {
		t.Errorf("names: got %q, want %q", names, want)
	}
	if want := []string{"2", "7:30"}; !slices.Equal(numbers, want) {
		t.Errorf("numbers: got %q, want %q", numbers, want)
	}
}

func TestClauses(t *testing.T) {
	t.Parallel()
	senses := "+?-x" // by their number
	for text, want := range map[string]string{
		"I have a cat":                      "+",
		"I have no cat":                     "-",
		"I don't drink tea, coffee or milk": "--",
		"I stopped smoking":                 "x",
		"I hate coffee":                     "?",
		"No, I have two cats":               "+",
		"I can't complain about my hip":     "+",
		"She has no dog but she has a cat":  "-+",
		"I cannot walk; Dr. Smith came":     "-+",
		"He will not come until Monday":     "?",
		"":                                  "",
	} {
		var read strings.Builder
		for _, c := range english.Clauses(text) {
			read.WriteByte(senses[c.Sense])
		}
		if got := read.String(); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}

func TestAnswer(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]english.Sense{
		"Oh, no": english.Denied, "Of course not.": english.Denied, "I haven’t": english.Denied, "Well yes, dear": english.Affirmed,
		"I do": english.Affirmed, "On Monday": english.Open, "": english.Open,
	} {
		if got := english.Answer(text); got != want {
			t.Errorf("%q: got %d, want %d", text, got, want)
		}
	}
}

// Whatever is said, what is read of it holds together.
func FuzzRead(f *testing.F) {
	for _, s := range []string{
		"last Tuesday the 31st of February 2024", "Tom came on Friday, and leaves in a hundred and two weeks' time", "\xff’'s 7:30 …\n“Dr. No.”",
		"no tea, coffee or milk until last christmas", "in fall 1952-02-30 monday to Sunday next weekend",
	} {
		f.Add(s, uint8(len(s)))
	}
	day := evening(f)
	f.Fuzz(func(t *testing.T, said string, n uint8) {
		if p, ok := english.Period(said, day); ok && (!p.To.After(p.From) || p.From.After(day)) {
			t.Errorf("Period(%q): %v to %v", said, p.From, p.To)
		}
		for r := english.ByTense; r <= english.Promised; r++ {
			text, spans := english.Resolve(said, day, r)
			if len(spans) == 0 && text != said {
				t.Errorf("Resolve(%q) = %q without a span", said, text)
			}
			for _, s := range spans {
				if !s.To.After(s.From) || !strings.Contains(strings.ToLower(text), strings.ToLower(s.Text[strings.IndexByte(s.Text, ' ')+1:])) {
					t.Errorf("Resolve(%q) = %q with %+v", said, text, s)
				}
			}
		}
		if plain := english.Plain(said); english.Plain(plain) != plain {
			t.Errorf("Plain(%q) = %q is not plain", said, plain)
		}
		for _, cut := range []string{english.Clip(said, int(n)), english.Shorten(said, int(n)+1)} {
			if utf8.RuneCountInString(cut) > int(n)+1 {
				t.Errorf("%q is %d runes, of at most %d", cut, utf8.RuneCountInString(cut), n)
			}
		}
		end := 0
		for _, w := range english.Scan(said) {
			if w.Text == "" || w.Start < end || w.End <= w.Start || w.End > len(said) {
				t.Errorf("Scan(%q): %+v after %d", said, w, end)
			}
			end = w.End
		}
		if _, taken := english.NumberAt(english.Words(said)...); taken > 5 {
			t.Errorf("%q: a number of %d words", said, taken)
		}
		if share := english.Share(said, said); share != 1 {
			t.Errorf("%q shares %v with itself", said, share)
		}
		english.Clauses(said)
		english.Answer(said)
		english.HangsOnDay(said)
		english.NextOn(said, day)
	})
}
