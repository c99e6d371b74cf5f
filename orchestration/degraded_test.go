package orchestration

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/tidwall/gjson"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
)

// What a persona did without is counted, and stands on the call's timeline.
func TestDegradedByThePersona(t *testing.T) {
	t.Parallel()
	reg := prometheus.NewRegistry()
	d := newDesk()
	p := PersonaFunc(func(_ context.Context, _ *Turn, s *Speech) error {
		s.Degraded("no_memories")
		s.Degraded("no_model")
		return s.Say("Hello.")
	})
	s := newTestServer(t, d, p, func(c *Config) { c.Metrics = reg })
	c := client(listen(t, s), "/v1")
	if _, err := c.Chat.Completions.New(t.Context(), openai.ChatCompletionNewParams{
		Model:    "naiber",
		Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("hi")},
	}, withToken(d)); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := counted(t, reg, "naiber_turns_degraded_total"); got != 2 {
		t.Errorf("counted %v, want 2", got)
	}
	if len(d.events) != 1 || gjson.Get(strings.TrimPrefix(d.events[0], "turn "), "degraded").Raw != `["no_memories","no_model"]` {
		t.Errorf("events: %q", d.events)
	}
}

// A request of no call has its span too, and a plain answer tells its usage.
func TestPassthroughIsTracedAndTellsUsage(t *testing.T) {
	t.Parallel()
	spans := tracetest.NewSpanRecorder()
	s := newTestServer(t, newDesk(), saying("Hello."), func(c *Config) {
		c.Tracer = sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans)).Tracer("")
		c.Passthrough = &upstream{payloads: []string{payloadOf("Hi."), `{"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":3,"total_tokens":10}}`}}
	})
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodPost, "/v1/chat/completions", strings.NewReader(`{"messages":[{"role":"user","content":"hi"}]}`))
	r.Header.Set("Authorization", "Bearer "+testSecret)
	s.ServeHTTP(w, r)
	if got := gjson.Get(w.Body.String(), "usage.total_tokens").Int(); got != 10 {
		t.Errorf("usage of %s", w.Body)
	}
	if ended := spans.Ended(); len(ended) != 1 || ended[0].Name() != "turn" {
		t.Errorf("spans: %v", ended)
	}
}
