package api

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/naiber/naiber/personas/cognitive/tasks"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/cognition"
	"github.com/naiber/naiber/telephony"
)

// someTasks are the measures of these tests.
func someTasks(string) []tasks.Task {
	return []tasks.Task{
		{ID: "six_item", Version: "1.0.0", Title: "Six-Item Screener", Domain: "memory", Max: 6, SD: 0.7, Practice: 0.1},
		{ID: "category", Version: "1.0.0", Title: "Naming animals", Domain: "language", SD: 3, Practice: 0.5},
	}
}

// cognitive keeps a cognitive check of somebody, which began at a time.
func (r *rig) cognitive(person string, at time.Time, six, animals int) store.CallID {
	r.t.Helper()
	id := r.dial(person)
	r.end(id)
	pid, err := store.ParsePersonID(person)
	if err != nil {
		r.t.Fatal(err)
	}
	seconds := 12.5
	err = r.st.SaveCognitiveCheck(r.t.Context(), cognition.Check{
		CallID: id, PersonID: pid, Language: "en", Form: "six_item b, category a", Status: cognition.Partial, StartedAt: at, EndedAt: at.Add(9 * time.Minute),
		Confounders: []cognition.Confounder{{Kind: "sleep", Quote: "I hardly slept", At: at}},
		Tasks: []cognition.Task{
			{
				TaskID: "six_item", Version: "1.0.0", Title: "Six-Item Screener", Form: "b", Status: cognition.TaskComplete, Raw: &six, Max: 6, Seconds: &seconds, At: at, Confidence: 0.9,
				Evidence: []cognition.Evidence{{Item: "recall", Quote: "tabel", Counts: true, Why: "variant"}},
			},
			{TaskID: "category", Version: "1.0.0", Title: "Naming animals", Form: "a", Status: cognition.TaskComplete, Raw: &animals, At: at, Confidence: 1},
			{TaskID: "story", Version: "1.0.0", Title: "A story", Form: "a", Status: cognition.TaskVoid, Why: "prompted", Max: 12, At: at},
		},
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return id
}

func TestCognitiveCheckShape(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(c *telephony.Config) { c.DailyCap = 9 })
	ada := r.person("Ada", "+15550100123")
	first := r.cognitive(ada, oneDay, 5, 14)
	second := r.cognitive(ada, oneDay.AddDate(0, 0, 7), 6, 15)
	base := "/api/v1/people/" + ada
	page := r.ok(http.StatusOK, http.MethodGet, base+"/cognitive-checks?limit=1", "")
	link := page.header.Get("Link")
	var next string
	if _, err := fmt.Sscanf(link, "<%s", &next); err != nil || len(next) < 2 {
		t.Fatalf("Link = %q", link)
	}
	rest := r.ok(http.StatusOK, http.MethodGet, next[:len(next)-2], "")
	if page.get("#.callId").String() != `["`+second.String()+`"]` || rest.get("#.callId").String() != `["`+first.String()+`"]` || rest.header.Get("Link") != "" {
		t.Errorf("pages %s and %s", page.body, rest.body)
	}
	got := r.ok(http.StatusOK, http.MethodGet, "/api/v1/calls/"+first.String()+"/cognitive-check", "")
	for field, want := range map[string]string{
		"callId": first.String(), "status": "partial", "form": "six_item b, category a", "startedAt": "2026-03-02T10:30:00Z", "endedAt": "2026-03-02T10:39:00Z",
		"confounders.0.kind": "sleep", "confounders.0.quote": "I hardly slept", "tasks.#.taskId": `["six_item","category","story"]`,
		"tasks.#.raw": "[5,14,null]", "tasks.#.max": "[6,0,12]", "tasks.#.why": `["prompted"]`, "tasks.0.seconds": "12.5", "tasks.0.version": "1.0.0",
		"tasks.0.evidence": `[{"item":"recall","quote":"tabel","counts":true,"why":"variant"}]`, "tasks.1.evidence": "[]",
	} {
		if v := got.get(field).String(); v != want {
			t.Errorf("%s = %s, want %s", field, v, want)
		}
	}
	bundle := r.ok(http.StatusOK, http.MethodGet, base+"/cognitive-checks/fhir?since=2026-03-05T00:00:00Z", "")
	if n := bundle.get("entry.#").Int(); bundle.get("resourceType").String() != "Bundle" || n != 4 || bundle.get("entry.0.resource.effectiveDateTime").String() != "2026-03-09T08:00:00-02:30" ||
		bundle.header.Get("Content-Type") != "application/fhir+json" || bundle.header.Get("Content-Disposition") != "attachment; filename=cognitive-checks-"+ada+".fhir.json" {
		t.Errorf("%d entries, %v: %s", n, bundle.header, bundle.body)
	}
	r.problem(http.StatusNotFound, http.MethodGet, "/api/v1/calls/"+r.dial(ada).String()+"/cognitive-check", "")
}

func TestCognitiveCorrection(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	ada := r.person("Ada", "+15550100123")
	path := "/api/v1/calls/" + r.cognitive(ada, oneDay, 5, 14).String() + "/cognitive-check/tasks/"
	got := r.ok(http.StatusOK, http.MethodPost, path+"six_item/correction", `{"raw":6,"by":" Ann Lee ","note":"she said table"}`)
	for field, want := range map[string]string{"taskId": "six_item", "raw": "5", "correction.raw": "6", "correction.by": "Ann Lee", "correction.note": "she said table"} {
		if v := got.get(field).String(); v != want {
			t.Errorf("%s = %s, want %s", field, v, want)
		}
	}
	for _, bad := range []struct {
		task, body string
		status     int
	}{
		{"six_item", `{"raw":7,"by":"Ann Lee"}`, http.StatusConflict},
		{"story", `{"raw":3,"by":"Ann Lee"}`, http.StatusConflict},
		{"letter", `{"raw":3,"by":"Ann Lee"}`, http.StatusNotFound},
		{"six_item", `{"raw":-1,"by":"Ann Lee"}`, http.StatusUnprocessableEntity},
		{"six_item", `{"raw":5,"by":"  "}`, http.StatusUnprocessableEntity},
		{"six_item", `{"raw":5}`, http.StatusUnprocessableEntity},
	} {
		r.problem(bad.status, http.MethodPost, path+bad.task+"/correction", bad.body)
	}
	trends := r.ok(http.StatusOK, http.MethodGet, "/api/v1/people/"+ada+"/cognitive-trends", "")
	if v := trends.get(`#(measure=="six_item").last`).Int(); v != 6 {
		t.Errorf("the trend goes on with %d, want the correction: %s", v, trends.body)
	}
}

func TestCognitiveTrends(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(c *telephony.Config) { c.DailyCap = 20 })
	ada := r.person("Ada", "+15550100123")
	path := "/api/v1/people/" + ada + "/cognitive-trends"
	if got := r.ok(http.StatusOK, http.MethodGet, path, ""); got.body != "[]\n" && got.body != "[]" {
		t.Errorf("of nobody's checks: %s", got.body)
	}
	for i, six := range []int{6, 6, 5, 6, 2, 1, 1, 1} {
		r.cognitive(ada, oneDay.AddDate(0, 0, 30*i), six, 14+i%3)
	}
	got := r.ok(http.StatusOK, http.MethodGet, path, "")
	for field, want := range map[string]string{
		"#.measure": `["overall","six_item","category"]`, "#.title": `["Everything together","Six-Item Screener","Naming animals"]`,
		"#.n": "[8,8,8]", "1.change": "decline", "2.change": "none", "1.domain": "memory", "1.last": "1", "1.points.0.at": "2026-03-02T10:30:00Z",
	} {
		if v := got.get(field).String(); v != want {
			t.Errorf("%s = %s, want %s", field, v, want)
		}
	}
	last := got.get("1.points.7")
	if low, high := last.Get("low").Float(), last.Get("high").Float(); low <= 1 || high <= low || got.get("1.reliableChangeIndex").Float() >= 0 {
		t.Errorf("a decline within its band: %s", last)
	}
}
