package console

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

const (
	away    = "0197a1b0-0000-7000-8000-000000000003" // a person in another time zone than the browser
	resumed = "0197a1b0-1111-7000-8000-000000000003" // a call that went on with an earlier check
)

// What was seen wrong in a browser: times of another zone, a count without its
// rows, and sections out of view.
func TestWhereAndWhenInABrowser(t *testing.T) {
	t.Parallel()
	chromium := browser(t)
	r := answering(t)
	m := newMemoryAPI(t)
	m.mount(r, elder)
	m.mount(r, away)
	withScript(r, "/narrow", "/", "narrow.js")
	say := func(address, kind, text string) {
		r.Get(address, func(w http.ResponseWriter, req *http.Request) {
			if req.Header.Get("Last-Event-ID") != "" {
				w.WriteHeader(http.StatusNoContent)
				return
			}
			w.Header().Set("Content-Type", kind)
			_, _ = io.WriteString(w, text)
		})
	}
	base := "/api/v1/people/" + away
	say(base, "application/json", `{"id": "`+away+`", "name": "Ada King", "timezone": "America/St_Johns"}`)
	say(base+"/health-checks", "application/json", `[{"callId": "`+resumed+`", "status": "completed", "startedAt": "2026-11-22T02:30:00Z", "endedAt": "2026-11-22T02:40:00Z", "answers": []}]`)
	say(base+"/trends", "application/json", `{"items": []}`)
	say("/api/v1/calls/"+resumed, "application/json", `{"id": "`+resumed+`", "userId": "`+away+`"}`)
	say("/api/v1/calls/"+resumed+"/health-check", "application/json", `{"answers": [
		{"questionId": "energy", "short": "Energy", "type": "scale", "status": "answered", "value": 4, "confidence": 0.9, "source": "rules", "carried": true},
		{"questionId": "plans", "short": "Plans", "type": "text", "status": "answered", "value": "the <b>garden</b>", "confidence": 0.9, "source": "rules", "carried": true},
		{"questionId": "falls", "short": "Falls", "type": "boolean", "status": "not_reached", "value": null, "carried": false}]}`)
	say("/api/v1/calls/"+resumed+"/events", "text/event-stream", `id: 1
event: turn
data: {"id": 1, "kind": "turn", "at": "2026-11-22T02:30:00Z", "data": {"place": 2, "attempt": 1, "health": {"phase": "closing", "resumed": true, "answered": 3, "of": 4, "readings": [{"questionId": "sleep", "short": "Sleep", "status": "answered", "value": 7, "confidence": 0.9, "source": "rules"}]}}}

id: 2
event: ended
data: {"id": 2, "kind": "ended", "at": "2026-11-22T02:31:00Z", "data": {"outcome": "reached", "cause": "goodbye", "by": "naiber"}}

id: 3
event: health_check
data: {"id": 3, "kind": "health_check", "at": "2026-11-22T02:31:01Z", "data": {"status": "stopped", "answered": 3, "of": 4}}

`)
	srv := httptest.NewServer(r)
	t.Cleanup(srv.Close)
	for address, wants := range map[string][]string{
		"/#/people/" + away + "/memory": {"Times are those of America/St_Johns.", "Nov 20, 2026, 6:01 AM"},
		"/#/people/" + away:             {"Times are those of America/St_Johns.", "Nov 21, 2026, 11:00 PM complete"},
		"/#/calls/" + resumed: {
			"3 of 4 answered, 2 of them in an earlier call", "The call is over. The check ended early, as the person wished.",
			"Energy 4 answered in an earlier call", "Plans given answered in an earlier call", "Sleep 7 answered 90 %",
		},
		"/narrow": {"All steps were taken."},
	} {
		size := "1400,2000"
		if address == "/narrow" {
			size = "390,844"
		}
		page, _ := visitedAt(t, chromium, srv.URL+address, size)
		for _, want := range wants {
			if !strings.Contains(page, want) {
				t.Errorf("%s: no %q in %s", address, want, page)
			}
		}
	}
}
