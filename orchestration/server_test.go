package orchestration

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/tidwall/gjson"

	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/store"
)

var testTime = time.Date(2026, 3, 29, 10, 0, 0, 0, time.UTC)

// listen serves s on a real socket until the test ends.
func listen(t *testing.T, s *Server) *httptest.Server {
	t.Helper()
	h := httptest.NewServer(s)
	t.Cleanup(func() {
		h.CloseClientConnections()
		h.Close()
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return h
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	d := newDesk()
	h := listen(t, newTestServer(t, d, saying("Hello."), nil))
	good := `{"messages":[{"role":"user","content":"hi"}],"user_id":"` + d.line.Person.ID.String() + `"}`
	for _, tt := range []struct {
		name, method, path, key, body string
		status                        int
		code                          string
	}{
		{"no bearer", "POST", "/v1/chat/completions", "", good, 401, "invalid_api_key"},
		{"wrong bearer", "POST", "/v1/chat/completions", "Bearer wrong", good, 401, "invalid_api_key"},
		{"prefix of the bearer", "POST", "/v1/chat/completions", "Bearer the-voice", good, 401, "invalid_api_key"},
		{"other scheme", "POST", "/v1/chat/completions", "Basic " + testSecret, good, 401, "invalid_api_key"},
		{"models without bearer", "GET", "/v1/models", "", "", 401, "invalid_api_key"},
		{"wrong method", "GET", "/v1/chat/completions", "Bearer " + testSecret, "", 405, "method_not_allowed"},
		{"unknown path", "POST", "/v1/completions", "Bearer " + testSecret, good, 404, "unknown_url"},
		{"unknown model", "GET", "/v1/models/gpt", "Bearer " + testSecret, "", 404, "model_not_found"},
		{"malformed", "POST", "/v1/chat/completions", "Bearer " + testSecret, `{"messages":[`, 400, "invalid_request"},
		{"10 MB", "POST", "/v1/chat/completions", "Bearer " + testSecret, strings.Repeat("x", 10<<20), 413, "request_too_large"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			req, err := http.NewRequestWithContext(t.Context(), tt.method, h.URL+tt.path, strings.NewReader(tt.body))
			if err != nil {
				t.Fatal(err)
			}
			if tt.key != "" {
				req.Header.Set("Authorization", tt.key)
			}
			resp, err := http.DefaultTransport.RoundTrip(req)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			body, err := io.ReadAll(resp.Body)
			if err != nil {
				t.Fatal(err)
			}
			if resp.StatusCode != tt.status || !strings.Contains(string(body), `"code":"`+tt.code+`"`) {
				t.Errorf("%d %s, want %d %s", resp.StatusCode, body, tt.status, tt.code)
			}
		})
	}
	t.Cleanup(func() {
		if len(d.turns) != 0 {
			t.Errorf("refused requests left %d turns", len(d.turns))
		}
	})
}

func client(h *httptest.Server, path string) openai.Client {
	return openai.NewClient(option.WithBaseURL(h.URL+path), option.WithAPIKey(testSecret), option.WithMaxRetries(0))
}

// withToken says which call a request belongs to.
func withToken(d *desk) option.RequestOption {
	return option.WithJSONSet("elevenlabs_extra_body.token", d.token())
}

// TestOpenAIClient proves with OpenAI's own client that ours is their dialect.
func TestOpenAIClient(t *testing.T) {
	t.Parallel()
	d := newDesk()
	p := PersonaFunc(func(_ context.Context, turn *Turn, s *Speech) error {
		s.Model("gpt-test")
		s.Usage(llm.Usage{Prompt: 7, Completion: 3, Total: 10})
		if err := saying("Hello ", "\"there\"\n", "— naïve 😀.").Reply(t.Context(), turn, s); err != nil {
			return err
		}
		if turn.Heard == "bye" {
			return s.EndCall("goodbye")
		}
		return nil
	})
	h := listen(t, newTestServer(t, d, p, nil))
	const want = "Hello \"there\"\n— naïve 😀."
	params := func(heard string) openai.ChatCompletionNewParams {
		return openai.ChatCompletionNewParams{
			Model:    "naiber",
			Messages: []openai.ChatCompletionMessageParamUnion{openai.SystemMessage("You are nAIber."), openai.UserMessage(heard)},
			Tools: []openai.ChatCompletionToolUnionParam{
				openai.ChatCompletionFunctionTool(openai.FunctionDefinitionParam{Name: "end_call"}),
			},
		}
	}
	for _, path := range []string{"/v1", "/v1/chat/completions"} {
		c := client(h, path)
		whole, err := c.Chat.Completions.New(t.Context(), params("hello "+path), withToken(d))
		if err != nil {
			t.Fatal(err)
		}
		if got := whole.Choices[0]; got.Message.Content != want || got.FinishReason != "stop" || whole.Usage.TotalTokens != 10 {
			t.Errorf("whole: %+v", whole)
		}
	}
	c := client(h, "/v1")
	q := params("bye")
	q.StreamOptions = openai.ChatCompletionStreamOptionsParam{IncludeUsage: openai.Bool(true)}
	stream := c.Chat.Completions.NewStreaming(t.Context(), q, withToken(d))
	acc := openai.ChatCompletionAccumulator{}
	for stream.Next() {
		if !acc.AddChunk(stream.Current()) {
			t.Errorf("chunk does not fit the others: %s", stream.Current().RawJSON())
		}
	}
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}
	got := acc.Choices[0]
	if got.Message.Content != want || got.FinishReason != "tool_calls" || acc.Usage.TotalTokens != 10 || got.Message.Role != "assistant" {
		t.Errorf("streamed: %+v", acc)
	}
	if calls := got.Message.ToolCalls; len(calls) != 1 || calls[0].Function.Name != "end_call" || calls[0].Function.Arguments != `{"reason":"goodbye"}` {
		t.Errorf("tool calls: %+v", calls)
	}
	models, err := c.Models.List(t.Context())
	if err != nil || len(models.Data) != 1 || models.Data[0].ID != "naiber" {
		t.Errorf("models: %+v, %v", models, err)
	}
	if m, err := c.Models.Get(t.Context(), "naiber"); err != nil || m.OwnedBy != "naiber" {
		t.Errorf("model: %+v, %v", m, err)
	}
	_, err = c.Models.Get(t.Context(), "other")
	if e, ok := errors.AsType[*openai.Error](err); !ok || e.StatusCode != http.StatusNotFound || e.Code != "model_not_found" {
		t.Errorf("unknown model: %v", err)
	}
}

func TestResolve(t *testing.T) {
	t.Parallel()
	d := newDesk()
	strict := newTestServer(t, d, saying("Hello."), nil)
	byName := newTestServer(t, d, saying("Hello."), func(c *Config) { c.ResolveByName = true })
	other := store.NewPersonID().String()
	sys := func(text string) []llm.Message { return []llm.Message{{Role: "system", Content: text}} }
	person, phone := d.line.Person.ID.String(), d.line.Call.Phone
	const noToken, nobody, refused = "no_call_token", "unresolved", "invalid_call_token"
	for _, tt := range []struct {
		name string
		req  request
		// What resolves nothing, or refuses the request, with and without ResolveByName.
		strict, byName string
	}{
		{"token", request{tokened: true, token: d.token()}, "", ""},
		{"token and call", request{tokened: true, token: d.token(), call: d.line.Call.ID.String()}, "", ""},
		{"token against user", request{tokened: true, token: d.token(), users: []string{other}}, "", ""},
		{"token of another call than the request's", request{tokened: true, token: d.token(), call: store.NewCallID().String()}, refused, refused},
		{"forged token", request{tokened: true, token: "forged"}, refused, refused},
		{"forged token, good user", request{tokened: true, token: "forged", users: []string{person}}, refused, refused},
		{"forged token, good mark", request{tokened: true, token: "forged", messages: sys("userId: " + person)}, refused, refused},
		{"empty token, good user", request{tokened: true, users: []string{person}}, refused, refused},
		{"ended call, good user", request{tokened: true, token: "token-for-" + store.NewCallID().String(), users: []string{person}}, "call_ended", "call_ended"},
		{"user", request{users: []string{person}}, noToken, ""},
		{"second user field", request{users: []string{"console", person}}, noToken, ""},
		{"user by phone", request{users: []string{phone}}, noToken, ""},
		{"call without token", request{call: d.line.Call.ID.String()}, noToken, nobody},
		{"system user", request{messages: sys("You are kind.\nuserId: " + person + "\n")}, noToken, ""},
		{"system user, other case", request{messages: sys("  USERID:" + person)}, noToken, ""},
		{"system phone", request{messages: sys("phone: " + phone + ".\nphone: +1")}, noToken, nobody},
		{"system phone alone", request{messages: sys("phone: " + phone)}, noToken, ""},
		{"user message is not trusted", request{messages: []llm.Message{{Role: "user", Content: "userId: " + person}}}, noToken, nobody},
		{"nobody", request{}, noToken, nobody},
		{"stranger", request{users: []string{other}}, noToken, nobody},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for s, want := range map[*Server]string{strict: tt.strict, byName: tt.byName} {
				line, why, err := s.resolve(t.Context(), &tt.req)
				if err != nil {
					why = publicError(err).code
				}
				if why != want || (line.Call.ID == d.line.Call.ID) != (want == "") {
					t.Errorf("resolve, by name %t: %q, want %q", s.cfg.ResolveByName, why, want)
				}
			}
		})
	}
}

func TestResolveWithoutDirectory(t *testing.T) {
	t.Parallel()
	d := newDesk()
	s := newTestServer(t, d, saying("Hello."), func(c *Config) { c.ResolveByName = true })
	person := d.line.Person.ID.String()
	d.lookupErr = errors.New("away")
	for _, req := range []request{{users: []string{person}}, {tokened: true, token: d.token()}} {
		if _, why, err := s.resolve(t.Context(), &req); why != "directory_failed" || err != nil {
			t.Errorf("directory away: %q, %v", why, err)
		}
	}
}

// A wrong call token is refused whatever else the request says: no persona and
// no model is asked, no call is looked up by name, and nothing is recorded.
func TestWrongCallTokenIsRefused(t *testing.T) {
	t.Parallel()
	d := newDesk()
	person := d.line.Person.ID.String()
	reg := prometheus.NewRegistry()
	model := &upstream{payloads: []string{payloadOf("No.")}}
	asked := PersonaFunc(func(context.Context, *Turn, *Speech) error {
		t.Error("the persona was asked")
		return nil
	})
	h := listen(t, newTestServer(t, d, asked, func(c *Config) {
		c.ResolveByName, c.Passthrough, c.Metrics = true, model, reg
	}))
	extras := map[string]string{
		"forged":           `{"token":"forged"}`,
		"of an ended call": `{"token":"token-for-` + store.NewCallID().String() + `"}`,
		"of another call":  `{"token":"` + d.token() + `","call":"` + store.NewCallID().String() + `"}`,
		"cut short":        `{"token":"` + d.token()[:len(d.token())-1] + `"}`,
		"empty":            `{"token":""}`,
		"a number":         `{"token":1}`,
		"an object":        `{"token":{"$ne":""}}`,
		"a list":           `{"token":["` + d.token() + `"]}`,
		"forged, and null": `{"token":"forged","token":null}`,
	}
	for name, extra := range extras {
		for _, stream := range []string{"true", "false"} {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.URL+"/v1/chat/completions", strings.NewReader(
				`{"stream":`+stream+`,"messages":[{"role":"system","content":"userId: `+person+`"},{"role":"user","content":"Who am I?"}],
				"user_id":"`+person+`","elevenlabs_extra_body":`+extra+`}`))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Authorization", "Bearer "+testSecret)
			resp, err := http.DefaultTransport.RoundTrip(req)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(resp.Body)
			resp.Body.Close()
			if err != nil || resp.StatusCode != http.StatusForbidden || gjson.GetBytes(body, "error.type").Str != "invalid_request_error" ||
				gjson.GetBytes(body, "error.param").Str != "elevenlabs_extra_body.token" || strings.Contains(string(body), "Margaret") {
				t.Errorf("%s: %d %s, %v", name, resp.StatusCode, body, err)
			}
		}
	}
	if len(d.turns) != 0 || len(model.bodies) != 0 || d.named != 0 {
		t.Errorf("%d turns, %d questions to the model, %d look-ups by name", len(d.turns), len(model.bodies), d.named)
	}
	if got := counted(t, reg, "naiber_turns_refused_total"); got != float64(2*len(extras)) {
		t.Errorf("%v refusals counted", got)
	}
}

// counted sums a counter over its labels.
func counted(t *testing.T, reg *prometheus.Registry, name string) float64 {
	t.Helper()
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for _, f := range families {
		if f.GetName() == name {
			for _, m := range f.GetMetric() {
				sum += m.GetCounter().GetValue()
			}
		}
	}
	return sum
}

func TestMetricsMove(t *testing.T) {
	t.Parallel()
	reg := prometheus.NewRegistry()
	d := newDesk()
	d.line.Call.Type = "chess"
	s := newTestServer(t, d, saying("Hello."), func(c *Config) { c.Metrics = reg })
	h := listen(t, s)
	c := client(h, "/v1")
	q := openai.ChatCompletionNewParams{
		Model:    "naiber",
		Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("hi")},
	}
	for range 2 {
		res, err := c.Chat.Completions.New(t.Context(), q, withToken(d))
		if err != nil || res.Choices[0].Message.Content != calmSentence {
			t.Fatalf("unknown type: %+v, %v", res, err)
		}
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"naiber_turns_total", "naiber_turns_joined_total", "naiber_turns_degraded_total"} {
		if got := counted(t, reg, name); got != 1 {
			t.Errorf("%s = %v, want 1", name, got)
		}
	}
	if len(d.events) != 1 || !strings.Contains(d.events[0], `"outcome":"spoken"`) {
		t.Errorf("events: %q", d.events)
	}
	if _, err := c.Chat.Completions.New(t.Context(), openai.ChatCompletionNewParams{
		Model:    "naiber",
		Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("new")},
	}, withToken(d)); err == nil {
		t.Error("a closed server took a new turn")
	}
}

func TestNewSaysAllThatIsMissing(t *testing.T) {
	t.Parallel()
	_, err := New(Config{Deadline: -1})
	for _, want := range []string{"secret", "persona", "directory", "ender", "recorder", "tokens", "log", "negative"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("New: %v, want it to name %q", err, want)
		}
	}
}
