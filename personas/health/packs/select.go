package packs

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/naiber/naiber/store/checks"
)

const (
	// minDaily and maxDaily limit the questions of one check, without the items of an instrument.
	minDaily = 8
	maxDaily = 12

	// maxWithScreen limits a check that contains a screen. People hang up after about fifteen
	// minutes; profile questions give way first.
	maxWithScreen = 14

	// screenGapDays is the least number of days between two different screens, so that a person who
	// is phoned every day is not screened every day.
	screenGapDays = 3
)

// History holds what was asked in earlier checks.
type History struct {
	Screens []checks.Screen      // in any order
	Asked   map[string]time.Time // when a profile question was last asked, by question id
}

// Session holds the questions of one call, in the order in which they are asked.
type Session struct {
	Questions []Question
	Screen    string   // the pack id of the instrument among them, or empty if there is none
	Left      []string // profile questions that apply but did not fit today; they come first next time
}

// Select chooses the questions of a call at now, whose location must be the person's: the daily
// ones, then those that the person's conditions, medicines and recent days call for, then at most
// one screen, then the daily ones that belong at the end. The same arguments give the same session.
//
// There are at most twelve questions, or fourteen in a call with a screen (a longer instrument
// leaves room for one urgent profile question). If there is too little room, optional daily
// questions give way to urgent ones, and profile questions take turns: those not asked for longest
// go first.
func (l *Library) Select(p Profile, h History, now time.Time) Session {
	daily := l.of(KindDaily, p.Language)[0] // checked when the library was loaded
	screen, due := l.dueScreen(p, h, now)
	var asked []Question
	if due {
		asked = questions(screen, nil, now)
	}
	extra := l.additions(p, h, now)

	limit := maxDaily
	if due {
		limit = maxWithScreen
	}
	must := count(extra, func(q Question) bool { return q.Must })
	base := giveWay(questions(daily, nil, now), len(asked)+must, limit)
	room := max(0, limit-len(base)-len(asked))
	if room == 0 && must > 0 {
		room = 1
	}
	room = min(room, len(extra))

	s := Session{Screen: screen.ID}
	s.Questions = append(s.Questions, base[:body(base)]...)
	s.Questions = append(s.Questions, extra[:room]...)
	s.Questions = append(s.Questions, asked...)
	s.Questions = append(s.Questions, base[body(base):]...)
	for _, q := range extra[room:] {
		s.Left = append(s.Left, q.ID)
	}
	return s
}

// Continue returns the items of a pack that are not answered yet, such as those of PHQ-8 after
// PHQ-2. It returns none if the pack is not known.
func (l *Library) Continue(id, language string, answers map[string]Value, now time.Time) []Question {
	p, ok := l.Pack(id, language)
	if !ok {
		return nil
	}
	return questions(p, answers, now)
}

// questions returns the pack's unanswered items as questions.
func questions(p Pack, answers map[string]Value, now time.Time) []Question {
	var asked []Question
	for i, it := range p.Items {
		if v, ok := answers[it.ID]; ok && it.Accepts(v) {
			continue
		}
		it.Text = strings.ReplaceAll(it.Text, placeYearAgo, now.AddDate(-1, 0, 0).Format("January 2006"))
		q := question(p, it)
		if i == 0 {
			q.Intro = p.Intro
		}
		asked = append(asked, q)
	}
	return asked
}

// giveWay drops optional questions, the last ones first, until they and the others fit within the
// limit.
func giveWay(base []Question, others, limit int) []Question {
	for i := len(base) - 1; i >= 0 && len(base)+others > limit; i-- {
		if base[i].Optional {
			base = slices.Delete(base, i, i+1)
		}
	}
	return base
}

// body returns the number of questions before those that belong at the end.
func body(base []Question) int {
	if i := slices.IndexFunc(base, func(q Question) bool { return q.Last }); i >= 0 {
		return i
	}
	return len(base)
}

func count(qs []Question, is func(Question) bool) int {
	n := 0
	for _, q := range qs {
		if is(q) {
			n++
		}
	}
	return n
}

// additions returns the profile questions that apply today, the most urgent first, and among equals
// the one not asked for longest.
func (l *Library) additions(p Profile, h History, now time.Time) []Question {
	var found []Question
	for _, pack := range l.of(KindProfile, p.Language) {
		for _, it := range pack.Items {
			if !p.has(it.When, now) {
				continue
			}
			if it.Each != "" {
				if one, ok := nextMedicine(it, p, h); ok {
					found = append(found, question(pack, one))
				}
				continue
			}
			if rested(it, h, now) {
				found = append(found, question(pack, it))
			}
		}
	}
	slices.SortStableFunc(found, func(a, b Question) int {
		return cmp.Or(first(a.Must, b.Must), h.Asked[a.ID].Compare(h.Asked[b.ID]))
	})
	return found
}

// first compares two conditions; one that holds goes first.
func first(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

func rested(it Item, h History, now time.Time) bool {
	last, asked := h.Asked[it.ID]
	return !asked || it.EveryDays == 0 || days(last, now) >= it.EveryDays
}

// nextMedicine returns the question about the medicine that was not asked about for longest. One a
// day is enough, as the daily pack asks about all of them together.
func nextMedicine(it Item, p Profile, h History) (Item, bool) {
	all := regular(p.Medications)
	if len(all) == 0 {
		return Item{}, false
	}
	next := slices.MinFunc(all, func(a, b medicine) int {
		return h.Asked[it.ID+"."+a.id].Compare(h.Asked[it.ID+"."+b.id])
	})
	it.ID += "." + next.id
	it.Short = strings.ReplaceAll(it.Short, placeMedication, next.name)
	it.Text = strings.ReplaceAll(it.Text, placeMedication, next.name)
	it.Alternatives = slices.Clone(it.Alternatives)
	for i, s := range it.Alternatives {
		it.Alternatives[i] = strings.ReplaceAll(s, placeMedication, next.name)
	}
	it.Topics = append(slices.Clone(it.Topics), words(next.name)...)
	it.FollowUps = slices.Clone(it.FollowUps)
	for i := range it.FollowUps {
		f := &it.FollowUps[i]
		f.ID = it.ID + f.ID[strings.LastIndexByte(f.ID, '.'):]
		f.Text = strings.ReplaceAll(f.Text, placeMedication, next.name)
		f.Again = slices.Clone(f.Again)
		for i, s := range f.Again {
			f.Again[i] = strings.ReplaceAll(s, placeMedication, next.name)
		}
	}
	return it, true
}

// dueScreen returns the screen for today, if any: one that an event calls for, else the one asked
// longest ago. Those never asked go first.
func (l *Library) dueScreen(p Profile, h History, now time.Time) (Pack, bool) {
	if p.NoScreens {
		return Pack{}, false
	}
	type candidate struct {
		pack  Pack
		last  time.Time
		event bool
	}
	var found []candidate
	rest := l.restDays(p, h, now)
	for _, pack := range l.of(KindScreen, p.Language) {
		last, outcome, asked := l.last(pack, p.Language, h, now)
		event := p.calls(pack.Cadence.After, last, now)
		wait := pack.Cadence.MinDays
		if outcome == checks.ScreenUnanswered && pack.Cadence.RetryDays > 0 {
			wait = pack.Cadence.RetryDays
		}
		if event || rest >= screenGapDays && (!asked || days(last, now) >= wait) {
			found = append(found, candidate{pack, last, event})
		}
	}
	if len(found) == 0 {
		return Pack{}, false
	}
	next := slices.MinFunc(found, func(a, b candidate) int {
		return cmp.Or(first(a.event, b.event), a.last.Compare(b.last), cmp.Compare(a.pack.Cadence.Rank, b.pack.Cadence.Rank), cmp.Compare(a.pack.ID, b.pack.ID))
	})
	return next.pack, true
}

// last returns when the pack, or one that contains it, was last asked, and the outcome.
func (l *Library) last(pack Pack, language string, h History, now time.Time) (time.Time, checks.Outcome, bool) {
	var found checks.Screen
	for _, s := range h.Screens {
		if s.At.After(now) {
			continue
		}
		other, _ := l.Pack(s.Pack, language)
		if (s.Pack == pack.ID || slices.Contains(other.Covers, pack.ID)) && !s.At.Before(found.At) {
			found = s
		}
	}
	return found.At, found.Outcome, found.Pack != ""
}

// restDays returns the days since any screen was asked, at most screenGapDays. A screen in the
// future, which a clock set back can leave behind, counts as today's.
func (l *Library) restDays(p Profile, h History, now time.Time) int {
	rest := screenGapDays
	for _, s := range h.Screens {
		if _, ok := l.Pack(s.Pack, p.Language); ok {
			rest = min(rest, max(0, days(s.At, now)))
		}
	}
	return rest
}

// calls reports whether an event since the last time calls for the instrument before it is due.
func (p Profile) calls(a *After, last, now time.Time) bool {
	if a == nil {
		return false
	}
	at, known := p.Events[a.Event]
	if !known || at.IsZero() || at.After(now) || !at.After(last) {
		return false
	}
	return last.IsZero() || days(last, now) >= a.MinDays
}
