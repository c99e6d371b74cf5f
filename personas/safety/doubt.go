package safety

import (
	"context"
	"slices"
	"strings"

	"github.com/naiber/naiber/internal/phrases"
	"github.com/naiber/naiber/orchestration"
	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/alerts"
	"github.com/naiber/naiber/store/calls"
)

const (
	// maxDoubts is how often a call is interrupted to ask whether there is danger.
	maxDoubts = 2
	// maxNo is how many words a reply may have that denies danger by its first word alone.
	maxNo = 12
)

// toAsk returns the first doubt that is worth a question, or nil.
func (w *Rules) toAsk(t *orchestration.Turn, doubts []redFlag) *redFlag {
	asked := 0
	for _, m := range t.Messages {
		if m.Role == llm.RoleAssistant && w.asksDoubt(m.Content) {
			asked++
		}
	}
	if asked >= maxDoubts {
		return nil
	}
	for _, f := range doubts {
		if f.tier() >= alerts.Urgent && !w.answered(t, f.kind) {
			return &f
		}
	}
	return nil
}

// ask asks whether there is danger.
func (w *Rules) ask(t *orchestration.Turn, s *orchestration.Speech, f *redFlag) error {
	s.Note("doubt", f.kind)
	w.mu.Lock()
	w.asked[t.Line.Call.ID] = alertOf(t, f.kind, f.tier(), f.said, f.why+", and asked whether there is danger, nothing more was said until the call ended")
	w.mu.Unlock()
	return say(s, f.in.Texts.doubt(f.kind))
}

// answeredDoubt takes out what a call was asked about, and returns it.
func (w *Rules) answeredDoubt(id store.CallID) (a alerts.New, was bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	a, was = w.asked[id]
	delete(w.asked, id)
	return a, was
}

// Ended raises what a call that has ended was asked about without an answer: who falls off
// the line may be in danger.
func (w *Rules) Ended(id store.CallID) {
	if a, was := w.answeredDoubt(id); was {
		w.Raise(context.Background(), a)
	}
}

func (w *Rules) asksDoubt(line string) bool {
	return slices.ContainsFunc(w.lines.marks(line), func(text string) bool { return roles[text].doubt })
}

// doubted returns the doubt that nAIber's last line asked about, or nil.
func (w *Rules) doubted(t *orchestration.Turn) *redFlag {
	before, last := "", ""
	for _, m := range slices.Backward(t.Messages) {
		switch {
		case strings.TrimSpace(m.Content) == "":
		case m.Role == llm.RoleAssistant && last == "":
			if last = m.Content; !w.asksDoubt(last) {
				return nil
			}
		case m.Role == llm.RoleUser && last != "":
			before = strings.TrimSpace(m.Content + " " + before) // as a turn is heard
		case m.Role == llm.RoleAssistant:
			return w.inDoubt(t, before)
		}
	}
	return w.inDoubt(t, before)
}

// inDoubt returns the doubt in what was said before.
func (w *Rules) inDoubt(t *orchestration.Turn, said string) *redFlag {
	then := *t
	then.Kind, then.Heard = calls.TurnSpeech, said
	_, doubts := hear(&then).flags(said)
	return w.toAsk(&orchestration.Turn{Line: t.Line}, doubts)
}

// resolve goes by the answer to a doubt: what is not denied is raised. It returns the flag to
// answer, or nil.
func (w *Rules) resolve(ctx context.Context, t *orchestration.Turn, s *orchestration.Speech, h heard, doubt *redFlag) *redFlag {
	if h.deniesDanger() {
		s.Note("doubt", "denied")
		return nil
	}
	f := *doubt
	f.why += ", and asked whether there is danger, it was not denied"
	if t.Heard != "" {
		f.said += " … " + t.Heard
	}
	w.raise(ctx, t, s, []redFlag{f})
	return &f
}

// deniesDanger reports whether a reply to the question whether there is danger denies it. A yes
// in any language counts before a no: all of them know "no".
func (h heard) deniesDanger() bool {
	if h.told((*language).isAllRight) != nil {
		return true
	}
	if h.told(func(l *language, toks []phrases.Token) bool { return l.Holds(&l.Agree, toks) || l.takesBackNo(toks) }) != nil {
		return false
	}
	return h.told(func(l *language, toks []phrases.Token) bool {
		return len(toks) > 0 && len(toks) <= maxNo && l.LongestAt(&l.Decline, toks, 0) > 0
	}) != nil
}

// takesBackNo reports whether words take the denial from a no, within a clause: "no estoy bien" is
// the contrary of "no, estoy bien".
func (l *language) takesBackNo(toks []phrases.Token) bool {
	for from, to := l.Next(&l.NotDenied, toks, 0); from >= 0; from, to = l.Next(&l.NotDenied, toks, from+1) {
		if toks[from].Clause() == toks[to-1].Clause() {
			return true
		}
	}
	return false
}
