package carrier

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"reflect"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/naiber/naiber/app/sandbox/faults"
	"github.com/naiber/naiber/telephony/twilio"
)

const (
	// handshakeTime bounds the opening of the media socket.
	handshakeTime = 10 * time.Second
	// farewellTime bounds the last messages and the close.
	farewellTime = 3 * time.Second
	// maxMessage bounds one message from the peer, in bytes: a minute of audio.
	maxMessage = 1 << 20
)

// errShape is the error of a message that causes warning 31951.
var errShape = errors.New("invalid message")

// A stream is one <Stream>: a media socket and its messages.
type stream struct {
	k    *call
	sid  string
	out  *outbox
	conn *websocket.Conn

	warned sync.Once // 31951 is reported once per stream
}

// openStream dials target, which must be wss, or ws on this machine. ctx bounds the handshake
// only.
func (k *call) openStream(ctx context.Context, target string) (*websocket.Conn, error) {
	u, err := url.Parse(target)
	if err != nil {
		return nil, fmt.Errorf("stream url: %w", errShape)
	}
	ip := net.ParseIP(u.Hostname())
	local := u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
	if u.Host == "" || u.RawQuery != "" || u.Scheme != "wss" && (u.Scheme != "ws" || !local) {
		return nil, fmt.Errorf("stream url is not wss, or has a query string: %w", errShape)
	}
	ctx, cancel := context.WithTimeout(ctx, handshakeTime)
	defer cancel()
	conn, resp, err := websocket.Dial(ctx, target, &websocket.DialOptions{
		HTTPClient:      k.c.client,
		HTTPHeader:      http.Header{"User-Agent": {"Twilio.TmeWs/1.0"}, twilio.SignatureHeader: {k.c.sign(target, nil)}},
		CompressionMode: websocket.CompressionDisabled,
	})
	if err != nil {
		if resp != nil && resp.Body != nil {
			_ = resp.Body.Close() // the body of a refusal is of no use
		}
		return nil, fmt.Errorf("open media socket: %w", err)
	}
	conn.SetReadLimit(maxMessage)
	return conn, nil
}

// run runs the stream until the peer closes it or ctx is done. When it returns, its goroutines
// have ended.
func (s *stream) run(ctx context.Context, params map[string]string) {
	// Reading and writing outlive ctx for the last messages, since coder/websocket breaks the
	// connection when a context expires.
	life, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	c := s.k.c
	s.out.put("connected", nil)
	s.out.put("start", map[string]any{
		"accountSid": c.cfg.AccountSID, "streamSid": s.sid, "callSid": s.k.sid, "tracks": []string{"inbound"},
		"mediaFormat":      map[string]any{"encoding": "audio/x-mulaw", "sampleRate": 8000, "channels": 1},
		"customParameters": params,
	})
	if c.cfg.Faults.On(faults.UnknownEvent) {
		s.out.put("weather", map[string]string{"sky": "clear"})
	}
	var wg sync.WaitGroup
	readDone := make(chan struct{})
	wg.Go(func() { s.write(life) })
	wg.Go(func() {
		defer close(readDone)
		s.read(life)
	})
	if after, on := c.cfg.Faults.TakeDuration(faults.DroppedStream); on {
		t := time.AfterFunc(after, func() { _ = s.conn.CloseNow() }) // breaks on purpose
		defer t.Stop()
	}
	s.k.line.attach(s)
	select {
	case <-ctx.Done():
	case <-readDone:
	}
	s.k.line.attach(nil)
	if ctx.Err() != nil {
		s.out.put("stop", map[string]string{"accountSid": c.cfg.AccountSID, "callSid": s.k.sid})
	}
	s.out.close()
	end := time.AfterFunc(farewellTime, cancel)
	defer end.Stop()
	wg.Wait()
	_ = s.conn.CloseNow() // closed properly by now, if that was possible
	if s.out.lost > 0 {
		c.warn(ctx, 31930, s.k.sid, "audio discarded for a slow reader")
	}
}

// write sends the messages in the outbox, and closes the socket when the outbox is closed.
func (s *stream) write(ctx context.Context) {
	for {
		messages, more := s.out.take()
		for _, m := range messages {
			if s.conn.Write(ctx, websocket.MessageText, m.message) != nil {
				_ = s.conn.CloseNow() // wakes the reader
				return
			}
		}
		if !more {
			_ = s.conn.Close(websocket.StatusNormalClosure, "") // the peer may be gone
			return
		}
		select {
		case <-s.out.wake:
		case <-ctx.Done():
			_ = s.conn.CloseNow() // wakes the reader
			return
		}
	}
}

// read carries out the peer's messages until the socket ends.
func (s *stream) read(ctx context.Context) {
	for {
		kind, b, err := s.conn.Read(ctx)
		if err != nil {
			s.k.log.DebugContext(ctx, "media socket ended", slog.Int("status", int(websocket.CloseStatus(err))))
			return
		}
		cmd, err := parseCommand(b, s.sid)
		if kind != websocket.MessageText {
			err = errShape
		}
		switch {
		case err != nil:
			s.warned.Do(func() { s.k.c.warn(ctx, 31951, s.k.sid, err.Error()) })
		case cmd.event == "mark":
			s.k.line.mark(cmd.name)
		case cmd.event == "clear":
			s.k.line.clear()
		case !s.k.line.play(cmd.audio):
			s.k.c.warn(ctx, 31931, s.k.sid, "too much audio buffered")
		}
	}
}

// A command is a message that the peer may send on a media stream.
type command struct {
	event string // media, mark or clear
	audio []byte // of media: decoded, and no file with a header
	name  string // of mark
}

// parseCommand parses a message as strictly as Twilio does: exactly the known fields, with exact
// names and places, and the stream's own id. The error wraps errShape.
func parseCommand(b []byte, streamSID string) (command, error) {
	var got map[string]any
	if err := json.Unmarshal(b, &got); err != nil {
		return command{}, fmt.Errorf("%w: not a JSON object", errShape)
	}
	event, _ := got["event"].(string)
	body, _ := got[event].(map[string]any)
	want := map[string]any{"event": event, "streamSid": streamSID}
	cmd := command{event: event}
	var err error
	switch event {
	case "clear":
	case "mark":
		cmd.name, _ = body["name"].(string)
		want["mark"] = map[string]any{"name": cmd.name}
	case "media":
		payload, _ := body["payload"].(string)
		want["media"] = map[string]any{"payload": payload}
		cmd.audio, err = base64.StdEncoding.DecodeString(payload)
	default:
		return command{}, fmt.Errorf("%w: event of an unknown kind", errShape)
	}
	if err != nil || !reflect.DeepEqual(got, want) || event == "mark" && cmd.name == "" {
		return command{}, fmt.Errorf("%w: %s with other fields than it has", errShape, event)
	}
	for _, header := range []string{"RIFF", "OggS", "ID3", "fLaC", ".snd"} {
		if bytes.HasPrefix(cmd.audio, []byte(header)) {
			return command{}, fmt.Errorf("%w: payload with a file header", errShape)
		}
	}
	return cmd, nil
}
