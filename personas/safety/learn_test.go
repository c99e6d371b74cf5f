package safety

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/internal/weights"
)

var (
	learnNow = flag.Bool("learn", false, "learn the weights of the words and write them")
	cross    = flag.Bool("cross", false, "print how each file of the corpus is read by weights learned from the others")
)

// example is an utterance as weights see it.
type example struct {
	told

	fs []weights.Feature
	is int // the column of its kind; 0: none
}

func learn(set []example, h weights.Header) *weights.Weights {
	all := make([]weights.Example, len(set))
	for i, x := range set {
		all[i] = weights.Example{Features: x.fs, Is: x.is}
	}
	const decay = 0.15
	return weights.Learn(all, h, decay)
}

// corpora are the files that a language's weights are learned from: what was written for it, and
// talk about other things, in which there is no danger. More replies to health checks than these
// teach that danger is rare, and cost recall.
func corpora(tb testing.TB, code string) []string {
	tb.Helper()
	upTo := map[string]string{"en": "s", "es": "o"}[code]
	from := []string{"testdata/corpus/" + code + ".*.tsv", "testdata/strangers/" + code + ".*.tsv", "testdata/danger." + code + ".txt", "../health/testdata/strangers/" + code + "*_open.txt", "../health/testdata/corpus/" + code + "_[a-" + upTo + "].txt", "../wishes/testdata/strangers/" + code + ".*.tsv"}
	const replies = "../health/reader/testdata/replies/"
	if code == "en" {
		from = append(from, "../../memory/evaluation/testdata/*.txt", replies+"dev.txt", replies+"cells.txt",
			"../appliance/testdata/numbers/open.tsv", "../appliance/reading/testdata/strangers/trouble_*.tsv")
	} else {
		from = append(from, replies+code+".txt")
	}
	var all []string
	for _, pattern := range from {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			tb.Fatalf("%s: %v, %v", pattern, found, err)
		}
		all = append(all, found...)
	}
	return all
}

// ofOther is the kind of what is said of other things.
const ofOther = "talk"

var (
	dangerLine = regexp.MustCompile(`(?m)^(\w+): (.+)$`)
	ourLine    = regexp.MustCompile(`(?m)^n (.+)$`)
	elderLine  = regexp.MustCompile(`(?m)^e(?:#\S+)? (.+)$`)
	lastField  = regexp.MustCompile(`(?m)^.*\t([^\t\n]+)$`)
	plainLine  = regexp.MustCompile(`(?m)^(?:sleep|energy|medication|medicine|medicines|plans|frail|heart|diabetes|joints|ucla|phq\.(?:interest|sleep|tired|concentration|movement))\S* \| [^|]+ \| ([^|]+?) *(?:\|.*)?$`)
	healthLine = regexp.MustCompile(`(?m)^(?:appetite|sleep|energy|mood|hydration|activity|medication|social|pills|ate|bed|plans|glasses|hours|wake|missed|usual|lunch|weight|ucla|dose|walk|meals|scales|pain|dizzy|phq)\S* \| [^|]+ \| ([^|]+?) *(?:\|.*)?$`)
)

// kindsOfDanger are the kinds of what testdata/danger.*.txt calls by shorter names.
var kindsOfDanger = map[string]string{
	"bleeding": "bleeding", "breath": "breathing", "chest": "chest_pain", "collapse": "collapse", "fall": "fall_stuck", "fire": "fire",
	"intruder": "intruder", "poison": "overdose", "self_harm": "suicidal", "stroke": "stroke",
}

// utterances reads a file to learn from.
func utterances(tb testing.TB, path string) (set []told) {
	tb.Helper()
	if strings.HasPrefix(path, "testdata/") && filepath.Ext(path) == ".tsv" {
		_, set = strangers(tb, path)
		return set
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	line := elderLine
	switch {
	case strings.HasPrefix(path, "testdata/danger"):
		for _, m := range dangerLine.FindAllStringSubmatch(string(raw), -1) {
			if m[1] == "fine" {
				set = append(set, told{"near", "none", m[2]})
			} else if k := kindsOfDanger[m[1]]; k != "" {
				set = append(set, told{k, "flag", m[2]})
			}
		}
		return set
	case strings.Contains(path, "health/testdata/corpus"):
		line = plainLine
	case strings.Contains(path, "health"):
		line = healthLine
	case filepath.Ext(path) == ".tsv":
		line = lastField
	}
	for _, m := range line.FindAllStringSubmatch(string(raw), -1) {
		set = append(set, told{ofOther, "none", m[1]})
	}
	return set
}

// sum tells files apart.
func sum(tb testing.TB, paths []string) string {
	tb.Helper()
	h := sha256.New()
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			tb.Fatal(err)
		}
		h.Write(raw)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// columns are the kinds that are learned, none first.
func columns() []string {
	all := slices.DeleteFunc(slices.Sorted(maps.Keys(kinds)), func(k string) bool { return k == "help" })
	return append([]string{""}, all...)
}

func examples(tb testing.TB, l *language, path string) []example {
	tb.Helper()
	var all []example
	for _, u := range utterances(tb, path) {
		e := l.evidence(l.Tokens(english.Scan(u.said)), true)
		if u.kind == ofOther && len(e.found) > 0 {
			continue // nobody has read whether it tells of danger
		}
		x := example{told: u, fs: e.features()}
		if u.expect == "flag" {
			x.is = slices.Index(columns(), u.kind)
			if x.is < 0 {
				tb.Fatalf("%s: no kind %q", path, u.kind)
			}
		}
		all = append(all, x)
	}
	return all
}

// TestLearned asks that the weights are those of what they were learned from and of the phrases; -learn writes them.
func TestLearned(t *testing.T) {
	for _, code := range []string{"en", "es"} {
		files := corpora(t, code)
		h := weights.Header{Version: languages[code].Version, From: sum(t, files), Kinds: columns()}
		sets := make(map[string][]example)
		for _, path := range files {
			sets[path] = examples(t, languages[code], path)
		}
		if *cross {
			crossed(files, sets, h)
		}
		learned(t, "words/"+code+".weights", languages[code].weights, h, sets)

		files, err := filepath.Glob("testdata/guard/*." + code + ".tsv")
		if err != nil {
			t.Fatal(err)
		}
		h = weights.Header{Version: guards[code].Version, From: sum(t, files), Kinds: []string{""}}
		for _, k := range withheldKinds {
			h.Kinds = append(h.Kinds, k.name)
		}
		var set []utterance
		for _, path := range files {
			_, of := sentences(t, path)
			set = append(set, of...)
		}
		all := guardExamples(code, set, h.Kinds)
		if *cross {
			guardCrossed(all, guardExamples(code, harmless(t, code), h.Kinds), h)
		}
		learned(t, "guard/"+code+".weights", guards[code].weights, h, map[string][]example{"": append(all, guardExamples(code, harmless(t, code), h.Kinds)...)})
	}
}

// learned writes weights, or asks that those there are are the ones.
func learned(t *testing.T, path string, w *weights.Weights, h weights.Header, sets map[string][]example) {
	t.Helper()
	if *cross {
		return
	}
	if !*learnNow {
		if w.From != h.From || w.Version != h.Version || !slices.Equal(w.Kinds, h.Kinds) {
			t.Errorf("%s is not of its corpus and words: task learn:safety", path)
		}
		return
	}
	var all []example
	for _, file := range slices.Sorted(maps.Keys(sets)) {
		all = append(all, sets[file]...)
	}
	raw, err := learn(all, h).File()
	if err == nil {
		err = os.WriteFile(path, raw, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// harmless is what nAIber has said that nobody would withhold: its own texts, and its part of
// conversations that were written down.
func harmless(tb testing.TB, code string) (all []utterance) {
	tb.Helper()
	for _, text := range ownSentences(tb, code) {
		all = append(all, utterance{kind: "own", text: text})
	}
	if code != "en" {
		return all
	}
	files, err := filepath.Glob("../../memory/evaluation/testdata/*.txt")
	if err != nil || len(files) == 0 {
		tb.Fatal(files, err)
	}
	for _, path := range files {
		raw, err := os.ReadFile(path)
		if err != nil {
			tb.Fatal(err)
		}
		for _, m := range ourLine.FindAllStringSubmatch(string(raw), -1) {
			all = append(all, utterance{kind: "own", text: m[1]})
		}
	}
	return all
}

// guardExamples are sentences that a model might say.
func guardExamples(code string, set []utterance, kinds []string) []example {
	r := guards[code]
	all := make([]example, 0, len(set))
	for _, u := range set {
		toks := r.Tokens(english.Scan(unstopped.Replace(u.text)))
		matches, asked := r.All(r.index, toks), asks(u.text)
		x := example{told: told{kind: u.kind, said: u.text}, fs: r.features(r.worst(matches, toks, asked, false, false), matches, toks, asked)}
		if u.withhold {
			x.is = slices.Index(kinds, u.kind)
		}
		all = append(all, x)
	}
	return all
}

// guardCrossed prints how each fifth of a set is judged by what was learned from the others.
func guardCrossed(set, harmless []example, h weights.Header) {
	const parts = 5
	type scored struct {
		example

		likely float64
		phrase bool
	}
	var all []scored
	for part := range parts {
		var from, of []example
		for i, x := range set {
			if i%parts == part {
				of = append(of, x)
			} else {
				from = append(from, x)
			}
		}
		w := learn(append(from, harmless...), h)
		for _, x := range of {
			all = append(all, scored{x, likelihoodOf(w, x.fs).flag, slices.ContainsFunc(x.fs, func(f weights.Feature) bool { return f.Hash == weights.Hash('L') })})
		}
	}
	for _, told := range []float64{0, .15, .25, .35, .5} {
		for _, alone := range []float64{.4, .5, .6, .7, .8} {
			var n, k [3]int // to be withheld, near misses, ordinary
			for _, x := range all {
				i := 0
				switch {
				case x.is == 0 && x.kind == "ordinary":
					i = 2
				case x.is == 0:
					i = 1
				}
				n[i]++
				if x.phrase && x.likely >= told || !x.phrase && x.likely >= alone {
					k[i]++
				}
			}
			fmt.Printf("phrases %.2f alone %.2f: withheld %.1f%% near %.1f%% ordinary %.1f%%\n", told, alone,
				100*float64(k[0])/float64(n[0]), 100*float64(k[1])/float64(n[1]), 100*float64(k[2])/float64(n[2]))
		}
	}
}

// crossed prints how each file is read by what was learned from the others.
func crossed(files []string, sets map[string][]example, h weights.Header) {
	type scored struct {
		example
		flag float64
		kind string
	}
	var all []scored
	for _, path := range files {
		if filepath.Ext(path) != ".tsv" {
			continue
		}
		var from []example
		for _, other := range files {
			if other != path {
				from = append(from, sets[other]...)
			}
		}
		w := learn(from, h)
		for _, x := range sets[path] {
			l := likelihoodOf(w, x.fs)
			all = append(all, scored{x, l.flag, w.Kinds[l.kind]})
		}
	}
	for _, a := range []float64{.35, .4, .45} {
		for _, b := range []float64{.45, .5, .55, .6} {
			var f, k, n [4]int
			for _, x := range all {
				i := 0
				switch {
				case x.is > 0 && kinds[x.told.kind].tier >= 3:
				case x.is > 0:
					continue
				case x.told.kind == "ordinary":
					i = 2
				case x.told.kind == ofOther:
					i = 3
				default:
					i = 1
				}
				n[i]++
				lex := slices.ContainsFunc(x.fs, func(f weights.Feature) bool { return f.Hash == weights.Hash('L') })
				if lex && x.flag >= a || x.flag >= inTalk.flag {
					f[i]++
				} else if lex && x.flag >= doubtTold || x.flag >= b {
					k[i]++
				}
			}
			fmt.Printf("phrases %.2f doubt %.2f:", a, b)
			for i := range 4 {
				fmt.Printf("  %.1f+%.1f", 100*float64(f[i])/float64(n[i]), 100*float64(k[i])/float64(n[i]))
			}
			fmt.Println(n)
		}
	}
	slices.SortFunc(all, func(a, b scored) int { return cmp.Compare(b.flag, a.flag) })
	var near, ordinary, urgent [2]int
	for _, x := range all {
		switch {
		case x.is > 0 && kinds[x.told.kind].tier >= 3:
			urgent[1]++
		case x.is == 0 && x.told.kind == "ordinary":
			ordinary[1]++
		case x.is == 0 && x.told.kind != ofOther:
			near[1]++
		}
	}
	next, named := []float64{.01, .02, .03, .05, .07, .1, .15, .2}, 0
	for _, x := range all {
		switch {
		case x.is > 0 && kinds[x.told.kind].tier >= 3:
			urgent[0]++
			if x.kind == x.told.kind {
				named++
			}
		case x.is == 0 && x.told.kind == "ordinary":
			ordinary[0]++
		case x.is == 0 && x.told.kind != ofOther:
			near[0]++
		}
		if len(next) > 0 && float64(near[0]) > next[0]*float64(near[1]) {
			fmt.Printf("near %.0f%%: threshold %.3f recall %.1f%% named %.1f%% ordinary %.1f%%\n", 100*next[0], x.flag,
				100*float64(urgent[0])/float64(urgent[1]), 100*float64(named)/float64(urgent[0]), 100*float64(ordinary[0])/float64(ordinary[1]))
			next = next[1:]
		}
	}
}
