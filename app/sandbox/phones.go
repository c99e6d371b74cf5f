package sandbox

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"

	"github.com/naiber/naiber/app/sandbox/carrier"
)

// phones are the elders' telephones: each is answered by whoever holds it in a
// browser, else by its script.
type phones struct {
	scripts carrier.Answerer
	log     *slog.Logger

	mu   sync.Mutex // guards held
	held map[string]*holder
}

// holder is a browser that is an elder for a while.
type holder struct {
	rings chan *carrier.Ring
	sets  chan *carrier.Handset // calls that the elder makes
}

func newPhones(scripts carrier.Answerer, log *slog.Logger) *phones {
	return &phones{scripts: scripts, log: log, held: make(map[string]*holder)}
}

// answer is what happens when a telephone of the sandbox rings.
func (p *phones) answer(ctx context.Context, ring *carrier.Ring) {
	p.mu.Lock()
	h := p.held[ring.To]
	p.mu.Unlock()
	if h == nil {
		p.scripts(ctx, ring)
		return
	}
	select {
	case h.rings <- ring:
	default: // it rings already; this caller hears it ring
	}
}

func (p *phones) hold(number string) *holder {
	h := &holder{rings: make(chan *carrier.Ring, 1), sets: make(chan *carrier.Handset, 1)}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.held[number] = h // the newest browser has the telephone
	return h
}

// take hands a call that a number has made to whoever holds its telephone, and
// reports whether anybody does.
func (p *phones) take(number string, set *carrier.Handset) bool {
	p.mu.Lock()
	h := p.held[number]
	p.mu.Unlock()
	if h == nil {
		return false
	}
	select {
	case h.sets <- set:
		return true
	default:
		return false
	}
}

func (p *phones) letGo(number string, h *holder) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.held[number] == h {
		delete(p.held, number)
	}
}

// message is what goes between the browser and its telephone.
type message struct {
	Type  string `json:"type"`
	Text  string `json:"text,omitempty"`
	From  string `json:"from,omitempty"`
	Cause string `json:"cause,omitempty"`
	// Digits are keys to press.
	Digits string `json:"digits,omitempty"`
}

// phoneWrite bounds one message to a browser that does not read.
const phoneWrite = 10 * time.Second

// ServeHTTP holds one telephone for one browser, over a WebSocket, until the
// browser leaves.
func (p *phones) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	number := r.URL.Query().Get("number")
	conn, err := websocket.Accept(w, r, nil) // same origin only
	if err != nil {
		return // Accept has answered
	}
	defer func() { _ = conn.CloseNow() }()
	h := p.hold(number)
	defer p.letGo(number, h)
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	s := &phoneSession{conn: conn, log: p.log}
	s.send(ctx, message{Type: "ready"})

	commands := make(chan message)
	go func() {
		defer cancel()
		for {
			var m message
			if wsjson.Read(ctx, conn, &m) != nil {
				return
			}
			select {
			case commands <- m:
			case <-ctx.Done():
				return
			}
		}
	}()
	s.loop(ctx, h, commands)
	if s.set != nil {
		s.set.HangUp() // whoever closes the page puts the telephone down
	}
	<-ctx.Done()
}

// phoneSession is one telephone in a browser's hand. Only its loop writes.
type phoneSession struct {
	conn *websocket.Conn
	log  *slog.Logger
	ring *carrier.Ring
	set  *carrier.Handset
}

func (s *phoneSession) loop(ctx context.Context, h *holder, commands <-chan message) {
	for {
		var over <-chan struct{}
		var heard <-chan carrier.HeardEvent
		if s.ring != nil {
			over = s.ring.Over()
		}
		if s.set != nil {
			heard = s.set.Heard()
		}
		select {
		case <-ctx.Done():
			return
		case s.set = <-h.sets:
			s.send(ctx, message{Type: "connected"})
		case s.ring = <-h.rings:
			s.send(ctx, message{Type: "ringing", From: s.ring.From})
		case <-over:
			s.ring = nil
			if s.set == nil {
				s.send(ctx, message{Type: "closed", Cause: "not answered"})
			}
		case e, ok := <-heard:
			if !ok {
				s.set = nil
				break
			}
			s.tell(ctx, e)
		case m := <-commands:
			s.do(ctx, m)
		}
	}
}

// tell passes on what is to be heard.
func (s *phoneSession) tell(ctx context.Context, e carrier.HeardEvent) {
	switch e.Kind {
	case carrier.HeardWord:
		text := e.Text
		if e.Partial {
			text += "—"
		}
		s.send(ctx, message{Type: "word", Text: text})
	case carrier.HeardSilence:
		s.send(ctx, message{Type: "silence"})
	case carrier.HeardClear:
		s.send(ctx, message{Type: "clear"})
	case carrier.HeardSay:
		s.send(ctx, message{Type: "announcement", Text: e.Text})
	case carrier.HeardClosed:
		s.send(ctx, message{Type: "closed", Cause: e.Text})
	default: // marks are between machines
	}
}

// do is what the browser wants done.
func (s *phoneSession) do(ctx context.Context, m message) {
	if s.ring != nil {
		s.pickUp(ctx, m)
		return
	}
	if s.set == nil {
		return
	}
	switch m.Type {
	case "say":
		s.send(ctx, message{Type: "said", Text: m.Text})
		s.set.Say(m.Text)
	case "hush":
		s.set.Hush()
	case "press":
		if err := s.set.Press(m.Digits); err != nil {
			s.send(ctx, message{Type: "error", Text: err.Error()})
		}
	case "hangup":
		s.set.HangUp()
	}
}

func (s *phoneSession) pickUp(ctx context.Context, m message) {
	var err error
	switch m.Type {
	case "answer":
		s.set, err = s.ring.Answer()
	case "machine":
		s.set, err = s.ring.AnswerAsMachine(m.Text)
	case "reject":
		err = s.ring.Reject()
	case "ignore":
		err = s.ring.Ignore()
	default:
		return
	}
	if err != nil {
		s.send(ctx, message{Type: "error", Text: err.Error()})
		return
	}
	if s.set != nil {
		s.send(ctx, message{Type: "connected"})
	}
}

func (s *phoneSession) send(ctx context.Context, m message) {
	ctx, cancel := context.WithTimeout(ctx, phoneWrite)
	defer cancel()
	if err := wsjson.Write(ctx, s.conn, m); err != nil {
		s.log.DebugContext(ctx, "browser does not listen to its telephone", "err", err)
	}
}
