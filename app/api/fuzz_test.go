package api

import (
	"testing"
	"time"

	"github.com/naiber/naiber/store/people"
)

// FuzzPerson: whatever is sent for a person, new or changed, is refused or is
// somebody who can be phoned and kept.
func FuzzPerson(f *testing.F) {
	f.Add(`{"name":"Bo","phone":"+1 555 010 0124","timezone":"Europe/Berlin","language":"de"}`)
	f.Add(`{"name":" ","phone":"911","timezone":"../../etc/passwd","contacts":[{"name":"Cy","phone":"+49 30 123456;ext=5"}]}`)
	f.Add(`{"phone":null,"timezone":"","quietHours":null,"contacts":[{}],"optedOut":true}`)
	f.Fuzz(func(t *testing.T, body string) {
		var in personIn
		if textFormat.Unmarshal([]byte(body), &in) == nil {
			if p, contacts, err := in.person(); err == nil {
				fit(t, body, p, contacts)
			}
		}
		var change personPatch
		if textFormat.Unmarshal([]byte(body), &change) == nil {
			p := people.Person{Name: "Ada", Phone: "+15550100123", Timezone: "UTC", Language: "en"}
			if contacts, err := change.apply(&p); err == nil {
				fit(t, body, p, contacts)
			}
		}
	})
}

// fit checks what the database would refuse.
func fit(t *testing.T, body string, p people.Person, contacts []people.Contact) {
	t.Helper()
	_, err := time.LoadLocation(p.Timezone)
	if p.Name == "" || p.Language == "" || !e164.MatchString(p.Phone) || err != nil {
		t.Errorf("%q became %+v", body, p)
	}
	for _, c := range contacts {
		if c.Name == "" || c.Phone != "" && !e164.MatchString(c.Phone) {
			t.Errorf("%q became the contact %+v", body, c)
		}
	}
}
