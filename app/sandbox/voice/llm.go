package voice

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/naiber/naiber/app/sandbox/wire"
)

const (
	// maxLine bounds one line of a stream.
	maxLine = 1 << 20
	// maxAnswer bounds a whole answer.
	maxAnswer = 4 << 20
)

// What may be wrong with a model's answer.
var (
	errStatus = errors.New("status is not 200")
	errType   = errors.New("content type is not text/event-stream")
	errChunk  = errors.New("not a chat completion chunk")
	errBroken = errors.New("stream ended before its end")
)

// complete asks the custom model and passes on its text as it comes. It returns
// the tools that it called. An error means that the answer is not whole.
func (s *Server) complete(ctx context.Context, set *setup, body []byte, text func(string) error) ([]toolCall, error) {
	llm := set.Agent.Prompt.Custom
	if llm == nil || set.Agent.Prompt.LLM != "custom-llm" {
		return nil, errors.New("the agent has no custom model")
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimSuffix(llm.URL, "/")+"/chat/completions", bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("make request: %w", err)
	}
	req.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"text/event-stream"}}
	if llm.APIKey != nil {
		s.mu.Lock()
		req.Header.Set("Authorization", "Bearer "+s.secrets[llm.APIKey.SecretID].value)
		s.mu.Unlock()
	}
	resp, err := s.client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("ask model: %w", err)
	}
	defer func() { _ = resp.Body.Close() }() // nothing more is wanted of it
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%w: %d", errStatus, resp.StatusCode)
	}
	if ct := resp.Header.Get("Content-Type"); !strings.HasPrefix(ct, "text/event-stream") {
		return nil, fmt.Errorf("%w: %q", errType, ct)
	}
	return readStream(resp.Body, text)
}

// readStream reads server-sent events to their [DONE].
func readStream(r io.Reader, text func(string) error) ([]toolCall, error) {
	lines := bufio.NewScanner(io.LimitReader(r, maxAnswer))
	lines.Buffer(nil, maxLine)
	var (
		tools    collected
		finished bool
	)
	for lines.Scan() {
		data, ok := bytes.CutPrefix(lines.Bytes(), []byte("data:"))
		if !ok {
			continue // a comment, another field or the end of an event
		}
		data = bytes.TrimSpace(data)
		if string(data) == "[DONE]" {
			return tools.calls(), nil
		}
		c, err := readChunk(data)
		if err != nil {
			return nil, err
		}
		for _, choice := range c.Choices {
			tools.add(choice.Delta.ToolCalls)
			finished = finished || choice.FinishReason != ""
			if choice.Delta.Content == "" {
				continue
			}
			if err := text(choice.Delta.Content); err != nil {
				return nil, err
			}
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%w: %w", errBroken, err)
	}
	if !finished {
		return nil, errBroken
	}
	return tools.calls(), nil
}

// chunk is one event of the stream, as far as it matters.
type chunk struct {
	Object  string          `json:"object"`
	Error   json.RawMessage `json:"error"`
	Choices []struct {
		Delta struct {
			Content   string          `json:"content"`
			ToolCalls []toolCallDelta `json:"tool_calls"`
		} `json:"delta"`
		FinishReason string `json:"finish_reason"`
	} `json:"choices"`
}

type toolCallDelta struct {
	Index    int          `json:"index"`
	ID       string       `json:"id"`
	Function toolFunction `json:"function"`
}

func readChunk(data []byte) (chunk, error) {
	var c chunk
	if err := json.Unmarshal(data, &c); err != nil {
		return chunk{}, fmt.Errorf("%w: %w", errChunk, err)
	}
	if c.Object != "chat.completion.chunk" || len(c.Error) > 0 && string(c.Error) != "null" {
		return chunk{}, errChunk
	}
	return c, nil
}

// collected are tool calls that come in pieces.
type collected []toolCall

// maxTools bounds the calls in one answer.
const maxTools = 16

func (l *collected) add(deltas []toolCallDelta) {
	for _, d := range deltas {
		if d.Index < 0 || d.Index >= maxTools {
			continue
		}
		for len(*l) <= d.Index {
			*l = append(*l, toolCall{Type: "function"})
		}
		call := &(*l)[d.Index]
		if d.ID != "" {
			call.ID = d.ID
		}
		call.Function.Name += d.Function.Name
		call.Function.Arguments += d.Function.Arguments
	}
}

func (l *collected) calls() []toolCall {
	for i := range *l {
		if c := &(*l)[i]; c.ID == "" {
			c.ID = wire.ID("call_")
		}
	}
	return *l
}
