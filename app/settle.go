package app

import (
	"context"
	"fmt"
	"time"

	"github.com/naiber/naiber/app/sandbox/elders"
	"github.com/naiber/naiber/store"
)

// settle puts the sandbox's elders into the database, with what was talked
// about before. Whoever is there already stays as they are.
func settle(ctx context.Context, st *store.Store, cast []elders.Elder) error {
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
		if _, err := moveIn(ctx, st, e); err != nil {
			return fmt.Errorf("elder %s moves in: %w", e.ID, err)
		}
	}
	return nil
}

func moveIn(ctx context.Context, st *store.Store, e elders.Elder) (store.Person, error) {
	p := store.Person{
		Name: e.Name, PreferredName: e.PreferredName, Phone: e.Phone, Timezone: e.Timezone, Language: e.Language,
		Address: e.Address, Notes: e.Notes, Conditions: e.Conditions, Medications: e.Medications,
	}
	// The sandbox is tried at any hour of the day, wherever its elders live.
	p.QuietHours = &store.QuietHours{Start: "00:00", End: "00:00"}
	if e.QuietHours != nil {
		p.QuietHours = &store.QuietHours{Start: e.QuietHours.Start, End: e.QuietHours.End}
	}
	contacts := make([]store.Contact, len(e.Contacts))
	for i, c := range e.Contacts {
		contacts[i] = store.Contact{Name: c.Name, Relation: c.Relation, Phone: c.Phone, Email: c.Email, Priority: c.Priority, Notes: c.Notes}
	}
	var consents []store.Consent
	for scope, given := range map[store.Scope]bool{
		store.ScopeCalls: e.Consent.Calls, store.ScopeRecording: e.Consent.Recording, store.ScopeMemory: e.Consent.Memory,
	} {
		if given {
			consents = append(consents, store.Consent{Scope: scope, GivenBy: e.Name, How: e.Consent.Source})
		}
	}
	p, err := st.CreatePerson(ctx, p, contacts, consents)
	if err != nil {
		return p, err
	}
	for _, past := range e.History {
		_, err := st.RecordPastCall(ctx, p, store.PastCall{
			Type: store.CallType(past.CallType), At: time.Now().AddDate(0, 0, -past.DaysAgo), Summary: past.Summary, Topics: past.Topics,
		})
		if err != nil {
			return p, err
		}
	}
	return p, recordChecks(ctx, st, p, e.Checks)
}
