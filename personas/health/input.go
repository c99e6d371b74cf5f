package health

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"github.com/naiber/naiber/orchestration"
	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/personas/health/reader"
	"github.com/naiber/naiber/personas/who"
)

const (
	// historyLines is how many messages of the conversation are shown to a model that words a
	// question: enough for its tone, few enough to be fast.
	historyLines = 6
	// heardShare is how much of the caller's last words must have been heard for the question at
	// their end to count as heard.
	heardShare = 0.6
	// keyBytes is the length of the hash that distinguishes the turns at the same place.
	keyBytes = 12
)

// input is the input of a turn.
type input struct {
	words, keys  string
	conversation string
	at           time.Time
	conversed    []llm.Message // the whole conversation
	history      []llm.Message // its last lines
	opening      string        // the caller's first words in the conversation: who calls, and why
	// cut is the part of the caller's last words that was heard, if wasCut is set: a barge-in.
	cut    string
	wasCut bool
	// covered is set if a fixed sentence replaced the last reply, which failed.
	covered bool
	// unheard is set if the caller's last words were not heard at all.
	unheard bool
	// onAbandoned calls f as soon as the reply is no longer awaited, unless stop is called before.
	onAbandoned func(f func()) (stop func() bool)
	// recall returns memories: of what was just said if waits is true, else of what was said
	// before. If nil, there are none.
	recall func(ctx context.Context, waits bool) []string
	// ahead starts a search for memories of the words, for later turns.
	ahead  func()
	report *report
}

// report collects what the record of a turn contains besides its words.
type report struct {
	degraded []string
	model    string
	fixed    bool // what is said in this turn is a pack's wording, not a model's
}

// degrade adds a reason why the response was worse than it could have been.
func (r *report) degrade(reason string) {
	if reason != "" && !slices.Contains(r.degraded, reason) {
		r.degraded = append(r.degraded, reason)
	}
}

// inputOf returns the input of the graph for a turn.
func inputOf(ctx context.Context, t *orchestration.Turn) input {
	in := input{
		words: strings.TrimSpace(t.Heard), keys: t.Keypad, conversation: t.Line.ConversationID, conversed: t.Messages,
		opening: who.Introduction(t.Messages, t.Line.Person.CallName()),
		at:      t.At.Truncate(time.Microsecond), covered: t.Covered, report: &report{},
		onAbandoned: func(f func()) func() bool { return context.AfterFunc(ctx, f) },
	}
	if in.at.IsZero() {
		in.at = time.Now().Truncate(time.Microsecond)
	}
	if t.Interrupted {
		in.cut, in.wasCut = t.LastSaid(), true
	}
	for _, m := range t.Messages {
		if (m.Role == llm.RoleUser || m.Role == llm.RoleAssistant) && strings.TrimSpace(m.Content) != "" {
			in.history = append(in.history, llm.Message{Role: m.Role, Content: m.Content})
		}
	}
	in.history = in.history[max(0, len(in.history)-historyLines):]
	return in
}

// key returns a key that distinguishes turns at the same place. It is a hash, so it does not reveal
// the person's words.
func key(t *orchestration.Turn) string {
	sum := sha256.Sum256([]byte(t.Heard + "\x00" + t.Keypad))
	return hex.EncodeToString(sum[:keyBytes])
}

// missed reports whether the person spoke before they heard the question in the caller's last
// words, spoken. If other words (a prompt after a silence) were cut short, they came after the
// question, which then counts as heard.
func (in *input) missed(spoken string) bool {
	if in.unheard || in.covered && !in.was(spoken) {
		return true
	}
	if !in.wasCut || spoken == "" {
		return false
	}
	whole, part := strings.Fields(spoken), strings.Fields(strings.TrimRight(in.cut, " .…-–—"))
	if len(part) >= len(whole) {
		return false
	}
	for i, w := range part {
		if w != whole[i] && i < len(part)-1 { // the last word may be cut itself
			return false
		}
	}
	return float64(len(part)) < heardShare*float64(len(whole))
}

// before returns the conversation before the reply and the question that it answers.
func (in *input) before() []llm.Message {
	i := len(in.history)
	for _, role := range []string{llm.RoleUser, llm.RoleAssistant} {
		for i > 0 && in.history[i-1].Role == role {
			i--
		}
	}
	return in.history[:i]
}

// was reports whether the conversation contains the given words of the caller. They may lie far back:
// what warns of danger asks the open question again in words of its own.
func (in *input) was(spoken string) bool {
	spoken = strings.Join(strings.Fields(spoken), " ")
	return slices.ContainsFunc(in.conversed, func(m llm.Message) bool {
		return m.Role == llm.RoleAssistant && strings.Contains(strings.Join(strings.Fields(m.Content), " "), spoken)
	})
}

// untilAbandoned returns a context that is cancelled as soon as the reply is no longer awaited: a
// model's answer is then not needed.
func (in *input) untilAbandoned(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	if in.onAbandoned == nil {
		return ctx, cancel
	}
	stop := in.onAbandoned(cancel)
	return ctx, func() { stop(); cancel() }
}

// context returns what a reading depends on besides the words.
func (s *State) context(in *input) reader.Context {
	return reader.Context{Now: in.at.In(s.location()), Locale: s.Language}
}
