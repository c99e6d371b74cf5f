package orchestration

import (
	"hash/maphash"
	"slices"
	"strings"
	"time"

	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
)

// The voice service's own tools that a turn may use if they are offered.
const (
	toolEndCall  = "end_call"
	toolSkipTurn = "skip_turn"
)

// Turn is one request for what to say next. A persona must not change it.
type Turn struct {
	ID   store.TurnID
	Line calls.Line
	// Place is how many messages of the conversation came before the reply, not counting system
	// messages. It identifies the turn within a conversation.
	Place int
	// Since is the place of the first words or keys of the person since nAIber last spoke, or 0 if
	// there are none. Answers from there on before this turn were not heard.
	Since int
	// Attempt counts the different requests for this place, from 1.
	Attempt int
	// Replaces means that an earlier attempt at this place was not spoken: state must be restored
	// to before that attempt.
	Replaces bool
	// Late means that the conversation is already past this place. The turn must be answered, but
	// state must not change.
	Late bool
	Kind calls.TurnKind
	// Heard is what the person said since nAIber last spoke, without keys.
	Heard string
	// Keypad holds the keys pressed since nAIber last spoke: 0-9, * and #.
	Keypad string
	// Silences counts the times in a row that nobody spoke, this one included.
	Silences int
	// Interrupted means that the person cut nAIber's last words short; the history contains the
	// part that was heard.
	Interrupted bool
	// Covered means that a fixed sentence replaces nAIber's last reply in the history, which
	// failed: what the persona may have said then was not heard.
	Covered bool
	// System is the text of all system messages.
	System string
	// Messages holds System and the history, without fillers.
	Messages []llm.Message
	// CanEnd and CanSkip mean that the voice service offered its own tools for ending the call and
	// for saying nothing. [Speech] works without them too.
	CanEnd, CanSkip bool
	At              time.Time
}

// LastSaid returns nAIber's last line in the history, or "".
func (t *Turn) LastSaid() string {
	for _, m := range slices.Backward(t.Messages) {
		if m.Role == llm.RoleAssistant && m.Content != "" {
			return m.Content
		}
	}
	return ""
}

var seed = maphash.MakeSeed()

// newTurn returns the turn that a request describes. Two requests for one place have the same sum
// if they contain the same words.
func newTurn(req *request, line calls.Line, fillers []string, now time.Time) (t *Turn, sum uint64) {
	t = &Turn{
		ID: store.NewTurnID(), Line: line, At: now, Attempt: 1,
		CanEnd: req.offers(toolEndCall), CanSkip: req.offers(toolSkipTurn),
	}
	var h maphash.Hash
	h.SetSeed(seed)
	var system []string
	t.Messages = make([]llm.Message, 1, len(req.messages)+1)
	places := make([]int, 1, len(req.messages)+1) // the place of each of them
	for _, m := range req.messages {
		if m.Role == llm.RoleSystem {
			system = append(system, m.Content)
			continue
		}
		t.Place++
		sumMessage(&h, m)
		if m.Role == llm.RoleAssistant {
			m.Content = withoutFiller(m.Content, fillers)
			if m.Content == "" && len(m.ToolCalls) == 0 {
				continue
			}
		}
		t.Messages = append(t.Messages, m)
		places = append(places, t.Place)
	}
	t.System = strings.Join(system, "\n\n")
	if t.System == "" {
		t.Messages, places = t.Messages[1:], places[1:]
	} else {
		t.Messages[0] = llm.Message{Role: llm.RoleSystem, Content: t.System}
	}
	t.read(places)
	return t, h.Sum64()
}

// sumMessage adds a message to h. Writing to a maphash cannot fail.
func sumMessage(h *maphash.Hash, m llm.Message) {
	for _, s := range []string{m.Role, m.Content, m.ToolCallID} {
		_, _ = h.WriteString(s)
		_ = h.WriteByte(0)
	}
	for _, c := range m.ToolCalls {
		_, _ = h.WriteString(c.Name)
		_ = h.WriteByte(0)
		_, _ = h.WriteString(c.Arguments)
		_ = h.WriteByte(0)
	}
}

// read determines what happened since nAIber last spoke. places holds the place of each message.
func (t *Turn) read(places []int) {
	var heard []string
	var keys string
	skipped := false
scan:
	for i, m := range slices.Backward(t.Messages) {
		switch m.Role {
		case llm.RoleUser:
			if digits, ok := keypad(m.Content); ok {
				keys, t.Since = digits+keys, places[i]
			} else if !silent(m.Content) {
				heard, t.Since = append(heard, strings.TrimSpace(m.Content)), places[i]
			}
		case llm.RoleAssistant:
			if strings.TrimSpace(m.Content) != "" {
				break scan
			}
			// A tool alone: either nAIber chose to say nothing to what came before, or something
			// was noted outside the conversation.
			if len(heard) == 0 && keys == "" && callsTool(m, toolSkipTurn) {
				skipped = true
				break scan
			}
		case llm.RoleSystem:
			break scan
		}
	}
	slices.Reverse(heard)
	t.Heard, t.Keypad = strings.ReplaceAll(strings.Join(heard, " "), "\x00", ""), keys // a NUL, which nobody says, cannot be stored
	switch {
	case !skipped && t.Heard != "":
		t.Kind = calls.TurnSpeech
	case !skipped && keys != "":
		t.Kind = calls.TurnKeypad
	default:
		t.Kind = calls.TurnSilence
		t.Silences = t.silences()
	}
}

// silences returns how often nobody spoke since the person last did. The voice service shows a
// silence as "..." from the user, or by asking again after nAIber's own words; so the larger of
// both counts is right.
func (t *Turn) silences() int {
	dots, said := 0, 0
	for _, m := range slices.Backward(t.Messages) {
		switch m.Role {
		case llm.RoleUser:
			if !silent(m.Content) {
				return max(dots, said, 1)
			}
			dots++
		case llm.RoleAssistant:
			if strings.TrimSpace(m.Content) != "" || callsTool(m, toolSkipTurn) {
				said++
			}
		}
	}
	return max(dots, said, 1)
}

func callsTool(m llm.Message, tool string) bool {
	return slices.ContainsFunc(m.ToolCalls, func(c llm.ToolCall) bool { return c.Name == tool })
}

// silent reports whether a user's message means that nobody spoke.
func silent(s string) bool {
	return strings.Trim(s, ".… \t\r\n") == ""
}

// keypad parses the keys in "[keypad: 7]", the format in which telephony passes them on.
func keypad(s string) (string, bool) {
	s, ok := strings.CutPrefix(strings.TrimSpace(s), "[keypad: ")
	if !ok {
		return "", false
	}
	keys, ok := strings.CutSuffix(s, "]")
	if !ok || keys == "" || strings.Trim(keys, "0123456789*#") != "" {
		return "", false
	}
	return keys, true
}

// withoutFiller removes a filler from the front of a line, to keep models from imitating it.
func withoutFiller(s string, fillers []string) string {
	for _, f := range fillers {
		f = strings.TrimSpace(f)
		if strings.Trim(s, " .…") == strings.Trim(f, " .…") {
			return "" // only the filler was heard
		}
		if rest, ok := strings.CutPrefix(strings.TrimSpace(s), f); ok && f != "" {
			return strings.TrimSpace(rest)
		}
	}
	return s
}

// cutShort reports whether heard is the part of said that was heard before a barge-in.
func cutShort(said, heard string) bool {
	if strings.TrimSpace(said) == heard {
		return false // nearly always
	}
	said = strings.Join(strings.Fields(said), " ")
	heard = strings.TrimRight(strings.Join(strings.Fields(heard), " "), " .…-–—")
	if heard == "" || len(heard) >= len(said) || !strings.HasPrefix(said, heard) {
		return false
	}
	return strings.Trim(said[len(heard):], " .…-–—!?") != ""
}
