package escalation

import (
	"cmp"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/alerts"
	"github.com/naiber/naiber/store/people"
)

// climb is one step of an alert's ladder.
type climb struct {
	e    *Escalation
	a    alerts.Alert
	p    people.Person
	now  time.Time
	all  []step
	duty *target
	told []target
	gone map[way]bool
	// asked holds the addresses used so far in this run of the ladder.
	asked map[way]bool
	// visit says that the on-call was already asked for a welfare visit.
	visit bool
}

// way is an address with its channel.
type way struct{ channel, address string }

// useless returns the addresses that a rung need not try again before the next one: a
// notice was permanently refused, or its reader cannot help.
func useless(a alerts.Alert) map[way]bool {
	gone := make(map[way]bool)
	for _, n := range a.Notices {
		refused := n.SentAt == nil && n.Attempts > 0 && n.Attempts < maxTries && n.Lost == 0
		if n.Run == a.Run && n.Status == alerts.Failed && (refused || n.Detail == alerts.CannotHelp) {
			gone[way{n.Channel, n.Address}] = true
		}
	}
	return gone
}

// asked returns the addresses used so far in the current run of an alert's ladder.
func asked(a alerts.Alert) map[way]bool {
	ways := make(map[way]bool)
	for _, n := range a.Notices {
		if n.Run == a.Run {
			ways[way{n.Channel, n.Address}] = true
		}
	}
	return ways
}

// missed returns the previous steps with the targets that got no notice: the steps have
// moved, since contacts were added or removed.
func (c *climb) missed() (out []step) {
	for _, s := range c.all[:min(c.a.Step, len(c.all))] {
		s.targets = slices.DeleteFunc(slices.Clone(s.targets), func(t target) bool {
			return slices.ContainsFunc(t.channels, func(ch string) bool { return c.asked[way{ch, t.address[ch]}] })
		})
		for _, t := range s.targets {
			for _, ch := range t.channels {
				c.asked[way{ch, t.address[ch]}] = true // only once, even if a rung notifies them repeatedly
			}
		}
		out = append(out, s)
	}
	return out
}

// at returns the step with a number. After the end of the ladder, the on-call is notified
// again or, if there is none and the alert is urgent, all contacts.
func (c *climb) at(n int) (step, bool) {
	if n < len(c.all) {
		s := c.all[n]
		if n > 0 && s.rung == c.all[n-1].rung && c.further(n) {
			s.targets = reachable(s.targets, func(t target, channel string) bool { return !c.gone[way{channel, t.address[channel]}] })
		}
		return s, true
	}
	s := step{wait: c.e.cfg.Repeat}
	switch {
	case len(c.e.cfg.Ladders[c.a.Tier]) == 0:
		return s, false
	case c.duty != nil:
		s.targets = []target{*c.duty}
	case c.a.Tier >= alerts.Urgent:
		s.targets = c.told
	}
	return s, len(s.targets) > 0
}

// moves reports whether a step notifies others than the one before it, or has no one left
// to notify before the next rung.
func (c *climb) moves(n int) bool {
	if n >= len(c.all) {
		return false
	}
	next, _ := c.at(n)
	return next.rung != c.all[n-1].rung || len(next.targets) == 0
}

// further reports whether a step's rung is followed by another.
func (c *climb) further(n int) bool {
	return n < len(c.all) && c.all[n].rung < c.all[len(c.all)-1].rung
}

// take returns the result of the next step.
func (c *climb) take() (t alerts.Taken) {
	s, ok := c.at(c.a.Step)
	failed := 0
	if ok && !c.visit && wantsVisit(c.a, c.a.Step, len(c.told)) && slices.ContainsFunc(s.targets, func(t target) bool { return t.contact == uuid.Nil }) {
		t.Event = eventVisit
	}
	for _, to := range s.targets {
		for _, ch := range to.channels {
			c.asked[way{ch, to.address[ch]}] = true
		}
	}
	for _, s := range append(c.missed(), s) {
		for _, to := range s.targets {
			for _, n := range c.notices(to, s.inHours) {
				if t.Notices = append(t.Notices, n); n.Status == alerts.Failed {
					failed++
				}
			}
		}
	}
	end := c.a.BeganAt.Add(c.e.cfg.RepeatFor)
	_, more := c.at(c.a.Step + 1)
	t.NextAt = c.now.Add(cmp.Or(s.wait, c.e.cfg.Repeat))
	switch {
	case len(c.e.cfg.Ladders[c.a.Tier]) == 0: // no one must be notified
		t.NextAt = time.Time{}
	case !ok: // no one can be notified; contacts may be added in the meantime
		if c.a.Step == 0 {
			t.Event = "nobody_to_tell"
		}
		if t.NextAt.After(end) {
			t.NextAt, t.Event = time.Time{}, "exhausted"
		}
	case failed == len(t.Notices) && c.further(c.a.Step):
		t.NextAt = c.now
	case !more, c.a.Step+1 >= len(c.all) && t.NextAt.After(end):
		t.NextAt, t.Event = time.Time{}, "exhausted"
	}
	return t
}

// eventVisit records that the on-call was asked for a welfare visit.
const eventVisit = "welfare_visit_asked"

// notices returns the notices to one target.
func (c *climb) notices(to target, inHours bool) (out []alerts.Notice) {
	due := c.now
	if inHours {
		due = within(c.now, c.p.Location(), to.from, to.to)
	}
	for _, channel := range to.channels {
		n := alerts.Notice{
			ID: uuid.Must(uuid.NewV7()), ContactID: to.contact, Name: to.name, Channel: channel, Address: to.address[channel],
			Language: to.language, Status: alerts.Queued, DueAt: due,
		}
		if c.e.cfg.Channels[channel] == nil {
			n.Status, n.Detail = alerts.Failed, "no such channel"
		}
		out = append(out, n)
	}
	return out
}

// wantsVisit reports whether a step should ask its targets to have someone look after the
// person: an urgent alert was not acknowledged by any of the contacts, who were notified
// before.
func wantsVisit(a alerts.Alert, step, contacts int) bool {
	return a.Tier >= alerts.Urgent && a.PersonID.Known() && (step > 0 || contacts == 0)
}
