package packs

import (
	"fmt"
	"io/fs"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"
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
	ids := map[string][]string{}
	for _, p := range library(t).Packs() {
		ids[p.Language] = append(ids[p.Language], p.ID)
		if p.Licence == "" || p.Source == "" {
			t.Errorf("%s: no licence or source", p.ID)
		}
	}
	want := []string{"daily", "frail", "gad2", "phq2", "phq8", "profile", "steadi3", "ucla3"}
	for _, language := range []string{"en", "es"} {
		if !slices.Equal(ids[language], want) {
			t.Errorf("packs in %s are %q, want %q", language, ids[language], want)
		}
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
		`better off dead|hurting yourself|kill yourself|suicid|estaría mejor muert|lastimarse de alguna|\bphq-?9\b`)
	names, err := fs.Glob(shipped, "*/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		data, err := shipped.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			if found := forbidden.FindAllString(line, -1); found != nil && !strings.Contains(line, "Spanish for the United States") {
				t.Errorf("%s names %q", name, found)
			}
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
		"wrong folder":        {map[string]string{"en/mini.yaml": goodScreen, "fr/mini.yaml": strings.Replace(goodWords, "language: es", "language: de", 1)}, []string{`folder "fr"`}},
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

// goodWords is the mini screen in Spanish.
const goodWords = `
id: mini
version: "1"
language: es
title: Mini
licence: libre
source: alguien
leads: [Otra vez.]
keypad: {boolean: pulse}
items:
  mini.one: {text: ¿Uno?, short: Uno}
  mini.two: {text: ¿Dos?, short: Dos}
`

func TestLoadReportsMistakesInTranslations(t *testing.T) {
	t.Parallel()
	swap := func(old, replacement string) string { return strings.Replace(goodWords, old, replacement, 1) }
	for name, tt := range map[string]struct{ file, want string }{
		"good":                      {goodWords, ""},
		"no such pack":              {swap("id: mini", "id: maxi"), `no English pack "maxi"`},
		"scores by itself":          {goodWords + "scoring: {method: any}\n", "scoring"},
		"an item without words":     {swap("  mini.two: {text: ¿Dos?, short: Dos}\n", ""), "item mini.two: no text"},
		"an item of its own":        {goodWords + "  mini.tres: {text: ¿Tres?, short: Tres}\n", "mini.tres: not in the English pack"},
		"keys offered in English":   {swap("keypad: {boolean: pulse}\n", ""), "no keypad offer"},
		"a stem that English lacks": {goodWords + "stem: Dígame\n", "stem: in one language only"},
		"choices for yes and no":    {swap("short: Dos", "short: Dos, choices: {a: {label: A}}"), "1 choices, and 0 in English"},
		"no licence":                {swap("licence: libre\n", ""), "no licence"},
	} {
		_, err := LoadFS(tree(map[string]string{"en/daily.yaml": dailyFile(""), "en/mini.yaml": goodScreen, "es/mini.yaml": tt.file}))
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: the error is %v, want %q", name, err, tt.want)
		}
	}
}

// Whatever decides what is asked and how it counts is the same in every language, and
// no word that is spoken is left in English.
func TestTranslationsAskTheSame(t *testing.T) {
	t.Parallel()
	l := library(t)
	for _, p := range l.Packs() {
		english, ok := l.Pack(p.ID, "en")
		if !ok || p.Language == "en" {
			continue
		}
		if got, want := bare(p), bare(english); !reflect.DeepEqual(got, want) {
			t.Errorf("%s/%s differs from English in more than words:\n%+v\n%+v", p.Language, p.ID, got, want)
		}
		mine, theirs := spoken(p), spoken(english)
		for where, text := range mine {
			if text == theirs[where] && strings.Contains(text, " ") {
				t.Errorf("%s/%s: %s is %q in English too", p.Language, p.ID, where, text)
			}
		}
		for where := range theirs {
			if mine[where] == "" {
				t.Errorf("%s/%s has no %s", p.Language, p.ID, where)
			}
		}
	}
}

// bare is a pack without what is language.
func bare(p Pack) Pack {
	p.Version, p.Language, p.Title, p.Licence, p.Source, p.Notes = "", "", "", "", "", ""
	p.Intro, p.Stem, p.Options, p.Leads = "", "", "", nil
	p.Items = slices.Clone(p.Items)
	for i := range p.Items {
		it := &p.Items[i]
		it.Text, it.Short, it.Alternatives, it.Unit, it.Units, it.Keypad = "", "", nil, "", nil, ""
		it.Topics, it.Yes, it.No, it.When = nil, nil, nil, nil
		it.Choices, it.Anchors, it.FollowUps = slices.Clone(it.Choices), slices.Clone(it.Anchors), slices.Clone(it.FollowUps)
		for k := range it.Choices {
			it.Choices[k].Label, it.Choices[k].Words = "", nil
		}
		for k := range it.Anchors {
			it.Anchors[k].Label, it.Anchors[k].Words = "", nil
		}
		for k := range it.FollowUps {
			it.FollowUps[k].Text, it.FollowUps[k].Again, it.FollowUps[k].Keypad = "", nil, ""
		}
		if it.Risky != nil {
			it.Risky = &Risky{When: it.Risky.When}
		}
	}
	return p
}

// spoken are the sentences of a pack, and its words for answers, by where they stand.
func spoken(p Pack) map[string]string {
	out := map[string]string{"intro": p.Intro, "stem": p.Stem, "options": p.Options, "a lead": p.Leads[0]}
	for _, it := range p.Items {
		out[it.ID+" text"], out[it.ID+" short"], out[it.ID+" keypad"] = it.Text, it.Short, it.Keypad
		out[it.ID+" topics"] = strings.Join(it.Topics, ", ")
		for i, a := range it.Alternatives {
			out[fmt.Sprint(it.ID, " alternative ", i)] = a
		}
		for _, c := range it.Choices {
			out[it.ID+" "+c.Value], out[it.ID+" "+c.Value+" words"] = c.Label, strings.Join(c.Words, ", ")
		}
		for _, a := range it.Anchors {
			out[fmt.Sprint(it.ID, " anchor ", a.Value)] = a.Label + ", " + strings.Join(a.Words, ", ")
		}
		for _, f := range it.FollowUps {
			out[f.ID+" text"], out[f.ID+" again"], out[f.ID+" keypad"] = f.Text, strings.Join(f.Again, " "), f.Keypad
		}
		if it.Risky != nil {
			out[it.ID+" readBack"] = it.Risky.ReadBack
		}
	}
	maps.DeleteFunc(out, func(_, text string) bool { return text == "" })
	return out
}

// Who keeps a profile may write it in any language that is spoken.
func TestSpanishProfilesCallForTheSameQuestions(t *testing.T) {
	t.Parallel()
	l := library(t)
	ids := func(p Profile) (out []string) {
		for _, q := range l.additions(p, History{}, time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)) {
			out = append(out, q.ID)
		}
		return out
	}
	for _, tt := range []struct{ es, en Profile }{
		{Profile{Conditions: []string{"Insuficiencia cardíaca"}}, Profile{Conditions: []string{"heart failure"}}},
		{Profile{Conditions: []string{"EPOC, leve"}}, Profile{Conditions: []string{"COPD, mild"}}},
		{Profile{Conditions: []string{"artrosis de rodilla"}}, Profile{Conditions: []string{"osteoarthritis"}}},
		{Profile{Conditions: []string{"sin diabetes", "padre diabético (antecedentes familiares)"}}, Profile{Conditions: []string{"no diabetes"}}},
		{Profile{Conditions: []string{"dada de alta 2026-05-20"}}, Profile{Conditions: []string{"recent discharge 2026-05-20"}}},
		{Profile{Medications: []string{"losartán 50 mg por la mañana"}}, Profile{Medications: []string{"losartan 50 mg in the morning"}}},
		{Profile{Medications: []string{"paracetamol si hay dolor"}}, Profile{Medications: []string{"paracetamol if in pain"}}},
		{Profile{Medications: []string{"gotas para los ojos cada noche"}}, Profile{Medications: []string{"gotas para los ojos every evening"}}},
	} {
		tt.es.Language, tt.en.Language = "es-MX", "en"
		if got, want := ids(tt.es), ids(tt.en); !slices.Equal(got, want) {
			t.Errorf("%v %v: questions %q, in English %q", tt.es.Conditions, tt.es.Medications, got, want)
		}
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
