package api

import (
	"cmp"
	"context"
	"fmt"
	"net/mail"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/nyaruka/phonenumbers"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/telephony/prompts"
)

// maxTopics is how many topics an answer about a person names, latest first.
const maxTopics = 20

// quietHours are quiet hours in JSON: "HH:MM", local time of the person.
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
	Webhook  string `json:"webhook,omitempty" maxLength:"2000" doc:"URL that notices are posted to, signed" example:"https://example.org/hook"`

	Channels      []string      `json:"channels,omitempty" maxItems:"4" enum:"sms,call,email,webhook" doc:"How they are told of alerts; absent: every way that is known"`
	Hours         *contactHours `json:"hours,omitempty" doc:"When they are told of what can wait, in the time zone of the person; absent: at any time"`
	Language      string        `json:"language,omitempty" maxLength:"35" doc:"Of notices; absent: the person's"`
	MustNotBeTold []string      `json:"mustNotBeTold,omitzero" maxItems:"100" doc:"Kinds of alerts that they are not told of; an empty list: of none, which marks somebody who is safe. Absent: not of abuse and neglect, as configured"`
}

// contactHours are the hours of a contact in JSON: "HH:MM", local time of the person.
type contactHours struct {
	From string `json:"from" pattern:"^([01][0-9]|2[0-3]):[0-5][0-9]$" doc:"From when they are told, local time of the person" example:"08:00"`
	To   string `json:"to" pattern:"^([01][0-9]|2[0-3]):[0-5][0-9]$" doc:"Until when; before from, it is over midnight" example:"22:00"`
}

type lastKnownOK struct {
	At     time.Time `json:"at" doc:"When the call ended"`
	CallID string    `json:"callId"`
}

type consentIn struct {
	Calls     bool `json:"calls,omitempty" doc:"May be phoned"`
	Recording bool `json:"recording,omitempty" doc:"What is said may be kept word for word"`
	Memory    bool `json:"memory,omitempty" doc:"It may be remembered in later calls"`
	Cognitive bool `json:"cognitive,omitempty" doc:"Memory and attention may be checked, and how they change be followed"`
	// Transcript and Room matter in care homes above all.
	Transcript bool   `json:"transcript,omitempty" doc:"What is said may be written down, without being recorded"`
	Room       bool   `json:"room,omitempty" doc:"It may be recorded in a room of a care home, where others may be heard"`
	Source     string `json:"source,omitempty" maxLength:"500" doc:"Who gave the consent, and how"`
}

// consentOut holds for every scope whether there is consent.
type consentOut struct {
	Calls     bool `json:"calls"`
	Recording bool `json:"recording"`
	Memory    bool `json:"memory"`
	Cognitive bool `json:"cognitive"`
	// Transcript and Room matter in care homes above all.
	Transcript bool `json:"transcript" doc:"What is said may be written down, without being recorded"`
	Room       bool `json:"room"`
}

type personIn struct {
	Name          string      `json:"name" minLength:"1" maxLength:"200"`
	PreferredName string      `json:"preferredName,omitempty" maxLength:"200"`
	Phone         string      `json:"phone" maxLength:"40" doc:"With country code" example:"+15550100123"`
	SecondPhone   string      `json:"secondPhone,omitempty" maxLength:"40" doc:"Where else they answer: essential calls that nobody answers are made there in the end" example:"+15550100124"`
	Timezone      string      `json:"timezone" maxLength:"100" doc:"IANA name" example:"America/New_York"`
	Language      string      `json:"language,omitempty" maxLength:"35" default:"en"`
	Address       string      `json:"address,omitempty" maxLength:"1000"`
	Email         string      `json:"email,omitempty" maxLength:"200" doc:"Where mail to the person goes" example:"ada@example.org"`
	BirthDate     string      `json:"birthDate,omitempty" maxLength:"10" doc:"Some cognitive checks ask for it" example:"1941-03-29"`
	Notes         string      `json:"notes,omitempty" maxLength:"10000"`
	Conditions    []string    `json:"conditions,omitempty" maxItems:"50"`
	Medications   []string    `json:"medications,omitempty" maxItems:"50"`
	Contacts      []contact   `json:"contacts,omitempty" maxItems:"20"`
	Facility      bool        `json:"facility,omitempty"`
	Region        string      `json:"region,omitempty" maxLength:"3" example:"CA"`
	Consent       *consentIn  `json:"consent,omitempty"`
	QuietHours    *quietHours `json:"quietHours,omitempty"`
}

type personOut struct {
	ID            string       `json:"id"`
	Name          string       `json:"name"`
	PreferredName string       `json:"preferredName,omitempty"`
	Phone         string       `json:"phone"`
	SecondPhone   string       `json:"secondPhone,omitempty"`
	Timezone      string       `json:"timezone"`
	Language      string       `json:"language"`
	Address       string       `json:"address,omitempty"`
	Email         string       `json:"email,omitempty"`
	BirthDate     string       `json:"birthDate,omitempty"`
	Notes         string       `json:"notes,omitempty"`
	Conditions    []string     `json:"conditions"`
	Medications   []string     `json:"medications"`
	Contacts      []contact    `json:"contacts"`
	Facility      bool         `json:"facility"`
	Region        string       `json:"region,omitempty"`
	Consent       consentOut   `json:"consent" doc:"What is allowed now; the ledger is at consents"`
	QuietHours    *quietHours  `json:"quietHours,omitempty" doc:"Absent: the house default"`
	OptedOutAt    *time.Time   `json:"optedOutAt,omitempty"`
	Topics        []topicOut   `json:"topics"`
	LastKnownOK   *lastKnownOK `json:"lastKnownOk,omitempty" doc:"The latest call that they answered themselves, and of which no danger and no alert is open; an answering machine does not count"`
	CreatedAt     time.Time    `json:"createdAt"`
	UpdatedAt     time.Time    `json:"updatedAt"`
}

// personAnswer is the answer about one person.
type personAnswer struct {
	ETag string `header:"ETag" doc:"What is on record now; send it back as If-Match to change nothing else"`
	Body personOut
}

func (a *api) person(ctx context.Context, p people.Person) (*personAnswer, error) {
	body, err := personShape(ctx, a.Store, p)
	return &personAnswer{ETag: etag(p), Body: body}, err
}

// etag returns the ETag of a person's record, made from the time of its last change.
func etag(p people.Person) string {
	return strconv.Quote(strconv.FormatInt(p.UpdatedAt.UnixMicro(), 36))
}

// personShape returns a person with contacts, consents and topics.
func personShape(ctx context.Context, st *store.Store, p people.Person) (personOut, error) {
	contacts, err := st.Contacts(ctx, p.ID)
	if err != nil {
		return personOut{}, err
	}
	scopes, err := st.ConsentScopes(ctx, p.ID)
	if err != nil {
		return personOut{}, err
	}
	topics, err := st.Topics(ctx, p.ID, maxTopics)
	if err != nil {
		return personOut{}, err
	}
	well, known, err := st.LastKnownOK(ctx, p.ID)
	if err != nil {
		return personOut{}, err
	}
	var last *lastKnownOK
	if known {
		last = &lastKnownOK{At: well.At.UTC(), CallID: well.CallID.String()}
	}
	return personOut{
		LastKnownOK: last,
		ID:          p.ID.String(), Name: p.Name, PreferredName: p.PreferredName, Phone: p.Phone, SecondPhone: p.SecondPhone, Timezone: p.Timezone,
		Language: p.Language, Address: p.Address, Email: p.Email, BirthDate: p.BirthDate, Notes: p.Notes, Conditions: p.Conditions, Medications: p.Medications,
		Contacts: each(contacts, contactOut), Topics: each(topics, topicBody), OptedOutAt: utc(p.OptedOutAt), QuietHours: (*quietHours)(p.QuietHours),
		Facility: p.Facility, Region: p.Region,
		Consent: consentOut{
			Calls: scopes[people.ScopeCalls], Recording: scopes[people.ScopeRecording], Memory: scopes[people.ScopeMemory], Cognitive: scopes[people.ScopeCognitive],
			Transcript: scopes[people.ScopeTranscript], Room: scopes[people.ScopeRoom],
		},
		CreatedAt: p.CreatedAt.UTC(), UpdatedAt: p.UpdatedAt.UTC(),
	}, nil
}

func contactOut(c people.Contact) contact {
	out := contact{
		Name: c.Name, Relation: c.Relation, Phone: c.Phone, Email: c.Email, Priority: c.Priority, Notes: c.Notes,
		Webhook: c.Webhook, Channels: c.Channels, Language: c.Language, MustNotBeTold: c.MustNotBeTold,
	}
	if c.HoursFrom != nil && c.HoursTo != nil {
		out.Hours = &contactHours{From: *c.HoursFrom, To: *c.HoursTo}
	}
	return out
}

func (in personIn) person() (people.Person, []people.Contact, error) {
	p := people.Person{
		Name: strings.TrimSpace(in.Name), PreferredName: strings.TrimSpace(in.PreferredName), Timezone: in.Timezone,
		Language: in.Language, Address: in.Address, Email: strings.TrimSpace(in.Email), BirthDate: in.BirthDate, Notes: in.Notes, Conditions: in.Conditions, Medications: in.Medications,
		QuietHours: (*people.QuietHours)(in.QuietHours), Facility: in.Facility, Region: strings.ToUpper(in.Region),
	}
	var err error
	if p.Phone, err = Phone(in.Phone, "body.phone"); err != nil {
		return p, nil, err
	}
	if in.SecondPhone != "" {
		if p.SecondPhone, err = Phone(in.SecondPhone, "body.secondPhone"); err != nil {
			return p, nil, err
		}
	}
	if err := check(&p); err != nil {
		return p, nil, err
	}
	contacts, err := contactsIn(in.Contacts)
	return p, contacts, err
}

// language matches a BCP 47 tag.
var language = regexp.MustCompile(`^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$`)

// region matches the ISO 3166-2 code of a state or province without its country, or empty text.
var region = regexp.MustCompile(`^([A-Z0-9]{1,3})?$`)

// firstBirth is a year before the birth of the oldest living person.
const firstBirth = 1900

// check sets the default language and returns an error unless p is a person that can be phoned.
func check(p *people.Person) error {
	if p.Language == "" {
		p.Language = "en"
	}
	if p.Name == "" {
		return invalid("body.name", "must not be blank")
	}
	if _, err := time.LoadLocation(p.Timezone); err != nil || p.Timezone == "" || p.Timezone == "Local" {
		return invalid("body.timezone", fmt.Sprintf("%q is not an IANA time zone such as Europe/Berlin", p.Timezone))
	}
	if !region.MatchString(p.Region) {
		return invalid("body.region", fmt.Sprintf("%q is not a state or province such as CA", p.Region))
	}
	if base, known := prompts.Known(p.Language); !known && language.MatchString(p.Language) {
		return invalid("body.language", fmt.Sprintf("nAIber has no words for %q; it knows %s", base, strings.Join(prompts.Languages(), ", ")))
	}
	if m, err := mail.ParseAddress(p.Email); p.Email != "" && (err != nil || m.Address != p.Email) {
		return invalid("body.email", "is not an e-mail address such as ada@example.org")
	}
	if born, err := time.Parse(time.DateOnly, p.BirthDate); p.BirthDate != "" && (err != nil || born.Year() < firstBirth || born.After(time.Now())) {
		return invalid("body.birthDate", "is not a date of birth such as 1941-03-29")
	}
	if !language.MatchString(p.Language) {
		return invalid("body.language", fmt.Sprintf("%q is not a language tag such as en or de-AT", p.Language))
	}
	return nil
}

// contactsIn validates contacts. Without an error it never returns nil, since no contacts are a
// valid list too.
func contactsIn(in []contact) ([]people.Contact, error) {
	out := make([]people.Contact, len(in))
	for i, c := range in {
		at := fmt.Sprintf("body.contacts[%d]", i)
		if strings.TrimSpace(c.Name) == "" {
			return nil, invalid(at+".name", "must not be blank")
		}
		if c.Phone != "" {
			phone, err := Phone(c.Phone, at+".phone")
			if err != nil {
				return nil, err
			}
			c.Phone = phone
		}
		if c.Webhook != "" && !WebhookURL(c.Webhook) {
			return nil, invalid(at+".webhook", "is not a URL that begins with https://")
		}
		if c.Language != "" && !language.MatchString(c.Language) {
			return nil, invalid(at+".language", fmt.Sprintf("%q is not a language tag such as en or de-AT", c.Language))
		}
		out[i] = people.Contact{
			Name: strings.TrimSpace(c.Name), Relation: c.Relation, Phone: c.Phone, Email: c.Email, Priority: c.Priority, Notes: c.Notes,
			Webhook: c.Webhook, Channels: c.Channels, Language: c.Language, MustNotBeTold: c.MustNotBeTold,
		}
		if c.Hours != nil {
			out[i].HoursFrom, out[i].HoursTo = &c.Hours.From, &c.Hours.To
		}
	}
	return out, nil
}

// lines returns the ledger's first lines for the consents that were given.
func (c *consentIn) lines() []people.Consent {
	if c == nil {
		return nil
	}
	source := cmp.Or(c.Source, "api")
	given := map[people.Scope]bool{
		people.ScopeCalls: c.Calls, people.ScopeRecording: c.Recording, people.ScopeMemory: c.Memory, people.ScopeCognitive: c.Cognitive,
		people.ScopeTranscript: c.Transcript, people.ScopeRoom: c.Room,
	}
	var lines []people.Consent
	for _, scope := range people.Scopes {
		if given[scope] {
			lines = append(lines, people.Consent{Scope: scope, GivenBy: source, How: source})
		}
	}
	return lines
}

// e164 matches the telephone numbers that the database accepts.
var e164 = regexp.MustCompile(`^\+[1-9][0-9]{6,14}$`)

// Phone returns a number in E.164 form, or a problem at the given place. The number must have its
// country code: guessing a country could phone a stranger.
func Phone(s, at string) (string, error) {
	n, err := phonenumbers.Parse(s, "ZZ")
	if err == nil && phonenumbers.IsPossibleNumber(n) {
		if number := phonenumbers.Format(n, phonenumbers.E164); e164.MatchString(number) {
			return number, nil
		}
	}
	return "", invalid(at, "is not a telephone number with its country code, such as +15550100123")
}
