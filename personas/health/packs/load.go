package packs

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
)

//go:embed en/*.yaml es/*.yaml
var shipped embed.FS

// fallbackLanguage is spoken where there is no pack in the person's own language.
const fallbackLanguage = "en"

// Library is the packs that a process works with. It is read-only, so that many
// calls may use one at the same time.
type Library struct {
	packs []Pack // by language, then kind and id
}

// Load reads the packs that are built in. An error lists every mistake in every
// file.
func Load() (*Library, error) { return LoadFS(shipped) }

// LoadFS reads packs from the *.yaml files one folder deep in fsys: whole ones in the
// folder of English, and in others the words of those in another language. An error
// lists every mistake in every file; there is no library with half of its packs.
func LoadFS(fsys fs.FS) (*Library, error) {
	names, err := fs.Glob(fsys, "*/*.yaml")
	if err != nil {
		return nil, fmt.Errorf("list packs: %w", err)
	}
	var problems []error
	var l Library
	// What the others translate is read first.
	slices.SortStableFunc(names, func(a, b string) int {
		return first(path.Dir(a) == fallbackLanguage, path.Dir(b) == fallbackLanguage)
	})
	for _, name := range names {
		p, err := l.read(fsys, name)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		l.packs = append(l.packs, p)
	}
	slices.SortStableFunc(l.packs, func(a, b Pack) int {
		return cmp.Or(cmp.Compare(a.Language, b.Language), cmp.Compare(a.ID, b.ID))
	})
	problems = append(problems, l.check()...)
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	return &l, nil
}

// read decodes one file and checks it by itself.
func (l *Library) read(fsys fs.FS, name string) (Pack, error) {
	data, err := fs.ReadFile(fsys, name)
	if err != nil {
		return Pack{}, fmt.Errorf("pack %s: %w", name, err)
	}
	var p Pack
	var problems []error
	if path.Dir(name) == fallbackLanguage {
		err = yaml.UnmarshalWithOptions(data, &p, yaml.Strict())
	} else {
		var t translation
		if err = yaml.UnmarshalWithOptions(data, &t, yaml.Strict()); err == nil {
			if p, err = l.english(t.ID); err == nil {
				p, problems = t.of(p)
			}
		}
	}
	if err != nil {
		return Pack{}, fmt.Errorf("pack %s: %w", name, err)
	}
	p.offerKeys()
	problems = append(problems, p.check()...)
	if dir := path.Dir(name); dir != p.Language {
		problems = append(problems, fmt.Errorf("language %q is in folder %q", p.Language, dir))
	}
	if base := path.Base(name); base != p.ID+".yaml" {
		problems = append(problems, fmt.Errorf("id %q is in file %q", p.ID, base))
	}
	for i, err := range problems {
		problems[i] = fmt.Errorf("pack %s: %w", name, err)
	}
	return p, errors.Join(problems...)
}

// Packs lists all packs, by language and id.
func (l *Library) Packs() []Pack { return slices.Clone(l.packs) }

// Pack finds a pack by id in the given language (a BCP 47 tag), or in English
// where that language has none.
func (l *Library) Pack(id, language string) (Pack, bool) {
	for p := range l.spoken(language) {
		if p.ID == id {
			return p, true
		}
	}
	return Pack{}, false
}

// Language is the language in which somebody is asked: the given one (a BCP 47
// tag) where there are daily questions in it, else English.
func (l *Library) Language(tag string) string {
	if slices.ContainsFunc(l.packs, func(p Pack) bool { return p.Kind == KindDaily && p.Language == Primary(tag) }) {
		return tag
	}
	return fallbackLanguage
}

// Item finds a question by id in any pack of the language, English otherwise.
// Follow-ups are found too, as text or boolean items of their own.
func (l *Library) Item(id, language string) (Item, bool) {
	for p := range l.spoken(language) {
		for _, it := range p.Items {
			if it.ID == id {
				return it, true
			}
			if i := slices.IndexFunc(it.FollowUps, func(f FollowUp) bool { return f.ID == id }); i >= 0 {
				return it.FollowUps[i].item(), true
			}
		}
	}
	return Item{}, false
}

// of lists the packs of a kind in the person's language, or in English.
func (l *Library) of(kind Kind, language string) []Pack {
	var found []Pack
	for p := range l.spoken(language) {
		if p.Kind == kind && (len(found) == 0 || p.Language == found[0].Language) {
			found = append(found, p)
		}
	}
	return found
}

// spoken ranges over the packs in the person's language, then over those in English.
func (l *Library) spoken(language string) iter.Seq[Pack] {
	return func(yield func(Pack) bool) {
		for _, lang := range slices.Compact([]string{Primary(language), fallbackLanguage}) {
			for _, p := range l.packs {
				if p.Language == lang && !yield(p) {
					return
				}
			}
		}
	}
}

// Primary is the language of a BCP 47 tag: "en" of "en-GB".
func Primary(tag string) string {
	if i := strings.IndexAny(tag, "-_"); i >= 0 {
		tag = tag[:i]
	}
	return strings.ToLower(tag)
}
