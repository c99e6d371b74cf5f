package app

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/naiber/naiber/app/sandbox/elders"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/memories"
	"github.com/naiber/naiber/store/people"
)

// settle puts the sandbox's elders into the database, with what was talked
// about before, the oldest first: calls are listed by their ids, which are given
// in order. Whoever is there already stays as they are.
func settle(ctx context.Context, st *store.Store, cast []elders.Elder) error {
	var all []pastCall
	for _, e := range cast {
		if e.Seeded == 0 {
			continue
		}
		there, err := st.PeopleByPhone(ctx, e.Phone)
		if err != nil {
			return err
		}
		if len(there) > 0 {
			continue
		}
		p, err := register(ctx, st, e)
		if err != nil {
			return fmt.Errorf("elder %s moves in: %w", e.ID, err)
		}
		all = append(all, pastOf(p, e)...)
	}
	return recordPast(ctx, st, all)
}

// moveIn settles one elder.
func moveIn(ctx context.Context, st *store.Store, e elders.Elder) (people.Person, error) {
	p, err := register(ctx, st, e)
	if err != nil {
		return p, err
	}
	return p, recordPast(ctx, st, pastOf(p, e))
}

// A pastCall is a call to somebody that took place before; check is its health
// check, if it was one.
type pastCall struct {
	person  people.Person
	daysAgo int
	call    elders.PastCall
	check   *elders.PastCheck
}

func pastOf(p people.Person, e elders.Elder) []pastCall {
	var out []pastCall
	for _, c := range e.History {
		out = append(out, pastCall{person: p, daysAgo: c.DaysAgo, call: c})
	}
	for _, c := range e.Checks {
		out = append(out, pastCall{person: p, daysAgo: c.DaysAgo, check: &c})
	}
	return out
}

// recordPast keeps calls in the order of their time.
func recordPast(ctx context.Context, st *store.Store, calls []pastCall) error {
	slices.SortStableFunc(calls, func(a, b pastCall) int { return cmp.Compare(b.daysAgo, a.daysAgo) })
	now := time.Now()
	for i, c := range calls {
		// A moment apart, so that calls of one day have an order too.
		at := now.AddDate(0, 0, -c.daysAgo).Add(time.Duration(i-len(calls)) * time.Second)
		if err := c.record(ctx, st, at); err != nil {
			return fmt.Errorf("call to %s %d days ago: %w", c.person.Name, c.daysAgo, err)
		}
	}
	return nil
}

func (c pastCall) record(ctx context.Context, st *store.Store, at time.Time) error {
	if c.check != nil {
		return recordCheck(ctx, st, c.person, *c.check, at)
	}
	_, err := st.RecordPastCall(ctx, c.person, memories.PastCall{
		Type: calls.CallType(c.call.CallType), At: at, Summary: c.call.Summary, Topics: c.call.Topics,
	})
	return err
}

func register(ctx context.Context, st *store.Store, e elders.Elder) (people.Person, error) {
	p := people.Person{
		Name: e.Name, PreferredName: e.PreferredName, Phone: e.Phone, Timezone: e.Timezone, Language: e.Language,
		Address: e.Address, Notes: e.Notes, Conditions: e.Conditions, Medications: e.Medications,
	}
	// The sandbox is tried at any hour of the day, wherever its elders live.
	p.QuietHours = &people.QuietHours{Start: "00:00", End: "00:00"}
	if e.QuietHours != nil {
		p.QuietHours = &people.QuietHours{Start: e.QuietHours.Start, End: e.QuietHours.End}
	}
	contacts := make([]people.Contact, len(e.Contacts))
	for i, c := range e.Contacts {
		contacts[i] = people.Contact{Name: c.Name, Relation: c.Relation, Phone: c.Phone, Email: c.Email, Priority: c.Priority, Notes: c.Notes}
	}
	var consents []people.Consent
	for scope, given := range map[people.Scope]bool{
		people.ScopeCalls: e.Consent.Calls, people.ScopeRecording: e.Consent.Recording, people.ScopeMemory: e.Consent.Memory,
	} {
		if given {
			consents = append(consents, people.Consent{Scope: scope, GivenBy: e.Name, How: e.Consent.Source})
		}
	}
	return st.CreatePerson(ctx, p, contacts, consents)
}
