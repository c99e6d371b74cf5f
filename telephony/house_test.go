package telephony

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/store/storetest"
	"github.com/naiber/naiber/telephony/elevenlabs"
	"github.com/naiber/naiber/telephony/prompts"
	"github.com/naiber/naiber/telephony/twilio"
)

const (
	houseURL    = "https://naiber.example.org"
	houseNumber = "+15550100999"
	houseToken  = "12345"
	houseSecret = "wsec_test"
)

var allTypes = []calls.CallType{calls.CallGeneral, calls.CallHealthCheck, calls.CallCognitive, calls.CallApplianceHelp}

// house is a Service on a real database, with a stand-in for Twilio's REST API.
type house struct {
	*Service

	t       *testing.T
	st      *store.Store
	carrier *carrier
	post    *postCalls
	web     http.Handler
	log     *lockedBuffer
}

func newHouse(t *testing.T, change func(*Config)) *house {
	t.Helper()
	h := &house{t: t, st: storetest.New(t), post: &postCalls{}, log: &lockedBuffer{}}
	h.carrier = newCarrier(t)
	cfg := Config{
		PublicURL: houseURL, Number: houseNumber, AgentID: "agent_1", WebhookSecret: houseSecret,
		QuietHours: people.QuietHours{Start: "00:00", End: "00:00"}, DailyCap: 3, Languages: []string{"de"},
		UnknownLiveCap: 5, Types: allTypes, Presumed: []calls.CallType{calls.CallGeneral},
	}
	if change != nil {
		change(&cfg)
	}
	log := slog.New(slog.NewTextHandler(h.log, nil))
	client, err := twilio.New(twilio.Config{
		AccountSID: "AC00", AuthSecret: houseToken, BaseURL: h.carrier.url, HTTPClient: h.carrier.client,
		Timeout: 5 * time.Second, RetryWait: time.Millisecond, LookWait: time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	verifier, err := twilio.NewVerifier(twilio.VerifierConfig{
		PublicURL: houseURL, Tokens: []twilio.Secret{houseToken}, Fragments: WebhookFragments(),
	})
	if err != nil {
		t.Fatal(err)
	}
	library, err := prompts.Load("", log)
	if err != nil {
		t.Fatal(err)
	}
	h.Service, err = New(cfg, Deps{
		Store: h.st, Twilio: client, Verifier: verifier, Prompts: library, PostCall: h.post, Recollection: forgetful,
		CallToken: func(id store.CallID) string { return "token-of-" + id.String() }, Log: log,
	})
	if err != nil {
		t.Fatal(err)
	}
	r := chi.NewRouter()
	h.Routes(r)
	h.web = r
	return h
}

// person creates somebody who has agreed to everything but what is left out.
func (h *house) person(name, phone string, without ...people.Scope) people.Person {
	h.t.Helper()
	var consents []people.Consent
	for _, s := range people.Scopes {
		if s != people.ScopeTranscript && !slices.Contains(without, s) {
			consents = append(consents, people.Consent{Scope: s, GivenBy: name, How: "on paper"})
		}
	}
	p, err := h.st.CreatePerson(h.t.Context(), people.Person{
		Name: name + " Example", PreferredName: name, Phone: phone, Timezone: "Canada/Newfoundland", Language: "en",
	}, nil, consents)
	if err != nil {
		h.t.Fatal(err)
	}
	return p
}

// place places a call that the person themselves will answer.
func (h *house) place(p people.Person) calls.Call {
	h.t.Helper()
	c, err := h.Place(h.t.Context(), PlaceRequest{PersonID: p.ID, Type: calls.CallGeneral, By: "test"})
	if err != nil {
		h.t.Fatal(err)
	}
	if err := h.st.SetVerified(h.t.Context(), c.ID, calls.Presumed); err != nil {
		h.t.Fatal(err)
	}
	return h.call(c.ID)
}

func (h *house) call(id store.CallID) calls.Call {
	h.t.Helper()
	c, err := h.st.Call(h.t.Context(), id)
	if err != nil {
		h.t.Fatal(err)
	}
	return c
}

// ended checks how a call ended; nil means that it lives.
func (h *house) ended(id store.CallID, want *calls.Ending) {
	h.t.Helper()
	got := h.call(id).Ending
	if (got == nil) != (want == nil) || got != nil && *got != *want {
		h.t.Errorf("ending = %+v, want %+v", got, want)
	}
}

// kinds is a call's timeline.
func (h *house) kinds(id store.CallID) []string {
	h.t.Helper()
	events, err := h.st.EventsAfter(h.t.Context(), id, 0)
	if err != nil {
		h.t.Fatal(err)
	}
	var kinds []string
	for _, e := range events {
		kinds = append(kinds, e.Kind)
	}
	return kinds
}

// says adds a line to a call's transcript.
func (h *house) says(id store.CallID, role calls.Role, text string) {
	h.t.Helper()
	if _, err := h.st.AddUtterance(h.t.Context(), calls.Utterance{CallID: id, Role: role, Text: text, At: time.Now()}); err != nil {
		h.t.Fatal(err)
	}
}

// hook delivers a webhook as Twilio would. Fields are name, value, name, value.
func (h *house) hook(target string, fields ...string) *httptest.ResponseRecorder {
	h.t.Helper()
	form := url.Values{"AccountSid": {"AC00"}}
	for i := 1; i < len(fields); i += 2 {
		form.Set(fields[i-1], fields[i])
	}
	return h.deliver(target, form, twilio.Sign(houseToken, houseURL+target, form))
}

func (h *house) deliver(target string, form url.Values, signature string) *httptest.ResponseRecorder {
	h.t.Helper()
	r := httptest.NewRequestWithContext(h.t.Context(), http.MethodPost, target, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set(twilio.SignatureHeader, signature)
	w := httptest.NewRecorder()
	h.web.ServeHTTP(w, r)
	return w
}

// status delivers a status callback and expects that it is taken.
func (h *house) status(c calls.Call, status string) {
	h.t.Helper()
	w := h.hook("/twilio/status?call="+c.ID.String(), "CallSid", c.SID, "CallStatus", status)
	if w.Code != http.StatusNoContent {
		h.t.Fatalf("status %s was answered %d", status, w.Code)
	}
}

// postCall delivers a webhook as ElevenLabs would.
func (h *house) postCall(body, signature string) *httptest.ResponseRecorder {
	h.t.Helper()
	r := httptest.NewRequestWithContext(h.t.Context(), http.MethodPost, "/elevenlabs/webhook", strings.NewReader(body))
	r.Header.Set(elevenlabs.SignatureHeader, signature)
	w := httptest.NewRecorder()
	h.web.ServeHTTP(w, r)
	return w
}

// postCalls counts what was scheduled after calls.
type postCalls struct {
	mu    sync.Mutex // guards calls
	calls []store.CallID
	err   error
}

func (p *postCalls) Schedule(_ context.Context, _ store.Tx, c calls.Call) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err != nil {
		return p.err
	}
	p.calls = append(p.calls, c.ID)
	return nil
}

func (p *postCalls) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.calls)
}

type lockedBuffer struct {
	mu sync.Mutex // guards b
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// carrier stands in for Twilio's REST API: it keeps calls, and what it was asked.
type carrier struct {
	t      *testing.T
	url    string
	client *http.Client

	mu      sync.Mutex // guards what follows
	calls   []*carrierCall
	created int // requests to create a call
	updates []string
	texts   []url.Values
	// textFault, if set, is the code that text messages are refused with.
	textFault int
	// onCreate may answer the nth request to create a call itself; then it
	// returns true. placed says whether the call is to exist all the same.
	onCreate func(n int, w http.ResponseWriter) (answered, placed bool)
	onUpdate func(w http.ResponseWriter) (answered bool)
}

type carrierCall struct {
	SID     string `json:"sid"`
	Status  string `json:"status"`
	To      string `json:"to"`
	From    string `json:"from"`
	Created string `json:"date_created"`
	form    url.Values
}

func newCarrier(t *testing.T) *carrier {
	t.Helper()
	c := &carrier{t: t}
	mux := http.NewServeMux()
	const root = "/2010-04-01/Accounts/AC00/"
	mux.HandleFunc("POST "+root+"Calls.json", c.create)
	mux.HandleFunc("GET "+root+"Calls.json", c.list)
	mux.HandleFunc("POST "+root+"Messages.json", c.text)
	mux.HandleFunc("GET "+root+"Calls/{file}", c.get)
	mux.HandleFunc("POST "+root+"Calls/{file}", c.update)
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	c.url, c.client = srv.URL, srv.Client()
	return c
}

func (c *carrier) create(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if user, pass, _ := r.BasicAuth(); user != "AC00" || pass != houseToken {
		c.t.Errorf("create call with user %q", user)
	}
	if err := r.ParseForm(); err != nil {
		c.t.Error(err)
	}
	c.created++
	answered, placed := false, true
	if c.onCreate != nil {
		answered, placed = c.onCreate(c.created, w)
	}
	var made *carrierCall
	if placed {
		made = c.add(r.PostForm)
	}
	if !answered {
		w.WriteHeader(http.StatusCreated)
		c.answer(w, made)
	}
}

func (c *carrier) add(form url.Values) *carrierCall {
	made := &carrierCall{
		SID: fmt.Sprintf("CA%032x", len(c.calls)+1), Status: "queued", To: form.Get("To"), From: form.Get("From"),
		Created: time.Now().UTC().Format(time.RFC1123Z), form: form,
	}
	c.calls = append(c.calls, made)
	return made
}

func (c *carrier) list(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var found []*carrierCall
	for _, call := range slices.Backward(c.calls) {
		if call.To == r.URL.Query().Get("To") {
			found = append(found, call)
		}
	}
	c.answer(w, map[string]any{"calls": found})
}

func (c *carrier) text(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := r.ParseForm(); err != nil {
		c.t.Error(err)
	}
	if c.textFault != 0 {
		fault(w, http.StatusBadRequest, c.textFault)
		return
	}
	c.texts = append(c.texts, r.PostForm)
	w.WriteHeader(http.StatusCreated)
	c.answer(w, map[string]any{"sid": fmt.Sprintf("SM%032x", len(c.texts)), "status": "queued"})
}

func (c *carrier) find(file string) *carrierCall {
	for _, call := range c.calls {
		if call.SID+".json" == file {
			return call
		}
	}
	return nil
}

func (c *carrier) get(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	call := c.find(r.PathValue("file"))
	if call == nil {
		fault(w, http.StatusNotFound, 20404)
		return
	}
	c.answer(w, call)
}

func (c *carrier) update(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := r.ParseForm(); err != nil {
		c.t.Error(err)
	}
	what := r.PostForm.Get("Status")
	if what == "" {
		what = r.PostForm.Get("Twiml")
	}
	if limit := r.PostForm.Get("TimeLimit"); limit != "" {
		what += "TimeLimit=" + limit
	}
	sid := strings.TrimSuffix(r.PathValue("file"), ".json")
	c.updates = append(c.updates, sid+" "+what)
	if c.onUpdate != nil && c.onUpdate(w) {
		return
	}
	call := c.find(r.PathValue("file"))
	if call == nil {
		fault(w, http.StatusNotFound, 20404)
		return
	}
	switch {
	case what == "completed":
		call.Status = "completed"
	case what == "canceled" && call.Status != "queued" && call.Status != "ringing":
		fault(w, http.StatusBadRequest, 21220)
		return
	case what == "canceled":
		call.Status = "canceled"
	}
	c.answer(w, call)
}

func (c *carrier) answer(w http.ResponseWriter, v any) {
	if err := json.NewEncoder(w).Encode(v); err != nil {
		c.t.Error(err)
	}
}

// set gives the call a status.
func (c *carrier) set(sid, status string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	call := c.find(sid + ".json")
	if call == nil {
		c.t.Fatalf("no call %s", sid)
	}
	call.Status = status
}

// asked returns what was done to calls so far.
func (c *carrier) asked() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.updates)
}

// count returns how many requests to create a call came, and how many calls there are.
func (c *carrier) count() (requests, calls int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.created, len(c.calls)
}

func fault(w http.ResponseWriter, status, code int) {
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"code":%d,"message":"no","status":%d}`, code, status)
}

// counted is what a counter stands at.
func counted(t *testing.T, c prometheus.Counter) float64 {
	t.Helper()
	reg := prometheus.NewRegistry()
	reg.MustRegister(c)
	families, err := reg.Gather()
	if err != nil || len(families) != 1 || len(families[0].GetMetric()) != 1 {
		t.Fatalf("gather: %v, %v", families, err)
	}
	return families[0].GetMetric()[0].GetCounter().GetValue()
}
