package sandbox

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"

	"github.com/naiber/naiber/app/sandbox/carrier"
)

// phones are the elders' telephones: each is answered in the browser that holds it, or else by
// its script.
type phones struct {
	log *slog.Logger

	mu      sync.Mutex // guards the fields below
	scripts carrier.Answerer
	held    map[string]*holder
}

// A holder is an elder's telephone that is held by a page in a browser. A call on it outlives its
// page for [pageGrace], since a page may be reloaded, or lose its connection.
type holder struct {
	rings chan *carrier.Ring
	sets  chan *carrier.Handset // calls that the elder makes

	leave  context.CancelCauseFunc // makes the page leave that holds it; guarded by phones.mu
	visits int                     // of pages; guarded by phones.mu

	page sync.Mutex // guards the fields below; held by the one page that has the telephone
	ring *carrier.Ring
	set  *carrier.Handset
	told []message // about the call, for a page that comes later
}

// pageGrace is how long a telephone stays off the hook without a page.
const pageGrace = 30 * time.Second

// errTaken is the cause when a page must leave because another one has taken the telephone.
var errTaken = errors.New("the telephone is in another window")

// statusTaken is the close code of errTaken, so that the page does not take the telephone back.
const statusTaken websocket.StatusCode = 4000

func newPhones(scripts carrier.Answerer, log *slog.Logger) *phones {
	return &phones{scripts: scripts, log: log, held: make(map[string]*holder)}
}

func (p *phones) setScripts(a carrier.Answerer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.scripts = a
}

// answer passes a ringing telephone to the page that holds it, or else to the scripts.
func (p *phones) answer(ctx context.Context, ring *carrier.Ring) {
	p.mu.Lock()
	h, scripts := p.held[ring.To], p.scripts
	p.mu.Unlock()
	if h == nil {
		scripts(ctx, ring)
		return
	}
	select {
	case h.rings <- ring:
	default: // it rings already; this caller goes unanswered
	}
}

// hold gives a page the telephone of a number, once the page that has it has left. The returned
// context is done when another page wants the telephone. The caller unlocks h.page.
func (p *phones) hold(ctx context.Context, number string) (h *holder, holding context.Context, visit int) {
	holding, leave := context.WithCancelCause(ctx)
	p.mu.Lock()
	h = p.held[number]
	if h == nil {
		h = &holder{rings: make(chan *carrier.Ring, 1), sets: make(chan *carrier.Handset, 1)}
		p.held[number] = h
	}
	if h.leave != nil {
		h.leave(errTaken)
	}
	h.leave = leave
	h.visits++
	visit = h.visits
	p.mu.Unlock()
	h.page.Lock()
	return h, holding, visit
}

// take passes a call that a number has made to the page that holds its telephone, and reports
// whether there is one.
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

// letGo hangs up and releases the telephone, unless another page has come since the visit.
func (p *phones) letGo(number string, h *holder, visit int) {
	p.mu.Lock()
	last := h.visits == visit
	if last && p.held[number] == h {
		delete(p.held, number)
	}
	p.mu.Unlock()
	if !last {
		return
	}
	h.page.Lock()
	defer h.page.Unlock()
	if h.set != nil {
		h.set.HangUp()
	}
}

// message is a message between the browser and its telephone.
type message struct {
	Type  string `json:"type"`
	Text  string `json:"text,omitempty"`
	From  string `json:"from,omitempty"`
	Cause string `json:"cause,omitempty"`
	// Digits are the keys to press.
	Digits string `json:"digits,omitempty"`
}

// phoneWrite bounds one message to a browser that does not read.
const phoneWrite = 10 * time.Second

// ServeHTTP gives one telephone to one page, over a WebSocket, until the page leaves. A page that
// closes the socket properly hangs up.
func (p *phones) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	number := r.URL.Query().Get("number")
	conn, err := websocket.Accept(w, r, nil) // same origin only
	if err != nil {
		return // Accept has answered
	}
	defer func() { _ = conn.CloseNow() }()
	left, end := context.WithCancelCause(r.Context())
	commands := make(chan message)
	go func() {
		for {
			var m message
			if err := wsjson.Read(r.Context(), conn, &m); err != nil { //nolint:contextcheck // left ends with this very loop
				end(err)
				return
			}
			select {
			case commands <- m:
			case <-left.Done():
				return
			}
		}
	}()
	h, ctx, visit := p.hold(left, number)
	s := &phoneSession{holder: h, conn: conn, log: p.log}
	s.write(ctx, message{Type: "ready"})
	for _, m := range s.told {
		s.write(ctx, m)
	}
	s.loop(ctx, commands)
	busy := s.set != nil || s.ring != nil
	h.page.Unlock()
	why := context.Cause(ctx)
	goodbye := websocket.CloseStatus(why)
	switch {
	case errors.Is(why, errTaken):
		_ = conn.Close(statusTaken, errTaken.Error()) // the page may be gone
	case !busy, goodbye == websocket.StatusNoStatusRcvd, goodbye == websocket.StatusNormalClosure:
		p.letGo(number, h, visit)
	default:
		time.AfterFunc(pageGrace, func() { p.letGo(number, h, visit) })
	}
	end(nil)
}

// A phoneSession is one page's time with a telephone. Only its loop writes to the page.
type phoneSession struct {
	*holder

	conn *websocket.Conn
	log  *slog.Logger
}

func (s *phoneSession) loop(ctx context.Context, commands <-chan message) {
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
		case s.set = <-s.sets:
			s.told = nil
			s.send(ctx, message{Type: "connected"})
		case s.ring = <-s.rings:
			s.told = nil
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

// tell sends the page what the elder hears.
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
	default: // marks cannot be heard
	}
}

// do carries out a command of the browser.
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

// send sends a message about the call, and stores it for the next page.
func (s *phoneSession) send(ctx context.Context, m message) {
	s.told = append(s.told, m)
	s.write(ctx, m)
}

func (s *phoneSession) write(ctx context.Context, m message) {
	ctx, cancel := context.WithTimeout(ctx, phoneWrite)
	defer cancel()
	if err := wsjson.Write(ctx, s.conn, m); err != nil {
		s.log.DebugContext(ctx, "browser does not listen to its telephone", "err", err)
	}
}
