package escalation

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/naiber/naiber/store/alerts"
)

// Who is notified on a rung of a ladder.
const (
	first    = "first"    // the first contact
	each     = "each"     // one contact after another
	contacts = "contacts" // all contacts at once
	onCall   = "on_call"  // the on-call of the organisation
)

// Rung is a part of a ladder: who is notified, how, and how often.
type Rung struct {
	Who      string
	Channels []string      // empty means all that they have
	InHours  bool          // only in the contact's hours
	Every    time.Duration // until the next time, or the next rung; 0 means until the on-call is notified again
	Times    int
}

// Ladder says who is notified of an alert, one rung after another, until someone
// acknowledges it.
type Ladder []Rung

// maxTimes limits the repetitions of a rung.
const maxTimes = 100

// ParseLadder parses rungs, each in words: "contacts every 2m times 5", "each every 10m",
// "first by sms,email in hours every 4h", "on_call".
func ParseLadder(lines []string) (Ladder, error) {
	var l Ladder
	for i, line := range lines {
		r, err := parseRung(strings.Fields(line))
		if err != nil {
			return nil, fmt.Errorf("rung %d: %w", i+1, err)
		}
		l = append(l, r)
	}
	return l, nil
}

func parseRung(words []string) (Rung, error) {
	r := Rung{Times: 1}
	if len(words) == 0 || !slices.Contains([]string{first, each, contacts, onCall}, words[0]) {
		return r, fmt.Errorf("must begin with %s, %s, %s or %s", first, each, contacts, onCall)
	}
	r.Who = words[0]
	for rest := words[1:]; len(rest) > 0; rest = rest[2:] {
		if len(rest) == 1 {
			return r, fmt.Errorf("there is nothing after %q", rest[0])
		}
		switch key, value := rest[0], rest[1]; key {
		case "by":
			r.Channels = strings.Split(value, ",")
			if slices.ContainsFunc(r.Channels, func(c string) bool { return !slices.Contains(channels, c) }) {
				return r, fmt.Errorf("by must be some of %s, with commas between", strings.Join(channels, ","))
			}
		case "in":
			if r.InHours = value == "hours"; !r.InHours {
				return r, errors.New("in must be hours")
			}
		case "every":
			d, err := time.ParseDuration(value)
			if err != nil || d < time.Second || d > 7*24*time.Hour {
				return r, errors.New("every must be a duration from 1s to 168h")
			}
			r.Every = d
		case "times":
			n, err := strconv.Atoi(value)
			if err != nil || n < 1 || n > maxTimes {
				return r, fmt.Errorf("times must be from 1 to %d", maxTimes)
			}
			r.Times = n
		default:
			return r, fmt.Errorf("%q is none of by, in, every, times", key)
		}
	}
	if r.Times > 1 && r.Every == 0 {
		return r, errors.New("times needs every")
	}
	return r, nil
}

// channels lists all channels, in the order in which a contact is notified.
var channels = []string{alerts.Call, alerts.SMS, alerts.Email, alerts.Webhook}

// step is one step of a ladder.
type step struct {
	rung    int // equal for steps that notify the same people
	targets []target
	inHours bool
	wait    time.Duration
}

// steps returns the steps of a ladder for the given contacts. A contact with none of a
// rung's channels is left out of that rung.
func (l Ladder) steps(people []target, duty *target) (all []step) {
	place := 0
	for _, r := range l {
		reached := reachable(people, r.by)
		var groups [][]target
		switch r.Who {
		case onCall:
			if duty != nil {
				if on := reachable([]target{*duty}, r.by); len(on) > 0 {
					groups = append(groups, on)
				}
			}
		case contacts:
			if len(reached) > 0 {
				groups = append(groups, reached)
			}
		case first:
			if len(reached) > 0 {
				groups = append(groups, reached[:1])
			}
		case each:
			for i := range reached {
				groups = append(groups, reached[i:i+1])
			}
		}
		for _, g := range groups {
			place++
			for range r.Times {
				all = append(all, step{place, g, r.InHours, r.Every})
			}
		}
	}
	return all
}

// by reports whether a rung uses a channel.
func (r Rung) by(_ target, channel string) bool {
	return len(r.Channels) == 0 || slices.Contains(r.Channels, channel)
}

// reachable returns the people with any of the allowed channels, reduced to these.
func reachable(people []target, may func(t target, channel string) bool) (out []target) {
	for _, p := range people {
		p.channels = slices.DeleteFunc(slices.Clone(p.channels), func(c string) bool { return !may(p, c) })
		if len(p.channels) > 0 {
			out = append(out, p)
		}
	}
	return out
}
