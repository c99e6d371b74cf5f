package packs

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"github.com/goccy/go-yaml"
)

//go:embed en/*.yaml
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

// LoadFS reads packs from the *.yaml files one folder deep in fsys. An error lists
// every mistake in every file; there is no library with half of its packs.
func LoadFS(fsys fs.FS) (*Library, error) {
	names, err := fs.Glob(fsys, "*/*.yaml")
	if err != nil {
		return nil, fmt.Errorf("list packs: %w", err)
	}
	var problems []error
	var l Library
	for _, name := range names {
		p, err := read(fsys, name)
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
func read(fsys fs.FS, name string) (Pack, error) {
	data, err := fs.ReadFile(fsys, name)
	if err != nil {
		return Pack{}, fmt.Errorf("pack %s: %w", name, err)
	}
	var p Pack
	if err := yaml.UnmarshalWithOptions(data, &p, yaml.Strict()); err != nil {
		return Pack{}, fmt.Errorf("pack %s: %w", name, err)
	}
	problems := p.check()
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
	for _, lang := range []string{primary(language), fallbackLanguage} {
		for _, p := range l.packs {
			if p.ID == id && p.Language == lang {
				return p, true
			}
		}
	}
	return Pack{}, false
}

// Language is the language in which somebody is asked: the given one (a BCP 47
// tag) where there are daily questions in it, else English.
func (l *Library) Language(tag string) string {
	lang := primary(tag)
	for _, p := range l.packs {
		if p.Kind == KindDaily && p.Language == lang {
			return tag
		}
	}
	return fallbackLanguage
}

// Item finds a question by id in any pack of the language, English otherwise.
// Follow-ups are found too, as text or boolean items of their own.
func (l *Library) Item(id, language string) (Item, bool) {
	for _, lang := range []string{primary(language), fallbackLanguage} {
		for _, p := range l.packs {
			if p.Language != lang {
				continue
			}
			for _, it := range p.Items {
				if it.ID == id {
					return it, true
				}
				for _, f := range it.FollowUps {
					if f.ID == id {
						return f.item(), true
					}
				}
			}
		}
	}
	return Item{}, false
}

// of lists the packs of a kind in the person's language, or in English.
func (l *Library) of(kind Kind, language string) []Pack {
	for _, lang := range []string{primary(language), fallbackLanguage} {
		var found []Pack
		for _, p := range l.packs {
			if p.Kind == kind && p.Language == lang {
				found = append(found, p)
			}
		}
		if len(found) > 0 {
			return found
		}
	}
	return nil
}

// primary is the language of a BCP 47 tag: "en" of "en-GB".
func primary(tag string) string {
	for i, r := range tag {
		if r == '-' || r == '_' {
			return lower(tag[:i])
		}
	}
	return lower(tag)
}
