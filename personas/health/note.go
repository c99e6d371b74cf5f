package health

import (
	"encoding/json"

	"github.com/naiber/naiber/personas/health/packs"
)

// noteKey is the key of a check's note on the timeline of its call.
const noteKey = "health"

// Note is the entry for a turn in the timeline of a call: the state of the check and what was
// recorded, without any word of the person.
type Note struct {
	Phase    string        `json:"phase"` // a [Phase], or follow_up
	Question *NoteQuestion `json:"question,omitempty"`
	Readings []NoteReading `json:"readings"`
	Answered int           `json:"answered"`
	Of       int           `json:"of"`
	Resumed  bool          `json:"resumed,omitempty"`
}

// NoteQuestion is the question that is now open.
type NoteQuestion struct {
	ID      string `json:"id"`
	Short   string `json:"short"`
	Type    string `json:"type"`
	Attempt int    `json:"attempt"` // from 0
	Pack    string `json:"pack"`
}

// NoteReading is an answer that a turn recorded or left unclear. A text has no value here, as it is
// the person's own words.
type NoteReading struct {
	QuestionID string          `json:"questionId"`
	Short      string          `json:"short"`
	Status     string          `json:"status"`
	Value      json.RawMessage `json:"value"`
	Confidence float64         `json:"confidence"`
	Source     string          `json:"source"`
	Correction bool            `json:"correction"`
}

// note returns the note of the turn that led to this state.
func (s *State) note() Note {
	n := Note{Phase: s.toldPhase(), Readings: []NoteReading{}, Resumed: s.resumed()}
	n.Answered, n.Of = s.progress()
	if e := s.current(); e != nil && s.Phase != PhaseClosing {
		n.Question = &NoteQuestion{
			ID: e.Question.ID, Short: e.Question.Short, Type: string(e.Question.Type), Attempt: max(0, e.Asked-1), Pack: e.Question.Pack,
		}
	}
	for _, d := range s.Noted {
		e := s.entry(d.ID)
		if e == nil {
			continue
		}
		r := NoteReading{QuestionID: d.ID, Short: e.Question.Short, Status: statusUnclear, Value: json.RawMessage("null"), Correction: d.Correction, Source: sourceRules}
		if a := e.Answer; a != nil && !d.Unclear {
			r.Status, r.Confidence, r.Source = a.Status, a.Confidence, a.Source
			if a.given() && a.Value.Type != packs.TypeText {
				r.Value = encode(a.Value)
			}
		}
		n.Readings = append(n.Readings, r)
	}
	return n
}

// toldPhase returns the phase as the timeline names it.
func (s *State) toldPhase() string {
	if e := s.current(); s.Phase == PhaseAsking && e != nil && e.FollowUpOf != "" {
		return "follow_up"
	}
	return string(s.Phase)
}
