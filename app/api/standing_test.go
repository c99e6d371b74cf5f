package api

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/alerts"
)

// What nobody has closed is told with what nobody sees to first, then by tier, then by age.
func TestStandingAlerts(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	ada := r.person("Ada King", "+15550100123")
	older, _ := r.raise(ada, "fall_stuck", time.Hour)
	newer, _ := r.raise("", "operator_queue", time.Hour)
	taken, _ := r.raise(ada, "fall_injury", time.Hour)
	closed, _ := r.raise(ada, "confusion", time.Hour)
	urgent, _, err := r.st.RaiseAlert(t.Context(), alerts.New{Tier: alerts.Now, Kind: "fire"})
	if err != nil {
		t.Fatal(err)
	}
	at := func(a alerts.Alert, verb string) string { return "/api/v1/alerts/" + a.ID.String() + verb }
	r.ok(http.StatusOK, http.MethodPost, at(taken, "/acknowledge"), `{"by":"Ruth"}`)
	r.ok(http.StatusOK, http.MethodPost, at(closed, "/close"), `{"by":"Ruth","outcome":"She is fine."}`)
	for query, want := range map[string][]alerts.Alert{"": {urgent, older, newer, taken}, "?userId=" + ada: {older, taken}, "?limit=1": {urgent}} {
		ids := make([]string, len(want))
		for i, a := range want {
			ids[i] = a.ID.String()
		}
		if got := r.ok(http.StatusOK, http.MethodGet, "/api/v1/alerts/standing"+query, "").get("items.#.id").String(); got != `["`+strings.Join(ids, `","`)+`"]` {
			t.Errorf("%s: %s, want %s", query, got, ids)
		}
	}
	if got := r.ok(http.StatusOK, http.MethodGet, at(newer, ""), "").get("what").String(); got != "nAIber needs an operator: queue" {
		t.Errorf("the operator's is %q", got)
	}
	cy := r.ok(http.StatusCreated, http.MethodPost, "/api/v1/people", `{"name":"Cy","phone":"+15550100125","timezone":"UTC","contacts":[{"name":"Byron","phone":"+15550100126","channels":["sms"]}]}`).get("id").String()
	person, err := store.ParsePersonID(cy)
	if err != nil {
		t.Fatal(err)
	}
	fresh, _, err := r.st.RaiseAlert(t.Context(), alerts.New{PersonID: person, Tier: alerts.Urgent, Kind: "fall_stuck"})
	if err != nil {
		t.Fatal(err)
	}
	told := r.ok(http.StatusOK, http.MethodGet, at(fresh, ""), "")
	for path, want := range map[string]string{"what": "a fall, and cannot get up", "nextTo": `[{"to":"Byron","channels":["sms"]}]`} {
		if got := told.get(path).String(); got != want {
			t.Errorf("%s = %s, want %s", path, got, want)
		}
	}
	if got := r.ok(http.StatusOK, http.MethodPost, at(fresh, "/acknowledge"), `{"by":"Ruth"}`); got.get("nextTo").Exists() || got.get("nextAt").Exists() {
		t.Errorf("somebody sees to it, and others are told: %s", got.body)
	}
	r.problem(http.StatusUnprocessableEntity, http.MethodGet, "/api/v1/alerts/standing?userId=ada", "")
	r.problem(http.StatusUnauthorized, http.MethodGet, "/api/v1/alerts/standing", "", "Authorization", "")
}
