package api

import (
	"net/http"
	"testing"
	"time"
)

func TestLedgerKeepsEveryConsent(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	me := "/api/v1/people/" + r.ok(http.StatusCreated, http.MethodPost, "/api/v1/people",
		`{"name":"Ada","phone":"+15550100123","timezone":"Canada/Newfoundland"}`).get("id").String()

	given := r.ok(http.StatusCreated, http.MethodPost, me+"/consents", `{"scope":"calls","givenBy":"Byron, her son","how":"power of attorney"}`)
	if given.get("scope").String() != "calls" || given.get("givenBy").String() != "Byron, her son" || given.get("revokedAt").Exists() {
		t.Errorf("consent = %s", given.body)
	}
	allowed := func(want bool) {
		t.Helper()
		if got := r.ok(http.StatusOK, http.MethodGet, me, "").get("consent.calls").Bool(); got != want {
			t.Errorf("calls allowed = %v, want %v", got, want)
		}
	}
	allowed(true)
	r.ok(http.StatusOK, http.MethodDelete, me+"/consents/calls?by=Ada&how=by+telephone", "")
	allowed(false)
	r.problem(http.StatusNotFound, http.MethodDelete, me+"/consents/calls", "") // there is none any more
	r.ok(http.StatusCreated, http.MethodPost, me+"/consents", `{"scope":"calls","givenBy":"Ada","how":"on paper"}`)
	allowed(true)

	ledger := r.ok(http.StatusOK, http.MethodGet, me+"/consents", "")
	for path, want := range map[string]string{
		"items.#.givenBy": `["Byron, her son","Ada"]`, "items.0.revokedBy": "Ada", "items.0.revokedHow": "by telephone", "items.1.revokedAt": "",
	} {
		if got := ledger.get(path).String(); got != want {
			t.Errorf("%s = %s, want %s", path, got, want)
		}
	}
	for _, path := range []string{"items.0.givenAt", "items.0.revokedAt"} {
		if at, err := time.Parse(time.RFC3339Nano, ledger.get(path).String()); err != nil || at.Location() != time.UTC {
			t.Errorf("%s = %s is not a time in UTC", path, ledger.get(path))
		}
	}
}

func TestConsentsFromTheFirstDayNameTheirSource(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	id := r.ok(http.StatusCreated, http.MethodPost, "/api/v1/people", fullPerson).get("id").String()
	ledger := r.ok(http.StatusOK, http.MethodGet, "/api/v1/people/"+id+"/consents", "")
	if got := ledger.get("items.#.scope").String(); got != `["calls","memory","cognitive"]` {
		t.Errorf("scopes = %s", got)
	}
	if got := ledger.get("items.#.givenBy").String(); got != `["Ada, on paper","Ada, on paper","Ada, on paper"]` {
		t.Errorf("givenBy = %s", got)
	}
}

func TestPauses(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	me := "/api/v1/people/" + r.person("Ada", "+15550100123")
	open := r.ok(http.StatusCreated, http.MethodPost, me+"/pauses", `{"reason":"in hospital","indefinite":true}`)
	if open.get("reason").String() != "in hospital" || open.get("endsAt").Exists() {
		t.Errorf("pause = %s", open.body)
	}
	later := r.ok(http.StatusCreated, http.MethodPost, me+"/pauses", `{"startsAt":"2040-01-01T00:00:00+01:00","endsAt":"2040-01-08T00:00:00+01:00"}`)
	if got := later.get("endsAt").String(); got != "2040-01-07T23:00:00Z" {
		t.Errorf("endsAt = %s", got)
	}
	count := func() int64 { return r.ok(http.StatusOK, http.MethodGet, me+"/pauses", "").get("items.#").Int() }
	if n := count(); n != 2 {
		t.Errorf("pauses = %d, want 2", n)
	}
	path := me + "/pauses/" + open.get("id").String()
	other := "/api/v1/people/" + r.person("Bo", "+15550100124") + "/pauses/" + open.get("id").String()
	r.problem(http.StatusNotFound, http.MethodDelete, other, "") // not Bo's
	r.ok(http.StatusNoContent, http.MethodDelete, path, "")
	r.problem(http.StatusNotFound, http.MethodDelete, path, "")
	if n := count(); n != 1 {
		t.Errorf("pauses = %d, want 1", n)
	}
}
