package prompts

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"strings"
	"text/template"
)

// includeDepth bounds texts that include texts, so that a circle is an error.
const includeDepth = 8

// errCircle says that a text includes itself.
var errCircle = errors.New("texts include each other in a circle")

// parse reads one file. The functions are bound when it is executed, because
// what include finds depends on the call.
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

// list joins items as one says them: a, b and c.
func list(items []string) string {
	switch n := len(items); n {
	case 0:
		return ""
	case 1:
		return items[0]
	default:
		return strings.Join(items[:n-1], ", ") + " and " + items[n-1]
	}
}

// execute renders t with d; include looks among all texts.
func (l *Library) execute(t *template.Template, d Data) (string, error) {
	return render(t, d, 0, func(name string) *template.Template {
		use, _ := l.find(Name(name), d)
		return use
	})
}

// try renders an embedded text with every field filled and with hardly any,
// using embedded texts only.
func (l *Library) try(file string, t *template.Template) error {
	for _, known := range []bool{true, false} {
		d := sample(languageOf(file), known)
		d.CallType = path.Dir(file)
		if _, err := render(t, d, 0, l.embeddedFor(d)); err != nil {
			return err
		}
	}
	return nil
}

// tryOwn does the same for a text of the operator's.
func (l *Library) tryOwn(t *template.Template) error {
	for _, known := range []bool{true, false} {
		d := sample(English, known)
		if _, err := render(t, d, 0, l.embeddedFor(d)); err != nil {
			return err
		}
	}
	return nil
}

// embeddedFor finds what a text includes among the embedded ones alone: the
// lock on the others is held where this is used.
func (l *Library) embeddedFor(d Data) func(string) *template.Template {
	return func(name string) *template.Template {
		for _, file := range candidates(Name(name), d) {
			if t, ok := l.own[file]; ok {
				return t
			}
		}
		return nil
	}
}

func render(t *template.Template, d Data, depth int, find func(string) *template.Template) (string, error) {
	if depth > includeDepth {
		return "", errCircle
	}
	clone, err := t.Clone()
	if err != nil {
		return "", fmt.Errorf("clone text: %w", err)
	}
	clone.Funcs(template.FuncMap{"include": func(name string) (string, error) {
		part := find(name)
		if part == nil {
			return "", fmt.Errorf("include %q: %w", name, ErrNoText)
		}
		text, err := render(part, d, depth+1, find)
		return strings.TrimSpace(text), err
	}})
	var b strings.Builder
	if err := clone.Execute(&b, d); err != nil {
		return "", fmt.Errorf("render text: %w", err)
	}
	return b.String(), nil
}

func languageOf(file string) string {
	for lang := range languages {
		if strings.HasSuffix(file, "."+lang+suffix) {
			return lang
		}
	}
	return English
}

var (
	braces    = regexp.MustCompile(`\{{2,}|\}{2,}`)
	blanks    = regexp.MustCompile(`\n{3,}`)
	lineEnds  = regexp.MustCompile(`[ \t]+\n`)
	markLines = regexp.MustCompile(`(?i)\b(user_?id|phone|conversation)(\s*[:=])`)
)

// tidy trims what templates leave behind, and takes doubled braces apart: the
// voice service would read {{...}} as a variable, and end the call over one
// that it does not know.
func tidy(s string) string {
	s = braces.ReplaceAllStringFunc(s, func(run string) string { return run[:1] })
	s = lineEnds.ReplaceAllString(s, "\n")
	s = blanks.ReplaceAllString(s, "\n\n")
	return strings.TrimSpace(s)
}

// unmark keeps a text from imitating the marks: "phone: +1..." in somebody's
// notes must not say who is on the call.
func unmark(s string) string {
	return markLines.ReplaceAllString(s, "$1 -")
}
