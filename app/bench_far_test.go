package app_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/naiber/naiber/telephony/relaytest"
	"github.com/naiber/naiber/telephony/twilio"
)

// The far ends of the benchmarks (carrier, voice service, model and those who
// measure) are a process of their own, so that what nAIber's process uses of
// the processors is nAIber's. It is this test binary, started again.

var farEnds = flag.Bool("bench.far", false, "be the far ends of a benchmark; the benchmark sets it")

// farCall is a call as the benchmark made it.
type farCall struct{ ID, SID, Token string }

// farOpen tells the far ends to open calls with the nAIber at Addr.
type farOpen struct {
	Addr, Signature string // of the media streams
	Calls           []farCall
}

// farPlay asks for Rounds turns in each of the first Conversations calls,
// beginning with the round First, posted to Base; where For is set, no turn begins
// later than that. All of it goes Faster times as fast, model and people alike;
// Saturated, nobody waits for anything: a turn follows the other, and the model
// answers at once. Skip leaves out that many calls.
type farPlay struct {
	Base                                 string
	Conversations, First, Rounds, Faster int
	For                                  time.Duration
	Saturated                            bool
	Skip                                 int
	Says                                 []string // by the people, in each round; nil: about a walk
}

// farTalk asks all calls to carry audio both ways.
type farTalk struct{ For time.Duration }

// farFigures is what became of it.
type farFigures struct {
	TTFT []time.Duration // of each turn

	P50, P99 time.Duration // what the relay took for a frame
	Frames   int
	Lost     int64 // or out of order, or in the wrong call

	// Of discussions: what a chunk took from the model to a viewer, and until it began
	// to be kept. Lost are texts that are not the final ones.
	Late, Kept []time.Duration
	Resumed    int
}

// far is the far ends as the benchmark sees them.
type far struct {
	url   string
	agent *http.Client
}

// startFar starts the far ends.
func startFar(b *testing.B) *far {
	b.Helper()
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	cmd := exec.CommandContext(context.WithoutCancel(b.Context()), self, "-test.run=^TestFarEnds$", "-bench.far", "-test.timeout=0")
	cmd.Stderr = os.Stderr
	hold, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = hold.Close() // which ends it
		_, _ = io.Copy(io.Discard, out)
		if err := cmd.Wait(); err != nil {
			b.Errorf("far ends: %v", err)
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatalf("far ends did not start: %v", err)
	}
	return &far{url: strings.TrimSpace(line), agent: new(http.Client)}
}

// do has the far ends do something and returns what they measured.
func (f *far) do(b *testing.B, what string, order any) farFigures {
	b.Helper()
	body, err := json.Marshal(order)
	if err != nil {
		b.Fatal(err)
	}
	ctx := context.WithoutCancel(b.Context()) // the end of a benchmark hangs up
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, f.url+"/bench/"+what, bytes.NewReader(body))
	if err != nil {
		b.Fatal(err)
	}
	resp, err := f.agent.Do(req)
	if err != nil {
		b.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	var figures farFigures
	if err == nil && resp.StatusCode == http.StatusOK {
		err = json.Unmarshal(answer, &figures)
	}
	if err != nil || resp.StatusCode != http.StatusOK {
		b.Fatalf("far ends: %s: status %d: %s %v", what, resp.StatusCode, answer, err)
	}
	return figures
}

// TestFarEnds is no test but the far ends' process; see [startFar].
func TestFarEnds(t *testing.T) { //nolint:paralleltest // it is no test
	if !*farEnds {
		t.Skip("a benchmark starts this")
	}
	w := &farWorld{lines: make(map[string]*farLine)}
	srv := httptest.NewServer(w.routes())
	defer srv.Close()
	w.url = srv.URL
	fmt.Println(srv.URL)
	_, err := io.Copy(io.Discard, os.Stdin) // until the benchmark ends
	w.hangUp()
	if err != nil {
		t.Error(err)
	}
}

// farWorld is the far ends themselves.
type farWorld struct {
	url    string
	faster atomic.Int64 // see farPlay; 0 where it is saturated

	mu     sync.Mutex // guards all below
	lines  map[string]*farLine
	order  []*farLine
	hungUp bool

	viewing chan struct{} // closed when all viewers of discussions are there
}

// farLine is both ends of one call.
type farLine struct {
	call  farCall
	n     int
	ready chan error // the conversation is open

	phone, voice *relaytest.Conn
	token        string // what the voice service sends with each turn
	prompt       string
	said         []string // what came back in each round, where people say something of their own
	say, answer  *relaytest.Sender
	ear, mic     *relaytest.Receiver
}

func (w *farWorld) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /bench/open", obey(w.open))
	mux.HandleFunc("POST /bench/play", obey(w.play))
	mux.HandleFunc("POST /bench/talk", obey(w.talk))
	mux.HandleFunc("POST /bench/council", obey(w.council))
	mux.HandleFunc("POST /council/v1/chat/completions", w.sayCouncil)
	mux.HandleFunc("POST /bench/close", obey(func(context.Context, struct{}) (farFigures, error) { w.hangUp(); return farFigures{}, nil }))
	mux.HandleFunc("POST /v1/chat/completions", w.speak)
	mux.HandleFunc("GET /v1/convai/conversation/get-signed-url", func(rw http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(rw).Encode(map[string]string{"signed_url": "ws" + strings.TrimPrefix(w.url, "http") + "/voice"})
	})
	mux.HandleFunc("/voice", w.converse)
	mux.HandleFunc("/2010-04-01/", func(rw http.ResponseWriter, _ *http.Request) { // the carrier agrees to everything
		status := "in-progress"
		w.mu.Lock()
		if w.hungUp {
			status = "completed"
		}
		w.mu.Unlock()
		rw.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(rw, `{"sid":"CA00000000000000000000000000000000","status":"`+status+`"}`)
	})
	return mux
}

// obey makes a handler of one of the benchmark's orders.
func obey[T any](do func(context.Context, T) (farFigures, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var order T
		figures, err := farFigures{}, json.NewDecoder(r.Body).Decode(&order)
		if err == nil {
			figures, err = do(r.Context(), order)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		_ = json.NewEncoder(w).Encode(figures)
	}
}

// openers is how many calls are opened at a time.
const openers = 8

// open answers the telephones and waits until each call is in conversation.
func (w *farWorld) open(ctx context.Context, o farOpen) (farFigures, error) {
	w.mu.Lock()
	for i, c := range o.Calls {
		l := &farLine{call: c, n: i, ready: make(chan error, 1), ear: relaytest.NewReceiver(i, 1000), mic: relaytest.NewReceiver(i, 1000)}
		w.lines[c.ID] = l
		w.order = append(w.order, l)
	}
	lines := w.order
	w.mu.Unlock()
	errs := make([]error, openers)
	var all sync.WaitGroup
	for k := range openers {
		all.Go(func() {
			for i := k; i < len(lines) && errs[k] == nil; i += openers {
				errs[k] = lines[i].open(ctx, o)
			}
		})
	}
	all.Wait()
	return farFigures{}, errors.Join(errs...)
}

// open answers one telephone and waits until its call is in conversation.
func (l *farLine) open(ctx context.Context, o farOpen) error {
	conn, err := relaytest.Dial(ctx, o.Addr, "/outbound-media-stream", http.Header{twilio.SignatureHeader: {o.Signature}})
	if err != nil {
		return err
	}
	l.phone = conn
	stream := "MZ" + l.call.SID[2:]
	for _, text := range []string{
		`{"event":"connected","protocol":"Call","version":"1.0.0"}`,
		`{"event":"start","streamSid":"` + stream + `","start":{"streamSid":"` + stream + `","callSid":"` + l.call.SID +
			`","mediaFormat":{"encoding":"audio/x-mulaw","sampleRate":8000,"channels":1},"customParameters":{"token":"` + l.call.Token + `"}}}`,
	} {
		if _, err := conn.Write(relaytest.Frame(true, text)); err != nil {
			return err
		}
	}
	l.say = relaytest.NewSender(conn, relaytest.Frame(true, `{"event":"media","sequenceNumber":"4","streamSid":"`+stream+
		`","media":{"track":"inbound","chunk":"2","timestamp":"25","payload":"`+relaytest.Stamped(l.n)+`"}}`))
	go l.ear.Listen(conn) // hangUp ends it
	select {
	case err := <-l.ready:
		return err
	case <-time.After(10 * time.Second):
		return errors.New("no conversation came for call " + strconv.Itoa(l.n))
	}
}

// converse is the voice service's side of a call.
func (w *farWorld) converse(rw http.ResponseWriter, r *http.Request) {
	conn, err := relaytest.Accept(rw, r)
	if err != nil {
		return
	}
	defer conn.Close()
	first, err := conn.Read(nil)
	if err != nil {
		return
	}
	var opening struct {
		Override struct {
			Agent struct {
				Prompt struct {
					Prompt string `json:"prompt"`
				} `json:"prompt"`
			} `json:"agent"`
		} `json:"conversation_config_override"`
		Extra struct {
			Call  string `json:"call"`
			Token string `json:"token"`
		} `json:"custom_llm_extra_body"`
	}
	err = json.Unmarshal(first, &opening)
	w.mu.Lock()
	l := w.lines[opening.Extra.Call]
	w.mu.Unlock()
	if l == nil {
		return
	}
	l.voice, l.token, l.prompt = conn, opening.Extra.Token, opening.Override.Agent.Prompt.Prompt
	l.answer = relaytest.NewSender(conn, relaytest.Frame(false, `{"type":"audio","audio_event":{"event_id":1,"audio_base_64":"`+relaytest.Stamped(l.n)+`"}}`))
	_, sent := conn.Write(relaytest.Frame(false, `{"type":"conversation_initiation_metadata","conversation_initiation_metadata_event":`+
		`{"conversation_id":"conv_`+strconv.Itoa(l.n)+`","agent_output_audio_format":"ulaw_8000","user_input_audio_format":"ulaw_8000"}}`))
	l.ready <- errors.Join(err, sent)
	l.mic.Listen(conn)
}

// talk has all calls carry audio.
func (w *farWorld) talk(_ context.Context, o farTalk) (farFigures, error) {
	const workers = 2
	var senders [workers][]*relaytest.Sender
	for i, l := range w.order {
		l.ear.Tally() // what came before does not count
		l.mic.Tally()
		senders[i%workers] = append(senders[i%workers], l.say, l.answer)
	}
	var all sync.WaitGroup
	for _, mine := range senders {
		all.Go(func() { relaytest.Speak(mine, o.For) })
	}
	all.Wait()
	settled := time.NewTimer(300 * time.Millisecond)
	<-settled.C
	var f farFigures
	var late []time.Duration
	for _, l := range w.order {
		for _, way := range []struct {
			from *relaytest.Sender
			to   *relaytest.Receiver
		}{{l.say, l.mic}, {l.answer, l.ear}} {
			got := way.to.Tally()
			f.Lost += got.Swapped + got.Crossed + way.from.Sent - got.Last
			late = append(late, got.Late...)
		}
	}
	f.P50, f.P99, f.Frames = relaytest.Percentile(late, .5), relaytest.Percentile(late, .99), len(late)
	return f, nil
}

func (w *farWorld) hangUp() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, l := range w.order {
		if l.phone != nil {
			_, _ = l.phone.Write(relaytest.Frame(true, `{"event":"stop","streamSid":"MZ`+l.call.SID[2:]+`","stop":{"callSid":"`+l.call.SID+`"}}`))
			_ = l.phone.Close()
		}
	}
	w.order, w.hungUp = nil, true
}
