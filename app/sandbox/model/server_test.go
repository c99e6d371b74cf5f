package model_test

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/naiber/naiber/app/sandbox/model"
)

const key = "sk-sandbox"

// start serves the model over a real socket.
func start(t *testing.T, cfg model.Config) *httptest.Server {
	t.Helper()
	cfg.APIKey = key
	srv := httptest.NewServer(model.New(cfg))
	t.Cleanup(srv.Close)
	return srv
}

// An answered request, read to its end.
type answered struct {
	status      int
	contentType string
	body        string
}

// post sends a body with the right bearer and returns the answer.
func post(t *testing.T, srv *httptest.Server, path, body string) answered {
	t.Helper()
	resp, err := send(t.Context(), srv, path, body)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	all, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("read answer: %v", err)
	}
	return answered{resp.StatusCode, resp.Header.Get("Content-Type"), string(all)}
}

func send(ctx context.Context, srv *httptest.Server, path, body string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, srv.URL+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Content-Type", "application/json")
	return srv.Client().Do(req)
}

func client(srv *httptest.Server) openai.Client {
	return openai.NewClient(option.WithBaseURL(srv.URL+"/v1"), option.WithAPIKey(key), option.WithHTTPClient(srv.Client()), option.WithMaxRetries(0))
}

const hello = `{"model":"gpt-4o","messages":[{"role":"system","content":"You are nAIber."},{"role":"user","content":"My cat Whiskers caught a moth."}]`

func TestPlainCompletionHasTheWireOfOpenAI(t *testing.T) {
	t.Parallel()
	resp := post(t, start(t, model.Config{}), "/v1/chat/completions", hello+`}`)
	if resp.status != http.StatusOK || resp.contentType != "application/json" {
		t.Fatalf("got %+v", resp)
	}
	var got struct {
		ID, Object, Model string
		Created           int64
		Choices           []struct {
			Index        int
			FinishReason string `json:"finish_reason"`
			Message      struct{ Role, Content string }
		}
		Usage struct {
			PromptTokens     int `json:"prompt_tokens"`
			CompletionTokens int `json:"completion_tokens"`
			TotalTokens      int `json:"total_tokens"`
		}
	}
	if err := json.Unmarshal([]byte(resp.body), &got); err != nil {
		t.Fatal(err)
	}
	if got.Object != "chat.completion" || !strings.HasPrefix(got.ID, "chatcmpl-") || got.Model != "gpt-4o" || got.Created == 0 {
		t.Errorf("got %+v", got)
	}
	c := got.Choices[0]
	if c.FinishReason != "stop" || c.Message.Role != "assistant" || !strings.Contains(c.Message.Content, "?") {
		t.Errorf("got choice %+v, want a reply with a question", c)
	}
	if u := got.Usage; u.PromptTokens == 0 || u.CompletionTokens == 0 || u.TotalTokens != u.PromptTokens+u.CompletionTokens {
		t.Errorf("got usage %+v", u)
	}
}

func TestStreamHasRoleFirstThenTokensThenFinishThenUsageThenDone(t *testing.T) {
	t.Parallel()
	srv := start(t, model.Config{})
	plain := post(t, srv, "/v1/chat/completions", hello+`}`).body
	var whole openai.ChatCompletion
	if err := json.Unmarshal([]byte(plain), &whole); err != nil {
		t.Fatal(err)
	}
	resp := post(t, srv, "/v1/chat/completions", hello+`,"stream":true,"stream_options":{"include_usage":true}}`)
	if got := resp.contentType; !strings.HasPrefix(got, "text/event-stream") {
		t.Errorf("content type %q", got)
	}
	events := eventsOf(t, resp.body)
	if last := events[len(events)-1]; last != "[DONE]" {
		t.Errorf("last event is %q", last)
	}
	if !strings.Contains(events[0], `"delta":{"role":"assistant","content":"","refusal":null}`) {
		t.Errorf("first event is %s", events[0])
	}
	usage := events[len(events)-2]
	if !strings.Contains(usage, `"choices":[]`) || !strings.Contains(usage, `"total_tokens":`) {
		t.Errorf("event before the end is %s", usage)
	}
	if finish := events[len(events)-3]; !strings.Contains(finish, `"delta":{}`) || !strings.Contains(finish, `"finish_reason":"stop"`) {
		t.Errorf("event before the usage is %s", finish)
	}
	var text strings.Builder
	for i, e := range events[:len(events)-2] {
		var chunk struct {
			Object  string
			Usage   json.RawMessage
			Choices []struct{ Delta struct{ Content string } }
		}
		if err := json.Unmarshal([]byte(e), &chunk); err != nil {
			t.Fatalf("event %d: %v: %s", i, err, e)
		}
		if chunk.Object != "chat.completion.chunk" || string(chunk.Usage) != "null" {
			t.Errorf("event %d: object %q, usage %s", i, chunk.Object, chunk.Usage)
		}
		text.WriteString(chunk.Choices[0].Delta.Content)
	}
	if text.String() != whole.Choices[0].Message.Content {
		t.Errorf("streamed %q, plain %q", text.String(), whole.Choices[0].Message.Content)
	}
}

func eventsOf(t *testing.T, body string) []string {
	t.Helper()
	var out []string
	lines := bufio.NewScanner(strings.NewReader(body))
	for lines.Scan() {
		if lines.Text() == "" {
			continue
		}
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			t.Fatalf("line is no event: %q", lines.Text())
		}
		out = append(out, data)
	}
	return out
}

func TestOfficialClientReadsPlainStreamModelsAndEmbeddings(t *testing.T) {
	t.Parallel()
	c := client(start(t, model.Config{}))
	params := openai.ChatCompletionNewParams{
		Model:    "gpt-4o",
		Messages: []openai.ChatCompletionMessageParamUnion{openai.SystemMessage("You are nAIber."), openai.UserMessage("I slept badly last night.")},
	}
	plain, err := c.Chat.Completions.New(t.Context(), params)
	if err != nil {
		t.Fatal(err)
	}
	var acc openai.ChatCompletionAccumulator
	stream := c.Chat.Completions.NewStreaming(t.Context(), params)
	for stream.Next() {
		if !acc.AddChunk(stream.Current()) {
			t.Fatal("a chunk does not belong to its stream")
		}
	}
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}
	if got, want := acc.Choices[0].Message.Content, plain.Choices[0].Message.Content; got != want || want == "" {
		t.Errorf("streamed %q, plain %q", got, want)
	}
	list, err := c.Models.List(t.Context())
	if err != nil || len(list.Data) == 0 {
		t.Errorf("models: %v, %v", list, err)
	}
	vectors, err := c.Embeddings.New(t.Context(), openai.EmbeddingNewParams{
		Model: "text-embedding-3-small", Dimensions: openai.Int(512),
		Input: openai.EmbeddingNewParamsInputUnion{OfArrayOfStrings: []string{"my daughter", "my girl"}},
	})
	if err != nil || len(vectors.Data) != 2 || len(vectors.Data[1].Embedding) != 512 || vectors.Data[1].Index != 1 {
		t.Errorf("embeddings: %v, %v", vectors, err)
	}
}

func TestBadRequestsGetOpenAIErrors(t *testing.T) {
	t.Parallel()
	srv := start(t, model.Config{})
	const chat, embeddings = "/v1/chat/completions", "/v1/embeddings"
	tests := []struct {
		name, path, body string
		status           int
		param            string
	}{
		{"no JSON", chat, `{`, 400, ""},
		{"not an object", chat, `[]`, 400, ""},
		{"empty body", chat, ``, 400, ""},
		{"no model", chat, `{"messages":[{"role":"user","content":"hi"}]}`, 400, ""},
		{"no messages", chat, `{"model":"m"}`, 400, "messages"},
		{"empty messages", chat, `{"model":"m","messages":[]}`, 400, "messages"},
		{"messages of the wrong type", chat, `{"model":"m","messages":"hi"}`, 400, "messages"},
		{"unknown role", chat, `{"model":"m","messages":[{"role":"elder","content":"hi"}]}`, 400, "messages[0].role"},
		{"content is a number", chat, `{"model":"m","messages":[{"role":"user","content":7}]}`, 400, "messages[0].content"},
		{"user without content", chat, `{"model":"m","messages":[{"role":"user","content":null}]}`, 400, "messages[0].content"},
		{"negative limit", chat, hello + `,"max_tokens":-1}`, 400, "max_tokens"},
		{"two limits", chat, hello + `,"max_tokens":5,"max_completion_tokens":5}`, 400, "max_tokens"},
		{"usage without stream", chat, hello + `,"stream_options":{"include_usage":true}}`, 400, "stream_options"},
		{"stop is a number", chat, hello + `,"stop":1}`, 400, "stop"},
		{"unknown format", chat, hello + `,"response_format":{"type":"yaml"}}`, 400, "response_format.type"},
		{"format without schema", chat, hello + `,"response_format":{"type":"json_schema","json_schema":{"name":"x"}}}`, 400, "response_format.json_schema.schema"},
		{"strict schema that is open", chat, hello + `,"response_format":{"type":"json_schema","json_schema":{"name":"x","strict":true,"schema":{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}}}}`, 400, "response_format"},
		{"strict schema with an optional field", chat, hello + `,"response_format":{"type":"json_schema","json_schema":{"name":"x","strict":true,"schema":{"type":"object","properties":{"a":{"type":"string"}},"required":[],"additionalProperties":false}}}}`, 400, "response_format"},
		{"strict schema that is a list", chat, hello + `,"response_format":{"type":"json_schema","json_schema":{"name":"x","strict":true,"schema":{"type":"array","items":{"type":"string"}}}}}`, 400, "response_format"},
		{"JSON object that nobody asked for", chat, hello + `,"response_format":{"type":"json_object"}}`, 400, "response_format.type"},
		{"too large", chat, `{"model":"` + strings.Repeat("m", 9<<20) + `"}`, 413, ""},
		{"embedding of nothing", embeddings, `{"model":"m","input":""}`, 400, "input"},
		{"embedding without input", embeddings, `{"model":"m"}`, 400, "input"},
		{"embedding of an object", embeddings, `{"model":"m","input":{}}`, 400, "input"},
		{"embedding of no size", embeddings, `{"model":"m","input":"a","dimensions":0}`, 400, "dimensions"},
		{"embedding in hex", embeddings, `{"model":"m","input":"a","encoding_format":"hex"}`, 400, "encoding_format"},
		{"embedding without model", embeddings, `{"input":"a"}`, 400, ""},
		{"unknown path", "/v1/responses", `{}`, 404, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			resp := post(t, srv, tt.path, tt.body)
			var got struct {
				Error *struct {
					Message, Type string
					Param         *string
				}
			}
			if err := json.Unmarshal([]byte(resp.body), &got); err != nil || got.Error == nil {
				t.Fatalf("body is no error: %v: %s", err, resp.body)
			}
			param := ""
			if got.Error.Param != nil {
				param = *got.Error.Param
			}
			if resp.status != tt.status || param != tt.param || got.Error.Message == "" || got.Error.Type != "invalid_request_error" {
				t.Errorf("got %+v, param %q; want %d, param %q", resp, param, tt.status, tt.param)
			}
		})
	}
}

func TestBearerIsChecked(t *testing.T) {
	t.Parallel()
	srv := start(t, model.Config{})
	for name, auth := range map[string]string{"none": "", "basic": "Basic abc", "empty": "Bearer ", "wrong": "Bearer sk-other"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, path := range []string{"/v1/embeddings", "/v1/chat/completions"} {
				req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, srv.URL+path, nil)
				if err != nil {
					t.Fatal(err)
				}
				req.Header.Set("Authorization", auth)
				resp, err := srv.Client().Do(req)
				if err != nil {
					t.Fatal(err)
				}
				body, err := io.ReadAll(resp.Body)
				_ = resp.Body.Close()
				if err != nil || resp.StatusCode != http.StatusUnauthorized || strings.Contains(string(body), "sk-") {
					t.Errorf("%s: got %d, %s, %v", path, resp.StatusCode, body, err)
				}
			}
		})
	}
}

func TestEmbeddingsComeAsFloatsAndAsBase64(t *testing.T) {
	t.Parallel()
	srv := start(t, model.Config{})
	body := post(t, srv, "/v1/embeddings", `{"model":"m","input":"my cat Whiskers"}`).body
	var floats struct {
		Data []struct{ Embedding []float64 }
	}
	if err := json.Unmarshal([]byte(body), &floats); err != nil {
		t.Fatal(err)
	}
	body = post(t, srv, "/v1/embeddings", `{"model":"m","input":["my cat Whiskers"],"encoding_format":"base64"}`).body
	var packed struct{ Data []struct{ Embedding string } }
	if err := json.Unmarshal([]byte(body), &packed); err != nil {
		t.Fatal(err)
	}
	raw, err := base64.StdEncoding.DecodeString(packed.Data[0].Embedding)
	if err != nil || len(raw) != 4*256 || len(floats.Data[0].Embedding) != 256 {
		t.Fatalf("got %d bytes, %d floats, %v", len(raw), len(floats.Data[0].Embedding), err)
	}
	bits := uint32(raw[0]) | uint32(raw[1])<<8 | uint32(raw[2])<<16 | uint32(raw[3])<<24
	if got, want := float64(math.Float32frombits(bits)), floats.Data[0].Embedding[0]; math.Abs(got-want) > 1e-6 {
		t.Errorf("first number is %f packed, %f plain", got, want)
	}
}

func TestStreamIsPacedAndStopsWithItsClient(t *testing.T) {
	t.Parallel()
	srv := start(t, model.Config{FirstTokenDelay: 30 * time.Millisecond, TokenDelay: 5 * time.Millisecond})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	began := time.Now()
	resp, err := send(ctx, srv, "/v1/chat/completions", hello+`,"stream":true}`)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	for n := 0; lines.Scan() && n < 2; {
		if strings.HasPrefix(lines.Text(), "data:") {
			n++
		}
	}
	if elapsed := time.Since(began); elapsed < 30*time.Millisecond {
		t.Errorf("the first token came after %v", elapsed)
	}
	cancel()
	for lines.Scan() {
		if strings.Contains(lines.Text(), "[DONE]") {
			t.Error("the stream ran to its end though its client had gone")
		}
	}
}

func TestLimitAndStopCutTheReply(t *testing.T) {
	t.Parallel()
	srv := start(t, model.Config{})
	body := post(t, srv, "/v1/chat/completions", hello+`,"max_completion_tokens":3}`).body
	if !strings.Contains(body, `"finish_reason":"length"`) || !strings.Contains(body, `"completion_tokens":3`) {
		t.Errorf("got %s", body)
	}
	body = post(t, srv, "/v1/chat/completions", hello+`,"stop":["."]}`).body
	var got openai.ChatCompletion
	if err := json.Unmarshal([]byte(body), &got); err != nil {
		t.Fatal(err)
	}
	if text := got.Choices[0].Message.Content; strings.Contains(text, ".") || text == "" || got.Choices[0].FinishReason != "stop" {
		t.Errorf("got %q", text)
	}
}
