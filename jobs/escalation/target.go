package escalation

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/people"
)

// OnCall is the organisation's contact for alerts that no contact acknowledges. Empty
// fields are not used.
type OnCall struct{ Name, Phone, Email, Webhook, Language string }

// target is a person who can be notified.
type target struct {
	contact  uuid.UUID // nil for the on-call
	name     string
	language string
	channels []string // those with an address
	address  map[string]string
	from, to string // hours; empty means any
}

func newTarget(name, language, phone, email, webhook string) target {
	t := target{name: name, language: language, address: map[string]string{"call": phone, "sms": phone, "email": email, "webhook": webhook}}
	for _, c := range channels {
		if t.address[c] != "" {
			t.channels = append(t.channels, c)
		}
	}
	return t
}

func (o OnCall) target() *target {
	t := newTarget(cmp.Or(o.Name, "on call"), cmp.Or(o.Language, "en"), o.Phone, o.Email, o.Webhook)
	if len(t.channels) == 0 {
		return nil
	}
	return &t
}

// duty returns the on-call, or nil if they cannot be reached: then contacts are notified
// again as if there were none.
func (e *Escalation) duty() *target {
	t := e.cfg.OnCall.target()
	if t == nil || !slices.ContainsFunc(t.channels, func(c string) bool { return e.cfg.Channels[c] != nil }) {
		return nil
	}
	return t
}

// targetsOf returns the contacts of a person who may be notified of a kind of alert, and
// who can be reached, in their order. An address shared with someone who must not be told
// is not used.
func (e *Escalation) targetsOf(p people.Person, list []people.Contact, kind string) (out []target) {
	barred := func(c people.Contact) bool {
		return slices.Contains(c.MustNotBeTold, kind) || c.MustNotBeTold == nil && slices.Contains(e.cfg.Confidential, kind)
	}
	for _, c := range list {
		if barred(c) {
			continue
		}
		for _, other := range list {
			if barred(other) {
				c.Phone, c.Email, c.Webhook = unshared(c.Phone, other.Phone), unshared(c.Email, other.Email), unshared(c.Webhook, other.Webhook)
			}
		}
		t := newTarget(c.Name, cmp.Or(c.Language, p.Language), c.Phone, c.Email, c.Webhook)
		t.contact = c.ID
		if c.HoursFrom != nil && c.HoursTo != nil {
			t.from, t.to = *c.HoursFrom, *c.HoursTo
		}
		if len(c.Channels) > 0 {
			t.channels = slices.DeleteFunc(t.channels, func(ch string) bool { return !slices.Contains(c.Channels, ch) })
		}
		if len(t.channels) > 0 {
			out = append(out, t)
		}
	}
	return out
}

// unshared returns an address unless it equals the other.
func unshared(address, other string) string {
	if strings.EqualFold(address, other) {
		return ""
	}
	return address
}

// within returns now, or the next time in a zone that is between two clock times, which may
// span midnight. Equal times mean the whole day.
func within(now time.Time, zone *time.Location, from, to string) time.Time {
	local := now.In(zone)
	clock := local.Format("15:04")
	inside := clock >= from && clock < to
	if from > to {
		inside = clock >= from || clock < to
	}
	if from == to || inside {
		return now
	}
	start, err := time.Parse("15:04", from)
	if err != nil {
		return now
	}
	day := local.Day()
	if clock >= from {
		day++
	}
	return time.Date(local.Year(), local.Month(), day, start.Hour(), start.Minute(), 0, 0, zone)
}
