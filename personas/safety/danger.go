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
	"unicode"

	"github.com/naiber/naiber/internal/phrases"
	"github.com/naiber/naiber/orchestration"
	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/store/alerts"
	"github.com/naiber/naiber/store/calls"
)

const (
	// dangerSilences is after how many silences in a row nAIber ends the call; it speaks at each: a
	// person who cannot speak may still be able to dial.
	dangerSilences = 5
	// distressSilences is after how many of them an alert is raised.
	distressSilences = 2
	// recallDeadline is the timeout of queries about what happened before the turn, and of Tells.
	recallDeadline = 300 * time.Millisecond
)

// Reasons for which a call ends in danger.
const (
	reasonGoodbye = "goodbye"
	reasonSilence = "silence"
)

// raise raises an alert for each flag in the background; the turn waits only until it is on disk.
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

// alertOf returns an alert of a kind in a turn.
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

// Raise raises an alert in the background, retrying until it is stored; it waits only until the
// alert is on disk, for journalWithin at most.
func (w *Rules) Raise(ctx context.Context, a alerts.New) {
	w.keep(ctx, record{Call: a.CallID, At: a.At, Alert: &a})
}

// inDanger answers danger when it is told of: a fixed text tells the person to ring a number or
// somebody near, because nAIber cannot. It marks the call; the persona hears no more turns until
// the person says that they are all right.
func (w *Rules) inDanger(ctx context.Context, t *orchestration.Turn, s *orchestration.Speech, f redFlag) error {
	s.Note("danger", f.kind)
	w.keep(ctx, record{Call: t.Line.Call.ID, Danger: f.kind, At: t.At})
	if p := w.plight(ctx, t); p.in != nil && slices.Contains(p.told, f.in.Texts.answer(f.kind)) {
		return say(s, w.fill(ctx, t, p.in, p.kind(), p.stay()))
	}
	return say(s, w.fill(ctx, t, f.in, f.kind, f.in.Texts.answer(f.kind)), f.in.Texts.Ask[f.kind])
}

// stay goes on with a person who is in danger. now holds the flags and doubts of the turn: who
// tells of something urgent is not all right, whatever else they say.
func (w *Rules) stay(ctx context.Context, t *orchestration.Turn, s *orchestration.Speech, h heard, p plight, now []redFlag) error {
	if l, _ := h.asksWhat(t.Heard); l != nil {
		return say(s, l.Texts.Computer, w.fill(ctx, t, p.in, p.kind(), p.stay()))
	}
	does := func(has func(l *language, toks []phrases.Token) bool) bool { return h.told(has) != nil }
	said := p.in.Texts.with(p.act)
	switch {
	case h.takesBack(p.needs) && !slices.ContainsFunc(now, redFlag.urgent):
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

// promise matches [one|other] in a text: one if somebody is told of the danger, other if nobody is.
var promise = regexp.MustCompile(`\[([^|\]]*)\|([^\]]*)\]`)

// fill puts the numbers into a text about a kind, and promises that somebody is told only if
// somebody is.
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
		// Spaced, so that a voice says the digits one by one.
		return strings.ReplaceAll(l.Texts.Number, "{digits}", strings.Join(strings.Split(digits, ""), " "))
	}
	number := w.Number(phone)
	return strings.NewReplacer("{number}", spoken(number), "{line}", spoken(cmp.Or(w.CrisisLine(phone), number))).Replace(text)
}

// tells reports whether anybody would be told of a kind. It reports false if that is not known in
// time.
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

// plight is a danger that was told of and not taken back.
type plight struct {
	in    *language // of the answer; nil if there is no danger
	act   act
	turns int      // lines that nAIber has said since the answer
	told  []string // the answers that were given
	needs needs    // what takes it back
}

// needs says what is not enough to take a danger back. The zero value takes the word of the person
// that they are all right.
type needs struct {
	others bool // somebody else is in danger: it takes word of them
	wish   bool // the person wishes to die: only that it was not meant is enough
	taken  bool // something was taken or done: only that it never was is enough
}

// add adds what the red flags of a turn need.
func (n *needs) add(flags []redFlag) {
	for _, f := range flags {
		if f.act() < emergency {
			continue
		}
		n.others = n.others || f.others
		n.of(f.kind)
	}
}

// of adds what a kind needs.
func (n *needs) of(kind string) {
	n.wish = n.wish || kinds[kind].act == despair
	n.taken = n.taken || kind == "overdose" || kind == "suicide_attempt"
}

// kind returns a kind of which the same people are told as of the danger.
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

// plight returns the danger that was told of and not taken back. After a broken line was picked up
// again the history is new, and plight goes by the call's mark.
func (w *Rules) plight(ctx context.Context, t *orchestration.Turn) (p plight) {
	known := false
	before, earlier := "", "" // what the person said before a line of nAIber's, and before the one before
	for _, m := range t.Messages {
		if m.Role == llm.RoleUser {
			before += m.Content + "\n"
		}
		if m.Role != llm.RoleAssistant || strings.TrimSpace(m.Content) == "" {
			continue
		}
		p.turns++
		if p.in != nil {
			flags, _ := flagsThen(t, before)
			p.needs.add(flags)
		}
		if f := w.unheard(t, before, m.Content); f != nil {
			p.in, p.act, p.turns, known = f.in, f.act(), 0, true
			p.needs.add([]redFlag{*f})
		}
		for _, text := range w.lines.marks(m.Content) {
			switch role := roles[text]; {
			case role.answers && role.act >= emergency:
				p.in, p.act, p.turns, known = role.in, role.act, 0, true
				p.told = append(p.told, text)
				flags, _ := flagsThen(t, before)
				_, doubts := flagsThen(t, earlier) // one of them may have been asked about
				p.needs.add(slices.Concat(flags, doubts))
				p.needs.of(role.kind)
			case role.over:
				p, known = plight{}, true
			}
		}
		before, earlier = "", before
	}
	if known || !resumed(t) {
		return p
	}
	if kind := w.marked(ctx, t); kind != "" {
		p.in, p.act = tongue(t), max(kinds[kind].act, emergency)
		p.needs.of(kind)
		for _, u := range w.saidBefore(ctx, t) {
			if u.Role == calls.RoleUser {
				flags, _ := flagsThen(t, u.Text)
				p.needs.add(flags)
			}
		}
	}
	return p
}

// flagsThen returns the red flags and the doubts in what was said before a turn of its call.
func flagsThen(t *orchestration.Turn, said string) (flags, doubts []redFlag) {
	return hear(then(t, said)).flags(said)
}

// then returns an earlier turn of t's call, in which the person said something.
func then(t *orchestration.Turn, said string) *orchestration.Turn {
	earlier := *t
	earlier.Kind, earlier.Heard = calls.TurnSpeech, said
	return &earlier
}

// unheard returns the danger that the person told of before a line of nAIber's, if so few words of
// the line were heard that it cannot be recognized as the answer, or nil.
func (w *Rules) unheard(t *orchestration.Turn, before, line string) *redFlag {
	words := 0
	for field := range strings.FieldsSeq(line) {
		if !strings.ContainsFunc(field, isWordRune) {
			continue
		}
		if words++; words == signWords {
			return nil
		}
	}
	told := then(t, before)
	if flags, _ := hear(told).flags(before); len(flags) > 0 && flags[0].act() >= emergency && !w.answered(told, flags[0].kind) {
		return &flags[0]
	}
	return nil
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// marked returns the kind of the call's marked danger if it is not over, or "".
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
