package voice

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/naiber/naiber/app/sandbox/audio"
	"github.com/naiber/naiber/app/sandbox/faults"
)

const (
	// inQueue is how many messages may wait for the loop: two seconds of audio.
	inQueue = 100
	// outQueue is how many may wait for a client that reads slowly. More end
	// the conversation.
	outQueue = 500
	// pingEvery is the time between pings.
	pingEvery = 2.0
	// receiveLimit is how long nothing may come from the user.
	receiveLimit = 60.0
	// farewellTime is how long the last messages and the close may take.
	farewellTime = 5 * time.Second
	// maxReason is the longest text that fits in a close frame.
	maxReason = 123
)

// conversation is one conversation. All of it belongs to the goroutine of run,
// but for the channels.
type conversation struct {
	s       *Server
	id      string
	agentID string
	agent   *agent
	conn    *websocket.Conn
	rec     *record
	log     *slog.Logger

	set      *setup
	started  time.Time
	events   []string // that the client has subscribed to
	history  []message
	lastID   int // the last event id
	over     *ending
	leaving  *toolCall // the tool that ends the conversation when all is sent
	lastIn   time.Time // when something came from the user
	nextPing time.Time
	pings    int
	pinged   time.Time
	pongMS   *int64
	breaks   time.Time // when a fault breaks the socket

	ear                 // listen.go
	reply     *reply    // what is being said, or was said last
	playEnd   time.Time // when the client will have played everything
	idleSince time.Time
	promptNo  int // silence turns so far
	followUps int

	turn     *turn  // what is being asked, if anything
	forget   func() // ends what is left of the last turn's attempts
	turns    int
	answers  chan llmEvent
	out      chan []byte // to the writer
	asking   sync.WaitGroup
	chunkRNG uint32
}

func newConversation(s *Server, id, agentID string, a *agent, conn *websocket.Conn, rec *record, log *slog.Logger) *conversation {
	return &conversation{
		s: s, id: id, agentID: agentID, agent: a, conn: conn, rec: rec, log: log,
		answers: make(chan llmEvent, 64), out: make(chan []byte, outQueue), started: time.Now(), chunkRNG: 1, forget: func() {},
	}
}

// run holds the conversation to its end, and closes the socket.
func (c *conversation) run(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	in := make(chan []byte, inQueue)
	readDone := make(chan struct{})
	// Reading outlives the loop, for the client's side of the closing.
	readCtx, stopReading := context.WithCancel(context.WithoutCancel(ctx))
	defer stopReading()
	go func() {
		defer close(readDone)
		read(readCtx, c.conn, in)
	}()
	writeDone := make(chan struct{})
	go func() {
		defer close(writeDone)
		write(readCtx, c.conn, c.out)
	}()
	c.loop(ctx, in)
	farewell := time.AfterFunc(farewellTime, stopReading)
	defer farewell.Stop()
	cancel() // ends what is being asked
	c.asking.Wait()
	close(c.out)
	<-writeDone
	drained := make(chan struct{})
	go func() { // lets the reader come to the client's close
		defer close(drained)
		for range in {
		}
	}()
	c.close()
	stopReading()
	<-readDone
	<-drained
}

// loop takes one thing after the other until the conversation is over.
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

// begin is the client's first message.
func (c *conversation) begin(b []byte) {
	set, err := c.s.begin(c.agent, c.id, c.agentID, b)
	if end, ok := errors.AsType[*ending](err); ok {
		c.end(end)
		return
	}
	now := time.Now()
	c.set, c.events, c.started = set, set.Conversation.Events, now
	c.lastIn, c.lastHeard, c.idleSince, c.nextPing = now, now, now, now
	c.endOfTurn = c.patience()
	c.rec.begin(set)
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
		c.announce()
		c.speakUpTo(len(first))
		c.finishReply()
	}
}

// patience is how much silence ends a turn.
func (c *conversation) patience() time.Duration {
	switch c.set.Turn.Eagerness {
	case "patient":
		return 700 * time.Millisecond
	case "eager":
		return 350 * time.Millisecond
	default:
		return 500 * time.Millisecond
	}
}

// tick is the passing of time.
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

// limits finds the limit that was reached, if one was.
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

// take is a message from the client.
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
		call := toolCall{newID("call_"), "function", toolFunction{"contextual_update", string(args)}}
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

// ping asks for a pong.
func (c *conversation) ping(now time.Time) {
	c.emit("ping", map[string]any{"ping_event": map[string]any{"event_id": c.pings, "ping_ms": c.pongMS}})
	c.pings++
	c.pinged = now
	c.nextPing = now.Add(c.s.seconds(pingEvery))
}

// nextEvent is the id of a new event.
func (c *conversation) nextEvent() int {
	c.lastID++
	return c.lastID
}

// emit sends an event that the client has subscribed to.
func (c *conversation) emit(kind string, body map[string]any) {
	if !slices.Contains(c.events, kind) {
		return
	}
	body["type"] = kind
	c.send(body)
}

// send sends a message. A client that does not take them ends the conversation.
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

// end makes e the end, if there is none yet. An error is told first.
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

// close says goodbye on the socket and in the record.
func (c *conversation) close() {
	if c.set != nil && c.speaking(time.Now()) && c.leaving == nil {
		c.stopReply(time.Now())
	}
	c.commitReply()
	c.rec.finish(c.over)
	c.log.Info("simulated conversation ended", slog.Int("code", c.over.code), slog.String("reason", c.over.reason), slog.Int("turns", c.turns))
	reason := c.over.reason
	if len(reason) > maxReason {
		reason = reason[:maxReason]
	}
	_ = c.conn.Close(websocket.StatusCode(c.over.code), reason) // the client may be gone
}

// lastVoice is when somebody was last heard, on either side.
func (c *conversation) lastVoice() time.Time {
	t := c.idleSince
	if c.playEnd.After(t) {
		t = c.playEnd
	}
	return t
}

// afterPlaying is whether d of the conversation's time has passed since
// anybody spoke.
func (c *conversation) afterPlaying(now time.Time, d time.Duration) bool {
	return now.Sub(c.lastVoice()) >= c.s.real(d)
}

// pieceOf turns real time into bytes of audio.
func (c *conversation) pieceOf(d time.Duration) int {
	return audio.Bytes(c.s.heard(d))
}
