package memory

import (
	"fmt"

	"github.com/naiber/naiber/internal/english"
)

// CheckTopic returns a topic in the form in which it is stored, or an error wrapping
// [ErrInvalid].
func CheckTopic(topic string) (string, error) {
	topic = english.OneLine(Clean(topic))
	if topic == "" || len([]rune(topic)) > maxTopicRunes {
		return "", fmt.Errorf("a topic has 1 to %d characters: %w", maxTopicRunes, ErrInvalid)
	}
	return topic, nil
}

const maxTopicRunes = 100
