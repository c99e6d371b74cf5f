package reader

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Lexicon holds the cues of one language: what the files of its folder in cues say. It is
// built once and not changed.
type Lexicon struct {
	words         map[string]*word
	contract      map[string]string
	joined        map[[2]string]string // two words that are one
	decline, skip *grammar
	endings       map[endings][]string
	units         map[string]unit
	alike         map[string]string // counted things taken for each other
	groups        []group           // synonyms for choices
	grades        grades            // words for good and bad, for scales
	themes        []theme
}

// word is one that some class holds or some phrase begins with.
type word struct {
	sets   [6]uint64 // by class, one bit
	values map[values]int
	node
}

// node is a place in the tree of all phrases.
type node struct {
	next map[string]*node
	ends []phraseEnd
}

// phraseEnd is a class that has the phrase which ends here, and the phrase's value.
type phraseEnd struct {
	class phrases
	value string
}

// span is a phrase that was said.
type span struct {
	phraseEnd
	n int // words
}

// unit is a measure: how many of the base unit of its dimension it holds.
type unit struct {
	dim    string
	factor float64
	// code is how it is recorded. Empty: only where the question has a unit.
	code string
}

// group is a set of phrases that mean the same choice, for whichever option has one of
// the keys in its value or words.
type group struct {
	keys   map[string]bool
	topics set // the phrases are said of these alone; zero: of anything
	words  phrases
}

// grades are words for good and bad, and where on a scale they stand: by its direction,
// the share of the way from its lowest value to its highest.
type grades struct {
	options []Option
	share   map[string]map[Direction]float64 // by the option's value
}

// theme holds what people say of one subject instead of yes and no. The event
// is what a question about the subject usually asks for: medicines taken, a
// fall, being short of breath.
type theme struct {
	name    string
	topics  set     // a question or a clause with one of these is about it
	did     phrases // the event happened; the speaker is the subject
	didnt   phrases
	idioms  phrases // the same verbs, meaning something else
	states  phrases // whole statements, whoever the subject is: yes, it happened
	things  set     // what one has had when it happened: "I had some toast"
	parts   set     // what is fine or bad: "my breathing's been fine"
	objects bool    // what follows a verb has to be the theme's: "took them", not "took the bus"
	symptom bool    // "a little" is a yes
	task    bool    // "I'm just about to" is a no; "all but one" is a no
	vague   bool    // its statements may be about anything: "both of them"
}

//go:embed cues
var cueFiles embed.FS

var (
	languages = loadLanguages()
	wordless  = &Lexicon{}
)

// For is the lexicon for a language tag: English for "" and "en-…". For a language
// without cues it is one without words, which reads digits and keys alone.
func For(locale string) *Lexicon {
	tag, _, _ := strings.Cut(strings.ToLower(locale), "-")
	tag, _, _ = strings.Cut(tag, "_")
	if tag == "" {
		tag = "en"
	}
	if lx := languages[tag]; lx != nil {
		return lx
	}
	return wordless
}

// loadLanguages reads all that is embedded. A mistake there is one of this build.
func loadLanguages() map[string]*Lexicon {
	folders, err := cueFiles.ReadDir("cues")
	if err != nil {
		panic(err)
	}
	out := map[string]*Lexicon{}
	for _, d := range folders {
		folder, err := fs.Sub(cueFiles, path.Join("cues", d.Name()))
		if err == nil {
			out[d.Name()], err = load(folder)
		}
		if err != nil {
			panic(fmt.Errorf("reader: cues of %q: %w", d.Name(), err))
		}
	}
	return out
}

// section is a header of a cue file with the lines under it.
type section struct {
	where string   // file and line
	kind  string   // the header's first word
	name  string   // its second
	args  []string // the others
	head  string   // all behind the kind
	lines []string
}

// load reads the cue files of one language.
func load(files fs.FS) (*Lexicon, error) {
	names, err := fs.Glob(files, "*.cues")
	if err != nil {
		return nil, err
	}
	l := &loader{
		lx: &Lexicon{
			words: map[string]*word{}, contract: map[string]string{}, joined: map[[2]string]string{},
			endings: map[endings][]string{}, units: map[string]unit{}, alike: map[string]string{}, grades: grades{share: map[string]map[Direction]float64{}},
		},
		lists: map[string][]string{}, sets: cueCount.sets, phrases: cueCount.phrases,
	}
	var all []section
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		got, err := sections(name, string(text))
		if err != nil {
			return nil, err
		}
		all = append(all, got...)
	}
	for _, s := range all {
		if s.kind == "list" {
			l.lists[s.name] = s.items()
		}
	}
	for _, s := range all {
		if err := l.add(s); err != nil {
			return nil, fmt.Errorf("%s: %s %s: %w", s.where, s.kind, s.name, err)
		}
	}
	return l.lx, nil
}

// sections cuts a file at its headers, which begin a line and end in a colon. What is
// under one is indented; a line that begins with # is a comment.
func sections(file, text string) ([]section, error) {
	var out []section
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimRight(line, " \n")
		where := fmt.Sprintf("%s:%d", file, n)
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, " ") && len(out) > 0:
			last := &out[len(out)-1]
			last.lines = append(last.lines, strings.TrimSpace(line))
		default:
			head, ok := strings.CutSuffix(line, ":")
			fields := strings.Fields(head)
			if !ok || len(fields) < 2 {
				return nil, fmt.Errorf("%s: %q is no header", where, line)
			}
			_, rest, _ := strings.Cut(head, " ")
			out = append(out, section{where: where, kind: fields[0], name: fields[1], args: fields[2:], head: rest})
		}
	}
	return out, nil
}

// items are the phrases of a section, which commas part.
func (s section) items() []string {
	var out []string
	for item := range strings.SplitSeq(strings.Join(s.lines, " "), ",") {
		if words := strings.Fields(item); len(words) > 0 {
			out = append(out, strings.Join(words, " "))
		}
	}
	return out
}

// fields are the words of a section.
func (s section) fields() []string { return strings.Fields(strings.Join(s.lines, " ")) }

// loader fills a lexicon.
type loader struct {
	lx            *Lexicon
	lists         map[string][]string
	sets, phrases int // classes there are so far
	classes       string
}

func (l *loader) add(s section) error {
	switch s.kind {
	case "list": // was read before, for others to name
		return nil
	case "words":
		class, err := classOf[set](l, s.name)
		if err == nil {
			l.addWords(class, s.fields())
		}
		return err
	case "phrases":
		class, err := classOf[phrases](l, s.name)
		if err != nil {
			return err
		}
		return l.addPhrases(class, strings.Join(s.args, " "), s.items())
	case "values":
		return l.addValues(s)
	case "endings":
		class, err := classOf[endings](l, s.name)
		l.lx.endings[class] = s.fields()
		return err
	case "unit":
		return l.addUnit(s)
	case "alike":
		for _, w := range s.fields() {
			l.lx.alike[s.name+" "+w] = s.name
		}
		return nil
	case "group":
		return l.addGroup(s)
	case "grade":
		return l.addGrade(s)
	case "theme":
		return l.addTheme(s)
	case "classes":
		l.classes = strings.Join(s.lines, "\n")
		return nil
	case "rules":
		g, err := newGrammar(l.classes, strings.Join(s.lines, "\n"))
		switch s.name {
		case "decline":
			l.lx.decline = g
		case "skip":
			l.lx.skip = g
		default:
			return errors.New("nothing is read by such rules")
		}
		return err
	}
	return errors.New("no such kind of cue")
}

// classOf finds a class by its name: one that the rules speak of, or "medicine.did", one
// of a theme's.
func classOf[T set | phrases | values | endings](l *loader, name string) (T, error) {
	theme, part, ofTheme := strings.Cut(name, ".")
	if !ofTheme {
		class, ok := cueIDs[name].(T)
		if !ok {
			return 0, errors.New("no rule speaks of it")
		}
		return class, nil
	}
	for i := range l.lx.themes {
		if t := &l.lx.themes[i]; t.name == theme {
			p, ok := t.part(part).(*T)
			if !ok {
				return 0, errors.New("a theme has no such part")
			}
			if *p == 0 {
				*p = newClass[T](l)
			}
			return *p, nil
		}
	}
	return 0, errors.New("no theme has this name")
}

// newClass is a class that this language alone has.
func newClass[T set | phrases | values | endings](l *loader) T {
	var class T
	if _, ok := any(class).(set); ok {
		l.sets++
		return T(l.sets - 1)
	}
	l.phrases++
	return T(l.phrases - 1)
}

func (t *theme) part(name string) any {
	switch name {
	case "did":
		return &t.did
	case "didnt":
		return &t.didnt
	case "idioms":
		return &t.idioms
	case "states":
		return &t.states
	case "things":
		return &t.things
	case "parts":
		return &t.parts
	}
	return nil
}

// word is the entry of w.
func (l *loader) word(w string) *word {
	got := l.lx.words[w]
	if got == nil {
		got = &word{}
		l.lx.words[w] = got
	}
	return got
}

// addWords puts words into a class.
func (l *loader) addWords(class set, words []string) {
	for _, w := range words {
		l.word(w).sets[class/64] |= 1 << (class % 64)
	}
}

// addPhrases puts phrases into a class. One that is there already gets the new value; an
// item that begins with @ stands for a list.
func (l *loader) addPhrases(class phrases, value string, items []string) error {
	for _, item := range items {
		if name, ok := strings.CutPrefix(item, "@"); ok {
			list := l.lists[name]
			if list == nil {
				return fmt.Errorf("there is no list %s", name)
			}
			if err := l.addPhrases(class, value, list); err != nil {
				return err
			}
			continue
		}
		words := strings.Fields(item)
		n := &l.word(words[0]).node
		for _, w := range words[1:] {
			if n.next == nil {
				n.next = map[string]*node{}
			}
			if n.next[w] == nil {
				n.next[w] = &node{}
			}
			n = n.next[w]
		}
		n.end(class, value)
	}
	return nil
}

// end lets a phrase of the class end here.
func (n *node) end(class phrases, value string) {
	for i := range n.ends {
		if n.ends[i].class == class {
			n.ends[i].value = value
			return
		}
	}
	n.ends = append(n.ends, phraseEnd{class, value})
}

// addValues reads "one=1 two=2".
func (l *loader) addValues(s section) error {
	class, err := classOf[values](l, s.name)
	for _, f := range s.fields() {
		key, value, ok := strings.Cut(f, "=")
		if !ok {
			return fmt.Errorf("%q is not word=value", f)
		}
		switch class {
		case cue.Contract:
			l.lx.contract[key] = value
		case cue.Joined:
			first, second, _ := strings.Cut(key, "_")
			l.lx.joined[[2]string{first, second}] = value
		default:
			n, err := strconv.Atoi(value)
			if err != nil {
				return fmt.Errorf("%q: %w", f, err)
			}
			w := l.word(key)
			if w.values == nil {
				w.values = map[values]int{}
			}
			w.values[class] = n
		}
	}
	return err
}

// addUnit reads "unit DIMENSION FACTOR CODE", where - is no code.
func (l *loader) addUnit(s section) error {
	if len(s.args) != 2 {
		return errors.New("want a dimension, a factor and a code or -")
	}
	factor, err := strconv.ParseFloat(s.args[0], 64)
	u := unit{dim: s.name, factor: factor}
	names := s.fields()
	if s.args[1] != "-" {
		u.code = s.args[1]
		names = append(names, u.code)
	}
	for _, w := range names {
		l.lx.units[w] = u
	}
	return err
}

// addGroup reads "group KEY KEY | TOPIC TOPIC".
func (l *loader) addGroup(s section) error {
	keys, topics, _ := strings.Cut(s.head, "|")
	g := group{keys: map[string]bool{}, words: newClass[phrases](l)}
	for k := range strings.FieldsSeq(keys) {
		g.keys[k] = true
	}
	if strings.TrimSpace(topics) != "" {
		g.topics = newClass[set](l)
		l.addWords(g.topics, strings.Fields(topics))
	}
	l.lx.groups = append(l.lx.groups, g)
	return l.addPhrases(g.words, "", s.items())
}

// addGrade reads "grade NAME | NAME WHEN DENIED | SHARE OF WELL-BEING | SHARE OF TROUBLE".
func (l *loader) addGrade(s section) error {
	parts := strings.Split(s.head, "|")
	if len(parts) != 4 {
		return errors.New("want a name, the one it has when it is denied, and two shares")
	}
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	better, err := strconv.ParseFloat(parts[2], 64)
	if err != nil {
		return err
	}
	worse, err := strconv.ParseFloat(parts[3], 64)
	g := &l.lx.grades
	g.options = append(g.options, Option{Value: parts[0], Not: parts[1], Words: s.items()})
	g.share[parts[0]] = map[Direction]float64{HigherBetter: better, HigherWorse: worse}
	return err
}

// addTheme reads "theme NAME FLAG FLAG", with its topics.
func (l *loader) addTheme(s section) error {
	t := theme{name: s.name, topics: newClass[set](l)}
	for _, flag := range s.args {
		switch flag {
		case "objects":
			t.objects = true
		case "symptom":
			t.symptom = true
		case "task":
			t.task = true
		case "vague":
			t.vague = true
		default:
			return fmt.Errorf("no such flag: %s", flag)
		}
	}
	l.lx.themes = append(l.lx.themes, t)
	l.addWords(t.topics, s.fields())
	return nil
}

// join writes contractions in one way: "dont" and "do not" both become "don't".
func (lx *Lexicon) join(toks []token) []token {
	out := toks[:0]
	for _, t := range toks {
		if w, ok := lx.contract[t.text]; ok {
			t.text = w
		}
		if len(out) > 0 && t.pause == run {
			last := &out[len(out)-1]
			if w, ok := lx.joined[[2]string{last.text, t.text}]; ok {
				last.text, last.end, last.asked = w, t.end, t.asked
				continue
			}
		}
		out = append(out, t)
	}
	return out
}

// mark finds all that the cues say of the words: their classes, and the phrases that begin
// at each. Phrases do not reach over the end of a sentence.
func (lx *Lexicon) mark(toks []token) {
	var found []span
	for i := range toks {
		toks[i].word, toks[i].spans = lx.words[toks[i].text], nil
		if toks[i].word == nil {
			continue
		}
		from := len(found)
		for at, k := &toks[i].word.node, i; at != nil; {
			for _, e := range at.ends {
				found = append(found, span{e, k - i + 1})
			}
			if k++; k >= len(toks) || toks[k].pause == hard {
				break
			}
			at = at.next[toks[k].text]
		}
		toks[i].spans = found[from:len(found):len(found)]
	}
}

// ends reports whether a word has an ending of the class.
func (lx *Lexicon) ends(w string, class endings) bool {
	return slices.ContainsFunc(lx.endings[class], func(e string) bool { return strings.HasSuffix(w, e) })
}

// is reports whether a word is one of the class.
func (lx *Lexicon) is(w string, class set) bool { return lx.words[w].in(class) }

// in reports whether the word is one of the class.
func (w *word) in(class set) bool { return w != nil && w.sets[class/64]&(1<<(class%64)) != 0 }

// value is what the word stands for in the class.
func (lx *Lexicon) value(w string, class values) (int, bool) {
	e := lx.words[w]
	if e == nil {
		return 0, false
	}
	n, ok := e.values[class]
	return n, ok
}
