package app

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/naiber/naiber/app/sandbox/catalogue"
	"github.com/naiber/naiber/app/sandbox/elders"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/memories"
	"github.com/naiber/naiber/store/parts"
	"github.com/naiber/naiber/store/people"
)

// settle adds the sandbox's seeded elders to the database, with their past calls, oldest first:
// calls are listed by id, and ids are assigned in order. An elder whose number is on record
// already is left unchanged.
func settle(ctx context.Context, st *store.Store, cast []elders.Elder) error {
	var all []past
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
		all = append(all, pastOf(st, p, e)...)
	}
	return recordPast(ctx, all)
}

// stock imports the sandbox's catalogue of parts into the database if its catalogue is empty.
func stock(ctx context.Context, st *store.Store) error {
	empty, err := st.CatalogueEmpty(ctx)
	if err != nil || !empty {
		return err
	}
	_, err = st.ImportCatalogue(ctx, catalogue.Kestrel(), parts.ImportOptions{})
	return err
}

// moveIn adds one elder with the past calls.
func moveIn(ctx context.Context, st *store.Store, e elders.Elder) (people.Person, error) {
	p, err := register(ctx, st, e)
	if err != nil {
		return p, err
	}
	return p, recordPast(ctx, pastOf(st, p, e))
}

// past is a call to a person in the past, and how to store it.
type past struct {
	daysAgo int
	keep    func(ctx context.Context, at time.Time) error
}

func pastOf(st *store.Store, p people.Person, e elders.Elder) []past {
	var out []past
	for _, c := range e.History {
		out = append(out, past{c.DaysAgo, func(ctx context.Context, at time.Time) error {
			_, err := st.RecordPastCall(ctx, p, memories.PastCall{Type: calls.CallType(c.CallType), At: at, Summary: c.Summary, Topics: c.Topics})
			return err
		}})
	}
	for _, c := range e.Checks {
		out = append(out, past{c.DaysAgo, func(ctx context.Context, at time.Time) error { return recordCheck(ctx, st, p, c, at) }})
	}
	return out
}

// recordPast stores calls in chronological order.
func recordPast(ctx context.Context, calls []past) error {
	slices.SortStableFunc(calls, func(a, b past) int { return cmp.Compare(b.daysAgo, a.daysAgo) })
	now := time.Now()
	for i, c := range calls {
		// A second apart, so that calls of one day have an order too.
		at := now.AddDate(0, 0, -c.daysAgo).Add(time.Duration(i-len(calls)) * time.Second)
		if err := c.keep(ctx, at); err != nil {
			return fmt.Errorf("call %d days ago: %w", c.daysAgo, err)
		}
	}
	return nil
}

func register(ctx context.Context, st *store.Store, e elders.Elder) (people.Person, error) {
	p := people.Person{
		Name: e.Name, PreferredName: e.PreferredName, Phone: e.Phone, Timezone: e.Timezone, Language: e.Language,
		Address: e.Address, BirthDate: e.BirthDate, Notes: e.Notes, Conditions: e.Conditions, Medications: e.Medications,
		Facility: e.Facility, Region: e.Region,
	}
	// The sandbox is used at any hour of the day, wherever its elders live.
	p.QuietHours = &people.QuietHours{Start: "00:00", End: "00:00"}
	contacts := make([]people.Contact, len(e.Contacts))
	for i, c := range e.Contacts {
		contacts[i] = people.Contact{Name: c.Name, Relation: c.Relation, Phone: c.Phone, Email: c.Email, Priority: c.Priority, Notes: c.Notes}
	}
	var consents []people.Consent
	for scope, given := range map[people.Scope]bool{
		people.ScopeCalls: e.Consent.Calls, people.ScopeRecording: e.Consent.Recording, people.ScopeMemory: e.Consent.Memory,
		people.ScopeCognitive: e.Consent.Cognitive, people.ScopeTranscript: e.Consent.Transcript, people.ScopeRoom: e.Consent.Room,
	} {
		if given {
			consents = append(consents, people.Consent{Scope: scope, GivenBy: e.Name, How: e.Consent.Source})
		}
	}
	return st.CreatePerson(ctx, p, contacts, consents)
}
