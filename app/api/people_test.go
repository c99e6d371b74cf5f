package api

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/naiber/naiber/store"
)

const fullPerson = `{
	"name": " Ada King ", "preferredName": "Ada", "phone": "+1 555 010 0123", "timezone": "Canada/Newfoundland", "language": "en-CA",
	"address": "1 Harbour Road", "birthDate": "1941-03-29", "notes": "Likes whist", "conditions": ["arthritis"], "medications": ["aspirin"],
	"contacts": [{"name": "Byron", "relation": "son", "phone": "+15550100124"}, {"name": "Cy", "email": "cy@example.org"}],
	"consent": {"calls": true, "memory": true, "cognitive": true, "source": "Ada, on paper"},
	"quietHours": {"start": "21:00", "end": "08:30"}
}`

func TestPersonComesBackAsGiven(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	made := r.ok(http.StatusCreated, http.MethodPost, "/api/v1/people", fullPerson)
	got := r.ok(http.StatusOK, http.MethodGet, "/api/v1/people/"+made.get("id").String(), "")
	if got.body != made.body {
		t.Errorf("GET = %s\nPOST = %s", got.body, made.body)
	}
	for path, want := range map[string]string{
		"name": "Ada King", "preferredName": "Ada", "phone": "+15550100123", "timezone": "Canada/Newfoundland", "language": "en-CA",
		"address": "1 Harbour Road", "birthDate": "1941-03-29", "notes": "Likes whist", "conditions": `["arthritis"]`, "medications": `["aspirin"]`,
		"contacts.#.name": `["Byron","Cy"]`, "contacts.#.priority": "[1,2]", "contacts.0.phone": "+15550100124",
		"consent":    `{"calls":true,"recording":false,"memory":true,"cognitive":true,"transcript":false,"room":false}`,
		"quietHours": `{"start":"21:00","end":"08:30"}`, "topics": "[]", "optedOutAt": "",
	} {
		if v := got.get(path).String(); v != want {
			t.Errorf("%s = %s, want %s", path, v, want)
		}
	}
	for _, path := range []string{"createdAt", "updatedAt"} {
		if at, err := time.Parse(time.RFC3339Nano, got.get(path).String()); err != nil || at.Location() != time.UTC {
			t.Errorf("%s = %s is not a time in UTC", path, got.get(path))
		}
	}
}

func TestPersonNeedsLittle(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	got := r.ok(http.StatusCreated, http.MethodPost, "/api/v1/people", `{"name":"Bo","phone":"+15550100124","timezone":"Europe/Berlin"}`)
	for path, want := range map[string]string{
		"language": "en", "conditions": "[]", "medications": "[]", "contacts": "[]", "quietHours": "",
		"consent": `{"calls":false,"recording":false,"memory":false,"cognitive":false,"transcript":false,"room":false}`,
	} {
		if v := got.get(path).String(); v != want {
			t.Errorf("%s = %s, want %s", path, v, want)
		}
	}
}

func TestPatch(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, patch string
		path, want  string
	}{
		{"absent stays", `{}`, "notes", "Likes whist"},
		{"one field", `{"notes":"Likes chess"}`, "notes", "Likes chess"},
		{"the others stay", `{"notes":"Likes chess"}`, "address", "1 Harbour Road"},
		{"empty is a value", `{"notes":""}`, "notes", ""},
		{"null takes away", `{"notes":null}`, "notes", ""},
		{"a date of birth", `{"birthDate":"1940-02-29"}`, "birthDate", "1940-02-29"},
		{"no date of birth", `{"birthDate":null}`, "birthDate", ""},
		{"null list", `{"conditions":null}`, "conditions", "[]"},
		{"list is replaced", `{"medications":["ibuprofen"]}`, "medications", `["ibuprofen"]`},
		{"contacts stay", `{"name":"Ada K"}`, "contacts.#.name", `["Byron","Cy"]`},
		{"contacts are replaced", `{"contacts":[{"name":"Di"}]}`, "contacts.#.name", `["Di"]`},
		{"no contacts", `{"contacts":[]}`, "contacts", "[]"},
		{"null contacts", `{"contacts":null}`, "contacts", "[]"},
		{"phone is normalised", `{"phone":"+49 30 901820"}`, "phone", "+4930901820"},
		{"quiet hours stay", `{"name":"Ada K"}`, "quietHours.start", "21:00"},
		{"quiet hours change", `{"quietHours":{"start":"22:00","end":"07:00"}}`, "quietHours", `{"start":"22:00","end":"07:00"}`},
		{"house quiet hours", `{"quietHours":null}`, "quietHours", ""},
		{"language falls back", `{"language":null}`, "language", "en"},
		{"consent is no part of it", `{"name":"Ada K"}`, "consent.calls", "true"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, nil)
			me := "/api/v1/people/" + r.ok(http.StatusCreated, http.MethodPost, "/api/v1/people", fullPerson).get("id").String()
			answered := r.ok(http.StatusOK, http.MethodPatch, me, tt.patch)
			if got := answered.get(tt.path).String(); got != tt.want {
				t.Errorf("%s = %s, want %s", tt.path, got, tt.want)
			}
			if kept := r.ok(http.StatusOK, http.MethodGet, me, ""); kept.body != answered.body {
				t.Errorf("kept = %s\nanswered = %s", kept.body, answered.body)
			}
		})
	}
}

func TestOptingOutKeepsItsFirstDay(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	me := "/api/v1/people/" + r.person("Ada King", "+15550100123")
	first := r.ok(http.StatusOK, http.MethodPatch, me, `{"optedOut":true}`).get("optedOutAt").String()
	if at, err := time.Parse(time.RFC3339Nano, first); err != nil || at.Location() != time.UTC || time.Since(at) > time.Minute {
		t.Errorf("optedOutAt = %q", first)
	}
	for _, patch := range []string{`{"optedOut":true}`, `{"optedOut":null}`, `{"name":"Ada K"}`} {
		if again := r.ok(http.StatusOK, http.MethodPatch, me, patch).get("optedOutAt").String(); again != first {
			t.Errorf("after %s: optedOutAt = %q, want %q", patch, again, first)
		}
	}
	if got := r.ok(http.StatusOK, http.MethodPatch, me, `{"optedOut":false}`); got.get("optedOutAt").Exists() {
		t.Errorf("after opting in: %s", got.body)
	}
}

// An opt-in says who did it, and only takes back an opt-out that stands.
func TestOptInTakesAnOptOutBack(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	me := "/api/v1/people/" + r.person("Ada King", "+15550100123")
	calls := r.ok(http.StatusOK, http.MethodGet, me, "").get("consent.calls").Raw
	r.ok(http.StatusConflict, http.MethodPost, me+"/opt-in", `{"by":"Ada"}`)
	if got := r.ok(http.StatusOK, http.MethodPatch, me, `{"optedOut":true}`); got.get("consent.calls").Bool() {
		t.Errorf("the consent outlives the opt-out: %s", got.body)
	}
	r.ok(http.StatusUnprocessableEntity, http.MethodPost, me+"/opt-in", `{"by":""}`)
	got := r.ok(http.StatusOK, http.MethodPost, me+"/opt-in", `{"by":"Ada"}`)
	if got.get("optedOutAt").Exists() || got.get("consent.calls").Raw != calls {
		t.Errorf("after the opt-in: %s, before the opt-out calls %s", got.body, calls)
	}
}

func TestFindPeople(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	r.person("Ada King", "+15550100123")
	r.person("Augustus King", "+15550100123") // a couple shares a telephone
	r.person("Bo Example", "+15550100124")
	for query, want := range map[string]string{
		"":                           `["Ada King","Augustus King","Bo Example"]`,
		"?phone=%2B15550100123":      `["Ada King","Augustus King"]`,
		"?phone=+15550100124":        `["Bo Example"]`,
		"?phone=%2B1%20555-010-0124": `["Bo Example"]`,
		"?phone=+15550100199":        `[]`,
		"?name=king":                 `["Ada King","Augustus King"]`,
		"?name=nobody":               `[]`,
	} {
		got := r.ok(http.StatusOK, http.MethodGet, "/api/v1/people"+query, "")
		if names := got.get("items.#.name").String(); names != want {
			t.Errorf("%q = %s, want %s", query, names, want)
		}
		if got.get("nextCursor").Exists() {
			t.Errorf("%q has a next page", query)
		}
	}
}

func TestPeopleInPages(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	var want []string
	for i := range 4 {
		want = append(want, r.person("P", fmt.Sprintf("+1555010012%d", i)))
	}
	got, pages := r.pages("/api/v1/people?limit=2")
	if !slices.Equal(got, want) || pages != 2 {
		t.Errorf("people = %v in %d pages, want %v in 2", got, pages, want)
	}
}

// pages reads a list to its end and returns the ids.
func (r *rig) pages(path string) (ids []string, pages int) {
	r.t.Helper()
	for cursor := ""; pages < 10; pages++ {
		got := r.ok(http.StatusOK, http.MethodGet, path+cursor, "")
		for _, id := range got.get("items.#.id").Array() {
			ids = append(ids, id.String())
		}
		next := got.get("nextCursor").String()
		if next == "" {
			return ids, pages + 1
		}
		cursor = "&cursor=" + next
	}
	r.t.Fatal("pages do not end")
	return nil, 0
}

func TestDeletedPersonIsGone(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	me := "/api/v1/people/" + r.person("Ada King", "+15550100123")
	if got := r.ok(http.StatusNoContent, http.MethodDelete, me, ""); got.body != "" {
		t.Errorf("body = %q", got.body)
	}
	r.problem(http.StatusNotFound, http.MethodGet, me, "")
	r.problem(http.StatusNotFound, http.MethodDelete, me, "")
}

func TestChangesAreAudited(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	me := "/api/v1/people/" + r.person("Ada King", "+15550100123")
	r.ok(http.StatusOK, http.MethodPatch, me, `{"notes":"Likes whist"}`)
	r.ok(http.StatusCreated, http.MethodPost, me+"/consents", `{"scope":"memory","givenBy":"Ada","how":"on paper"}`)
	r.ok(http.StatusOK, http.MethodDelete, me+"/consents/memory", "")
	pause := r.ok(http.StatusCreated, http.MethodPost, me+"/pauses", `{"indefinite":true}`).get("id").String()
	r.ok(http.StatusNoContent, http.MethodDelete, me+"/pauses/"+pause, "")
	r.ok(http.StatusNoContent, http.MethodDelete, me, "")
	var actions []string
	if err := r.st.Pool().QueryRow(t.Context(), "select array_agg(actor || ' ' || action order by id) from audit").Scan(&actions); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"api person.create", "api person.update", "api consent.give.memory", "api consent.revoke.memory", "api pause.add", "api pause.lift", "api person.delete",
	}
	if !slices.Equal(actions, want) {
		t.Errorf("audit = %q\nwant %q", actions, want)
	}
}

// A PIN is kept so that nobody can read it, and replaced or removed as a whole.
func TestPIN(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	id := r.person("Ada Example", "+15550100123")
	me := "/api/v1/people/" + id
	r.problem(http.StatusNotFound, http.MethodDelete, me+"/pin", "")
	for _, bad := range []string{`{"pin":"123"}`, `{"pin":"abcd"}`, `{"pin":"0000"}`, `{}`} {
		r.problem(http.StatusUnprocessableEntity, http.MethodPut, me+"/pin", bad)
	}
	r.ok(http.StatusNoContent, http.MethodPut, me+"/pin", `{"pin":"1414"}`)
	r.ok(http.StatusNoContent, http.MethodPut, me+"/pin", `{"pin":"271828"}`)
	who, err := store.ParsePersonID(id)
	if err != nil {
		t.Fatal(err)
	}
	for pin, want := range map[string]bool{"1414": false, "271828": true, "": false} {
		if right, err := r.st.TryPIN(t.Context(), who, pin, time.Now()); right != want || err != nil {
			t.Errorf("%q opens: %t, %v", pin, right, err)
		}
	}
	if got := r.ok(http.StatusOK, http.MethodGet, me, ""); strings.Contains(got.body, "271828") {
		t.Errorf("the PIN is shown: %s", got.body)
	}
	r.ok(http.StatusNoContent, http.MethodDelete, me+"/pin", "")
	if right, err := r.st.TryPIN(t.Context(), who, "271828", time.Now()); right || err != nil {
		t.Errorf("a PIN that was removed opens: %t, %v", right, err)
	}
}
