package packs

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func library(t *testing.T) *Library {
	t.Helper()
	l, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func mustPack(t *testing.T, id string) Pack {
	t.Helper()
	p, ok := library(t).Pack(id, "en-GB")
	if !ok {
		t.Fatalf("no pack %q", id)
	}
	return p
}

func TestShippedPacks(t *testing.T) {
	t.Parallel()
	var ids []string
	for _, p := range library(t).Packs() {
		ids = append(ids, p.ID)
		if p.Licence == "" || p.Source == "" {
			t.Errorf("%s: no licence or source", p.ID)
		}
	}
	want := []string{"daily", "frail", "gad2", "phq2", "phq8", "profile", "steadi3", "ucla3"}
	if !slices.Equal(ids, want) {
		t.Errorf("packs are %q, want %q", ids, want)
	}
}

func TestDailyPack(t *testing.T) {
	t.Parallel()
	var ids []string
	for _, it := range mustPack(t, "daily").Items {
		ids = append(ids, it.ID)
		if len(it.Alternatives) < 2 {
			t.Errorf("%s has %d alternatives, want two for two more attempts", it.ID, len(it.Alternatives))
		}
	}
	want := []string{"energy", "sleep", "pain", "mood", "appetite", "medication", "falls", "breathing", "plans", "other"}
	if !slices.Equal(ids, want) {
		t.Errorf("daily questions are %q, want %q", ids, want)
	}
}

// The wording of an instrument is its validity. What is asked is held here a second
// time, so that a well-meant edit of a pack is noticed.
func TestInstrumentsKeepTheirWords(t *testing.T) {
	t.Parallel()
	const often = "Not at all, several days, more than half the days, or nearly every day?"
	tests := map[string]struct {
		opening, options string
		items            []string
	}{
		"phq2": {
			"Over the last 2 weeks, how often have you been bothered by any of the following problems?", often,
			[]string{"Little interest or pleasure in doing things", "Feeling down, depressed, or hopeless"},
		},
		"phq8": {
			"Over the last 2 weeks, how often have you been bothered by any of the following problems?", often,
			[]string{
				"Little interest or pleasure in doing things", "Feeling down, depressed, or hopeless",
				"Trouble falling or staying asleep, or sleeping too much", "Feeling tired or having little energy",
				"Poor appetite or overeating",
				"Feeling bad about yourself - or that you are a failure or have let yourself or your family down",
				"Trouble concentrating on things, such as reading the newspaper or watching television",
				"Moving or speaking so slowly that other people could have noticed. Or the opposite - being so fidgety or restless " +
					"that you have been moving around a lot more than usual",
			},
		},
		"gad2": {
			"Over the last 2 weeks, how often have you been bothered by the following problems?", often,
			[]string{"Feeling nervous, anxious or on edge", "Not being able to stop or control worrying"},
		},
		"ucla3": {
			"The next questions are about how you feel about different aspects of your life. For each one, tell me how often you feel that way.",
			"Hardly ever, some of the time, or often?",
			[]string{"How often do you feel that you lack companionship?", "How often do you feel left out?", "How often do you feel isolated from others?"},
		},
		"steadi3": {"", "", []string{"Have you fallen in the past year?", "Do you feel unsteady when standing or walking?", "Do you worry about falling?"}},
		"frail": {
			"", "All of the time, most of the time, some of the time, a little of the time, or none of the time?",
			[]string{
				"How much of the time during the past 4 weeks did you feel tired?",
				"By yourself and not using aids, do you have any difficulty walking up 10 steps without resting?",
				"By yourself and not using aids, do you have any difficulty walking several hundred yards?",
				"Did a doctor ever tell you that you have any of these, and how many of them? Hypertension, diabetes, cancer other than a " +
					"minor skin cancer, chronic lung disease, heart attack, congestive heart failure, angina, asthma, arthritis, stroke, and kidney disease.",
				"How much do you weigh with your clothes on but without shoes?",
				"One year ago, in {a year ago}, how much did you weigh without your shoes and with your clothes on?",
			},
		},
	}
	for _, p := range library(t).Packs() {
		if _, tested := tests[p.ID]; p.instrument() && !tested {
			t.Errorf("instrument %s has no words here", p.ID)
		}
	}
	for id, want := range tests {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			p := mustPack(t, id)
			if p.Intro+p.Stem != want.opening || p.Options != want.options {
				t.Errorf("opening %q, options %q", p.Intro+p.Stem, p.Options)
			}
			var items []string
			for _, it := range p.Items {
				items = append(items, it.Text)
			}
			if !slices.Equal(items, want.items) {
				t.Errorf("items are\n%q\nwant\n%q", items, want.items)
			}
		})
	}
}

// What may not be shipped: instruments that are sold, trained for, or claimed in
// court; and the question about self-harm, which needs a person at hand.
func TestNothingForbiddenIsShipped(t *testing.T) {
	t.Parallel()
	forbidden := regexp.MustCompile(`(?i)\b(t-?)?moca\b|montreal cognitive|\btics(-?m)?\b|telephone interview for cognitive|\bm?mmse\b|` +
		`mini-?mental|\bmmas\b|morisky|mini-?cog\b|\bspmsq\b|short portable|\bslums\b|\bgpcog\b|\brbans\b|` +
		`better off dead|hurting yourself|kill yourself|suicid|\bphq-?9\b`)
	entries, err := shipped.ReadDir("en")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		data, err := shipped.ReadFile("en/" + e.Name())
		if err != nil {
			t.Fatal(err)
		}
		if found := forbidden.FindAllString(string(data), -1); found != nil {
			t.Errorf("%s names %q", e.Name(), found)
		}
	}
}

func TestLOINCCheckDigits(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]bool{
		"55757-9": true, "55758-7": true, "44250-9": true, "106418-7": true, "8867-4": true,
		"55757-8": false, "55758-9": false, "": false, "LA6568-5": false, "55757": false, "5575a-9": false,
	} {
		if loinc(code) != want {
			t.Errorf("loinc(%q) is %v", code, !want)
		}
	}
}

const (
	goodDaily = `
id: daily
version: "1"
language: en
title: Daily
kind: daily
licence: ours
source: ours
leads: [Again.]
items:
`
	goodItem = `  - {id: q%, text: "Question %?", short: "Q %", alternatives: ["Again %?"], type: boolean, keypad: press}
`
)

func dailyFile(extra string) string {
	var b strings.Builder
	b.WriteString(goodDaily)
	for _, n := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		b.WriteString(strings.ReplaceAll(goodItem, "%", n))
	}
	return b.String() + extra
}

const goodScreen = `
id: mini
version: "1"
language: en
title: Mini
kind: screen
verbatim: true
licence: free
source: somebody
leads: [Again.]
cadence: {minDays: 7}
items:
  - {id: mini.one, text: One?, short: One, type: boolean, keypad: press}
  - {id: mini.two, text: Two?, short: Two, type: boolean, keypad: press}
scoring:
  method: sum
  cutoffs:
    - {at: 0, label: low, meaning: low}
    - {at: 1, label: high, meaning: high, positive: true}
`

func TestLoadReportsMistakes(t *testing.T) {
	t.Parallel()
	swap := func(old, replacement string) map[string]string {
		return map[string]string{"en/mini.yaml": strings.Replace(goodScreen, old, replacement, 1)}
	}
	item := func(line string) map[string]string {
		return map[string]string{"en/daily.yaml": dailyFile("  - " + line + "\n")}
	}
	tests := map[string]struct {
		files map[string]string
		want  []string
	}{
		"unknown field":       {swap("title:", "tittle:"), []string{"en/mini.yaml", "tittle"}},
		"not YAML":            {map[string]string{"en/mini.yaml": "id: ["}, []string{"en/mini.yaml"}},
		"wrong folder":        {map[string]string{"fr/mini.yaml": goodScreen}, []string{`folder "fr"`}},
		"wrong file":          {map[string]string{"en/maxi.yaml": goodScreen}, []string{`file "maxi.yaml"`}},
		"no licence":          {swap("licence: free", "licence:"), []string{"no licence"}},
		"several at once":     {swap("licence: free\nsource: somebody", "licence:\nsource:"), []string{"no licence", "no source"}},
		"not verbatim":        {swap("verbatim: true", "verbatim: false"), []string{"verbatim"}},
		"no cadence":          {swap("cadence: {minDays: 7}\n", ""), []string{"minDays"}},
		"unknown method":      {swap("method: sum", "method: guess"), []string{`"guess"`}},
		"cut-offs not rising": {swap("{at: 1,", "{at: 0,"), []string{"not above"}},
		"gap below":           {swap("{at: 0,", "{at: 1,"), []string{"starts at 0"}},
		"out of reach":        {swap("{at: 1,", "{at: 3,"), []string{"highest total is 2"}},
		"never positive":      {swap(", positive: true", ""), []string{"no positive"}},
		"leads nowhere":       {swap("positive: true", "positive: true, next: maxi"), []string{`"maxi"`}},
		"text has no points":  {swap("text: Two?, short: Two, type: boolean, keypad: press", "text: Two?, short: Two, type: text"), []string{"no points"}},
		"reworded instrument": {swap("text: One?,", "text: One?, alternatives: [Eins?],"), []string{"alternatives"}},
		"bad LOINC":           {swap("text: One?,", "text: One?, loinc: 55757-8,"), []string{"55757-8"}},
		"item twice":          {swap("mini.two", "mini.one"), []string{"twice"}},
		"scale too long":      {item(`{id: s, text: S?, short: S, alternatives: [A], type: scale, min: 1, max: 11, keypad: k}`), []string{"within 0 and 10"}},
		"no keypad":           {item(`{id: s, text: S?, short: S, alternatives: [A], type: scale, min: 1, max: 10}`), []string{"keypad"}},
		"one choice":          {item(`{id: s, text: S?, short: S, alternatives: [A], type: choice, choices: [{value: a, label: a}]}`), []string{"two choices"}},
		"same words again":    {item(`{id: s, text: S?, short: S, alternatives: [S?], type: text}`), []string{"the same"}},
		"no alternative":      {item(`{id: s, text: S?, short: S, type: text}`), []string{"no alternatives"}},
		"unknown type":        {item(`{id: s, text: S?, short: S, alternatives: [A], type: guess}`), []string{`"guess"`}},
		"bad rule": {
			item(`{id: s, text: S?, short: S, alternatives: [A], type: boolean, keypad: k, risky: {when: ">=7", readBack: R}}`),
			[]string{`">=7"`},
		},
		"rule never true": {
			item(`{id: s, text: S?, short: S, alternatives: [A], type: scale, min: 1, max: 10, keypad: k, risky: {when: ">10", readBack: R}}`),
			[]string{"never true"},
		},
		"three follow-ups": {
			item(`{id: s, text: S?, short: S, alternatives: [A], type: boolean, keypad: k, followUps: [{id: s.a, when: "yes", text: A, type: text}, ` +
				`{id: s.b, when: "yes", text: B, type: text}, {id: s.c, when: "yes", text: C, type: text}]}`),
			[]string{"at most 2"},
		},
		"profile field in daily": {item(`{id: s, text: S?, short: S, alternatives: [A], type: text, must: true}`), []string{"profile"}},
		"too few daily": {
			map[string]string{"en/daily.yaml": goodDaily + strings.ReplaceAll(goodItem, "%", "a")},
			[]string{"at least 8"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := map[string]string{"en/daily.yaml": dailyFile("")}
			maps.Copy(files, tt.files)
			_, err := LoadFS(tree(files))
			if err == nil {
				t.Fatal("it was accepted")
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("the error says\n%v\nwithout %q", err, want)
				}
			}
		})
	}
}

func TestLoadAcceptsGoodPacks(t *testing.T) {
	t.Parallel()
	if _, err := LoadFS(tree(map[string]string{"en/daily.yaml": dailyFile(""), "en/mini.yaml": goodScreen})); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadFS(tree(nil)); err == nil {
		t.Error("no packs at all were accepted")
	}
}

func TestSharedItemMustBeTheSame(t *testing.T) {
	t.Parallel()
	other := strings.NewReplacer("id: mini\n", "id: maxi\n", "One?", "Another?").Replace(goodScreen)
	_, err := LoadFS(tree(map[string]string{"en/daily.yaml": dailyFile(""), "en/mini.yaml": goodScreen, "en/maxi.yaml": other}))
	if err == nil || !strings.Contains(err.Error(), "mini.one is another question") {
		t.Errorf("error %v", err)
	}
}

func tree(files map[string]string) fstest.MapFS {
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return fsys
}
