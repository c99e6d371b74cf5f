package telephony

import (
	"cmp"
	"fmt"
	"strconv"
	"time"

	"github.com/nyaruka/phonenumbers"

	"github.com/naiber/naiber/internal/law"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/people"
)

// The rules of the gate, in the order of their evaluation. They are part of the API: a refusal
// names one of them.
const (
	RuleOptedOut     = "opted_out"
	RuleNoConsent    = "no_consent"
	RulePaused       = "paused"
	RuleQuietHours   = "quiet_hours"
	RuleCallingHours = "calling_hours" // legal calling hours
	RuleLiveCall     = "live_call"
	RuleDailyCap     = "daily_cap"
	RuleCostCap      = "cost_cap"
)

// untilForm is the format of the time in a refusal's text.
const untilForm = "2 January 2006, 15:04"

// Refusal is the gate's answer to a call that must not be placed: the rule that forbids it, until
// when, and a sentence for the person who asked. The sentence gives that time on the clock of the
// person who would be phoned.
type Refusal struct { //nolint:errname // it is an answer before it is an error
	Rule  string
	Until *time.Time // when to ask again; nil: it depends on somebody's decision
	Text  string

	person bool // a cap for the person alone
}

// Error returns the rule and the sentence.
func (r *Refusal) Error() string { return "gate " + r.Rule + ": " + r.Text }

// Gate decides whether a person may be phoned now. It is a pure function of its arguments, and the
// only place where this is decided: every call that is placed has passed it. It returns nil if the
// call may be placed.
func Gate(cfg Config, facts calls.DialFacts, now time.Time) *Refusal {
	p := facts.Person
	name := p.CallName()
	if no := unwanted(p, facts.Type, facts.Consents); no != nil {
		return no
	}
	if facts.Pause != nil {
		return paused(name, *facts.Pause, p.Location())
	}
	quiet := quietHours(cfg, p)
	if until, is := quiet.until(now.In(p.Location())); is {
		return &Refusal{
			Rule: RuleQuietHours, Until: &until,
			Text: "Quiet hours last until " + until.Format("15:04") + " where " + name + " lives.",
		}
	}
	if zone := zoneOf(facts.Phone); facts.Phone != p.Phone && zone != nil { // the second telephone may be elsewhere
		if until, is := quiet.until(now.In(zone)); is {
			return &Refusal{
				Rule: RuleQuietHours, Until: &until,
				Text: "Quiet hours last until " + until.Format("15:04") + " where the second telephone of " + name + " is.",
			}
		}
	}
	hours := callingHours(cfg, facts)
	for _, l := range hours {
		if until, is := l.until(now); is {
			return &Refusal{
				Rule: RuleCallingHours, Until: &until,
				Text: "By the law's calling hours of " + l.place + ", " + name + " is not phoned before " + until.Format("15:04 on Monday") + ", on the clock there.",
			}
		}
	}
	if facts.Live != nil {
		return &Refusal{Rule: RuleLiveCall, Text: name + " is on another call with nAIber."}
	}
	if facts.Safety && cfg.DailyCap > 0 {
		return nil
	}
	if facts.DialsToday >= cfg.DailyCap {
		until := nextDay(now.In(p.Location()))
		if opening, is := quiet.until(until); is {
			until = opening
		}
		for _, l := range hours {
			if opening, is := l.until(until); is {
				until = opening.In(until.Location())
			}
		}
		return &Refusal{
			Rule: RuleDailyCap, Until: &until,
			Text: name + " has been phoned " + strconv.Itoa(facts.DialsToday) + " times today, and " + strconv.Itoa(cfg.DailyCap) + " is the most allowed. " +
				"The next call may be placed " + until.Format(untilForm) + " where they live.",
		}
	}
	return cfg.Costs.refuses(facts, now)
}

// unwanted returns a refusal if the person has not agreed to such a call, or has withdrawn that.
func unwanted(p people.Person, t calls.CallType, consents map[people.Scope]bool) *Refusal {
	name := p.CallName()
	switch {
	case p.OptedOutAt != nil: // first, since opting out withdraws the consent too
		return &Refusal{
			Rule: RuleOptedOut,
			Text: name + " has asked not to be phoned any more. When they want calls again, say so with `naiber people opt-in`, or on their page in the console.",
		}
	case !consents[people.ScopeCalls]:
		return &Refusal{Rule: RuleNoConsent, Text: name + " has not agreed to be phoned."}
	case t == calls.CallCognitive && !consents[people.ScopeCognitive]:
		return &Refusal{Rule: RuleNoConsent, Text: name + " has not agreed to checks of memory and attention."}
	}
	return nil
}

// Costs caps the estimated cost of a month's calls, from their minutes. A cap of 0 means none.
type Costs struct {
	PerMinute         float64 // in any currency
	Person, Everybody float64 // a month's caps, UTC
}

// mostMinutes returns the longest that a call may last, in minutes rounded up, or 0 if no cost is
// capped.
func (c Config) mostMinutes() int {
	if c.Costs.Person == 0 && c.Costs.Everybody == 0 {
		return 0
	}
	return int((c.TimeLimit + time.Minute - 1) / time.Minute)
}

// refuses returns a refusal if a cap is reached, else nil.
func (c Costs) refuses(f calls.DialFacts, now time.Time) *Refusal {
	until := calls.Month(now).AddDate(0, 1, 0)
	no := &Refusal{Rule: RuleCostCap, Until: &until}
	switch {
	case c.Person > 0 && float64(f.PersonMinutes)*c.PerMinute >= c.Person:
		no.person = true
		no.Text = fmt.Sprintf("Calls of %d minutes this month reach what may be spent on the person %s. Calls for their safety are made all the same.", f.PersonMinutes, f.Person.ID)
	case c.Everybody > 0 && float64(f.Minutes)*c.PerMinute >= c.Everybody:
		no.Text = fmt.Sprintf("Calls of %d minutes this month reach what may be spent on everybody. Calls for people's safety are made all the same.", f.Minutes)
	default:
		return nil
	}
	return no
}

func paused(name string, p people.Pause, loc *time.Location) *Refusal {
	if p.EndsAt == nil {
		return &Refusal{Rule: RulePaused, Text: "Calls to " + name + " are paused until somebody lifts the pause."}
	}
	until := p.EndsAt.In(loc)
	return &Refusal{
		Rule: RulePaused, Until: &until,
		Text: "Calls to " + name + " are paused until " + until.Format(untilForm) + " where they live.",
	}
}

// zoneOf returns the time zone of a telephone, or nil if the number does not determine one.
func zoneOf(phone string) *time.Location {
	n, err := phonenumbers.Parse(phone, "")
	if err != nil {
		return nil
	}
	zones, err := phonenumbers.GetTimezonesForNumber(n)
	if err != nil || len(zones) != 1 {
		return nil
	}
	loc, err := time.LoadLocation(zones[0])
	if err != nil || zones[0] == phonenumbers.UNKNOWN_TIMEZONE {
		return nil
	}
	return loc
}

// legal holds a place's legal calling hours, on the clock there.
type legal struct {
	place string
	hours *law.Hours
	zone  *time.Location
}

// callingHours returns the legal hours that apply to a call: those of the place where the person
// lives, and, for another number of theirs, those of its place as far as the number shows. There
// are none for a call that the person has just asked for, or that follows danger.
func callingHours(cfg Config, facts calls.DialFacts) []legal {
	p := facts.Person
	if !cfg.LegalHours || facts.Wanted {
		return nil
	}
	home := law.Of(p.Phone, p.Region)
	list := []legal{{home.Place, home.Hours, p.Location()}}
	if facts.Phone == p.Phone {
		return list
	}
	there := law.Of(facts.Phone, "")
	if countryOf(facts.Phone) != countryOf(p.Phone) {
		list = nil
	}
	return append(list, legal{there.Place, there.Hours, cmp.Or(zoneOf(facts.Phone), p.Location())})
}

// until reports whether no call may be placed at t and, if so, returns the first moment after it at
// which one may.
func (l legal) until(t time.Time) (time.Time, bool) {
	if t = t.In(l.zone); l.hours.Open(t) {
		return time.Time{}, false
	}
	return nextMinute(t, l.hours.Open), true
}

// quiet is a part of the day in seconds after midnight, wall-clock time: from start up to, but not
// including, end. It spans midnight if end is before start.
type quiet struct{ start, end int }

// strictQuiet applies if quiet hours cannot be parsed: a typing error must not wake anybody.
var strictQuiet = quiet{start: 20 * 3600, end: 9 * 3600}

func quietHours(cfg Config, p people.Person) quiet {
	hours := *cmp.Or(p.QuietHours, &cfg.QuietHours)
	start, err1 := clock(hours.Start)
	end, err2 := clock(hours.End)
	if err1 != nil || err2 != nil {
		return strictQuiet
	}
	return quiet{start: start, end: end}
}

// clock parses "HH:MM" and returns the seconds after midnight.
func clock(s string) (int, error) {
	t, err := time.Parse("15:04", s)
	if err != nil {
		return 0, fmt.Errorf("clock time %q: %w", s, err)
	}
	return t.Hour()*3600 + t.Minute()*60, nil
}

func (q quiet) holds(t time.Time) bool {
	h, m, s := t.Clock()
	at := h*3600 + m*60 + s
	if q.start <= q.end {
		return q.start <= at && at < q.end
	}
	return at >= q.start || at < q.end
}

// until reports whether t lies in quiet hours and, if so, returns the first moment after it that
// does not. The hours apply to the clock in t's location.
func (q quiet) until(t time.Time) (time.Time, bool) {
	if !q.holds(t) {
		return time.Time{}, false
	}
	return nextMinute(t, func(t time.Time) bool { return !q.holds(t) }), true
}

// nextDay returns the first moment of the next calendar date in t's location. That is not always
// midnight: some zones set their clocks forward at that hour.
func nextDay(t time.Time) time.Time {
	today := t.YearDay()
	return nextMinute(t, func(t time.Time) bool { return t.YearDay() != today })
}

// nextMinute returns the first full minute after t for which there returns true. It tries each
// minute, which covers hours that the clocks skip or repeat.
func nextMinute(t time.Time, there func(time.Time) bool) time.Time {
	for t = t.Truncate(time.Minute).Add(time.Minute); !there(t); {
		t = t.Add(time.Minute)
	}
	return t
}
