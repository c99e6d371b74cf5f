package console

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/google/go-cmp/cmp"
)

const (
	fallen    = "0197a1b0-8888-7000-8000-000000000001"
	operators = "0197a1b0-8888-7000-8000-000000000002"
	daily     = "0197a1b0-9999-7000-8000-000000000001"
)

// careAPI answers as the API does for two alerts and one schedule, and notes what it was
// asked to change. The first acknowledgement comes too late: Tom was first.
type careAPI struct {
	mu     sync.Mutex
	alerts []map[string]any
	paused bool
	called []string
}

func newCareAPI() *careAPI {
	at := time.Now().Add(-25 * time.Minute).UTC().Format(time.RFC3339)
	notices := []map[string]any{
		{"to": "Tom <b>King</b>", "channel": "sms", "address": "+15550100124", "status": "delivered", "sentAt": "2026-11-20T09:31:00Z", "deliveredAt": "2026-11-20T09:31:02Z"},
		{"to": "Tom <b>King</b>", "channel": "call", "address": "+15550100124", "status": "failed", "sentAt": "2026-11-20T09:31:00Z", "detail": "no answer"},
	}
	return &careAPI{alerts: []map[string]any{
		{
			"id": fallen, "userId": elder, "callId": call, "turn": 4, "tier": 4, "kind": "fall_stuck", "what": "a fall, and cannot get up", "quote": "Who is <i>that</i>?", "why": "lexicon",
			"status": "notified", "createdAt": at, "nextAt": "2026-11-20T09:41:00Z", "nextTo": []map[string]any{{"to": "Ruth", "channels": []string{"call", "sms"}}}, "notices": notices,
			"events": []map[string]any{{"kind": "raised", "at": at, "detail": "lexicon"}, {"kind": "opened", "at": "2026-11-20T09:32:00Z", "by": "Tom <b>King</b>", "detail": "sms"}, {"kind": "replied", "at": "2026-11-20T09:33:00Z", "by": "Tom <b>King</b>", "detail": "which <u>one</u>?"}},
		},
		{"id": operators, "tier": 2, "kind": "operator_queue", "what": "nAIber needs an operator: queue", "quote": "", "why": "", "status": "acknowledged", "acknowledgedBy": "Ann", "acknowledgedAt": at, "createdAt": at, "notices": []any{}, "events": []any{}},
	}}
}

func (c *careAPI) mount(r chi.Router) {
	answer := func(v any) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { _ = json.NewEncoder(w).Encode(v) }
	}
	r.Get("/api/v1/alerts/standing", func(w http.ResponseWriter, _ *http.Request) {
		c.mu.Lock()
		defer c.mu.Unlock()
		standing := []any{}
		for _, a := range c.alerts {
			if a["status"] != "closed" {
				standing = append(standing, a)
			}
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"items": standing})
	})
	r.Get("/api/v1/alerts", answer(map[string]any{"items": []map[string]any{{
		"id": "0197a1b0-8888-7000-8000-000000000003", "userId": elder, "tier": 1, "kind": "mood", "what": "something that needs a person", "quote": "", "status": "closed",
		"closedBy": "Ann", "outcome": "Spoke with <b>her</b>.", "createdAt": "2026-11-01T08:00:00Z", "notices": []any{},
	}}}))
	r.Get("/api/v1/alerts/{id}", c.alert)
	r.Post("/api/v1/alerts/{id}/{verb}", c.settle)
	schedule := func() map[string]any {
		return map[string]any{
			"id": daily, "userId": elder, "callType": "health_check", "rrule": "FREQ=WEEKLY;BYDAY=MO,TH", "words": "every Monday and Thursday", "window": map[string]string{"from": "09:00", "to": "10:30"}, "jitterMinutes": 15,
			"essential": true, "graceMinutes": 60, "startsOn": "2026-11-01", "note": "the <b>front</b> room", "paused": c.paused, "next": []string{"2026-11-23T09:03:00Z"},
		}
	}
	lists := func(w http.ResponseWriter, _ *http.Request) {
		c.mu.Lock()
		defer c.mu.Unlock()
		_ = json.NewEncoder(w).Encode(map[string]any{"items": []any{schedule()}})
	}
	base := "/api/v1/people/" + elder
	r.Get(base+"/schedules", lists)
	r.Get("/api/v1/schedules", lists)
	r.Get("/api/v1/schedules/"+daily, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("ETag", `"now"`)
		_ = json.NewEncoder(w).Encode(schedule())
	})
	r.Get("/api/v1/schedules/coming", answer(map[string]any{"items": []map[string]any{
		{"person": "Rose Hartley", "userId": elder, "timezone": "Europe/London", "scheduleId": daily, "due": "2026-11-23T09:03:00Z", "callType": "health_check", "essential": true, "leftOut": "calls are paused: in <b>hospital</b>"},
		{"person": "Rose Hartley", "userId": elder, "timezone": "Europe/London", "scheduleId": daily, "due": "2026-11-26T09:07:00Z", "callType": "health_check", "essential": true},
	}}))
	r.Get(base+"/pauses", answer(map[string]any{"items": []map[string]any{{"id": "p1", "startsAt": "2026-11-20T08:00:00Z", "endsAt": "2026-11-24T00:00:00Z", "reason": "in <b>hospital</b>"}}}))
	r.Get("/api/v1/occurrences", answer(map[string]any{"items": []map[string]any{
		{"id": "o1", "scheduleId": daily, "userId": elder, "callType": "health_check", "essential": true, "due": "2026-11-16T09:03:00Z", "status": "done", "attempts": 1, "callIds": []string{call}},
		{"id": "o2", "scheduleId": daily, "userId": elder, "callType": "health_check", "essential": true, "due": "2026-11-19T09:03:00Z", "status": "escalated", "why": "no answer, 3 tries", "attempts": 3, "callIds": []string{}},
	}}))
	r.Post(base+"/schedules", c.refuseOnce)
	r.Post(base+"/pauses", func(w http.ResponseWriter, req *http.Request) {
		c.note(req)
		w.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(w, "{}")
	})
	r.Patch("/api/v1/schedules/"+daily, func(w http.ResponseWriter, req *http.Request) { c.note(req); _ = json.NewEncoder(w).Encode(schedule()) })
	r.Delete("/api/v1/schedules/"+daily, func(w http.ResponseWriter, req *http.Request) { c.note(req); w.WriteHeader(http.StatusNoContent) })
	r.Post("/api/v1/schedules/"+daily+"/{verb}", func(w http.ResponseWriter, req *http.Request) {
		c.note(req)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.paused = chi.URLParam(req, "verb") == "pause"
		_ = json.NewEncoder(w).Encode(schedule())
	})
}

func (c *careAPI) note(r *http.Request) {
	b, _ := io.ReadAll(r.Body)
	c.mu.Lock()
	defer c.mu.Unlock()
	line := r.Method + " " + strings.TrimPrefix(r.URL.Path, "/api/v1/") + " " + string(b)
	if tag := r.Header.Get("If-Match"); tag != "" {
		line += " if " + tag
	}
	c.called = append(c.called, line)
}

// find returns an alert by its id, or nil.
func (c *careAPI) find(id string) map[string]any {
	for _, a := range c.alerts {
		if a["id"] == id {
			return a
		}
	}
	return nil
}

func (c *careAPI) alert(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	a := c.find(chi.URLParam(r, "id"))
	if a == nil {
		problem(w, http.StatusNotFound, "Not found.")
		return
	}
	_ = json.NewEncoder(w).Encode(a)
}

func (c *careAPI) settle(w http.ResponseWriter, r *http.Request) {
	var in map[string]string
	b, _ := io.ReadAll(r.Body)
	_ = json.Unmarshal(b, &in)
	c.mu.Lock()
	defer c.mu.Unlock()
	id, verb := chi.URLParam(r, "id"), chi.URLParam(r, "verb")
	c.called = append(c.called, verb+" "+string(b))
	a := c.find(id)
	switch {
	case verb == "acknowledge" && in["by"] != "Tom":
		a["status"], a["acknowledgedBy"], a["acknowledgedAt"] = "acknowledged", "Tom", "2026-11-20T09:35:00Z"
		delete(a, "nextAt")
		problem(w, http.StatusConflict, "Somebody else has acknowledged this alert; it says who.")
		return
	case in["outcome"] == "?":
		problem(w, http.StatusUnprocessableEntity, "Not valid.", "body.outcome", "says nothing")
		return
	case verb == "close":
		a["status"], a["closedBy"], a["outcome"] = "closed", in["by"], in["outcome"]
	}
	_ = json.NewEncoder(w).Encode(a)
}

// refuseOnce takes no window that ends before it begins.
func (c *careAPI) refuseOnce(w http.ResponseWriter, r *http.Request) {
	c.note(r)
	c.mu.Lock()
	defer c.mu.Unlock()
	if strings.Contains(c.called[len(c.called)-1], `"to":"08:00"`) {
		problem(w, http.StatusUnprocessableEntity, "Not valid.", "body.window.to", "must be later than window.from")
		return
	}
	w.WriteHeader(http.StatusCreated)
	_, _ = io.WriteString(w, "{}")
}

// problem answers as the API does where something is wrong, at fields with words.
func problem(w http.ResponseWriter, status int, detail string, fields ...string) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	errs := []map[string]string{}
	for i := 0; i < len(fields); i += 2 {
		errs = append(errs, map[string]string{"location": fields[i], "message": fields[i+1]})
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"title": http.StatusText(status), "status": status, "detail": detail, "errors": errs})
}

// What is urgent is on every page; alerts and schedules say in words how things stand.
func TestCareInABrowser(t *testing.T) {
	t.Parallel()
	chromium := browser(t)
	minutes := regexp.MustCompile(`\b(2[5-9]|3\d) min ago`)
	r := answering(t)
	newCareAPI().mount(r)
	srv := httptest.NewServer(r)
	t.Cleanup(srv.Close)
	for address, wants := range map[string][]string{
		"/": {"Alerts (2)", "Tier 4: now Rose Hartley: a fall, and cannot get up . Nobody sees to it yet."},
		"/#/alerts": {
			"Tier 4: now Rose Hartley: a fall, and cannot get up “Who is <i>that</i>?” 25 min ago · nobody sees to it yet; being told: Tom <b>King</b> (text message delivered)",
			"Tier 2: same day nAIber needs an operator: queue 25 min ago · Ann sees to it",
		},
		"/#/alerts/" + fallen: {
			"Rose Hartley: a fall, and cannot get up All alerts", "Who is <i>that</i>?", "Why it is an alert: lexicon", "The call , turn 4", "Last known OK: no call on record.",
			"Tom <b>King</b> , text message: delivered +15550100124 · sent Nov 20, 2026, 9:31:00 AM UTC · delivered Nov 20, 2026, 9:31:02 AM UTC · link opened Nov 20, 2026, 9:32:00 AM UTC · replied Nov 20, 2026, 9:33:00 AM UTC",
			"telephone call: failed (no answer)", "At Nov 20, 2026, 9:41:00 AM UTC nAIber tells Ruth (telephone call, text message), unless somebody acknowledges before.",
			"Tom <b>King</b> replied: which <u>one</u>?", "Times are those of UTC, where this browser is.",
		},
		"/#/alerts/" + nobody: {"404: there is nothing here"},
		"/#/people/" + elder:  {"Alerts : 2 open", "Last known OK: no call on record.", "Next call : Thu, Nov 26, 9:07 AM"},
		"/#/people/" + elder + "/schedules": {
			"Schedules of Rose Hartley", "health check, every Monday and Thursday, 09:00 to 10:30", "must not be missed, made up until 60 min after the window · the <b>front</b> room Edit Pause Delete",
			"All calls are paused until Tue, Nov 24, 12:00 AM GMT, in <b>hospital</b> Lift", "Mon, Nov 23, 9:03 AM GMT Rose Hartley health check, must not be missed Left out: calls are paused: in <b>hospital</b>",
			"Thu, Nov 19, 9:03 AM GMT Rose Hartley missed; an alert was raised , health check no answer, 3 tries alerts", "Mon, Nov 16, 9:03 AM GMT Rose Hartley done , health check call 1",
		},
		"/#/schedules": {"Rose Hartley Last known OK: no call on record. health check, every Monday and Thursday", "All calls are paused until Tue, Nov 24", "missed; an alert was raised"},
	} {
		page, log := visited(t, chromium, srv.URL+address)
		page = minutes.ReplaceAllString(page, "25 min ago") // a busy machine takes its time
		for _, want := range wants {
			if !strings.Contains(page, want) {
				t.Errorf("%s: no %q in %s", address, want, page)
			}
		}
		if strings.Contains(page, "undefined") || strings.Contains(page, "Invalid Date") || strings.Contains(log, "Security Policy") {
			t.Errorf("%s: %s\n%s", address, page, log)
		}
	}
}

// Somebody acknowledges too late, closes what another took, adds, changes, pauses, resumes
// and deletes a schedule, on a narrow page; what the API refuses stands at the field.
func TestCareIsTakenInABrowser(t *testing.T) {
	t.Parallel()
	chromium := browser(t)
	c := newCareAPI()
	r := answering(t)
	c.mount(r)
	withScript(r, "/care", "/", "care.js")
	srv := httptest.NewServer(r)
	t.Cleanup(srv.Close)
	page, _ := visitedAt(t, chromium, srv.URL+"/care#/alerts", "360,800")
	if !strings.Contains(page, "All steps were taken.") {
		t.Errorf("the steps were not taken: %s", page)
	}
	at := "POST people/" + elder + "/schedules "
	want := []string{
		`acknowledge {"by":"Ruth","note":"driving there"}`, `close {"by":"Ruth","outcome":"?"}`, `close {"by":"Ruth","outcome":"She is fine."}`,
		at + `{"callType":"general","rrule":"FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR","window":{"from":"09:00","to":"08:00"}}`,
		at + `{"callType":"general","rrule":"FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR","window":{"from":"09:00","to":"10:00"}}`,
		`PATCH schedules/` + daily + ` {"callType":"health_check","rrule":"FREQ=DAILY;INTERVAL=2","window":{"from":"09:00","to":"10:30"},"essential":true,"jitterMinutes":null,"graceMinutes":60,"startsOn":"2026-11-01","endsOn":null,"note":"the <b>front</b> room"} if "now"`,
		`POST schedules/` + daily + `/pause `, `POST schedules/` + daily + `/resume `, `DELETE schedules/` + daily + ` `,
		`POST people/` + elder + `/pauses {"endsAt":"2026-12-01T00:00:00.000Z","reason":"on holiday"}`,
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if diff := cmp.Diff(want, c.called); diff != "" {
		t.Errorf("what the API heard (-want +got):\n%s", diff)
	}
}

// A page that cannot know whether somebody needs help says so.
func TestAlertsThatCannotBeReadAreTold(t *testing.T) {
	t.Parallel()
	chromium := browser(t)
	r := chi.NewRouter()
	r.Use(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			if req.URL.Path == "/api/v1/alerts/standing" {
				problem(w, http.StatusServiceUnavailable, "The database does not answer.")
				return
			}
			next.ServeHTTP(w, req)
		})
	})
	r.Mount("/", answering(t))
	srv := httptest.NewServer(r)
	t.Cleanup(srv.Close)
	if page, _ := visited(t, chromium, srv.URL+"/#/schedules"); !strings.Contains(page, "Alerts cannot be read: The database does not answer.") {
		t.Errorf("it does not say so: %s", page)
	}
}
