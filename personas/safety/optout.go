package safety

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/internal/phrases"
	"github.com/naiber/naiber/orchestration"
	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/alerts"
	"github.com/naiber/naiber/store/calls"
)

const (
	// byTelephone is how the person opted out, as the store keeps it.
	byTelephone = "said so in a call"
	// optedOutReason is the reason given for ending a call after an opt-out.
	optedOutReason = "opted_out"

	// openOptOut is the kind of alert of a wish for no more calls that was not settled.
	openOptOut = "opt_out_open"

	// maxAsked is how often in a row nAIber asks whether calls shall stop.
	maxAsked = 2

	// optOutTries and optOutDeadline limit storing an opt-out while the person waits.
	optOutTries    = 4
	optOutDeadline = 4 * time.Second
)

// askedBack returns the language in which nAIber has asked whether calls shall stop since the
// person's previous words, or nil, and how often in a row it has asked. A prompt at a silence may
// come between, but no other question.
func (w *Rules) askedBack(t *orchestration.Turn) (in *language, times int) {
	answered := false
	for _, m := range slices.Backward(t.Messages) {
		switch {
		case m.Role == llm.RoleAssistant:
			l, n := w.asksOptOut(m.Content)
			switch {
			case n > 0:
				in, times = cmp.Or(in, l), times+n
			case in != nil:
				return in, times
			case strings.Contains(orchestration.WithoutPrompts(m.Content), "?"):
				return nil, 0
			}
			answered = true
		case m.Role == llm.RoleUser && answered && in == nil && strings.Trim(m.Content, ".… \t\r\n") != "":
			return nil, 0
		}
	}
	return in, times
}

// asksOptOut returns how often a line of nAIber's asks whether calls shall stop, and in which
// language.
func (w *Rules) asksOptOut(line string) (in *language, times int) {
	for _, text := range w.lines.marks(line) {
		if r := roles[text]; r.optOut {
			in, times = r.in, times+1
		}
	}
	return in, times
}

// openWish is a wish for no more calls that is not settled yet.
type openWish struct {
	in           *language // of the question
	conversation string
	place        int // of the turn that was last answered by the question, or of the wish
	asked        int // how often
	alert        alerts.New
	file         <-chan string // see [Rules.hold]
}

// wish returns the language in which a turn asks for no more calls, or nil. From then on the wish is
// open, whatever is answered first: if no reply settles it, a human being is told of it, at the
// latest when the call has ended.
func (w *Rules) wish(ctx context.Context, t *orchestration.Turn, h heard) *language {
	l := h.told((*language).optsOut)
	if l == nil || w.cfg.Lesser != nil && w.cfg.Lesser(t) {
		return nil
	}
	id := t.Line.Call.ID
	w.mu.Lock()
	_, open := w.wanted[id]
	w.mu.Unlock()
	if open || !t.Line.Call.Whose().Known() { // nobody to call, and nobody to tell of
		return l
	}
	a := alertOf(t, openOptOut, alerts.SameDay, t.Heard, "asked for no more calls, and it could not be settled in the call: calls go on")
	o := &openWish{in: l, conversation: t.Line.ConversationID, place: t.Place, alert: a, file: w.hold(ctx, record{Call: id, At: t.At, Alert: &a})}
	w.mu.Lock()
	w.wanted[id] = o
	w.mu.Unlock()
	return l
}

// askOptOut asks whether calls shall stop, by the last of texts.
func (w *Rules) askOptOut(t *orchestration.Turn, s *orchestration.Speech, l *language, texts ...string) error {
	s.Note("intent", "opt_out")
	w.mu.Lock()
	if o := w.wanted[t.Line.Call.ID]; o != nil {
		next := *o
		next.in, next.conversation, next.place, next.asked = l, t.Line.ConversationID, t.Place, o.asked+1
		w.wanted[t.Line.Call.ID] = &next
	}
	w.mu.Unlock()
	return say(s, texts...)
}

// settle forgets the open wish of a call, if there is one.
func (w *Rules) settle(ctx context.Context, id store.CallID) {
	w.mu.Lock()
	o := w.wanted[id]
	delete(w.wanted, id)
	w.mu.Unlock()
	if o != nil {
		w.release(ctx, id, o.file)
	}
}

// tellOpen raises the open wish of a call, if there is one.
func (w *Rules) tellOpen(ctx context.Context, id store.CallID) {
	w.mu.Lock()
	o := w.wanted[id]
	w.mu.Unlock()
	if o != nil {
		w.Raise(ctx, o.alert)
		w.settle(ctx, id)
	}
}

// toAskOptOut returns the language in which to ask whether calls shall stop, or nil: wish, that of
// the turn, or else that of an earlier turn whose question the person has not heard to its end,
// because danger was answered first, the line broke, or it was cut short. A wish in a turn that a
// longer hearing replaced is forgotten.
func (w *Rules) toAskOptOut(ctx context.Context, t *orchestration.Turn, wish *language) *language {
	if wish != nil {
		return wish
	}
	id := t.Line.Call.ID
	w.mu.Lock()
	o := w.wanted[id]
	w.mu.Unlock()
	switch {
	case o == nil:
		return nil
	case o.conversation == t.Line.ConversationID && (t.Place <= o.place || t.Since > 0 && t.Since <= o.place):
		w.settle(ctx, id)
		return nil
	case o.asked >= maxAsked:
		return nil
	}
	return o.in
}

// answeredOptOut goes on after the question whether calls shall stop. If the reply is neither a yes
// nor a no, it asks once more, and then tells a human being of the wish.
func (w *Rules) answeredOptOut(ctx context.Context, t *orchestration.Turn, s *orchestration.Speech, h heard, l *language, times int) error {
	yes, no := h.answer()
	switch {
	case yes:
		return w.optOut(ctx, t, s, l)
	case no:
		w.settle(ctx, t.Line.Call.ID)
		s.Note("intent", "opt_out_declined")
		return say(s, l.Texts.GoOnCalling, w.question(t))
	case times < maxAsked:
		return w.askOptOut(t, s, l, l.Texts.AskAgain)
	}
	w.tellOpen(ctx, t.Line.Call.ID)
	s.Note("intent", "opt_out_unclear")
	return say(s, w.fill(ctx, t, l, openOptOut, l.Texts.Unclear), w.question(t))
}

// endsCalls reports whether a key ends all calls: star and nine in every call, nine alone where no
// number was asked for. Calls of company ask for none, and name the nine in their first words.
func (l *language) endsCalls(t *orchestration.Turn) bool {
	return t.Keypad == "*9" || t.Keypad == "9" && (t.Line.Call.Type == calls.CallGeneral || !l.Holds(&l.AsksNumber, l.Tokens(english.Scan(t.LastSaid()))))
}

// optOut stores the wish not to be called any more, then confirms it and ends the call. An
// interruption or a hang-up does not stop the storing.
func (w *Rules) optOut(ctx context.Context, t *orchestration.Turn, s *orchestration.Speech, l *language) error {
	who := t.Line.Call.Whose() // anybody may ask for it: it reveals nothing
	s.Note("intent", "opt_out")
	if !who.Known() {
		if err := say(s, l.Texts.UnknownOut); err != nil {
			return err
		}
		return s.EndCall(optedOutReason)
	}
	log := w.log.With(slog.String("call_id", t.Line.Call.ID.String()), slog.String("person_id", who.String()))
	if err := w.keepOptOut(context.WithoutCancel(ctx), who); err != nil {
		log.LogAttrs(ctx, slog.LevelError, "opt-out not kept", slog.Any("err", err))
		s.Degraded("opt_out_not_kept")
		return say(s, l.Texts.NotKept)
	}
	log.LogAttrs(ctx, slog.LevelInfo, "person opted out")
	if t.Line.Call.Withheld() { // it may have been a person who wants nobody to look after the one called
		w.alert(ctx, t, optedOutReason, alerts.SameDay, t.Heard, "calls end at a wish of somebody on their line")
	}
	w.settle(ctx, t.Line.Call.ID)
	s.Note("optedOut", true)
	if err := say(s, l.Texts.OptedOut); err != nil {
		return err
	}
	return s.EndCall(optedOutReason)
}

func (w *Rules) keepOptOut(ctx context.Context, who store.PersonID) error {
	ctx, cancel := context.WithTimeout(ctx, optOutDeadline)
	defer cancel()
	wait := w.cfg.Retry
	for try := 1; ; try++ {
		err := w.cfg.Store.OptOut(ctx, who, byTelephone)
		if err == nil || try == optOutTries {
			return err
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return err
		}
		wait *= 2
	}
}

// OptsOut reports whether a turn asks for no more calls at all.
func OptsOut(t *orchestration.Turn) bool { return hear(t).told((*language).optsOut) != nil }

// optsOut reports whether words ask for no more calls, ever. It errs towards hearing a wish,
// because nAIber asks back before it acts on one.
func (l *language) optsOut(toks []phrases.Token) bool {
	from, _ := l.nextOptOut(toks, 0)
	return from >= 0
}

// nextOptOut returns the first phrase at or after i that asks for no more calls, or -1.
func (l *language) nextOptOut(toks []phrases.Token, i int) (from, to int) {
	for from, to = l.Next(&l.OptOut, toks, i); from >= 0; from, to = l.Next(&l.OptOut, toks, from+1) {
		before := phrases.Within(toks[:from+1], from, from+1, phrases.SameSentence)
		if !l.Holds(&l.NotOptOut, phrases.Within(toks, from, to, phrases.SameClause)) && !l.Holds(&l.NotOptOutBefore, before) {
			break
		}
	}
	return from, to
}

// mostBare is the most words of a reply in which a bare yes counts. In a longer one it may mean
// anything: "sure, why would I want that?".
const mostBare = 6

// answer reads the reply to whether calls shall stop, in all languages at once: each knows the "no"
// of another, but not what it belongs to. Asking for no more calls is a yes, with a bare no beside
// it or without. A reply that otherwise says yes and no is neither.
func (h heard) answer() (yes, no bool) {
	var asks, agrees, unsure, declines []span
	for _, in := range h {
		for from, to := in.nextOptOut(in.toks, 0); from >= 0; from, to = in.nextOptOut(in.toks, from+1) {
			asks = append(asks, in.span(from, to))
		}
		asks = append(asks, in.spans(&in.NoMore)...)
		agrees = append(append(agrees, in.spans(&in.Agree)...), in.spans(&in.AgreeOut)...)
		unsure = append(unsure, in.spans(&in.Unsure)...)
		declines = append(declines, in.spans(&in.Decline)...)
		if in.consistsOf(&in.OnlyAgree, in.toks) {
			agrees = append(agrees, in.span(0, len(in.toks)))
		}
	}
	kept := without(declines, slices.Concat(asks, agrees, unsure))
	agrees = without(agrees, declines)
	switch {
	case len(asks) > 0:
		return !slices.ContainsFunc(kept, func(d span) bool { return d.words > 1 }), false
	case len(unsure) > 0, len(agrees) > 0 && len(kept) > 0:
		return false, false
	case len(h) > 0 && len(h[0].toks) > mostBare && !slices.ContainsFunc(agrees, func(a span) bool { return a.words > 1 }) && len(kept) == 0:
		return false, false
	default:
		return len(agrees) > 0, len(kept) > 0
	}
}

// span is a phrase in a text.
type span struct{ start, end, words int }

func (in reading) span(from, to int) span {
	return span{in.toks[from].Start, in.toks[to-1].End, to - from}
}

// spans returns the longest phrase of t at each word.
func (in reading) spans(t *phrases.Table) (all []span) {
	for i := range in.toks {
		if to := in.LongestAt(t, in.toks, i); to > i {
			all = append(all, in.span(i, to))
		}
	}
	return all
}

// without returns spans without those that are part of a longer one of others.
func without(spans, others []span) []span {
	return slices.DeleteFunc(slices.Clone(spans), func(s span) bool {
		return slices.ContainsFunc(others, func(o span) bool {
			return o.start <= s.start && s.end <= o.end && s.end-s.start < o.end-o.start
		})
	})
}

// consistsOf reports whether words are phrases of t and nothing else.
func (l *language) consistsOf(t *phrases.Table, toks []phrases.Token) bool {
	for i := 0; i < len(toks); {
		to := l.LongestAt(t, toks, i)
		if to <= i {
			return false
		}
		i = to
	}
	return len(toks) > 0
}
