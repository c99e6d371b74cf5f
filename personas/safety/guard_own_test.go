package safety

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// What is said by fixed text is never screened where it is known to be fixed, and
// would not be withheld where a record does not tell.
func TestOwnWordsWouldPass(t *testing.T) {
	t.Parallel()
	n := 0
	for _, pattern := range []string{
		"words/*.yaml", "guard/*.yaml", "../../orchestration/words.yaml", "../health/words/stock/*.yaml", "../health/packs/*/*.yaml",
		"../cognitive/words/[a-z][a-z].yaml", "../appliance/words/*.yaml", "../general/phrases/*.yaml",
	} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v files, %v", pattern, len(files), err)
		}
		for _, file := range files {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var all any
			if err := yaml.Unmarshal(raw, &all); err != nil {
				t.Fatal(err)
			}
			if m, ok := all.(map[string]any); ok && strings.HasSuffix(filepath.Dir(file), "words") && m["texts"] != nil {
				all = m["texts"]
			} else if ok && m["instead"] != nil {
				all = m["instead"]
			}
			language := strings.TrimSuffix(filepath.Base(file), ".yaml")
			if len(language) != 2 {
				language = filepath.Base(filepath.Dir(file))
			}
			eachText(all, func(text string) {
				n++
				for _, sentence := range strings.SplitAfter(text, ". ") {
					if kind := judged(language, strings.TrimSpace(sentence)); kind != "" {
						t.Errorf("%s: %s: %s", file, kind, sentence)
					}
				}
			})
		}
	}
	if n < 500 {
		t.Errorf("only %d texts were read", n)
	}
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
