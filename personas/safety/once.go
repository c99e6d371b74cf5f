package safety

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/naiber/naiber/orchestration"
	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/survive"
)

// answered reports whether the turn's persona answers a kind itself.
func (w *Rules) answered(t *orchestration.Turn, kind string) bool {
	return (kind == "fire" || kind == "gas") && w.cfg.Answers != nil && w.cfg.Answers(t)
}

// untold returns the first flag whose kind is answered once per call and was not answered yet, or
// nil.
func (w *Rules) untold(ctx context.Context, t *orchestration.Turn, flags []redFlag) *redFlag {
	if !slices.ContainsFunc(flags, func(f redFlag) bool { return f.act() == once }) {
		return nil
	}
	told := w.toldBefore(ctx, t)
	for _, m := range t.Messages {
		if m.Role == llm.RoleAssistant {
			told = append(told, w.lines.marks(m.Content)...)
		}
	}
	for _, f := range flags {
		if f.act() == once && !slices.Contains(told, f.in.Texts.answer(f.kind)) {
			return &f
		}
	}
	return nil
}

// toldBefore returns the texts of ours that the person heard before a broken line was picked up
// again. If they are not known, a text may be said again.
func (w *Rules) toldBefore(ctx context.Context, t *orchestration.Turn) (told []string) {
	for _, u := range w.saidBefore(ctx, t) {
		if u.Role == calls.RoleAssistant {
			told = append(told, w.lines.marks(u.Text)...)
		}
	}
	return told
}

// saidBefore returns the lines of a call from before a broken line was picked up again, because the
// history is new since. There are none if no words of the call are kept.
func (w *Rules) saidBefore(ctx context.Context, t *orchestration.Turn) (lines []calls.Utterance) {
	if !resumed(t) {
		return nil
	}
	err := bounded(ctx, recallDeadline, func(ctx context.Context) (err error) {
		lines, err = w.cfg.Store.Transcript(ctx, t.Line.Call.ID)
		return err
	})
	if err != nil {
		w.log.LogAttrs(ctx, slog.LevelWarn, "it is not known what was said before", slog.String("call_id", t.Line.Call.ID.String()), slog.Any("err", err))
	}
	return lines
}

// resumed reports whether a turn belongs to a line that broke and was picked up again.
func resumed(t *orchestration.Turn) bool {
	return t.Line.Call.ConversationID != "" && t.Line.ConversationID != t.Line.Call.ConversationID
}

// askedAfter returns the role of the text by which nAIber's last line asked about a kind that is
// answered once, or nil: what is said now replies to that, and not to an earlier question of a
// persona.
func (w *Rules) askedAfter(t *orchestration.Turn) *role {
	for _, m := range slices.Backward(t.Messages) {
		if m.Role != llm.RoleAssistant || strings.TrimSpace(m.Content) == "" {
			continue
		}
		for _, text := range w.lines.marks(m.Content) {
			if r := roles[text]; r.answers && r.act == once {
				return &r
			}
		}
		return nil
	}
	return nil
}

// secondDeadline is the timeout of a model's reading of a turn.
const secondDeadline = 30 * time.Second

// second calls Second in the background with a turn in which the rules heard nothing. It may raise
// an alert, and cancels none. A turn that comes while another one of its call is being read is not
// read.
func (w *Rules) second(ctx context.Context, t *orchestration.Turn) {
	if w.cfg.Second == nil {
		return
	}
	id := t.Line.Call.ID
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed || w.reading[id] {
		return
	}
	w.reading[id] = true
	ctx = context.WithoutCancel(ctx)
	w.work.Go(func() {
		defer func() {
			w.mu.Lock()
			delete(w.reading, id)
			w.mu.Unlock()
		}()
		err := survive.Try(w.log, "safety", func() error {
			return bounded(ctx, secondDeadline, func(ctx context.Context) error {
				if k, ok := w.cfg.Second(ctx, t.Heard, t.Line.Person.Language); ok && kinds[k].tier > 0 {
					w.alert(ctx, t, k, kinds[k].tier, t.Heard, "model")
				}
				return nil
			})
		})
		if err != nil {
			w.log.LogAttrs(ctx, slog.LevelWarn, "second reading failed", slog.String("call_id", id.String()), slog.Any("err", err))
		}
	})
}
