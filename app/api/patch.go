package api

import (
	"encoding/json"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/naiber/naiber/store/people"
)

// change is a field of a PATCH, by the rules of JSON merge patch (RFC 7396): absent leaves the
// value, null clears it.
type change[T any] struct {
	sent  bool
	value T
}

// UnmarshalJSON decodes the value and marks the field as sent; it is called only for fields that
// were sent.
func (c *change[T]) UnmarshalJSON(b []byte) error {
	c.sent = true
	return json.Unmarshal(b, &c.value)
}

// Schema returns the schema of T, made nullable.
func (change[T]) Schema(r huma.Registry) *huma.Schema {
	s := *r.Schema(reflect.TypeFor[T](), false, "")
	s.Nullable = true
	return &s
}

func (c change[T]) apply(to *T) {
	if c.sent {
		*to = c.value
	}
}

// trimmed returns the text that was sent without surrounding space, or nil if none was sent.
func trimmed(c change[string]) *string {
	if !c.sent {
		return nil
	}
	text := strings.TrimSpace(c.value)
	return &text
}

type personPatch struct {
	Name          change[string]     `json:"name,omitzero" minLength:"1" maxLength:"200"`
	PreferredName change[string]     `json:"preferredName,omitzero" maxLength:"200"`
	Phone         change[string]     `json:"phone,omitzero" maxLength:"40"`
	SecondPhone   change[string]     `json:"secondPhone,omitzero" maxLength:"40"`
	Timezone      change[string]     `json:"timezone,omitzero" maxLength:"100"`
	Language      change[string]     `json:"language,omitzero" maxLength:"35" doc:"null: English"`
	Address       change[string]     `json:"address,omitzero" maxLength:"1000"`
	Email         change[string]     `json:"email,omitzero" maxLength:"200"`
	BirthDate     change[string]     `json:"birthDate,omitzero" maxLength:"10"`
	Notes         change[string]     `json:"notes,omitzero" maxLength:"10000"`
	Conditions    change[[]string]   `json:"conditions,omitzero" maxItems:"50"`
	Medications   change[[]string]   `json:"medications,omitzero" maxItems:"50"`
	Contacts      change[[]contact]  `json:"contacts,omitzero" maxItems:"20" doc:"Replaces all contacts"`
	QuietHours    change[quietHours] `json:"quietHours,omitzero" doc:"null: the house default"`
	Facility      change[bool]       `json:"facility,omitzero"`
	Region        change[string]     `json:"region,omitzero" maxLength:"3"`
	OptedOut      *bool              `json:"optedOut,omitempty" doc:"true: this person is never phoned"`
}

// apply changes p and returns the new contacts, or nil if they stay.
func (in personPatch) apply(p *people.Person) ([]people.Contact, error) {
	in.Name.apply(&p.Name)
	in.PreferredName.apply(&p.PreferredName)
	in.Timezone.apply(&p.Timezone)
	in.Language.apply(&p.Language)
	in.Address.apply(&p.Address)
	in.Email.apply(&p.Email)
	in.BirthDate.apply(&p.BirthDate)
	in.Notes.apply(&p.Notes)
	in.Facility.apply(&p.Facility)
	in.Region.apply(&p.Region)
	p.Region = strings.ToUpper(p.Region)
	in.Conditions.apply(&p.Conditions)
	in.Medications.apply(&p.Medications)
	p.Name, p.PreferredName, p.Email = strings.TrimSpace(p.Name), strings.TrimSpace(p.PreferredName), strings.TrimSpace(p.Email)
	if in.Phone.sent {
		phone, err := Phone(in.Phone.value, "body.phone")
		if err != nil {
			return nil, err
		}
		p.Phone = phone
	}
	in.SecondPhone.apply(&p.SecondPhone)
	if in.SecondPhone.sent && p.SecondPhone != "" {
		phone, err := Phone(p.SecondPhone, "body.secondPhone")
		if err != nil {
			return nil, err
		}
		p.SecondPhone = phone
	}
	if in.QuietHours.sent {
		p.QuietHours = nil
		if in.QuietHours.value != (quietHours{}) {
			p.QuietHours = (*people.QuietHours)(&in.QuietHours.value)
		}
	}
	if err := check(p); err != nil {
		return nil, err
	}
	if !in.Contacts.sent {
		return nil, nil
	}
	return contactsIn(in.Contacts.value)
}
