package telephony

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/telephony/elevenlabs"
	"github.com/naiber/naiber/telephony/prompts"
)

// pipeListener is a network of in-memory connections, so that servers run under
// synctest.
type pipeListener struct {
	conns chan net.Conn
	once  sync.Once
	done  chan struct{}
}

func newPipeListener() *pipeListener {
	return &pipeListener{conns: make(chan net.Conn), done: make(chan struct{})}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error   { l.once.Do(func() { close(l.done) }); return nil }
func (l *pipeListener) Addr() net.Addr { return &net.TCPAddr{} }

func (l *pipeListener) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case l.conns <- theirs:
		return ours, nil
	case <-l.done:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// rig is a bridge with a stand-in for Twilio's end and one for ElevenLabs', in
// memory, and a log of all that comes out. The bridge itself, its calls and their
// sockets are the real ones.
type rig struct {
	t       *testing.T
	bridge  *bridge
	metrics *metrics
	reg     *prometheus.Registry
	phones  *pipeListener
	voices  *pipeListener

	mu        sync.Mutex // guards what follows
	lines     []string
	tokens    map[string]calls.Call
	voice     *websocket.Conn
	phone     *websocket.Conn
	opened    int
	signErr   error
	optOutErr error
	nobody    bool // was found to be the person
	unwanted  *Refusal
	with      *calls.Connected // to whom the person was put through
	lookErr   error            // asking for that fails
	takeErr   error
	agents    []string // whose addresses were asked for
	bookErrs  int
	tells     *disclosed    // what the first words disclose
	marks     []string      // that the phone has not returned
	stalled   chan struct{} // not nil: the phone takes no data until it is closed
	deaf      chan struct{} // the same for the voice service
	wg        sync.WaitGroup
}

var rigCall = calls.Call{
	ID: mustCallID("01900000-0000-7000-8000-000000000001"), Type: calls.CallGeneral, Direction: calls.Outbound,
	Phone: "+15550100123", SID: "CA01",
}

func mustCallID(s string) store.CallID {
	id, err := store.ParseCallID(s)
	if err != nil {
		panic(err)
	}
	return id
}

// newRig must be called in a synctest bubble.
// somebody is who is called in scenes.
var somebody = store.NewPersonID()

func newRig(t *testing.T) *rig {
	t.Helper()
	cfg := Config{
		TimeLimit: 20 * time.Minute, StreamStartTimeout: 10 * time.Second, SilenceHangUp: 90 * time.Second,
		ReconnectLimit: 3, ReconnectGrace: 30 * time.Second, GoodbyeCap: 2 * time.Second,
	}
	r := &rig{t: t, phones: newPipeListener(), voices: newPipeListener(), tokens: map[string]calls.Call{"t1": rigCall}}
	r.reg = prometheus.NewRegistry()
	r.metrics = newMetrics(r.reg)
	r.bridge = &bridge{common{
		cfg: cfg, live: newRegistry(), log: slog.New(slog.DiscardHandler), metrics: r.metrics,
		do: deps{
			verify: func(req *http.Request) error {
				if req.Header.Get("X-Twilio-Signature") != "good" {
					return errors.New("signature is missing or wrong")
				}
				return nil
			},
			take: r.take,
			line: func(_ context.Context, c calls.Call) (calls.Line, bool, error) {
				if c.Verified == "" && !r.nobody {
					c.PersonID, c.Verified = somebody, calls.Presumed
				}
				return calls.Line{Call: c, Person: people.Person{ID: somebody}, ConversationID: c.ConversationID}, true, nil
			},
			spoken:   func(context.Context, store.CallID) (int, error) { return 2, nil },
			unwanted: func(context.Context, calls.Call) (*Refusal, error) { return r.unwanted, nil },
			signedURL: func(_ context.Context, agent string) (string, error) {
				r.mu.Lock()
				defer r.mu.Unlock()
				r.agents = append(r.agents, agent)
				return "ws://voice/", r.signErr
			},
			opening: func(_ context.Context, l calls.Line, again bool) (elevenlabs.Init, *disclosed, error) {
				if again {
					prompt := "again, after " + l.Call.ConversationID
					if cameBack(l.Call.Connected, time.Now()) {
						prompt += " and somebody else"
					}
					return elevenlabs.Init{Prompt: prompt}, nil, nil
				}
				return elevenlabs.Init{Prompt: "hello"}, r.tells, nil
			},
			dial: func(ctx context.Context, url string) (*websocket.Conn, func() bool, error) {
				tr := &http.Transport{DialContext: r.voices.dial}
				defer tr.CloseIdleConnections()
				conn, _, err := websocket.Dial(ctx, url, &websocket.DialOptions{HTTPClient: &http.Client{Transport: tr}}) //nolint:bodyclose // the library closes it
				return conn, nil, err
			},
			hangUp: func(_ context.Context, sid string) error {
				r.logf("world: hang up %s", sid)
				r.twilioStops()
				return nil
			},
			say: func(_ context.Context, _ calls.Line, name prompts.Name) error {
				r.logf("world: say %s", name)
				r.twilioStops()
				return nil
			},
			optOut: func(_ context.Context, c calls.Call) error {
				r.logf("world: opted out %t", c.PersonID.Known())
				return r.optOutErr
			},
			finish: func(_ context.Context, _ store.CallID, end calls.Ending) error {
				r.logf("world: finish %s, cause %s by %s", end.Outcome, end.Cause, end.By)
				return nil
			},
			call: func(context.Context, store.CallID) (calls.Call, error) {
				r.mu.Lock()
				defer r.mu.Unlock()
				if r.lookErr != nil {
					return calls.Call{}, r.lookErr
				}
				return calls.Call{Connected: r.with}, nil
			},
			takeBack: func(context.Context, calls.Call) error {
				r.logf("world: take back")
				return r.takeErr
			},
			book: r,
		},
	}}
	r.serve(r.phones, http.HandlerFunc(r.bridge.serve))
	r.serve(r.voices, http.HandlerFunc(r.serveVoice))
	return r
}

func (r *rig) serve(l net.Listener, h http.Handler) {
	srv := &http.Server{Handler: h, ReadHeaderTimeout: time.Minute, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)}
	r.wg.Go(func() { _ = srv.Serve(l) })
	r.t.Cleanup(func() { _ = srv.Close() })
}

// close ends what is left; every call must have ended or will now.
func (r *rig) close() {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	_ = r.bridge.live.drain(ended)
	r.mu.Lock()
	phone, voice, stalled := r.phone, r.voice, r.stalled
	r.mu.Unlock()
	if stalled != nil {
		close(stalled)
	}
	for _, c := range []*websocket.Conn{phone, voice} {
		if c != nil {
			_ = c.CloseNow()
		}
	}
	_ = r.phones.Close()
	_ = r.voices.Close()
	r.wg.Wait()
}

func (r *rig) logf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines = append(r.lines, fmt.Sprintf(format, args...))
}

// take spends a token, as the database does.
func (r *rig) take(_ context.Context, token string) (calls.Call, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c, ok := r.tokens[token]
	if !ok {
		return calls.Call{}, fmt.Errorf("take stream token: %w", store.ErrNotFound)
	}
	delete(r.tokens, token)
	c.Connected = r.with
	return c, nil
}

// said drains the log, by source: what one source did keeps its order, while
// sources have none among themselves.
func (r *rig) said() []string {
	synctest.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	lines := r.lines
	r.lines = nil
	slices.SortStableFunc(lines, func(a, b string) int {
		return strings.Compare(strings.SplitN(a, ":", 2)[0], strings.SplitN(b, ":", 2)[0])
	})
	return lines
}

// Twilio's end.

func (r *rig) dialPhone(signature string) error {
	tr := &http.Transport{DialContext: r.phones.dial}
	defer tr.CloseIdleConnections()
	header := http.Header{}
	if signature != "" {
		header.Set("X-Twilio-Signature", signature)
	}
	conn, resp, err := websocket.Dial(r.t.Context(), "ws://phone/outbound-media-stream", //nolint:bodyclose // the library closes it
		&websocket.DialOptions{HTTPClient: &http.Client{Transport: tr}, HTTPHeader: header})
	if err != nil {
		if resp != nil {
			r.logf("phone: refused with %d", resp.StatusCode)
		}
		return err
	}
	conn.SetReadLimit(16 << 20)
	r.mu.Lock()
	r.phone, r.marks = conn, nil
	stalled := r.stalled
	r.mu.Unlock()
	r.wg.Go(func() { r.readPhone(conn, stalled) })
	return nil
}

func (r *rig) readPhone(conn *websocket.Conn, stalled chan struct{}) {
	for {
		if stalled != nil {
			<-stalled
		}
		_, b, err := conn.Read(noDeadline)
		if err != nil {
			r.logf("phone: closed, %s", closeWord(err))
			return
		}
		r.logf("phone: %s", b)
		var m struct {
			Event string
			Mark  struct{ Name string }
		}
		if json.Unmarshal(b, &m) == nil && m.Event == "mark" {
			r.mu.Lock()
			r.marks = append(r.marks, m.Mark.Name)
			r.mu.Unlock()
		}
	}
}

func (r *rig) toPhone(conn *websocket.Conn, message string) {
	if err := conn.Write(noDeadline, websocket.MessageText, []byte(message)); err != nil {
		r.logf("phone: cannot send, %s", closeWord(err))
	}
}

// twilioStops is what Twilio does when a call is hung up or redirected.
func (r *rig) twilioStops() {
	r.mu.Lock()
	conn := r.phone
	stalled := r.stalled
	r.mu.Unlock()
	if conn != nil && stalled == nil {
		_ = conn.Write(noDeadline, websocket.MessageText, []byte(`{"event":"stop","streamSid":"MZ01","stop":{"callSid":"CA01"}}`))
	}
}

// ElevenLabs' end.

func (r *rig) serveVoice(w http.ResponseWriter, req *http.Request) {
	conn, err := websocket.Accept(w, req, nil)
	if err != nil {
		return
	}
	r.mu.Lock()
	r.voice = conn
	r.opened++
	n := r.opened
	r.mu.Unlock()
	for {
		r.mu.Lock()
		deaf := r.deaf
		r.mu.Unlock()
		if deaf != nil {
			<-deaf
		}
		_, b, err := conn.Read(noDeadline)
		if err != nil {
			r.logf("voice%d: closed, %s", n, closeWord(err))
			_ = conn.CloseNow()
			return
		}
		r.logf("voice%d: %s", n, b)
	}
}

func closeWord(err error) string {
	if ce, ok := errors.AsType[websocket.CloseError](err); ok {
		return fmt.Sprintf("%d %s", ce.Code, ce.Reason)
	}
	return "abnormally"
}

// The database's.

func (r *rig) refuseBook() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.bookErrs > 0 {
		r.bookErrs--
		return errors.New("database is away")
	}
	return nil
}

func (r *rig) AddUtterance(_ context.Context, u calls.Utterance) (calls.Utterance, error) {
	if err := r.refuseBook(); err != nil {
		return u, err
	}
	r.logf("book: %s said %q in %s, %d", u.Role, u.Text, u.ConversationID, u.EventID)
	return u, nil
}

func (r *rig) CorrectUtterance(_ context.Context, _ store.CallID, conv string, event int64, _, heard string) (bool, error) {
	if err := r.refuseBook(); err != nil {
		return false, err
	}
	r.logf("book: correct %s, %d to %q", conv, event, heard)
	return true, nil
}

func (r *rig) AddEvent(_ context.Context, _ store.CallID, kind string, data []byte, _ string) (bool, error) {
	if err := r.refuseBook(); err != nil {
		return false, err
	}
	r.logf("book: event %s %s", kind, data)
	return true, nil
}

func (r *rig) AddConversation(_ context.Context, _ store.CallID, conv string) error {
	r.logf("book: conversation %s", conv)
	return r.refuseBook()
}

func (r *rig) SetFirstWord(_ context.Context, _ store.CallID, d time.Duration) error {
	r.logf("book: first word after %s", d)
	return r.refuseBook()
}

// count is a metric's value, or a histogram's number of observations, with the
// given label where there is one.
func (r *rig) count(name, label string) (sum float64) {
	r.t.Helper()
	families, err := r.reg.Gather()
	if err != nil {
		r.t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() != "naiber_call_"+name {
			continue
		}
		for _, m := range f.GetMetric() {
			matches := label == ""
			for _, l := range m.GetLabel() {
				matches = matches || l.GetValue() == label
			}
			if matches {
				sum += m.GetCounter().GetValue() + m.GetGauge().GetValue() + float64(m.GetHistogram().GetSampleCount())
			}
		}
	}
	return sum
}
