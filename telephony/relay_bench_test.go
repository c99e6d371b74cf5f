package telephony

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha1"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/telephony/elevenlabs"
	"github.com/naiber/naiber/telephony/prompts"
	"github.com/naiber/naiber/telephony/twilio"
)

var (
	relaySeconds = flag.Int("relay.seconds", 5, "how long BenchmarkRelay300 carries audio")
	relayCalls   = flag.Int("relay.calls", 300, "how many calls BenchmarkRelay300 carries")
)

// Far ends that cost next to nothing, so that what is measured is the relay:
// frames are built once, patched in place, and written to the bare connection.

// rawDial opens a WebSocket and leaves it to the caller to speak the protocol.
func rawDial(addr, path string) (net.Conn, *bufio.Reader, error) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, nil, err
	}
	_, err = fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n", path, addr)
	if err != nil {
		return nil, nil, err
	}
	br := bufio.NewReaderSize(conn, 1024)
	resp, err := http.ReadResponse(br, nil)
	if err != nil {
		return nil, nil, err
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusSwitchingProtocols {
		return nil, nil, fmt.Errorf("status %d", resp.StatusCode)
	}
	return conn, br, nil
}

// rawAccept is the server's side of [rawDial].
func rawAccept(w http.ResponseWriter, r *http.Request) (net.Conn, *bufio.Reader, error) {
	sum := sha1.Sum([]byte(r.Header.Get("Sec-WebSocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return nil, nil, err
	}
	_, err = fmt.Fprintf(conn, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"+
		"Sec-WebSocket-Accept: %s\r\n\r\n", base64.StdEncoding.EncodeToString(sum[:]))
	return conn, bufio.NewReaderSize(conn, 1024), err
}

// rawFrame is a whole text frame; a client's is masked with zeros.
func rawFrame(masked bool, payload string) []byte {
	f := []byte{0x81}
	var mask byte
	if masked {
		mask = 0x80
	}
	if len(payload) < 126 {
		f = append(f, mask|byte(len(payload)))
	} else {
		f = binary.BigEndian.AppendUint16(append(f, mask|126), uint16(len(payload)))
	}
	if masked {
		f = append(f, 0, 0, 0, 0)
	}
	return append(f, payload...)
}

// rawRead reads one frame into buf.
func rawRead(br *bufio.Reader, buf []byte) ([]byte, error) {
	head, err := br.Peek(2)
	if err != nil {
		return nil, err
	}
	n, masked, skip := int(head[1]&0x7f), head[1]&0x80 != 0, 2
	if n == 126 {
		if head, err = br.Peek(4); err != nil {
			return nil, err
		}
		n, skip = int(binary.BigEndian.Uint16(head[2:])), 4
	}
	_, _ = br.Discard(skip)
	var key [4]byte
	if masked {
		if _, err := io.ReadFull(br, key[:]); err != nil {
			return nil, err
		}
	}
	buf = slices.Grow(buf[:0], n)[:n]
	if _, err := io.ReadFull(br, buf); err != nil {
		return nil, err
	}
	if masked {
		for i := range buf {
			buf[i] ^= key[i&3]
		}
	}
	return buf, nil
}

const (
	stampHead = "NAIB"
	stampLen  = len(stampHead) + 4 + 8 + 16 // call, number, time: digits are base64 too
)

// stamped is 20 ms of base64 audio with room for a stamp.
func stamped(call int) string {
	s := fmt.Sprintf("%s%04d%08d%016d", stampHead, call, 0, 0)
	return s + strings.Repeat("A", 216-len(s))
}

func putDigits(b []byte, v int64) {
	for i := len(b) - 1; i >= 0; i-- {
		b[i] = byte('0' + v%10)
		v /= 10
	}
}

func digits(b []byte) (v int64) {
	for _, c := range b {
		v = v*10 + int64(c-'0')
	}
	return v
}

// flow is one direction of one call.
type flow struct {
	call    int
	frame   []byte
	stamp   []byte // into frame
	sent    int64
	conn    net.Conn
	got     int64
	lost    int64
	swapped int64
	crossed int64
	late    []time.Duration
}

func newFlow(call int, conn net.Conn, frame []byte) *flow {
	f := &flow{call: call, conn: conn, frame: frame}
	at := bytes.Index(frame, []byte(stampHead))
	f.stamp = frame[at : at+stampLen]
	return f
}

var benchEpoch = time.Now()

func (f *flow) send() error {
	f.sent++
	putDigits(f.stamp[8:16], f.sent)
	putDigits(f.stamp[16:32], int64(time.Since(benchEpoch)))
	_, err := f.conn.Write(f.frame)
	return err
}

// take books a frame that arrived at the end of flow f.
func (f *flow) take(message []byte) {
	at := bytes.Index(message, []byte(stampHead))
	if at < 0 {
		return
	}
	s := message[at : at+stampLen]
	if digits(s[4:8]) != int64(f.call) {
		f.crossed++
		return
	}
	switch n := digits(s[8:16]); {
	case n == f.got+1:
		f.got = n
	case n > f.got:
		f.lost += n - f.got - 1
		f.got = n
	default:
		f.swapped++
		return
	}
	f.late = append(f.late, time.Since(benchEpoch)-time.Duration(digits(s[16:32])))
}

func (f *flow) listen(br *bufio.Reader) {
	buf := make([]byte, 0, 512)
	for {
		b, err := rawRead(br, buf)
		if err != nil {
			return
		}
		f.take(b)
		buf = b
	}
}

// BenchmarkRelay300 carries 300 calls of 50 frames a second each way beside the
// load's own generators, and the same load without a relay in the same run. It
// fails where a frame is lost, out of order or in the wrong call.
func BenchmarkRelay300(b *testing.B) {
	for b.Loop() {
		direct := carryLoad(b, false)
		relayed := carryLoad(b, true)
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(relayed.p50.Seconds()*1e3, "ms-p50")
		b.ReportMetric(relayed.p99.Seconds()*1e3, "ms-p99")
		b.ReportMetric(direct.p99.Seconds()*1e3, "ms-p99-direct")
		b.ReportMetric((relayed.p99-direct.p99).Seconds()*1e3, "ms-p99-added")
		b.ReportMetric(float64(relayed.lost), "lost")
		b.ReportMetric(float64(relayed.swapped), "reordered")
		b.ReportMetric(float64(relayed.crossed), "crossed")
		b.ReportMetric(float64(relayed.frames), "frames")
		b.ReportMetric((relayed.memory-direct.memory)/float64(*relayCalls)/1e3, "kB/call")
		b.ReportMetric(100*relayed.cpu.Seconds()/relayed.took.Seconds(), "%cpu")
		b.ReportMetric(100*direct.cpu.Seconds()/direct.took.Seconds(), "%cpu-direct")
		if relayed.lost+relayed.swapped+relayed.crossed > 0 {
			b.Errorf("%d frames lost, %d out of order, %d in the wrong call", relayed.lost, relayed.swapped, relayed.crossed)
		}
	}
}

type loadResult struct {
	p50, p99               time.Duration
	lost, swapped, crossed int64
	frames                 int
	memory                 float64
	cpu, took              time.Duration
}

func carryLoad(b *testing.B, relay bool) loadResult {
	b.Helper()
	before := memory()
	var voiceMu sync.Mutex // guards voices
	voices := make(map[int]*flow)
	up := make(map[int]*flow)
	var readers sync.WaitGroup
	ready := make(chan struct{})
	mux := http.NewServeMux()
	mux.HandleFunc("/voice/{call}", func(w http.ResponseWriter, r *http.Request) {
		call, err := strconv.Atoi(r.PathValue("call"))
		if err != nil {
			return
		}
		conn, br, err := rawAccept(w, r)
		if err != nil {
			return
		}
		frame := `{"type":"audio","audio_event":{"event_id":1,"audio_base_64":"` + stamped(call) + `"}}`
		if relay {
			if _, err := rawRead(br, nil); err != nil { // the opening
				return
			}
			_, _ = conn.Write(rawFrame(false, `{"type":"conversation_initiation_metadata","conversation_initiation_metadata_event":`+
				`{"conversation_id":"conv_`+strconv.Itoa(call)+`","agent_output_audio_format":"ulaw_8000","user_input_audio_format":"ulaw_8000"}}`))
		}
		voiceMu.Lock()
		voices[call] = newFlow(call, conn, rawFrame(false, frame))
		sink := up[call]
		voiceMu.Unlock()
		ready <- struct{}{}
		sink.listen(br)
		_ = conn.Close()
	})
	voice := httptest.NewServer(mux)
	defer voice.Close()
	addr := voice.Listener.Addr().String()
	target := func(call int) string { return "/voice/" + strconv.Itoa(call) }
	var rel *benchBridge
	if relay {
		rel = newBenchBridge(addr)
		defer rel.server.Close()
		addr = rel.server.Listener.Addr().String()
		target = func(int) string { return "/outbound-media-stream" }
	}

	n := *relayCalls
	phones, down := make([]*flow, n), make([]*flow, n)
	for call := range n {
		voiceMu.Lock()
		up[call] = &flow{call: call, late: make([]time.Duration, 0, 50**relaySeconds+200)}
		voiceMu.Unlock()
		conn, br, err := rawDial(addr, target(call))
		if err != nil {
			b.Fatal(err)
		}
		if relay {
			_, _ = conn.Write(rawFrame(true, `{"event":"connected","protocol":"Call","version":"1.0.0"}`))
			_, _ = conn.Write(rawFrame(true, `{"event":"start","streamSid":"MZ01","start":{"streamSid":"MZ01","callSid":"CA`+strconv.Itoa(call)+
				`","mediaFormat":{"encoding":"audio/x-mulaw","sampleRate":8000,"channels":1},"customParameters":{"token":"`+strconv.Itoa(call)+`"}}}`))
		}
		media := `{"event":"media","sequenceNumber":"4","streamSid":"MZ01","media":{"track":"inbound","chunk":"2","timestamp":"25","payload":"` +
			stamped(call) + `"}}`
		phones[call] = newFlow(call, conn, rawFrame(true, media))
		down[call] = &flow{call: call, late: make([]time.Duration, 0, 50**relaySeconds+200)}
		readers.Go(func() { down[call].listen(br) })
		<-ready
	}

	send := make([]*flow, 0, 2*n)
	voiceMu.Lock()
	for call := range n {
		send = append(send, phones[call], voices[call])
	}
	voiceMu.Unlock()
	start, cpu := time.Now(), cpuTime()
	var senders sync.WaitGroup
	const workers = 4
	for w := range workers {
		mine := make([]*flow, 0, len(send)/workers+1)
		for i := w; i < len(send); i += workers {
			mine = append(mine, send[i])
		}
		senders.Go(func() {
			// Calls do not all speak in the same instant: spread over the 20 ms.
			const slots = 10
			tick := time.NewTicker(20 * time.Millisecond / slots)
			defer tick.Stop()
			for i := range *relaySeconds * 50 * slots {
				<-tick.C
				slot := i % slots
				for _, f := range mine[slot*len(mine)/slots : (slot+1)*len(mine)/slots] {
					if f.send() != nil {
						return
					}
				}
			}
		})
	}
	senders.Wait()
	res := loadResult{cpu: cpuTime() - cpu, took: time.Since(start)}
	settle := time.NewTimer(500 * time.Millisecond)
	<-settle.C
	res.memory = memory() - before
	for _, f := range send {
		_ = f.conn.Close()
	}
	if rel != nil {
		rel.close()
	}
	readers.Wait()
	voice.Close()

	var late []time.Duration
	for call := range n {
		for _, end := range []struct{ sent, got *flow }{{phones[call], up[call]}, {voices[call], down[call]}} {
			res.lost += end.got.lost + end.sent.sent - end.got.got
			res.swapped += end.got.swapped
			res.crossed += end.got.crossed
			late = append(late, end.got.late...)
		}
	}
	slices.Sort(late)
	res.frames = len(late)
	res.p50, res.p99 = late[len(late)/2], late[len(late)*99/100]
	return res
}

// benchBridge is the real bridge without a database.
type benchBridge struct {
	bridge *bridge
	server *httptest.Server
}

func newBenchBridge(voiceAddr string) *benchBridge {
	ids := make([]store.CallID, 10000)
	for i := range ids {
		ids[i] = store.NewCallID()
	}
	b := &bridge{
		cfg: Config{
			TimeLimit: time.Hour, StreamStartTimeout: 10 * time.Second, SilenceHangUp: time.Hour,
			ReconnectGrace: time.Second, GoodbyeCap: time.Second,
		},
		live: newRegistry(), log: slog.New(slog.DiscardHandler), metrics: newMetrics(nil),
		do: world{
			verify: func(*http.Request) error { return nil },
			take: func(_ context.Context, token string) (store.Call, error) {
				i, err := strconv.Atoi(token)
				return store.Call{ID: ids[i]}, err
			},
			line: func(_ context.Context, c store.Call) (store.Line, bool, error) {
				return store.Line{Call: c}, true, nil
			},
			spoken:    func(context.Context, store.CallID) (int, error) { return 0, nil },
			signedURL: func(context.Context) (string, error) { return "", nil },
			opening: func(_ context.Context, _ store.Line, _ bool) (elevenlabs.Init, error) {
				return elevenlabs.Init{Prompt: "hello"}, nil
			},
			hangUp: func(context.Context, string) error { return nil },
			say:    func(context.Context, store.Line, prompts.Name) error { return nil },
			finish: func(context.Context, store.CallID, store.Ending) error { return nil },
			book:   noBook{},
		},
	}
	// Calls are begun one after the other, so addresses can be counted.
	var next atomic.Int64
	next.Store(-1)
	b.do.signedURL = func(context.Context) (string, error) { return strconv.FormatInt(next.Add(1), 10), nil }
	b.do.dial = func(ctx context.Context, url string) (*websocket.Conn, error) {
		conn, _, err := websocket.Dial(ctx, "ws://"+voiceAddr+"/voice/"+url, nil) //nolint:bodyclose // the library closes it
		return conn, err
	}
	return &benchBridge{bridge: b, server: httptest.NewServer(http.HandlerFunc(b.serve))}
}

func (b *benchBridge) close() {
	now, cancel := context.WithCancel(context.Background())
	cancel()
	_ = b.bridge.live.drain(now)
}

type noBook struct{}

func (noBook) AddUtterance(_ context.Context, u store.Utterance) (store.Utterance, error) {
	return u, nil
}

func (noBook) CorrectUtterance(context.Context, store.CallID, string, int64, string) (bool, error) {
	return true, nil
}

func (noBook) AddEvent(context.Context, store.CallID, string, []byte, string) (bool, error) {
	return true, nil
}
func (noBook) AddConversation(context.Context, store.CallID, string) error     { return nil }
func (noBook) SetFirstWord(context.Context, store.CallID, time.Duration) error { return nil }

// memory is what the process holds once garbage is gone.
func memory() float64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapInuse) + float64(m.StackInuse)
}

// cpuTime is what the process has used, in user and system mode.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkRelayFrame measures the CPU that one frame from the phone costs, both
// far ends included, for what may be done with it: passed on byte by byte (the
// floor), spliced (what we do), and unmarshalled and marshalled. Frames go one
// at a time, as they do on a telephone.
func BenchmarkRelayFrame(b *testing.B) {
	kinds := []struct {
		name string
		pass func(in, out []byte) []byte
	}{
		{"copy", func(in, _ []byte) []byte { return in }},
		{"splice", nil},
		{"marshal", func(in, _ []byte) []byte {
			var m struct {
				Event string `json:"event"`
				Media struct {
					Payload string `json:"payload"`
				} `json:"media"`
			}
			if json.Unmarshal(in, &m) != nil {
				return nil
			}
			out, err := json.Marshal(map[string]string{"user_audio_chunk": m.Media.Payload})
			if err != nil {
				return nil
			}
			return out
		}},
	}
	perFrame := make(map[string]float64)
	for _, k := range kinds {
		b.Run(k.name, func(b *testing.B) {
			perFrame[k.name] = relayFrames(b, k.pass)
			if floor := perFrame["copy"]; floor > 0 {
				b.ReportMetric(perFrame[k.name]/floor, "x-copy")
			}
		})
	}
}

func relayFrames(b *testing.B, pass func(in, out []byte) []byte) float64 {
	b.Helper()
	got := make(chan struct{})
	sink := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, br, err := rawAccept(w, r)
		if err != nil {
			return
		}
		defer func() { _ = conn.Close() }()
		var buf []byte
		for {
			if buf, err = rawRead(br, buf); err != nil || len(buf) < 200 {
				return
			}
			got <- struct{}{}
		}
	}))
	defer sink.Close()
	var relaying sync.WaitGroup
	relaying.Add(1)
	relay := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer relaying.Done()
		in, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		out, _, err := websocket.Dial(noDeadline, "ws"+strings.TrimPrefix(sink.URL, "http"), nil) //nolint:bodyclose // the library closes it
		if err != nil {
			return
		}
		defer func() { _ = out.CloseNow() }()
		if pass == nil {
			relaySplice(in, out)
			return
		}
		s := socket{conn: in}
		var buf []byte
		for {
			if buf, err = s.read(buf); err != nil {
				return
			}
			if out.Write(noDeadline, websocket.MessageText, pass(buf, nil)) != nil {
				return
			}
		}
	}))
	defer relay.Close()
	conn, _, err := rawDial(relay.Listener.Addr().String(), "/")
	if err != nil {
		b.Fatal(err)
	}
	frame := rawFrame(true, `{"event":"media","sequenceNumber":"4","streamSid":"MZ01","media":{"track":"inbound","chunk":"2","timestamp":"25","payload":"`+
		stamped(1)+`"}}`)
	step := func() {
		if _, err := conn.Write(frame); err != nil {
			b.Fatal(err)
		}
		<-got
	}
	for range 200 {
		step()
	}
	b.ReportAllocs()
	b.ResetTimer()
	cpu := cpuTime()
	for range b.N {
		step()
	}
	per := float64(cpuTime()-cpu) / float64(b.N)
	b.StopTimer()
	b.ReportMetric(per, "cpu-ns/frame")
	_ = conn.Close()
	relaying.Wait()
	return per
}

// relaySplice is the real way of a frame: the call's own reader, ring and feeder.
func relaySplice(in, out *websocket.Conn) {
	c := &liveCall{
		up: newRing(ringRunning), metrics: newMetrics(nil), over: make(chan struct{}), signals: make(chan signal),
	}
	v := &conversation{socket: socket{conn: out}}
	ctx, cancel := context.WithCancel(noDeadline)
	var feeding sync.WaitGroup
	feeding.Go(func() { c.feed(ctx, v) })
	c.listen(&stream{socket: socket{conn: in}, sid: twilio.StreamSID("MZ01")})
	cancel()
	feeding.Wait()
}
