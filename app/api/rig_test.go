package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/tidwall/gjson"

	"github.com/naiber/naiber/jobs/escalation"
	"github.com/naiber/naiber/jobs/schedule"
	"github.com/naiber/naiber/jobs/webhook"
	"github.com/naiber/naiber/memory/service"
	"github.com/naiber/naiber/memory/vectors"
	"github.com/naiber/naiber/personas/health/packs"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/alerts"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/checks"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/store/storetest"
	"github.com/naiber/naiber/telephony"
	"github.com/naiber/naiber/telephony/prompts"
	"github.com/naiber/naiber/telephony/twilio"
)

const bearer = "token-of-the-api"

// rig is the API on a real database and real telephony, with a stand-in for
// Twilio's REST API.
type rig struct {
	t       testing.TB
	st      *store.Store
	calls   *telephony.Service
	url     string
	client  *http.Client
	done    chan struct{}
	log     *logBook
	state   *states
	refuses *atomic.Int64                 // Twilio's error code for every new call; 0: none
	made    *atomic.Int64                 // calls that Twilio was asked to create
	running *atomic.Pointer[checks.Check] // the check that is under way, if any
	memory  *service.Service
	// mayBeTold says who may be told of alerts; everybody where it holds none.
	mayBeTold *atomic.Pointer[escalation.Escalation]
}

// questions are the packs that are built in.
var questions = sync.OnceValues(packs.Load)

func newRig(t *testing.T, change func(*telephony.Config)) *rig {
	t.Helper()
	r := &rig{t: t, st: storetest.New(t), done: make(chan struct{}), log: &logBook{}, state: &states{}, refuses: new(atomic.Int64), made: new(atomic.Int64), running: new(atomic.Pointer[checks.Check]), mayBeTold: new(atomic.Pointer[escalation.Escalation])}
	r.calls = r.telephony(change)
	follower := r.st.Follow(t.Context())
	t.Cleanup(follower.Stop)
	library, err := questions()
	if err != nil {
		t.Fatal(err)
	}
	r.memory = r.remember()
	mux := chi.NewRouter()
	Mount(mux, Deps{
		Memory: r.memory,
		Store:  r.st, Dialer: r.calls, Follower: follower, Statuses: r.state, Version: "1.2.3",
		Log: slog.New(slog.NewTextHandler(r.log, nil)), Done: r.done,
		Known: func(r *http.Request) bool { return r.Header.Get("Authorization") == "Bearer "+bearer },
		Packs: library, CognitiveTasks: someTasks, RunningCheck: r.underWay, PublicURL: "https://naiber.example.org",
		MayBeTold: func(ctx context.Context, k alerts.Alert, channel, address string) (bool, error) {
			e := r.mayBeTold.Load()
			if e == nil {
				return true, nil
			}
			return e.MayBeTold(ctx, k, channel, address)
		},
		Webhooks:  webhook.New(webhook.Config{Store: r.st, Key: "key of the webhooks"}),
		Scheduler: schedule.New(schedule.Config{Ahead: 3, Keep: 24 * time.Hour}, schedule.Deps{Store: r.st}),
		Following: escalation.New(escalation.Config{Store: r.st, Ladders: map[alerts.Tier]escalation.Ladder{alerts.Urgent: {{Who: "each", Every: time.Minute, Times: 1}}}}).Following,
	}, door)
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	t.Cleanup(func() { close(r.done) })
	r.url, r.client = srv.URL, srv.Client()
	return r
}

// remember is a memory with vectors in the database and an embedder that knows
// how often a text has which letter.
func (r *rig) remember() *service.Service {
	r.t.Helper()
	shelf := vectors.NewPostgres(r.st, vectors.PostgresConfig{})
	r.t.Cleanup(func() { _ = shelf.Close() })
	m, err := service.New(service.Config{
		Store: r.st, Vectors: shelf, Embedder: letters{}, Model: "letters", IndexWait: 10 * time.Second, VectorWait: 10 * time.Second,
		Log: slog.New(slog.NewTextHandler(r.log, nil)),
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return m
}

type letters struct{}

func (letters) Embed(_ context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, text := range texts {
		out[i] = make([]float32, 32)
		for _, c := range text {
			out[i][c%32]++
		}
	}
	return out, nil
}

// underWay is the person's check that is under way, as the test wants it; one of
// nobody is a failure.
func (r *rig) underWay(_ context.Context, id store.PersonID) (checks.Check, bool, error) {
	hc := r.running.Load()
	if hc == nil {
		return checks.Check{}, false, nil
	}
	if !hc.PersonID.Known() {
		return checks.Check{}, false, errors.New("checkpoints cannot be reached")
	}
	return *hc, hc.PersonID == id, nil
}

// on is the rig for a part of the test.
func (r *rig) on(t *testing.T) *rig { //nolint:thelper // it makes a rig, it checks nothing
	part := *r
	part.t = t
	return &part
}

// door is the plainest of doors.
func door(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+bearer {
			Problem(w, http.StatusUnauthorized, "Send the bearer.")
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (r *rig) telephony(change func(*telephony.Config)) *telephony.Service {
	r.t.Helper()
	carrier := httptest.NewServer(http.HandlerFunc(r.twilio))
	r.t.Cleanup(carrier.Close)
	client, err := twilio.New(twilio.Config{
		AccountSID: "AC00", AuthSecret: "secret", BaseURL: carrier.URL, HTTPClient: carrier.Client(),
		Timeout: 5 * time.Second, RetryWait: time.Millisecond, LookWait: time.Millisecond,
	})
	if err != nil {
		r.t.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	texts, err := prompts.Load("", log)
	if err != nil {
		r.t.Fatal(err)
	}
	cfg := telephony.Config{
		PublicURL: "https://naiber.example.org", Number: "+15550100999", AgentID: "agent_1",
		QuietHours: people.QuietHours{Start: "00:00", End: "00:00"}, DailyCap: 3,
		Types: []calls.CallType{calls.CallGeneral, calls.CallHealthCheck, calls.CallCognitive, calls.CallApplianceHelp},
	}
	if change != nil {
		change(&cfg)
	}
	calls, err := telephony.New(cfg, telephony.Deps{
		Store: r.st, Twilio: client, Prompts: texts, PostCall: noWork{}, Log: log,
		CallToken: func(id store.CallID) string { return "token-of-" + id.String() },
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return calls
}

// twilio takes every call, unless it is told to refuse.
func (r *rig) twilio(w http.ResponseWriter, req *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	switch {
	case req.Method == http.MethodGet:
		fmt.Fprint(w, `{"calls":[]}`)
	case !strings.HasSuffix(req.URL.Path, "/Calls.json"):
		fmt.Fprint(w, `{"sid":"CA1","status":"completed"}`)
	case r.refuses.Load() != 0:
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprintf(w, `{"code":%d,"message":"no","status":400}`, r.refuses.Load())
	default:
		w.WriteHeader(http.StatusCreated)
		fmt.Fprintf(w, `{"sid":"CA%032x","status":"queued"}`, r.made.Add(1))
	}
}

type noWork struct{}

func (noWork) Schedule(context.Context, store.Tx, calls.Call) error { return nil }

// logBook is the log, to be read.
type logBook struct {
	mu sync.Mutex // guards b
	b  bytes.Buffer
}

func (l *logBook) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logBook) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// reply is an answer that has been read.
type reply struct {
	status int
	header http.Header
	body   string
}

func (r reply) get(path string) gjson.Result { return gjson.Get(r.body, path) }

// request asks with the bearer; header is name, value, name, value.
func (r *rig) request(method, path, body string, header ...string) *http.Request {
	r.t.Helper()
	req, err := http.NewRequestWithContext(r.t.Context(), method, r.url+path, strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+bearer)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	return req
}

func (r *rig) do(method, path, body string, header ...string) reply {
	r.t.Helper()
	res, err := r.client.Do(r.request(method, path, body, header...))
	if err != nil {
		r.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return reply{status: res.StatusCode, header: res.Header, body: string(b)}
}

// ok asks and wants a status.
func (r *rig) ok(want int, method, path, body string, header ...string) reply {
	r.t.Helper()
	got := r.do(method, path, body, header...)
	if got.status != want {
		r.t.Fatalf("%s %s = %d %s, want %d", method, path, got.status, got.body, want)
	}
	return got
}

// problem asks and wants a problem document of a status.
func (r *rig) problem(want int, method, path, body string, header ...string) reply {
	r.t.Helper()
	got := r.ok(want, method, path, body, header...)
	if ct := got.header.Get("Content-Type"); ct != "application/problem+json" {
		r.t.Errorf("%s %s: content type = %q", method, path, ct)
	}
	if !json.Valid([]byte(got.body)) || got.get("status").Int() != int64(want) || got.get("title").String() == "" || got.get("detail").String() == "" {
		r.t.Errorf("%s %s: problem = %s", method, path, got.body)
	}
	return got
}

// person adds somebody who has agreed to everything, and returns the id.
func (r *rig) person(name, phone string) string {
	r.t.Helper()
	body := fmt.Sprintf(`{"name":%q,"phone":%q,"timezone":"Canada/Newfoundland","consent":{"calls":true,"recording":true,"memory":true,"source":"on paper"}}`, name, phone)
	return r.ok(http.StatusCreated, http.MethodPost, "/api/v1/people", body).get("id").String()
}

// dial places a call and returns its id.
func (r *rig) dial(person string) store.CallID {
	r.t.Helper()
	res := r.ok(http.StatusAccepted, http.MethodPost, "/call", `{"userId":"`+person+`","callType":"general"}`)
	id, err := store.ParseCallID(res.get("callId").String())
	if err != nil {
		r.t.Fatal(err)
	}
	return id
}

// end ends a call as if the person had hung up.
func (r *rig) end(id store.CallID) {
	r.t.Helper()
	if _, ended, err := r.st.FinishCall(r.t.Context(), id, calls.Ending{Verified: calls.Presumed, Outcome: calls.OutcomeReached, Cause: "hung_up", By: "person"}, nil); err != nil || !ended {
		r.t.Fatalf("finish call: %v, %v", ended, err)
	}
}

// rows counts what is kept, and sums up when it was written.
func (r *rig) rows() string {
	r.t.Helper()
	var all []string
	for _, table := range []string{"people", "contacts", "consents", "pauses", "schedules", "occurrences", "calls", "call_events", "audit"} {
		var n int
		var last string
		err := r.st.Pool().QueryRow(r.t.Context(), "select count(*), coalesce(md5(string_agg(t::text, '|' order by t::text)), '') from "+table+" t").Scan(&n, &last)
		if err != nil {
			r.t.Fatal(err)
		}
		all = append(all, fmt.Sprintf("%s %d %s", table, n, last))
	}
	return strings.Join(all, "\n")
}

// states is how the process stands, as a test wants it.
type states struct {
	services []Service
	degraded []string
}

func (s *states) Services() []Service { return s.services }
func (s *states) Degraded() []string  { return s.degraded }
