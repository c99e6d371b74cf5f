package people

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/naiber/naiber/store/internal/db"
	"github.com/naiber/naiber/store/internal/ids"
	"github.com/naiber/naiber/store/internal/pg"
)

// QuietHours is the part of the day in which no one is called, in the person's own time
// zone, as "HH:MM". It may span midnight; equal times mean none.
type QuietHours struct{ Start, End string }

// Person is someone whom nAIber calls.
type Person struct {
	ID            pg.PersonID
	Name          string
	PreferredName string
	Phone         string // E.164
	SecondPhone   string // another number at which they answer; empty if none
	Timezone      string // IANA name
	Language      string // BCP 47
	Address       string
	Email         string // empty if unknown
	BirthDate     string // "1941-03-29"; empty or an invalid date if unknown
	Notes         string
	Conditions    []string
	Medications   []string
	QuietHours    *QuietHours // if nil, the default
	Facility      bool        // they live in a care home
	Region        string      // the state or province where they live, as "CA"; empty if unknown
	OptedOutAt    *time.Time  // if set, never called again until they ask for it
	OptedOutHow   string
	CreatedAt     time.Time
	UpdatedAt     time.Time
}

// CallName returns the name by which the person likes to be called.
func (p Person) CallName() string {
	if p.PreferredName != "" {
		return p.PreferredName
	}
	return p.Name
}

// Location returns the person's time zone, or UTC if its name is unknown.
func (p Person) Location() *time.Location {
	if loc, ok := zones.Load(p.Timezone); ok {
		return loc.(*time.Location) //nolint:errcheck,forcetypeassert // nothing else is in there
	}
	loc, err := time.LoadLocation(p.Timezone)
	if err != nil {
		return time.UTC
	}
	zones.Store(p.Timezone, loc)
	return loc
}

// zones caches time zones by name: the files do not change.
var zones sync.Map

// Contact is someone who cares for a person, or must be notified.
type Contact = db.Contact

// CreatePerson stores a new person with contacts and first consents, all or nothing. It
// sets the id if there is none.
func (s *Store) CreatePerson(ctx context.Context, p Person, contacts []Contact, consents []Consent) (Person, error) {
	if !p.ID.Known() {
		p.ID = ids.NewPersonID()
	}
	var kept Person
	err := s.db.InTx(ctx, func(tx pg.Tx) error {
		row, err := s.db.Q.PersonInsert(ctx, tx, p.row())
		if err != nil {
			return err
		}
		kept = PersonFrom(row)
		if err := s.insertContacts(ctx, tx, p.ID, contacts); err != nil {
			return err
		}
		for _, c := range consents {
			if _, err := s.insertConsent(ctx, tx, p.ID, c); err != nil {
				return err
			}
		}
		return nil
	})
	return kept, err
}

// UpdatePerson replaces a person's own fields; contacts replaces all contacts unless it is
// nil. It does not change whether they opted out: see [Store.OptOut].
func (s *Store) UpdatePerson(ctx context.Context, p Person, contacts []Contact) (Person, error) {
	return s.ChangePerson(ctx, p.ID, func(now *Person) ([]Contact, error) { *now = p; return contacts, nil })
}

// ChangePerson is like [Store.UpdatePerson], but calls change to modify the current person,
// under a lock. If change fails, nothing is changed.
func (s *Store) ChangePerson(ctx context.Context, id pg.PersonID, change func(p *Person) ([]Contact, error)) (kept Person, err error) {
	err = s.db.InTx(ctx, func(tx pg.Tx) error {
		row, err := s.db.Q.PersonLock(ctx, tx, id.UUID)
		if err != nil {
			return err
		}
		p := PersonFrom(row)
		facility := p.Facility
		contacts, err := change(&p)
		if err != nil {
			return err
		}
		p.ID = id
		if row, err = s.db.Q.PersonUpdate(ctx, tx, db.PersonUpdateParams(p.row())); err != nil {
			return err
		}
		kept = PersonFrom(row)
		if kept.Facility && !facility {
			if err := s.db.Q.CallsStopRecording(ctx, tx, id.UUID); err != nil {
				return err
			}
		}
		if contacts == nil {
			return nil
		}
		if err := s.db.Q.ContactsDelete(ctx, tx, id); err != nil {
			return err
		}
		return s.insertContacts(ctx, tx, id, contacts)
	})
	return kept, err
}

// maxNotes is the length, in characters, up to which AddNote may extend a person's notes.
const maxNotes = 10_000

// AddNote adds a line to a person's notes inside tx. If there is no room for it, it returns
// [pg.ErrConflict].
func (s *Store) AddNote(ctx context.Context, tx pg.Tx, id pg.PersonID, note string) error {
	n, err := s.db.Q.PersonNote(ctx, tx, db.PersonNoteParams{Note: pg.Storable(note), ID: id.UUID, Room: maxNotes})
	if err == nil && n == 0 {
		err = pg.ErrConflict
	}
	return pg.WrapErr(err, "add to the notes of %s", id)
}

// Person returns one person, or [ErrNotFound].
func (s *Store) Person(ctx context.Context, id pg.PersonID) (Person, error) {
	row, err := s.db.Q.PersonGet(ctx, s.db.Conn, id.UUID)
	return PersonFrom(row), err
}

// SecondPhone returns a person's second number, as read inside tx.
func (s *Store) SecondPhone(ctx context.Context, tx pg.Tx, id pg.PersonID) (string, error) {
	row, err := s.db.Q.PersonGet(ctx, tx, id.UUID)
	return row.SecondPhone, err
}

// RestoreSecondPhone stores an imported second number inside tx, unless the person has one.
func (s *Store) RestoreSecondPhone(ctx context.Context, tx pg.Tx, id pg.PersonID, phone string) error {
	return s.db.Q.PersonSecondPhoneRestore(ctx, tx, db.PersonSecondPhoneRestoreParams{ID: id.UUID, SecondPhone: phone})
}

// PeopleByPhone returns everyone who answers at an E.164 number: none, one, or a couple
// that shares a telephone.
func (s *Store) PeopleByPhone(ctx context.Context, phone string) ([]Person, error) {
	return peopleFrom(s.db.Q.PeopleByPhone(ctx, s.db.Conn, phone))
}

// PeopleByName finds people by all or part of their name or preferred name, best match
// first.
func (s *Store) PeopleByName(ctx context.Context, part string) ([]Person, error) {
	return peopleFrom(s.db.Q.PeopleByName(ctx, s.db.Conn, part))
}

// People lists up to limit people, oldest first, starting after the given id.
func (s *Store) People(ctx context.Context, after pg.PersonID, limit int) ([]Person, error) {
	return peopleFrom(s.db.Q.PeopleList(ctx, s.db.Conn, db.PeopleListParams{After: after.UUID, MaxRows: limit}))
}

// OptOut records that a person must not be called any more, from the next dial on, and
// withdraws their consent to be called. An existing opt-out keeps its time.
func (s *Store) OptOut(ctx context.Context, id pg.PersonID, how string) error {
	err := s.db.InTx(ctx, func(tx pg.Tx) error {
		n, err := s.db.Q.PersonOptOut(ctx, tx, db.PersonOptOutParams{ID: id.UUID, How: how})
		if err = pg.OrAbsent(n, err); err != nil {
			return err
		}
		if err := s.db.Q.PersonTouch(ctx, tx, id.UUID); err != nil { // followers cancel ringing calls
			return err
		}
		_, err = s.db.Q.ConsentRevoke(ctx, tx, db.ConsentRevokeParams{
			PersonID: id, Scope: string(ScopeCalls), RevokedBy: "person", RevokedHow: "opted out: " + how,
		})
		return err
	})
	return pg.WrapErr(err, "opt out %s", id)
}

// OptIn withdraws an opt-out, and restores the consent that was withdrawn with it. A
// consent that was never given, or was withdrawn separately, is not restored. The audit
// records who did it: actor is the way it came, by is the person. It returns false if there
// was no opt-out.
func (s *Store) OptIn(ctx context.Context, id pg.PersonID, actor, by string) (was bool, err error) {
	err = s.db.InTx(ctx, func(tx pg.Tx) error {
		row, err := s.db.Q.PersonLock(ctx, tx, id.UUID)
		if err != nil || row.OptedOutAt == nil {
			return err
		}
		was = true
		if _, err := s.db.Q.ConsentRestore(ctx, tx, db.ConsentRestoreParams{
			ID: pg.NewID(), PersonID: id, GivenBy: by, How: "opt-out taken back, " + actor, RevokedAt: *row.OptedOutAt,
		}); err != nil {
			return err
		}
		data, err := json.Marshal(map[string]any{"by": by, "optedOutAt": row.OptedOutAt})
		if err != nil {
			return err
		}
		if err := s.db.Q.AuditInsert(ctx, tx, db.AuditInsertParams{Actor: actor, Action: "person.opt_in", PersonID: id, Data: data}); err != nil {
			return err
		}
		_, err = s.db.Q.PersonOptIn(ctx, tx, id.UUID)
		return err
	})
	return was && err == nil, err
}

// DeletePerson deletes a person and everything stored about them. During a call with them
// it returns [ErrConflict]; no call can start in between.
func (s *Store) DeletePerson(ctx context.Context, id pg.PersonID) error {
	var after []func(context.Context)
	err := s.db.InTx(ctx, func(tx pg.Tx) error {
		if _, err := s.db.Q.PersonLock(ctx, tx, id.UUID); err != nil {
			return err
		}
		switch c, err := s.db.Q.CallLiveOf(ctx, tx, id.UUID); {
		case err == nil:
			return fmt.Errorf("on call %s: %w", c.ID, pg.ErrConflict)
		case !errors.Is(err, pgx.ErrNoRows):
			return err
		}
		for _, forget := range s.forgets {
			done, err := forget(ctx, tx, id)
			if err != nil {
				return err
			}
			if done != nil {
				after = append(after, done)
			}
		}
		if err := s.db.Q.PersonTouch(ctx, tx, id.UUID); err != nil { // notify followers
			return err
		}
		_, err := s.db.Q.PersonDelete(ctx, tx, id.UUID)
		return err
	})
	if err != nil {
		return pg.WrapErr(err, "delete person %s", id)
	}
	for _, done := range after {
		done(context.WithoutCancel(ctx))
	}
	return nil
}

// Forget deletes what is stored about a person where no foreign key reaches it. It runs
// within the transaction that deletes the person, before their calls are deleted; done, if
// not nil, is called after the commit.
type Forget func(ctx context.Context, tx pg.Tx, id pg.PersonID) (done func(ctx context.Context), err error)

// OnDelete makes [Store.DeletePerson] call forget. It must be called at startup, before the
// store is in use.
func (s *Store) OnDelete(forget Forget) { s.forgets = append(s.forgets, forget) }

// Contacts returns the people who care for a person, by priority.
func (s *Store) Contacts(ctx context.Context, id pg.PersonID) ([]Contact, error) {
	return s.db.Q.ContactsOf(ctx, s.db.Conn, id)
}

func (s *Store) insertContacts(ctx context.Context, tx pg.Tx, id pg.PersonID, contacts []Contact) error {
	for i, c := range contacts {
		if c.Priority == 0 {
			c.Priority = i + 1
		}
		if err := s.db.Q.ContactInsert(ctx, tx, db.ContactInsertParams{
			ID: pg.NewID(), PersonID: id, Name: c.Name, Relation: c.Relation, Phone: c.Phone,
			Email: c.Email, Priority: c.Priority, Notes: c.Notes, Webhook: c.Webhook, Channels: pg.List(c.Channels),
			HoursFrom: c.HoursFrom, HoursTo: c.HoursTo, Language: c.Language, MustNotBeTold: c.MustNotBeTold,
		}); err != nil {
			return err
		}
	}
	return nil
}

func (p Person) row() db.PersonInsertParams {
	r := db.PersonInsertParams{
		ID: p.ID.UUID, Name: p.Name, PreferredName: p.PreferredName, Phone: p.Phone, SecondPhone: p.SecondPhone, Timezone: p.Timezone,
		Language: p.Language, Address: p.Address, Email: p.Email, Notes: p.Notes, Conditions: pg.List(p.Conditions), Medications: pg.List(p.Medications),
		Facility: p.Facility, Region: p.Region,
	}
	if born, err := time.Parse(time.DateOnly, p.BirthDate); err == nil {
		r.BirthDate = &born
	}
	if q := p.QuietHours; q != nil {
		r.QuietStart, r.QuietEnd = &q.Start, &q.End
	}
	return r
}

func peopleFrom(rows []db.Person, err error) ([]Person, error) { return pg.Each(rows, PersonFrom), err }

func PersonFrom(r db.Person) Person {
	p := Person{
		ID: pg.PersonID{UUID: r.ID}, Name: r.Name, PreferredName: r.PreferredName, Phone: r.Phone, SecondPhone: r.SecondPhone, Timezone: r.Timezone,
		Language: r.Language, Address: r.Address, Email: r.Email, Notes: r.Notes, Conditions: r.Conditions, Medications: r.Medications,
		Facility: r.Facility, Region: r.Region, OptedOutAt: r.OptedOutAt, OptedOutHow: r.OptedOutHow, CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt,
	}
	if r.BirthDate != nil {
		p.BirthDate = r.BirthDate.Format(time.DateOnly)
	}
	if r.QuietStart != nil && r.QuietEnd != nil {
		p.QuietHours = &QuietHours{Start: *r.QuietStart, End: *r.QuietEnd}
	}
	return p
}
