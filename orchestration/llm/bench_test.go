//go:build unix

package llm_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/naiber/naiber/orchestration/llm"
)

const (
	benchTokens = 40
	benchPace   = time.Millisecond // apart, so that each token is a packet of its own
	benchAtOnce = 16
)

// BenchmarkStreamAgainstProxy has the same streams pass through the client and
// through a bare reverse proxy, in one run, and reports the CPU of a turn for
// each, less what stand-in and listener take by themselves. "x-proxy" is the
// ratio that the house promises to keep below 4.
func BenchmarkStreamAgainstProxy(b *testing.B) {
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, role)
		chunk := token(" morning")
		tick := time.NewTicker(benchPace)
		defer tick.Stop()
		for range benchTokens {
			<-tick.C
			_, _ = io.WriteString(w, chunk)
			flush(w)
		}
		_, _ = io.WriteString(w, event("{}", "stop")+usage+end)
	}))
	defer upstream.Close()
	target, err := url.Parse(upstream.URL)
	if err != nil {
		b.Fatal(err)
	}

	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.FlushInterval = -1
	proxy.Transport = &http.Transport{MaxIdleConnsPerHost: 128, DisableCompression: true}
	proxied := httptest.NewServer(proxy)
	defer proxied.Close()

	client, err := llm.New(llm.Config{BaseURL: upstream.URL + "/v1", APIKey: testKey, Models: []string{"m"}})
	if err != nil {
		b.Fatal(err)
	}
	defer client.Close()
	prompt := ask()
	prompt.Messages[0].Content = strings.Repeat("You are kind, patient and brief. ", 150) // about 5 KB, as a call's is
	ours := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		var out bytes.Buffer
		_, err := client.Stream(r.Context(), prompt, func(d llm.Delta) error {
			out.Reset()
			out.WriteString(`data: {"choices":[{"index":0,"delta":{"content":"`)
			out.WriteString(d.Text) // needs no escapes here
			out.WriteString("\"}}]}\n\n")
			_, err := w.Write(out.Bytes())
			flush(w)
			return err
		})
		if err != nil {
			b.Errorf("stream: %v", err)
		}
	}))
	defer ours.Close()

	body := []byte(`{"model":"m","stream":true,"messages":[{"role":"user","content":"` + strings.Repeat("You are kind, patient and brief. ", 150) + `"}]}`)
	listener := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 128, DisableCompression: true}}
	defer listener.CloseIdleConnections()
	turns := func(base string, n int) time.Duration {
		before := cpu(b)
		var wg sync.WaitGroup
		for range benchAtOnce {
			wg.Go(func() {
				for range (n + benchAtOnce - 1) / benchAtOnce {
					turn(b, listener, base+"/v1/chat/completions", body)
				}
			})
		}
		wg.Wait()
		return (cpu(b) - before) / time.Duration((n+benchAtOnce-1)/benchAtOnce*benchAtOnce)
	}
	for _, base := range []string{upstream.URL, proxied.URL, ours.URL} {
		turns(base, benchAtOnce) // warm up
	}
	b.ResetTimer()
	direct := turns(upstream.URL, b.N)
	through := turns(proxied.URL, b.N) - direct
	us := turns(ours.URL, b.N) - direct
	b.ReportMetric(float64(direct.Microseconds()), "floor-µs/turn")
	b.ReportMetric(float64(through.Microseconds()), "proxy-µs/turn")
	b.ReportMetric(float64(us.Microseconds()), "client-µs/turn")
	b.ReportMetric(float64(us)/float64(max(through, 1)), "x-proxy")
}

func turn(b *testing.B, c *http.Client, address string, body []byte) {
	b.Helper()
	req, err := http.NewRequestWithContext(b.Context(), http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		b.Error(err)
		return
	}
	resp, err := c.Do(req)
	if err != nil {
		b.Error(err)
		return
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		b.Error(err)
	}
}

// cpu is what the process has used, in user and system time.
func cpu(b *testing.B) time.Duration {
	b.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// memory serves one stream without a network, so that what is measured is the
// client alone.
type memory struct{ stream string }

func (m memory) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: http.StatusOK, Request: r, Header: http.Header{"Content-Type": {"text/event-stream"}},
		Body: io.NopCloser(strings.NewReader(m.stream)),
	}, nil
}

// BenchmarkStream is a whole turn of the client without a network; per-token
// shows what one more token costs.
func BenchmarkStream(b *testing.B) {
	for _, bench := range []struct {
		name   string
		tokens int
	}{{"1-token", 1}, {"40-tokens", 40}, {"400-tokens", 400}} {
		b.Run(bench.name, func(b *testing.B) {
			c, err := llm.New(llm.Config{
				BaseURL: "http://model.invalid/v1", APIKey: testKey, Models: []string{"m"},
				HTTPClient: &http.Client{Transport: memory{script("stop", strings.Split(strings.Repeat(" morning|", bench.tokens), "|")[:bench.tokens]...)}},
			})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := c.Stream(b.Context(), ask(), func(llm.Delta) error { return nil }); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(bench.tokens), "ns/token")
		})
	}
}
