package telephony

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/telephony/elevenlabs"
	"github.com/naiber/naiber/telephony/prompts"
	"github.com/naiber/naiber/telephony/relaytest"
	"github.com/naiber/naiber/telephony/twilio"
)

var (
	relaySeconds = flag.Int("relay.seconds", 5, "how long BenchmarkRelay300 carries audio")
	relayCalls   = flag.Int("relay.calls", 300, "how many calls BenchmarkRelay300 carries")
)

// BenchmarkRelay300 carries 300 calls of 50 frames a second each way next to the
// load's own generators, and in the same run the same load without a relay,
// through a copy of bytes from socket to socket, and through a relay that does
// nothing but splice the audio from one frame into the next: the floors. It fails
// where a frame is lost, out of order or in the wrong call.
func BenchmarkRelay300(b *testing.B) {
	for b.Loop() {
		direct := carryLoad(b, direct)
		copied := carryLoad(b, copying)
		spliced := carryLoad(b, splicing)
		relayed := carryLoad(b, bridging)
		perFrame := func(r loadResult) float64 {
			return (r.cpu - direct.cpu).Seconds() * 1e6 / float64(r.sent)
		}
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(perFrame(relayed), "cpu-µs/frame")
		b.ReportMetric(perFrame(spliced), "cpu-µs/frame-splice")
		b.ReportMetric(perFrame(copied), "cpu-µs/frame-copy")
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

// relayKind is what lies between a load's ends.
type relayKind int

const (
	direct   relayKind = iota
	copying            // bytes, from socket to socket
	splicing           // frames, by the least that speaks both sides' formats
	bridging           // the real one
)

type loadResult struct {
	p50, p99               time.Duration
	lost, swapped, crossed int64
	frames                 int
	sent                   int64
	memory                 float64
	cpu, took              time.Duration
}

func carryLoad(b *testing.B, kind relayKind) loadResult {
	b.Helper()
	before := memory()
	var voiceMu sync.Mutex // guards voices
	voices := make(map[int]*relaytest.Sender)
	up := make(map[int]*relaytest.Receiver)
	var readers sync.WaitGroup
	ready := make(chan struct{})
	mux := http.NewServeMux()
	mux.HandleFunc("/voice/{call}", func(w http.ResponseWriter, r *http.Request) {
		call, err := strconv.Atoi(r.PathValue("call"))
		if err != nil {
			return
		}
		conn, err := relaytest.Accept(w, r)
		if err != nil {
			return
		}
		frame := `{"type":"audio","audio_event":{"event_id":1,"audio_base_64":"` + relaytest.Stamped(call) + `"}}`
		if kind == bridging {
			if _, err := conn.Read(nil); err != nil { // the opening
				return
			}
			_, _ = conn.Write(relaytest.Frame(false, `{"type":"conversation_initiation_metadata","conversation_initiation_metadata_event":`+
				`{"conversation_id":"conv_`+strconv.Itoa(call)+`","agent_output_audio_format":"ulaw_8000","user_input_audio_format":"ulaw_8000"}}`))
		}
		voiceMu.Lock()
		voices[call] = relaytest.NewSender(conn, relaytest.Frame(false, frame))
		sink := up[call]
		voiceMu.Unlock()
		ready <- struct{}{}
		sink.Listen(conn)
		_ = conn.Close()
	})
	voice := httptest.NewServer(mux)
	defer voice.Close()
	addr := voice.Listener.Addr().String()
	target := func(call int) string { return "/voice/" + strconv.Itoa(call) }
	var rel *benchBridge
	switch kind {
	case direct:
	case copying:
		addr = newCopier(b, addr)
	case splicing:
		addr = newSplicer(b, addr)
	case bridging:
		rel = newBenchBridge(addr)
		defer rel.server.Close()
		addr = rel.server.Listener.Addr().String()
		target = func(int) string { return "/outbound-media-stream" }
	}

	n := *relayCalls
	frames := 50**relaySeconds + 200
	phones, down := make([]*relaytest.Sender, n), make([]*relaytest.Receiver, n)
	for call := range n {
		voiceMu.Lock()
		up[call] = relaytest.NewReceiver(call, frames)
		voiceMu.Unlock()
		conn, err := relaytest.Dial(b.Context(), addr, target(call), nil)
		if err != nil {
			b.Fatal(err)
		}
		if kind == bridging {
			_, _ = conn.Write(relaytest.Frame(true, `{"event":"connected","protocol":"Call","version":"1.0.0"}`))
			_, _ = conn.Write(relaytest.Frame(true, `{"event":"start","streamSid":"MZ01","start":{"streamSid":"MZ01","callSid":"CA`+strconv.Itoa(call)+
				`","mediaFormat":{"encoding":"audio/x-mulaw","sampleRate":8000,"channels":1},"customParameters":{"token":"`+strconv.Itoa(call)+`"}}}`))
		}
		phones[call] = relaytest.NewSender(conn, relaytest.Frame(true, mediaOf(call)))
		down[call] = relaytest.NewReceiver(call, frames)
		readers.Go(func() { down[call].Listen(conn) })
		<-ready
	}

	send := make([]*relaytest.Sender, 0, 2*n)
	voiceMu.Lock()
	for call := range n {
		send = append(send, phones[call], voices[call])
	}
	voiceMu.Unlock()
	start, cpu := time.Now(), cpuTime()
	var senders sync.WaitGroup
	const workers = 4
	for w := range workers {
		mine := make([]*relaytest.Sender, 0, len(send)/workers+1)
		for i := w; i < len(send); i += workers {
			mine = append(mine, send[i])
		}
		senders.Go(func() { relaytest.Speak(mine, time.Duration(*relaySeconds)*time.Second) })
	}
	senders.Wait()
	res := loadResult{cpu: cpuTime() - cpu, took: time.Since(start)}
	settle := time.NewTimer(500 * time.Millisecond)
	<-settle.C
	res.memory = memory() - before
	for _, f := range send {
		_ = f.Close()
	}
	if rel != nil {
		rel.close()
	}
	readers.Wait()
	voice.Close()

	var late []time.Duration
	for call := range n {
		for _, end := range []struct {
			sent *relaytest.Sender
			got  *relaytest.Receiver
		}{{phones[call], up[call]}, {voices[call], down[call]}} {
			got := end.got.Tally()
			res.sent += end.sent.Sent
			res.lost += got.Lost + end.sent.Sent - got.Last
			res.swapped += got.Swapped
			res.crossed += got.Crossed
			late = append(late, got.Late...)
		}
	}
	res.frames = len(late)
	res.p50, res.p99 = relaytest.Percentile(late, .5), relaytest.Percentile(late, .99)
	return res
}

// mediaOf is 20 ms of a call's audio as Twilio sends it.
func mediaOf(call int) string {
	return `{"event":"media","sequenceNumber":"4","streamSid":"MZ01","media":{"track":"inbound","chunk":"2","timestamp":"25","payload":"` +
		relaytest.Stamped(call) + `"}}`
}

// newCopier starts a relay that copies bytes to the server at voiceAddr and back,
// and returns its address.
func newCopier(b *testing.B, voiceAddr string) string {
	b.Helper()
	l, err := new(net.ListenConfig).Listen(b.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			phone, err := l.Accept()
			if err != nil {
				return
			}
			voice, err := new(net.Dialer).DialContext(noDeadline, "tcp", voiceAddr)
			if err != nil {
				_ = phone.Close()
				return
			}
			pass := func(from, to net.Conn) {
				// Without the wrapping, Go would have the kernel do it.
				_, _ = io.Copy(struct{ io.Writer }{to}, struct{ io.Reader }{from})
				_ = from.Close()
				_ = to.Close()
			}
			go pass(phone, voice)
			go pass(voice, phone)
		}
	}()
	return l.Addr().String()
}

// newSplicer starts a relay that takes the audio out of each frame, puts it into
// one of the other side's form and writes that, and returns its address.
func newSplicer(b *testing.B, voiceAddr string) string {
	b.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		phone, err := relaytest.Accept(w, r)
		if err != nil {
			return
		}
		voice, err := relaytest.Dial(noDeadline, voiceAddr, r.URL.Path, nil)
		if err != nil {
			return
		}
		pass := func(from, to *relaytest.Conn, before, prefix, suffix string, masked bool) {
			defer func() { _, _ = from.Close(), to.Close() }()
			var in []byte
			out := relaytest.Frame(masked, prefix+relaytest.Stamped(0)+suffix)
			at := bytes.Index(out, []byte(relaytest.Stamped(0)))
			for {
				var err error
				if in, err = from.Read(in); err != nil {
					return
				}
				_, audio, _ := bytes.Cut(in, []byte(before))
				copy(out[at:len(out)-len(suffix)], audio)
				if _, err := to.Write(out); err != nil {
					return
				}
			}
		}
		go pass(voice, phone, `"audio_base_64":"`, `{"event":"media","streamSid":"MZ01","media":{"payload":"`, `"}}`, false)
		pass(phone, voice, `"payload":"`, `{"user_audio_chunk":"`, `"}`, true)
	}))
	b.Cleanup(server.Close)
	return server.Listener.Addr().String()
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
	b := &bridge{common{
		cfg: Config{
			TimeLimit: time.Hour, StreamStartTimeout: 10 * time.Second, SilenceHangUp: time.Hour,
			ReconnectGrace: time.Second, GoodbyeCap: time.Second,
		},
		live: newRegistry(), log: slog.New(slog.DiscardHandler), metrics: newMetrics(nil),
		do: deps{
			verify: func(*http.Request) error { return nil },
			take: func(_ context.Context, token string) (calls.Call, error) {
				i, err := strconv.Atoi(token)
				return calls.Call{ID: ids[i]}, err
			},
			line: func(_ context.Context, c calls.Call) (calls.Line, bool, error) {
				return calls.Line{Call: c}, true, nil
			},
			spoken:    func(context.Context, store.CallID) (int, error) { return 0, nil },
			signedURL: func(context.Context, string) (string, error) { return "", nil },
			opening: func(_ context.Context, _ calls.Line, _ bool) (elevenlabs.Init, *disclosed, error) {
				return elevenlabs.Init{Prompt: "hello"}, nil, nil
			},
			hangUp: func(context.Context, string) error { return nil },
			say:    func(context.Context, calls.Line, prompts.Name) error { return nil },
			finish: func(context.Context, store.CallID, calls.Ending) error { return nil },
			call:   func(context.Context, store.CallID) (calls.Call, error) { return calls.Call{}, nil },
			book:   noBook{},
		},
	}}
	// Calls are begun one after the other, so addresses can be counted.
	var next atomic.Int64
	next.Store(-1)
	b.do.signedURL = func(context.Context, string) (string, error) { return strconv.FormatInt(next.Add(1), 10), nil }
	b.do.dial = func(ctx context.Context, url string) (*websocket.Conn, func() bool, error) {
		return dialVoice(ctx, nil, "ws://"+voiceAddr+"/voice/"+url)
	}
	return &benchBridge{bridge: b, server: httptest.NewServer(http.HandlerFunc(b.serve))}
}

func (b *benchBridge) close() {
	now, cancel := context.WithCancel(context.Background())
	cancel()
	_ = b.bridge.live.drain(now)
}

type noBook struct{}

func (noBook) AddUtterance(_ context.Context, u calls.Utterance) (calls.Utterance, error) {
	return u, nil
}

func (noBook) CorrectUtterance(context.Context, store.CallID, string, int64, string, string) (bool, error) {
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
		conn, err := relaytest.Accept(w, r)
		if err != nil {
			return
		}
		defer func() { _ = conn.Close() }()
		var buf []byte
		for {
			if buf, err = conn.Read(buf); err != nil || len(buf) < 200 {
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
		out, room, err := dialVoice(noDeadline, nil, "ws"+strings.TrimPrefix(sink.URL, "http"))
		if err != nil {
			return
		}
		defer func() { _ = out.CloseNow() }()
		if pass == nil {
			relaySplice(in, out, room)
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
	conn, err := relaytest.Dial(b.Context(), relay.Listener.Addr().String(), "/", nil)
	if err != nil {
		b.Fatal(err)
	}
	frame := relaytest.Frame(true, mediaOf(1))
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
func relaySplice(in, out *websocket.Conn, room func() bool) {
	c := &liveCall{
		common: common{metrics: newMetrics(nil)}, up: newRing(ringRunning), over: make(chan struct{}), signals: make(chan event),
	}
	v := &conversation{socket: socket{conn: out}, room: room}
	c.up.to.Store(v)
	ctx, cancel := context.WithCancel(noDeadline)
	var feeding sync.WaitGroup
	feeding.Go(func() { c.feed(ctx, v) })
	c.readPhone(&stream{socket: socket{conn: in}, sid: twilio.StreamSID("MZ01")})
	cancel()
	feeding.Wait()
}
