package console

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const unasked = "0197a1b0-0000-7000-8000-000000000004" // a person who was not asked for consent yet

// Somebody records a consent to cognitive checks and a date of birth, corrects a score
// and takes the consent back, on a narrow page; the API hears exactly that.
func TestCognitionInABrowser(t *testing.T) {
	t.Parallel()
	chromium := browser(t)
	var mu sync.Mutex
	var called []string
	consents := []string{}
	r := answering(t)
	base := "/api/v1/people/" + unasked
	const checkOf = "/api/v1/calls/" + call + "/cognitive-check"
	task := `{"taskId": "six_item", "version": "1", "title": "Six-Item Screener", "form": "a", "status": "complete", "raw": 4, "max": 6, "confidence": 0.9, "evidence": []`
	answer := func(method, address string, body func(sent string) string) {
		r.MethodFunc(method, address, func(w http.ResponseWriter, req *http.Request) {
			b, _ := io.ReadAll(req.Body)
			mu.Lock()
			defer mu.Unlock()
			if method != http.MethodGet {
				called = append(called, method+" "+req.URL.String()+" "+string(b))
			}
			_, _ = io.WriteString(w, body(string(b)))
		})
	}
	always := func(text string) func(string) string { return func(string) string { return text } }
	answer(http.MethodGet, base, always(`{"id": "`+unasked+`", "name": "Ada King"}`))
	answer(http.MethodPatch, base, always(`{"id": "`+unasked+`", "name": "Ada King", "birthDate": "1941-03-29"}`))
	answer(http.MethodGet, base+"/consents", func(string) string { return `{"items": [` + strings.Join(consents, ",") + `]}` })
	answer(http.MethodPost, base+"/consents", func(string) string {
		consents = append(consents, `{"scope": "cognitive", "givenBy": "Ada", "how": "by telephone", "givenAt": "2026-11-20T09:30:00Z"}`)
		return consents[0]
	})
	answer(http.MethodDelete, base+"/consents/cognitive", func(string) string { consents = nil; return `{}` })
	answer(http.MethodGet, base+"/cognitive-trends", always(`[]`))
	answer(http.MethodGet, base+"/cognitive-checks", always(`[{"callId": "`+call+`", "status": "complete", "startedAt": "2026-11-20T09:30:00Z", "tasks": [`+task+`}]}]`))
	answer(http.MethodPost, checkOf+"/tasks/six_item/correction", func(sent string) string {
		var c map[string]any
		_ = json.Unmarshal([]byte(sent), &c)
		c["at"] = "2026-11-20T12:00:00Z"
		b, _ := json.Marshal(c)
		return task + `, "correction": ` + string(b) + `}`
	})
	withScript(r, "/cognition", "/", "cognition.js")
	srv := httptest.NewServer(r)
	t.Cleanup(srv.Close)
	page, _ := visitedAt(t, chromium, srv.URL+"/cognition#/people/"+unasked+"/cognition/"+call, "360,800")
	for _, want := range []string{"All steps were taken.", "6 of 6 By the rules 4 of 6; corrected to 6 of 6 by Ann, Nov 20, 2026, 12:00 PM: heard it", "There is nothing yet that can be followed over time."} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in %s", want, page)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	want := []string{
		"POST " + base + `/consents {"scope":"cognitive","givenBy":"Ada","how":"by telephone"}`,
		"PATCH " + base + ` {"birthDate":"1941-03-29"}`,
		"POST " + checkOf + `/tasks/six_item/correction {"raw":6,"by":"Ann","note":"heard it"}`,
		"DELETE " + base + "/consents/cognitive?by=admin&how=in+the+console ",
	}
	if diff := cmp.Diff(want, called); diff != "" {
		t.Errorf("what the API heard (-want +got):\n%s", diff)
	}
}

// A call shows how far its cognitive check is: the newest turn counts, not one that is
// told late.
func TestTasksOfACallInABrowser(t *testing.T) {
	t.Parallel()
	chromium := browser(t)
	r := answering(t)
	const talked = "0197a1b0-1111-7000-8000-000000000004"
	turn := func(place int, note string) string {
		return fmt.Sprintf(`{"kind": "turn", "at": "2026-11-22T09:00:0%dZ", "data": {"place": %d, "attempt": 1, "cognitive": %s}}`, place, place, note)
	}
	events := []string{turn(1, `{"phase": "opening", "done": 0, "of": 0}`), turn(3, `{"phase": "task", "task": "digits_back", "done": 2, "of": 9}`), turn(2, `{"phase": "hearing", "done": 0, "of": 9}`)}
	stream := func(w http.ResponseWriter, req *http.Request, events []string) {
		if req.Header.Get("Last-Event-ID") != "" {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		for i, e := range events {
			kind, _, _ := strings.Cut(strings.TrimPrefix(e, `{"kind": "`), `"`)
			_, _ = fmt.Fprintf(w, "id: %d\nevent: %s\ndata: %s\n\n", i+1, kind, e)
		}
	}
	const over = "0197a1b0-1111-7000-8000-000000000005"
	for id, events := range map[string][]string{talked: events, over: append(slices.Clone(events), `{"kind": "ended", "at": "2026-11-22T09:01:00Z", "data": {"outcome": "reached", "cause": "goodbye", "by": "naiber"}}`, `{"kind": "cognitive_check", "at": "2026-11-22T09:01:01Z", "data": {"status": "partial", "done": 3, "of": 9}}`)} {
		r.Get("/api/v1/calls/"+id, func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `{"id": "`+id+`", "userId": "`+elder+`"}`)
		})
		r.Get("/api/v1/calls/"+id+"/events", func(w http.ResponseWriter, req *http.Request) { stream(w, req, events) })
	}
	srv := httptest.NewServer(r)
	t.Cleanup(srv.Close)
	for id, want := range map[string]string{
		talked: "Cognitive check 2 of 9 tasks done Task: digits back",
		over:   "Cognitive check 3 of 9 tasks done The call is over. The check: unfinished.",
	} {
		if page, _ := visited(t, chromium, srv.URL+"/#/calls/"+id); !strings.Contains(page, want) {
			t.Errorf("no %q in %s", want, page)
		}
	}
}
