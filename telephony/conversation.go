package telephony

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/telephony/elevenlabs"
)

const (
	// openTimeout bounds each step of opening a conversation.
	openTimeout = 10 * time.Second

	// conversationReadLimit is the limit that ElevenLabs' own Python client uses.
	conversationReadLimit = 16 << 20
)

// conversation is one conversation with the voice service, bound to the media stream that it speaks
// into.
type conversation struct {
	socket
	stream    *stream
	room      func() bool               // see dialVoice; used by the goroutine that holds the socket
	cancel    context.CancelFunc        // ends it, with a normal close if it is open
	id        string                    // set by its reader before the loop is informed
	void      int64                     // audio of replies up to this id was interrupted; used by the reader only
	failure   elevenlabs.Failure        // the error reported before the socket closed; used by the reader only
	lastAudio atomic.Int64              // when audio last came, Unix ns; 0: none yet
	told      atomic.Pointer[disclosed] // what its first words disclose; nil once they were heard, or known not to be
	toldMark  string                    // the mark behind its first words; used by the loop only
}

// converse begins a conversation on the present stream. When it ends, the loop calls c.onLost.
func (c *liveCall) converse(ctx context.Context) {
	l := &c.loop
	if l.stream == nil || l.conv != nil || l.machine {
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	v := &conversation{stream: l.stream, cancel: cancel, void: -1}
	url := l.stream.url
	l.stream.url = nil
	l.conv = v
	again := c.resumed || l.begun > 0
	c.talks.Go(func() {
		defer cancel()
		defer c.survive("conversation", c.giveUp)
		err := c.talk(ctx, v, url, again)
		result := "ended"
		if errors.Is(err, errNotOpened) {
			result = "not_opened"
		}
		c.metrics.conversations.WithLabelValues(result).Inc()
		c.tell(func(ctx context.Context) *verdict { return c.onLost(ctx, v, err) })
	})
}

// dropConversation gives up on the conversation, if there is one.
func (c *liveCall) dropConversation() {
	if v := c.loop.conv; v != nil {
		c.loop.conv = nil
		v.cancel()
	}
	c.up.setLimit(ringOpening)
}

// talk opens the conversation v and carries it until it ends; err is why. When ctx ends, it closes
// the conversation normally.
//
//nolint:contextcheck // messages on a socket have no deadline of their own, see noDeadline
func (c *liveCall) talk(ctx context.Context, v *conversation, url func() (string, error), again bool) error {
	if err := c.open(ctx, v, url, again); err != nil {
		return err
	}
	defer func() { _ = v.conn.CloseNow() }() // no-op after a proper close
	closed := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(closed)
		_ = v.conn.Close(websocket.StatusNormalClosure, "")
	})
	unwatch := v.watch(func() { c.metrics.stalls.WithLabelValues("elevenlabs").Inc() })
	defer unwatch()
	late := time.AfterFunc(openTimeout, func() { _ = v.conn.CloseNow() })
	defer late.Stop()
	var feeder sync.WaitGroup
	defer feeder.Wait()
	feeding, stopFeeding := context.WithCancel(ctx)
	defer stopFeeding()
	err := c.metadata(v)
	late.Stop()
	if err == nil {
		c.up.setLimit(ringRunning)
		c.laterFor(v, c.onOpened)
		feeder.Go(func() {
			defer c.survive("feeder", c.giveUp)
			c.feed(feeding, v)
		})
		c.up.to.Store(v)
		defer c.up.to.CompareAndSwap(v, nil)
		err = c.readVoice(v)
	}
	stopFeeding()
	if !stop() {
		<-closed
	} else if errors.Is(err, errAudioFormat) {
		_ = v.conn.Close(websocket.StatusNormalClosure, "")
	}
	_ = v.conn.CloseNow() // before waiting for the feeder, which may be in a write
	return err
}

// open dials and sends the opening message. Its errors wrap [errNotOpened].
func (c *liveCall) open(ctx context.Context, v *conversation, url func() (string, error), again bool) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("%w: %w", errNotOpened, err)
		}
	}()
	ctx, cancel := context.WithTimeoutCause(ctx, 2*openTimeout, errors.New("opening a conversation took too long"))
	defer cancel()
	if url == nil {
		url, _ = fetchURL(ctx, c.log, c.urlOf(c.now().Call.Type))
	}
	defer func() { _, _ = url() }() // if an error precedes its use, wait for the fetch
	if again {
		if err := c.notes.flush(ctx); err != nil { // the opening quotes the transcript
			c.log.LogAttrs(ctx, slog.LevelWarn, "opening without the last words", slog.Any("err", err))
		}
	}
	init, told, err := c.do.opening(ctx, c.now(), again)
	if err != nil {
		return fmt.Errorf("prepare opening: %w", err)
	}
	first, err := elevenlabs.AppendInit(nil, init)
	if err != nil {
		return err
	}
	address, err := url()
	if err != nil {
		return err
	}
	dialing, stop := context.WithTimeout(ctx, openTimeout)
	defer stop()
	if v.conn, v.room, err = c.do.dial(dialing, address); err != nil {
		// The error may quote the address, and that is a secret.
		return errors.New("dial conversation: handshake failed")
	}
	v.told.Store(told)
	v.conn.SetReadLimit(conversationReadLimit)
	if err := v.conn.Write(dialing, websocket.MessageText, first); err != nil {
		_ = v.conn.CloseNow()
		return fmt.Errorf("send opening: %w", err)
	}
	return nil
}

// metadata waits for the server's first event, which names the conversation.
func (c *liveCall) metadata(v *conversation) error {
	var (
		buf []byte
		e   elevenlabs.Event
		err error
	)
	for {
		if buf, err = v.read(buf); err != nil {
			if websocket.CloseStatus(err) < 0 && v.failure.Type == "" {
				return fmt.Errorf("%w: await metadata: %w", errNotOpened, err)
			}
			return err
		}
		if err := elevenlabs.Decode(buf, &e); err != nil {
			c.badMessage("elevenlabs", errors.Is(err, elevenlabs.ErrAudio))
			continue
		}
		if e.Kind != elevenlabs.KindMetadata {
			if err := c.onEvent(v, &e); err != nil {
				return err
			}
			continue
		}
		if !e.Metadata.ULaw8k() {
			return errAudioFormat
		}
		v.id = string(e.Metadata.ConversationID)
		c.facts.set(func(f *facts) {
			f.line.ConversationID = v.id
			f.line.Call.ConversationID = cmp.Or(f.line.Call.ConversationID, v.id)
		})
		c.notes.conversation(v.id)
		c.metrics.conversations.WithLabelValues("started").Inc()
		return nil
	}
}

// onEvent handles every event but audio, on the conversation's reader.
func (c *liveCall) onEvent(v *conversation, e *elevenlabs.Event) error {
	now := time.Now()
	switch e.Kind {
	case elevenlabs.KindPing:
		return v.send(func(dst []byte) []byte { return elevenlabs.AppendPong(dst, e.ID) })
	case elevenlabs.KindInterruption:
		v.void = max(v.void, e.ID)
		_ = v.stream.clear() // the stream's reader reports a broken line
		c.metrics.bargeIns.Inc()
		c.notes.event("interrupted", map[string]any{})
		c.laterFor(v, c.onInterrupted)
	case elevenlabs.KindUserTranscript:
		if !spoken(e.Text) {
			return nil
		}
		c.facts.heard()
		c.notes.said(calls.RoleUser, e.Text, v.id, e.ID, now)
		c.later(func(context.Context) *verdict { c.loop.lastWords = now; return nil })
		c.laterFor(v, func() { c.onTelling(streamGap) }) // before there is an answer
	case elevenlabs.KindAgentResponse:
		if spoken(e.Text) {
			c.notes.said(calls.RoleAssistant, strings.TrimSpace(e.Text), v.id, e.ID, now)
		}
	case elevenlabs.KindAgentCorrection:
		c.notes.corrected(e.Original, strings.TrimSpace(e.Text), v.id, e.ID)
	case elevenlabs.KindToolResponse:
		if e.Tool.Name == elevenlabs.ToolEndCall && e.Tool.Called && !e.Tool.IsError {
			c.laterFor(v, c.onEndCall)
		}
	case elevenlabs.KindError:
		v.failure = *e.Failure
		c.log.Warn("conversation error", slog.String("conversation_id", v.id),
			slog.Int("status", e.Failure.Code), slog.String("reason", e.Failure.Type))
	case elevenlabs.KindUnknown:
		c.metrics.unknownEvents.WithLabelValues("elevenlabs").Inc()
	default: // metadata again, or a tool that is not ours
	}
	return nil
}
