package council

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/store/checks"
	"github.com/naiber/naiber/store/discussions"
)

// The kinds of actions: what a confirmed action does.
const (
	ActionPromise  = "promise"         // something to come back to in a call
	ActionNote     = "note"            // a note in the person's file
	ActionPause    = "pause"           // a pause of calls
	ActionQuestion = "health_question" // a question in the next health check
	ActionTell     = "tell"            // telling somebody, which humans do
)

// conclusion is what the moderator proposes.
type conclusion struct {
	Agreed  []string   `json:"agreed" desc:"What can be agreed on, a sentence each, with labels in brackets"`
	Open    []string   `json:"open" desc:"What stays open, a sentence each"`
	Actions []proposal `json:"actions" desc:"What a human should decide on; none rather than a vague one"`
	Another bool       `json:"anotherRound" desc:"Another round over the same record could settle what is open"`
	Ask     string     `json:"askCarers" desc:"A question that only the carers can answer; empty if there is none"`
}

type proposal struct {
	Kind string `json:"kind" enum:"promise,note,pause,health_question,tell"`
	Text string `json:"text" desc:"What is to be done, as one sentence that can stand alone. Of a health_question: the question itself, as it is put to the person. Of a promise: what to ask about or to think of in the next call"`
	Days int    `json:"days" desc:"Of a pause: for how many days; 0 for other kinds"`
}

// action returns the action for a human being to decide on, and reports false if it has no text. A
// question is shown as it is asked, without citations; one that cannot be asked as it stands
// becomes [ActionTell].
func (p proposal) action() (discussions.Action, bool) {
	a := discussions.Action{ActionID: uuid.Must(uuid.NewV7()), Kind: p.Kind, Text: strings.TrimSpace(p.Text)}
	switch p.Kind {
	case ActionPause:
		if a.Days = min(p.Days, mostDays); a.Days <= 0 {
			a.Days = usualDays
		}
	case ActionQuestion:
		if a.Text = english.OneLine(Uncited(a.Text)); !strings.HasSuffix(a.Text, "?") || len(english.Sentences(a.Text)) != 1 || utf8.RuneCountInString(a.Text) > checks.MaxQuestion {
			a.Kind = ActionTell
		}
	}
	return a, a.Text != ""
}

var conclusionSchema = llm.SchemaOf[conclusion]("council_conclusion")

// mostActions is the most actions in one conclusion; usualDays and mostDays are the usual and the
// longest length of a pause.
const (
	mostActions = 6
	usualDays   = 7
	mostDays    = 60
)

// conclude asks the model for the conclusion of the last round: another round, a question to the
// carers, or the end.
func (s *session) conclude(ctx context.Context) error {
	rounds := s.shown.Rounds
	last := rounds[len(rounds)-1].said()
	req, err := s.prompt(ctx, Round{Round: last.Round, Question: last.Question, Messages: last.Messages}, Moderator)
	if err != nil {
		return err
	}
	req.Messages[1].Content += "\nYou have spoken. Put down what your message comes to; add nothing to it."
	var c conclusion
	if err := s.c.cfg.Model.Structured(ctx, req, conclusionSchema, &c); err != nil {
		return fmt.Errorf("conclusion: %w", err)
	}
	if c.Another && last.Round < s.d.Rounds && s.tokens() < s.c.cfg.DiscussionTokens {
		return s.append(ctx, discussions.Appended{}, discussions.NewEvent{Kind: EventRound, Data: Data{Round: last.Round + 1}})
	}
	also := discussions.Appended{Status: discussions.Complete}
	d := Data{Agreed: trimmed(c.Agreed), Open: trimmed(c.Open), Actions: []ActionShown{}}
	if c.Ask = strings.TrimSpace(c.Ask); c.Ask != "" {
		also.Status, d.Question = discussions.Waiting, c.Ask
	}
	texts := append(slices.Concat(d.Agreed, d.Open), c.Ask)
	for _, p := range c.Actions[:min(len(c.Actions), mostActions)] {
		if a, ok := p.action(); ok {
			texts = append(texts, a.Text)
			a.Status = discussions.Proposed
			also.Actions = append(also.Actions, a)
			d.Actions = append(d.Actions, ActionOf(a))
		}
	}
	d.Citations, _ = s.record.Cite(strings.Join(texts, "\n"))
	return s.append(ctx, also, discussions.NewEvent{Kind: EventDone, Data: d})
}

// tokens returns the number of tokens said so far.
func (s *session) tokens() (n int) {
	for _, r := range s.shown.Rounds {
		for _, m := range r.Messages {
			n += english.Tokens(m.Content)
		}
	}
	return n
}

func trimmed(texts []string) []string {
	out := []string{}
	for _, t := range texts {
		if t = strings.TrimSpace(t); t != "" && !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}
