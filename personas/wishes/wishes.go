// Package wishes is middleware around every persona. It hears when a person wants to be called at
// another time, on other days or not for a while, reads the change back, and stores it once they
// have said yes.
//
// Wishes are recognized by rules and answered by fixed text. The state of a call is read from what
// was said: the question holds all of the change, and a yes changes only what it was given to. What
// cannot be stored as a schedule or a pause is noted for a human being.
package wishes

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/internal/phrases"
	"github.com/naiber/naiber/orchestration"
	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/personas/safety"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/alerts"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/store/schedules"
)

// Store stores schedules, and alerts for a human being; [store.Store] implements it.
type Store interface {
	Schedules(ctx context.Context, person store.PersonID, after uuid.UUID, limit int) ([]schedules.Schedule, error)
	ChangeCalls(ctx context.Context, c schedules.Change, now time.Time, edit func([]schedules.Schedule) (schedules.Edit, error)) (schedules.Change, error)
	CallsChanged(ctx context.Context, call store.CallID, turn int) (schedules.Change, error)
	RaiseAlert(ctx context.Context, n alerts.New) (alerts.Alert, bool, error)
}

// Config configures [Wishes]. All fields but Refused, Planned and Now are required.
type Config struct {
	Store Store
	// Check returns a schedule as it can be stored, or an error that says what is wrong with it.
	Check func(schedules.Schedule) (schedules.Schedule, error)
	// Parts holds the windows of parts of the day: window:morning, after:lunch, ...
	Parts map[string]schedules.Window
	// Quiet holds the quiet hours of people who have none of their own.
	Quiet people.QuietHours
	// LegalHours widens quiet hours to those of the law where the person lives, see [law.Hours].
	LegalHours bool
	// Refused reports whether another call like c, if nobody relies on it, would be refused at a
	// time on the same day, and until when; a zero until means until somebody decides. Nil means
	// never.
	Refused func(ctx context.Context, c calls.Call, at time.Time) (until time.Time, refused bool, err error)
	// Planned is called for each schedule that was changed. If nil, the schedule is planned at some
	// later time.
	Planned func(ctx context.Context, schedule uuid.UUID)
	Log     *slog.Logger
	Now     func() time.Time // default time.Now
}

// The kinds of alerts that wishes raise.
const (
	KindWish          = "calls_wish"       // a human being has to do it
	KindNotChecked    = "essential_ended"  // essential calls have ended
	KindNotCheckedFor = "essential_paused" // essential calls have stopped for a while

	mostSchedules = 200
	within        = 3 * time.Second // timeout of the database, while the person waits
)

// Wishes hears what people want of their calls. It is safe for concurrent use.
type Wishes struct{ cfg Config }

// New returns Wishes, or an error if cfg lacks something required.
func New(cfg Config) (*Wishes, error) {
	if cfg.Store == nil || cfg.Log == nil || cfg.Check == nil || len(cfg.Parts) == 0 {
		return nil, errors.New("wishes have no store, log, check or parts of the day")
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	return &Wishes{cfg}, nil
}

// Hears reports whether a turn asks for other times of calls or for fewer of them. It is then not a
// wish to end all calls.
func Hears(t *orchestration.Turn) bool {
	w, ok := hear(t, t.Heard, t.LastSaid())
	return ok && w.called && !w.vague
}

// hear reads a turn in the person's language, then in the others, as an answer to what nAIber said
// before. It reports whether the turn holds a wish.
func hear(t *orchestration.Turn, heard, said string) (wish, bool) {
	own := languageOf(t.Line.Person.Language)
	for _, l := range append([]*language{own}, others(own)...) {
		asked := holds(said, l.Texts.AskWhen)
		w, ok := l.read(heard, asked)
		if ok && (w.called || asked || l.mayMean(t.Line.Call.Type, said)) && !echoes(l, t, heard) {
			return w, true
		}
	}
	return wish{}, false
}

func others(own *language) (all []*language) {
	for _, code := range codes {
		if languages[code] != own {
			all = append(all, languages[code])
		}
	}
	return all
}

// mayMean reports whether words that do not mention calls may be about them: if they do not answer
// a question about something else.
func (l *language) mayMean(t calls.CallType, said string) bool {
	if !strings.Contains(said, "?") {
		return t == calls.CallGeneral
	}
	toks := l.Tokens(english.Scan(said))
	return slices.ContainsFunc(l.All(l.index, toks), func(m phrases.Match) bool { return m.Label == isOurs })
}

// echoes reports whether nAIber said all of a wish's words before, as in a story that is told back.
func echoes(l *language, t *orchestration.Turn, heard string) bool {
	if t.Line.Call.Type != calls.CallCognitive {
		return false
	}
	ours := map[string]bool{}
	for _, m := range t.Messages {
		if m.Role == llm.RoleAssistant {
			for _, tok := range l.Tokens(english.Scan(m.Content)) {
				ours[tok.Word] = true
			}
		}
	}
	for _, m := range l.All(l.index, l.Tokens(english.Scan(heard))) {
		toks := l.Tokens(english.Scan(heard))[m.From:m.To]
		if slices.ContainsFunc(toks, func(tok phrases.Token) bool { return !ours[tok.Word] }) {
			return false
		}
	}
	return true
}

// Middleware handles wishes, and passes every other turn to next.
func (w *Wishes) Middleware(next orchestration.Persona) orchestration.Persona {
	return orchestration.PersonaFunc(func(ctx context.Context, t *orchestration.Turn, s *orchestration.Speech) error {
		if !t.Line.Person.ID.Known() || t.Late {
			return next.Reply(ctx, t, s)
		}
		asked, isAsked := lastAsked(t)
		switch {
		case isAsked && t.Kind == calls.TurnSilence && t.Silences <= 1:
			return s.Say(asked.question) // what is said next answers the question
		case t.Kind != calls.TurnSpeech:
			return next.Reply(ctx, t, s)
		}
		wanted, isWish := hear(t, t.Heard, t.LastSaid())
		if isAsked {
			return w.answered(ctx, t, s, asked, wanted, isWish)
		}
		if !isWish {
			if l := languageOf(t.Line.Person.Language); holds(t.LastSaid(), l.Texts.AskWhen) {
				return w.note(ctx, t, s, l)
			}
			return next.Reply(ctx, t, s)
		}
		return w.ask(ctx, t, s, wanted)
	})
}

// question is a change that was read back.
type question struct {
	in       *language
	question string // as it was said
	heard    string // the words it was made from
	before   string // what nAIber had said before those words
	times    int    // how often it was said
}

// mostAsked is how often a change is read back to a person who does not understand it.
const mostAsked = 3

// lastAsked returns the change that nAIber asked about, if that is the last thing it said.
func lastAsked(t *orchestration.Turn) (q question, ok bool) {
	q.question = t.LastSaid()
	for _, l := range languages {
		head, tail, _ := strings.Cut(l.Texts.Ask, "{what}")
		said := english.Plain(q.question)
		if strings.HasPrefix(said, english.Plain(head)) && strings.HasSuffix(said, english.Plain(tail)) {
			q.in, ok = l, true
		}
	}
	if !ok {
		return q, false
	}
	var heard []string
	asked := false
	for _, m := range slices.Backward(t.Messages) {
		text := strings.TrimSpace(m.Content)
		switch {
		case m.Role == llm.RoleAssistant && english.Plain(text) == english.Plain(q.question):
			asked, heard = true, nil
			if q.before == "" {
				q.times++
			}
		case m.Role == llm.RoleAssistant && text != "" && asked && q.before == "":
			q.before = text
		case m.Role == llm.RoleUser && asked && q.before == "" && strings.Trim(text, ".… ") != "":
			heard = append(heard, text)
		}
	}
	slices.Reverse(heard)
	q.heard = strings.Join(heard, " ")
	_, ok = hear(t, q.heard, q.before) // a persona may use the same words to ask whether something is right
	return q, ok
}

// holds reports whether a line ends with text.
func holds(said, text string) bool {
	said, text = english.Plain(said), english.Plain(text)
	return text != "" && strings.HasSuffix(said, text)
}

// asking collects what is needed to judge a wish.
func (w *Wishes) asking(ctx context.Context, t *orchestration.Turn, wanted wish) (a asking, err error) {
	a = asking{person: t.Line.Person, call: t.Line.Call, cfg: &w.cfg}
	if wanted.once != "" && w.cfg.Refused != nil {
		a.until, a.refused, err = w.cfg.Refused(ctx, a.call, a.begun().Add(laterAfter))
	}
	return a, err
}

// ask reads a wish back.
func (w *Wishes) ask(ctx context.Context, t *orchestration.Turn, s *orchestration.Speech, wanted wish) error {
	x := &wanted.in.Texts
	s.Note("intent", "calls_change")
	s.Note("wish", wanted.kinds())
	if wanted.vague && !holds(t.LastSaid(), x.AskWhen) {
		return s.Say(x.AskWhen)
	}
	if t.Line.Call.Direction != calls.Outbound && t.Line.Call.Verified != calls.Keyed { // anybody may call us
		return w.note(ctx, t, s, wanted.in)
	}
	read, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	list, err := w.cfg.Store.Schedules(read, t.Line.Person.ID, uuid.Nil, mostSchedules)
	if err != nil {
		return w.failed(ctx, t, s, wanted.in, err)
	}
	a, err := w.asking(read, t, wanted)
	if err != nil {
		return w.failed(ctx, t, s, wanted.in, err)
	}
	c, err := a.change(wanted, list)
	switch {
	case errors.Is(err, errFull):
		return s.Say(x.Full)
	case errors.Is(err, errCannot):
		return w.note(ctx, t, s, wanted.in)
	case errors.Is(err, errAsItIs):
		return w.goOn(t, s, x.AsItIs)
	case errors.Is(err, errQuiet):
		q := a.quiet()
		return s.Say(fill(x.TooLate, "from", x.clockWords(q.Start), "to", x.clockWords(q.End)))
	case err != nil:
		return w.failed(ctx, t, s, wanted.in, err)
	}
	return s.Say(fill(x.Ask, "what", c.what))
}

// answered handles the answer to a change that was read back.
func (w *Wishes) answered(ctx context.Context, t *orchestration.Turn, s *orchestration.Speech, q question, wanted wish, isWish bool) error {
	x := &q.in.Texts
	yes, no, again := q.in.answer(t.Heard)
	switch {
	case yes && !isWish:
		return w.keep(ctx, t, s, q)
	case isWish:
		return w.ask(ctx, t, s, wanted)
	}
	// An earlier attempt at this turn may have been taken as a yes.
	read, cancel := context.WithTimeout(context.WithoutCancel(ctx), within)
	defer cancel()
	if c, err := w.cfg.Store.CallsChanged(read, t.Line.Call.ID, t.Place); err == nil {
		return s.Say(fill(x.Done, "what", c.Confirmed))
	} else if !errors.Is(err, store.ErrNotFound) {
		return w.failed(ctx, t, s, q.in, err)
	}
	if again && q.times < mostAsked {
		return s.Say(q.question)
	}
	s.Note("declined", no)
	return w.goOn(t, s, x.Left)
}

// errOther says that a change differs from the one that was read back.
var errOther = errors.New("not what was read back")

// keep stores a confirmed change, and says so once it is stored. An interruption or a hang-up does
// not stop the storing.
func (w *Wishes) keep(ctx context.Context, t *orchestration.Turn, s *orchestration.Speech, q question) error {
	x := &q.in.Texts
	wanted, ok := hear(t, q.heard, q.before)
	if !ok {
		return w.goOn(t, s, x.Left)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), within)
	defer cancel()
	a, err := w.asking(ctx, t, wanted)
	if err != nil {
		return w.failed(ctx, t, s, q.in, err)
	}
	var c change
	now := w.cfg.Now()
	made, err := w.cfg.Store.ChangeCalls(ctx, schedules.Change{
		PersonID: t.Line.Person.ID, CallID: t.Line.Call.ID, Turn: t.Place, Said: q.heard, Confirmed: q.what(),
	}, now, func(list []schedules.Schedule) (_ schedules.Edit, err error) {
		if c, err = a.change(wanted, list); err != nil {
			return c.Edit, err
		}
		if english.Plain(fill(x.Ask, "what", c.what)) != english.Plain(q.question) {
			return c.Edit, errOther
		}
		return c.Edit, nil
	})
	switch {
	case errors.Is(err, errOther), errors.Is(err, errCannot), errors.Is(err, errAsItIs), errors.Is(err, errQuiet), errors.Is(err, errFull):
		return w.ask(ctx, t, s, wanted) // somebody else changed the schedules meanwhile
	case err != nil:
		return w.failed(ctx, t, s, q.in, err)
	}
	w.cfg.Log.InfoContext(ctx, "calls were changed by the person", "call_id", t.Line.Call.ID, "person_id", t.Line.Person.ID, "kinds", wanted.kinds())
	s.Note("changed", made.ID)
	if c.told != "" {
		if err := w.alert(ctx, t, alerts.SameDay, c.told, q.heard, "They asked for it in a call, and confirmed it: "+q.what()+"."); err != nil {
			w.cfg.Log.ErrorContext(ctx, "nobody is told of essential calls that are not made", "call_id", t.Line.Call.ID, "err", err)
		}
	}
	if w.cfg.Planned != nil {
		for _, sc := range made.After {
			w.cfg.Planned(ctx, sc.ScheduleID)
		}
	}
	done := fill(x.Done, "what", made.Confirmed)
	if c.goodbye {
		if err := s.Say(done + " " + x.Until); err != nil {
			return err
		}
		return s.EndCall("goodbye")
	}
	return w.goOn(t, s, done)
}

// what returns the change that a question asks about.
func (q question) what() string {
	head, tail, _ := strings.Cut(q.in.Texts.Ask, "{what}")
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(q.question), head), tail)
}

// note raises an alert for what nAIber cannot store itself, and says so once the alert is stored.
func (w *Wishes) note(ctx context.Context, t *orchestration.Turn, s *orchestration.Speech, l *language) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), within)
	defer cancel()
	if err := w.alert(ctx, t, alerts.Digest, KindWish, t.Heard, "They asked for other times of calls, which is for a human being to set."); err != nil {
		return w.failed(ctx, t, s, l, err)
	}
	return w.goOn(t, s, l.Texts.Noted)
}

func (w *Wishes) alert(ctx context.Context, t *orchestration.Turn, tier alerts.Tier, kind, quote, why string) error {
	_, _, err := w.cfg.Store.RaiseAlert(ctx, alerts.New{
		PersonID: t.Line.Person.ID, CallID: t.Line.Call.ID, Turn: t.Place, Tier: tier, Kind: kind, Quote: quote, Why: why,
		Key: fmt.Sprintf("%s:%s:%d", kind, t.Line.Call.ID, t.Place), At: t.At,
	})
	return err
}

func (w *Wishes) failed(ctx context.Context, t *orchestration.Turn, s *orchestration.Speech, l *language, err error) error {
	w.cfg.Log.ErrorContext(ctx, "wish is not kept", "call_id", t.Line.Call.ID, "person_id", t.Line.Person.ID, "err", err)
	s.Degraded("wish_not_kept")
	return w.goOn(t, s, l.Texts.NotKept)
}

// goOn says a text, and repeats the question at which the conversation was.
func (w *Wishes) goOn(t *orchestration.Turn, s *orchestration.Speech, text string) error {
	for _, m := range slices.Backward(t.Messages) {
		if m.Role != llm.RoleAssistant || ours(m.Content) {
			continue
		}
		if line := orchestration.WithoutPrompts(m.Content); line != "" {
			return s.Say(strings.TrimSpace(text + " " + safety.LastQuestion(line)))
		}
	}
	return s.Say(text)
}

// ours reports whether a line is one of our texts.
func ours(line string) bool {
	said := english.Plain(line)
	for _, l := range languages {
		x := &l.Texts
		for _, text := range []string{x.Ask, x.Done, x.Left, x.NotKept, x.Noted, x.AsItIs, x.TooLate, x.Full, x.AskWhen} {
			head, tail, _ := strings.Cut(text, "{what}")
			head, _, _ = strings.Cut(head, "{")
			if strings.HasPrefix(said, english.Plain(head)) && (text != x.Ask || strings.HasSuffix(said, english.Plain(tail))) {
				return true
			}
		}
	}
	return false
}
