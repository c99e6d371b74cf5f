package api

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

const daily = `{"callType":"health_check","rrule":"RRULE:freq=daily","window":{"from":"09:00","to":"10:30"}`

func TestScheduleComesBackAsGiven(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	ada := r.person("Ada King", "+15550100123")
	made := r.ok(http.StatusCreated, http.MethodPost, "/api/v1/people/"+ada+"/schedules",
		daily+`,"graceMinutes":30,"jitterMinutes":0,"startsOn":"2035-01-04","endsOn":"2035-01-05","note":" with her daughter "}`)
	for path, want := range map[string]string{
		"userId": ada, "callType": "health_check", "rrule": "FREQ=DAILY", "window": `{"from":"09:00","to":"10:30"}`, "essential": "true", "graceMinutes": "30",
		"jitterMinutes": "0", "startsOn": "2035-01-04", "endsOn": "2035-01-05", "note": "with her daughter", "paused": "false",
		"next": `["2035-01-04T12:30:00Z","2035-01-05T12:30:00Z"]`, // Newfoundland
	} {
		if got := made.get(path).String(); got != want {
			t.Errorf("%s = %s, want %s", path, got, want)
		}
	}
	at := "/api/v1/schedules/" + made.get("id").String()
	if got := r.ok(http.StatusOK, http.MethodGet, at, ""); got.body != made.body || got.header.Get("ETag") != made.header.Get("ETag") {
		t.Errorf("GET = %s\nPOST = %s", got.body, made.body)
	}
	if got := r.ok(http.StatusOK, http.MethodGet, "/api/v1/people/"+ada+"/schedules", ""); got.get("items.0").Raw != strings.TrimSpace(made.body) || got.get("items.#").Int() != 1 {
		t.Errorf("list = %s", got.body)
	}
}

func TestScheduleNeedsLittle(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	ada := r.person("Ada King", "+15550100123")
	got := r.ok(http.StatusCreated, http.MethodPost, "/api/v1/people/"+ada+"/schedules", `{"callType":"general","rrule":"FREQ=WEEKLY;BYDAY=MO","window":{"from":"15:00","to":"15:20"}}`)
	for path, want := range map[string]string{"essential": "false", "graceMinutes": "60", "jitterMinutes": "5", "endsOn": "", "next.#": "3"} {
		if v := got.get(path).String(); v != want {
			t.Errorf("%s = %s, want %s", path, v, want)
		}
	}
}

func TestScheduleProblems(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	ada := r.person("Ada King", "+15550100123")
	before := r.rows()
	for _, tt := range []struct{ name, body, at, says string }{
		{"hourly", `{"callType":"general","rrule":"FREQ=HOURLY","window":{"from":"09:00","to":"10:30"}}`, "body.rrule", "finer than daily"},
		{"over midnight", `{"callType":"general","rrule":"FREQ=DAILY","window":{"from":"22:00","to":"01:00"}}`, "body.window.to", "over midnight"},
		{"no clock", `{"callType":"general","rrule":"FREQ=DAILY","window":{"from":"9","to":"10:00"}}`, "body.window.from", "time of day"},
		{"never", `{"callType":"general","rrule":"FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30","window":{"from":"09:00","to":"10:30"}}`, "body.rrule", "no day"},
		{"another call", `{"callType":"prank","rrule":"FREQ=DAILY","window":{"from":"09:00","to":"10:30"}}`, "body.callType", "one of"},
		{"no day", daily + `,"startsOn":"tomorrow"}`, "body.startsOn", "is not a day"},
		{"ends first", daily + `,"startsOn":"2035-01-04","endsOn":"2035-01-03"}`, "body.endsOn", "before startsOn"},
		{"a week of grace", daily + `,"graceMinutes":10080}`, "body.graceMinutes", "from 0 to 720"},
	} {
		p := r.problem(http.StatusUnprocessableEntity, http.MethodPost, "/api/v1/people/"+ada+"/schedules", tt.body)
		if p.get("errors.0.location").String() != tt.at || !strings.Contains(p.get("errors.0.message").String(), tt.says) {
			t.Errorf("%s: %s, want %s: %s", tt.name, p.body, tt.at, tt.says)
		}
	}
	r.problem(http.StatusNotFound, http.MethodGet, "/api/v1/schedules/0190a7a2-0000-7000-8000-000000000000", "")
	r.problem(http.StatusNotFound, http.MethodDelete, "/api/v1/schedules/mine", "")
	if r.rows() != before {
		t.Error("a refused request has changed something")
	}
}

func TestPatchSchedule(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	ada := r.person("Ada King", "+15550100123")
	made := r.ok(http.StatusCreated, http.MethodPost, "/api/v1/people/"+ada+"/schedules", daily+`,"endsOn":"2099-01-05","graceMinutes":30}`)
	at := "/api/v1/schedules/" + made.get("id").String()
	changed := r.ok(http.StatusOK, http.MethodPatch, at, `{"rrule":"FREQ=WEEKLY;BYDAY=TU","graceMinutes":null,"endsOn":null}`, "If-Match", made.header.Get("ETag"))
	for path, want := range map[string]string{"rrule": "FREQ=WEEKLY;BYDAY=TU", "graceMinutes": "60", "endsOn": "", "window.from": "09:00", "essential": "true", "jitterMinutes": "15"} {
		if got := changed.get(path).String(); got != want {
			t.Errorf("%s = %s, want %s", path, got, want)
		}
	}
	r.problem(http.StatusPreconditionFailed, http.MethodPatch, at, `{"note":"late"}`, "If-Match", made.header.Get("ETag"))
	r.problem(http.StatusUnprocessableEntity, http.MethodPatch, at, `{"window":{"from":"23:00","to":"01:00"}}`)
	r.problem(http.StatusUnprocessableEntity, http.MethodPatch, at, `{"callType":null}`)
	if got := r.ok(http.StatusOK, http.MethodGet, at, ""); got.body != changed.body {
		t.Errorf("after refused changes: %s, want %s", got.body, changed.body)
	}
}

func TestPauseResumeRemoveSchedule(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	ada := r.person("Ada King", "+15550100123")
	made := r.ok(http.StatusCreated, http.MethodPost, "/api/v1/people/"+ada+"/schedules", daily+`}`)
	at := "/api/v1/schedules/" + made.get("id").String()
	statuses := func() string {
		t.Helper()
		from := time.Now().AddDate(0, 0, 1).UTC().Format(time.RFC3339)
		return r.ok(http.StatusOK, http.MethodGet, "/api/v1/occurrences?userId="+ada+"&from="+from, "").get("items.#.status").String()
	}
	planned := statuses()
	if !strings.Contains(planned, `["due","due"`) {
		t.Fatalf("planned %s", planned)
	}
	if got := r.ok(http.StatusOK, http.MethodPost, at+"/pause", ""); !got.get("paused").Bool() || got.get("next.#").Int() != 0 {
		t.Errorf("paused: %s", got.body)
	}
	if got := statuses(); got != strings.ReplaceAll(planned, "due", "skipped") {
		t.Errorf("paused: %s", got)
	}
	if got := r.ok(http.StatusOK, http.MethodPost, at+"/resume", ""); got.get("paused").Bool() || got.get("next.#").Int() != 3 {
		t.Errorf("resumed: %s", got.body)
	}
	if got := statuses(); got != planned {
		t.Errorf("resumed: %s", got)
	}
	r.ok(http.StatusNoContent, http.MethodDelete, at, "")
	r.problem(http.StatusNotFound, http.MethodGet, at, "")
	if got := statuses(); got != "[]" {
		t.Errorf("removed: %s", got)
	}
	if got := r.ok(http.StatusOK, http.MethodGet, "/api/v1/people/"+ada+"/schedules", ""); got.get("items").Raw != "[]" {
		t.Errorf("removed: %s", got.body)
	}
}

// What the next days bring is told for everybody, on their clocks, with what is left out.
func TestComingCalls(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	ada, bo := r.person("Ada King", "+15550100123"), r.person("Bo Example", "+15550100124")
	var made []string
	for _, id := range []string{ada, bo, bo} {
		made = append(made, r.ok(http.StatusCreated, http.MethodPost, "/api/v1/people/"+id+"/schedules", daily+`}`).get("id").String())
	}
	r.ok(http.StatusCreated, http.MethodPost, "/api/v1/people/"+ada+"/pauses", `{"indefinite":true,"reason":"hospital"}`)
	week := r.ok(http.StatusOK, http.MethodGet, "/api/v1/schedules/coming", "")
	if n := week.get("items.#").Int(); n != 21 {
		t.Errorf("a week of three schedules has %d calls: %s", n, week.body)
	}
	mine := r.ok(http.StatusOK, http.MethodGet, "/api/v1/schedules/coming?days=2&userId="+ada, "")
	for path, want := range map[string]string{
		"items.#": "2", "items.0.person": "Ada King", "items.0.userId": ada, "items.0.scheduleId": made[0], "items.0.callType": "health_check",
		"items.0.essential": "true", "items.0.leftOut": "calls are paused: hospital", "items.0.timezone": r.ok(http.StatusOK, http.MethodGet, "/api/v1/people/"+ada, "").get("timezone").String(),
	} {
		if got := mine.get(path).String(); got != want {
			t.Errorf("%s = %s, want %s", path, got, want)
		}
	}
	first := r.ok(http.StatusOK, http.MethodGet, "/api/v1/schedules?limit=2", "")
	next := r.ok(http.StatusOK, http.MethodGet, "/api/v1/schedules?limit=2&cursor="+first.get("nextCursor").String(), "")
	if got := first.get("items.#.id").String() + next.get("items.#.id").String(); got != `["`+made[0]+`","`+made[1]+`"]["`+made[2]+`"]` || next.get("nextCursor").Exists() {
		t.Errorf("by pages: %s, want %s", got, made)
	}
	if got := first.get("items.0.words").String(); got != "every day" {
		t.Errorf("the rule in words is %q", got)
	}
	for _, query := range []string{"/coming?days=0", "/coming?days=32", "/coming?userId=ada", "?cursor=x"} {
		r.problem(http.StatusUnprocessableEntity, http.MethodGet, "/api/v1/schedules"+query, "")
	}
}

func TestOccurrencesByPages(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	ada, bo := r.person("Ada King", "+15550100123"), r.person("Bo Example", "+15550100124")
	for _, id := range []string{ada, bo} {
		r.ok(http.StatusCreated, http.MethodPost, "/api/v1/people/"+id+"/schedules", daily+`}`)
	}
	all := r.ok(http.StatusOK, http.MethodGet, "/api/v1/occurrences", "")
	var paged []string
	for cursor := ""; ; {
		p := r.ok(http.StatusOK, http.MethodGet, "/api/v1/occurrences?limit=1&cursor="+cursor, "")
		for _, o := range p.get("items").Array() {
			paged = append(paged, o.Raw)
		}
		if cursor = p.get("nextCursor").String(); cursor == "" {
			break
		}
	}
	if got := "[" + strings.Join(paged, ",") + "]"; got != all.get("items").Raw || len(paged) < 6 {
		t.Errorf("by pages %s\nat once %s", got, all.body)
	}
	if got := r.ok(http.StatusOK, http.MethodGet, "/api/v1/occurrences?status=done", ""); got.get("items").Raw != "[]" {
		t.Errorf("done: %s", got.body)
	}
	r.problem(http.StatusUnprocessableEntity, http.MethodGet, "/api/v1/occurrences?userId=ada", "")
	r.problem(http.StatusUnprocessableEntity, http.MethodGet, "/api/v1/occurrences?cursor=x", "")
}
