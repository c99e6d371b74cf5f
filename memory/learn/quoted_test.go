package learn

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/memories"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/store/quoted"
	"github.com/naiber/naiber/store/quoted/quotedtest"
)

// What is learned from stands in the questions to a model as quoted speech.
func TestWordsToLearnFromAreQuoted(t *testing.T) {
	t.Parallel()
	quotedtest.Each(t, func(x string) string {
		s := &lesson{who: people.Person{Name: x, PreferredName: x, Timezone: "UTC"}, day: time.Now()}
		fact := memories.Fact{ID: uuid.New(), Text: x, LearnedAt: time.Now()}
		question, _ := s.question([]draft{{Fact: fact}}, [][]memories.Fact{{fact}})
		return quoted.Label + s.shown(chunk{turns: []memories.Turn{{Speaker: calls.RoleUser, Text: x}, {Speaker: calls.RoleAssistant, Text: x}}}) +
			question + listed([]memories.Entity{{Name: x, Kind: "person", Aliases: []string{x, x}}})
	})
}
