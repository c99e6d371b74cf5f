package api

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/checks"
	"github.com/naiber/naiber/telephony"
)

// oneDay is when the checks of these tests begin.
var oneDay = time.Date(2026, 3, 2, 10, 30, 0, 0, time.UTC)

// check keeps a health check of somebody, which began at a time.
func (r *rig) check(person string, at time.Time, change func(*checks.Check)) store.CallID {
	r.t.Helper()
	id := r.dial(person)
	r.end(id)
	pid, err := store.ParsePersonID(person)
	if err != nil {
		r.t.Fatal(err)
	}
	seven, total := 7.0, 3
	hc := checks.Check{
		CallID: id, PersonID: pid, Status: checks.Completed, StartedAt: at, EndedAt: at.Add(5 * time.Minute),
		Answers: []checks.Answer{
			{
				QuestionID: "sleep", Question: "How well did you sleep?", Short: "Sleep", Pack: "daily", PackVersion: "1.0.0", Type: "scale", Status: "answered",
				Value: json.RawMessage("7"), Ordinal: &seven, Quote: "a seven", Confidence: 0.95, Source: "rules", Attempts: 2, At: at,
				Earlier: []checks.Reading{{Status: "answered", Value: json.RawMessage("4"), Quote: "four", Confidence: 0.9, At: at}},
			},
			{
				QuestionID: "sleep.why", FollowUpOf: "sleep", Question: "What kept you awake?", Short: "Why", Pack: "daily", Type: "text", Status: "answered",
				Value: json.RawMessage(`"=cmd()"`), Quote: "=cmd()", Confidence: 1, Source: "rules", Attempts: 1, At: at, Carried: true,
			},
			{QuestionID: "mood", Question: "How is your mood?", Short: "Mood", Pack: "daily", Type: "scale", Status: "refused", Source: "rules", Confidence: 1, Attempts: 1, At: at},
			{
				QuestionID: "phq.interest", Question: "Little interest?", Short: "Interest", Pack: "phq2", Screen: true, Type: "choice", Status: "keypad",
				Value: json.RawMessage(`"nearly_every_day"`), Quote: "", Confidence: 1, Source: "keypad", Attempts: 1, At: at,
			},
			{QuestionID: "falls", Question: "Have you fallen?", Short: "Falls", Pack: "daily", Type: "boolean", Status: "not_reached"},
		},
		Scores: []checks.Score{{Pack: "phq2", Version: "1.0.0", Title: "PHQ-2", Total: &total, Highest: 6, Band: "positive", Meaning: "A reason to look.", Positive: true, Answered: 2, Of: 2}},
	}
	if change != nil {
		change(&hc)
	}
	if err := r.st.SaveHealthCheck(r.t.Context(), hc); err != nil {
		r.t.Fatal(err)
	}
	return id
}

func TestHealthCheckShape(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(c *telephony.Config) { c.DailyCap = 9 })
	ada := r.person("Ada", "+15550100123")
	first := r.check(ada, oneDay, func(hc *checks.Check) { hc.Status = checks.InProgress })
	second := r.check(ada, oneDay.Add(time.Hour), func(hc *checks.Check) { hc.Resumes = first })
	list := r.ok(http.StatusOK, http.MethodGet, "/api/v1/people/"+ada+"/health-checks", "")
	if list.header.Get("Link") != "" {
		t.Errorf("Link = %q on the last page", list.header.Get("Link"))
	}
	for field, want := range map[string]string{
		"#": "2", "#.callId": fmt.Sprintf(`["%s","%s"]`, second, first), "#.status": `["completed","in-progress"]`,
		"0.resumes": first.String(), "0.continuedBy": "", "1.resumes": "", "1.continuedBy": second.String(),
		"0.startedAt": "2026-03-02T11:30:00Z", "0.endedAt": "2026-03-02T11:35:00Z",
		"0.answers.#.questionId": `["sleep","sleep.why","mood","phq.interest","falls"]`,
		"0.answers.#.value":      `[7,"=cmd()",null,"nearly_every_day",null]`,
		"0.answers.#.status":     `["answered","answered","refused","keypad","not_reached"]`,
		"0.answers.#.quote":      `["a seven","=cmd()","","",""]`, "0.answers.#.at": `["2026-03-02T11:30:00Z","2026-03-02T11:30:00Z","2026-03-02T11:30:00Z","2026-03-02T11:30:00Z"]`,
		"0.answers.0.question": "How well did you sleep?", "0.answers.0.short": "Sleep", "0.answers.0.type": "scale", "0.answers.0.pack": "daily",
		"0.answers.0.packVersion": "1.0.0", "0.answers.0.confidence": "0.95", "0.answers.0.source": "rules", "0.answers.0.attempts": "2",
		"0.answers.0.carried": "false", "0.answers.0.earlier.#.value": "[4]", "0.answers.0.earlier.0.quote": "four",
		"0.answers.1.carried": "true", "0.answers.1.followUpOf": "sleep", "0.answers.1.earlier": "[]",
		"0.answers.3.label": "nearly every day", "0.scores.#.pack": `["phq2"]`, "0.scores.0.total": "3", "0.scores.0.highest": "6", "0.scores.0.positive": "true",
		"0.scores.0.band": "positive", "0.scores.0.meaning": "A reason to look.", "0.scores.0.answered": "2", "0.scores.0.of": "2",
	} {
		if got := list.get(field).String(); got != want {
			t.Errorf("%s = %s, want %s", field, got, want)
		}
	}
	alone := r.ok(http.StatusOK, http.MethodGet, "/api/v1/calls/"+second.String()+"/health-check", "")
	if got, want := strings.TrimSpace(alone.body), list.get("0").Raw; got != want {
		t.Errorf("one check = %s\nwant %s", got, want)
	}
}

var nextLink = regexp.MustCompile(`^<(/api/v1/[^>]+)>; rel="next"$`)

func TestHealthChecksInPages(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(c *telephony.Config) { c.DailyCap = 9 })
	ada := r.person("Ada", "+15550100123")
	var want []string // newest first
	for day := range 4 {
		want = slices.Insert(want, 0, r.check(ada, oneDay.AddDate(0, 0, day), nil).String())
	}
	pid, _ := store.ParsePersonID(ada)
	live := checks.Check{CallID: store.NewCallID(), PersonID: pid, Status: checks.InProgress, StartedAt: oneDay.AddDate(0, 0, 9)}
	r.running.Store(&live)
	want = slices.Insert(want, 0, live.CallID.String())
	pages := func(limit int) (ids []string, n int) {
		path := fmt.Sprintf("/api/v1/people/%s/health-checks?limit=%d", ada, limit)
		for path != "" && n < 9 {
			got := r.ok(http.StatusOK, http.MethodGet, path, "")
			for _, id := range got.get("#.callId").Array() {
				ids = append(ids, id.String())
			}
			n++
			path = ""
			if next := nextLink.FindStringSubmatch(got.header.Get("Link")); next != nil {
				path = next[1]
			} else if link := got.header.Get("Link"); link != "" {
				t.Fatalf("Link = %q", link)
			}
		}
		return ids, n
	}
	for limit, n := range map[int]int{1: 5, 2: 3, 4: 2, 5: 1, 200: 1} {
		if got, in := pages(limit); !slices.Equal(got, want) || in != n {
			t.Errorf("limit %d: %v in %d pages, want %v in %d", limit, got, in, want, n)
		}
	}
	first := r.ok(http.StatusOK, http.MethodGet, "/api/v1/people/"+ada+"/health-checks", "")
	if first.get("0.endedAt").Exists() || first.get("0.status").String() != "in-progress" || first.get("0.answers").String() != "[]" {
		t.Errorf("the check that is under way = %s", first.get("0"))
	}
	live.Answers = []checks.Answer{{QuestionID: "sleep", Type: "scale", Status: "not_reached"}}
	live.CallID = r.dial(ada)
	if got := r.ok(http.StatusOK, http.MethodGet, "/api/v1/calls/"+live.CallID.String()+"/health-check", ""); got.get("answers.#").Int() != 1 {
		t.Errorf("the live call's check = %s", got.body)
	}
	r.running.Store(&checks.Check{}) // it cannot be had
	if got, _ := pages(200); !slices.Equal(got, want[1:]) {
		t.Errorf("without what is under way: %v", got)
	}
	if log := r.log.String(); !strings.Contains(log, "checkpoints cannot be reached") {
		t.Errorf("log = %s", log)
	}
}

func TestHealthRefusals(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	ada := r.person("Ada", "+15550100123")
	call := r.dial(ada)
	me, nobody := "/api/v1/people/"+ada, "/api/v1/people/"+store.NewPersonID().String()
	for path, status := range map[string]int{
		nobody + "/health-checks": 404, nobody + "/trends": 404, nobody + "/health-checks/fhir": 404, nobody + "/health-checks/csv": 404,
		"/api/v1/people/ada/health-checks": 404, "/api/v1/calls/" + call.String() + "/health-check": 404,
		"/api/v1/calls/" + store.NewCallID().String() + "/health-check": 404, "/api/v1/calls/x/health-check": 404,
		me + "/health-checks?limit=0": 422, me + "/health-checks?limit=201": 422, me + "/health-checks?limit=many": 422,
		me + "/health-checks?cursor=x": 422, me + "/health-checks?cursor=1.x": 422, me + "/health-checks?page=2": 422,
		me + "/trends?since=yesterday": 422, me + "/health-checks/csv?since=1": 422, me + "/health-checks/fhir?limit=1": 422,
	} {
		r.problem(status, http.MethodGet, path, "")
	}
	if got := r.ok(http.StatusOK, http.MethodGet, me+"/health-checks", ""); strings.TrimSpace(got.body) != "[]" {
		t.Errorf("no checks = %s", got.body)
	}
	if got := r.ok(http.StatusOK, http.MethodGet, me+"/trends", ""); got.get("items").String() != "[]" {
		t.Errorf("no trends = %s", got.body)
	}
}

func TestTrends(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(c *telephony.Config) { c.DailyCap = 99 })
	ada := r.person("Ada", "+15550100123")
	now := time.Now().Truncate(time.Millisecond)
	var last string
	for day := range 8 {
		n := 7 - 5*(day/7) // seven every day, and two on the last
		last = r.check(ada, now.AddDate(0, 0, day-8), func(hc *checks.Check) {
			ordinal := float64(n)
			hc.Answers = hc.Answers[:1]
			hc.Answers[0].Value, hc.Answers[0].Ordinal = json.RawMessage(strconv.Itoa(n)), &ordinal
		}).String()
	}
	got := r.ok(http.StatusOK, http.MethodGet, "/api/v1/people/"+ada+"/trends", "")
	for field, want := range map[string]string{
		"items.#": "1", "items.0.questionId": "sleep", "items.0.short": "Sleep", "items.0.question": "How well did you sleep?", "items.0.type": "scale",
		"items.0.min": "1", "items.0.max": "10", "items.0.higher": "better", "items.0.points.#": "8", "items.0.points.#.value": "[7,7,7,7,7,7,7,2]",
		"items.0.points.7.callId": last, "items.0.usual.n": "7", "items.0.usual.median": "7", "items.0.usual.spread": "0.7413", "items.0.latest.status": "lower",
		"items.0.latest.value": "2", "items.0.latest.difference": "-5", "items.0.drift.status": "too_few",
	} {
		if v := got.get(field).String(); v != want {
			t.Errorf("%s = %s, want %s", field, v, want)
		}
	}
	if words := got.get("items.0.latest.words").String(); !strings.HasPrefix(words, "Lower than usual for Ada: 2") {
		t.Errorf("words = %q", words)
	}
	since := now.AddDate(0, 0, -3).UTC().Format(time.RFC3339)
	part := r.ok(http.StatusOK, http.MethodGet, "/api/v1/people/"+ada+"/trends?since="+since, "")
	if part.get("items.0.points.#").Int() != 3 || part.get("items.0.usual").String() != got.get("items.0.usual").String() {
		t.Errorf("three days = %s", part.body)
	}
}

func TestHealthExports(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(c *telephony.Config) { c.DailyCap = 9 })
	ada := r.person("Ada", "+15550100123")
	first := r.check(ada, oneDay, func(hc *checks.Check) { hc.Status = checks.InProgress })
	second := r.check(ada, oneDay.Add(time.Hour), func(hc *checks.Check) { hc.Resumes = first })
	third := r.check(ada, oneDay.AddDate(0, 0, 1), nil)
	path := "/api/v1/people/" + ada + "/health-checks/"

	got := r.ok(http.StatusOK, http.MethodGet, path+"csv", "")
	if ct := got.header.Get("Content-Type"); ct != "text/csv; charset=utf-8; header=present" {
		t.Errorf("content type = %q", ct)
	}
	if name := got.header.Get("Content-Disposition"); name != "attachment; filename=health-checks-"+ada+".csv" {
		t.Errorf("disposition = %q", name)
	}
	rows, err := csv.NewReader(strings.NewReader(got.body)).ReadAll()
	if err != nil || len(rows) != 1+2*6 {
		t.Fatalf("%d rows, %v; want a header and two checks", len(rows), err)
	}
	column := func(name string) int { return slices.Index(rows[0], name) }
	if rows[1][column("call_id")] != third.String() || rows[7][column("call_id")] != second.String() {
		t.Errorf("checks = %v", rows)
	}
	if rows[2][column("value")] != "'=cmd()" || rows[1][column("started_at")] != "2026-03-03T07:00:00-03:30" {
		t.Errorf("rows = %q", rows[1:3])
	}

	got = r.ok(http.StatusOK, http.MethodGet, path+"fhir", "")
	if ct := got.header.Get("Content-Type"); ct != "application/fhir+json" {
		t.Errorf("content type = %q", ct)
	}
	for field, want := range map[string]string{
		"resourceType": "Bundle", `entry.#(resource.resourceType=="QuestionnaireResponse")#|#`: "2", `entry.#(resource.resourceType=="Observation")#|#`: "12",
		"entry.0.fullUrl": "https://naiber.example.org/fhir/QuestionnaireResponse/" + third.String(),
		`entry.#(resource.code.coding.0.code=="44250-9").resource.valueCodeableConcept.coding.0.code`: "LA6571-9",
		`entry.#(resource.code.coding.0.code=="55758-7").resource.valueQuantity.value`:                "3",
	} {
		if v := got.get(field).String(); v != want {
			t.Errorf("%s = %s, want %s", field, v, want)
		}
	}
	since := r.ok(http.StatusOK, http.MethodGet, path+"fhir?since=2026-03-03T00:00:00Z", "")
	if n := since.get(`entry.#(resource.resourceType=="QuestionnaireResponse")#|#`).Int(); n != 1 {
		t.Errorf("since the second day: %d checks, want 1", n)
	}
}
