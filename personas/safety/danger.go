package safety

import (
	"cmp"
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/naiber/naiber/internal/phrases"
	"github.com/naiber/naiber/orchestration"
	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/store/calls"
)

const (
	// dangerSilences is how many silences in a row are met with words until the call
	// is ended: whoever cannot speak may still be able to dial.
	dangerSilences = 5
	// recallDeadline bounds asking whether a line that was picked up again broke in danger.
	recallDeadline = 300 * time.Millisecond
)

// Why a call ends in danger.
const (
	reasonGoodbye = "goodbye"
	reasonSilence = "silence"
)

// inDanger answers danger where it is told of: a fixed text tells the person to ring
// the emergency number or somebody near, for nAIber cannot. The call is marked, and
// its persona hears nothing more until the person says to be all right.
func (w *Rules) inDanger(ctx context.Context, t *orchestration.Turn, s *orchestration.Speech, l *language, kind string) error {
	id := t.Line.Call.ID
	w.log.LogAttrs(ctx, slog.LevelWarn, "person tells of danger", slog.String("call_id", id.String()),
		slog.String("person_id", t.Line.Person.ID.String()), slog.String("kind", kind))
	s.Note("danger", kind)
	w.keep(ctx, "danger", id, func(ctx context.Context) error { return w.cfg.Store.MarkDanger(ctx, id, kind, t.At) })
	return say(s, w.fill(t, l, l.Texts.Danger))
}

// stay goes on with somebody who is in danger. turns is how often that was done.
func (w *Rules) stay(ctx context.Context, t *orchestration.Turn, s *orchestration.Speech, h heard, l *language, turns int) error {
	does := func(has func(l *language, toks []phrases.Token) bool) bool { return h.told(has) != nil }
	switch {
	case does((*language).isAllRight):
		id := t.Line.Call.ID
		s.Note("danger", "over")
		w.keep(ctx, "danger_over", id, func(ctx context.Context) error { return w.cfg.Store.EndDanger(ctx, id, t.At) })
		return say(s, w.fill(t, l, l.Texts.Over), w.question(t))
	case does(func(l *language, toks []phrases.Token) bool { return l.Holds(&l.Leaving, toks) }):
		return w.leave(t, s, l, reasonGoodbye)
	case does(func(l *language, toks []phrases.Token) bool { return l.Holds(&l.Helped, toks) }):
		return say(s, w.fill(t, l, l.Texts.Helped))
	case t.Kind == calls.TurnSilence && t.Silences >= dangerSilences:
		return w.leave(t, s, l, reasonSilence)
	}
	return say(s, w.fill(t, l, l.Texts.Stay[turns%len(l.Texts.Stay)]))
}

func (w *Rules) leave(t *orchestration.Turn, s *orchestration.Speech, l *language, reason string) error {
	if err := say(s, w.fill(t, l, l.Texts.Leave)); err != nil {
		return err
	}
	return s.EndCall(reason)
}

// fill puts the emergency number into a text.
func (w *Rules) fill(t *orchestration.Turn, l *language, text string) string {
	number := l.Texts.NoNumber
	if digits := w.Number(cmp.Or(t.Line.Person.Phone, t.Line.Call.Phone)); digits != "" {
		// Apart, so that a voice says them one by one.
		number = strings.ReplaceAll(l.Texts.Number, "{digits}", strings.Join(strings.Split(digits, ""), " "))
	}
	return strings.ReplaceAll(text, "{number}", number)
}

// plight tells whether danger was told of and not taken back: the language of the
// answer, or nil, and how many lines of nAIber's have followed it. After a line
// was picked up again the history is new, and the call's mark tells.
func (w *Rules) plight(ctx context.Context, t *orchestration.Turn) (in *language, turns int) {
	known := false
	for _, m := range t.Messages {
		if m.Role != llm.RoleAssistant || strings.TrimSpace(m.Content) == "" {
			continue
		}
		turns++
		switch held := w.lines.marks(m.Content); {
		case held.danger != nil:
			in, turns, known = held.danger, 0, true
		case held.over != nil:
			in, known = nil, true
		}
	}
	if known || t.Line.ConversationID == t.Line.Call.ConversationID || t.Line.Call.ConversationID == "" {
		return in, turns
	}
	if w.marked(ctx, t) {
		in = tongue(t)
	}
	return in, turns
}

// marked reports whether a call's mark says that its danger is not over.
func (w *Rules) marked(ctx context.Context, t *orchestration.Turn) (marked bool) {
	err := bounded(ctx, recallDeadline, func(ctx context.Context) error {
		c, err := w.cfg.Store.Call(ctx, t.Line.Call.ID)
		marked = c.Danger != nil && c.Danger.OverAt == nil
		return err
	})
	if err != nil {
		w.log.LogAttrs(ctx, slog.LevelWarn, "danger is not known", slog.String("call_id", t.Line.Call.ID.String()), slog.Any("err", err))
	}
	return marked
}
