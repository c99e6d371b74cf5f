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

// fallbackLanguage is used if there is no pack in the person's language.
const fallbackLanguage = "en"

// Library is a set of packs. It is immutable and safe for concurrent use.
type Library struct {
	packs []Pack // by language, then id
}

// Load reads the built-in packs. Its error lists every mistake in every file.
func Load() (*Library, error) { return LoadFS(shipped) }

// LoadFS reads packs from the *.yaml files one folder deep in fsys. The folder of English has whole
// packs; the others have their words in another language. The error lists every mistake in every
// file; LoadFS never returns a part of the packs.
func LoadFS(fsys fs.FS) (*Library, error) {
	names, err := fs.Glob(fsys, "*/*.yaml")
	if err != nil {
		return nil, fmt.Errorf("list packs: %w", err)
	}
	var problems []error
	var l Library
	// The English packs, which the others translate, come first.
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

// Packs returns all packs, by language and id.
func (l *Library) Packs() []Pack { return slices.Clone(l.packs) }

// Pack returns the pack with the given id in a language (a BCP 47 tag), or in English if that
// language does not have it.
func (l *Library) Pack(id, language string) (Pack, bool) {
	for p := range l.spoken(language) {
		if p.ID == id {
			return p, true
		}
	}
	return Pack{}, false
}

// Language returns the language of a check: tag (BCP 47) if there are daily questions in it, else
// English.
func (l *Library) Language(tag string) string {
	if slices.ContainsFunc(l.packs, func(p Pack) bool { return p.Kind == KindDaily && p.Language == Primary(tag) }) {
		return tag
	}
	return fallbackLanguage
}

// Item returns the question with the given id in any pack of the language, or else of English. It
// also finds follow-ups, as items of their own.
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

// of returns the packs of a kind in the person's language, or in English if there are none.
func (l *Library) of(kind Kind, language string) []Pack {
	var found []Pack
	for p := range l.spoken(language) {
		if p.Kind == kind && (len(found) == 0 || p.Language == found[0].Language) {
			found = append(found, p)
		}
	}
	return found
}

// spoken returns an iterator over the packs in the person's language, and then over those in
// English.
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

// Primary returns the primary language of a BCP 47 tag, in lower case: "en" for "en-GB".
func Primary(tag string) string {
	if i := strings.IndexAny(tag, "-_"); i >= 0 {
		tag = tag[:i]
	}
	return strings.ToLower(tag)
}
