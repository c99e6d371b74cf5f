package orchestration_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/naiber/naiber/orchestration"
	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/storetest"
)

const (
	benchSecret        = "bench"
	benchConversations = 32
	benchTokens        = 40
	benchFirstToken    = 20 * time.Millisecond
	benchTokenPace     = 5 * time.Millisecond
)

// tokens is a model server that speaks at a pace.
func tokens(w http.ResponseWriter, r *http.Request) {
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	rc := http.NewResponseController(w)
	timer := time.NewTimer(benchFirstToken)
	defer timer.Stop()
	for i := range benchTokens {
		<-timer.C
		timer.Reset(benchTokenPace)
		if _, err := fmt.Fprintf(w, `data: {"id":"m","object":"chat.completion.chunk","created":1,"model":"bench","choices":[{"index":0,"delta":{"content":"word%d "},"finish_reason":null}]}`+"\n\n", i); err != nil {
			return
		}
		if rc.Flush() != nil {
			return
		}
	}
	// The client is gone or has it all.
	_, _ = io.WriteString(w, "data: {\"id\":\"m\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
}

// line is the one call that each conversation of the benchmark belongs to.
type lines map[store.CallID]store.Line

func (l lines) LineByCall(_ context.Context, id store.CallID) (store.Line, bool, error) {
	line, ok := l[id]
	return line, ok, nil
}

func (l lines) LineByPerson(context.Context, store.PersonID) (store.Line, bool, error) {
	return store.Line{}, false, nil
}

func (l lines) LineByPhone(context.Context, string) (store.Line, bool, error) {
	return store.Line{}, false, nil
}

func (l lines) EndAfterSpeech(context.Context, store.CallID, string) error { return nil }

func (l lines) WillEnd(store.CallID, string) {}

// companion streams a model's words, as the general persona does.
func companion(model *llm.Client) orchestration.Persona {
	return orchestration.PersonaFunc(func(ctx context.Context, t *orchestration.Turn, s *orchestration.Speech) error {
		res, err := model.Stream(ctx, llm.Request{Messages: t.Messages}, func(d llm.Delta) error { return s.Say(d.Text) })
		s.Model(res.Model)
		return err
	})
}

// BenchmarkTurn plays 32 conversations at the pace of speech, the same turns
// first against the model server, then against a bare reverse proxy before it,
// then against nAIber before it, and reports what nAIber adds. Turns are
// recorded in a real PostgreSQL. The process holds client and servers alike, so
// the CPU of the direct run is taken off both others.
func BenchmarkTurn(b *testing.B) {
	st := storetest.New(b)
	upstream := httptest.NewServer(http.HandlerFunc(tokens))
	defer upstream.Close()
	model, err := llm.New(llm.Config{BaseURL: upstream.URL + "/v1", Models: []string{"bench"}})
	if err != nil {
		b.Fatal(err)
	}
	defer model.Close()
	calls := make(lines)
	var ids []store.CallID
	for range benchConversations {
		c, err := st.CreateCall(b.Context(), store.NewCall{Type: store.CallGeneral, Direction: store.Inbound, Phone: "+15550100003"})
		if err != nil {
			b.Fatal(err)
		}
		calls[c.ID] = store.Line{Call: c, ConversationID: "conv"}
		ids = append(ids, c.ID)
	}
	srv, err := orchestration.New(orchestration.Config{
		Secret: benchSecret, Personas: map[store.CallType]orchestration.Persona{store.CallGeneral: companion(model)},
		Directory: calls, Ender: calls, Recorder: st, Log: slog.New(slog.DiscardHandler),
		Verify: func(token string) (store.CallID, bool) {
			id, err := store.ParseCallID(token)
			return id, err == nil
		},
	})
	if err != nil {
		b.Fatal(err)
	}
	ours := httptest.NewServer(srv)
	defer ours.Close()
	target, err := url.Parse(upstream.URL)
	if err != nil {
		b.Fatal(err)
	}
	proxy := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(target) },
		FlushInterval: -1,
		Transport:     &http.Transport{MaxIdleConnsPerHost: 128, DisableCompression: true},
	})
	defer proxy.Close()

	const rounds = 8
	for n := 0; b.Loop(); n++ {
		play := strconv.Itoa(n)
		direct := rehearse(b, upstream.URL, play, ids, rounds)
		copied := rehearse(b, proxy.URL, play, ids, rounds)
		turned := rehearse(b, ours.URL, play, ids, rounds)
		b.ReportMetric(ms(turned.p50-direct.p50), "added-ttft-p50-ms")
		b.ReportMetric(ms(turned.p99-direct.p99), "added-ttft-p99-ms")
		b.ReportMetric(ms(copied.p50-direct.p50), "proxy-ttft-p50-ms")
		b.ReportMetric(ms(copied.p99-direct.p99), "proxy-ttft-p99-ms")
		b.ReportMetric(ms(turned.cpu-direct.cpu), "cpu-ms/turn")
		b.ReportMetric(ms(copied.cpu-direct.cpu), "proxy-cpu-ms/turn")
		b.ReportMetric(float64(turned.cpu-direct.cpu)/float64(copied.cpu-direct.cpu), "cpu-ratio-to-proxy")
	}
	b.StopTimer()
	if err := srv.Close(context.Background()); err != nil {
		b.Error(err)
	}
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

type figures struct{ p50, p99, cpu time.Duration }

// rehearse plays all conversations at once and measures them. Each play has
// its own words, so that no turn is taken for a repeat.
func rehearse(b *testing.B, base, play string, ids []store.CallID, rounds int) figures {
	b.Helper()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: benchConversations, DisableCompression: true}}
	defer client.CloseIdleConnections()
	var mu sync.Mutex
	var firsts []time.Duration
	before := cpuTime(b)
	var wg sync.WaitGroup
	for i, id := range ids {
		wg.Go(func() {
			time.Sleep(time.Duration(i) * 7 * time.Millisecond) //nolint:forbidigo // the pace of speech
			for round := range rounds {
				first, err := ask(b.Context(), client, base, play, id, round)
				if err != nil {
					b.Error(err)
					return
				}
				mu.Lock()
				firsts = append(firsts, first)
				mu.Unlock()
				time.Sleep(30 * time.Millisecond) //nolint:forbidigo // the pace of speech
			}
		})
	}
	wg.Wait()
	used := cpuTime(b) - before
	if len(firsts) == 0 {
		b.Fatal("no turn was answered")
	}
	slices.Sort(firsts)
	return figures{firsts[len(firsts)/2], firsts[len(firsts)*99/100], used / time.Duration(len(firsts))}
}

var systemPrompt = strings.Repeat("You are nAIber, a warm companion on the telephone. Keep sentences short. ", 30)

func ask(ctx context.Context, client *http.Client, base, play string, id store.CallID, round int) (time.Duration, error) {
	var body bytes.Buffer
	fmt.Fprintf(&body, `{"model":"naiber","stream":true,"messages":[{"role":"system","content":%q}`, systemPrompt)
	for i := range 2*round + 2 {
		role := [2]string{"assistant", "user"}[i%2]
		fmt.Fprintf(&body, `,{"role":%q,"content":"line %d of play %s, as long as lines in a call usually are"}`, role, i, play)
	}
	fmt.Fprintf(&body, `],"elevenlabs_extra_body":{"token":%q}}`, id)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/v1/chat/completions", &body)
	if err != nil {
		return 0, err
	}
	req.Header.Set("Authorization", "Bearer "+benchSecret)
	began := time.Now()
	resp, err := client.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	var first time.Duration
	done := false
	sc := bufio.NewScanner(resp.Body)
	for sc.Scan() {
		if first == 0 && bytes.Contains(sc.Bytes(), []byte(`"content":"word`)) {
			first = time.Since(began)
		}
		done = done || bytes.HasPrefix(sc.Bytes(), []byte("data: [DONE]"))
	}
	if err := sc.Err(); err != nil || first == 0 || !done {
		return 0, fmt.Errorf("turn of %s was cut: status %d, %w", id, resp.StatusCode, err)
	}
	return first, nil
}

// cpuTime is what this process has used of the processors.
func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
