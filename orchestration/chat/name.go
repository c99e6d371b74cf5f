package chat

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/store/chats"
	"github.com/naiber/naiber/store/quoted"
)

const (
	nameTemperature = 0.3
	nameTokens      = 20
	nameWords       = 5
	nameRunes       = 80
	namePrompt      = "Give the conversation that begins with the following message a title of at most five words, in the language of the message. Answer with the title alone: no quotation marks, no full stop. " + quoted.Label
)

// name names a session by its first message.
func (s *Channel) name(ctx context.Context, session uuid.UUID, e chats.Episode) error {
	temperature := nameTemperature
	res, err := s.cfg.Model.Stream(ctx, llm.Request{
		Messages: []llm.Message{
			{Role: llm.RoleSystem, Content: namePrompt},
			{Role: llm.RoleUser, Content: quoted.Fence(clip(e.Message, 4<<10))},
		},
		Temperature: &temperature, MaxTokens: nameTokens, Cut: true, Background: true,
	}, nil)
	if err != nil {
		return fmt.Errorf("ask for a name: %w", err)
	}
	title := title(res.Text)
	if title == "" {
		return fmt.Errorf("ask for a name: %w", ErrEmpty)
	}
	return s.store.NameChatSession(ctx, session, title)
}

// title returns the title in a model's answer: its first line with words, without what models put
// around a title, and at most five words.
func title(answer string) string {
	for line := range strings.Lines(answer) {
		line = strings.Trim(strings.TrimSpace(line), "\"'“”„«»`*#. ")
		if rest, ok := strings.CutPrefix(line, "Title:"); ok {
			line = strings.Trim(rest, "\"'“”„«»`*#. ")
		}
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		r := []rune(strings.Join(words[:min(len(words), nameWords)], " "))
		return strings.TrimRight(string(r[:min(len(r), nameRunes)]), " ,;:-–")
	}
	return ""
}
