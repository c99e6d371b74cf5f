package voice

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/naiber/naiber/app/sandbox/faults"
	"github.com/naiber/naiber/app/sandbox/wire"
)

const (
	// inQueue is how many messages may wait for the loop: two seconds of audio.
	inQueue = 100
	// outQueue is how many messages may wait for a client that reads slowly. More end the
	// conversation.
	outQueue = 500
	// pingEvery is the time between pings, in seconds.
	pingEvery = 2.0
	// receiveLimit is how long the user may send nothing, in seconds.
	receiveLimit = 60.0
	// farewellTime bounds the last messages and the close.
	farewellTime = 5 * time.Second
	// maxMessage bounds one message from a client, in bytes.
	maxMessage = 16 << 20
	// writeTime bounds the writing of one message to a client.
	writeTime = 10 * time.Second
	// maxReason is the length of the longest text that fits in a close frame, in bytes.
	maxReason = 123
)

// A conversation is one conversation. All fields but the channels belong to the goroutine of run.
type conversation struct {
	s       *Server
	id      string
	agentID string
	agent   *agent
	conn    *websocket.Conn
	log     *slog.Logger

	set            *setup // nil until the client's first message
	started, ended time.Time
	history        []message
	lastID         int // the last event id
	over           *ending
	leaving        *toolCall // the tool that ends the conversation once everything is sent
	lastIn         time.Time // when the user last sent something
	nextPing       time.Time
	pings          int
	pinged         time.Time
	pongMS         *int64
	breaks         time.Time // when a fault breaks the socket

	ear                 // listen.go
	reply     *reply    // what is being said, or was said last
	playEnd   time.Time // when the client will have played everything
	idleSince time.Time
	promptNo  int // silence turns so far
	followUps int

	turn     *turn  // the question to the model, if there is one
	forget   func() // cancels the remaining attempts of the last turn
	turns    int
	answers  chan llmEvent
	out      chan []byte // to the writer
	asking   sync.WaitGroup
	chunkRNG uint32
}

func newConversation(s *Server, id, agentID string, a *agent, conn *websocket.Conn) *conversation {
	return &conversation{
		s: s, id: id, agentID: agentID, agent: a, conn: conn, log: s.cfg.Log.With(slog.String("conversation_id", id)),
		answers: make(chan llmEvent, 64), out: make(chan []byte, outQueue), started: time.Now(), chunkRNG: 1, forget: func() {},
	}
}

// socket serves one conversation over a WebSocket.
func (s *Server) socket(w http.ResponseWriter, r *http.Request) {
	agentID, signature := r.FormValue("agent_id"), r.FormValue("conversation_signature")
	s.mu.Lock()
	a, ok := s.agents[agentID]
	t := s.tickets[signature]
	s.mu.Unlock()
	open := ok && signature == "" && !a.Platform.Auth.Enabled
	if !open && (!ok || t.agent != agentID || time.Now().After(t.expires)) {
		refuse(http.StatusForbidden, "authorization_error", "Could not authorize the conversation.").write(w)
		return
	}
	if !s.life.Do(func(ctx context.Context) {
		conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{
			Subprotocols:       []string{"convai"},
			InsecureSkipVerify: true, // any origin: the signature is what matters
			CompressionMode:    websocket.CompressionDisabled,
		})
		if err != nil {
			return // Accept has answered
		}
		defer func() { _ = conn.CloseNow() }() // closed properly by then, if that was possible
		conn.SetReadLimit(maxMessage)
		s.count(1)
		defer s.count(-1)
		c := newConversation(s, wire.ID("conv_"), agentID, a, conn)
		c.run(ctx)
		s.post(ctx, c)
	}) {
		refuse(http.StatusServiceUnavailable, "system_busy", "The system is busy.").write(w)
	}
}

func (s *Server) count(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.live += n
}

// run runs the conversation to its end and closes the socket.
func (c *conversation) run(ctx context.Context) {
	// Reading and writing outlive the loop, for the last messages and for the client's side of
	// the close.
	socket, hangUp := context.WithCancel(context.WithoutCancel(ctx))
	ctx, cancel := context.WithCancel(ctx)
	in, wrote := make(chan []byte, inQueue), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() { c.read(socket, in) })
	go func() {
		defer close(wrote)
		c.write(socket)
	}()
	c.loop(ctx, in)
	cancel() // cancels the requests to the model
	c.asking.Wait()
	close(c.out)
	farewell := time.AfterFunc(farewellTime, hangUp)
	defer farewell.Stop()
	<-wrote
	wg.Go(func() { // lets the reader reach the client's close
		for range in {
		}
	})
	c.close()
	hangUp()
	wg.Wait()
}

// read passes every message to the loop, until the socket or ctx ends. It then closes the
// channel.
func (c *conversation) read(ctx context.Context, to chan<- []byte) {
	defer close(to)
	for {
		_, b, err := c.conn.Read(ctx)
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

// write sends the messages of c.out until that is closed. If the client does not accept one in
// time, it closes the socket, which ends the reader.
func (c *conversation) write(ctx context.Context) {
	for b := range c.out {
		limited, cancel := context.WithTimeout(ctx, writeTime)
		if c.conn.Write(limited, websocket.MessageText, b) != nil {
			_ = c.conn.CloseNow() // later writes then fail at once
		}
		cancel()
	}
}

// loop handles one event after the other until the conversation is over.
func (c *conversation) loop(ctx context.Context, in <-chan []byte) {
	tick := time.NewTicker(c.s.cfg.FrameInterval)
	defer tick.Stop()
	c.lastIn = time.Now()
	for c.over == nil {
		select {
		case <-ctx.Done():
			c.end(&ending{codeAway, "", "The server is closing"})
		case b, ok := <-in:
			switch {
			case !ok:
				c.end(&ending{codeNormal, "", "Client disconnected"})
			case c.set == nil:
				c.begin(b)
			default:
				c.take(b)
			}
		case ev := <-c.answers:
			c.answer(ctx, ev)
		case now := <-tick.C:
			c.tick(now)
		}
		c.serveTurn(ctx)
	}
}

// begin handles the client's first message.
func (c *conversation) begin(b []byte) {
	set, err := c.s.begin(c.agent, c.id, c.agentID, b)
	if end, ok := errors.AsType[*ending](err); ok {
		c.end(end)
		return
	}
	now := time.Now()
	c.set, c.started = set, now
	c.lastIn, c.lastHeard, c.idleSince, c.nextPing = now, now, now, now
	c.endOfTurn = patience[set.Turn.Eagerness]
	out := set.TTS.Format
	if c.s.cfg.Faults.On(faults.WrongFormat) {
		out = "pcm_16000"
	}
	c.emit("conversation_initiation_metadata", map[string]any{"conversation_initiation_metadata_event": map[string]any{
		"conversation_id": c.id, "agent_output_audio_format": out, "user_input_audio_format": set.ASR.Format,
	}})
	if errors.Is(err, errLanguage) {
		c.end(&ending{codeInput, "", "Language not supported by the agent"})
		return
	}
	if after, on := c.s.cfg.Faults.TakeDuration(faults.DroppedVoice); on {
		c.breaks = now.Add(after)
	}
	c.ping(now)
	if c.s.cfg.Faults.On(faults.UnknownEvent) {
		c.send(map[string]any{"type": "weather", "weather_event": map[string]any{"sky": "clear", "event_id": 1}})
	}
	if first := set.Agent.FirstMessage; first != "" {
		c.newReply()
		c.reply.greeting = true
		c.reply.text.WriteString(first)
		c.finishReply()
	}
}

// patience is the silence that ends a turn, by the agent's eagerness.
var patience = map[string]time.Duration{"patient": 700 * time.Millisecond, "normal": 500 * time.Millisecond, "eager": 350 * time.Millisecond}

// tick does what is due at time now.
func (c *conversation) tick(now time.Time) {
	if c.set == nil {
		if now.Sub(c.lastIn) > c.s.seconds(receiveLimit) {
			c.end(&ending{codeFailure, "transport_receive_timeout", "No initiation message received"})
		}
		return
	}
	c.sendAudio(now)
	if now.After(c.nextPing) {
		c.ping(now)
	}
	if end := c.limits(now); end != nil {
		c.end(end)
		return
	}
	c.maybeEndTurn(now)
	c.maybePrompt(now)
}

// limits returns the ending for a limit that was reached, or nil.
func (c *conversation) limits(now time.Time) *ending {
	silence := c.set.Turn.SilenceEnd
	switch {
	case !c.breaks.IsZero() && now.After(c.breaks):
		_ = c.conn.CloseNow() // breaks on purpose
		return &ending{codeFailure, "", "The connection broke"}
	case now.Sub(c.started) > c.s.seconds(c.set.Conversation.MaxDuration):
		return &ending{codeNormal, "", "max_duration_exceeded"}
	case now.Sub(c.lastIn) > c.s.seconds(receiveLimit):
		return &ending{codeFailure, "transport_receive_timeout", "No user input received for 60 seconds"}
	case silence > 0 && c.turn == nil && !c.speaking(now) && now.Sub(c.lastHeard) > c.s.real(time.Duration(silence*float64(time.Second))):
		return &ending{codeNormal, "", "silence_end_call_timeout"}
	default:
		return nil
	}
}

// take handles a message from the client.
func (c *conversation) take(b []byte) {
	var m struct {
		Type      string          `json:"type"`
		Audio     *string         `json:"user_audio_chunk"`
		EventID   *int            `json:"event_id"`
		Text      *string         `json:"text"`
		ContextID string          `json:"context_id"`
		Override  json.RawMessage `json:"conversation_config_override"`
	}
	if err := json.Unmarshal(b, &m); err != nil {
		c.end(badInput("invalid_message", "Invalid message received"))
		return
	}
	now := time.Now()
	if m.Audio != nil {
		c.lastIn = now
		c.listen(now, *m.Audio)
		return
	}
	switch m.Type {
	case "pong":
		if m.EventID == nil {
			c.end(badInput("missing_fields", "pong without event_id"))
			return
		}
		if *m.EventID == c.pings-1 {
			ms := now.Sub(c.pinged).Milliseconds()
			c.pongMS = &ms
		}
	case "contextual_update", "user_message":
		if m.Text == nil {
			c.end(badInput("missing_fields", "%s without text", m.Type))
			return
		}
		c.lastIn = now
		if m.Type == "user_message" {
			c.typed(now, *m.Text)
			return
		}
		args, _ := json.Marshal(map[string]string{"text": *m.Text}) // a string always marshals
		call := toolCall{wire.ID("call_"), "function", toolFunction{"contextual_update", string(args)}}
		c.commitReply()
		c.pushTool("", call, "Context updated", false)
	case "user_activity":
		c.lastIn, c.idleSince = now, now
	case "client_tool_result", "feedback", "mcp_tool_approval_result", "multimodal_message":
		c.lastIn = now
	case "conversation_initiation_client_data":
		c.end(badInput("invalid_message", "The conversation has begun already"))
	default:
		c.end(badInput("invalid_message", "Unknown message type"))
	}
}

// ping sends a ping, which asks for a pong.
func (c *conversation) ping(now time.Time) {
	c.emit("ping", map[string]any{"ping_event": map[string]any{"event_id": c.pings, "ping_ms": c.pongMS}})
	c.pings++
	c.pinged = now
	c.nextPing = now.Add(c.s.seconds(pingEvery))
}

// nextEvent returns the id of a new event.
func (c *conversation) nextEvent() int {
	c.lastID++
	return c.lastID
}

// emit sends an event, if the client has subscribed to its kind.
func (c *conversation) emit(kind string, body map[string]any) {
	if !slices.Contains(c.set.Conversation.Events, kind) {
		return
	}
	body["type"] = kind
	c.send(body)
}

// send queues a message. If the client does not read them, the conversation ends.
func (c *conversation) send(body any) {
	b, err := json.Marshal(body)
	if err != nil || c.over != nil {
		return // our own maps always marshal
	}
	select {
	case c.out <- b:
	default:
		c.over = &ending{codeFailure, "", "Client does not read"}
	}
}

// end sets the ending of the conversation, if it has none yet. An error is sent to the client
// first.
func (c *conversation) end(e *ending) {
	if c.over != nil {
		return
	}
	if e.kind != "" {
		c.send(map[string]any{"type": "error", "error_event": map[string]any{
			"code": e.code, "error_type": e.kind, "message": e.reason,
		}})
	}
	c.over = e
}

// close completes the record and closes the socket with the code of the ending.
func (c *conversation) close() {
	if c.set != nil && c.speaking(time.Now()) && c.leaving == nil {
		c.stopReply(time.Now())
	}
	c.commitReply()
	c.ended = time.Now()
	c.log.Info("simulated conversation ended", slog.Int("code", c.over.code), slog.String("reason", c.over.reason), slog.Int("turns", c.turns))
	reason := c.over.reason[:min(len(c.over.reason), maxReason)]
	_ = c.conn.Close(websocket.StatusCode(c.over.code), reason) // the client may be gone
}
