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
	// maxDoubts is how often a call may be interrupted to ask whether there is danger.
	maxDoubts = 2
	// maxNo is the most words in a reply that denies danger by its first words alone.
	maxNo = 12
)

// toAsk returns the first doubt that is worth a question, or nil: an urgent one that the persona
// does not answer itself, unless the call was interrupted maxDoubts times.
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

// openDoubt is a doubt that a call was asked about and that is not answered yet.
type openDoubt struct {
	flag         redFlag
	conversation string
	place        int
	asked        int // how often
	alert        alerts.New
	file         <-chan string // see [Rules.hold]
}

// missed reports whether a turn that comes after the question does not reply to it: the line broke
// and was picked up again, or the question was cut short before it could be understood. A longer
// hearing of a turn replaces the turn that was asked about.
func (d *openDoubt) missed(t *orchestration.Turn) bool {
	return d.conversation != t.Line.ConversationID || t.Place > d.place && (t.Since == 0 || t.Since > d.place)
}

// ask asks whether there is danger; before is how often it was asked already.
func (w *Rules) ask(ctx context.Context, t *orchestration.Turn, s *orchestration.Speech, f *redFlag, before int) error {
	s.Note("doubt", f.kind)
	d := &openDoubt{
		flag: *f, conversation: t.Line.ConversationID, place: t.Place, asked: before + 1,
		alert: alertOf(t, f.kind, f.tier(), f.said, f.why+", and asked whether there is danger, nothing more was said until the call ended"),
	}
	d.file = w.hold(ctx, record{Call: d.alert.CallID, At: d.alert.At, Alert: &d.alert})
	w.mu.Lock()
	w.asked[t.Line.Call.ID] = d
	w.mu.Unlock()
	return say(s, f.in.Texts.doubt(f.kind))
}

// answeredDoubt removes and returns the open doubt of a call, or nil. Its record stays in the
// journal until [Rules.releaseDoubt], so it survives a crash before the outcome is kept.
func (w *Rules) answeredDoubt(id store.CallID) *openDoubt {
	w.mu.Lock()
	defer w.mu.Unlock()
	d := w.asked[id]
	delete(w.asked, id)
	return d
}

// Ended raises the unanswered doubt of a call that has ended, and its open wish for no more calls,
// if there are any: a person whose line drops may be in danger.
func (w *Rules) Ended(id store.CallID) {
	ctx := context.Background()
	if d := w.answeredDoubt(id); d != nil {
		w.Raise(ctx, d.alert)
		w.releaseDoubt(ctx, d)
	}
	w.tellOpen(ctx, id)
}

// releaseDoubt removes the record of a doubt from the journal.
func (w *Rules) releaseDoubt(ctx context.Context, d *openDoubt) {
	if d != nil {
		w.release(ctx, d.alert.CallID, d.file)
	}
}

// pending returns the doubt that a turn answers, or the one to ask about again because the person
// has not heard the question to its end, and then how often it was asked.
func (w *Rules) pending(ctx context.Context, t *orchestration.Turn, h heard, open *openDoubt, flags []redFlag) (answers, again *redFlag, asked int) {
	if w.lastAsksDoubt(t) {
		if open != nil {
			return &open.flag, nil, 0
		}
		return w.doubted(t), nil, 0
	}
	if open == nil {
		open = w.leftOpen(ctx, t)
	}
	switch {
	case open == nil, h.takesBack(needs{}):
		return nil, nil, 0
	case !open.missed(t):
		if open.asked > 1 && t.Kind == calls.TurnSpeech && len(flags) == 0 { // the doubt is not in its words, but in earlier ones
			return nil, &open.flag, open.asked - 1
		}
		return nil, nil, 0
	case t.Kind != calls.TurnSpeech, len(flags) > 0, open.asked >= maxDoubts:
		return &open.flag, nil, 0
	}
	return nil, &open.flag, open.asked
}

// leftOpen returns the doubt that another process had asked about when the line broke, or nil. Only
// the first words after that are taken for a reply to it.
func (w *Rules) leftOpen(ctx context.Context, t *orchestration.Turn) *openDoubt {
	first := func(m llm.Message) bool { return m.Role == llm.RoleUser }
	if i := slices.IndexFunc(t.Messages, first); !resumed(t) || i >= 0 && slices.ContainsFunc(t.Messages[i+1:], first) {
		return nil
	}
	said := make([]llm.Message, 0, 2)
	for _, u := range w.saidBefore(ctx, t) {
		if u.ConversationID != t.Line.ConversationID {
			said = append(said, llm.Message{Role: string(u.Role), Content: u.Text})
		}
	}
	i := len(said)
	for i > 0 && said[i-1].Role == llm.RoleUser {
		i--
	}
	reply := *t
	reply.Kind, reply.Heard, reply.Messages = calls.TurnSpeech, "", said[:i]
	for _, m := range said[i:] {
		reply.Heard += m.Content + "\n"
	}
	if f := w.doubted(&reply); f != nil && !hear(&reply).deniesDanger() {
		return &openDoubt{flag: *f, asked: 1}
	}
	return nil
}

func (w *Rules) asksDoubt(line string) bool {
	return slices.ContainsFunc(w.lines.marks(line), func(text string) bool { return roles[text].doubt })
}

// lastAsksDoubt reports whether nAIber's last line asks whether there is danger.
func (w *Rules) lastAsksDoubt(t *orchestration.Turn) bool {
	for _, m := range slices.Backward(t.Messages) {
		if m.Role == llm.RoleAssistant && strings.TrimSpace(m.Content) != "" {
			return w.asksDoubt(m.Content)
		}
	}
	return false
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

// inDoubt returns the doubt in what was said before, or nil.
func (w *Rules) inDoubt(t *orchestration.Turn, said string) *redFlag {
	_, doubts := flagsThen(t, said)
	return w.toAsk(&orchestration.Turn{Line: t.Line}, doubts)
}

// resolve acts on the answer to a doubt. It raises the doubt unless the answer denies it; an answer
// that holds something urgent denies nothing. said holds the flags and doubts of the answer itself.
// It returns the flag to answer, or nil.
func (w *Rules) resolve(ctx context.Context, t *orchestration.Turn, s *orchestration.Speech, h heard, doubt *redFlag, said []redFlag) *redFlag {
	if h.deniesDanger() && !slices.ContainsFunc(said, redFlag.urgent) {
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

// deniesDanger reports whether a reply to the question whether there is danger denies it. A yes in
// any language counts before a no, because all of them know "no".
func (h heard) deniesDanger() bool {
	if h.takesBack(needs{}) || h.told((*language).onlyDenies) != nil {
		return true
	}
	if h.told(func(l *language, toks []phrases.Token) bool { return l.Holds(&l.Agree, toks) || l.takesBackNo(toks) }) != nil {
		return false
	}
	return h.told(func(l *language, toks []phrases.Token) bool {
		return len(toks) > 0 && len(toks) <= maxNo && l.LongestAt(&l.Denied, toks, 0) > 0
	}) != nil
}

// onlyDenies reports whether words deny danger and say nothing else. A cry repeated denies nothing:
// "oh no, oh no".
func (l *language) onlyDenies(toks []phrases.Token) bool {
	for i := 0; i < len(toks); {
		end := l.LongestAt(&l.OnlyDenied, toks, i)
		if end <= i || i > 0 && toks[i].Word == toks[0].Word && slices.Contains(strings.Fields(l.Sets["oh"]), toks[i].Word) {
			return false
		}
		i = end
	}
	return len(toks) > 0
}

// takesBackNo reports whether words cancel a no, within a clause: "no estoy bien" is the contrary
// of "no, estoy bien".
func (l *language) takesBackNo(toks []phrases.Token) bool { return l.inClause(&l.NotDenied, toks) }

// inClause reports whether a clause holds a phrase of t.
func (l *language) inClause(t *phrases.Table, toks []phrases.Token) bool {
	for from, to := l.Next(t, toks, 0); from >= 0; from, to = l.Next(t, toks, from+1) {
		if toks[from].Clause() == toks[to-1].Clause() {
			return true
		}
	}
	return false
}
