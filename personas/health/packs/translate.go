package packs

import (
	"fmt"
	"slices"
)

// translation is a pack in another language. It has only words, by the ids of the English pack.
// Everything that decides what is asked and how it is scored comes from the English pack, so that
// no translation scores differently.
type translation struct {
	ID       string `yaml:"id"`
	Version  string `yaml:"version"`
	Language string `yaml:"language"`
	Title    string `yaml:"title"`
	Licence  string `yaml:"licence"`
	Source   string `yaml:"source"`
	Notes    string `yaml:"notes"`

	Intro   string              `yaml:"intro"`
	Stem    string              `yaml:"stem"`
	Options string              `yaml:"options"`
	Leads   []string            `yaml:"leads"`
	Keypad  map[Type]string     `yaml:"keypad"` // the offer of keys, by the type of item
	Terms   map[string][]string `yaml:"terms"`  // a condition or medicine in the English pack, as it is written in this language
	Items   map[string]wording  `yaml:"items"`

	// Shared holds values that several items refer to by a YAML alias.
	Shared any `yaml:"shared"`
}

// wording holds the words of an item or a follow-up.
type wording struct {
	Text         string             `yaml:"text"`
	Short        string             `yaml:"short"`
	Alternatives []string           `yaml:"alternatives"`
	Unit         string             `yaml:"unit"`
	Units        []string           `yaml:"units"`
	Topics       []string           `yaml:"topics"`
	Yes          []string           `yaml:"yes"`
	No           []string           `yaml:"no"`
	ReadBack     string             `yaml:"readBack"`
	Choices      map[string]label   `yaml:"choices"`   // by value
	Anchors      map[int]label      `yaml:"anchors"`   // by value
	FollowUps    map[string]wording `yaml:"followUps"` // by id: text, and alternatives for [FollowUp.Again]
}

// label names a choice or an anchor.
type label struct {
	Label string   `yaml:"label"`
	Words []string `yaml:"words"`
}

// of returns the English pack with its words replaced by those of the translation, and what is
// wrong with the translation. No English word is left to be spoken: a word without a translation is
// empty, and [Pack.check] reports it.
func (t translation) of(p Pack) (Pack, []error) {
	var m mistakes
	p.ID, p.Version, p.Language, p.Title = t.ID, t.Version, t.Language, t.Title
	p.Licence, p.Source, p.Notes = t.Licence, t.Source, t.Notes
	m.want((t.Intro == "") == (p.Intro == ""), "intro: in one language only")
	m.want((t.Stem == "") == (p.Stem == ""), "stem: in one language only")
	m.want((t.Options == "") == (p.Options == ""), "options: in one language only")
	p.Intro, p.Stem, p.Options, p.Leads = t.Intro, t.Stem, t.Options, t.Leads
	p.Items = slices.Clone(p.Items)
	for i := range p.Items {
		it := &p.Items[i]
		w := t.Items[it.ID]
		for _, err := range w.of(it) {
			m.add("item %s: %w", it.ID, err)
		}
		if it.Keypad != "" {
			it.Keypad = t.Keypad[it.Type]
		}
		it.When = t.reasons(it.When)
	}
	for id := range t.Items {
		_, ok := p.item(id)
		m.want(ok, "item %s: not in the English pack", id)
	}
	return p, m
}

// of replaces the words of an item.
func (w wording) of(it *Item) []error {
	var m mistakes
	same := func(what string, mine, english int) {
		m.want(mine == english, "%d %s, and %d in English", mine, what, english)
	}
	same("units", len(w.Units), len(it.Units))
	m.want((w.Unit == "") == (it.Unit == ""), "unit: in one language only")
	m.want((len(w.Topics) == 0) == (len(it.Topics) == 0), "topics: in one language only")
	same("choices", len(w.Choices), len(it.Choices))
	same("anchors", len(w.Anchors), len(it.Anchors))
	same("follow-ups", len(w.FollowUps), len(it.FollowUps))
	it.Text, it.Short, it.Alternatives = w.Text, w.Short, w.Alternatives
	it.Unit, it.Units, it.Topics, it.Yes, it.No = w.Unit, w.Units, w.Topics, w.Yes, w.No
	it.Choices, it.Anchors, it.FollowUps = slices.Clone(it.Choices), slices.Clone(it.Anchors), slices.Clone(it.FollowUps)
	for i := range it.Choices {
		l := w.Choices[it.Choices[i].Value]
		it.Choices[i].Label, it.Choices[i].Words = l.Label, l.Words
	}
	for i := range it.Anchors {
		l := w.Anchors[it.Anchors[i].Value]
		it.Anchors[i].Label, it.Anchors[i].Words = l.Label, l.Words
	}
	for i := range it.FollowUps {
		f := w.FollowUps[it.FollowUps[i].ID]
		it.FollowUps[i].Text, it.FollowUps[i].Again = f.Text, f.Alternatives
	}
	if it.Risky != nil {
		it.Risky = &Risky{When: it.Risky.When, ReadBack: w.ReadBack}
	}
	return m
}

// reasons adds the names of conditions and medicines in this language to the English ones: a
// profile may contain either.
func (t translation) reasons(all []When) []When {
	with := func(terms []string) []string {
		out := slices.Clone(terms)
		for _, term := range terms {
			out = append(out, t.Terms[term]...)
		}
		return out
	}
	all = slices.Clone(all)
	for i := range all {
		all[i].Conditions, all[i].Medications = with(all[i].Conditions), with(all[i].Medications)
	}
	return all
}

// english returns the English pack with the given id.
func (l *Library) english(id string) (Pack, error) {
	for _, p := range l.packs {
		if p.ID == id && p.Language == fallbackLanguage {
			return p, nil
		}
	}
	return Pack{}, fmt.Errorf("there is no English pack %q", id)
}
