package tasks

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// leastForms is the least number of forms of a task that is put at every check, so that no form
// comes back soon. Questions with one true answer a day need no forms.
const leastForms = 6

var (
	ident    = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
	oneToEnd = regexp.MustCompile(`^[1-9]+$`) // zero has too many names
)

// mistakes collects errors, each with its place.
type mistakes []error

func (m *mistakes) want(ok bool, format string, args ...any) {
	if !ok {
		*m = append(*m, fmt.Errorf(format, args...))
	}
}

// check returns everything that is wrong with a task.
func (t Task) check() []error {
	var m mistakes
	m.want(slices.Contains(order, t.ID), "id: it has no place in the order of a check")
	for name, text := range map[string]string{
		"version": t.Version, "title": t.Title, "licence": t.Licence, "source": t.Source, "method": t.Method, "norm": t.Norm, "lead": t.Lead,
	} {
		m.want(strings.TrimSpace(text) != "", "no %s", name)
	}
	m.want(slices.Contains([]string{"memory", "attention", "language", "orientation", "reasoning"}, t.Domain), "unknown domain %q", t.Domain)
	m.want(t.Rule == Sum || t.Rule == Longest, "unknown rule %q", t.Rule)
	m.want(t.SD > 0 && t.Practice >= 0 && t.EveryDays >= 0 && t.Seconds > 0, "sd and seconds are above 0, practice and everyDays not below")
	m.want(len(t.Forms) > 0, "no forms")
	if len(t.Forms) == 0 {
		return m
	}
	m.want(len(t.Forms) >= leastForms || t.allQuestions(), "%d forms: at least %d", len(t.Forms), leastForms)
	forms, words := map[string]bool{}, map[string]string{}
	for _, f := range t.Forms {
		m.want(ident.MatchString(f.ID) && !forms[f.ID], "form %q: not an id, or twice", f.ID)
		forms[f.ID] = true
		m.want(t.Max == f.highest(t.Rule), "form %s: items come to %d, max is %d", f.ID, f.highest(t.Rule), t.Max)
		m.want(slices.EqualFunc(f.Items, t.Forms[0].Items, Item.like), "form %s: items are not like those of form %s", f.ID, t.Forms[0].ID)
		items := map[string]bool{}
		for _, it := range f.Items {
			m.want(ident.MatchString(it.ID) && !items[it.ID], "form %s: item %q: not an id, or twice", f.ID, it.ID)
			items[it.ID] = true
			for _, err := range it.check(f) {
				m = append(m, fmt.Errorf("form %s: item %s: %w", f.ID, it.ID, err))
			}
			for _, w := range it.content() {
				m.want(words[w] == "", "form %s: %q is in form %s too", f.ID, w, words[w])
				words[w] = f.ID
			}
		}
	}
	return m
}

func (t Task) allQuestions() bool {
	return !slices.ContainsFunc(t.Forms[0].Items, func(it Item) bool { return it.Kind != Question })
}

// highest returns the score of a form in which everything is right; 0: open ended.
func (f Form) highest(r Rule) int {
	n := 0
	for _, it := range f.Items {
		if r == Longest {
			n = max(n, it.Level)
		} else {
			n += it.Max
		}
	}
	return n
}

// content returns what an item must not share with other items of its task.
func (it Item) content() []string {
	switch it.Kind {
	case Register:
		return it.Words
	case Digits:
		return []string{it.Digits}
	case Fluency:
		return []string{it.Category + it.Letter}
	case Story, Reason:
		if !it.Later {
			return []string{it.Say}
		}
	case Recall, Question:
	}
	return nil
}

// like reports whether two items are equally hard, as far as their figures tell.
func (it Item) like(o Item) bool {
	return it.ID == o.ID && it.Kind == o.Kind && it.Max == o.Max && it.Level == o.Level && it.Backward == o.Backward &&
		it.Seconds == o.Seconds && len(it.Words) == len(o.Words)
}

// check returns everything that is wrong with an item of f.
func (it Item) check(f Form) []error {
	var m mistakes
	m.want(strings.TrimSpace(it.Say) != "", "nothing to say")
	switch it.Kind {
	case Register:
		m.want(len(it.Words) > 0 && it.Max == 0, "words are wanted, and no points")
		for _, w := range it.Words {
			m.want(strings.Contains(strings.ToLower(it.Say), w+"."), "%q is not said by itself", w)
		}
	case Recall:
		of, ok := f.Item(it.Of)
		m.want(ok && of.Kind == Register && it.Max == len(of.Words), "of %q: want a register item with as many words as max", it.Of)
	case Question:
		m.want(slices.Contains(asks, it.Ask) && it.Max == 1, "ask %q: unknown, or max is not 1", it.Ask)
	case Digits:
		m.want(oneToEnd.MatchString(it.Digits) && len(it.Digits) == it.Level && it.Max == 1, "digits %q: want as many as the level, of 1 to 9, and max 1", it.Digits)
		for i := 1; i < len(it.Digits); i++ {
			d := int(it.Digits[i]) - int(it.Digits[i-1])
			m.want(d < -1 || d > 1, "digits %q: %s is easy", it.Digits, it.Digits[i-1:i+1])
		}
	case Fluency:
		m.want((it.Category != "") != (len(it.Letter) == 1) && it.Seconds > 0 && it.Max == 0, "want a category or a letter, seconds, and no max")
	case Story, Reason:
		it.checkIdeas(&m)
	default:
		m.want(false, "unknown kind %q", it.Kind)
	}
	m.want((it.Kind == Story || it.Kind == Reason) == (len(it.Ideas) > 0), "ideas are for stories and reasons")
	return m
}

func (it Item) checkIdeas(m *mistakes) {
	sum, best := 0, 0
	ids, wordings := map[string]bool{}, map[string]bool{}
	for _, i := range it.Ideas {
		sum, best = sum+i.Worth(), max(best, i.Worth())
		m.want(ident.MatchString(i.ID) && !ids[i.ID], "idea %q: not an id, or twice", i.ID)
		ids[i.ID] = true
		m.want(len(i.Any) > 0, "idea %s: no wordings", i.ID)
		for _, w := range i.Any {
			m.want(strings.TrimSpace(w) != "" && !wordings[w], "idea %s: wording %q: empty, or twice", i.ID, w)
			wordings[w] = true
		}
	}
	if it.Kind == Story {
		m.want(it.Max == sum, "ideas come to %d, max is %d", sum, it.Max)
		return
	}
	m.want(it.Max == best, "the best idea gives %d, max is %d", best, it.Max)
}
