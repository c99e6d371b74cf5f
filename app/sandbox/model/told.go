package model

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/naiber/naiber/internal/english"
)

// A record is talk that was written down: for forms, and for summaries.
type record struct {
	Text  string
	Who   string // what the person is called
	Lines []line
}

// A line is what one side said in one turn. It has the number 0 where it bears none.
type line struct {
	N    int
	Ours bool // nAIber's
	Text string
}

var (
	recordLine = regexp.MustCompile(`(?m)^(?:\[(\d+)\] )?(nAIber|Person): (.*)$`)
	calledIn   = regexp.MustCompile(`(?m)^The person is called (.+?)\.`)
)

func readRecord(text string) record {
	r := record{Text: text, Who: "The person"}
	if m := calledIn.FindStringSubmatch(text); m != nil {
		r.Who = m[1]
	}
	for _, m := range recordLine.FindAllStringSubmatch(text, -1) {
		n, _ := strconv.Atoi(m[1])
		r.Lines = append(r.Lines, line{N: n, Ours: m[2] == "nAIber", Text: m[3]})
	}
	return r
}

// A sentence is one of a record.
type sentence struct {
	Text  string
	Turns []int
}

// Sentences are those of nAIber, or else of the person.
func (r record) Sentences(ours bool) []sentence {
	var out []sentence
	for _, l := range r.Lines {
		for _, s := range english.Sentences(l.Text) {
			if l.Ours == ours {
				out = append(out, sentence{said(s), []int{l.N}})
			}
		}
	}
	return out
}

// A named is a person or an animal with a name.
type named struct {
	Name  string // "Helen"
	Role  string // "daughter"; empty where nothing tells
	Pet   bool
	Turns []int
}

// Label is how one speaks of it: "daughter Helen".
func (n named) Label() string { return strings.TrimSpace(n.Role + " " + n.Name) }

const (
	kin     = `daughter|son|grandson|granddaughter|sister|brother|mother|father|niece|nephew|cousin|aunt|uncle|husband|wife|friend|neighbou?r|doctor|nurse|carer|partner`
	animals = `cat|dog|bird|budgie|canary|parrot|puppy|kitten|horse|pony|goldfish|terrier|spaniel|collie|tabby`
	proper  = `((?:(?:Dr|Mrs?|Ms)\. )?[A-Z][\p{L}-]*\p{Ll}(?: [A-Z][\p{L}-]*\p{Ll})?)`
)

var (
	roleThenName = regexp.MustCompile(`\b(?i:my|our|the) (?:[a-z]+ )??(` + kin + `|` + animals + `),? (?:is )?(?:called |named )?` + proper)
	nameThenRole = regexp.MustCompile(`\b` + proper + `(?:,| is) (?:my|our) (?:[a-z]+ )?(` + kin + `|` + animals + `)\b`)
	bareName     = regexp.MustCompile(`(?:^|([\p{L}']+)[,;]? )` + proper)
	animal       = regexp.MustCompile(`^(?:` + animals + `)$`)
	noName       = regexp.MustCompile(`^(?:I.*|\w+day|January|February|March|April|May|June|July|August|\w+ember|October|Christmas|Easter|God|Lord|Bible|English|Kirk)$`)
	atPlace      = regexp.MustCompile(`^(?i:in|at|from|near|to|into|around)$`)
	acting       = regexp.MustCompile(`^(?:'s)? (?:is|was|has|had|and|\w+ed|\w+s|came|will|rang|said|told|took|brought|sent|died|went)\b`)
)

// namesIn finds whom a text names, each once: those with a role first. A capital at
// the beginning of a sentence is a name where somebody does something ("Ruth brings
// soup"); one after "in" or "from" is a place.
func namesIn(text string) []named {
	var out []named
	add := func(name, role string) {
		if !noName.MatchString(name) && !empty(name) && !slices.ContainsFunc(out, func(n named) bool { return n.Name == name }) {
			out = append(out, named{Name: name, Role: role, Pet: animal.MatchString(role)})
		}
	}
	for _, m := range roleThenName.FindAllStringSubmatch(text, -1) {
		add(m[2], m[1])
	}
	for _, m := range nameThenRole.FindAllStringSubmatch(text, -1) {
		add(m[1], m[2])
	}
	for _, s := range english.Sentences(text) {
		for _, m := range bareName.FindAllStringSubmatchIndex(s, -1) {
			name := s[m[4]:m[5]]
			if (m[2] >= 0 || acting.MatchString(s[m[5]:])) && (m[2] < 0 || !atPlace.MatchString(s[m[2]:m[3]])) {
				add(name, "")
			}
		}
	}
	return out
}

// Names are whom the person named.
func (r record) Names() []named {
	var out []named
	for _, l := range r.Lines {
		if l.Ours {
			continue
		}
		for _, n := range namesIn(l.Text) {
			i := slices.IndexFunc(out, func(o named) bool { return o.Name == n.Name })
			if i < 0 {
				i, out = len(out), append(out, n)
			}
			out[i].Role = cmp.Or(out[i].Role, n.Role)
			out[i].Pet = out[i].Pet || n.Pet
			out[i].Turns = append(out[i].Turns, l.N)
		}
	}
	return out
}

// A topic is something that the person spoke of.
type topic struct {
	Label  string // "daughter Helen", "knee"
	Count  int    // sentences that speak of it
	weight int
}

var introduced = regexp.MustCompile(`(?i)\b(?:this is|i'm|i am|name is) $|\b(?:speaking|here)$`)

// Topics are what the person talked about, the weightiest first.
func (r record) Topics() []topic {
	return r.topicsOf(slices.DeleteFunc(r.Sentences(false), func(s sentence) bool { return idle(s.Text) }))
}

func (r record) topicsOf(list []sentence) []topic {
	var out []topic
	count := func(label string, weight int) {
		if i := slices.IndexFunc(out, func(t topic) bool { return t.Label == label }); i >= 0 {
			out[i].Count++
			return
		}
		out = append(out, topic{label, 1, weight})
	}
	for _, s := range list {
		roles := map[string]bool{}
		for _, n := range namesIn(s.Text) {
			before, _, _ := strings.Cut(s.Text, n.Name)
			if !strings.Contains(r.Who, n.Name) && !introduced.MatchString(before) {
				count(n.Label(), 3)
			}
			roles[n.Role] = true
		}
		words := wordsOf(s.Text)
		for _, h := range theLexicon().find(words) {
			if weight := theTalk().Subjects[h.senses[0].category].Weight; weight > 0 && !roles[words[h.at].text] {
				count(spoken(words[h.at:h.at+h.n]), weight)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b topic) int { return cmp.Compare(b.Count*b.weight, a.Count*a.weight) })
	return out
}

// spoken are words as they were said, in small letters.
func spoken(words []word) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = w.text
	}
	return strings.Join(out, " ")
}

// Latest is the last topic before the last line.
func (r record) Latest() string {
	for _, l := range slices.Backward(r.Lines[:max(0, len(r.Lines)-1)]) {
		if t := r.topicsOf([]sentence{{Text: l.Text}}); len(t) > 0 {
			return t[0].Label
		}
	}
	return ""
}

// A fact is something that the person told of their life, in their own words.
type fact struct {
	sentence

	Topic string
}

// fewestWords are what tells something.
const fewestWords = 4

var (
	opening = regexp.MustCompile(`^(?i:(?:well|oh|yes|no|yeah|hello|you know|actually|now|and|but|so|ah|um)[,.]? +)+`)
	address = regexp.MustCompile(`(?i),?\s*\b(?:my )?(?:dear|mija|lass|darling|dearie)\b`)
	goesOn  = regexp.MustCompile(`^(?:He|She|They|It)\b`)
	oneself = regexp.MustCompile(`(?i)\b(?:i|i'm|i've|i'll|i'd|my|we|we're|we've|our|me|us)\b`)
	plain   = strings.NewReplacer("’", "'", "“", `"`, "”", `"`)
)

// said is a sentence without what only begins it or addresses the listener.
func said(s string) string {
	return upperFirst(address.ReplaceAllString(opening.ReplaceAllString(strings.TrimSpace(plain.Replace(s)), ""), ""))
}

// idle reports whether a sentence is an answer, a request or a phrase.
func idle(s string) bool {
	return slices.ContainsFunc(theTalk().Idle, func(p pattern) bool { return p.MatchString(s) })
}

// tells reports whether a sentence is none of these, and no question.
func tells(s string) bool { return !strings.HasSuffix(s, "?") && !idle(s) }

// Facts are the sentences in which the person tells of their life: those that name
// somebody, or in which they speak of themselves. "He broke his hip" stays with the
// sentence before it.
func (r record) Facts() []fact {
	var out []fact
	open := false // the sentence before is the last of out
	for _, s := range r.Sentences(false) {
		switch {
		case !tells(s.Text), slices.ContainsFunc(out, func(f fact) bool { return f.Text == s.Text }):
			open = false
		case open && goesOn.MatchString(s.Text):
			last := &out[len(out)-1]
			last.Text += " " + s.Text
			last.Turns = slices.Compact(append(last.Turns, s.Turns...))
		case !goesOn.MatchString(s.Text) && len(strings.Fields(s.Text)) >= fewestWords && (oneself.MatchString(s.Text) || len(namesIn(s.Text)) > 0):
			f := fact{sentence: s}
			if t := r.topicsOf([]sentence{s}); len(t) > 0 {
				f.Topic = t[0].Label
			}
			out, open = append(out, f), true
		default:
			open = false
		}
	}
	return out
}

// Before is the end of what a record begins with as its summary so far.
func (r record) Before() string {
	const most = 8
	before, _, _ := strings.Cut(r.Text, "TRANSCRIPT\n")
	var out []string
	for l := range strings.Lines(before) {
		l = strings.TrimSpace(l)
		heading := strings.HasPrefix(l, "[") || strings.HasSuffix(l, ":") || strings.HasPrefix(l, "SUMMARY")
		if !heading && !calledIn.MatchString(l) && !recordLine.MatchString(l) {
			out = append(out, english.Sentences(l)...)
		}
	}
	return strings.Join(out[max(0, len(out)-most):], " ")
}

// Told are the first facts, one after the other.
func (r record) Told() string {
	const most = 4
	var out []string
	for _, f := range r.Facts() {
		if len(out) < most {
			out = append(out, strings.TrimRight(f.Text, ".!")+".")
		}
	}
	return strings.Join(out, " ")
}
