package learn

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/quoted"
	"github.com/naiber/naiber/store/quoted/quotedtest"
)

// What is learned from stands in the questions to a model as quoted speech.
func TestWordsToLearnFromAreQuoted(t *testing.T) {
	t.Parallel()
	quotedtest.Each(t, func(x string) string {
		s := &lesson{who: store.Person{Name: x, PreferredName: x, Timezone: "UTC"}, day: time.Now()}
		fact := store.MemoryFact{ID: uuid.New(), Text: x, LearnedAt: time.Now()}
		question, _ := s.question([]draft{{MemoryFact: fact}}, [][]store.MemoryFact{{fact}})
		return quoted.Label + s.shown(chunk{turns: []store.MemoryTurn{{Speaker: store.RoleUser, Text: x}, {Speaker: store.RoleAssistant, Text: x}}}) +
			question + listed([]store.MemoryEntity{{Name: x, Kind: "person", Aliases: []string{x, x}}})
	})
}
