package appliance

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/naiber/naiber/personas/appliance/reading"
)

// Each language says all that English says, with the same blanks to fill in.
func TestWordsAreWhole(t *testing.T) {
	t.Parallel()
	blank := regexp.MustCompile(`\{\w+\}`)
	blanks := func(text string) []string {
		found := blank.FindAllString(text, -1)
		slices.Sort(found)
		return slices.Compact(found)
	}
	for _, code := range reading.Codes {
		for name, text := range words["en"] {
			own := words[code][name]
			if strings.TrimSpace(own) == "" || !slices.Equal(blanks(own), blanks(text)) {
				t.Errorf("%s: %s is %q, and in English %q", code, name, own, text)
			}
		}
		if len(words[code]) != len(words["en"]) {
			t.Errorf("%s has %d texts, English %d", code, len(words[code]), len(words["en"]))
		}
		for _, kind := range reading.Dangers {
			if words[code]["danger."+kind] == "" {
				t.Errorf("%s has no answer to %s", code, kind)
			}
		}
		for name, text := range words[code] {
			if strings.HasSuffix(name, ".phone") && anyURL.MatchString(text) {
				t.Errorf("%s: %s speaks a link", code, name)
			}
		}
	}
	// ask_goal names all four kinds of help; what is lacking is asked for in one sentence.
	for _, code := range reading.Codes {
		for g, needs := range requirements {
			for n := 1; n < 1<<len(needs); n++ {
				var lacking []string
				for i, need := range needs {
					if n&(1<<i) != 0 {
						lacking = append(lacking, need)
					}
				}
				if text := words[code]["ask."+strings.Join(lacking, "_")]; strings.Count(text, "?") != 1 {
					t.Errorf("%s: %s without %v asks %q", code, g, lacking, text)
				}
			}
		}
	}
}

func TestPrice(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		language string
		phone    bool
		cents    int64
		want     string
	}{
		{"en", true, 24999, "249 dollars 99"},
		{"en", true, 25000, "250 dollars"},
		{"en", true, 24905, "249 dollars and 5 cents"},
		{"en", false, 24905, "$249.05"},
		{"en", false, 0, ""},
		{"es", true, 24999, "249 dólares con 99"},
	} {
		if got := price(tt.language, tt.phone, tt.cents); got != tt.want {
			t.Errorf("%s, by phone %t, %d cents: %q, want %q", tt.language, tt.phone, tt.cents, got, tt.want)
		}
	}
}

func TestClean(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, want string }{
		{"plain", "## Head\n- item", "## Head\n- item"},
		{"code", "a\n```go\nx := 1\n```\nb", "a\n\nb"},
		{"open code", "a\n```\nrm", "a"},
		{"json", `before {"a": {"b": [1, 2]}} after`, "before  after"},
		{"bare link", "see https://evil.example/x?y=1 now", "see  now"},
		{"link with text", "[the video](https://evil.example/x)", "the video"},
		{"address stays", "sent to a@example.com", "sent to a@example.com"},
		{"a line of a link alone", "a\n- www.example.com\nb", "a\nb"},
		{"emphasis", "**bold** and _thin_", "bold and thin"},
	} {
		if got := clean(tt.text); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// FuzzClean: no link and no code is left, whatever a model writes.
func FuzzClean(f *testing.F) {
	f.Add("see [x](http://a.example) ```a``` {\"b\":1}")
	f.Add("a@b.com www.x.com/y")
	f.Fuzz(func(t *testing.T, text string) {
		got := clean(text)
		if strings.Contains(got, "http://") || strings.Contains(got, "```") {
			t.Errorf("%q became %q", text, got)
		}
	})
}
