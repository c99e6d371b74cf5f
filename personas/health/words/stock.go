package words

import (
	"cmp"
	"embed"
	"fmt"
	"path"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"

	"github.com/naiber/naiber/personas/health/packs"
)

//go:embed stock/*.yaml
var stockFiles embed.FS

// fallback is used if a language has no sentence for a situation.
const fallback = "en"

// Fill holds what the placeholders of sentences are filled with.
type Fill struct {
	Name     string // how the person is addressed; if empty, sentences with a name are not used
	Value    string // the answer as it is read back; for [ReadBack]
	Quote    string // the words for an answer, their subject, and the highest value; for [ReadBackWords]
	About    string
	Of       string
	Language string // language tag; English if there are no sentences in it
}

// Say returns the n-th sentence for a situation, in rotation. The same arguments give the same
// words.
func Say(s Situation, n int, f Fill) string {
	lines := usable(stock()[tag(f.Language)][s], f)
	if len(lines) == 0 {
		lines = usable(stock()[fallback][s], f)
	}
	if len(lines) == 0 {
		return ""
	}
	line := lines[uint(n)%uint(len(lines))]
	return strings.NewReplacer("{name}", f.Name, "{value}", f.Value, "{quote}", f.Quote, "{about}", f.About, "{of}", f.Of).Replace(line)
}

// usable returns the sentences whose placeholders f can fill.
func usable(lines []string, f Fill) []string {
	var out []string
	for _, l := range lines {
		if f.Name == "" && strings.Contains(l, "{name}") || f.Value == "" && strings.Contains(l, "{value}") {
			continue
		}
		out = append(out, l)
	}
	return out
}

// tag returns the primary language of a tag, or English if it is empty.
func tag(language string) string { return cmp.Or(packs.Primary(language), fallback) }

// stock returns all sentences by language. They are embedded, and a test reads them: a mistake in
// them cannot reach a call.
var stock = sync.OnceValue(func() map[string]map[Situation][]string {
	all := map[string]map[Situation][]string{}
	files, err := stockFiles.ReadDir("stock")
	if err != nil {
		panic(fmt.Sprintf("words: list sentences: %v", err))
	}
	for _, f := range files {
		data, err := stockFiles.ReadFile(path.Join("stock", f.Name()))
		if err != nil {
			panic(fmt.Sprintf("words: read sentences: %v", err))
		}
		lines := map[Situation][]string{}
		if err := yaml.Unmarshal(data, &lines); err != nil {
			panic(fmt.Sprintf("words: read sentences %s: %v", f.Name(), err))
		}
		all[strings.TrimSuffix(f.Name(), ".yaml")] = lines
	}
	return all
})
