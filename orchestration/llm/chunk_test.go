package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/naiber/naiber/internal/jsonscan"
)

func TestChunk(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, in, text, finish string
		err                    error
		failed                 bool
	}{
		{name: "text", in: `{"choices":[{"delta":{"content":"Hi"},"finish_reason":null}]}`, text: "Hi"},
		{name: "escapes", in: `{"choices":[{"delta":{"content":"\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00"}}]}`, text: "\"\\/\b\f\n\r\té😀"},
		{name: "a message that is null", in: `{"choices":[{"delta":{"content":"a"},"message":null}]}`, text: "a"},
		{name: "half a pair", in: `{"choices":[{"delta":{"content":"\ud83dx\ude00"}}]}`, text: "\uFFFDx\uFFFD"},
		{name: "bad UTF-8", in: "{\"choices\":[{\"delta\":{\"content\":\"a\xffb\"}}]}", text: "a\uFFFDb"},
		{name: "finish", in: `{"choices":[{"delta":{},"finish_reason":"length"}]}`, finish: "length"},
		{name: "another's finish", in: `{"choices":[{"delta":{},"finish_reason":"eos_token"}]}`, finish: "eos_token"},
		{name: "only the first choice", in: `{"choices":[{"delta":{"content":"a"}},{"delta":{"content":"b"}}]}`, text: "a"},
		{name: "no choices", in: `{"choices":[],"usage":null}`},
		{name: "content of another type", in: `{"choices":[{"delta":{"content":5}}]}`},
		{name: "choices of another type", in: `{"choices":{"delta":1}}`},
		{name: "not an object", in: `17`},
		{name: "error", in: `{"error":{"message":"x","code":429,"type":"rate"}}`, failed: true},
		{name: "no error", in: `{"error":null,"choices":[{"delta":{"content":"a"}}]}`, text: "a"},
		{name: "cut", in: `{"choices":[{"delta":{"content":"Hi`, err: ErrBrokenChunk},
		{name: "more behind", in: `{} {}`, err: ErrBrokenChunk},
		{name: "trailing comma", in: `{"a":[1,],}`, err: ErrBrokenChunk},
		{name: "raw control character", in: "{\"a\":\"\n\"}", err: ErrBrokenChunk},
		{name: "too deep", in: strings.Repeat("[", 1000) + strings.Repeat("]", 1000), err: ErrBrokenChunk},
		{name: "nothing", in: ``, err: ErrBrokenChunk},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var c chunk
			err := c.parse([]byte(tt.in))
			if !errors.Is(err, tt.err) {
				t.Fatalf("got %v, want %v", err, tt.err)
			}
			if err == nil && (string(c.text) != tt.text || c.finish != tt.finish || c.failed != tt.failed) {
				t.Errorf("got %q %q %v", c.text, c.finish, c.failed)
			}
		})
	}
}

// FuzzChunk holds the scanner against encoding/json: the same texts are valid,
// and they say the same.
func FuzzChunk(f *testing.F) {
	for _, s := range []string{
		`{"id":"c","choices":[{"index":0,"delta":{"content":"Hi \u00e9"},"finish_reason":null}]}`,
		`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"t","function":{"name":"n","arguments":"{}"}}]},"finish_reason":"stop"}]}`,
		`{"choices":[{"message":{"content":[{"type":"text","text":"a"},{"type":"thinking"}]}}],"usage":{"prompt_tokens":1e2}}`,
		`{"error":{"code":"x"}}`, `{"a":-0.5E+3,"b":[true,false,null]}`, `{"choices":[{"delta":{"content":"\ud800\udc00\ud800"}}]}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		var c chunk
		err := c.parse(in)
		var want any
		if wantErr := json.Unmarshal(in, &want); (err == nil) != (wantErr == nil) {
			if nested(in) > jsonscan.MaxDepth {
				t.Skip("deeper than we go")
			}
			t.Fatalf("%q: got %v, encoding/json %v", in, err, wantErr)
		}
		if err != nil {
			return
		}
		text, finish, both := plainChunk(want)
		if both {
			t.Skip("no server sends both, and here order would matter")
		}
		if got := string(c.text); got != text || !utf8.ValidString(got) {
			t.Errorf("%q: text %q, want %q", in, got, text)
		}
		if identifier(finish) != c.finish {
			t.Errorf("%q: finish %q, want %q", in, c.finish, finish)
		}
	})
}

// nested is an upper bound of the nesting in a text.
func nested(in []byte) int {
	return strings.Count(string(in), "[") + strings.Count(string(in), "{")
}

// plainChunk takes the first choice's text and finish reason out of a decoded
// chunk, and says whether it has both a "delta" and a "message".
func plainChunk(root any) (text, finish string, both bool) {
	object, _ := root.(map[string]any)
	choices, _ := object["choices"].([]any)
	if len(choices) == 0 {
		return "", "", false
	}
	choice, _ := choices[0].(map[string]any)
	finish, _ = choice["finish_reason"].(string)
	delta, _ := choice["delta"].(map[string]any)
	if message, ok := choice["message"].(map[string]any); ok {
		both = choice["delta"] != nil
		delta = message
	}
	switch content := delta["content"].(type) {
	case string:
		text = content
	case []any:
		var all strings.Builder
		for _, part := range content {
			p, _ := part.(map[string]any)
			kind, _ := p["type"].(string)
			if s, _ := p["text"].(string); kind == "" || kind == "text" {
				all.WriteString(s)
			}
		}
		text = all.String()
	}
	return text, finish, both
}

// FuzzAppendString: our strings are those of encoding/json.
func FuzzAppendString(f *testing.F) {
	for _, s := range []string{"", "plain", "a\"b\\c\n\t\x01\x7f", "naïve 😀", "bad \xff utf", "\u2028\u2029<>&", "\xe2\x80"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var want bytes.Buffer
		enc := json.NewEncoder(&want)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(s); err != nil {
			t.Fatal(err)
		}
		if got := AppendString(nil, s); string(got)+"\n" != want.String() {
			t.Errorf("%q: %s, want %s", s, got, want.String())
		}
	})
}

func BenchmarkChunk(b *testing.B) {
	in := []byte(`{"id":"chatcmpl-C3k9d0aXyZ","object":"chat.completion.chunk","created":1767225600,"model":"gpt-4.1-mini-2025-04-14","service_tier":"default","system_fingerprint":"fp_6f2eabb9a5","choices":[{"index":0,"delta":{"content":" morning"},"logprobs":null,"finish_reason":null}],"usage":null,"obfuscation":"x8Kd"}`)
	b.Run("ours", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(in)))
		var c chunk
		for b.Loop() {
			if err := c.parse(in); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("encoding-json", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(in)))
		for b.Loop() {
			var c struct {
				Choices []struct {
					Delta struct {
						Content string `json:"content"`
					} `json:"delta"`
					FinishReason string `json:"finish_reason"`
				} `json:"choices"`
			}
			if err := json.Unmarshal(in, &c); err != nil {
				b.Fatal(err)
			}
		}
	})
}
