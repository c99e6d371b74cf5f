package safety

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// What is said by fixed text is never screened where it is known to be fixed, and
// would not be withheld where a record does not tell.
func TestOwnWordsWouldPass(t *testing.T) {
	t.Parallel()
	n := 0
	for _, code := range codes {
		for _, sentence := range ownSentences(t, code) {
			n++
			if kind := judged(code, sentence); kind != "" {
				t.Errorf("%s: %s: %s", code, kind, sentence)
			}
		}
	}
	if n < 500 {
		t.Errorf("only %d texts were read", n)
	}
}

// ownSentences are those of texts of ours in a language.
func ownSentences(tb testing.TB, code string) (out []string) {
	tb.Helper()
	for _, pattern := range []string{
		"words/*.yaml", "guard/*.yaml", "../../orchestration/words.yaml", "../health/words/stock/*.yaml", "../health/packs/*/*.yaml",
		"../cognitive/words/[a-z][a-z].yaml", "../appliance/words/*.yaml", "../general/phrases/*.yaml",
	} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			tb.Fatalf("%s: %v files, %v", pattern, len(files), err)
		}
		for _, file := range files {
			language := strings.TrimSuffix(filepath.Base(file), ".yaml")
			if len(language) != 2 {
				language = filepath.Base(filepath.Dir(file))
			}
			if len(language) != 2 {
				language = "en"
			}
			if language != code {
				continue
			}
			raw, err := os.ReadFile(file)
			if err != nil {
				tb.Fatal(err)
			}
			var all any
			if err := yaml.Unmarshal(raw, &all); err != nil {
				tb.Fatal(err)
			}
			if m, ok := all.(map[string]any); ok && strings.HasSuffix(filepath.Dir(file), "words") && m["texts"] != nil {
				all = m["texts"]
			} else if ok && m["instead"] != nil {
				all = m["instead"]
			}
			eachText(all, func(text string) {
				for _, sentence := range strings.SplitAfter(text, ". ") {
					out = append(out, strings.TrimSpace(sentence))
				}
			})
		}
	}
	slices.Sort(out) // maps come in any order
	return slices.Compact(out)
}

// eachText calls do with each text that is spoken: it has a space, and ends as sentences do.
func eachText(v any, do func(string)) {
	switch v := v.(type) {
	case string:
		if t := strings.TrimSpace(v); strings.Contains(t, " ") && strings.ContainsAny(t[len(t)-1:], ".?!") && !strings.Contains(t, "\n") {
			do(t)
		}
	case []any:
		for _, e := range v {
			eachText(e, do)
		}
	case map[string]any:
		for _, e := range v {
			eachText(e, do)
		}
	}
}
