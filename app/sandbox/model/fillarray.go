package model

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
)

// An item is what one element of a list is about.
type item struct {
	focus  string
	topic  *topic
	person *named
}

// maxListed is how many elements a list gets when its schema sets no bound.
const maxListed = 8

// array appends a list: one element for each thing in the scene that the
// field's name asks for, and as many more as the schema demands.
func (f *filler) array(out []byte, s *schema, fd field, depth int) ([]byte, error) {
	if s.MaxItems >= 0 && s.MinItems > s.MaxItems {
		return nil, errNever
	}
	out = append(out, '[')
	l := &list{f: f, out: out, s: s}
	for i, p := range s.Prefix {
		if err := l.add(p, field{name: fd.name, index: i, listed: true}, depth); err != nil {
			return nil, err
		}
	}
	element := s.Items
	if element == nil {
		element = &schema{MaxLength: -1, MaxItems: -1}
	}
	if f.circular(element) && s.MinItems <= l.n {
		return append(l.out, ']'), nil
	}
	for i, it := range f.items(element, fd) {
		if (s.MaxItems >= 0 && l.n >= s.MaxItems) || l.n >= max(maxListed, s.MinItems) || depth > maxSchemaDepth {
			break
		}
		inner := field{name: singular(fd.name), focus: it.focus, topic: it.topic, person: it.person, index: i, listed: true}
		if err := l.add(element, inner, depth); err != nil {
			break // what cannot be filled is left out; the demand is checked below
		}
	}
	for tries := 0; l.n < s.MinItems; tries++ {
		before := l.n
		if err := l.add(element, field{name: singular(fd.name), index: l.n + tries, listed: true}, depth); err != nil {
			return nil, err
		}
		if l.n == before && !l.addUnique(element, tries) {
			return nil, errNever
		}
	}
	return append(l.out, ']'), nil
}

// list appends elements, and keeps out the second of two that are equal where
// they must differ.
type list struct {
	f    *filler
	s    *schema
	out  []byte
	n    int
	seen [][]byte
}

func (l *list) add(element *schema, fd field, depth int) error {
	got, err := l.f.value(nil, element, fd, depth+1)
	if err != nil {
		return err
	}
	l.put(got)
	return nil
}

func (l *list) put(got []byte) {
	repeated := slices.ContainsFunc(l.seen, func(b []byte) bool { return bytes.Equal(b, got) })
	if repeated && (l.s.Unique || l.n >= l.s.MinItems) {
		return
	}
	l.seen = append(l.seen, got)
	if l.n > 0 {
		l.out = append(l.out, ',')
	}
	l.out = append(l.out, got...)
	l.n++
}

// addUnique tries values that were not said, for a list that needs more
// different elements than the scene has.
func (l *list) addUnique(element *schema, try int) bool {
	before := l.n
	element, pushed := l.f.resolve(element)
	defer func() { l.f.refs = l.f.refs[:len(l.f.refs)-pushed] }()
	if try > 1000 || element.never || len(element.AnyOf) > 0 {
		return false
	}
	for _, v := range element.Enum {
		if l.n == before && element.admits(v) {
			l.put(bytes.TrimSpace(v))
		}
	}
	switch {
	case l.n > before:
	case len(element.Enum) > 0:
	case slices.Contains(element.Types, "integer"), slices.Contains(element.Types, "number"):
		for k := range 2 * maxListed * (try + 1) {
			if n, ok := element.fitNumber(float64(k), true); ok && l.n == before {
				l.put(strconv.AppendInt(nil, int64(n), 10))
			}
		}
	case l.f.kindOf(element, field{}) == "string":
		if text, err := element.fitString(strconv.Itoa(l.n+try) + " more"); err == nil {
			l.put(appendQuoted(nil, text))
		}
	}
	return l.n > before
}

// singular turns the name of a list into that of an element.
func singular(name string) string {
	switch {
	case strings.HasSuffix(strings.ToLower(name), "people"):
		return name[:len(name)-len("people")] + "person"
	case strings.HasSuffix(name, "ies"):
		return name[:len(name)-3] + "y"
	case strings.HasSuffix(name, "ss"):
		return name
	default:
		return strings.TrimSuffix(name, "s")
	}
}

// items lists what a list is about, by its name and the type of its elements.
func (f *filler) items(element *schema, fd field) []item {
	if fd.focus != "" && !fd.is("topic", "tag", "keyword", "person", "people", "name", "entity", "entities") {
		return []item{{focus: fd.focus, topic: fd.topic, person: fd.person}}
	}
	if element, pushed := f.resolve(element); len(element.Enum) > 0 {
		f.refs = f.refs[:len(f.refs)-pushed]
		return f.enumItems(element, fd)
	}
	switch {
	case fd.is("topic", "tag", "keyword", "theme", "subject", "interest", "label"):
		return f.topicItems(func(topic) bool { return true })
	case fd.is("people", "person", "name", "contact", "relative", "family", "friend"):
		return f.nameItems(func(n named) bool { return !n.pet })
	case fd.is("pet", "animal"):
		return f.nameItems(func(n named) bool { return n.pet })
	case fd.is("entity", "entities", "mention", "node"):
		return append(f.nameItems(func(named) bool { return true }), f.topicItems(func(t topic) bool { return t.name == nil })...)
	case fd.is("symptom", "complaint", "condition", "health", "ailment", "concern", "worry", "worries"):
		return f.topicItems(func(t topic) bool { return heavyCategories[t.category] })
	case fd.is("medication", "medicine", "drug", "pill"):
		return f.matchItems(medicineIn.FindAllString(f.source(fd), -1))
	case fd.is("action", "follow", "followup", "promise", "plan", "task", "reminder", "event", "appointment"):
		return f.sentenceItems(isPlan)
	case fd.is("alert", "red", "flag", "emergency"):
		return f.sentenceItems(func(s string) bool { return isCrisis(s) || hasAny(s, "fell", "fallen", "fainted", "collapsed") })
	case fd.is("question", "suggestion", "prompt"):
		return []item{{}}
	case slices.Contains(element.Types, "number") || slices.Contains(element.Types, "integer"):
		return f.numberItems(fd)
	case fd.is("fact", "memory", "memories", "highlight", "point", "quote", "statement", "item", "note", "moment", "key", "detail", "sentence", "memorable", "insight", "answer"):
		return f.sentenceItems(func(string) bool { return true })
	}
	return f.sentenceItems(func(s string) bool { return f.likeness(fd.about(), s) > fitsAsked || sharesWord(spaced(fd.name), s) })
}

func (f *filler) topicItems(keep func(topic) bool) []item {
	var out []item
	for i := range f.topics {
		if t := &f.topics[i]; keep(*t) {
			out = append(out, item{focus: t.sentence, topic: t, person: t.name})
		}
	}
	return out
}

func (f *filler) nameItems(keep func(named) bool) []item {
	var out []item
	for i := range f.topics {
		if n := f.topics[i].name; n != nil && keep(*n) {
			out = append(out, item{focus: f.topics[i].sentence, person: n})
		}
	}
	return out
}

func (f *filler) sentenceItems(keep func(string) bool) []item {
	var out []item
	for _, s := range heaviest(f.facts(), maxListed) {
		if keep(s) {
			out = append(out, item{focus: s})
		}
	}
	return out
}

func (f *filler) matchItems(found []string) []item {
	var out []item
	for _, m := range found {
		out = append(out, item{focus: m})
	}
	return out
}

func (f *filler) numberItems(fd field) []item {
	var out []item
	for _, n := range numbersIn(f.source(fd)) {
		out = append(out, item{focus: strconv.FormatFloat(n, 'g', -1, 64)})
	}
	return out
}

// enumItems gives an item to each value that somebody spoke of.
func (f *filler) enumItems(element *schema, fd field) []item {
	var out []item
	for _, v := range element.Enum {
		t := textOfJSON(v)
		if t == "" {
			continue
		}
		for _, s := range f.said {
			if hasAny(s, t) || f.likeness(t, s) > recallFits {
				out = append(out, item{focus: t, topic: fd.topic})
				break
			}
		}
	}
	return out
}

// recallFits is the likeness of a single word to a sentence about it.
const recallFits = 0.4

// isPlan reports whether a sentence speaks of what is to come.
func isPlan(s string) bool {
	return hasAny(s, "tomorrow", "next week", "next month", "going to", "ill", "will", "on monday", "on tuesday", "on wednesday", "on thursday", "on friday",
		"on saturday", "on sunday", "appointment", "plan to", "want to", "i must", "i should", "have to", "is coming", "are coming")
}
