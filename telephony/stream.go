package telephony

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/survive"
	"github.com/naiber/naiber/telephony/elevenlabs"
	"github.com/naiber/naiber/telephony/prompts"
	"github.com/naiber/naiber/telephony/twilio"
)

const (
	// streamReadLimit bounds one message from Twilio. Audio comes in 20 ms pieces of 300 bytes; the
	// start message contains at most 500 characters for each parameter.
	streamReadLimit = 128 << 10

	// takeTimeout bounds the database queries before a stream is accepted.
	takeTimeout = 5 * time.Second

	// paramToken is the TwiML parameter that contains the one-use token.
	paramToken = "token"
)

// The reasons for refusing a stream. Their texts appear in Twilio's log, from the close frame.
var (
	errNoStart     = errors.New("no valid start message came")
	errToken       = errors.New("token is unknown or spent")
	errOtherCall   = errors.New("token belongs to another call")
	errUnavailable = errors.New("call cannot be looked up now")
)

// refusals holds the label of each refusal in metrics.
var refusals = map[error]string{errNoStart: "start", errToken: "token", errOtherCall: "other_call", errUnavailable: "unavailable"}

// serveStream serves the WebSocket over which Twilio streams a call's audio.
func (s *Service) serveStream(w http.ResponseWriter, r *http.Request) {
	b := bridge{common{cfg: s.cfg, do: s.deps(), live: s.live, log: s.log, metrics: s.metrics}}
	b.serve(w, r)
}

// common holds what the calls of a process share.
type common struct {
	cfg     Config
	do      deps
	live    *registry
	log     *slog.Logger
	metrics *metrics
}

// bridge binds media streams to calls.
type bridge struct{ common }

// serve handles one request for a media stream and carries the stream to its end.
//
// The signature is checked before the upgrade. Twilio sends our own parameters only afterwards, so
// the token is checked then. Until that, nothing changes except that the token is spent.
func (b *bridge) serve(w http.ResponseWriter, r *http.Request) {
	if err := b.do.verify(r); err != nil {
		b.refused(r.Context(), "signature", err)
		http.Error(w, http.StatusText(http.StatusForbidden), http.StatusForbidden)
		return
	}
	if !b.live.admits() {
		b.refused(r.Context(), "draining", nil)
		http.Error(w, http.StatusText(http.StatusServiceUnavailable), http.StatusServiceUnavailable)
		return
	}
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{
		// Twilio sends no Origin, and a browser could not sign the request.
		InsecureSkipVerify: true,
		// Compression makes Twilio fail with 31924.
		CompressionMode: websocket.CompressionDisabled,
	})
	if err != nil { // already answered
		b.refused(r.Context(), "upgrade", err)
		return
	}
	defer func() { _ = conn.CloseNow() }() // no-op after a proper close
	conn.SetReadLimit(streamReadLimit)
	// The request's context may not be used after the upgrade.
	ctx := context.WithoutCancel(r.Context())
	st := &stream{socket: socket{conn: conn}, gone: make(chan struct{})}
	call, err := b.open(ctx, st)
	if err != nil {
		b.refuse(ctx, conn, err)
		return
	}
	b.metrics.streams.WithLabelValues("accepted").Inc()
	b.carry(st, call) //nolint:contextcheck // see noDeadline
}

// open waits for the start message and binds the stream to its call.
func (b *bridge) open(ctx context.Context, st *stream) (*liveCall, error) {
	start, err := b.awaitStart(st) //nolint:contextcheck // see noDeadline
	if err != nil {
		return nil, err
	}
	st.sid, st.callSID = start.StreamSID, start.CallSID
	st.wrongFormat = !start.Format.ULaw8k()
	url, abandon := fetchURL(ctx, b.log, b.urlOf(calls.CallGeneral)) // fetched while the token is checked
	call, err := b.take(ctx, start)
	if err != nil {
		abandon()
		return nil, err
	}
	if kind := call.now().Call.Type; b.cfg.agentOf(kind) != b.cfg.AgentID {
		abandon() // the call type is known only now
		url, _ = fetchURL(ctx, b.log, b.urlOf(kind))
	}
	st.url = url
	return call, nil
}

// agentOf returns the agent that speaks in calls of a type. The agents differ in how long they wait
// for a person who thinks, which cannot be changed for one conversation.
func (c Config) agentOf(kind calls.CallType) string {
	if kind == calls.CallCognitive && c.CognitiveAgentID != "" {
		return c.CognitiveAgentID
	}
	return c.AgentID
}

// urlOf returns a function that fetches an address for a conversation in a call of a type.
func (c *common) urlOf(kind calls.CallType) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) { return c.do.signedURL(ctx, c.cfg.agentOf(kind)) }
}

func (b *bridge) awaitStart(st *stream) (*twilio.Start, error) {
	late := time.AfterFunc(b.cfg.StreamStartTimeout, func() {
		_ = st.conn.Close(websocket.StatusPolicyViolation, errNoStart.Error())
	})
	defer late.Stop()
	var (
		buf []byte
		m   twilio.Message
		err error
	)
	for {
		if buf, err = st.read(buf); err != nil {
			return nil, fmt.Errorf("%w: %w", errNoStart, err)
		}
		if err := twilio.Decode(buf, &m); err != nil {
			return nil, fmt.Errorf("%w: %w", errNoStart, err)
		}
		switch m.Event {
		case twilio.EventStart:
			return m.Start, nil
		case twilio.EventConnected, twilio.EventUnknown:
		default:
			return nil, fmt.Errorf("%w: %s came before it", errNoStart, m.Event)
		}
	}
}

// take spends the token and returns its call, which it starts here if it does not run yet.
func (b *bridge) take(ctx context.Context, start *twilio.Start) (*liveCall, error) {
	ctx, cancel := context.WithTimeout(ctx, takeTimeout)
	defer cancel()
	token := start.Parameters[paramToken]
	if token == "" {
		return nil, errToken
	}
	row, err := b.do.take(ctx, token)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil, errToken
	case err != nil:
		return nil, fmt.Errorf("%w: %w", errUnavailable, err)
	case row.SID != "" && row.SID != string(start.CallSID):
		return nil, errOtherCall
	}
	row.SID = string(start.CallSID)
	if c, here := b.live.get(row.ID); here {
		c.facts.set(func(f *facts) { f.line.Call.Connected = row.Connected })
		return c, nil
	}
	line, keepWords, err := b.do.line(ctx, row)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errUnavailable, err)
	}
	spoken := 0
	if row.ConversationID != "" { // another process began it
		if spoken, err = b.do.spoken(ctx, row.ID); err != nil {
			return nil, fmt.Errorf("%w: %w", errUnavailable, err)
		}
	}
	var unwanted *Refusal
	if row.ConversationID == "" { // consent may have been withdrawn while it rang
		if unwanted, err = b.do.unwanted(ctx, row); err != nil {
			return nil, fmt.Errorf("%w: %w", errUnavailable, err)
		}
	}
	c, ok := b.live.begin(row.ID, func() *liveCall { //nolint:contextcheck // a call outlives the request that began it
		c := newLiveCall(b.common, line, keepWords, spoken)
		c.unwanted = unwanted
		return c
	})
	if !ok {
		return nil, errUnavailable // Twilio asks for a reconnection, and another process takes the call
	}
	return c, nil
}

// carry passes the stream to its call and reads it until it ends.
func (b *bridge) carry(st *stream, call *liveCall) {
	stop := st.watch(func() { b.metrics.stalls.WithLabelValues("twilio").Inc() })
	defer stop()
	if !call.tell(func(ctx context.Context) *verdict { return call.onStream(ctx, st) }) {
		close(st.gone)
		_, _ = st.url()
		_ = st.conn.Close(websocket.StatusNormalClosure, "call has ended")
		return
	}
	stopped := call.readPhone(st)
	close(st.gone)
	call.tell(func(context.Context) *verdict { return call.onStreamEnded(st, stopped) })
	// After stop Twilio closes the socket; if it does not, or the line broke, we do.
	_ = st.conn.Close(websocket.StatusNormalClosure, "")
}

// refuse closes a stream that is refused because of err.
func (b *bridge) refuse(ctx context.Context, conn *websocket.Conn, err error) {
	code, why := websocket.StatusPolicyViolation, errToken
	for reason := range refusals {
		if errors.Is(err, reason) {
			why = reason
		}
	}
	if why == errUnavailable { //nolint:errorlint // it was just chosen
		code = websocket.StatusInternalError
	}
	b.refused(ctx, refusals[why], err)
	_ = conn.Close(code, why.Error())
}

func (b *bridge) refused(ctx context.Context, label string, err error) {
	b.metrics.streams.WithLabelValues(label).Inc()
	b.log.LogAttrs(ctx, slog.LevelWarn, "media stream refused", slog.String("reason", label), slog.Any("err", err))
}

// fetchURL fetches a conversation's address in the background. answer waits for it, and may be
// called any number of times; abandon cancels the fetch and waits for its end.
func fetchURL(ctx context.Context, log *slog.Logger, fetch func(context.Context) (string, error)) (answer func() (string, error), abandon func()) {
	ctx, cancel := context.WithTimeout(ctx, openTimeout)
	answer = sync.OnceValues(func() (url string, err error) {
		defer cancel()
		err = survive.Try(log, "signed_url", func() (err error) {
			url, err = fetch(ctx)
			return err
		})
		return url, err
	})
	go func() { _, _ = answer() }()
	return answer, func() {
		cancel()
		_, _ = answer()
	}
}

// deps holds everything that a live call does outside of its two sockets. Tests replace it.
type deps struct {
	verify    func(r *http.Request) error
	take      func(ctx context.Context, token string) (calls.Call, error)
	line      func(ctx context.Context, c calls.Call) (line calls.Line, keepWords bool, err error)
	spoken    func(ctx context.Context, id store.CallID) (int, error)
	unwanted  func(ctx context.Context, c calls.Call) (*Refusal, error)
	signedURL func(ctx context.Context, agent string) (string, error)
	opening   func(ctx context.Context, line calls.Line, reconnect bool) (elevenlabs.Init, *disclosed, error)
	dial      func(ctx context.Context, url string) (conn *websocket.Conn, room func() bool, err error)
	hangUp    func(ctx context.Context, sid string) error
	say       func(ctx context.Context, line calls.Line, text prompts.Name) error // redirects the call: it speaks text, then hangs up
	optOut    func(ctx context.Context, c calls.Call) error                       // or [errInDanger]
	call      func(ctx context.Context, id store.CallID) (calls.Call, error)
	takeBack  func(ctx context.Context, c calls.Call) error
	finish    func(ctx context.Context, id store.CallID, end calls.Ending) error
	book      callBook
}

// deps returns the functions that a live call uses in production.
func (s *Service) deps() deps {
	return deps{
		verify:   s.dep.Verifier.Upgrade,
		take:     s.dep.Store.TakeStreamToken,
		line:     s.lineOf,
		spoken:   s.timesSpoken,
		unwanted: s.unwantedNow,
		signedURL: func(ctx context.Context, agent string) (string, error) {
			url, err := s.dep.ElevenLabs.SignedURL(ctx, elevenlabs.AgentID(agent))
			return string(url), err
		},
		opening: s.opening,
		dial: func(ctx context.Context, url string) (*websocket.Conn, func() bool, error) {
			return dialVoice(ctx, s.dep.HTTP, url)
		},
		hangUp: s.hangUp,
		say: func(ctx context.Context, line calls.Line, name prompts.Name) error {
			return s.dep.Twilio.Redirect(ctx, twilio.CallSID(line.Call.SID), s.sayTwiML(name, line.Person.Language))
		},
		optOut: func(ctx context.Context, c calls.Call) error {
			now, err := s.dep.Store.Call(ctx, c.ID)
			switch {
			case err != nil:
				return err
			case now.Danger != nil && now.Danger.OverAt == nil:
				return errInDanger
			}
			return s.dep.Store.OptOut(ctx, c.PersonID, "pressed a key in a call")
		},
		call:     s.dep.Store.Call,
		takeBack: s.takeBack,
		finish:   s.finish,
		book:     s.dep.Store,
	}
}
