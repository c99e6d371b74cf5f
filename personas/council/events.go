package council

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/naiber/naiber/store/discussions"
)

// The kinds of events.
const (
	EventStart     = "discussion-start"
	EventRound     = "round-start"
	EventMessage   = "message-start"
	EventChunk     = "message-chunk"
	EventSaid      = "message-complete"
	EventRoundDone = "round-complete"
	EventDone      = "discussion-complete"
	EventStopped   = "discussion-stopped"
	EventError     = "error"
)

// Data is the payload of an event. Only the fields of its kind are set; a conclusion has its lists
// even if they are empty.
type Data struct {
	Question  string        `json:"question,omitempty"`
	UserID    string        `json:"userId,omitempty"`
	Round     int           `json:"round,omitempty"`
	Turn      int           `json:"turn,omitempty"`
	Turns     []int         `json:"turns,omitempty"`
	Persona   Persona       `json:"persona,omitempty"`
	Index     *int          `json:"index,omitempty"` // of a chunk within its message, from 0
	Text      string        `json:"text,omitempty"`
	Content   string        `json:"content,omitempty"`
	Chunks    int           `json:"chunks,omitempty"`
	Citations []Citation    `json:"citations,omitempty"`
	Unbacked  []string      `json:"unsupported,omitempty"`
	Agreed    []string      `json:"agreed,omitzero"`
	Open      []string      `json:"open,omitzero"`
	Actions   []ActionShown `json:"actions,omitzero"`
	Message   string        `json:"message,omitempty"`
	Retry     *bool         `json:"retry,omitempty"`
	By        string        `json:"by,omitempty"`
}

// ActionShown is an action as viewers see it.
type ActionShown struct {
	ID     string `json:"id"`
	Kind   string `json:"kind"`
	Text   string `json:"text"`
	Days   int    `json:"days,omitempty"` // of a pause
	Status string `json:"status"`
	By     string `json:"by,omitempty"`
	Note   string `json:"note,omitempty"` // of the human being who decided
}

// ActionOf returns an action as viewers see it.
func ActionOf(a discussions.Action) ActionShown {
	out := ActionShown{ID: a.ActionID.String(), Kind: a.Kind, Text: a.Text, Days: a.Days, Status: a.Status}
	if a.DecidedBy != nil {
		out.By = *a.DecidedBy
	}
	if a.Note != nil {
		out.Note = *a.Note
	}
	return out
}

// State is the progress of a round.
type State string

// The states of a round, which are the nodes of its graph, and Failed.
const (
	Initial             State = "INITIAL"
	Validating          State = "VALIDATING"
	ProcessingAnalyzer  State = "PROCESSING_ANALYZER"
	ProcessingSolver    State = "PROCESSING_SOLVER"
	ProcessingModerator State = "PROCESSING_MODERATOR"
	Completed           State = "COMPLETE"
	Failed              State = "FAILED"
)

// processing maps each voice to the state in which it speaks.
var processing = map[Persona]State{Analyzer: ProcessingAnalyzer, Solver: ProcessingSolver, Moderator: ProcessingModerator}

// The statuses of a message.
const (
	Streaming  = "streaming"
	Whole      = "complete"
	Incomplete = "incomplete" // its round failed or was stopped
)

// MessageShown is a message, as far as it has got.
type MessageShown struct {
	Message

	Status      string     `json:"status"`
	StartedAt   time.Time  `json:"startedAt"`
	CompletedAt *time.Time `json:"completedAt,omitempty"`
	chunks      int
}

// RoundShown is a round, as far as it has got.
type RoundShown struct {
	Round    int            `json:"round"`
	Question string         `json:"question,omitempty"`
	State    State          `json:"state"`
	Messages []MessageShown `json:"messages"`
}

// Shown is a discussion as built from its events.
type Shown struct {
	Rounds []RoundShown `json:"rounds"`
	Agreed []string     `json:"agreed"`
	Open   []string     `json:"open"`
	// Asked is the question to the carers, until they answer.
	Asked string `json:"asked,omitempty"`
	// Citations holds what its conclusions cite.
	Citations []Citation `json:"citations"`
	// Actions holds the proposed actions as they stand now. Events do not record decisions:
	// [Council.Show] reads them.
	Actions []ActionShown `json:"actions"`
	last    int64
}

// Fold applies an event, which must be the next one.
func (s *Shown) Fold(e discussions.Event) error {
	var d Data
	if err := json.Unmarshal(e.Data, &d); err != nil {
		return fmt.Errorf("event %d: %w", e.Seq, err)
	}
	if e.Seq != s.last+1 {
		return fmt.Errorf("%w: event %d follows event %d", ErrOrder, e.Seq, s.last)
	}
	s.last = e.Seq
	round, message := s.round(), s.message()
	switch e.Kind {
	case EventRound:
		s.Asked = ""
		s.Rounds = append(s.Rounds, RoundShown{Round: d.Round, Question: d.Question, State: Validating, Messages: []MessageShown{}})
	case EventMessage:
		round.State = processing[d.Persona]
		if message == nil || message.Turn != d.Turn {
			round.Messages = append(round.Messages, MessageShown{Message: Message{Turn: d.Turn, Persona: d.Persona, Citations: []Citation{}}, StartedAt: e.At, Status: Streaming})
		} else {
			message.Status = Streaming
		}
	case EventChunk:
		message.Content += d.Text
		message.chunks++
	case EventSaid:
		message.Content, message.Citations, message.Unsupported = d.Content, append(message.Citations, d.Citations...), d.Unbacked
		message.Status, message.CompletedAt = Whole, &e.At
	case EventRoundDone:
		round.State = Completed
	case EventError, EventStopped:
		if round != nil && round.State != Completed {
			round.State = Failed
			if message != nil && message.Status == Streaming {
				message.Status = Incomplete
			}
		}
	case EventDone:
		s.Agreed, s.Open, s.Asked = append([]string{}, d.Agreed...), append([]string{}, d.Open...), d.Question
		for _, c := range d.Citations { // actions of earlier conclusions are shown too
			if !slices.ContainsFunc(s.Citations, func(before Citation) bool { return before.Label == c.Label }) {
				s.Citations = append(s.Citations, c)
			}
		}
	}
	return nil
}

// round returns the last round, or nil.
func (s *Shown) round() *RoundShown {
	if len(s.Rounds) == 0 {
		return nil
	}
	return &s.Rounds[len(s.Rounds)-1]
}

// message returns the last message of the last round, or nil.
func (s *Shown) message() *MessageShown {
	r := s.round()
	if r == nil || len(r.Messages) == 0 {
		return nil
	}
	return &r.Messages[len(r.Messages)-1]
}

// said returns the round with only its whole messages.
func (r RoundShown) said() Round {
	out := Round{Round: r.Round, Question: r.Question}
	for _, m := range r.Messages {
		if m.Status == Whole {
			out.Messages = append(out.Messages, m.Message)
		}
	}
	return out
}
