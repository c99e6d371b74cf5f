// Package safety is middleware around every persona. It answers words of danger, and wishes not to
// be called any more, before a persona hears them.
//
// Both are recognized by rules and answered by fixed text, in every language of the embedded files,
// so neither needs a model or waits for one. The state of a call is read from what nAIber said
// before: it survives a restart, and no persona's state is touched.
package safety

import (
	"cmp"
	"context"
	"errors"
	"hash/maphash"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/internal/phrases"
	"github.com/naiber/naiber/orchestration"
	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/alerts"
	"github.com/naiber/naiber/store/calls"
)

// Store keeps what the rules find; [store.Store] implements it.
type Store interface {
	Call(ctx context.Context, id store.CallID) (calls.Call, error)
	Transcript(ctx context.Context, id store.CallID) ([]calls.Utterance, error)
	MarkDanger(ctx context.Context, id store.CallID, kind string, at time.Time) error
	EndDanger(ctx context.Context, id store.CallID, at time.Time) error
	OptOut(ctx context.Context, id store.PersonID, how string) error
	RaiseAlert(ctx context.Context, n alerts.New) (alerts.Alert, bool, error)
}

// Config configures [Rules]. Store and Log are required.
type Config struct {
	Store Store
	// Numbers overrides emergency numbers in [Numbers], by the country's two letters.
	Numbers map[string]string
	// CrisisLines overrides numbers of crisis lines in crisis.yaml, by the country's two letters.
	CrisisLines map[string]string
	// Answers reports whether a turn's persona answers the danger of machines, fire and gas, with
	// fixed text of its own; they are raised all the same. Nil means never.
	Answers func(t *orchestration.Turn) bool
	// Ends makes nAIber end a call after a person in an emergency was told to ring a number and has
	// answered. Otherwise nAIber stays with them; with a person in despair it always stays.
	Ends bool
	// Second reads, after the reply, words in which the rules found nothing. It returns a kind of
	// red flag, and whether there is one. Nil turns it off.
	Second func(ctx context.Context, text, language string) (kind string, ok bool)
	// Tells reports whether anybody would be told of a red flag of this kind about a person: nAIber
	// promises it only then. Nil means always.
	Tells func(ctx context.Context, id store.PersonID, kind string, tier alerts.Tier) (bool, error)
	// Lesser reports whether a turn asks for fewer or other calls, which is not a wish for none at
	// all. Nil means never.
	Lesser func(t *orchestration.Turn) bool
	// Retry is the first back-off before something is stored again; default 200 ms.
	Retry time.Duration
	// Journal is a folder that holds what is raised until the store has it, so that it survives a
	// crash of the process, see [Rules.Replay]. If empty, it is held in memory only.
	Journal string
	Log     *slog.Logger
}

// Rules answers danger and opt-outs. It is safe for concurrent use.
type Rules struct {
	cfg     Config
	log     *slog.Logger
	closing chan struct{}
	lines   knownLines
	journal journal

	mu      sync.Mutex // guards closed, reading, marks, asked and wanted, and work.Go against work.Wait
	closed  bool
	reading map[store.CallID]bool       // calls in which Second is reading
	marks   map[store.CallID]*mark      // the latest mark being stored, by call
	asked   map[store.CallID]*openDoubt // the open doubt of each call, raised if the call ends
	wanted  map[store.CallID]*openWish  // the open wish of each call for no more calls
	work    sync.WaitGroup
}

// New returns Rules, or an error if cfg lacks something required.
func New(cfg Config) (*Rules, error) {
	if cfg.Store == nil || cfg.Log == nil {
		return nil, errors.New("safety has no store or no log")
	}
	cfg.Retry = cmp.Or(cfg.Retry, 200*time.Millisecond)
	return &Rules{
		cfg: cfg, log: cfg.Log, closing: make(chan struct{}), journal: journal{dir: cfg.Journal},
		reading: make(map[store.CallID]bool), marks: make(map[store.CallID]*mark), asked: make(map[store.CallID]*openDoubt),
		wanted: make(map[store.CallID]*openWish),
	}, nil
}

// Middleware answers danger first, then opt-outs, and passes every other turn to next.
func (w *Rules) Middleware(next orchestration.Persona) orchestration.Persona {
	return orchestration.PersonaFunc(func(ctx context.Context, t *orchestration.Turn, s *orchestration.Speech) error {
		open := w.answeredDoubt(t.Line.Call.ID)
		defer w.releaseDoubt(ctx, open)
		h := hear(t)
		flags, doubts := h.flags(t.Heard)
		if t.Line.Call.Type == calls.CallCognitive { // its stories are told back
			echoes := func(f redFlag) bool { return f.echoes(t) }
			flags, doubts = slices.DeleteFunc(flags, echoes), slices.DeleteFunc(doubts, echoes)
		}
		if h.told((*language).takesLeave) != nil {
			doubts = slices.DeleteFunc(doubts, func(f redFlag) bool { return f.kind == "intruder" })
		}
		w.raise(ctx, t, s, flags)
		wish := w.wish(ctx, t, h)
		doubt, again, asked := w.pending(ctx, t, h, open, flags)
		if again != nil {
			return w.ask(ctx, t, s, again, asked)
		}
		if doubt != nil {
			if f := w.resolve(ctx, t, s, h, doubt, slices.Concat(flags, doubts)); f != nil {
				flags = append(flags, *f)
				slices.SortStableFunc(flags, graver)
			}
		}
		if len(flags) == 0 && len(h) > 0 {
			defer w.second(ctx, t)
		}
		if len(flags) > 0 && flags[0].act() >= emergency && !w.answered(t, flags[0].kind) {
			return w.inDanger(ctx, t, s, flags[0])
		}
		if p := w.plight(ctx, t); p.in != nil {
			s.Note("danger", "lasts")
			return w.stay(ctx, t, s, h, p, slices.Concat(flags, doubts))
		}
		if l := tongue(t); l.endsCalls(t) {
			return w.optOut(ctx, t, s, l)
		}
		askedIn, times := w.askedBack(t)
		if askedIn != nil && t.Kind == calls.TurnSilence && times < maxAsked {
			return w.askOptOut(t, s, askedIn, askedIn.Texts.AskAgain)
		}
		if t.Kind != calls.TurnSpeech {
			return next.Reply(ctx, t, s)
		}
		if f := w.untold(ctx, t, flags); f != nil {
			return say(s, w.fill(ctx, t, f.in, f.kind, f.in.Texts.answer(f.kind)))
		}
		if doubt != nil && len(flags) == 0 {
			if wish = w.toAskOptOut(ctx, t, wish); wish != nil {
				return w.askOptOut(t, s, wish, doubt.in.Texts.NoDanger, wish.Texts.AskOptOut)
			}
			return say(s, doubt.in.Texts.NoDanger, w.question(t))
		}
		if l := w.askedAfter(t); l != nil {
			if question := w.question(t); question != "" {
				return say(s, w.fill(ctx, t, l.in, l.kind, l.in.Texts.Noted), question)
			}
		}
		if f := w.toAsk(t, doubts); f != nil && len(flags) == 0 {
			return w.ask(ctx, t, s, f, 0)
		}
		if askedIn != nil {
			return w.answeredOptOut(ctx, t, s, h, askedIn, times)
		}
		if wish = w.toAskOptOut(ctx, t, wish); wish != nil {
			return w.askOptOut(t, s, wish, wish.Texts.AskOptOut)
		}
		return w.goOn(ctx, t, s, h, next)
	})
}

// Close waits for records that are being stored; each is tried once more. [Rules.Replay] of the
// next process stores what is left.
func (w *Rules) Close() {
	w.mu.Lock()
	if !w.closed {
		w.closed = true
		close(w.closing)
	}
	w.mu.Unlock()
	w.work.Wait()
}

func (w *Rules) isClosed() bool {
	select {
	case <-w.closing:
		return true
	default:
		return false
	}
}

func bounded(ctx context.Context, d time.Duration, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	return do(ctx)
}

// spokenTo returns the code of the person's language, English if there are no words for it.
func spokenTo(t *orchestration.Turn) string { return phrases.Code(codes, t.Line.Person.Language) }

// tongue returns the words of the person's language.
func tongue(t *orchestration.Turn) *language { return languages[spokenTo(t)] }

// heard holds what a person said in a turn as each language reads it. The person's own language
// comes first; the others follow, because people fall back to another one.
type heard []reading

type reading struct {
	*language

	toks  []phrases.Token
	alone *bar // see [language.flagsIn]
}

// hear reads a turn in every language; it returns nil if nobody spoke.
func hear(t *orchestration.Turn) heard {
	if t.Kind != calls.TurnSpeech {
		return nil
	}
	words := english.Scan(t.Heard)
	own := tongue(t)
	h := make(heard, 1, len(codes))
	h[0] = reading{own, own.Tokens(words), &inTalk}
	if c := t.Line.Call.Type; c == calls.CallHealthCheck || c == calls.CallCognitive {
		h[0].alone = &inChecks
	}
	for _, code := range codes {
		if l := languages[code]; l != own {
			h = append(h, reading{l, l.Tokens(words), nil})
		}
	}
	return h
}

// told returns the first language in which does holds of what was said, or nil.
func (h heard) told(does func(l *language, toks []phrases.Token) bool) *language {
	for _, in := range h {
		if does(in.language, in.toks) {
			return in.language
		}
	}
	return nil
}

// takesBack reports whether what was said takes back a danger, in any language.
func (h heard) takesBack(n needs) bool {
	return h.told(func(l *language, toks []phrases.Token) bool { return l.takesBack(toks, n) }) != nil
}

// signWords is how many words at its start identify a text. A line that was cut short before is not
// recognized, as others begin alike: a yes to "Please tell me" must not end all calls.
const signWords = 6

// sign returns the first words of a text, up to what differs from call to call.
func sign(text string) string {
	if i := strings.IndexAny(text, "{["); i >= 0 {
		text = text[:i]
	}
	words := strings.Fields(english.Plain(text))
	return strings.Join(words[:min(len(words), signWords)], " ")
}

// role says what one of our texts does in a conversation.
type role struct {
	in                    *language
	sign                  string
	act                   act
	answers, over, optOut bool
	doubt                 bool   // asks whether there is danger
	kind                  string // the kind that it answers, if it answers only one
}

// roles holds the texts after which a conversation goes on; every turn looks for them.
var roles = func() map[string]role {
	all := make(map[string]role)
	for _, l := range languages {
		x := &l.Texts
		add := func(r role, texts ...string) {
			for _, text := range texts {
				r.in, r.sign = l, sign(text)
				all[text] = r
			}
		}
		for _, c := range []*company{&x.Emergency, &x.Despair} {
			add(role{}, append(c.Stay, c.Helped, c.Leave)...)
			add(role{over: true}, c.Over)
		}
		add(role{}, x.GoOnCalling, x.Unclear, x.Noted)
		if x.NoDanger != "" {
			add(role{}, x.NoDanger)
		}
		for _, text := range x.Doubt {
			add(role{doubt: true}, text)
		}
		add(role{optOut: true}, x.AskOptOut, x.AskAgain, x.NotKept)
		add(role{answers: true, act: emergency}, x.Danger)
		for k, text := range x.Told {
			add(role{answers: true, act: kinds[k].act, kind: k}, text)
		}
	}
	return all
}()

// saysText reports whether said, a plain line of nAIber's, holds enough of text.
func saysText(said, text string) bool { return english.Holds(said, roles[text].sign) }

// knownLines caches which of our texts recent lines hold, because each turn brings the whole
// history again. Lines are keyed by a hash, so no words are kept.
type knownLines struct {
	mu sync.Mutex // guards by
	by map[uint64][]string
}

// maxKnownLines is enough for some hundred calls.
const maxKnownLines = 1 << 14

var lineSeed = maphash.MakeSeed()

// marks returns which of our texts a line holds.
func (k *knownLines) marks(line string) []string {
	sum := maphash.String(lineSeed, line)
	k.mu.Lock()
	defer k.mu.Unlock()
	texts, ok := k.by[sum]
	if !ok {
		if len(k.by) >= maxKnownLines || k.by == nil {
			k.by = make(map[uint64][]string)
		}
		said := english.Plain(line)
		for text := range roles {
			if saysText(said, text) {
				texts = append(texts, text)
			}
		}
		k.by[sum] = texts
	}
	return texts
}

// question returns the last question that a persona asked, or its last sentence, to lead back to
// where the conversation was.
func (w *Rules) question(t *orchestration.Turn) string {
	for _, m := range slices.Backward(t.Messages) {
		if m.Role != llm.RoleAssistant || len(w.lines.marks(m.Content)) > 0 {
			continue
		}
		if line := orchestration.WithoutPrompts(m.Content); line != "" {
			return LastQuestion(line)
		}
	}
	return ""
}

// LastQuestion returns the end of a line from its last question on, or its last sentence if it asks
// nothing.
func LastQuestion(line string) string {
	end := strings.LastIndexByte(line, '?')
	if end < 0 {
		end = len(strings.TrimRight(line, ".!… "))
	}
	from := 0
	for i, r := range line[:end] {
		if strings.ContainsRune(".!?…", r) && strings.HasPrefix(strings.TrimLeft(line[i:], ".!?…"), " ") {
			from = i + 1
		}
	}
	return strings.TrimLeft(line[from:], ".!?… ")
}

// say joins parts with spaces and says them as fixed text.
func say(s *orchestration.Speech, parts ...string) error {
	return s.SayFixed(strings.TrimSpace(strings.Join(parts, " ")))
}
