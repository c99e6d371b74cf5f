package health

import (
	"slices"

	"github.com/naiber/naiber/personas/health/packs"
)

// insert puts a question at a place of the check. The sentences that all
// questions of a pack share are kept once: every turn reads and writes them.
func (s *State) insert(at int, e Entry) {
	if q := &e.Question; len(q.Leads) > 0 {
		if s.Leads == nil {
			s.Leads = map[string][]string{}
		}
		s.Leads[q.Pack], q.Leads = q.Leads, nil
	}
	s.Entries = slices.Insert(s.Entries, at, e)
}

// whole is a question with all its words.
func (s *State) whole(q packs.Question) packs.Question {
	if q.Leads == nil {
		q.Leads = s.Leads[q.Pack]
	}
	return q
}
