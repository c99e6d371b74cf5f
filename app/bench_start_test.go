package app

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// BenchmarkStart serves on a data folder that exists already, several times,
// with its private PostgreSQL, and reports how long it takes until /readyz says
// so. The folder's first start, which makes the database, is shown beside it.
func BenchmarkStart(b *testing.B) {
	cfg := startConfig(b)
	const starts = 5
	for b.Loop() {
		first := timeStart(b, cfg)
		var again []time.Duration
		for range starts {
			again = append(again, timeStart(b, cfg))
		}
		slices.Sort(again)
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(first.Seconds(), "s-first-start")
		b.ReportMetric(again[starts/2].Seconds(), "s-median")
		b.ReportMetric(again[starts-1].Seconds(), "s-slowest")
	}
}

// startConfig is a complete configuration with a data folder of its own, and
// services at which nobody answers: a start does not wait for them.
func startConfig(b *testing.B) Config {
	b.Helper()
	dir, err := os.MkdirTemp("", "naiber-start-") //nolint:usetesting // the database's own user must pass through
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o711); err != nil {
		b.Fatal(err)
	}
	l, err := new(net.ListenConfig).Listen(b.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	addr, ok := l.Addr().(*net.TCPAddr)
	if !ok || l.Close() != nil {
		b.Fatal("no free port")
	}
	nowhere := "http://127.0.0.1:1"
	c := Default()
	c.DataDir = dir
	c.Server.Host, c.Server.Port, c.Server.PublicURL = "127.0.0.1", addr.Port, "http://127.0.0.1:"+strconv.Itoa(addr.Port)
	c.OpenAI.BaseURL, c.OpenAI.APIKey = nowhere+"/v1", NewSecret("key")
	c.Twilio.BaseURL, c.Twilio.AccountSID = nowhere, "AC"+strings.Repeat("0", 32)
	c.Twilio.AuthToken, c.Twilio.Number = NewSecret("token"), "+15005550006"
	c.ElevenLabs.BaseURL, c.ElevenLabs.APIKey, c.ElevenLabs.AgentID = nowhere, NewSecret("key"), "agent_1"
	c.Auth.LLMSecret, c.Auth.APIToken = NewSecret("llm-secret-of-the-benchmark"), NewSecret("api-token-of-the-benchmark")
	return c
}

// timeStart serves until it is ready, stops, and returns how long the former took.
func timeStart(b *testing.B, cfg Config) time.Duration {
	b.Helper()
	ctx, stop := context.WithCancel(b.Context())
	defer stop()
	served := make(chan error, 1)
	began := time.Now()
	go func() { served <- serve(ctx, cfg, slog.New(slog.DiscardHandler), io.Discard) }()
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	for !isReady(ctx, cfg.Server.PublicURL) {
		select {
		case <-look.C:
		case err := <-served:
			b.Fatalf("it stopped before it was ready: %v", err)
		}
	}
	took := time.Since(began)
	stop()
	if err := <-served; err != nil {
		b.Fatalf("stop: %v", err)
	}
	return took
}

func isReady(ctx context.Context, url string) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/readyz", http.NoBody)
	if err != nil {
		return false
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return false
	}
	_ = resp.Body.Close() // the status says it all
	return resp.StatusCode == http.StatusOK
}
