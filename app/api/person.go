package api

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/nyaruka/phonenumbers"

	"github.com/naiber/naiber/store"
)

// quietHours in JSON: "HH:MM", local time of the person.
type quietHours struct {
	Start string `json:"start" pattern:"^([01][0-9]|2[0-3]):[0-5][0-9]$" doc:"From when nobody is phoned, local time" example:"20:00"`
	End   string `json:"end" pattern:"^([01][0-9]|2[0-3]):[0-5][0-9]$" doc:"Until when; equal to start means no quiet hours" example:"09:00"`
}

type contact struct {
	Name     string `json:"name" minLength:"1" maxLength:"200"`
	Relation string `json:"relation,omitempty" maxLength:"100"`
	Phone    string `json:"phone,omitempty" maxLength:"40"`
	Email    string `json:"email,omitempty" maxLength:"200"`
	Priority int    `json:"priority,omitempty" minimum:"0" maximum:"99" doc:"1 is asked first; 0 means in the order given"`
	Notes    string `json:"notes,omitempty" maxLength:"2000"`
}

type consentIn struct {
	Calls     bool   `json:"calls,omitempty" doc:"May be phoned"`
	Recording bool   `json:"recording,omitempty" doc:"What is said may be kept word for word"`
	Memory    bool   `json:"memory,omitempty" doc:"It may be remembered in later calls"`
	Source    string `json:"source,omitempty" maxLength:"500" doc:"Who gave the consent, and how"`
}

type personIn struct {
	Name          string      `json:"name" minLength:"1" maxLength:"200"`
	PreferredName string      `json:"preferredName,omitempty" maxLength:"200"`
	Phone         string      `json:"phone" maxLength:"40" doc:"With country code" example:"+15550100123"`
	Timezone      string      `json:"timezone" maxLength:"100" doc:"IANA name" example:"America/New_York"`
	Language      string      `json:"language,omitempty" maxLength:"35" default:"en"`
	Address       string      `json:"address,omitempty" maxLength:"1000"`
	Notes         string      `json:"notes,omitempty" maxLength:"10000"`
	Conditions    []string    `json:"conditions,omitempty" maxItems:"50"`
	Medications   []string    `json:"medications,omitempty" maxItems:"50"`
	Contacts      []contact   `json:"contacts,omitempty" maxItems:"20"`
	Consent       *consentIn  `json:"consent,omitempty"`
	QuietHours    *quietHours `json:"quietHours,omitempty"`
}

type personOut struct {
	ID            string      `json:"id"`
	Name          string      `json:"name"`
	PreferredName string      `json:"preferredName,omitempty"`
	Phone         string      `json:"phone"`
	Timezone      string      `json:"timezone"`
	Language      string      `json:"language"`
	Address       string      `json:"address,omitempty"`
	Notes         string      `json:"notes,omitempty"`
	Conditions    []string    `json:"conditions"`
	Medications   []string    `json:"medications"`
	Contacts      []contact   `json:"contacts"`
	Consent       consentIn   `json:"consent" doc:"What is allowed now; the ledger is at consents"`
	QuietHours    *quietHours `json:"quietHours,omitempty" doc:"Absent: the house default"`
	OptedOutAt    *time.Time  `json:"optedOutAt,omitempty"`
	Topics        []topicOut  `json:"topics"`
	CreatedAt     time.Time   `json:"createdAt"`
	UpdatedAt     time.Time   `json:"updatedAt"`
}

// person is the answer about one person, with contacts, consents and topics.
func (a *api) person(ctx context.Context, p store.Person) (*one[personOut], error) {
	contacts, err := a.Store.Contacts(ctx, p.ID)
	if err != nil {
		return nil, a.problem(err)
	}
	scopes, err := a.Store.ConsentScopes(ctx, p.ID)
	if err != nil {
		return nil, a.problem(err)
	}
	topics, err := a.Store.Topics(ctx, p.ID, 20)
	if err != nil {
		return nil, a.problem(err)
	}
	out := personOut{
		ID: p.ID.String(), Name: p.Name, PreferredName: p.PreferredName, Phone: p.Phone, Timezone: p.Timezone,
		Language: p.Language, Address: p.Address, Notes: p.Notes, Conditions: p.Conditions, Medications: p.Medications,
		Contacts: make([]contact, len(contacts)), Topics: topicsOut(topics), OptedOutAt: p.OptedOutAt,
		Consent:   consentIn{Calls: scopes[store.ScopeCalls], Recording: scopes[store.ScopeRecording], Memory: scopes[store.ScopeMemory]},
		CreatedAt: p.CreatedAt.UTC(), UpdatedAt: p.UpdatedAt.UTC(),
	}
	for i, c := range contacts {
		out.Contacts[i] = contact{Name: c.Name, Relation: c.Relation, Phone: c.Phone, Email: c.Email, Priority: c.Priority, Notes: c.Notes}
	}
	if p.QuietHours != nil {
		out.QuietHours = &quietHours{Start: p.QuietHours.Start, End: p.QuietHours.End}
	}
	return &one[personOut]{Body: out}, nil
}

func (in personIn) person() (store.Person, []store.Contact, error) {
	p := store.Person{
		Name: strings.TrimSpace(in.Name), PreferredName: strings.TrimSpace(in.PreferredName), Timezone: in.Timezone,
		Language: in.Language, Address: in.Address, Notes: in.Notes, Conditions: in.Conditions, Medications: in.Medications,
		QuietHours: in.QuietHours.store(),
	}
	if p.Language == "" {
		p.Language = "en"
	}
	var err error
	if p.Phone, err = Phone(in.Phone, "body.phone"); err != nil {
		return p, nil, err
	}
	if err := check(p); err != nil {
		return p, nil, err
	}
	contacts, err := contactsIn(in.Contacts)
	return p, contacts, err
}

func check(p store.Person) error {
	if p.Name == "" {
		return invalid("body.name", "must not be blank")
	}
	if _, err := time.LoadLocation(p.Timezone); err != nil || p.Timezone == "" || p.Timezone == "Local" {
		return invalid("body.timezone", fmt.Sprintf("%q is not an IANA time zone such as Europe/Berlin", p.Timezone))
	}
	return nil
}

func contactsIn(in []contact) ([]store.Contact, error) {
	var out []store.Contact
	for i, c := range in {
		if c.Phone != "" {
			phone, err := Phone(c.Phone, fmt.Sprintf("body.contacts[%d].phone", i))
			if err != nil {
				return nil, err
			}
			c.Phone = phone
		}
		out = append(out, store.Contact{Name: c.Name, Relation: c.Relation, Phone: c.Phone, Email: c.Email, Priority: c.Priority, Notes: c.Notes})
	}
	return out, nil
}

func (q *quietHours) store() *store.QuietHours {
	if q == nil {
		return nil
	}
	return &store.QuietHours{Start: q.Start, End: q.End}
}

// lines are the ledger's first lines for what is allowed.
func (c *consentIn) lines() []store.Consent {
	if c == nil {
		return nil
	}
	source := c.Source
	if source == "" {
		source = "api"
	}
	var lines []store.Consent
	for scope, given := range map[store.Scope]bool{store.ScopeCalls: c.Calls, store.ScopeRecording: c.Recording, store.ScopeMemory: c.Memory} {
		if given {
			lines = append(lines, store.Consent{Scope: scope, GivenBy: source, How: source})
		}
	}
	return lines
}

// Phone returns a number in E.164 form, or a problem at the given place. It
// must carry its country code: guessing a country would phone a stranger.
func Phone(s, at string) (string, error) {
	n, err := phonenumbers.Parse(s, "ZZ")
	if err != nil || !phonenumbers.IsPossibleNumber(n) {
		return "", invalid(at, "is not a telephone number with its country code, such as +15550100123")
	}
	return phonenumbers.Format(n, phonenumbers.E164), nil
}

