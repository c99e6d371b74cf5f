package telephony

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/telephony/prompts"
)

// file holds the records on a person that may be brought up with them.
type file struct {
	conditions, medications []string
	contacts                []prompts.Contact
	notes                   []string // sentences, each with the space after it
}

// file reads a person's file and leaves out what must not be brought up. If the limits cannot be
// read, it leaves everything out.
func (s *Service) file(ctx context.Context, p people.Person) (file, error) {
	contacts, err := s.dep.Store.Contacts(ctx, p.ID)
	f := file{conditions: p.Conditions, medications: p.Medications, notes: noteEnd.FindAllString(p.Notes, -1)}
	for _, k := range contacts {
		f.contacts = append(f.contacts, prompts.Contact{Name: k.Name, Relation: k.Relation})
	}
	may, limited := s.dep.Recollection.Raisable(ctx, p.ID, f.texts())
	if limited != nil {
		return file{}, errors.Join(err, limited)
	}
	f.keep(may)
	return f, err
}

// noteEnd matches a sentence, or a line, of a note.
var noteEnd = regexp.MustCompile(`(?s).+?(?:[.!?…]["')]*\s+|\n+|$)`)

// texts returns each entry of the file as a text of its own.
func (f *file) texts() []string {
	texts := slices.Concat(f.conditions, f.medications, f.notes)
	for _, k := range f.contacts {
		texts = append(texts, contactText(k))
	}
	return texts
}

// keep removes every entry that is not among the texts.
func (f *file) keep(texts []string) {
	only := func(all []string) []string {
		return slices.DeleteFunc(slices.Clone(all), func(s string) bool { return !slices.Contains(texts, s) })
	}
	f.conditions, f.medications, f.notes = only(f.conditions), only(f.medications), only(f.notes)
	f.contacts = slices.DeleteFunc(f.contacts, func(k prompts.Contact) bool { return !slices.Contains(texts, contactText(k)) })
}

// contactText returns a contact as one text, for limits: a limit on the brother is one on his name.
func contactText(k prompts.Contact) string { return strings.TrimSuffix(k.Name+", "+k.Relation, ", ") }
