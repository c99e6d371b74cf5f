package health

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/naiber/naiber/orchestration"
	"github.com/naiber/naiber/personas/health/packs"
	"github.com/naiber/naiber/personas/health/words"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/checks"
	"github.com/naiber/naiber/store/survive"
)

const (
	// historyDays is how far back answers are read: a fall calls for questions for some weeks.
	historyDays = 35
	// yesterdayWithin is the greatest age of an answer that "same as yesterday" refers to.
	yesterdayWithin = 72 * time.Hour
)

// past is what is known about earlier checks.
type past struct {
	history packs.History
	events  map[string]time.Time
	last    map[string]packs.Value // the last answers, by question
	// noScreens is set if the time of the last screen is not known, so that none is due.
	noScreens bool
	wanted    []checks.Question // by carers, not yet asked
	broken    *State            // an unfinished check to continue, or nil
	over      bool              // the call has ended
}

// errOver means that a call has ended, so that no check may begin in it: its thread was written to
// the tables and deleted during the turn.
var errOver = errors.New("the call has ended")

// begin returns the state of a new check: the rest of one that was broken off, or a new session. It
// returns [errOver] if the call has ended.
func (p *Persona) begin(ctx context.Context, t *orchestration.Turn, in *input) (State, error) {
	who := t.Line.Person
	s := State{
		Call: t.Line.Call.ID, Name: who.CallName(), Language: p.cfg.Packs.Language(who.Language), Zone: who.Timezone,
		StartedAt: in.at, Open: -1, Phase: PhaseOpening,
	}
	if s.Language != who.Language {
		in.report.degrade(words.DegradedLanguage)
	}
	now := in.at.In(s.location())
	known := p.lookBack(ctx, t.Line, now, in.report)
	if known.over {
		return s, errOver
	}
	if known.broken != nil {
		s.goOnWith(known.broken)
		p.metrics.resumed.Inc()
	} else {
		profile := packs.Profile{
			Language: s.Language, Conditions: who.Conditions, Medications: who.Medications, Events: known.events, NoScreens: known.noScreens,
		}
		for _, q := range p.cfg.Packs.Select(profile, known.history, now).Questions {
			s.insert(len(s.Entries), Entry{Question: q})
		}
		for _, w := range known.wanted {
			s.insert(s.beforeLast(), Entry{Question: p.cfg.Packs.Wanted(checks.QuestionID(w), w.Text, s.Language)})
		}
	}
	for e := range s.all() {
		if v, ok := known.last[e.Question.ID]; ok && e.Question.Accepts(v) {
			e.Yesterday = &v
		}
	}
	return s, nil
}

// lookBack reads what is known about earlier checks, and does without the parts that fail or miss
// the deadline.
func (p *Persona) lookBack(ctx context.Context, line calls.Line, now time.Time, rep *report) past {
	ctx, cancel := context.WithTimeout(ctx, p.cfg.LoadDeadline)
	defer cancel()
	k := past{events: map[string]time.Time{}, last: map[string]packs.Value{}}
	who := line.Person.ID
	var was checks.Past
	panicked := survive.Try(p.log, "look_back", func() error { was = p.healthPast(ctx, who, line.Call.ID, now); return nil })
	switch {
	case errors.Is(was.CallErr, store.ErrNotFound): // deleted together with the person
		was.CallErr, k.over = nil, true
	case was.CallErr == nil && panicked == nil:
		k.over = !was.Call.Live()
	}
	if was.WantedErr == nil && panicked == nil && !k.over {
		k.wanted, was.WantedErr = p.raisable(ctx, who, was.Wanted)
	}
	if was.BrokenErr == nil && panicked == nil && !k.over {
		was.BrokenErr = survive.Try(p.log, "look_back", func() (err error) {
			k.broken, err = p.brokenOff(ctx, who, &was, now)
			return err
		})
	}
	for _, part := range []struct {
		err    error
		reason string
	}{{was.AskedErr, "no_asked"}, {was.CallErr, "no_call"}, {was.HistoryErr, "no_history"}, {was.BrokenErr, "no_resumption"}, {was.ScreensErr, "no_screens"}, {was.WantedErr, "no_wanted"}} {
		if err := cmp.Or(panicked, part.err); err != nil {
			p.log.LogAttrs(ctx, slog.LevelWarn, "earlier health checks not known",
				slog.String("call_id", line.Call.ID.String()), slog.String("reason", part.reason), slog.Any("err", err))
			rep.degrade(part.reason)
		}
	}
	k.history.Screens, k.history.Asked, k.noScreens = was.Screens, was.Asked, cmp.Or(panicked, was.ScreensErr) != nil
	k.read(was.History, now)
	return k
}

// mostWanted is the greatest number of carers' questions in one check; the others wait.
const mostWanted = 2

// raisable returns the wanted questions to ask now. Questions about a topic that must not be
// brought up wait.
func (p *Persona) raisable(ctx context.Context, who store.PersonID, wanted []checks.Question) ([]checks.Question, error) {
	if p.cfg.Limits != nil && len(wanted) > 0 {
		texts := make([]string, len(wanted))
		for i, w := range wanted {
			texts[i] = w.Text
		}
		may, err := p.cfg.Limits.Raisable(ctx, who, texts)
		if err != nil {
			return nil, err
		}
		wanted = slices.DeleteFunc(wanted, func(w checks.Question) bool { return !slices.Contains(may, w.Text) })
	}
	return wanted[:min(len(wanted), mostWanted)], nil
}

// beforeLast returns the index of the question that ends a check, or the number of questions if
// there is none.
func (s *State) beforeLast() int {
	if n := len(s.Entries); n > 0 && s.Entries[n-1].Question.Last {
		return n - 1
	}
	return len(s.Entries)
}

// healthPast reads what a check in the call depends on.
func (p *Persona) healthPast(ctx context.Context, who store.PersonID, call store.CallID, now time.Time) checks.Past {
	return p.cfg.Store.HealthPast(ctx, who, call, now.AddDate(0, 0, -historyDays), now.Add(-p.cfg.ResumeWindow))
}

// read takes what this check depends on from earlier answers, which must be in order, oldest first.
func (k *past) read(points []checks.Point, now time.Time) {
	for _, pt := range points {
		v, err := decode(pt.Type, pt.Value, pt.Unit)
		if err != nil || !v.Given() {
			continue
		}
		if pt.QuestionID == fallQuestion && v.Bool {
			k.events[packs.EventFall] = pt.At
		}
		if now.Sub(pt.At) <= yesterdayWithin {
			k.last[pt.QuestionID] = v
		}
	}
}

// fallQuestion is the daily question to which a yes means [packs.EventFall].
const fallQuestion = "falls"
