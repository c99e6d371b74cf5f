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
	// historyLines is how much of the conversation a model is shown that words a
	// question: enough for its tone, little enough to be fast.
	historyLines = 6
	// heardShare is how much of our last words must have been heard for the
	// question at their end to count as heard.
	heardShare = 0.6
	// keyBytes of a hash tell the turns at one place apart.
	keyBytes = 12
)

// input is what a turn brought.
type input struct {
	words, keys  string
	conversation string
	at           time.Time
	history      []llm.Message
	opening      string // our first words in the conversation: who calls, and what for
	// cut is what was heard of our last words, where the person cut them short.
	cut    string
	wasCut bool
	// covered: a fixed sentence was said where our last reply failed.
	covered bool
	// unheard: our last words were not heard at all.
	unheard bool
	// onAbandoned lets f be called once nobody waits for the reply any more, unless it is
	// stopped before.
	onAbandoned func(f func()) (stop func() bool)
	// recall is what memory has, of what was just said where that may be waited for, else
	// of what was said before; nil: nothing is recalled.
	recall func(ctx context.Context, waits bool) []string
	// ahead begins to look for what the words bring to mind, for later turns.
	ahead  func()
	report *report
}

// report gathers what the record of a turn is to tell besides its words.
type report struct {
	degraded []string
	model    string
	fixed    bool // what is said is a pack's, in this very turn: no model has worded it
}

// degrade adds a reason why the turn was answered with less than it could be.
func (r *report) degrade(reason string) {
	if reason != "" && !slices.Contains(r.degraded, reason) {
		r.degraded = append(r.degraded, reason)
	}
}

// inputOf takes from a turn what the graph is to know of it.
func inputOf(ctx context.Context, t *orchestration.Turn) input {
	in := input{
		words: strings.TrimSpace(t.Heard), keys: t.Keypad, conversation: t.Line.ConversationID,
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

// key tells turns at one place apart without holding a word of the person.
func key(t *orchestration.Turn) string {
	sum := sha256.Sum256([]byte(t.Heard + "\x00" + t.Keypad))
	return hex.EncodeToString(sum[:keyBytes])
}

// missed reports whether the person spoke before the question in our last words
// was heard. Last words that are not ours (a prompt at a silence) came after it.
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

// before is the conversation before the reply and the question that it is to.
func (in *input) before() []llm.Message {
	i := len(in.history)
	for _, role := range []string{llm.RoleUser, llm.RoleAssistant} {
		for i > 0 && in.history[i-1].Role == role {
			i--
		}
	}
	return in.history[:i]
}

// was reports whether the conversation holds words of ours.
func (in *input) was(spoken string) bool {
	spoken = strings.Join(strings.Fields(spoken), " ")
	return slices.ContainsFunc(in.history, func(m llm.Message) bool {
		return m.Role == llm.RoleAssistant && strings.Contains(strings.Join(strings.Fields(m.Content), " "), spoken)
	})
}

// untilAbandoned returns ctx until nobody waits for the reply any more: what a model
// would be asked for then is not needed.
func (in *input) untilAbandoned(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	if in.onAbandoned == nil {
		return ctx, cancel
	}
	stop := in.onAbandoned(cancel)
	return ctx, func() { stop(); cancel() }
}

// context is what a reading depends on besides the words.
func (s *State) context(in *input) reader.Context {
	return reader.Context{Now: in.at.In(s.location()), Locale: s.Language}
}
