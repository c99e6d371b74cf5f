// Package safety stands around every persona, as middleware: it answers words of
// danger and wishes not to be called any more before a persona hears them.
//
// Both are told by rules and answered by fixed text, in every language of its
// files, so that neither needs a model, nor waits for anything. Where a call
// stands with either is read from what nAIber said before: it survives a
// restart, and no state of a persona is touched.
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
	"github.com/naiber/naiber/store/survive"
)

// Store keeps what the rules find; [store.Store] does.
type Store interface {
	Call(ctx context.Context, id store.CallID) (calls.Call, error)
	MarkDanger(ctx context.Context, id store.CallID, kind string, at time.Time) error
	EndDanger(ctx context.Context, id store.CallID, at time.Time) error
	OptOut(ctx context.Context, id store.PersonID, how string) error
	RaiseAlert(ctx context.Context, n alerts.New) (alerts.Alert, bool, error)
}

// Config is what [Rules] work with. Store and Log are required.
type Config struct {
	Store Store
	// Numbers are emergency numbers by the country's two letters, where they are
	// not those of [Numbers].
	Numbers map[string]string
	// CrisisLines are numbers of crisis lines by the country's two letters, where
	// they are not those of crisis.yaml.
	CrisisLines map[string]string
	// Answers reports whether a turn's persona answers the danger of machines, fire
	// and gas, with fixed text of its own; they are raised all the same. Nil: never.
	Answers func(t *orchestration.Turn) bool
	// Second reads what was said and in which the rules heard nothing, after the
	// reply: it returns a kind of red flag, and whether there is one. Nil: off.
	Second func(ctx context.Context, text, language string) (kind string, ok bool)
	// Lesser reports whether a turn asks for fewer or other calls, which is no wish for none at
	// all. Nil: never.
	Lesser func(t *orchestration.Turn) bool
	// Retry is the first wait before something is kept again; default 200 ms.
	Retry time.Duration
	Log   *slog.Logger
}

// Rules answer danger and opt-outs. They may be used concurrently.
type Rules struct {
	cfg     Config
	log     *slog.Logger
	closing chan struct{}
	lines   knownLines

	mu      sync.Mutex // guards closed and reading, and work.Add against work.Wait
	closed  bool
	reading map[store.CallID]bool // calls in which Second reads
	work    sync.WaitGroup
}

// New returns the rules, or an error that says what is missing.
func New(cfg Config) (*Rules, error) {
	if cfg.Store == nil || cfg.Log == nil {
		return nil, errors.New("safety has no store or no log")
	}
	cfg.Retry = cmp.Or(cfg.Retry, 200*time.Millisecond)
	return &Rules{cfg: cfg, log: cfg.Log, closing: make(chan struct{}), reading: make(map[store.CallID]bool)}, nil
}

// Middleware answers danger, then opt-outs, and hands every other turn on.
func (w *Rules) Middleware(next orchestration.Persona) orchestration.Persona {
	return orchestration.PersonaFunc(func(ctx context.Context, t *orchestration.Turn, s *orchestration.Speech) error {
		h := hear(t)
		flags := h.flags(t.Heard)
		if t.Line.Call.Type == calls.CallCognitive { // its stories are told back
			flags = slices.DeleteFunc(flags, func(f redFlag) bool { return f.echoes(t) })
		}
		w.raise(ctx, t, s, flags)
		if len(flags) == 0 && len(h) > 0 {
			defer w.second(ctx, t)
		}
		if len(flags) > 0 && flags[0].act() >= emergency && !w.answered(t, flags[0].kind) {
			return w.inDanger(ctx, t, s, flags[0])
		}
		if p := w.plight(ctx, t); p.in != nil {
			s.Note("danger", "lasts")
			return w.stay(ctx, t, s, h, p)
		}
		if l := tongue(t); t.Keypad == "*9" || t.Keypad == "9" && !l.Holds(&l.AsksNumber, l.Tokens(english.Scan(t.LastSaid()))) {
			return w.optOut(ctx, t, s, l)
		}
		if t.Kind != calls.TurnSpeech {
			return next.Reply(ctx, t, s)
		}
		if f := w.untold(t, flags); f != nil {
			return say(s, w.fill(t, f.in, f.in.Texts.answer(f.kind)))
		}
		if l := w.askedAfter(t); l != nil {
			if question := w.question(t); question != "" {
				return say(s, l.Texts.Noted, question)
			}
		}
		if asked := w.askedBack(t); asked != nil {
			switch yes, no := h.answer(); {
			case yes:
				return w.optOut(ctx, t, s, asked)
			case no:
				s.Note("intent", "opt_out_declined")
				return say(s, asked.Texts.GoOnCalling, w.question(t))
			}
			return next.Reply(ctx, t, s)
		}
		if l := h.told((*language).optsOut); l != nil && (w.cfg.Lesser == nil || !w.cfg.Lesser(t)) {
			s.Note("intent", "opt_out")
			return say(s, l.Texts.AskOptOut)
		}
		return next.Reply(ctx, t, s)
	})
}

// Close waits for what is being kept, which is tried once more.
func (w *Rules) Close() {
	w.mu.Lock()
	if !w.closed {
		w.closed = true
		close(w.closing)
	}
	w.mu.Unlock()
	w.work.Wait()
}

const (
	keepDeadline = 5 * time.Second // of one try
	retryMost    = 10 * time.Second
	keepTries    = 100 // about a quarter of an hour
)

// keep does something in the background until it succeeds: nobody waits for it.
func (w *Rules) keep(ctx context.Context, what string, id store.CallID, do func(context.Context) error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return
	}
	ctx = context.WithoutCancel(ctx)
	w.work.Go(func() {
		wait := w.cfg.Retry
		for try := 1; ; try++ {
			err := survive.Try(w.log, "safety", func() error { return bounded(ctx, keepDeadline, do) })
			if err == nil || errors.Is(err, store.ErrNotFound) {
				return
			}
			level := slog.LevelWarn
			if try == keepTries || w.isClosed() {
				level = slog.LevelError
			}
			w.log.LogAttrs(ctx, level, "call is not marked", slog.String("call_id", id.String()), slog.String("kind", what), slog.Int("attempt", try), slog.Any("err", err))
			if level == slog.LevelError {
				return
			}
			select {
			case <-time.After(wait):
			case <-w.closing: // once more, then never
			}
			wait = min(2*wait, retryMost)
		}
	})
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

// tongue is the language of a call's person, English where it has no words for it.
func tongue(t *orchestration.Turn) *language {
	code, _, _ := strings.Cut(strings.ToLower(t.Line.Person.Language), "-")
	if l, ok := languages[code]; ok {
		return l
	}
	return languages[codes[0]]
}

// heard is what a person said in a turn, as each language reads it: the person's
// own first, for people fall back to another one.
type heard []reading

type reading struct {
	*language

	toks []phrases.Token
}

// hear reads a turn; one in which nobody spoke has no readings.
func hear(t *orchestration.Turn) heard {
	if t.Kind != calls.TurnSpeech {
		return nil
	}
	words := english.Scan(t.Heard)
	own := tongue(t)
	h := make(heard, 1, len(codes))
	h[0] = reading{own, own.Tokens(words)}
	for _, code := range codes {
		if l := languages[code]; l != own {
			h = append(h, reading{l, l.Tokens(words)})
		}
	}
	return h
}

// told returns the language in which does holds of what was said, or nil.
func (h heard) told(does func(l *language, toks []phrases.Token) bool) *language {
	for _, in := range h {
		if does(in.language, in.toks) {
			return in.language
		}
	}
	return nil
}

// answer reads the answer to whether calls shall stop: a yes in any language counts before a no.
func (h heard) answer() (yes, no bool) {
	for _, in := range h {
		y, n := in.answers(in.toks)
		yes, no = yes || y, no || n
	}
	return yes, no
}

// signWords are how many words of a text tell it from others, and cutWords how
// many are enough where no more was heard of it.
const (
	signWords = 6
	cutWords  = 3
)

// sign is how a text begins, up to what differs from call to call.
func sign(text string) string {
	text, _, _ = strings.Cut(text, "{")
	words := strings.Fields(english.Plain(text))
	return strings.Join(words[:min(len(words), signWords)], " ")
}

// role is what a text of ours is for.
type role struct {
	in                    *language
	sign                  string
	act                   act
	answers, over, optOut bool
}

// roles are the texts after which a conversation goes on, which every turn looks for.
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
		add(role{}, x.GoOnCalling, x.Noted)
		add(role{optOut: true}, x.AskOptOut, x.NotKept)
		add(role{answers: true, act: emergency}, x.Danger)
		for k, text := range x.Told {
			add(role{answers: true, act: kinds[k].act}, text)
		}
	}
	return all
}()

// saysText reports whether a plain line of nAIber's holds a text, or was cut short in it.
func saysText(said, text string) bool {
	sign := roles[text].sign
	return english.Holds(said, sign) || strings.HasPrefix(sign, said) && strings.Count(said, " ")+1 >= cutWords
}

// knownLines are the texts of ours in lines that were looked at lately: each turn
// brings the whole history again. They are known by a hash, so that no words are kept.
type knownLines struct {
	mu sync.Mutex // guards by
	by map[uint64][]string
}

// maxKnownLines is some hundred calls' worth.
const maxKnownLines = 1 << 14

var lineSeed = maphash.MakeSeed()

// marks returns which texts of ours a line holds.
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

// question is the last question that a persona put, or its last sentence: where
// the conversation was.
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

// LastQuestion is the end of a line from its last question on, or from its
// last sentence where it asks nothing.
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

// say says fixed sentences.
func say(s *orchestration.Speech, parts ...string) error {
	return s.Say(strings.TrimSpace(strings.Join(parts, " ")))
}
