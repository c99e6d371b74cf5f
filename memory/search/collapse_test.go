package search

import (
	"testing"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/calls"
)

// TestPartner has a question come with its answer, and what was asked with an
// answer of few words; one that says it all leaves the place to something else.
func TestPartner(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		said, heard     string
		ofSaid, ofHeard bool
	}{
		"a short answer":  {"Who is that?", "Lionel.", true, true},
		"a long answer":   {"Any plans?", "On Saturday the whole family comes for lunch in the garden.", true, false},
		"not a question":  {"I am glad.", "So am I.", false, false},
		"only half asked": {"And then? I see.", "Yes.", true, true},
	} {
		said, heard := &candidate{}, &candidate{}
		said.ID, said.Speaker, said.Text, said.after = uuid.New(), calls.RoleAssistant, row.said, heard
		heard.ID, heard.Speaker, heard.Text, heard.before = uuid.New(), calls.RoleUser, row.heard, said
		all := map[uuid.UUID]*candidate{said.ID: said, heard.ID: heard}
		if got := said.partner(all) == heard; got != row.ofSaid {
			t.Errorf("%s: what was said comes with the answer: %t", name, got)
		}
		if got := heard.partner(all) == said; got != row.ofHeard {
			t.Errorf("%s: what was heard comes with the question: %t", name, got)
		}
		if said.taken = true; heard.partner(all) != nil {
			t.Errorf("%s: what is taken is taken again", name)
		}
	}
}
