package telemetry

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"

	"github.com/naiber/naiber/internal/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

func TestNewLogger(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, level, format, want, wrong string }{
		{"text", "info", "text", "level=INFO msg=two n=2\nlevel=WARN msg=three n=3\n", ""},
		{"debug", "debug", "text", "level=DEBUG msg=one n=1\nlevel=INFO msg=two n=2\nlevel=WARN msg=three n=3\n", ""},
		{"json", "warn", "json", `{"level":"WARN","msg":"three","n":3}` + "\n", ""},
		{"unknown level", "loud", "text", "", "log level"},
		{"unknown format", "info", "xml", "", "log format"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			log, err := NewLogger(&out, tt.level, tt.format)
			if tt.wrong != "" {
				if err == nil || !strings.Contains(err.Error(), tt.wrong) {
					t.Errorf("got %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			log.DebugContext(t.Context(), "one", slog.Int("n", 1))
			log.InfoContext(t.Context(), "two", slog.Int("n", 2))
			log.WarnContext(t.Context(), "three", slog.Int("n", 3))
			if diff := cmp.Diff(tt.want, withoutTime(out.String())); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// withoutTime takes the first attribute off each line.
func withoutTime(log string) string {
	var b strings.Builder
	for line := range strings.Lines(log) {
		if rest, ok := strings.CutPrefix(line, `{"time":`); ok {
			_, rest, _ = strings.Cut(rest, ",")
			b.WriteString("{" + rest)
			continue
		}
		_, rest, _ := strings.Cut(line, " ")
		b.WriteString(rest)
	}
	return b.String()
}

func TestLogsInsideATraceCarryItsID(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	log, err := NewLogger(&out, "info", "json")
	if err != nil {
		t.Fatal(err)
	}
	span := trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: trace.SpanID{2}, TraceFlags: trace.FlagsSampled})
	ctx := trace.ContextWithSpanContext(t.Context(), span)
	log.With(slog.String("call_id", "c1")).InfoContext(ctx, "inside")
	var line map[string]any
	if err := json.Unmarshal(out.Bytes(), &line); err != nil {
		t.Fatal(err)
	}
	if line["trace_id"] != span.TraceID().String() || line["call_id"] != "c1" {
		t.Errorf("got %v", line)
	}
}

func TestTracingOff(t *testing.T) {
	t.Parallel()
	tracing, err := StartTracing(t.Context(), "", "v1", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	_, span := tracing.Tracer("test").Start(t.Context(), "turn")
	if span.IsRecording() {
		t.Error("something is recorded")
	}
	span.End()
	if err := tracing.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestTracesAreFlushedAtShutdown(t *testing.T) {
	t.Parallel()
	got := make(chan *http.Request, 8)
	bodies := make(chan []byte, 8)
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got <- r
		bodies <- body
	}))
	defer collector.Close()
	tracing, err := StartTracing(t.Context(), collector.URL, "v1.2.3", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	_, span := tracing.Tracer("test").Start(t.Context(), "turn of a call")
	span.End()
	if err := tracing.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 {
		t.Fatalf("%d requests, want 1", len(got))
	}
	if r := <-got; r.Method != http.MethodPost || r.URL.Path != "/v1/traces" || r.Header.Get("Content-Type") != "application/x-protobuf" {
		t.Errorf("%s %s, %s", r.Method, r.URL.Path, r.Header.Get("Content-Type"))
	}
	body := <-bodies
	for _, part := range []string{"turn of a call", "naiber", "v1.2.3"} {
		if !bytes.Contains(body, []byte(part)) {
			t.Errorf("%q is not in what was sent", part)
		}
	}
}

func TestDeliveryFailureIsToldOnce(t *testing.T) {
	t.Parallel()
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadRequest) // not one that is tried again
	}))
	defer collector.Close()
	var out bytes.Buffer
	log, err := NewLogger(&out, "info", "text")
	if err != nil {
		t.Fatal(err)
	}
	tracing, err := StartTracing(t.Context(), collector.URL+"/custom", "v1", log)
	if err != nil {
		t.Fatal(err)
	}
	_, span := tracing.Tracer("test").Start(t.Context(), "turn")
	span.End()
	if err := tracing.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	if n := strings.Count(out.String(), "traces cannot be delivered"); n != 1 {
		t.Errorf("told %d times: %s", n, out.String())
	}
}

func TestTracingRefusesOtherAddresses(t *testing.T) {
	t.Parallel()
	for _, endpoint := range []string{"localhost:4318", "grpc://host:4317", "http://", "::"} {
		if _, err := StartTracing(t.Context(), endpoint, "v1", slog.New(slog.DiscardHandler)); err == nil {
			t.Errorf("%q was taken", endpoint)
		}
	}
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	reg := NewRegistry("v1.2.3")
	calls := prometheus.NewCounter(prometheus.CounterOpts{Name: "naiber_test_total", Help: "A test."})
	reg.MustRegister(calls)
	calls.Inc()
	rec := httptest.NewRecorder()
	MetricsHandler(reg).ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
	for _, line := range []string{`naiber_build_info{version="v1.2.3"} 1`, "naiber_test_total 1", "go_goroutines "} {
		if !strings.Contains(rec.Body.String(), line) {
			t.Errorf("no %q", line)
		}
	}
}

func TestVersion(t *testing.T) {
	t.Parallel()
	commit := debug.BuildSetting{Key: "vcs.revision", Value: "0123456789abcdef0123"}
	for _, tt := range []struct {
		name     string
		module   string
		settings []debug.BuildSetting
		want     string
	}{
		{"nothing known", "", nil, "devel"},
		{"development", "(devel)", nil, "devel"},
		{"installed release", "v1.2.3", nil, "v1.2.3"},
		{"commit", "(devel)", []debug.BuildSetting{commit}, "0123456789ab"},
		{"commit with changes", "v0.0.0-20260101000000-0123456789ab+dirty", []debug.BuildSetting{commit, {Key: "vcs.modified", Value: "true"}}, "0123456789ab+changes"},
	} {
		info := &debug.BuildInfo{Main: debug.Module{Version: tt.module}, Settings: tt.settings}
		if got := versionOf(info); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
	if Version() == "" {
		t.Error("no version at all")
	}
}
