package tasks

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
)

//go:embed en/*.yaml
var shipped embed.FS

// fallbackLanguage is the language of the tasks that Tasks returns if another one has none.
const fallbackLanguage = "en"

// order is the order of tasks in a check: what must be remembered for later comes first and last,
// and what is easy near the end.
var order = []string{
	"six_item", "digits_forward", "digits_back", "story", "category", "letter", "reasoning", "orientation", "amt4", "story_later",
}

// digitNames holds the digits from zero on as they are read out.
var digitNames = map[string][]string{
	"en": {"Zero", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine"},
}

// Library holds the tasks that a process works with. It is read-only, so it is safe for concurrent
// use.
type Library struct {
	tasks map[string][]Task // by language, in the order of a check
}

// Load reads the built-in tasks. The error lists every mistake in every file.
func Load() (*Library, error) { return LoadFS(shipped) }

// LoadFS reads tasks from the files <language>/<task>.yaml in fsys. The error lists every mistake
// in every file; no library is returned with only some of its tasks.
func LoadFS(fsys fs.FS) (*Library, error) {
	names, err := fs.Glob(fsys, "*/*.yaml")
	if err != nil {
		return nil, fmt.Errorf("list tasks: %w", err)
	}
	var problems []error
	l := &Library{tasks: map[string][]Task{}}
	for _, name := range names {
		t, err := read(fsys, name)
		if err != nil {
			problems = append(problems, fmt.Errorf("task %s: %w", name, err))
			continue
		}
		l.tasks[t.Language] = append(l.tasks[t.Language], t)
	}
	for language, list := range l.tasks {
		slices.SortFunc(list, func(a, b Task) int {
			return cmp.Compare(slices.Index(order, a.ID), slices.Index(order, b.ID))
		})
		for i := range list {
			if err := join(&list[i], list); err != nil {
				problems = append(problems, fmt.Errorf("task %s/%s: %w", language, list[i].ID, err))
			}
			for _, err := range list[i].check() {
				problems = append(problems, fmt.Errorf("task %s/%s: %w", language, list[i].ID, err))
			}
		}
	}
	if len(l.tasks[fallbackLanguage]) == 0 {
		problems = append(problems, errors.New("no tasks in English"))
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	return l, nil
}

// read decodes one file.
func read(fsys fs.FS, name string) (Task, error) {
	data, err := fs.ReadFile(fsys, name)
	if err != nil {
		return Task{}, err
	}
	t := Task{}
	if err := yaml.UnmarshalWithOptions(data, &t, yaml.Strict()); err != nil {
		return Task{}, err
	}
	t.Language = path.Dir(name)
	if base := path.Base(name); base != t.ID+".yaml" {
		return Task{}, fmt.Errorf("id %q is in file %q", t.ID, base)
	}
	for _, f := range t.Forms {
		for i := range f.Items {
			if f.Items[i].Kind == Digits && f.Items[i].Say == "" {
				f.Items[i].Say = readOut(f.Items[i].Digits, digitNames[t.Language])
			}
		}
	}
	return t, nil
}

// readOut returns digits written so that they are spoken one by one: "Five. … Eight."
func readOut(digits string, names []string) string {
	var out []string
	for _, d := range digits {
		if i := int(d - '0'); i >= 0 && i < len(names) {
			out = append(out, names[i]+".")
		}
	}
	return strings.Join(out, " … ")
}

// join copies into a task what it takes from others of its language.
func join(t *Task, others []Task) error {
	if t.InsteadOf != "" && !slices.ContainsFunc(others, func(o Task) bool { return o.ID == t.InsteadOf }) {
		return fmt.Errorf("insteadOf: no task %q", t.InsteadOf)
	}
	if t.With == "" {
		return nil
	}
	i := slices.IndexFunc(others, func(o Task) bool { return o.ID == t.With })
	if i < 0 {
		return fmt.Errorf("with: no task %q", t.With)
	}
	if !slices.EqualFunc(t.Forms, others[i].Forms, func(a, b Form) bool { return a.ID == b.ID }) {
		return fmt.Errorf("with %s: the forms are not the same", t.With)
	}
	for _, f := range t.Forms {
		told, _ := others[i].Form(f.ID)
		for k := range f.Items {
			if it, ok := told.Item(f.Items[k].ID); ok && f.Items[k].Later {
				f.Items[k].Ideas = it.Ideas
			}
		}
	}
	return nil
}

// Tasks returns the tasks in a language (a BCP 47 tag) in the order of a check, or the English
// tasks if the language has none.
func (l *Library) Tasks(language string) []Task {
	if list := l.tasks[primary(language)]; len(list) > 0 {
		return slices.Clone(list)
	}
	return slices.Clone(l.tasks[fallbackLanguage])
}

// primary returns the language of a tag, or the fallback if the tag is empty.
func primary(tag string) string {
	p, _, _ := strings.Cut(strings.ReplaceAll(tag, "_", "-"), "-")
	return strings.ToLower(cmp.Or(p, fallbackLanguage))
}

// Task returns the task of [Library.Tasks] with an ID.
func (l *Library) Task(id, language string) (Task, bool) {
	list := l.Tasks(language)
	if i := slices.IndexFunc(list, func(t Task) bool { return t.ID == id }); i >= 0 {
		return list[i], true
	}
	return Task{}, false
}
