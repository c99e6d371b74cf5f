package reader

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// TestCuesAreChecked has a mistake in a cue file for each thing that is checked, and what
// is said of it.
func TestCuesAreChecked(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, want string }{
		{"text before any header", "  yes no\n", "is no header"},
		{"a header without a colon", "# why\nwords joiners\n", `de.cues:2: "words joiners" is no header`},
		{"a kind that is not known", "sounds joiners:\n", "sounds joiners: no such kind of cue"},
		{"a class that no rule reads", "words joinery:\n  und\n", "words joinery: no rule speaks of it"},
		{"a list that is missing", "phrases fix:\n  nein, @doubts\n", "there is no list doubts"},
		{"a theme that is missing", "phrases fall.did:\n  gestürzt\n", "no theme has this name"},
		{"a part that no theme has", "theme fall:\n  sturz\nphrases fall.undone:\n  gestürzt\n", "a theme has no such part"},
		{"a trait that no language has", "traits de:\n  loud\n", "no such trait: loud"},
		{"a flag that no theme has", "theme fall often:\n  sturz\n", "no such flag: often"},
		{"a value that is missing", "values ones:\n  eins\n", `"eins" is not word=value`},
		{"a value that is no number", "values ones:\n  eins=one\n", `"eins=one"`},
		{"a measure without a factor", "unit time:\n  stunde\n", "want a dimension"},
		{"a grade without its shares", "grade gut:\n  prima\n", "want a name"},
		{"rules with an unknown class", "classes skip:\n  we: wir\nrules skip:\n  <us> weiter\n", "no class <us>"},
		{"rules of another grammar", "rules greet:\n  hallo\n", "nothing is read by such rules"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := load(fstest.MapFS{"de.cues": {Data: []byte(tt.text)}})
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "de.cues:") {
				t.Errorf("err = %v, want it to say %q and the place", err, tt.want)
			}
		})
	}
}

// TestLanguageIsFiles reads a reply in a language that only a file knows.
func TestLanguageIsFiles(t *testing.T) {
	t.Parallel()
	lx, err := load(fstest.MapFS{"de.cues": {Data: []byte(`
values ones:
  sieben=7 acht=8
phrases fix:
  nein, ach nein
phrases particles yes:
  ja, freilich
phrases plain aside:
  ähm, so ungefähr
`)}})
	if err != nil {
		t.Fatal(err)
	}
	energy := Question{ID: "energy", Kind: Scale, Min: 1, Max: 10}
	if r := finish(&energy, read(&energy, parse(lx, "Ähm, sieben, ach nein, acht."), Context{})); !r.Settled || r.Value.Number != 8 {
		t.Errorf("%+v, want 8", r)
	}
	pills := Question{ID: "pills", Kind: Boolean}
	if r := finish(&pills, read(&pills, parse(lx, "Freilich!"), Context{})); !r.Settled || !r.Value.Bool {
		t.Errorf("%+v, want yes", r)
	}
}

// notNeeded are the classes that a language does without, by the reason why.
var notNeeded = map[string]map[string]string{
	"en": {
		"no accents":                               "accented ifUnmarked",
		"twenty-one has no word between":           "andOnes",
		"minutes stand before the hour":            "hourParts andMinutes lessMinutes theHour",
		"an hour ago has its word behind the time": "agoAhead",
	},
	"es": {
		"no auxiliary stands for an answer":       "aux echoNext ofTasks otherNext likened echoAdverbs we surely loveLike like do am that thinking couldDid finding way notCant",
		"infinitives are not led by a word":       "to still stillOnly wished obliged had",
		"no denies a verb with words between":     "deniesNext",
		"denials behind a verb repeat the first":  "leavesSome hardlyAny",
		"nothing is attached to a word":           "being roughly itsThats doing iWould",
		"minutes stand behind the hour":           "ofHour oh",
		"hace has its place before the time":      "ago",
		"the grammar and phrases of declining do": "concerns notMine mineAlone keep myself is refuseTo goInto toMyself",
		"no scale goes below zero":                "minus",
		"no number sounds like another word":      "numberOnly",
		"a range is led by its own words":         "anywhere",
		"nunca and nada deny as no does":          "anyone notOne",
	},
}

// TestEveryCueHasWords reports classes that the rules read and a language neither has
// words for nor does without.
func TestEveryCueHasWords(t *testing.T) {
	t.Parallel()
	for lang, reasons := range notNeeded {
		held, without := For(lang).held(), map[string]bool{}
		for _, names := range reasons {
			maps.Copy(without, wordsOf(names))
		}
		for i, name := range cueNames {
			switch has := held[class(i+1)]; {
			case !has && !without[name]:
				t.Errorf("%s: no words for %s", lang, name)
			case has && without[name]:
				t.Errorf("%s: words for %s, which it does without", lang, name)
			}
		}
		for name := range without {
			if !slices.Contains(cueNames, name) {
				t.Errorf("%s: %s is no class", lang, name)
			}
		}
	}
}

// held are the classes that have words.
func (lx *Lexicon) held() map[class]bool {
	held := map[class]bool{}
	var walk func(n *node)
	walk = func(n *node) {
		for _, p := range n.ends {
			held[p.class] = true
		}
		for _, next := range n.next {
			walk(next)
		}
	}
	for _, w := range lx.words {
		for class := range class(len(w.classes) * 64) {
			held[class] = held[class] || w.in(class)
		}
		walk(&w.node)
	}
	for class := range lx.endings {
		held[class] = true
	}
	return held
}
