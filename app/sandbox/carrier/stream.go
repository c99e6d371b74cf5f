package carrier

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/naiber/naiber/app/sandbox/faults"
)

const (
	// handshakeTime is how long the media socket may take to open.
	handshakeTime = 10 * time.Second
	// farewellTime is how long the last messages and the close may take.
	farewellTime = 3 * time.Second
	// maxMessage bounds one message from the peer: a minute of audio.
	maxMessage = 1 << 20
)

// stream is one <Stream>: a media socket and what goes over it.
type stream struct {
	k      *call
	sid    string
	name   string
	params map[string]string
	out    *outbox
	conn   *websocket.Conn

	warned sync.Once // 31951 is told once a stream
}

// openStream dials target. The context bounds the handshake alone.
func (k *call) openStream(ctx context.Context, target, name string, params map[string]string) (*stream, error) {
	u, err := url.Parse(target)
	if err != nil || u.Host == "" || u.Scheme != "wss" && (u.Scheme != "ws" || !loopback(u.Hostname())) {
		return nil, fmt.Errorf("stream url is not wss: %w", errShape)
	}
	if u.RawQuery != "" {
		return nil, fmt.Errorf("stream url with a query string: %w", errShape)
	}
	ctx, cancel := context.WithTimeout(ctx, handshakeTime)
	defer cancel()
	conn, resp, err := websocket.Dial(ctx, target, &websocket.DialOptions{
		HTTPClient: k.c.client,
		HTTPHeader: http.Header{
			"User-Agent":         {"Twilio.TmeWs/1.0"},
			"X-Twilio-Signature": {sign(k.c.token(), target, nil)},
		},
		CompressionMode: websocket.CompressionDisabled,
	})
	if resp != nil && resp.Body != nil && err != nil {
		_ = resp.Body.Close() // a refusal's body says nothing to us
	}
	if err != nil {
		return nil, fmt.Errorf("open media socket: %w", err)
	}
	conn.SetReadLimit(maxMessage)
	sid := "MZ" + hexID()
	return &stream{k: k, sid: sid, name: name, params: params, conn: conn, out: newOutbox(sid)}, nil
}

// run carries the stream until the peer closes it or ctx ends, and leaves
// nothing behind.
func (s *stream) run(ctx context.Context) {
	// Reading and writing outlive ctx by a farewell: with coder/websocket an
	// expired context would break the connection.
	life, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	s.out.put(outgoing{event: "connected"})
	s.out.put(outgoing{event: "start", body: map[string]any{
		"accountSid": s.k.c.cfg.AccountSID, "streamSid": s.sid, "callSid": s.k.sid, "tracks": []string{"inbound"},
		"mediaFormat":      map[string]any{"encoding": "audio/x-mulaw", "sampleRate": 8000, "channels": 1},
		"customParameters": s.params,
	}})
	if s.k.c.cfg.Faults.On(faults.UnknownEvent) {
		s.out.put(outgoing{event: "weather", body: map[string]string{"sky": "clear"}})
	}
	var wg sync.WaitGroup
	readDone := make(chan struct{})
	wg.Go(func() { s.write(life) })
	wg.Go(func() {
		defer close(readDone)
		s.read(life)
	})
	if after, on := s.k.c.cfg.Faults.TakeDuration(faults.DroppedStream); on {
		t := time.AfterFunc(after, func() { _ = s.conn.CloseNow() }) // breaks on purpose
		defer t.Stop()
	}
	s.k.line.attach(s)
	select {
	case <-ctx.Done():
	case <-readDone:
	}
	s.k.line.detach()
	if ctx.Err() != nil {
		s.out.put(outgoing{event: "stop", body: map[string]string{"accountSid": s.k.c.cfg.AccountSID, "callSid": s.k.sid}})
	}
	s.out.close()
	end := time.AfterFunc(farewellTime, cancel)
	defer end.Stop()
	wg.Wait()
	_ = s.conn.CloseNow() // closed in order by then, where that was possible
	if s.out.dropped() > 0 {
		s.k.c.warn(ctx, 31930, s.k.sid, "audio discarded for a slow reader")
	}
}

// write sends what is in the outbox, and closes the socket when that is closed.
func (s *stream) write(ctx context.Context) {
	for {
		messages, more := s.out.take()
		for _, m := range messages {
			if s.conn.Write(ctx, websocket.MessageText, m) != nil {
				_ = s.conn.CloseNow() // wakes the reader
				return
			}
		}
		if !more && len(messages) == 0 {
			_ = s.conn.Close(websocket.StatusNormalClosure, "") // the peer may be gone
			return
		}
		if len(messages) > 0 {
			continue
		}
		select {
		case <-s.out.wake:
		case <-ctx.Done():
			_ = s.conn.CloseNow() // wakes the reader
			return
		}
	}
}

// read obeys the peer until the socket ends.
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
		if err != nil {
			s.warned.Do(func() { s.k.c.warn(ctx, 31951, s.k.sid, err.Error()) })
			continue
		}
		switch cmd.event {
		case "media":
			if !s.k.line.play(cmd.audio) {
				s.k.c.warn(ctx, 31931, s.k.sid, "too much audio buffered")
			}
		case "mark":
			s.k.line.mark(cmd.name)
		case "clear":
			s.k.line.clear()
		}
	}
}

// media sends a frame that the person said.
func (s *stream) media(p []byte) {
	s.out.frame(p, s.k.c.cfg.Faults.On(faults.NotBase64))
}

// mark tells the peer that a mark was reached.
func (s *stream) mark(name string) {
	s.out.put(outgoing{event: "mark", body: map[string]string{"name": name}})
}

// dtmf tells the peer that a key was pressed.
func (s *stream) dtmf(digit string) {
	s.out.put(outgoing{event: "dtmf", body: map[string]string{"track": "inbound_track", "digit": digit}})
}

// report posts a stream's status callback, if it has one.
func (k *call) report(ctx context.Context, target, event, streamSID, name, problem string) {
	if target == "" {
		return
	}
	h := webhook{url: target, form: url.Values{
		"AccountSid": {k.c.cfg.AccountSID}, "CallSid": {k.sid}, "StreamSid": {streamSID}, "StreamName": {name},
		"StreamEvent": {event}, "Timestamp": {time.Now().UTC().Format(time.RFC3339Nano)},
	}}
	if problem != "" {
		h.form.Set("StreamError", problem)
	}
	k.c.spawn(ctx, func(ctx context.Context) {
		r, err := k.c.deliver(ctx, h)
		if err != nil || r.code >= 400 {
			k.c.warn(ctx, 11200, k.sid, "stream callback failed")
		}
	})
}

// cleanName is a stream's name, or its SID when it has none.
func cleanName(name, sid string) string {
	if strings.TrimSpace(name) == "" {
		return sid
	}
	return name
}
