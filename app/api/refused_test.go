package api

import (
	"net/http"
	"strings"
	"testing"
)

// Whatever is wrong with a request: the answer is a problem document that says
// what, and nothing is changed.
func TestBadInputChangesNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	ada := r.person("Ada King", "+15550100123")
	call := r.dial(ada)
	people, me := "/api/v1/people", "/api/v1/people/"
	me += ada
	nobody := "/api/v1/people/0190a7a2-0000-7000-8000-000000000000"
	valid := func(change ...string) string {
		return strings.NewReplacer(change...).Replace(`{"name":"Bo","phone":"+15550100124","timezone":"Europe/Berlin","language":"de"}`)
	}
	const post, get, patch, del = http.MethodPost, http.MethodGet, http.MethodPatch, http.MethodDelete
	for _, tt := range []struct {
		name         string
		status       int
		method, path string
		body         string
		at           string // where the mistake is said to be
	}{
		{"malformed json", 400, post, people, `{"name":`, "body"},
		{"no body", 400, post, people, "", ""},
		{"json of another kind", 422, post, people, `[]`, "body"},
		{"10 MB", 413, post, people, `{"notes":"` + strings.Repeat("a", 10<<20) + `"}`, ""},
		{"unknown field", 422, post, people, valid(`"name"`, `"nick":1,"name"`), "body.nick"},
		{"missing field", 422, post, people, `{"name":"Bo","phone":"+15550100124"}`, "body"},
		{"blank name", 422, post, people, valid("Bo", "  "), "body.name"},
		{"NUL in a text", 400, post, people, valid("Bo", `B\u0000o`), "body"},
		{"phone without country code", 422, post, people, valid("+15550100124", "5550100124"), "body.phone"},
		{"phone in words", 422, post, people, valid("+15550100124", "call me"), "body.phone"},
		{"emergency number", 422, post, people, valid("+15550100124", "911"), "body.phone"},
		{"unknown zone", 422, post, people, valid("Europe/Berlin", "Europe/Atlantis"), "body.timezone"},
		{"zone of this machine", 422, post, people, valid("Europe/Berlin", "Local"), "body.timezone"},
		{"zone as a path", 422, post, people, valid("Europe/Berlin", "../../etc/passwd"), "body.timezone"},
		{"language that there are no words for", 422, post, people, valid(`"de"`, `"fr-CA"`), "body.language"},
		{"language in words", 422, post, people, valid(`"de"`, `"plain German"`), "body.language"},
		{"quiet hours that are no clock time", 422, post, people, valid(`"language":"de"`, `"quietHours":{"start":"25:00","end":"09:00"}`), "body.quietHours.start"},
		{"contact without a name", 422, post, people, valid(`"language":"de"`, `"contacts":[{"name":" "}]`), "body.contacts[0].name"},
		{"contact with a bad phone", 422, post, people, valid(`"language":"de"`, `"contacts":[{"name":"Cy"},{"name":"Di","phone":"1"}]`), "body.contacts[1].phone"},

		{"get nobody", 404, get, nobody, "", ""},
		{"get no id", 404, get, people + "/ada", "", ""},
		{"get the id of nobody", 404, get, people + "/00000000-0000-0000-0000-000000000000", "", ""},
		{"patch nobody", 404, patch, nobody, `{"name":"Bo"}`, ""},
		{"patch with an unknown field", 422, patch, me, `{"id":"1"}`, "body.id"},
		{"patch with a bad phone", 422, patch, me, `{"name":"Bo","phone":"1"}`, "body.phone"},
		{"born on no day", 422, patch, me, `{"birthDate":"1941-02-30"}`, "body.birthDate"},
		{"born in the future", 422, patch, me, `{"birthDate":"2400-01-01"}`, "body.birthDate"},
		{"born before anybody who lives", 422, patch, me, `{"birthDate":"1841-03-29"}`, "body.birthDate"},
		{"patch with a bad zone", 422, patch, me, `{"name":"Bo","timezone":"Mars"}`, "body.timezone"},
		{"patch with a bad contact", 422, patch, me, `{"contacts":[{"name":"Cy","phone":"1"}]}`, "body.contacts[0].phone"},
		{"patch away the name", 422, patch, me, `{"name":null}`, "body.name"},
		{"patch away the phone", 422, patch, me, `{"phone":null}`, "body.phone"},
		{"patch away the zone", 422, patch, me, `{"timezone":null}`, "body.timezone"},
		{"delete nobody", 404, del, nobody, "", ""},
		{"delete who is on a call", 409, del, me, "", ""},
		{"find by half a phone", 422, get, people + "?phone=123", "", "query.phone"},
		{"list with a bad cursor", 422, get, people + "?cursor=2", "", "query.cursor"},
		{"list with no limit", 422, get, people + "?limit=0", "", "query.limit"},
		{"list by an unknown filter", 422, get, people + "?age=80", "", "query.age"},
		{"query that is not text", 400, get, people + "?name=%00", "", ""},
		{"query that is not UTF-8", 400, get, people + "?name=%ff", "", ""},

		{"consent of nobody", 404, post, nobody + "/consents", `{"scope":"calls","givenBy":"Bo","how":"on paper"}`, ""},
		{"consent to an unknown scope", 422, post, me + "/consents", `{"scope":"all","givenBy":"Bo","how":"on paper"}`, "body.scope"},
		{"consent given by nobody", 422, post, me + "/consents", `{"scope":"calls","givenBy":"","how":"on paper"}`, "body.givenBy"},
		{"revoke an unknown scope", 422, del, me + "/consents/all", "", "path.scope"},
		{"ledger of nobody", 404, get, nobody + "/consents", "", ""},
		{"pause nobody", 404, post, nobody + "/pauses", `{}`, ""},
		{"pause for ever by omission", 422, post, me + "/pauses", `{}`, "body.endsAt"},
		{"pause for ever, and not", 422, post, me + "/pauses", `{"indefinite":true,"endsAt":"2040-01-02T00:00:00Z"}`, "body.endsAt"},
		{"pause backwards", 422, post, me + "/pauses", `{"startsAt":"2040-01-02T00:00:00Z","endsAt":"2040-01-01T00:00:00Z"}`, "body.endsAt"},
		{"pause over long ago", 422, post, me + "/pauses", `{"endsAt":"2020-01-01T00:00:00Z"}`, "body.endsAt"},
		{"pause until no time", 422, post, me + "/pauses", `{"endsAt":"tomorrow"}`, "body.endsAt"},
		{"lift no pause", 404, del, me + "/pauses/0190a7a2-0000-7000-8000-000000000000", "", ""},
		{"lift no id", 404, del, me + "/pauses/1", "", ""},

		{"call nobody by id", 404, post, "/call", `{"userId":"0190a7a2-0000-7000-8000-000000000000","callType":"general"}`, ""},
		{"call no id", 404, post, "/call", `{"userId":"ada","callType":"general"}`, ""},
		{"call the id of nobody", 404, post, "/call", `{"userId":"00000000-0000-0000-0000-000000000000","callType":"general"}`, ""},
		{"call nobody by phone", 404, post, "/call", `{"phone":"+15550100199","callType":"general"}`, ""},
		{"call a bad phone", 422, post, "/call", `{"phone":"12","callType":"general"}`, "body.phone"},
		{"call neither", 422, post, "/call", `{"callType":"general"}`, "body"},
		{"call both", 422, post, "/call", `{"userId":"` + ada + `","phone":"+15550100123","callType":"general"}`, "body"},
		{"unknown call type", 422, post, "/call", `{"userId":"` + ada + `","callType":"sales"}`, "body.callType"},
		{"no call type", 422, post, "/call", `{"userId":"` + ada + `"}`, "body"},
		{"call with an unknown field", 422, post, "/call", `{"userId":"` + ada + `","callType":"general","force":true}`, "body.force"},
		{"call as malformed json", 400, post, "/call", `{`, "body"},
		{"call of 10 MB", 413, post, "/call", strings.Repeat(" ", 10<<20), ""},
		{"get no call", 404, get, "/api/v1/calls/0190a7a2-0000-7000-8000-000000000000", "", ""},
		{"get a call by no id", 404, get, "/api/v1/calls/1", "", ""},
		{"follow no call", 404, get, "/api/v1/calls/0190a7a2-0000-7000-8000-000000000000/events", "", ""},
		{"follow from no event", 422, get, "/api/v1/calls/" + call.String() + "/events?after=x", "", ""},
		{"hang up no call", 404, post, "/api/v1/calls/0190a7a2-0000-7000-8000-000000000000/hangup", "", ""},
		{"calls of no id", 422, get, "/api/v1/calls?userId=ada", "", "query.userId"},
		{"calls of the id of nobody", 422, get, "/api/v1/calls?userId=00000000-0000-0000-0000-000000000000", "", "query.userId"},
		{"calls in an unknown state", 422, get, "/api/v1/calls?status=lost", "", "query.status"},
		{"calls with a bad cursor", 422, get, "/api/v1/calls?cursor=2", "", "query.cursor"},
		{"too many calls", 422, get, "/api/v1/calls?limit=1000", "", "query.limit"},

		{"no such address", 404, get, "/api/v1/robots", "", ""},
		{"no such method", 405, http.MethodPut, me, `{}`, ""},
		{"get a call into being", 405, get, "/call", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := r.rows()
			r := r.on(t)
			got := r.problem(tt.status, tt.method, tt.path, tt.body)
			var places []string
			for _, at := range got.get("errors.#.location").Array() {
				places = append(places, at.String())
			}
			if tt.at != "" && !strings.Contains(strings.Join(places, " ")+" ", tt.at+" ") {
				t.Errorf("places = %v, want %s", places, tt.at)
			}
			if after := r.rows(); after != before {
				t.Errorf("rows changed:\n%s\nwas\n%s", after, before)
			}
		})
	}
	if log := r.log.String(); strings.Contains(log, "request failed") {
		t.Errorf("bad input was taken for a failure of ours:\n%s", log)
	}
}

func TestBodyThatIsNoJSONIsRefused(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	for _, kind := range []string{"text/xml", "application/x-www-form-urlencoded"} {
		got := r.problem(http.StatusUnsupportedMediaType, http.MethodPost, "/api/v1/people", "<person/>", "Content-Type", kind)
		if got.get("detail").String() != "Send Content-Type: application/json." || strings.Contains(got.body, "person/") {
			t.Errorf("as %s: %s", kind, got.body)
		}
	}
}

func TestWrongMethodNamesTheRightOnes(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	got := r.problem(http.StatusMethodNotAllowed, http.MethodPut, "/api/v1/people", `{}`)
	if allow := got.header.Get("Allow"); allow != "GET, POST" {
		t.Errorf("Allow = %q", allow)
	}
}

func TestDoorGuardsEveryRoute(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	ada := r.person("Ada King", "+15550100123")
	call := r.dial(ada).String()
	before := r.rows()
	for path, methods := range r.ok(http.StatusOK, http.MethodGet, "/openapi.json", "").get("paths").Map() {
		if path == "/status" {
			continue
		}
		for method := range methods.Map() {
			target := strings.NewReplacer("{id}", ada, "{scope}", "calls", "{pauseId}", call).Replace(path)
			for _, credentials := range []string{"", "Bearer wrong", "Basic " + bearer} {
				got := r.problem(http.StatusUnauthorized, strings.ToUpper(method), target, "", "Authorization", credentials)
				if strings.Contains(got.body, "Ada") {
					t.Errorf("%s %s tells of Ada", method, path)
				}
			}
		}
	}
	if after := r.rows(); after != before {
		t.Errorf("rows changed:\n%s\nwas\n%s", after, before)
	}
}

func TestEscapesNUL(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		`{"a":"b"}`:          false,
		`{"a":"\u0000"}`:     true,
		`{"a":"\\u0000"}`:    false, // a backslash, then letters
		`{"a":"\\\u0000"}`:   true,
		`{"a":"\u00001"}`:    true,
		`{"a":"\u0001"}`:     false,
		`{"a":"\`:            false,
		`{"a":"\u000`:        false,
		`{"\u0000":"a key"}`: true,
	} {
		if got := escapesNUL([]byte(text)); got != want {
			t.Errorf("escapesNUL(%s) = %v, want %v", text, got, want)
		}
	}
}

func FuzzEscapesNUL(f *testing.F) {
	for _, seed := range []string{`{"a":"\u0000"}`, `{"a":"\\u0000"}`, `"\\\\\u0000"`, `\`, `"\u00`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var text string
		if textFormat.Unmarshal(data, &text) == nil && strings.ContainsRune(text, 0) {
			t.Errorf("%q passed and holds a NUL", data)
		}
	})
}
