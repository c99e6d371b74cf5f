package safety

import (
	"cmp"
	"context"
	"log/slog"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/internal/phrases"
	"github.com/naiber/naiber/orchestration"
	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/store/alerts"
	"github.com/naiber/naiber/store/calls"
)

const (
	// dangerSilences is how many silences in a row are met with words until the call
	// is ended: one who cannot speak may still be able to dial.
	dangerSilences = 5
	// distressSilences is how many of them have a human being told.
	distressSilences = 2
	// recallDeadline bounds asking whether a line that was picked up again broke in danger.
	recallDeadline = 300 * time.Millisecond
)

// Why a call ends in danger.
const (
	reasonGoodbye = "goodbye"
	reasonSilence = "silence"
)

// raise has a human being told of each flag, in the background: nobody waits for it, once
// it is on disk.
func (w *Rules) raise(ctx context.Context, t *orchestration.Turn, s *orchestration.Speech, flags []redFlag) {
	id := t.Line.Call.ID
	told := make([]string, 0, len(flags))
	for _, f := range flags {
		told = append(told, f.kind)
		w.alert(ctx, t, f.kind, f.tier(), f.said, f.why)
		w.log.LogAttrs(ctx, slog.LevelWarn, "red flag", slog.String("call_id", id.String()),
			slog.String("person_id", t.Line.Call.Whose().String()), slog.String("kind", f.kind), slog.Int("tier", int(f.tier())))
	}
	if len(told) > 0 {
		s.Note("flags", told)
	}
}

func (w *Rules) alert(ctx context.Context, t *orchestration.Turn, kind string, tier alerts.Tier, quote, why string) {
	w.Raise(ctx, alertOf(t, kind, tier, quote, why))
}

// alertOf is the alert of a kind in a turn.
func alertOf(t *orchestration.Turn, kind string, tier alerts.Tier, quote, why string) alerts.New {
	id := t.Line.Call.ID
	if t.Line.Call.Withheld() {
		why += " (nobody had shown to be the person)"
	}
	return alerts.New{
		PersonID: t.Line.Call.Whose(), CallID: id, Turn: t.Place, Tier: tier, Kind: kind, Quote: quote, Why: why,
		Key: "flag:" + id.String() + ":" + kind, At: t.At, Unsure: t.Line.Call.Withheld(),
	}
}

// Raise has a human being told, in the background: nobody waits for it, and it is tried
// until it is kept.
func (w *Rules) Raise(ctx context.Context, a alerts.New) {
	w.keep(ctx, record{Call: a.CallID, At: a.At, Alert: &a})
}

// inDanger answers danger where it is told of: a fixed text tells the person to ring
// a number or somebody near, for nAIber cannot. The call is marked, and its persona
// hears nothing more until the person says to be all right.
func (w *Rules) inDanger(ctx context.Context, t *orchestration.Turn, s *orchestration.Speech, f redFlag) error {
	s.Note("danger", f.kind)
	w.keep(ctx, record{Call: t.Line.Call.ID, Danger: f.kind, At: t.At})
	if p := w.plight(ctx, t); p.in != nil && slices.Contains(p.told, f.in.Texts.answer(f.kind)) {
		return say(s, w.fill(ctx, t, p.in, p.kind(), p.stay()))
	}
	return say(s, w.fill(ctx, t, f.in, f.kind, f.in.Texts.answer(f.kind)), f.in.Texts.Ask[f.kind])
}

// stay goes on with somebody who is in danger.
func (w *Rules) stay(ctx context.Context, t *orchestration.Turn, s *orchestration.Speech, h heard, p plight) error {
	if l, _ := h.asksWhat(t.Heard); l != nil {
		return say(s, l.Texts.Computer, w.fill(ctx, t, p.in, p.kind(), p.stay()))
	}
	does := func(has func(l *language, toks []phrases.Token) bool) bool { return h.told(has) != nil }
	said := p.in.Texts.with(p.act)
	switch {
	case does((*language).isAllRight):
		s.Note("danger", "over")
		w.keep(ctx, record{Call: t.Line.Call.ID, At: t.At})
		return say(s, w.fill(ctx, t, p.in, p.kind(), said.Over), w.question(t))
	case w.cfg.Ends && p.act == emergency && t.Kind == calls.TurnSpeech,
		does(func(l *language, toks []phrases.Token) bool { return l.Holds(&l.Leaving, toks) }):
		return w.leave(ctx, t, s, p, reasonGoodbye)
	case does(func(l *language, toks []phrases.Token) bool { return l.Holds(&l.Helped, toks) }):
		return say(s, w.fill(ctx, t, p.in, p.kind(), said.Helped))
	}
	if t.Kind == calls.TurnSilence {
		if t.Silences == distressSilences {
			w.alert(ctx, t, silence, alerts.Tier(4), "", "no words in "+strconv.Itoa(t.Silences)+" silences in a row after danger was told of")
		}
		if t.Silences >= dangerSilences {
			return w.leave(ctx, t, s, p, reasonSilence)
		}
	}
	return say(s, w.fill(ctx, t, p.in, p.kind(), p.stay()))
}

func (w *Rules) leave(ctx context.Context, t *orchestration.Turn, s *orchestration.Speech, p plight, reason string) error {
	if err := say(s, w.fill(ctx, t, p.in, p.kind(), p.in.Texts.with(p.act).Leave)); err != nil {
		return err
	}
	return s.EndCall(reason)
}

// promise is what a text says where somebody is told of it, and what it says otherwise.
var promise = regexp.MustCompile(`\[([^|\]]*)\|([^\]]*)\]`)

// fill puts the numbers into a text about a kind, and promises that somebody is told of it
// only where somebody is.
func (w *Rules) fill(ctx context.Context, t *orchestration.Turn, l *language, kind, text string) string {
	if promise.MatchString(text) {
		said := "$2"
		if w.tells(ctx, t, kind) {
			said = "$1"
		}
		text = promise.ReplaceAllString(text, said)
	}
	phone := cmp.Or(t.Line.Person.Phone, t.Line.Call.Phone)
	spoken := func(digits string) string {
		if digits == "" {
			return l.Texts.NoNumber
		}
		// Apart, so that a voice says them one by one.
		return strings.ReplaceAll(l.Texts.Number, "{digits}", strings.Join(strings.Split(digits, ""), " "))
	}
	number := w.Number(phone)
	return strings.NewReplacer("{number}", spoken(number), "{line}", spoken(cmp.Or(w.CrisisLine(phone), number))).Replace(text)
}

// tells reports whether there is anybody who would be told of a kind. Where that is not
// known in time, there is nobody.
func (w *Rules) tells(ctx context.Context, t *orchestration.Turn, kind string) (told bool) {
	if w.cfg.Tells == nil {
		return true
	}
	err := bounded(ctx, recallDeadline, func(ctx context.Context) (err error) {
		told, err = w.cfg.Tells(ctx, t.Line.Person.ID, kind, kinds[kind].tier)
		return err
	})
	if err != nil {
		w.log.LogAttrs(ctx, slog.LevelWarn, "it is not known who would be told", slog.String("call_id", t.Line.Call.ID.String()), slog.Any("err", err))
	}
	return told && err == nil
}

// plight is the danger that was told of and not taken back.
type plight struct {
	in    *language // of the answer; nil: there is none
	act   act
	turns int      // how many lines of nAIber's have followed the answer
	told  []string // the answers that were given
}

// kind is one of which the same people are told as of the danger.
func (p plight) kind() string {
	if p.act == despair {
		return "suicidal"
	}
	return "help"
}

func (p plight) stay() string {
	texts := p.in.Texts.with(p.act).Stay
	return texts[p.turns%len(texts)]
}

// plight tells whether danger was told of and not taken back. After a line was
// picked up again the history is new, and the call's mark tells.
func (w *Rules) plight(ctx context.Context, t *orchestration.Turn) (p plight) {
	known := false
	before := "" // what the person said before a line of nAIber's
	for _, m := range t.Messages {
		if m.Role == llm.RoleUser {
			before += m.Content + "\n"
		}
		if m.Role != llm.RoleAssistant || strings.TrimSpace(m.Content) == "" {
			continue
		}
		p.turns++
		if f := w.unheard(t, before, m.Content); f != nil {
			p.in, p.act, p.turns, known = f.in, f.act(), 0, true
		}
		before = ""
		for _, text := range w.lines.marks(m.Content) {
			switch role := roles[text]; {
			case role.answers && role.act >= emergency:
				p.in, p.act, p.turns, known = role.in, role.act, 0, true
				p.told = append(p.told, text)
			case role.over:
				p, known = plight{}, true
			}
		}
	}
	if known || !resumed(t) {
		return p
	}
	if kind := w.marked(ctx, t); kind != "" {
		p.in, p.act = tongue(t), max(kinds[kind].act, emergency)
	}
	return p
}

// unheard returns the danger that was told of before a line of which too few words were
// heard to know it by, or nil: that line answered it.
func (w *Rules) unheard(t *orchestration.Turn, before, line string) *redFlag {
	if len(strings.Fields(english.Plain(line))) >= cutWords {
		return nil
	}
	told := *t
	told.Kind, told.Heard = calls.TurnSpeech, before
	if flags, _ := hear(&told).flags(before); len(flags) > 0 && flags[0].act() >= emergency && !w.answered(&told, flags[0].kind) {
		return &flags[0]
	}
	return nil
}

// marked returns the kind of danger by a call's mark that is not over, or nothing.
func (w *Rules) marked(ctx context.Context, t *orchestration.Turn) (kind string) {
	err := bounded(ctx, recallDeadline, func(ctx context.Context) error {
		c, err := w.cfg.Store.Call(ctx, t.Line.Call.ID)
		if c.Danger != nil && c.Danger.OverAt == nil {
			kind = c.Danger.Kind
		}
		return err
	})
	if err != nil {
		w.log.LogAttrs(ctx, slog.LevelWarn, "danger is not known", slog.String("call_id", t.Line.Call.ID.String()), slog.Any("err", err))
	}
	return kind
}
