package api

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/tidwall/gjson"

	"github.com/naiber/naiber/orchestration/chat"
	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/store/storetest"
)

// chatRig is the text channel on a real database, with a stand-in for a model server.
type chatRig struct {
	t      *testing.T
	st     *store.Store
	chat   *chat.Channel
	model  *modelServer
	url    string
	client *http.Client
	once   *sync.Once
}

type chatConfig struct {
	chat.Config
	perMinute, burst int
	services         []Service
}

func newChatRig(t *testing.T, change func(*chatConfig)) *chatRig {
	t.Helper()
	r := &chatRig{t: t, st: storetest.New(t), model: newModelServer(t), once: new(sync.Once)}
	model, err := llm.New(llm.Config{
		BaseURL: r.model.URL + "/v1", Models: []string{"kind-7b"}, Retries: -1,
		FirstTokenDeadline: 5 * time.Second, Deadline: 10 * time.Second, MaxContinuations: -1,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(model.Close)
	cfg := chatConfig{Config: chat.Config{Store: r.st, Model: model, SystemPrompt: "Be kind."}, perMinute: 60_000, burst: 10_000}
	if change != nil {
		change(&cfg)
	}
	if r.chat, err = chat.New(cfg.Config); err != nil {
		t.Fatal(err)
	}
	mux := chi.NewRouter()
	Mount(mux, Deps{
		Store: r.st, Chat: r.chat, Models: model, ChatPerMinute: cfg.perMinute, ChatBurst: cfg.burst,
		Statuses: &states{services: cfg.services}, Log: slog.New(slog.DiscardHandler),
	}, door)
	srv := httptest.NewServer(mux)
	t.Cleanup(r.settle)
	t.Cleanup(srv.Close)
	r.url, r.client = srv.URL, srv.Client()
	return r
}

// settle waits for what goes on in the background, once and for all.
func (r *chatRig) settle() {
	r.once.Do(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := r.chat.Stop(ctx); err != nil {
			r.t.Errorf("stop: %v", err)
		}
	})
}

// rest waits until nothing goes on in the background.
func (r *chatRig) rest() { r.chat.Wait() }

// asked is a request as the model server got it.
type asked struct {
	Model    string `json:"model"`
	Messages []struct{ Role, Content string }
	raw      gjson.Result
	gone     <-chan struct{} // closed when whoever asked is gone
}

func (a asked) last() string   { return a.Messages[len(a.Messages)-1].Content }
func (a asked) system() string { return a.Messages[0].Content }

// modelServer is a stand-in for an OpenAI-compatible server. It answers titles,
// summaries and talk as it is told, and keeps what it was asked.
type modelServer struct {
	*httptest.Server
	t     *testing.T
	mu    sync.Mutex // guards what follows
	talk  func(w http.ResponseWriter, a asked)
	title string
	sum   string
	heard []asked // talk only
	sums  []asked
	names int
}

func newModelServer(t *testing.T) *modelServer {
	t.Helper()
	m := &modelServer{t: t, title: "A walk in Bonavista", sum: "They spoke of the sea."}
	m.talk = says("Good ", "morning.")
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", m.complete)
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"data":[{"id":"kind-7b"},{"id":"calm-3b"}]}`)
	})
	mux.HandleFunc("GET /props", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"default_generation_settings":{"n_ctx":8192},"model_alias":"kind-7b"}`)
	})
	m.Server = httptest.NewServer(mux)
	t.Cleanup(m.Close)
	return m
}

func (m *modelServer) complete(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client left
	}
	var a asked
	if err := json.Unmarshal(body, &a); err != nil || len(a.Messages) == 0 {
		m.t.Errorf("model was asked %s", body)
	}
	a.raw, a.gone = gjson.ParseBytes(body), r.Context().Done()
	m.mu.Lock()
	reply := m.talk
	switch system := a.system(); {
	case strings.HasPrefix(system, "Give the conversation"):
		m.names++
		reply = says(m.title)
	case strings.HasPrefix(system, "You keep the notes"):
		m.sums = append(m.sums, a)
		reply = says(m.sum)
	default:
		m.heard = append(m.heard, a)
	}
	m.mu.Unlock()
	reply(w, a)
}

// will sets how talk is answered from now on.
func (m *modelServer) will(talk func(http.ResponseWriter, asked)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.talk = talk
}

func (m *modelServer) lastHeard() asked {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.heard[len(m.heard)-1]
}

func (m *modelServer) summaries() []asked {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.sums
}

func token(text string) string {
	raw, _ := json.Marshal(text)
	return `data: {"choices":[{"index":0,"delta":{"content":` + string(raw) + `},"finish_reason":null}]}` + "\n\n"
}

const ending = `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n" +
	`data: {"choices":[],"usage":{"prompt_tokens":12,"completion_tokens":4,"total_tokens":16}}` + "\n\ndata: [DONE]\n\n"

// says streams tokens in pieces of their own, to a proper end.
func says(tokens ...string) func(http.ResponseWriter, asked) {
	return func(w http.ResponseWriter, _ asked) {
		var parts []string
		for _, t := range tokens {
			parts = append(parts, token(t))
		}
		write(w, append(parts, ending)...)
	}
}

func write(w http.ResponseWriter, parts ...string) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, p := range parts {
		_, _ = io.WriteString(w, p)
		_ = http.NewResponseController(w).Flush()
	}
}

// fails answers with a status of the dialect.
func fails(status int) func(http.ResponseWriter, asked) {
	return func(w http.ResponseWriter, _ asked) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, `{"error":{"message":"no","code":"nope"}}`)
	}
}

func (r *chatRig) request(ctx context.Context, method, path, body string, header ...string) *http.Response {
	r.t.Helper()
	req, err := http.NewRequestWithContext(ctx, method, r.url+path, strings.NewReader(body))
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
	res, err := r.client.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	return res
}

// do asks and wants a status; one that is no success must be a problem document.
func (r *chatRig) do(want int, method, path, body string, header ...string) reply {
	r.t.Helper()
	res := r.request(r.t.Context(), method, path, body, header...)
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	got := reply{res.StatusCode, res.Header, string(raw)}
	if got.status != want {
		r.t.Fatalf("%s %s %s = %d %s, want %d", method, path, body, got.status, got.body, want)
	}
	if want >= 400 && (got.header.Get("Content-Type") != "application/problem+json" || got.get("status").Int() != int64(want) || got.get("detail").String() == "") {
		r.t.Errorf("%s %s: problem = %s %s", method, path, got.header.Get("Content-Type"), got.body)
	}
	return got
}

// say writes a message in a session.
func (r *chatRig) say(session, message string, more ...string) reply {
	r.t.Helper()
	body := map[string]string{"message": message}
	if session != "" {
		body["sessionId"] = session
	}
	for i := 0; i < len(more); i += 2 {
		body[more[i]] = more[i+1]
	}
	raw, _ := json.Marshal(body)
	return r.do(http.StatusOK, http.MethodPost, "/chat", string(raw))
}

// event is one server-sent event.
type event struct{ name, data string }

// stream writes a message and reads the events of the reply.
func (r *chatRig) stream(body string) (reply, []event) {
	r.t.Helper()
	res := r.request(r.t.Context(), http.MethodPost, "/chat/stream", body)
	defer res.Body.Close()
	return reply{status: res.StatusCode, header: res.Header}, readEvents(res.Body)
}

func readEvents(body io.Reader) (all []event) {
	var e event
	for lines := bufio.NewScanner(body); lines.Scan(); {
		name, value, _ := strings.Cut(lines.Text(), ": ")
		switch name {
		case "event":
			e.name = value
		case "data":
			e.data = value
		case "":
			all = append(all, e)
			e = event{}
		}
	}
	return all
}

// person adds somebody; memory says whether they consent to being remembered.
func (r *chatRig) person(name string, memory bool) store.PersonID {
	r.t.Helper()
	var consents []people.Consent
	if memory {
		consents = append(consents, people.Consent{Scope: people.ScopeMemory, GivenBy: name, How: "on paper"})
	}
	p, err := r.st.CreatePerson(r.t.Context(), people.Person{Name: name, Phone: "+17095550123", Timezone: "Canada/Newfoundland"}, nil, consents)
	if err != nil {
		r.t.Fatal(err)
	}
	return p.ID
}

// project makes a project and returns its id.
func (r *chatRig) project(name string) string {
	r.t.Helper()
	raw, _ := json.Marshal(map[string]string{"name": name})
	return r.do(http.StatusCreated, http.MethodPost, "/projects", string(raw)).get("id").String()
}

// count counts rows.
func (r *chatRig) count(table string) (n int) {
	r.t.Helper()
	if err := r.st.Pool().QueryRow(r.t.Context(), "select count(*) from "+table).Scan(&n); err != nil {
		r.t.Fatal(err)
	}
	return n
}
