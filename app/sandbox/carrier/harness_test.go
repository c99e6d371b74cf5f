package carrier_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/naiber/naiber/app/sandbox/audio"
	"github.com/naiber/naiber/app/sandbox/carrier"
	"github.com/naiber/naiber/app/sandbox/faults"
	"github.com/naiber/naiber/internal/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

const (
	account = "AC0000000000000000000000000000test"
	token   = "auth-token-of-the-test"
	ours    = "+15550100999"
	elder   = "+15550100123"
	// frame lets ten seconds of audio pass in one.
	frame  = 2 * time.Millisecond
	second = 100 * time.Millisecond
	// patience is how long a test waits for what must come.
	patience = 15 * time.Second
)

// hook is a webhook that the account's server got.
type hook struct {
	path, url, signature, token, method string
	form                                url.Values
}

// world is a carrier, and the server of the account that uses it.
type world struct {
	t       *testing.T
	carrier *carrier.Carrier
	rest    *httptest.Server
	app     *httptest.Server
	faults  *faults.Set
	hooks   chan hook
	peers   chan *peer
	rings   chan *carrier.Ring

	mu     sync.Mutex // guards what follows
	twiml  map[string]string
	status map[string][]int // statuses to answer before 200, by path
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{
		t: t, faults: new(faults.Set),
		hooks: make(chan hook, 100), peers: make(chan *peer, 10), rings: make(chan *carrier.Ring, 10),
		twiml: map[string]string{}, status: map[string][]int{},
	}
	w.app = httptest.NewServer(http.HandlerFunc(w.serve))
	cfg := carrier.Config{
		AccountSID: account, AuthToken: token, Number: ours,
		VoiceURL: w.app.URL + "/voice", TextURL: w.app.URL + "/sms", StatusCallback: w.app.URL + "/ended",
		FrameInterval: frame, Second: second, WPM: 600, Faults: w.faults,
		Log: slog.New(slog.DiscardHandler),
		Answer: func(_ context.Context, r *carrier.Ring) {
			w.rings <- r
		},
	}
	w.carrier = carrier.New(cfg)
	w.rest = httptest.NewServer(w.carrier.Handler())
	t.Cleanup(func() {
		if err := w.carrier.Close(); err != nil {
			t.Error(err)
		}
		w.rest.Close()
		w.app.Close()
		http.DefaultClient.CloseIdleConnections()
	})
	return w
}

// serve is the account's server.
func (w *world) serve(rw http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/media" {
		w.media(rw, r)
		return
	}
	if r.URL.Path == "/refuse" {
		http.Error(rw, "no", http.StatusForbidden)
		return
	}
	_ = r.ParseForm()
	w.hooks <- hook{
		path: r.URL.Path, url: w.app.URL + r.URL.RequestURI(), method: r.Method, form: r.PostForm,
		signature: r.Header.Get("X-Twilio-Signature"), token: r.Header.Get("I-Twilio-Idempotency-Token"),
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if s := w.status[r.URL.Path]; len(s) > 0 {
		w.status[r.URL.Path] = s[1:]
		rw.WriteHeader(s[0])
		return
	}
	if doc, ok := w.twiml[r.URL.Path]; ok {
		rw.Header().Set("Content-Type", "text/xml")
		_, _ = io.WriteString(rw, doc)
		return
	}
	rw.WriteHeader(http.StatusNoContent)
}

func (w *world) serves(path, doc string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.twiml[path] = doc
}

// peer is the server's end of a media stream.
type peer struct {
	t        *testing.T
	conn     *websocket.Conn
	header   http.Header
	messages chan map[string]any
	sid      string
	start    map[string]any
	left     chan struct{}
}

func (w *world) media(rw http.ResponseWriter, r *http.Request) {
	conn, err := websocket.Accept(rw, r, nil)
	if err != nil {
		return
	}
	defer func() { _ = conn.CloseNow() }()
	p := &peer{t: w.t, conn: conn, header: r.Header, messages: make(chan map[string]any, 5000), left: make(chan struct{})}
	w.peers <- p
	defer close(p.messages)
	for {
		_, b, err := conn.Read(r.Context())
		if err != nil {
			return
		}
		var m map[string]any
		if err := json.Unmarshal(b, &m); err != nil {
			w.t.Errorf("message is not JSON: %s", b)
		}
		p.messages <- m
	}
}

// next waits for a message of the event.
func (p *peer) next(event string) map[string]any {
	p.t.Helper()
	deadline := time.After(patience)
	for {
		select {
		case m, ok := <-p.messages:
			if !ok {
				p.t.Fatalf("stream ended before %s", event)
			}
			if m["event"] == event {
				return m
			}
		case <-deadline:
			p.t.Fatalf("no %s", event)
		}
	}
}

// hears waits until the words have come up the stream.
func (p *peer) hears(words string) {
	p.t.Helper()
	var (
		d     audio.Decoder
		ws    audio.Words
		heard []string
	)
	for deadline := time.Now().Add(patience); strings.Join(heard, " ") != words; {
		if time.Now().After(deadline) {
			p.t.Fatalf("heard %q, want %q", heard, words)
		}
		for _, piece := range d.Write(payload(p.t, p.next("media"))) {
			heard = append(heard, ws.Add(piece)...)
		}
	}
}

func payload(t *testing.T, m map[string]any) []byte {
	t.Helper()
	body, _ := m["media"].(map[string]any)
	text, _ := body["payload"].(string)
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		t.Fatalf("payload: %v", err)
	}
	return b
}

func (p *peer) send(format string, args ...string) {
	p.t.Helper()
	msg := strings.NewReplacer(append([]string{"SID", p.sid}, args...)...).Replace(format)
	if err := p.conn.Write(p.t.Context(), websocket.MessageText, []byte(msg)); err != nil {
		p.t.Errorf("send: %v", err)
	}
}

// play sends words in pieces of an awkward size.
func (p *peer) play(text string, wpm int) {
	p.t.Helper()
	b := audio.Encode(text, wpm)
	for len(b) > 0 {
		n := min(777, len(b))
		p.send(`{"event":"media","streamSid":"SID","media":{"payload":"AUDIO"}}`, "AUDIO", base64.StdEncoding.EncodeToString(b[:n]))
		b = b[n:]
	}
}

func (p *peer) mark(name string) {
	p.t.Helper()
	p.send(`{"event":"mark","streamSid":"SID","mark":{"name":"NAME"}}`, "NAME", name)
}

func (p *peer) clear() {
	p.t.Helper()
	p.send(`{"event":"clear","streamSid":"SID"}`)
}

// stream is TwiML for a stream to the server, and what comes after it.
func (w *world) stream(after string) string {
	return `<Response><Connect><Stream url="` + strings.Replace(w.app.URL, "http", "ws", 1) +
		`/media" name="main"><Parameter name="call" value="c_1"/><Parameter name="token" value="a&amp;b"/></Stream></Connect>` + after + `</Response>`
}

// post sends a REST request and returns status and body.
func (w *world) post(path string, form url.Values) (int, map[string]any) {
	w.t.Helper()
	return w.request(http.MethodPost, path, form)
}

func (w *world) request(method, path string, form url.Values) (int, map[string]any) {
	w.t.Helper()
	req, err := http.NewRequestWithContext(w.t.Context(), method, w.rest.URL+"/2010-04-01/Accounts/"+account+path, strings.NewReader(form.Encode()))
	if err != nil {
		w.t.Fatal(err)
	}
	req.SetBasicAuth(account, token)
	if form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	var body map[string]any
	if err := json.NewDecoder(resp.Body).Decode(&body); err != nil {
		w.t.Fatalf("%s %s: %v", method, path, err)
	}
	return resp.StatusCode, body
}

// callForm is a good request for a call with inline TwiML.
func (w *world) callForm(twiml string) url.Values {
	return url.Values{
		"To": {elder}, "From": {ours}, "Twiml": {twiml}, "Timeout": {"20"},
		"StatusCallback":      {w.app.URL + "/status"},
		"StatusCallbackEvent": {"initiated", "ringing", "answered", "completed"},
	}
}

// place places a call and returns its SID.
func (w *world) place(form url.Values) string {
	w.t.Helper()
	code, body := w.post("/Calls.json", form)
	if code != http.StatusCreated || body["status"] != "queued" {
		w.t.Fatalf("create: %d %v", code, body)
	}
	sid, _ := body["sid"].(string)
	return sid
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

// answered places a call with a stream, answers it, and returns both ends.
func (w *world) answered(after string) (sid string, h *carrier.Handset, p *peer) {
	w.t.Helper()
	sid = w.place(w.callForm(w.stream(after)))
	h, err := wait(w.t, w.rings, "ring").Answer()
	if err != nil {
		w.t.Fatal(err)
	}
	return sid, h, w.peer()
}

// peer waits for a stream and its start.
func (w *world) peer() *peer {
	w.t.Helper()
	p := wait(w.t, w.peers, "stream")
	p.next("connected")
	p.start = p.next("start")
	p.sid, _ = p.start["streamSid"].(string)
	return p
}

// hook waits for a webhook to path and checks its signature.
func (w *world) hook(path string) hook {
	w.t.Helper()
	for {
		h := wait(w.t, w.hooks, "webhook to "+path)
		if h.path == path {
			return h
		}
	}
}

// statuses waits for the final status callback and returns all of them.
func (w *world) statuses() []string {
	w.t.Helper()
	var out []string
	for {
		f := w.hook("/status").form
		out = append(out, f.Get("CallStatus"))
		switch f.Get("CallStatus") {
		case "completed", "busy", "no-answer", "canceled", "failed":
			return out
		}
	}
}

// heard waits for an event of the kind and returns it, and the words before it.
func heard(t *testing.T, h *carrier.Handset, kind carrier.HeardKind) (carrier.HeardEvent, []string) {
	t.Helper()
	var words []string
	deadline := time.After(patience)
	for {
		select {
		case e, ok := <-h.Heard():
			if !ok {
				t.Fatalf("call ended before %s; heard %q", kind, words)
			}
			if e.Kind == kind {
				return e, words
			}
			if e.Kind == carrier.HeardWord {
				words = append(words, e.Text+map[bool]string{true: "-"}[e.Partial])
			}
		case <-deadline:
			t.Fatalf("no %s; heard %q", kind, words)
		}
	}
}

func atoi(t *testing.T, v any) int {
	t.Helper()
	s, ok := v.(string)
	if !ok {
		t.Fatalf("%v is not a string", v)
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
