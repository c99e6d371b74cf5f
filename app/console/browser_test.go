package console

import (
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/go-chi/chi/v5"
)

const (
	elder  = "0197a1b0-0000-7000-8000-000000000001"
	nobody = "0197a1b0-0000-7000-8000-00000000ffff"
	call   = "0197a1b0-1111-7000-8000-000000000001"
)

// The pages as a browser shows them, over answers of the API that are kept in
// testdata: what was said there holds markup, which must stay text.
func TestPagesInABrowser(t *testing.T) {
	t.Parallel()
	chromium := browser(t)
	r := answering(t)
	newMemoryAPI(t).mount(r, elder)
	newCouncilAPI().mount(r)
	refusing(r)
	srv := httptest.NewServer(r)
	t.Cleanup(srv.Close)
	for _, tt := range []struct {
		name, address string
		want          []string
		not           []string
	}{
		{
			"a call's health check", "/#/calls/" + call,
			[]string{
				"7.0 s answered 9.0 s Rose: Who is that? 21.0 s turn 2", // it was written last, and said then
				"6 of 10 answered", "The call is over. The check was broken off. Left open: Falls",
				"Energy 4 answered 86 % rules",
				"Sleep 10 9 corrected answered 97 % rules", // 7 was of a turn that was replaced
				"Down, depressed or hopeless – preferred not to say", "Where does it hurt? given answered",
				"Medication yes answered",           // what was not understood later takes nothing back
				"Appetite 6 by keypad 100 % keypad", // not understood before
			},
			[]string{"Sleep 7", "not understood", "in an earlier call"},
		},
		{
			"a person's health checks", "/#/people/" + elder,
			[]string{
				"Health checks of Rose Hartley", "complete, 7 of 10 answered", "broken off, and gone on with in a later call, 1 of 1 answered",
				"Nov 21, 2026, 9:30 AM under way, 1 of 2 answered", "Sleep 10 9 answered", "Little interest or pleasure a few days answered", "Weight 62.5 kg answered", "“ten! no, say nine”", "My left <b>knee</b>", "Plans – not reached",
				"STEADI: three key questions: 2 of 3, positive. A reason to look closer; not a diagnosis.",
				"no total, 1 of 2 items answered", "Lower than usual for Rose: 3,", "Slowly rising for Rose",
				"Energy How is your energy today, on a scale from 1 to 10? (drawn) Shaded: usual, 5.2 to 8.8; the line within is the middle (7, give or take 0.8)",
				"Medication Have you taken your medication today? (drawn) From the last 13 answers.",
				"Higher than usual for Rose: “nearly every day”, where “not at all” to “several days” would be expected",
				"the line within is the middle (between not at all and several days) of 6 answers.",
				"Nov 20, 2026, 9:30 AM nearly every day Nov 19, 2026, 9:30 AM several days",
				"Breathing How is your breathing? 5. Too few earlier answers", // a single answer is no line
			},
			[]string{"NaN", "undefined", "1/1/1"},
		},
		{
			"a person's cognitive checks", "/#/people/" + elder + "/cognition",
			[]string{
				"Cognitive checks of Rose Hartley", "Rose <b>herself</b> agreed to cognitive checks on Mar 10, 2026 (on paper).",
				"Six-Item Screener memory, 8 checks (drawn) Shaded: where a score would lie without change. It starts from this person’s own first checks (5.6, give or take 0.6). A change worth discussing with a clinician. reliable-change index −2.8, confidence 86 %",
				"Oct 20, 2026, 10:30 AM 2 4.4 to 6.8", "Mar 20, 2026, 9:30 AM 6 –",
				"Everything together 8 checks, 0 is where it began, 1 the usual variation of one score (drawn)", "No reliable change. reliable-change index −0.1", "An improvement beyond chance.",
				"Numbers backwards attention, 2 checks (drawn) Too early to say.", "Everyday questions reasoning, one check Too early to say.",
				"Nov 20, 2026, 9:30 AM unfinished, 2 of 5 tasks", "What may have disturbed it poor sleep: “I hardly <b>slept</b>” somebody was there",
				"Six-Item Screener 4 of 6 complete, 41 s, form b, confidence: 72 %", "recall “tabel” yes, another form of the word recall “apple” no, not among what was asked for",
				"Naming animals 15 By the rules 14; corrected to 15 by Ann Lee, Nov 20, 2026, 11:00 AM: she said <u>gnu</u>",
				"“the dog” no, said before", "(words that may not be kept) no, after the time was over",
				"Numbers backwards no score void: somebody helped with the answers, form a Words with a letter no score the person did not want it", "The story, later no score not reached",
				"Nov 13, 2026, 9:30 AM postponed, it was no good moment The call What was in the way noise: “they are drilling next door”",
				"It does not diagnose",
			},
			[]string{"NaN", "undefined", "null", "1/1/1", "There is no consent"},
		},
		{"an address that leads nowhere", "/#/people/nonsense", []string{"404: there is nothing here", "#/people/nonsense names no call and no person"}, []string{"Health checks Loading", "undefined"}},
		{"nobody's id", "/#/people/" + nobody, []string{"404: there is nothing here", "#/people/" + nobody}, []string{"undefined"}},
		{
			"a person's memory", "/#/people/" + elder + "/memory",
			[]string{
				"Memory of Rose Hartley", "My sister <b>June</b> comes on Sunday. Rose, Nov 20, 2026, 9:31 AM · The call Forget",
				"I will ask you about your sister. nAIber, Nov 20, 2026, 9:32 AM Forget",
				"Rose has a sister, June. family · true since Nov 20, 2026, still true · sure: 92 % Forget",
				"Rose lives in Leeds. places · true since Jan 5, 2026, until Oct 1, 2026 · to be looked at again: something it rests on has changed · sure: 50 % Forget",
				"Ask how Sunday was due Nov 23, 2026 · open Drop", "Wish a happy birthday due at the next call · again and again · kept",
				"the war kept, but never brought up, as Rose wishes, since Nov 1, 2026 Lift", "To forget everything, type the name Rose Hartley",
			},
			[]string{"NaN", "undefined", "The best first"},
		},
		{"a line of a call", "/#/calls/" + call + "/lines/3", []string{"9.0 s Rose: Who is that? 21.0 s turn 2"}, []string{"not on record"}},
		{"a line that the timeline lacks", "/#/calls/" + call + "/lines/2", []string{"7.0 s answered Rose: A line that the timeline <b>lacks</b>. 9.0 s"}, []string{"not on record"}},
		{
			"the council's discussions", "/#/people/" + elder + "/council",
			[]string{"Care council for Rose Hartley", "Why does <b>Rose</b> sleep badly? Nov 21, 2026, 10:00 AM · waits for an answer", "What is on record Nov 20, 2026, 10:00 AM · has broken off"},
			[]string{"undefined", "Nothing was discussed yet"},
		},
		{
			"a discussion", "/#/people/" + elder + "/council/" + discussion,
			[]string{
				"Why does <b>Rose</b> sleep badly? Begun Nov 21, 2026, 10:00 AM This discussion waits for an answer.",
				"Analyzer what the record shows Rose asked who that was [ C1:3 ].", "low for her [ A2 , T1 ]. She never sleeps a whole night. She has a sister. [ M1 ]",
				"Solver what could be done nAIber could ask about <i>waking</i> in the next health check [ A2 ].", "Moderator what it comes to Two things can be agreed on.",
				"Round 2 Asked by the carers: Does her <b>tea</b> matter?", "The record says a lot incomplete: the message was broken off",
				"Agreed Her energy is low [ A2 ].", "Open Whether she wakes [ C8:1 ].", "Ask whether she wakes at night. To ask in the next health check Confirm Dismiss",
				"Tell her daughter. For somebody to do confirmed by Ann : on Monday", "The council asks: Does she drink <b>tea</b> at night? Your answer",
			},
			[]string{"undefined", "NaN", "The connection is lost"},
		},
		{
			"a memory without consent", "/#/people/" + unwilling + "/memory",
			[]string{"Memory of Walter Boyd", "Walter Boyd has not agreed to being remembered, or has taken it back.", "There are none.", "Forget everything"},
			[]string{"Nothing is remembered yet", "undefined", "of the scope memory first"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			page, log := visited(t, chromium, srv.URL+tt.address)
			for _, want := range tt.want {
				if !strings.Contains(page, want) {
					t.Errorf("no %q", want)
				}
			}
			for _, not := range tt.not {
				if strings.Contains(page, not) {
					t.Errorf("there is %q", not)
				}
			}
			if bad := regexp.MustCompile(`(?m)^.*(CONSOLE.*(?:rror|Security Policy|refused)).*$`).FindString(log); bad != "" {
				t.Errorf("the browser complains: %s", bad)
			}
			if t.Failed() {
				t.Log(page)
			}
		})
	}
}

// The reference of the API draws itself and offers to try requests, with nothing
// from elsewhere and nothing that its policy forbids.
func TestReferenceInABrowser(t *testing.T) {
	t.Parallel()
	chromium := browser(t)
	r := answering(t)
	r.Get("/openapi.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"openapi": "3.1.0", "info": {"title": "nAIber", "version": "1"}, "servers": [{"url": "/"}],
			"components": {"securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}}}, "security": [{"bearer": []}],
			"paths": {"/api/v1/people": {"get": {"operationId": "list-people", "summary": "List people", "tags": ["people"], "responses": {"200": {"description": "OK"}}}}}}`))
	})
	srv := httptest.NewServer(r)
	t.Cleanup(srv.Close)
	page, log := visited(t, chromium, srv.URL+"/docs#/operations/list-people")
	for _, want := range []string{"List people", "--url " + srv.URL + "/api/v1/people", "Send API Request", "Token", "Bearer Auth"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in %s", want, page)
		}
	}
	if bad := regexp.MustCompile(`(?m)^.*(CONSOLE.*(?:rror|Security Policy|refused|Failed)).*$`).FindString(log); bad != "" {
		t.Errorf("the browser complains: %s", bad)
	}
}

// browser is Chromium's path. Without it there is nothing to see, which CI does not accept.
func browser(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			return found
		}
	}
	if os.Getenv("CI") == "true" { //nolint:forbidigo // a test says itself what CI must have
		t.Fatal("chromium is not installed")
	}
	t.Skip("chromium is not installed: the pages are not looked at")
	return ""
}

var (
	invisible = regexp.MustCompile(`(?s)<(script|style|head)\b.*?</(?:script|style|head)>`)
	tag       = regexp.MustCompile(`<[^>]*>`)
)

// visited is the text of a page once its scripts have run, and what the browser logged.
func visited(t *testing.T, chromium, address string) (text, log string) {
	t.Helper()
	return visitedAt(t, chromium, address, "1400,2000")
}

// visitedAt is the same in a window of a size, with more flags for the browser.
func visitedAt(t *testing.T, chromium, address, size string, flags ...string) (text, log string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "browser") //nolint:usetesting // what Chromium leaves behind may still write there, which must not fail the test
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	var stderr strings.Builder
	flags = append(flags, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
		"--user-data-dir="+dir, "--window-size="+size, "--lang=en-US", "--enable-logging=stderr", "--virtual-time-budget=10000", "--dump-dom", address)
	cmd := exec.CommandContext(t.Context(), chromium, flags...)
	cmd.Env = append(os.Environ(), "TZ=UTC", "LANGUAGE=en_US", "LANG=en_US.UTF-8") // as the times here are written
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("chromium: %v\n%s", err, stderr.String())
	}
	page := invisible.ReplaceAllString(string(out), " ")
	page = strings.NewReplacer("<q>", "“", "</q>", "”", "<canvas", "(drawn)<canvas").Replace(page)
	return strings.Join(strings.Fields(html.UnescapeString(tag.ReplaceAllString(page, " "))), " "), stderr.String()
}

// answering is the console beside an API that gives the answers in testdata.
func answering(t *testing.T) chi.Router {
	t.Helper()
	return answeringAs(t, Config{})
}

func answeringAs(t *testing.T, cfg Config) chi.Router {
	t.Helper()
	r := chi.NewRouter()
	if err := Mount(r, cfg, newGuard("", true)); err != nil {
		t.Fatal(err)
	}
	r.Get("/api/v1/people/"+nobody, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write([]byte(`{"title": "Not Found", "status": 404, "detail": "Nobody is known by this id."}`))
	})
	for address, file := range map[string]string{
		"/status": "status.json", "/api/v1/people": "people.json", "/api/v1/people/" + elder: "person.json",
		"/api/v1/people/" + elder + "/health-checks": "health-checks.json", "/api/v1/people/" + elder + "/trends": "trends.json",
		"/api/v1/people/" + elder + "/cognitive-checks": "cognitive-checks.json", "/api/v1/people/" + elder + "/cognitive-trends": "cognitive-trends.json",
		"/api/v1/people/" + elder + "/consents": "consents.json",
		"/api/v1/calls":                         "calls.json", "/api/v1/calls/" + call: "call.json",
	} {
		r.Get(address, func(w http.ResponseWriter, req *http.Request) {
			if strings.HasSuffix(address, "/health-checks") {
				w.Header().Set("Link", `<`+address+`?limit=10&cursor=c>; rel="next"`)
			}
			http.ServeFile(w, req, path.Join("testdata", file))
		})
	}
	for _, address := range []string{"/api/v1/alerts/standing", "/api/v1/schedules/coming"} {
		r.Get(address, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"items": []}`) })
	}
	r.Get("/api/v1/calls/"+call+"/events", func(w http.ResponseWriter, req *http.Request) {
		if req.Header.Get("Last-Event-ID") != "" {
			w.WriteHeader(http.StatusNoContent) // the end: a browser asks no more
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		text, _ := os.ReadFile("testdata/events.txt")
		_, _ = w.Write(text)
	})
	return r
}
