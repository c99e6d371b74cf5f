package prompts

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"strings"
	"text/template"
)

// includeDepth bounds the nesting of texts, to make a circle an error.
const includeDepth = 8

// errCircle means that a text includes itself.
var errCircle = errors.New("texts include each other in a circle")

// parse parses one file. The functions are bound when it is executed, because the result of include
// depends on the call.
func parse(file string, src []byte) (*template.Template, error) {
	t, err := template.New(file).Option("missingkey=error").Funcs(template.FuncMap{
		"include": func(string) (string, error) { return "", nil },
		"list":    list,
	}).Parse(string(src))
	if err != nil {
		return nil, fmt.Errorf("parse text: %w", err)
	}
	return t, nil
}

// list joins items as in speech: a, b and c.
func list(items []string) string {
	last := len(items) - 1
	if last < 1 {
		return strings.Join(items, "")
	}
	return strings.Join(items[:last], ", ") + " and " + items[last]
}

// try renders a text with nearly every field filled, and with hardly any. Included texts are looked
// up among the embedded ones only: l.mu is held.
func (l *Library) try(file string, t *template.Template) error {
	language := English
	for lang := range languages {
		if strings.HasSuffix(file, "."+lang+suffix) {
			language = lang
		}
	}
	for _, d := range samples(path.Dir(file), language) {
		if _, err := execute(t, d, 0, l.builtIn); err != nil {
			return err
		}
	}
	return nil
}

// render renders the text called name, at the given depth of inclusion.
func render(name Name, d Data, depth int, in lookup) (string, error) {
	t := find(name, d, in)
	switch {
	case t == nil:
		return "", ErrNoText
	case depth > includeDepth:
		return "", errCircle
	}
	return execute(t, d, depth, in)
}

// execute renders t. Its include function looks up texts with in.
func execute(t *template.Template, d Data, depth int, in lookup) (string, error) {
	clone, err := t.Clone()
	if err != nil {
		return "", fmt.Errorf("clone text: %w", err)
	}
	clone.Funcs(template.FuncMap{"include": func(name string) (string, error) {
		text, err := render(Name(name), d, depth+1, in)
		return strings.TrimSpace(text), err
	}})
	var b strings.Builder
	if err := clone.Execute(&b, d); err != nil {
		return "", fmt.Errorf("render text: %w", err)
	}
	return b.String(), nil
}

var (
	braces    = regexp.MustCompile(`\{{2,}|\}{2,}`)
	blanks    = regexp.MustCompile(`\n{3,}`)
	lineEnds  = regexp.MustCompile(`[ \t]+\n`)
	markLines = regexp.MustCompile(`(?i)\b(user_?id|phone|conversation)(\s*[:=])`)
)

// tidy trims the white space that templates leave behind, and replaces doubled braces by single
// ones: the voice service would read {{...}} as a variable, and end the call if it does not know
// it.
func tidy(s string) string {
	s = braces.ReplaceAllStringFunc(s, func(run string) string { return run[:1] })
	s = lineEnds.ReplaceAllString(s, "\n")
	s = blanks.ReplaceAllString(s, "\n\n")
	return strings.TrimSpace(s)
}

// unmark rewrites text that imitates the marks: "phone: +1..." in a note must not determine who is
// on the call.
func unmark(s string) string {
	return markLines.ReplaceAllString(s, "$1 -")
}
