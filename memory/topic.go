package memory

import (
	"fmt"

	"github.com/naiber/naiber/internal/english"
)

// CheckTopic returns a topic as it is kept, or what is wrong with it.
func CheckTopic(topic string) (string, error) {
	topic = english.OneLine(Clean(topic))
	if topic == "" || len([]rune(topic)) > maxTopicRunes {
		return "", fmt.Errorf("a topic has 1 to %d characters: %w", maxTopicRunes, ErrInvalid)
	}
	return topic, nil
}

const maxTopicRunes = 100
