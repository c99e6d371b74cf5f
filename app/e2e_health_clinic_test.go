package app_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/naiber/naiber/personas/health/packs"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/checkpoint/redistest"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/store/storetest"
)

// clinic is a house that holds health checks, over a Redis and a PostgreSQL of its
// own. Its calls stand in the database, and what the voice service and Twilio send
// about them is sent by the test; there is no audio. The process, its doors and
// its stores are the real ones.
type clinic struct {
	*house
	redis *redistest.Server
	packs *packs.Library
	model *standInModel

	mu    sync.Mutex // guards what follows
	lives []*process // every process that there was, the present one last
	since time.Time  // when the present one was started
	up    chan struct{}
	cut   map[store.CallID]int // turns, by call, of which a dying process took the reply
	turns atomic.Int64         // requests for a turn so far
	begun chan struct{}
}

// clinicOptions is how a clinic differs from the usual one.
type clinicOptions struct {
	redis    *redistest.Server // as the test sees it; nil: a new one
	redisURL string            // as the process sees it; empty: as the test does
	database string            // as the test sees it; empty: a new one
	process  string            // the database as the process sees it; empty: as the test does
	audio    bool              // calls come over the telephone, and are carried by the process
}

// newClinic makes a clinic and opens it.
func newClinic(t *testing.T, opts clinicOptions) *clinic {
	t.Helper()
	needsProcess(t)
	binary(t) // on a busy machine the build takes longer than anything after it may
	c := &clinic{redis: opts.redis, model: newStandInModel(t), begun: make(chan struct{}, 1)}
	if c.redis == nil {
		c.redis = redistest.New(t)
	}
	if opts.redisURL == "" {
		opts.redisURL = c.redis.URL()
	}
	if opts.database == "" {
		opts.database = storetest.URL(t)
	}
	if opts.process == "" {
		opts.process = opts.database
	}
	var err error
	if c.packs, err = packs.Load(); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{
		"DATABASE_URL": opts.process, "REDIS_URL": opts.redisURL, "OPENAI_BASE_URL": c.model.url + "/v1",
		"NAIBER_JOBS_POST_CALL_DELAY": "1ms",
		// Without a model every question waits for it so long: two hundred checks need not.
		"NAIBER_HEALTH_WORDS_DEADLINE": "150ms", "NAIBER_HEALTH_READ_DEADLINE": "300ms",
		// A busy machine is slow; what is said to cover that is not what is tested.
		"NAIBER_TURN_FILLER_AFTER": "0s",
	}
	if !opts.audio {
		// Nobody carries these calls: they are left alone for the length of the test.
		env["TWILIO_BASE_URL"], env["NAIBER_CALLS_RECONNECT_GRACE"] = switchboard(t), "1h"
	}
	c.house = newHouse(t, houseOptions{private: true, env: env})
	c.db = storetest.Open(t, opts.database)
	c.start()
	return c
}

// start opens the clinic and says so to those who wait.
func (c *clinic) start() {
	c.t.Helper()
	since := time.Now()
	c.open()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lives, c.since = append(c.lives, c.process), since
	if c.up != nil {
		close(c.up)
		c.up = nil
	}
}

// crash kills the process in whatever it does.
func (c *clinic) crash() {
	c.mu.Lock()
	if c.up == nil {
		c.up = make(chan struct{})
	}
	c.mu.Unlock()
	c.process.kill()
}

// restart kills the process and starts another. What a dead process held of the
// queue it holds for a minute or two more; that time is made to have passed.
func (c *clinic) restart() {
	c.t.Helper()
	c.crash()
	c.expire()
	c.hurry()
	c.start()
}

// expire makes the minute pass after which others take over from a dead process.
func (c *clinic) expire() {
	c.t.Helper()
	c.passTime(`delete from river_leader`)
	c.passTime(`delete from job_turns`)
	c.passTime(`update river_job set attempted_at = attempted_at - interval '1 hour' where state = 'running'`)
}

// reclaim gives a dead process' jobs to the next one at once. That the queue does so
// itself, a minute later, is left to [clinic.expire].
func (c *clinic) reclaim() {
	c.t.Helper()
	c.passTime(`delete from river_leader`)
	c.passTime(`delete from job_turns`)
	c.passTime(`update river_job set state = 'available' where state = 'running'`)
}

// hurry makes the seconds pass that jobs wait for their time.
func (c *clinic) hurry() {
	c.t.Helper()
	c.passTime(`update river_job set state = 'available', scheduled_at = now() where kind = 'post_call' and state in ('scheduled', 'retryable')`)
}

// rescue gives up on jobs that nobody works on: those that a process began in the
// instant of its death, and those whose answer was lost with the line to the
// database, as the queue's own rescuer does later.
func (c *clinic) rescue() {
	c.t.Helper()
	c.passTime(`update river_job set state = 'available' where state = 'running' and (attempted_at < $1 or attempted_at < now() - interval '20 seconds')`, c.since)
}

func (c *clinic) passTime(statement string, args ...any) {
	c.t.Helper()
	if _, err := c.db.Pool().Exec(context.Background(), statement, args...); err != nil {
		c.t.Errorf("let time pass for the queue: %v", err)
	}
}

// awaitOpen waits until there is a process.
func (c *clinic) awaitOpen(ctx context.Context) {
	c.mu.Lock()
	up := c.up
	c.mu.Unlock()
	if up == nil {
		return
	}
	select {
	case <-up:
	case <-ctx.Done():
	}
}

// switchboard is a Twilio that knows every call, and says that it is under way.
func switchboard(t *testing.T) string {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sid := strings.TrimSuffix(path.Base(r.URL.Path), ".json")
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(object{"sid": sid, "status": "in-progress", "start_time": time.Now().UTC().Format(time.RFC1123Z)})
	}))
	t.Cleanup(srv.Close)
	return srv.URL
}

// standInModel words questions by putting a sentence before them, and finds no
// answer in what it is to read. It fails where the request speaks of somebody for
// whom it is down.
type standInModel struct {
	url    string
	asked  atomic.Int64
	failed atomic.Int64
	fault  atomic.Pointer[string] // how it goes wrong for everybody: "refuses", "hangs", "breaks off"; nil: not at all
}

// downFor marks what belongs to people for whom the model is down.
const downFor = "Quill"

func newStandInModel(t *testing.T) *standInModel {
	t.Helper()
	m := new(standInModel)
	srv := httptest.NewUnstartedServer(http.HandlerFunc(m.serve))
	srv.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug)
	srv.Start()
	t.Cleanup(srv.Close)
	m.url = srv.URL
	return m
}

func (m *standInModel) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var req struct {
		Messages []struct{ Role, Content string } `json:"messages"`
		Format   *struct{}                        `json:"response_format"`
	}
	if err != nil || json.Unmarshal(body, &req) != nil {
		http.Error(w, "bad request", http.StatusBadRequest)
		return
	}
	m.asked.Add(1)
	fault := ""
	if f := m.fault.Load(); f != nil {
		fault = *f
	}
	if fault == "hangs" {
		<-r.Context().Done()
		return
	}
	if fault == "refuses" || strings.Contains(string(body), downFor) {
		m.failed.Add(1)
		http.Error(w, `{"error":{"message":"overloaded","type":"server_error"}}`, http.StatusServiceUnavailable)
		return
	}
	text := `{"verdict":"not_an_answer","quote":"","value":null,"to":null,"how":"said","confidence":0.9}`
	if req.Format == nil && len(req.Messages) > 0 {
		_, rest, _ := strings.Cut(req.Messages[0].Content, "Question to ask: ")
		question, _, _ := strings.Cut(rest, "\n")
		text = "I see, thank you. " + question
	}
	words, err := json.Marshal(text)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	const head = `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"stand-in","choices":[{"index":0,"delta":`
	_, _ = fmt.Fprintf(w, head+`{"role":"assistant","content":%s},"finish_reason":null}]}`+"\n\n", words)
	if fault == "breaks off" {
		return
	}
	_, _ = io.WriteString(w, head+`{},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
}

// patient adds somebody to the clinic's people, with what was asked of them before.
func (c *clinic) patient(p people.Person) people.Person {
	c.t.Helper()
	consents := []people.Consent{
		{Scope: people.ScopeCalls, GivenBy: p.Name, How: "on paper"},
		{Scope: people.ScopeRecording, GivenBy: p.Name, How: "on paper"},
		{Scope: people.ScopeCognitive, GivenBy: p.Name, How: "on paper"},
	}
	p, err := c.db.CreatePerson(context.Background(), p, nil, consents)
	if err != nil {
		c.t.Fatal(err)
	}
	return p
}
