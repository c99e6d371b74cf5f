package general

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"unicode/utf8"

	"github.com/naiber/naiber/orchestration"
	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/store/quoted"
)

// memoriesHeading is the heading of recalled memories in the system message.
const memoriesHeading = "RELEVANT MEMORIES"

const (
	interruptedHint = "The person spoke while you were still speaking; the end of your last words was not heard. Answer what they said now."
	goodbyeHint     = "The person is saying goodbye. Answer with one or two short, warm sentences of farewell. Ask nothing."
)

// saidGoodbye is the reason given for ending a call after a goodbye.
const saidGoodbye = "goodbye"

// generate streams the model's answer.
func (p *Persona) generate(ctx context.Context, t *orchestration.Turn, s *orchestration.Speech, memories []string, hint string) error {
	req := llm.Request{Messages: prompt(t, memories, hint)}
	res, err := p.cfg.Model.Stream(ctx, req, func(d llm.Delta) error { return s.Say(d.Text) })
	if res.Model != "" {
		s.Model(res.Model)
	}
	s.Usage(res.Usage)
	if err == nil && brokeOff(res) {
		err = errBrokeOff
	}
	return err
}

// errBrokeOff is returned if the model's reply stops in the middle.
var errBrokeOff = errors.New("the model broke off")

// brokeOff reports whether a reply stops in the middle: its stream broke or was cut within a
// sentence, or the model ended with a comma.
func brokeOff(res llm.Result) bool {
	last, _ := utf8.DecodeLastRuneInString(strings.TrimSpace(res.Text))
	switch res.FinishReason {
	case llm.FinishBroken, llm.FinishLength, llm.FinishContentFilter:
		return !strings.ContainsRune(".!?…", last)
	default:
		return strings.ContainsRune(",;:-–—", last)
	}
}

// farewell answers a goodbye and ends the call, with or without a model.
func (p *Persona) farewell(ctx context.Context, t *orchestration.Turn, s *orchestration.Speech) error {
	err := p.generate(ctx, t, s, nil, goodbyeHint)
	if errors.Is(err, orchestration.ErrEnded) || ctx.Err() != nil {
		return err
	}
	if err != nil {
		p.log.LogAttrs(ctx, slog.LevelWarn, "farewell without model", slog.String("call_id", t.Line.Call.ID.String()), slog.Any("err", err))
		s.Degraded("no_model")
	}
	if said := strings.TrimSpace(s.Text()); err != nil || said == "" {
		if said != "" {
			said = " "
		}
		if err := s.SayFixed(said + textsFor(t).Farewell); err != nil {
			return err
		}
	}
	return s.EndCall(saidGoodbye)
}

// promptRoom is how many bytes are usually added to the system message: a handful of short memories
// and a hint.
const promptRoom = 1 << 10

// prompt returns the messages for the model: the system message with memories and hints, and the
// history without tool messages and empty lines.
func prompt(t *orchestration.Turn, memories []string, hint string) []llm.Message {
	var b strings.Builder
	b.Grow(len(t.System) + promptRoom)
	b.WriteString(t.System)
	if len(memories) > 0 {
		b.WriteString("\n\n" + memoriesHeading + "\n" + quoted.Label + "\n")
		for _, m := range quoted.Fences(memories) {
			b.WriteString("- " + m + "\n")
		}
	}
	for _, h := range []string{interrupted(t), hint} {
		if h != "" {
			b.WriteString("\n\n" + h)
		}
	}
	out := make([]llm.Message, 0, len(t.Messages)+1)
	if b.Len() > 0 {
		out = append(out, llm.Message{Role: llm.RoleSystem, Content: strings.TrimSpace(b.String())})
	}
	for _, m := range t.Messages {
		if m.Role == llm.RoleSystem || m.Role == llm.RoleTool || strings.TrimSpace(m.Content) == "" {
			continue // tools belong to the voice service; our model was never offered them
		}
		out = append(out, llm.Message{Role: m.Role, Content: m.Content})
	}
	return out
}

func interrupted(t *orchestration.Turn) string {
	if t.Interrupted {
		return interruptedHint
	}
	return ""
}
