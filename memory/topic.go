package memory

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/naiber/naiber/internal/english"
)

// CheckTopic returns a topic in the form in which it is stored, or an error wrapping
// [ErrInvalid].
func CheckTopic(topic string) (string, error) {
	topic = english.OneLine(Clean(topic))
	if len([]rune(topic)) > maxTopicRunes || !strings.ContainsFunc(topic, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) {
		return "", fmt.Errorf("a topic has 1 to %d characters, a letter or digit among them: %w", maxTopicRunes, ErrInvalid)
	}
	return topic, nil
}

const maxTopicRunes = 100
