// Package who finds out who is on the line of a call that nAIber has made, before anything about
// the person is told there. It is middleware in two parts, one on each side of package safety:
// [Who.Hear] reads what was said, so that every persona gets a line that may be told to the
// speaker, and [Who.Answer] replies with fixed text until somebody is found to be the person. Until
// then no persona and no model gets a turn.
package who

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/naiber/naiber/orchestration"
	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/alerts"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/people"
)

// Calls gives access to the calls that are under way.
type Calls interface {
	// Verify records how the speaker on a call was found to be its person, or that they are not,
	// and returns the line as it may be told from then on.
	Verify(ctx context.Context, id store.CallID, how calls.Verified) (calls.Line, error)
	// Expected returns the person to whom a call was made.
	Expected(ctx context.Context, id store.CallID) (people.Person, error)
	// Meant returns the text that says what a call is for.
	Meant(ctx context.Context, line calls.Line) (string, error)
}

// Store knows who else may answer a telephone; [store.Store] implements it.
type Store interface {
	Contacts(ctx context.Context, id store.PersonID) ([]people.Contact, error)
	PeopleByPhone(ctx context.Context, phone string) ([]people.Person, error)
}

// Config configures [Who]. All fields but Presumed and Ladder are required.
type Config struct {
	Calls Calls
	Store Store
	// Raise raises an alert, and loses none.
	Raise func(ctx context.Context, a alerts.New)
	// Presumed holds the types of call on which anybody who answers as the person would is taken
	// for them until they say otherwise. On other calls only a yes counts.
	Presumed []calls.CallType
	Ladder   orchestration.Ladder // what is said at silences
	Log      *slog.Logger
}

// Who finds out who is on the line. It is safe for concurrent use.
type Who struct {
	cfg     Config
	silence orchestration.Persona

	mu    sync.Mutex // guards known and the calls in it
	known map[store.CallID]*call
}

// call is what this process remembers of a call. It can be looked up again.
type call struct {
	names Names
	name  string // what the person likes to be called
	// found is the place in the conversation at which the speaker was found to be the person.
	conversation string
	found        int
	strict       bool // only a yes counts
}

// New returns a Who, or an error if cfg lacks something required.
func New(cfg Config) (*Who, error) {
	if cfg.Calls == nil || cfg.Store == nil || cfg.Raise == nil || cfg.Log == nil {
		return nil, errors.New("who has no calls, no store, nobody to tell or no log")
	}
	nobody := orchestration.PersonaFunc(func(context.Context, *orchestration.Turn, *orchestration.Speech) error { return nil })
	return &Who{cfg: cfg, silence: orchestration.Silence(cfg.Ladder)(nobody), known: make(map[store.CallID]*call)}, nil
}

// Ended forgets a call.
func (w *Who) Ended(id store.CallID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.known, id)
}

// Hear wraps next and reads who speaks. It says nothing, because words of danger are heard from
// anybody and answered first. It fails no turn either: if it cannot find out, or cannot store it,
// the speaker is not taken for the person.
func (w *Who) Hear(next orchestration.Persona) orchestration.Persona {
	return orchestration.PersonaFunc(func(ctx context.Context, t *orchestration.Turn, s *orchestration.Speech) error {
		told := *t
		how, news, err := w.hear(ctx, t)
		if err == nil && news {
			s.Note("who", string(how))
			told.Line, err = w.cfg.Calls.Verify(ctx, t.Line.Call.ID, how)
		}
		if err != nil {
			w.cfg.Log.LogAttrs(ctx, slog.LevelError, "who is on the line is not found out", slog.String("call_id", t.Line.Call.ID.String()), slog.Any("err", err))
			told.Line = t.Line
			told.Line.Call.Verified = ""
			told.Line = told.Line.Told()
		}
		return next.Reply(ctx, &told, s)
	})
}

// hear returns how the speaker was found to be the person, or that they are not, and reports
// whether that is news.
func (w *Who) hear(ctx context.Context, t *orchestration.Turn) (how calls.Verified, news bool, err error) {
	if t.Line.Call.Direction != calls.Outbound || t.Late || t.Kind == calls.TurnSilence {
		return "", false, nil
	}
	if !t.Line.Call.Withheld() {
		return "", w.denied(t), nil
	}
	c, err := w.call(ctx, t)
	if err != nil {
		return "", false, err
	}
	switch a := w.read(t, c); {
	case a == Yes:
		how = calls.Confirmed
	case a == Other && t.Kind == calls.TurnSpeech && w.presumes(t) && !w.strict(t, c):
		how = calls.Presumed
	default:
		return "", false, nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	c.conversation, c.found = t.Line.ConversationID, t.Place
	return how, true, nil
}

// denied reports whether a speaker who was taken for the person says that they are not: by name at
// any time, and in any way within the words by which they were taken for the person, which may come
// again at more length.
func (w *Who) denied(t *orchestration.Turn) bool {
	p := t.Line.Person
	denied := Denies(t.Heard, p.Language, namesOf(p)) != Other
	c, asked := w.unheard(t)
	if c == nil {
		return denied
	}
	if !denied {
		switch Read(t.Heard, p.Language, c.names, asked, false) { //nolint:exhaustive // the others go on
		case SomeoneElse, WrongNumber, Hospital, Died, Fetch, Doubt, Stranger:
			denied = true
		}
	}
	if denied {
		w.mu.Lock()
		defer w.mu.Unlock()
		c.strict = true
	}
	return denied
}

// unheard returns the call if the reply to the words by which its person was found has not been
// heard yet, else nil. asked reports whether those words answered a question.
func (w *Who) unheard(t *orchestration.Turn) (c *call, asked bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	c = w.known[t.Line.Call.ID]
	if c == nil || t.Since == 0 || c.found < t.Since || c.conversation != t.Line.ConversationID {
		return nil, false
	}
	return c, asksFor(t.LastSaid(), c.name)
}

// Answer wraps next, and speaks in its place until somebody is found to be the person.
func (w *Who) Answer(next orchestration.Persona) orchestration.Persona {
	return orchestration.PersonaFunc(func(ctx context.Context, t *orchestration.Turn, s *orchestration.Speech) error {
		switch {
		case t.Line.Call.Direction != calls.Outbound:
			return next.Reply(ctx, t, s)
		case t.Line.Call.Withheld():
			return w.answer(ctx, t, s)
		}
		// The person has only said who they are: now they are told what the call is for.
		if c, _ := w.unheard(t); c != nil && !w.presumes(t) && !t.Late {
			text, err := w.cfg.Calls.Meant(ctx, t.Line)
			if err != nil {
				return err
			}
			return s.SayFixed(text)
		}
		return next.Reply(ctx, t, s)
	})
}

// maxAsks is how often a speaker is asked who they are.
const maxAsks = 3

func (w *Who) answer(ctx context.Context, t *orchestration.Turn, s *orchestration.Speech) error {
	if t.Kind == calls.TurnSilence {
		return w.silence.Reply(ctx, t, s)
	}
	c, err := w.call(ctx, t)
	if err != nil {
		return err
	}
	x := &in(t.Line.Person.Language).Texts
	a := w.read(t, c)
	s.Note("answers", string(a))
	say := func(text string) error { return s.SayFixed(strings.ReplaceAll(text, "{name}", c.name)) }
	end := func(text string, outcome calls.Outcome) error {
		if err := say(text); err != nil {
			return err
		}
		return s.EndCall(string(outcome))
	}
	switch a { //nolint:exhaustive // the others ask
	case SomeoneElse:
		return end(x.SomeoneElse, calls.OutcomeSomeoneElse)
	case WrongNumber:
		w.tell(ctx, t, "wrong_number")
		return end(x.WrongNumber, calls.OutcomeWrongNumber)
	case Hospital:
		w.tell(ctx, t, "hospital")
		return end(x.Hospital, calls.OutcomeSomeoneElse)
	case Died:
		w.tell(ctx, t, "died")
		return end(x.Died, calls.OutcomeSomeoneElse)
	case Fetch:
		return say(x.Wait)
	case Hold:
		return say(x.Hold)
	case Hello, Again:
		if w.presumes(t) && !w.strict(t, c) && !said(t, x.Greet) {
			return say(x.Greet)
		}
	}
	switch asks := w.asks(t, c); {
	case asks >= maxAsks:
		return end(x.Unsure, calls.OutcomeSomeoneElse)
	case a == Again:
		return say(x.Again)
	case a == Doubt, a == Stranger, asks > 0 && a == Other:
		return say(x.Sure)
	default:
		return say(x.Ask)
	}
}

// tell raises an alert about what somebody says of the person.
func (w *Who) tell(ctx context.Context, t *orchestration.Turn, kind string) {
	id := t.Line.Call.ID
	w.cfg.Log.LogAttrs(ctx, slog.LevelWarn, "somebody else answered", slog.String("call_id", id.String()), slog.String("kind", kind))
	w.cfg.Raise(ctx, alerts.New{
		PersonID: t.Line.Call.Whose(), CallID: id, Turn: t.Place, Tier: alerts.SameDay, Kind: kind, Quote: t.Heard,
		Why: "said by somebody who answered the telephone", Key: "who:" + id.String() + ":" + kind, At: t.At,
	})
}

// read returns what a turn says about who speaks.
func (w *Who) read(t *orchestration.Turn, c *call) Answer {
	asked := asksFor(t.LastSaid(), c.name)
	if t.Kind == calls.TurnKeypad {
		if asked && t.Keypad == "1" { // for a person who cannot speak
			return Yes
		}
		return AsksWho
	}
	tag := t.Line.Person.Language
	if a := Denies(t.Heard, tag, c.names); a != Other && a != Doubt {
		return a
	}
	strict := w.strict(t, c)
	a := Read(t.Heard, tag, c.names, asked, strict)
	if a == AsksWho && asked && !strict && w.asks(t, c) > 1 && in(tag).assents(t.Heard) {
		return Yes // "yes, but who are you?": a yes said while picking up answers no second question
	}
	return a
}

func (w *Who) presumes(t *orchestration.Turn) bool {
	return slices.Contains(w.cfg.Presumed, t.Line.Call.Type)
}

// strict reports whether only a yes counts: somebody else was on the line, or may have been.
func (w *Who) strict(t *orchestration.Turn, c *call) bool {
	x := &in(t.Line.Person.Language).Texts
	w.mu.Lock()
	defer w.mu.Unlock()
	c.strict = c.strict || said(t, x.Wait) || said(t, x.Sure)
	return c.strict
}

// mostRepeats is how often a question is repeated for a person who did not hear it.
const mostRepeats = 3

// asks returns how often the question who is on the line was asked in the conversation and may have
// been heard.
func (w *Who) asks(t *orchestration.Turn, c *call) int {
	asked, unheard := 0, 0
	for _, m := range t.Messages {
		switch {
		case m.Role == llm.RoleAssistant && asksFor(m.Content, c.name):
			asked++
		case m.Role == llm.RoleUser && unheard < min(asked, mostRepeats) && Read(m.Content, t.Line.Person.Language, c.names, true, false) == Again:
			unheard++
		}
	}
	return asked - unheard
}

// said reports whether a line of nAIber's begins with a text, up to the name in it.
func said(t *orchestration.Turn, text string) bool {
	before, _, _ := strings.Cut(text, "{name}")
	return slices.ContainsFunc(t.Messages, func(m llm.Message) bool {
		return m.Role == llm.RoleAssistant && strings.HasPrefix(strings.TrimSpace(m.Content), strings.TrimSpace(before))
	})
}

// Introduction returns the beginning of a conversation: who calls, and what for. If nAIber first
// asked who is on the line, it replaces that question with what nAIber said about the call after
// the answer.
func Introduction(messages []llm.Message, name string) string {
	who := ""
	for _, m := range messages {
		line := strings.TrimSpace(m.Content)
		switch {
		case m.Role != llm.RoleAssistant || line == "":
		case who == "" && !asksFor(line, name):
			return line
		case who == "":
			who = line
		case strings.HasSuffix(line, "?") && !asksFor(line, name):
			const person = "\x00" // as in asksFor
			before := strings.ReplaceAll(strings.TrimSuffix(who, "?"), name, person)
			before = before[:strings.LastIndexAny(before, ".!?")+1]
			return strings.TrimSpace(strings.ReplaceAll(before, person, name) + " " + line)
		}
	}
	return who
}

// asksFor reports whether a line of nAIber's ends with a question for the person by name.
func asksFor(line, name string) bool {
	const person = "\x00" // a name may hold a full stop
	if name == "" {
		return false
	}
	line = strings.ReplaceAll(strings.TrimSpace(line), name, person)
	question, asks := strings.CutSuffix(line, "?")
	return asks && strings.Contains(question[strings.LastIndexAny(question, ".!?")+1:], person)
}

// lookTimeout is the timeout of looking up who may answer a telephone: an answer to words of danger
// waits for it.
const lookTimeout = 500 * time.Millisecond

// call returns what is known of a turn's call; it is looked up once.
func (w *Who) call(ctx context.Context, t *orchestration.Turn) (*call, error) {
	id := t.Line.Call.ID
	w.mu.Lock()
	c := w.known[id]
	w.mu.Unlock()
	if c != nil {
		return c, nil
	}
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	p, err := w.cfg.Calls.Expected(ctx, id)
	if err != nil {
		return nil, err
	}
	c = &call{name: p.CallName(), names: namesOf(p)}
	c.names.Others = w.others(ctx, t, p)
	w.mu.Lock()
	defer w.mu.Unlock()
	if first := w.known[id]; first != nil {
		return first, nil
	}
	w.known[id] = c
	return c, nil
}

// others returns the names of others who may answer the person's telephone. If they cannot be
// looked up, the rest will do: people may still say that they are somebody else.
func (w *Who) others(ctx context.Context, t *orchestration.Turn, p people.Person) (names []string) {
	contacts, err := w.cfg.Store.Contacts(ctx, p.ID)
	for _, c := range contacts {
		names = append(names, c.Name)
	}
	house, failed := w.cfg.Store.PeopleByPhone(ctx, p.Phone)
	for _, other := range house {
		if other.ID != p.ID {
			names = append(names, other.Name, other.PreferredName)
		}
	}
	if err := errors.Join(err, failed); err != nil {
		w.cfg.Log.LogAttrs(ctx, slog.LevelWarn, "names of others are not known", slog.String("call_id", t.Line.Call.ID.String()), slog.Any("err", err))
	}
	return names
}

func namesOf(p people.Person) Names { return Names{Own: []string{p.Name, p.PreferredName}} }
