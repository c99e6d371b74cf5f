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
	// maxTurnRunes limits the length of one turn: an hour of speech, and far below the
	// limit of full text search.
	maxTurnRunes = 50_000
	// MaxSeq is the largest place in a conversation.
	MaxSeq = 1 << 30
)

// TurnSpace is the namespace of ids derived from a source's own key.
var TurnSpace = uuid.MustParse("5b0f5a3e-6c0a-5d0e-9d1c-3a5b0e6f7a10")

// TurnID derives a turn's id from the key of its source. It is always the same, so that a
// turn that comes twice is kept once. Two owners never share an id.
func TurnID(in Scope, source memories.Source, key string) uuid.UUID {
	owner := in.Owners()[0]
	return uuid.NewSHA1(TurnSpace, append(append(owner[:], source...), "\x00"+key...))
}

// Prepare validates a turn and completes it: an id, a conversation, clean text. Errors wrap
// [ErrEmptyScope] or [ErrInvalid].
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

// Fit returns the text cleaned and cut to the maximum length of a turn. It may be empty.
func Fit(text string) string { return english.Shorten(Clean(text), maxTurnRunes) }

// Clean removes what PostgreSQL cannot store, and the surrounding space.
func Clean(s string) string {
	return strings.TrimSpace(strings.ReplaceAll(strings.ToValidUTF8(s, "�"), "\x00", ""))
}

// Answers reports whether t is a person's answer to what nAIber said in before, in the same
// conversation.
func Answers(t, before Turn) bool {
	return before.Speaker == calls.RoleAssistant && t.Speaker == calls.RoleUser && t.Conversation == before.Conversation
}

// ByScope groups turns by scope, preserving their order.
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

// AssistantName is nAIber's name in what is searched and recalled.
const AssistantName = "nAIber"

// Speaker returns the name of the speaker of a turn.
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

// Unique sorts ids in place and removes duplicates.
func Unique(ids []uuid.UUID) []uuid.UUID {
	slices.SortFunc(ids, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
	return slices.Compact(ids)
}
