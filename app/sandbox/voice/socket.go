package voice

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/coder/websocket"
)

const (
	// ticketLife is how long a signed URL may be used to start.
	ticketLife = 15 * time.Minute
	// maxMessage bounds one message from a client.
	maxMessage = 16 << 20
	// writeTime is how long a client may take to accept a message.
	writeTime = 10 * time.Second
)

// ticket is what a signed URL stands for.
type ticket struct {
	agent        string
	conversation string // set for a URL that may be used once
	expires      time.Time
}

// issue makes a ticket, and throws the expired ones away.
func (s *Server) issue(agentID string, once bool) (signature, conversation string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	for sig, t := range s.tickets {
		if now.After(t.expires) {
			delete(s.tickets, sig)
		}
	}
	t := ticket{agent: agentID, expires: now.Add(ticketLife)}
	if once {
		t.conversation = newID("conv_")
	}
	signature = newID("cvtkn_")
	s.tickets[signature] = t
	return signature, t.conversation
}

// admit finds the agent that r may speak with, and the conversation's id.
func (s *Server) admit(r *http.Request) (*agent, string, bool) {
	q := r.URL.Query()
	agentID, signature := q.Get("agent_id"), q.Get("conversation_signature")
	s.mu.Lock()
	defer s.mu.Unlock()
	a, ok := s.agents[agentID]
	if !ok {
		return nil, "", false
	}
	if signature == "" {
		return a, newID("conv_"), !a.set.Platform.Auth.Enabled
	}
	t, ok := s.tickets[signature]
	if !ok || t.agent != agentID || time.Now().After(t.expires) || t.conversation != q.Get("conversation_id") {
		return nil, "", false
	}
	if t.conversation == "" {
		return a, newID("conv_"), true
	}
	delete(s.tickets, signature)
	return a, t.conversation, true
}

// socket holds one conversation.
func (s *Server) socket(w http.ResponseWriter, r *http.Request) {
	a, id, ok := s.admit(r)
	if !ok {
		refuse(w, http.StatusForbidden, "authorization_error", "Could not authorize the conversation.")
		return
	}
	ctx, leave, err := s.enter(r.Context())
	if err != nil {
		refuse(w, http.StatusServiceUnavailable, "system_busy", "The system is busy.")
		return
	}
	defer leave()
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{
		Subprotocols:       []string{"convai"},
		InsecureSkipVerify: true, // any origin: the signature decides
		CompressionMode:    websocket.CompressionDisabled,
	})
	if err != nil {
		return // answered by Accept
	}
	defer func() { _ = conn.CloseNow() }() // closed in order by then, where that was possible
	conn.SetReadLimit(maxMessage)
	s.count(1)
	defer s.count(-1)
	log := s.log.With(slog.String("conversation_id", id))
	rec := s.open(id, r.URL.Query().Get("agent_id"))
	c := newConversation(s, id, r.URL.Query().Get("agent_id"), a, conn, rec, log)
	c.run(ctx)
	s.afterwards(ctx, a, rec)
}

func (s *Server) count(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.live += n
}

// write sends what comes, until there is no more. When the client does not take
// it the socket breaks, which the reader notices.
func write(ctx context.Context, conn *websocket.Conn, from <-chan []byte) {
	broken := false
	for b := range from {
		if broken {
			continue
		}
		if writeOne(ctx, conn, b) != nil {
			broken = true
			_ = conn.CloseNow() // it is broken
		}
	}
}

func writeOne(ctx context.Context, conn *websocket.Conn, b []byte) error {
	ctx, cancel := context.WithTimeout(ctx, writeTime)
	defer cancel()
	return conn.Write(ctx, websocket.MessageText, b) //nolint:wrapcheck // only whether it worked matters
}

// read hands every message to the loop, until the socket or ctx ends. It
// closes the channel then.
func read(ctx context.Context, conn *websocket.Conn, to chan<- []byte) {
	defer close(to)
	for {
		_, b, err := conn.Read(ctx)
		if err != nil {
			return
		}
		select {
		case to <- b:
		case <-ctx.Done():
			return
		}
	}
}
