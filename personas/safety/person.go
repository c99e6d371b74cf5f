package safety

import (
	"context"
	"strings"

	"github.com/naiber/naiber/orchestration"
	"github.com/naiber/naiber/store/calls"
)

// restWords is how many words besides the question make the rest worth an answer of the persona.
const restWords = 4

// asksWhat returns the language in which a turn asks whether a person is speaking, or nil, and the
// other sentences if they have at least restWords words.
func (h heard) asksWhat(text string) (in *language, rest string) {
	for _, r := range h {
		from, to := r.Next(&r.AsksWhat, r.toks, 0)
		if from < 0 {
			continue
		}
		asked := r.toks[from].Sentence()
		first, last := from, to-1
		for first > 0 && r.toks[first-1].Sentence() == asked {
			first--
		}
		for last < len(r.toks)-1 && r.toks[last+1].Sentence() == asked {
			last++
		}
		if len(r.toks)-(last+1-first) >= restWords {
			rest = strings.TrimLeft(text[:r.toks[first].Start]+text[r.toks[last].End:], ".!?… ")
		}
		return r.language, rest
	}
	return nil, ""
}

// goOn passes a turn to its persona. If the turn asks whether a person is speaking, a fixed text
// tells the truth first; then the conversation goes on where it was, or with what else was said.
func (w *Rules) goOn(ctx context.Context, t *orchestration.Turn, s *orchestration.Speech, h heard, next orchestration.Persona) error {
	l, rest := h.asksWhat(t.Heard)
	if l == nil {
		return next.Reply(ctx, t, s)
	}
	s.Note("intent", "asks_what")
	switch {
	case rest != "":
		if err := s.SayFixed(l.Texts.Computer + " "); err != nil {
			return err
		}
		u := *t
		u.Heard = rest
		return next.Reply(ctx, &u, s)
	case t.Line.Call.Type == calls.CallCognitive: // what is asked there must not be heard twice
		return say(s, l.Texts.Computer)
	default:
		return say(s, l.Texts.Computer, w.question(t))
	}
}
