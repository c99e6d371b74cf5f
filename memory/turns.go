package memory

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/memories"
)

const (
	// maxTurnRunes bounds one turn: an hour of speech, and far less than what
	// full text search takes.
	maxTurnRunes = 50_000
	// MaxSeq is the largest place in a conversation.
	MaxSeq = 1 << 30
)

// TurnSpace is the namespace of ids that are made from a source's own key.
var TurnSpace = uuid.MustParse("5b0f5a3e-6c0a-5d0e-9d1c-3a5b0e6f7a10")

// TurnID is the id of what a source calls key: always the same one, so that a
// turn which comes twice is kept once. Two owners never share one.
func TurnID(in Scope, source memories.Source, key string) uuid.UUID {
	owner := in.Owners()[0]
	return uuid.NewSHA1(TurnSpace, append(append(owner[:], source...), "\x00"+key...))
}

// Prepare checks a turn and completes it: an id, a conversation, clean text.
func Prepare(t Turn) (Turn, error) {
	invalid := func(what string) (Turn, error) { return t, fmt.Errorf("%s: %w", what, ErrInvalid) }
	if t.Scope.Empty() {
		return t, ErrEmptyScope
	}
	t.Text = Clean(t.Text)
	t.Name = english.Shorten(english.OneLine(Clean(t.Name)), 100)
	switch {
	case t.Text == "":
		return invalid("a turn without text")
	case utf8.RuneCountInString(t.Text) > maxTurnRunes:
		return invalid("a turn of more than 50000 characters")
	case t.Speaker != calls.RoleUser && t.Speaker != calls.RoleAssistant:
		return invalid(fmt.Sprintf("speaker %q", t.Speaker))
	case t.At.IsZero() || t.At.Year() < 1900 || t.At.Year() > 9999:
		return invalid("a turn without a time between the years 1900 and 9999")
	case t.Seq < 0 || t.Seq > MaxSeq:
		return invalid(fmt.Sprintf("place %d", t.Seq))
	case strings.ContainsRune(t.Conversation+t.SourceKey, 0):
		return invalid("a key with a zero byte")
	}
	switch t.Source {
	case memories.FromCall, memories.FromChat, memories.FromAPI, memories.FromImport:
	default:
		return invalid(fmt.Sprintf("source %q", t.Source))
	}
	if t.ID == uuid.Nil {
		if t.SourceKey != "" {
			t.ID = TurnID(t.Scope, t.Source, t.SourceKey)
		} else {
			t.ID = uuid.Must(uuid.NewV7())
		}
	}
	if t.Conversation == "" {
		t.Conversation = t.ID.String()
	}
	t.At = t.At.Truncate(time.Microsecond) // as PostgreSQL keeps it
	return t, nil
}

// Fit returns a text as a turn may say it: its beginning, where it is too long, and
// nothing where it says nothing.
func Fit(text string) string { return english.Shorten(Clean(text), maxTurnRunes) }

// Clean takes out what PostgreSQL cannot keep, and the space around.
func Clean(s string) string {
	return strings.TrimSpace(strings.ReplaceAll(strings.ToValidUTF8(s, "�"), "\x00", ""))
}

// Answers reports whether a turn is what a person says to what nAIber said before.
func Answers(t, before Turn) bool {
	return before.Speaker == calls.RoleAssistant && t.Speaker == calls.RoleUser && t.Conversation == before.Conversation
}

// ByScope groups turns by whose they are; their order stays.
func ByScope(turns []Turn) [][]Turn {
	at := map[Scope]int{}
	var groups [][]Turn
	for _, t := range turns {
		i, ok := at[t.Scope]
		if !ok {
			i = len(groups)
			at[t.Scope] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], t)
	}
	return groups
}

// IDs returns the ids of turns, in order.
func IDs(turns []Turn) []uuid.UUID {
	ids := make([]uuid.UUID, len(turns))
	for i, t := range turns {
		ids[i] = t.ID
	}
	return ids
}

// AssistantName is what nAIber is called in what is searched and recalled.
const AssistantName = "nAIber"

// Speaker is the name of the speaker of a turn.
func Speaker(t Turn) string {
	switch {
	case t.Name != "":
		return t.Name
	case t.Speaker == calls.RoleAssistant:
		return AssistantName
	default:
		return "The person"
	}
}

// Unique sorts ids and leaves out those that are there twice.
func Unique(ids []uuid.UUID) []uuid.UUID {
	slices.SortFunc(ids, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
	return slices.Compact(ids)
}
