package chat

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/store/chats"
	"github.com/naiber/naiber/store/quoted/quotedtest"
)

// What others said and wrote, and what is known of them, stands in prompts as
// quoted speech.
func TestOthersWordsAreQuoted(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 3, 15, 0, 0, 0, time.UTC)
	quotedtest.Each(t, func(x string) string {
		return spell(turnPrompt("Be kind.", Recollection{Graph: "- " + x + " (person): " + x, Recalled: []Recalled{{At: at, Text: "Person: " + x}}}, nil, "Hello.", time.UTC))
	})
	quotedtest.Each(t, func(x string) string {
		return spell([]llm.Message{
			{Role: llm.RoleSystem, Content: summaryPrompt},
			{Role: llm.RoleUser, Content: record(chats.Episode{CreatedAt: at, Message: x, Response: x}, time.UTC)},
		})
	})
	quotedtest.Each(t, func(x string) string {
		var d digest
		ses := chats.ProjectSession{Session: chats.Session{ID: uuid.New(), Name: x}, Summary: chats.Summary{ID: uuid.New(), Text: x}}
		d.add(ses, nil, time.UTC)
		return overviewPrompt + d.text.String()
	})
}
