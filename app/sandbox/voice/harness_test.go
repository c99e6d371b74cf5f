package voice_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/naiber/naiber/app/sandbox/audio"
	"github.com/naiber/naiber/app/sandbox/faults"
	"github.com/naiber/naiber/app/sandbox/voice"
	"github.com/naiber/naiber/internal/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

const (
	apiKey    = "xi-test-key"
	llmSecret = "the-models-secret"
	// frame lets ten seconds of audio pass in one.
	frame = 2 * time.Millisecond
	// second makes limits ten times shorter.
	second = 100 * time.Millisecond
	// patience is how long a test waits for what must come.
	patience = 15 * time.Second
	// The addresses of the service and of the model, in a test's own network.
	voiceURL = "http://voice.test"
	modelURL = "http://model.test"
)

// network joins a test's clients and servers without the machine's sockets, so
// that their time may be a bubble's.
type network struct {
	servers map[string]*host
	wg      sync.WaitGroup
}

// host is a listener for the connections that clients dial to its name.
type host struct {
	http.Server

	conns chan net.Conn
	gone  chan struct{}
	close func()
}

func newNetwork(t *testing.T, handlers map[string]http.Handler) *network {
	t.Helper()
	n := &network{servers: map[string]*host{}}
	for name, handler := range handlers {
		h := &host{Server: http.Server{Handler: handler, ReadHeaderTimeout: patience}, conns: make(chan net.Conn), gone: make(chan struct{})}
		h.close = sync.OnceFunc(func() { close(h.gone) })
		n.servers[name] = h
		n.wg.Go(func() { _ = h.Serve(h) }) // it ends when it is closed
	}
	return n
}

func (n *network) dial(ctx context.Context, _, address string) (net.Conn, error) {
	name, _, _ := net.SplitHostPort(address)
	ours, theirs := net.Pipe()
	select {
	case n.servers[name].conns <- theirs:
		return ours, nil
	case <-n.servers[name].gone:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (n *network) close() {
	for _, h := range n.servers {
		_ = h.Server.Close()
	}
	n.wg.Wait()
}

// Accept returns the next connection.
func (h *host) Accept() (net.Conn, error) {
	select {
	case c := <-h.conns:
		return c, nil
	case <-h.gone:
		return nil, net.ErrClosed
	}
}

// Close ends Accept.
func (h *host) Close() error {
	h.close()
	return nil
}

// Addr is nowhere.
func (h *host) Addr() net.Addr { return &net.TCPAddr{} }

// agentDoc is an agent as nAIber would make it.
const agentDoc = `{"name":"naiber","conversation_config":{
 "agent":{"first_message":"Hello.","language":"en","prompt":{"prompt":"You are kind. [{{system__conversation_id}}]","llm":"custom-llm",
  "temperature":0.3,"max_tokens":-1,"ignore_default_personality":true,"cascade_timeout_seconds":15,
  "custom_llm":{"url":"LLM/v1","model_id":"naiber","api_type":"chat_completions","api_key":{"secret_id":"SECRET"}},
  "built_in_tools":{"end_call":{"name":"end_call","description":"","params":{"system_tool_type":"end_call"}},"skip_turn":{}}}},
 "tts":{"voice_id":"v_1","model_id":"eleven_flash_v2","agent_output_audio_format":"ulaw_8000","speed":1.0},
 "asr":{"user_input_audio_format":"ulaw_8000"},
 "turn":{"turn_timeout":-1,"turn_eagerness":"patient"},
 "conversation":{"max_duration_seconds":600,"client_events":["audio","interruption","agent_response","agent_response_correction",
  "user_transcript","conversation_initiation_metadata","ping","agent_tool_response"]}},
 "platform_settings":{"auth":{"enable_auth":true},"overrides":{"custom_llm_extra_body":true,"conversation_config_override":{
  "agent":{"first_message":true,"language":true,"prompt":{"prompt":true}},"tts":{"voice_id":true,"speed":true},"conversation":{"max_duration_seconds":true}}},
  "workspace_overrides":{"webhooks":{"post_call_webhook_id":"HOOK","events":["transcript"]}}}}`

// ask is a request that the model got.
type ask struct {
	header http.Header
	path   string
	raw    string
	body   struct {
		Model       string            `json:"model"`
		Stream      bool              `json:"stream"`
		Temperature *float64          `json:"temperature"`
		MaxTokens   *int              `json:"max_tokens"`
		Messages    []message         `json:"messages"`
		Tools       []json.RawMessage `json:"tools"`
		UserID      string            `json:"user_id"`
		Extra       json.RawMessage   `json:"elevenlabs_extra_body"`
	}
}

type message struct {
	Role      string  `json:"role"`
	Content   *string `json:"content"`
	ToolCalls []struct {
		Function struct{ Name string } `json:"function"`
	} `json:"tool_calls"`
}

// dialogue is the history without the prompt, one message a line.
func (a ask) dialogue() string {
	var b strings.Builder
	for _, m := range a.body.Messages[1:] {
		text := "-"
		if m.Content != nil {
			text = *m.Content
		}
		for _, c := range m.ToolCalls {
			text = "- [" + c.Function.Name + "]"
		}
		fmt.Fprintf(&b, "%s: %s\n", m.Role, text)
	}
	return b.String()
}

// stage is a voice service with a model and a webhook.
type stage struct {
	t      *testing.T
	server *voice.Server
	client *http.Client
	hooks  chan *http.Request
	asks   chan ask
	agent  string // its id
	secret string // the id of the model's
	key    string // that webhooks are signed with
	faults *faults.Set

	mu      sync.Mutex // guards what follows
	answers []func(http.ResponseWriter, *http.Request)
}

// newStage makes a stage whose agent is changed by edits: pairs of old and new
// text.
func newStage(t *testing.T, change func(*voice.Config), edits ...string) *stage {
	t.Helper()
	st := &stage{t: t, hooks: make(chan *http.Request, 10), asks: make(chan ask, 50), faults: new(faults.Set)}
	cfg := voice.Config{
		APIKey: apiKey, Faults: st.faults,
		Log: slog.New(slog.NewTextHandler(testLog(), nil)), FrameInterval: frame, Second: second, WPM: 600,
	}
	if change != nil {
		change(&cfg)
	}
	st.server = voice.New(cfg)
	joined := newNetwork(t, map[string]http.Handler{"voice.test": st.server.Handler(), "model.test": http.HandlerFunc(st.model)})
	st.client = &http.Client{Transport: &http.Transport{DialContext: joined.dial}}
	st.server.Dial(joined.dial)
	t.Cleanup(func() {
		if err := st.server.Close(); err != nil {
			t.Error(err)
		}
		st.client.CloseIdleConnections()
		joined.close()
	})
	_, body := st.request("POST", "/v1/convai/secrets", `{"type":"new","name":"naiber-llm","value":"`+llmSecret+`"}`)
	st.secret, _ = body["secret_id"].(string)
	_, body = st.request("POST", "/v1/workspace/webhooks", `{"settings":{"auth_type":"hmac","name":"naiber","webhook_url":"`+modelURL+`/hook"}}`)
	hook, _ := body["webhook_id"].(string)
	st.key, _ = body["webhook_secret"].(string)
	doc := strings.NewReplacer("LLM", modelURL, "SECRET", st.secret, "HOOK", hook).Replace(agentDoc)
	for i := 0; i+1 < len(edits); i += 2 {
		if !strings.Contains(doc, edits[i]) {
			t.Fatalf("agent has no %s", edits[i])
		}
		doc = strings.Replace(doc, edits[i], edits[i+1], 1)
	}
	code, body := st.request("POST", "/v1/convai/agents/create", doc)
	if st.agent, _ = body["agent_id"].(string); code != 200 {
		t.Fatalf("create agent: %d %v", code, body)
	}
	return st
}

// testLog is where the service logs to: nowhere, unless one wants to look.
func testLog() io.Writer {
	if slices.Contains(os.Args, "-test.v=true") {
		return os.Stderr
	}
	return io.Discard
}

// model serves the custom LLM, and the webhook.
func (st *stage) model(w http.ResponseWriter, r *http.Request) {
	b, _ := io.ReadAll(r.Body)
	if r.URL.Path == "/hook" {
		r.Body = io.NopCloser(strings.NewReader(string(b)))
		st.hooks <- r
		return
	}
	a := ask{header: r.Header, path: r.URL.Path, raw: string(b)}
	if err := json.Unmarshal(b, &a.body); err != nil {
		st.t.Errorf("request to the model: %v", err)
	}
	st.asks <- a
	st.mu.Lock()
	var f func(http.ResponseWriter, *http.Request)
	if len(st.answers) > 0 {
		f = st.answers[0]
		if len(st.answers) > 1 {
			st.answers = st.answers[1:]
		}
	}
	st.mu.Unlock()
	if f == nil {
		f = says("I see.")
	}
	f(w, r)
}

// answer makes the model answer so, one after the other; the last again and
// again.
func (st *stage) answer(answers ...func(http.ResponseWriter, *http.Request)) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.answers = answers
}

func event(w http.ResponseWriter, data string) {
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = io.WriteString(w, "data: "+data+"\n\n")
	_ = http.NewResponseController(w).Flush() // a client that is gone
}

func delta(content string) string {
	b, _ := json.Marshal(content)
	return `{"id":"c1","object":"chat.completion.chunk","created":1,"model":"naiber","choices":[{"index":0,"delta":{"content":` + string(b) + `},"finish_reason":null}]}`
}

const stop = `{"id":"c1","object":"chat.completion.chunk","created":1,"model":"naiber","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`

// says answers with the parts.
func says(parts ...string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) {
		for _, p := range parts {
			event(w, delta(p))
		}
		event(w, stop)
		event(w, "[DONE]")
	}
}

// calls answers with a tool call, after saying something.
func calls(name, args, said string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) {
		if said != "" {
			event(w, delta(said))
		}
		b, _ := json.Marshal(args)
		event(w, `{"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"`+name+`","arguments":""}}]},"finish_reason":null}]}`)
		event(w, `{"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":`+string(b)+`}}]},"finish_reason":null}]}`)
		event(w, strings.Replace(stop, `"stop"`, `"tool_calls"`, 1))
		event(w, "[DONE]")
	}
}

// status answers with a status alone.
func status(code int) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", code) }
}

// hangs never answers.
func hangs(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

// request sends a REST request and returns status and body.
func (st *stage) request(method, path, body string) (int, map[string]any) {
	st.t.Helper()
	req, err := http.NewRequestWithContext(st.t.Context(), method, voiceURL+path, strings.NewReader(body))
	if err != nil {
		st.t.Fatal(err)
	}
	req.Header.Set("xi-api-key", apiKey)
	resp, err := st.client.Do(req)
	if err != nil {
		st.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	var out map[string]any
	b, _ := io.ReadAll(resp.Body)
	if len(b) > 0 {
		if err := json.Unmarshal(b, &out); err != nil {
			st.t.Fatalf("%s %s: %v: %s", method, path, err, b)
		}
	}
	return resp.StatusCode, out
}

func (st *stage) ask() ask {
	st.t.Helper()
	return wait(st.t, st.asks, "request to the model")
}

func wait[T any](t *testing.T, c <-chan T, what string) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(patience):
		t.Fatalf("no %s", what)
		panic("unreachable")
	}
}

// caller is a client of the conversation socket. It hears what it is sent at
// once, and sends silence as a telephone does when it does not speak.
type caller struct {
	t      *testing.T
	conn   *websocket.Conn
	id     string
	events chan map[string]any
	closed chan websocket.CloseError
	speech chan []byte
	done   chan struct{}
	hush   func() // stops even the silence
}

const initData = `{"type":"conversation_initiation_client_data","custom_llm_extra_body":{"call":"c_1","token":"t"},"user_id":"u_17"}`

// call opens a conversation and waits for its metadata.
func (st *stage) call(init string) *caller {
	st.t.Helper()
	c := st.dial(init)
	meta, _ := c.next("conversation_initiation_metadata")["conversation_initiation_metadata_event"].(map[string]any)
	c.id, _ = meta["conversation_id"].(string)
	return c
}

// dial opens a conversation and sends init.
func (st *stage) dial(init string) *caller {
	st.t.Helper()
	code, body := st.request("GET", "/v1/convai/conversation/get-signed-url?agent_id="+st.agent, "")
	if code != 200 {
		st.t.Fatalf("signed URL: %d %v", code, body)
	}
	url, _ := body["signed_url"].(string)
	conn, _, err := websocket.Dial(st.t.Context(), url, &websocket.DialOptions{HTTPClient: st.client}) //nolint:bodyclose // the library closes it
	if err != nil {
		st.t.Fatal(err)
	}
	conn.SetReadLimit(1 << 20)
	c := &caller{
		t: st.t, conn: conn, events: make(chan map[string]any, 5000), closed: make(chan websocket.CloseError, 1),
		speech: make(chan []byte, 10), done: make(chan struct{}),
	}
	c.hush = sync.OnceFunc(func() { close(c.done) })
	var wg sync.WaitGroup
	wg.Go(c.read)
	c.send(init) // before any frame
	wg.Go(c.talk)
	st.t.Cleanup(func() {
		c.hush()
		_ = conn.CloseNow()
		wg.Wait()
	})
	return c
}

func (c *caller) read() {
	defer close(c.events)
	for {
		_, b, err := c.conn.Read(c.t.Context())
		if err != nil {
			c.closed <- websocket.CloseError{Code: websocket.CloseStatus(err), Reason: err.Error()}
			return
		}
		var m map[string]any
		if err := json.Unmarshal(b, &m); err != nil {
			c.t.Errorf("event is not JSON: %s", b)
		}
		if m["type"] == "ping" {
			ev, _ := m["ping_event"].(map[string]any)
			c.send(fmt.Sprintf(`{"type":"pong","event_id":%v}`, ev["event_id"]))
		}
		c.events <- m
	}
}

// talk sends a frame every 20 ms: what is being said, or silence.
func (c *caller) talk() {
	tick := time.NewTicker(frame)
	defer tick.Stop()
	var now []byte
	for {
		select {
		case <-c.done:
			return
		case <-tick.C:
		}
		if len(now) == 0 {
			select {
			case now = <-c.speech:
			default:
				now = audio.Quiet(audio.FrameBytes)
			}
		}
		if c.chunk(now[:audio.FrameBytes]) != nil {
			return
		}
		now = now[audio.FrameBytes:]
	}
}

func (c *caller) chunk(p []byte) error {
	msg := `{"user_audio_chunk":"` + base64.StdEncoding.EncodeToString(p) + `"}`
	return c.conn.Write(c.t.Context(), websocket.MessageText, []byte(msg)) //nolint:wrapcheck // a test
}

func (c *caller) send(msg string) {
	_ = c.conn.Write(c.t.Context(), websocket.MessageText, []byte(msg)) // a closed socket shows elsewhere
}

// say speaks; at 600 words a minute.
func (c *caller) say(text string) { c.speech <- audio.Encode(text, 600) }

// next waits for an event of the kind.
func (c *caller) next(kind string) map[string]any {
	c.t.Helper()
	m, _ := c.until(kind)
	return m
}

// until waits for an event of the kind and returns it, and those before it.
func (c *caller) until(kind string) (found map[string]any, before []map[string]any) {
	c.t.Helper()
	deadline := time.After(patience)
	for {
		select {
		case m, ok := <-c.events:
			if !ok {
				c.t.Fatalf("conversation ended before %s: %v", kind, kinds(before))
			}
			if m["type"] == kind {
				return m, before
			}
			before = append(before, m)
		case <-deadline:
			c.t.Fatalf("no %s: %v", kind, kinds(before))
		}
	}
}

func kinds(events []map[string]any) []any {
	var out []any
	for _, e := range events {
		out = append(out, e["type"])
	}
	return out
}

// response waits for the agent's next text.
func (c *caller) response() (text string, id int) {
	c.t.Helper()
	ev, _ := c.next("agent_response")["agent_response_event"].(map[string]any)
	text, _ = ev["agent_response"].(string)
	n, _ := ev["event_id"].(float64)
	return text, int(n)
}

// hears waits until the words have come.
func (c *caller) hears(words string) {
	c.t.Helper()
	var (
		d     audio.Decoder
		w     audio.Words
		heard []string
	)
	for !strings.HasSuffix(strings.Join(heard, " "), words) {
		for _, piece := range d.Write(audioOf(c.t, c.next("audio"))) {
			heard = append(heard, w.Add(piece)...)
		}
	}
}

func audioOf(t *testing.T, m map[string]any) []byte {
	t.Helper()
	ev, _ := m["audio_event"].(map[string]any)
	text, _ := ev["audio_base_64"].(string)
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// ends waits for the close, and the error before it.
func (c *caller) ends() (code int, kind, reason string) {
	c.t.Helper()
	deadline := time.After(patience)
	for {
		select {
		case m, ok := <-c.events:
			if !ok {
				e := wait(c.t, c.closed, "close")
				return int(e.Code), kind, e.Reason
			}
			if ev, ok := m["error_event"].(map[string]any); ok {
				kind, _ = ev["error_type"].(string)
			}
		case <-deadline:
			c.t.Fatal("no close")
		}
	}
}

// played waits until the agent has been heard to its end.
func (c *caller) played(text string) {
	c.t.Helper()
	n := len(audio.Encode(text, 600)) / audio.FrameBytes
	<-time.After(time.Duration(n+10) * frame)
}
