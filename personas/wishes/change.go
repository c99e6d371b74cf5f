package wishes

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/teambition/rrule-go"

	"github.com/naiber/naiber/internal/law"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/store/schedules"
)

// Reasons for which a wish changes nothing.
var (
	errCannot = errors.New("cannot be kept as a schedule or a pause")
	errAsItIs = errors.New("is so already")
	errQuiet  = errors.New("is in quiet hours")
	errFull   = errors.New("there are no more calls today, and there is one tomorrow")
)

// laterAfter is the time from the beginning of a call that came at a bad time to the next call;
// laterFor and clockFor are the lengths of windows if the person named none.
const (
	laterAfter = time.Hour
	laterFor   = 2 * time.Hour
	clockFor   = time.Hour
)

// change is the effect of a wish on a person's calls, and how it is said.
type change struct {
	schedules.Edit

	what    string // what is changed, in words
	goodbye bool   // the call ends once it is done
	told    string // kind of the alert for those who rely on essential calls; empty: none
}

// asking says who asks for a change, and when.
type asking struct {
	person people.Person
	call   calls.Call
	cfg    *Config
	// refused is set if another call today would be refused, until then; zero: until somebody
	// decides.
	refused bool
	until   time.Time
}

// begun returns when the call began, in the person's zone. Times are counted from it, so that they
// are the same in the question and at the answer.
func (a asking) begun() time.Time { return a.call.CreatedAt.In(a.person.Location()) }

func (a asking) today() time.Time {
	y, m, d := a.begun().Date()
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
}

// midnight returns the beginning of a day, so many days after the day of the call.
func (a asking) midnight(days int) time.Time {
	y, m, d := a.begun().Date()
	return time.Date(y, m, d+days, 0, 0, 0, 0, a.person.Location())
}

// change returns the effect of a wish on schedules, or an error that says why it has none.
func (a asking) change(w wish, list []schedules.Schedule) (change, error) {
	list = slices.DeleteFunc(list, func(s schedules.Schedule) bool {
		return s.Paused || s.EndsOn != nil && (s.EndsOn.Before(a.today()) || s.EndsOn.Equal(s.StartsOn)) // it was for one more call
	})
	switch {
	case w.vague:
		return change{}, errCannot
	case w.end != "":
		return a.end(w, list)
	case w.pause != "":
		return a.pause(w, list)
	case w.once != "":
		return a.once(w, list)
	}
	return a.always(w, list)
}

// mine returns the schedules of the call's type or, if there are none, the only schedule.
func (a asking) mine(list []schedules.Schedule) []schedules.Schedule {
	own := slices.DeleteFunc(slices.Clone(list), func(s schedules.Schedule) bool { return s.CallType != a.call.Type })
	if len(own) == 0 && len(list) == 1 {
		return list
	}
	return own
}

// always changes schedules permanently.
func (a asking) always(w wish, list []schedules.Schedule) (c change, err error) {
	x := &w.in.Texts
	var said []string
	changed := slices.Clone(list)
	of := func(targets []schedules.Schedule, edit func(*schedules.Schedule) error) error {
		if len(targets) == 0 {
			return errCannot
		}
		for i := range changed {
			if slices.ContainsFunc(targets, func(s schedules.Schedule) bool { return s.ID == changed[i].ID }) {
				if err := edit(&changed[i]); err != nil {
					return err
				}
			}
		}
		return nil
	}
	if w.time != "" && len(w.not) == 0 {
		window, err := a.window(w.time)
		if err != nil {
			return c, err
		}
		if err := of(a.mine(list), func(s *schedules.Schedule) error { setWindow(s, window); return nil }); err != nil {
			return c, err
		}
		said = append(said, fill(x.From, "what", fill(x.Between, "from", x.clockWords(window.From), "to", x.clockWords(window.To))))
	}
	switch {
	case len(w.not) > 0:
		targets := list
		if w.time != "" { // on Wednesday mornings
			if targets, err = a.within(list, w.time); err != nil {
				return c, err
			}
		}
		if err := of(targets, func(s *schedules.Schedule) error { return without(s, w.not) }); err != nil {
			return c, err
		}
		said = append(said, fill(x.NotDays, "days", x.days(w.not)))
	case len(w.only) > 0:
		if err := of(a.mine(list), func(s *schedules.Schedule) error { return onlyOn(s, w.only) }); err != nil {
			return c, err
		}
		said = append(said, fill(x.OnlyDays, "days", x.days(w.only)))
	case w.every != "":
		days := a.weekdays(w.every)
		if err := of(a.mine(list), func(s *schedules.Schedule) error { return a.sometimes(s, days) }); err != nil {
			return c, err
		}
		said = append(said, fill(x.Every[w.every], "days", x.days(days)))
	}
	for i, s := range changed {
		if s.RRule == list[i].RRule && s.Window == list[i].Window {
			continue
		}
		if s, err = a.cfg.Check(s); err != nil {
			return c, errors.Join(errCannot, err)
		}
		c.Schedules = append(c.Schedules, s)
	}
	if len(c.Schedules) == 0 {
		return c, errAsItIs
	}
	c.what = x.join(said)
	return c, nil
}

// window returns the window of a named part of the day, or an hour from a time on.
func (a asking) window(name string) (schedules.Window, error) {
	w, ok := a.cfg.Parts[name]
	if at, is := strings.CutPrefix(name, "time:"); is {
		t, err := time.Parse("15:04", at)
		end := t.Add(clockFor)
		if err != nil || end.Day() != t.Day() {
			return w, errQuiet
		}
		w, ok = schedules.Window{From: at, To: end.Format("15:04")}, true
	}
	if !ok {
		return w, errCannot
	}
	return w, a.allowed(w)
}

// ownQuiet returns the quiet hours of the person, without the law's.
func (a asking) ownQuiet() people.QuietHours {
	if a.person.QuietHours != nil {
		return *a.person.QuietHours
	}
	return a.cfg.Quiet
}

// legal returns the hours within which the law allows calls on working days where the person lives;
// ok is false if it does not say, or if LegalHours is off.
func (a asking) legal() (from, to string, ok bool) {
	hours := law.Of(a.person.Phone, a.person.Region).Hours
	if !a.cfg.LegalHours || hours == nil {
		return "", "", false
	}
	from, to = hours.On(time.Monday).Clock()
	return from, to, true
}

// allowed returns an error if a window touches quiet hours.
func (a asking) allowed(w schedules.Window) error {
	q := a.ownQuiet()
	switch from, to, legal := a.legal(); {
	case w.To <= w.From, legal && (w.From < from || w.To > to):
		return errQuiet
	case q.Start == q.End:
		return nil
	case q.Start > q.End && w.From >= q.End && w.To <= q.Start, q.Start < q.End && (w.To <= q.Start || w.From >= q.End):
		return nil
	}
	return errQuiet
}

// quiet returns the quiet hours of the person, widened by those in which the law forbids calls on
// working days where they live. Quiet hours within one day are not widened.
func (a asking) quiet() people.QuietHours {
	q := a.ownQuiet()
	from, to, legal := a.legal()
	if !legal || q.Start < q.End {
		return q
	}
	if q.Start == q.End {
		return people.QuietHours{Start: to, End: from}
	}
	return people.QuietHours{Start: min(q.Start, to), End: max(q.End, from)}
}

// within returns the schedules whose window overlaps a part of the day.
func (a asking) within(list []schedules.Schedule, name string) ([]schedules.Schedule, error) {
	w, err := a.window(name)
	if err != nil {
		return nil, err
	}
	found := slices.DeleteFunc(slices.Clone(list), func(s schedules.Schedule) bool { return s.Window.From >= w.To || s.Window.To <= w.From })
	if len(found) == 0 {
		return nil, errAsItIs
	}
	return found, nil
}

// setWindow moves a schedule to a window. It limits the jitter of the first attempt to a quarter of
// it.
func setWindow(s *schedules.Schedule, w schedules.Window) {
	s.Window = w
	from, err1 := time.Parse("15:04", w.From)
	to, err2 := time.Parse("15:04", w.To)
	if err1 == nil && err2 == nil {
		s.JitterMinutes = min(s.JitterMinutes, int(to.Sub(from)/(4*time.Minute)))
	}
}

// rule is a recurrence rule by its parts.
type rule map[string]string

func readRule(text string) rule {
	r := rule{}
	for part := range strings.SplitSeq(text, ";") {
		name, value, _ := strings.Cut(part, "=")
		r[name] = value
	}
	return r
}

func (r rule) String() string {
	var parts []string
	for _, name := range []string{"FREQ", "INTERVAL", "COUNT", "UNTIL", "WKST", "BYDAY"} {
		if r[name] != "" {
			parts = append(parts, name+"="+r[name])
		}
	}
	return strings.Join(parts, ";")
}

// weekly returns the weekdays of a rule, and reports whether it has nothing but weekdays.
func (r rule) weekly(s *schedules.Schedule) (days []string, ok bool) {
	for name := range r {
		if !slices.Contains([]string{"FREQ", "INTERVAL", "COUNT", "UNTIL", "WKST", "BYDAY"}, name) {
			return nil, false
		}
	}
	if r["BYDAY"] != "" {
		days = strings.Split(r["BYDAY"], ",")
	}
	for _, d := range days {
		if !slices.Contains(week, d) { // the second Tuesday
			return nil, false
		}
	}
	switch r["FREQ"] {
	case "DAILY":
		if days == nil {
			days = week
		}
	case "WEEKLY":
		if days == nil {
			days = []string{weekday(s.StartsOn)}
		}
	default:
		return nil, false
	}
	return days, true
}

func weekday(day time.Time) string { return week[(int(day.Weekday())+6)%7] }

// without removes weekdays from a schedule.
func without(s *schedules.Schedule, not []string) error {
	r := readRule(s.RRule)
	days, ok := r.weekly(s)
	if !ok {
		return errCannot
	}
	left := slices.DeleteFunc(slices.Clone(days), func(d string) bool { return slices.Contains(not, d) })
	switch {
	case len(left) == 0:
		return errCannot
	case len(left) < len(days):
		r["BYDAY"] = strings.Join(left, ",")
		s.RRule = r.String()
	}
	return nil
}

// onlyOn limits a schedule to some weekdays.
func onlyOn(s *schedules.Schedule, days []string) error {
	r := readRule(s.RRule)
	if _, ok := r.weekly(s); !ok {
		return errCannot
	}
	if r["FREQ"] == "DAILY" {
		r["FREQ"], r["INTERVAL"] = "WEEKLY", ""
	}
	r["BYDAY"] = strings.Join(days, ",")
	s.RRule = r.String()
	return nil
}

// weekdays returns the weekdays for a call once or twice a week, counted from the day of the call,
// or nil for anything else.
func (a asking) weekdays(every string) []string {
	today := weekday(a.today())
	switch every {
	case "week":
		return []string{today}
	case "2week":
		days := []string{today, weekday(a.today().AddDate(0, 0, 3))}
		slices.SortFunc(days, func(a, b string) int { return slices.Index(week, a) - slices.Index(week, b) })
		return days
	}
	return nil
}

// sometimes limits a schedule to some weekdays or, if days is nil, to every other day.
func (a asking) sometimes(s *schedules.Schedule, days []string) error {
	if days != nil {
		return onlyOn(s, days)
	}
	r := readRule(s.RRule)
	if _, ok := r.weekly(s); !ok {
		return errCannot
	}
	if r["FREQ"] == "DAILY" && r["INTERVAL"] == "2" && r["BYDAY"] == "" {
		return nil
	}
	r["FREQ"], r["INTERVAL"], r["BYDAY"] = "DAILY", "2", ""
	s.RRule, s.StartsOn = r.String(), a.today()
	return nil
}

// end stops all calls of a type.
func (a asking) end(w wish, list []schedules.Schedule) (c change, err error) {
	for _, s := range list {
		if string(s.CallType) == w.end {
			s.Paused = true
			c.Schedules = append(c.Schedules, s)
			if s.Essential {
				c.told = KindNotChecked
			}
		}
	}
	if len(c.Schedules) == 0 {
		return c, errCannot
	}
	c.what = w.in.Texts.End[w.end]
	return c, nil
}

// pause leaves out all calls for a while.
func (a asking) pause(w wish, list []schedules.Schedule) (c change, err error) {
	monday := 7 - int((a.begun().Weekday()+6)%7) // days until next Monday
	from, to := a.begun(), a.midnight(monday)
	switch w.pause {
	case "today":
		to = a.midnight(1)
	case "tomorrow":
		from, to = a.midnight(1), a.midnight(2)
	case "next_week":
		from, to = a.midnight(monday), a.midnight(monday+7)
	}
	what := w.in.Texts.Pause[w.pause]
	if kind, name, named := strings.Cut(w.pause, ":"); named {
		ahead := (slices.Index(week, name)-int(a.begun().Weekday()+6)%7+6)%7 + 1 // the weekday of today is a week ahead
		if to = a.midnight(ahead); kind == "on" {
			from, to = to, a.midnight(ahead+1)
		}
		what = fill(w.in.Texts.Pause[kind], "day", w.in.Texts.Day[name])
	}
	c.Pause = &people.Pause{StartsAt: from, EndsAt: &to, Reason: "asked for in a call", CreatedBy: "person"}
	c.what, c.goodbye = what, w.pause == "today"
	if slices.ContainsFunc(list, func(s schedules.Schedule) bool { return s.Essential && a.leftOut(s, from, to) }) {
		c.told = KindNotCheckedFor
	}
	return c, nil
}

// leftOut reports whether a schedule has a call within a pause. This call counts as today's of its
// type once its window has begun.
func (a asking) leftOut(s schedules.Schedule, from, to time.Time) bool {
	date := func(t time.Time) time.Time { return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC) }
	for day := date(from); day.Before(date(to)); day = day.AddDate(0, 0, 1) {
		now := a.begun().Format("15:04")
		made := day.Equal(a.today()) && (s.Window.To <= now || s.CallType == a.call.Type && s.Window.From <= now)
		if !made && on(s, day) && (s.EndsOn == nil || !day.After(*s.EndsOn)) {
			return true
		}
	}
	return false
}

// once adds one call: later today, or tomorrow.
func (a asking) once(w wish, list []schedules.Schedule) (c change, err error) {
	day, begun := a.today(), a.begun()
	own := a.mine(list)
	essential := len(own) > 0 && own[0].Essential && own[0].CallType == a.call.Type
	when := w.once
	if a.refused && !essential {
		if a.until.IsZero() || a.until.After(a.midnight(2)) {
			return c, errCannot
		}
		if when == "later" {
			when = "not_today"
		}
	}
	var window schedules.Window
	if when == "later" {
		from := begun.Add(laterAfter).Truncate(15 * time.Minute)
		window = schedules.Window{From: from.Format("15:04"), To: from.Add(laterFor).Format("15:04")}
		if from.Day() != begun.Day() {
			return c, errQuiet
		}
		if q := a.quiet(); q.Start > window.From && q.Start < window.To {
			window.To = q.Start
		}
	} else {
		day = day.AddDate(0, 0, 1)
		from := begun.Truncate(15 * time.Minute)
		window = schedules.Window{From: from.Format("15:04"), To: from.Add(laterFor).Format("15:04")}
		if len(own) > 0 {
			window = own[0].Window
			if when == "not_today" && slices.ContainsFunc(own, func(s schedules.Schedule) bool { return on(s, day) }) {
				return c, errFull
			}
			if w.time == "" && slices.ContainsFunc(own, func(s schedules.Schedule) bool { return on(s, day) }) {
				return c, errAsItIs
			}
		}
		if w.time != "" {
			if window, err = a.window(w.time); err != nil {
				return c, err
			}
		}
	}
	if err := a.allowed(window); err != nil {
		return c, err
	}
	s, err := a.cfg.Check(schedules.Schedule{
		PersonID: a.person.ID, CallType: a.call.Type, RRule: "FREQ=DAILY;COUNT=1", Window: window, Essential: essential, StartsOn: day, EndsOn: &day, CreatedBy: "person",
	})
	if err != nil {
		return c, errors.Join(errCannot, err)
	}
	x := &w.in.Texts
	c.Schedules, c.goodbye = []schedules.Schedule{s}, true
	c.what = fill(x.Once[when], "from", x.clockWords(window.From), "to", x.clockWords(window.To))
	return c, nil
}

// on reports whether a schedule has a call on a day.
func on(s schedules.Schedule, day time.Time) bool {
	opts, err := rrule.StrToROption(s.RRule)
	if err != nil {
		return false
	}
	if opts.Dtstart = s.StartsOn; opts.Until.IsZero() || opts.Until.After(day) {
		opts.Until = day
	}
	r, err := rrule.NewRRule(*opts)
	return err == nil && len(r.Between(day, day, true)) > 0
}
