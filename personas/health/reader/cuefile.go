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

//go:embed cues
var cueFiles embed.FS

// loadLanguages reads all embedded cues, by language. It panics if they have a mistake, which only
// a change of this package can introduce.
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
	name  string   // the header's second word
	args  []string // the header's other words
	head  string   // the header without its first word
	lines []string
}

// load reads the cue files of one language.
func load(files fs.FS) (*Lexicon, error) {
	names, err := fs.Glob(files, "*.cues")
	if err != nil {
		return nil, err
	}
	l := &loader{
		Lexicon: &Lexicon{
			words: map[string]*word{}, endings: map[class][]string{}, units: map[string]unit{}, alike: map[string]string{}, keyed: map[string][]int{},
			grades: grades{share: map[string]map[Direction]float64{}},
		},
		lists: map[string][]string{}, last: class(len(cueNames)), //nolint:gosec // some hundreds
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
		if s.kind == "words" && s.name == "accented" {
			l.accented = wordsOf(strings.Join(s.lines, " "))
		}
	}
	for i := range all {
		s := &all[i]
		s.name, s.head = l.plainText(s.name), l.plainText(s.head)
		for _, lines := range [][]string{s.args, s.lines} {
			for k := range lines {
				lines[k] = l.plainText(lines[k])
			}
		}
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
	return l.Lexicon, nil
}

// sections cuts a file at its headers, which are not indented and end in a colon. The lines under a
// header are indented; a line that begins with # is a comment.
func sections(file, text string) ([]section, error) {
	var out []section
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimRight(line, " \n")
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, " ") && len(out) > 0:
			last := &out[len(out)-1]
			last.lines = append(last.lines, strings.TrimSpace(line))
		default:
			where := fmt.Sprintf("%s:%d", file, n)
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

// items returns the phrases of a section, which are separated by commas.
func (s section) items() []string {
	var out []string
	for item := range strings.SplitSeq(strings.Join(s.lines, " "), ",") {
		if words := strings.Fields(item); len(words) > 0 {
			out = append(out, strings.Join(words, " "))
		}
	}
	return out
}

// fields returns the words of a section.
func (s section) fields() []string { return strings.Fields(strings.Join(s.lines, " ")) }

// loader fills a lexicon.
type loader struct {
	*Lexicon
	lists   map[string][]string
	last    class // the highest class in use
	classes string
}

// newClass returns a new class, which only this language has.
func (l *loader) newClass() class {
	l.last++
	return l.last
}

func (l *loader) add(s section) error {
	switch s.kind {
	case "list": // was read before, as other sections refer to it
		return nil
	case "traits":
		return l.addTraits(s)
	case "unit":
		return l.addUnit(s)
	case "alike":
		for _, w := range s.fields() {
			l.alike[s.name+" "+w] = s.name
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
		return l.addRules(s)
	}
	class, err := l.classOf(s.name)
	if err != nil {
		return err
	}
	switch s.kind {
	case "words":
		return l.addPhrases(class, "", s.fields())
	case "phrases":
		return l.addPhrases(class, strings.Join(s.args, " "), s.items())
	case "values":
		return l.addValues(class, s.fields())
	case "endings":
		l.endings[class] = s.fields()
		return nil
	}
	return errors.New("no such kind of cue")
}

// classOf finds a class by its name, either one that the rules in Go use or one of a theme, such as
// "medicine.did".
func (l *loader) classOf(name string) (class, error) {
	of, part, ofTheme := strings.Cut(name, ".")
	if !ofTheme {
		if class := class(slices.Index(cueNames, name) + 1); class != 0 { //nolint:gosec // some hundreds
			return class, nil
		}
		return 0, errors.New("no rule speaks of it")
	}
	i := slices.IndexFunc(l.themes, func(t theme) bool { return t.name == of })
	if i < 0 {
		return 0, errors.New("no theme has this name")
	}
	t := &l.themes[i]
	c := map[string]*class{"did": &t.did, "didnt": &t.didnt, "idioms": &t.idioms, "states": &t.states, "things": &t.things, "parts": &t.parts}[part]
	if c == nil {
		return 0, errors.New("a theme has no such part")
	}
	if *c == 0 {
		*c = l.newClass()
	}
	return *c, nil
}

// addPhrases puts phrases into a class. A phrase that is in the class already gets the new value;
// an item that begins with @ stands for a list.
func (l *loader) addPhrases(class class, value string, items []string) error {
	number, _ := strconv.ParseFloat(value, 64) // zero for values that are words
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
		w := l.words[words[0]]
		if w == nil {
			w = &word{}
			l.words[words[0]] = w
		}
		if len(words) == 1 {
			w.classes[class/64] |= 1 << (class % 64)
			if value == "" {
				continue // the bit is enough
			}
		}
		n := &w.node
		for _, next := range words[1:] {
			if n.next == nil {
				n.next = map[string]*node{}
			}
			if n.next[next] == nil {
				n.next[next] = &node{}
			}
			n = n.next[next]
		}
		n.ends = slices.DeleteFunc(n.ends, func(p phrase) bool { return p.class == class })
		n.ends = append(n.ends, phrase{class, value, number})
	}
	return nil
}

// addValues reads "one=1 two=2". An underscore in a key stands for a space.
func (l *loader) addValues(class class, items []string) error {
	for _, item := range items {
		key, value, ok := strings.Cut(item, "=")
		if !ok {
			return fmt.Errorf("%q is not word=value", item)
		}
		if _, err := strconv.Atoi(value); err != nil && class != cue.Contract && class != cue.Joined {
			return fmt.Errorf("%q: %w", item, err)
		}
		if err := l.addPhrases(class, value, []string{strings.ReplaceAll(key, "_", " ")}); err != nil {
			return err
		}
	}
	return nil
}

// addUnit reads "unit DIMENSION FACTOR CODE"; a CODE of - means that the unit has none.
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
		l.units[w] = u
	}
	return err
}

// addTraits reads traits of the language as a whole.
func (l *loader) addTraits(s section) error {
	traits := map[string]*bool{"comma": &l.comma, "inflected": &l.inflected}
	for _, name := range s.fields() {
		if traits[name] == nil {
			return fmt.Errorf("no such trait: %s", name)
		}
		*traits[name] = true
	}
	return nil
}

// addGroup reads "group KEY KEY | TOPIC TOPIC".
func (l *loader) addGroup(s section) error {
	keys, topics, _ := strings.Cut(s.head, "|")
	for key := range wordsOf(keys) {
		for _, form := range slices.Compact([]string{key, strings.ReplaceAll(key, "_", " ")}) {
			l.keyed[form] = append(l.keyed[form], len(l.groups))
		}
	}
	g := group{words: l.newClass()}
	if topics != "" {
		g.topics = l.newClass()
		if err := l.addPhrases(g.topics, "", strings.Fields(topics)); err != nil {
			return err
		}
	}
	l.groups = append(l.groups, g)
	return l.addPhrases(g.words, "", s.items())
}

// addGrade reads "grade NAME | NAME WHEN DENIED | SHARE OF WELL-BEING | SHARE OF TROUBLE", with the
// words of the grade.
func (l *loader) addGrade(s section) error {
	parts := strings.Split(s.head, "|")
	if len(parts) != 4 {
		return errors.New("want a name, the one it has when it is denied, and two shares")
	}
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	better, errBetter := strconv.ParseFloat(parts[2], 64)
	worse, errWorse := strconv.ParseFloat(parts[3], 64)
	l.grades.options = append(l.grades.options, Option{Value: parts[0], Not: parts[1], Words: s.items()})
	l.grades.share[parts[0]] = map[Direction]float64{HigherBetter: better, HigherWorse: worse}
	return errors.Join(errBetter, errWorse)
}

// addTheme reads "theme NAME FLAG FLAG", with its topics.
func (l *loader) addTheme(s section) error {
	t := theme{name: s.name, topics: l.newClass()}
	flags := map[string]*bool{"objects": &t.objects, "symptom": &t.symptom, "task": &t.task, "vague": &t.vague}
	for _, flag := range s.args {
		if flags[flag] == nil {
			return fmt.Errorf("no such flag: %s", flag)
		}
		*flags[flag] = true
	}
	l.themes = append(l.themes, t)
	return l.addPhrases(t.topics, "", s.fields())
}

// addRules reads the rules of a grammar, which may use the classes declared above them.
func (l *loader) addRules(s section) error {
	of := map[string]**grammar{"decline": &l.decline, "skip": &l.skip, "exit": &l.exit}[s.name]
	if of == nil {
		return errors.New("nothing is read by such rules")
	}
	var err error
	*of, err = newGrammar(l.classes, strings.Join(s.lines, "\n"))
	return err
}
