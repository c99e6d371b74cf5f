package voice

import (
	"bufio"
	"bytes"
	"cmp"
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
	// maxLine bounds one line of a stream, in bytes.
	maxLine = 1 << 20
	// maxAnswer bounds a whole answer, in bytes.
	maxAnswer = 4 << 20
)

// Errors in a model's answer.
var (
	errStatus = errors.New("status is not 200")
	errType   = errors.New("content type is not text/event-stream")
	errChunk  = errors.New("not a chat completion chunk")
	errBroken = errors.New("stream ended before its end")
)

// complete asks the custom model and calls text with its text as it comes. It returns the tool
// that the model called, if any. An error means that the answer is incomplete.
func (s *Server) complete(ctx context.Context, set *setup, body []byte, text func(string) error) (*toolCall, error) {
	llm := set.Agent.Prompt.Custom
	if llm == nil || set.Agent.Prompt.LLM != "custom-llm" {
		return nil, errors.New("the agent has no custom model")
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimSuffix(llm.URL, "/")+"/chat/completions", bytes.NewReader(body)) //nolint:gosec // the agent's own model, as the agent was set up
	if err != nil {
		return nil, fmt.Errorf("make request: %w", err)
	}
	req.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"text/event-stream"}}
	if llm.APIKey != nil {
		s.mu.Lock()
		req.Header.Set("Authorization", "Bearer "+s.secrets[llm.APIKey.SecretID].value)
		s.mu.Unlock()
	}
	resp, err := s.client.Do(req) //nolint:gosec // as above
	if err != nil {
		return nil, fmt.Errorf("ask model: %w", err)
	}
	defer func() { _ = resp.Body.Close() }() // it has been read
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%w: %d", errStatus, resp.StatusCode)
	}
	if ct := resp.Header.Get("Content-Type"); !strings.HasPrefix(ct, "text/event-stream") {
		return nil, fmt.Errorf("%w: %q", errType, ct)
	}
	return readStream(resp.Body, text)
}

// A chunk is one event of the stream, reduced to the fields that matter.
type chunk struct {
	Object  string          `json:"object"`
	Error   json.RawMessage `json:"error"`
	Choices []struct {
		Delta struct {
			Content   string `json:"content"`
			ToolCalls []struct {
				toolCall

				Index int `json:"index"`
			} `json:"tool_calls"`
		} `json:"delta"`
		FinishReason string `json:"finish_reason"`
	} `json:"choices"`
}

// readStream reads server-sent events up to [DONE]. Only the first tool that is called counts; it
// comes in pieces.
func readStream(r io.Reader, text func(string) error) (tool *toolCall, err error) {
	lines := bufio.NewScanner(io.LimitReader(r, maxAnswer))
	lines.Buffer(nil, maxLine)
	finished := false
	for lines.Scan() {
		data, ok := bytes.CutPrefix(lines.Bytes(), []byte("data:"))
		if !ok {
			continue // a comment, another field or the end of an event
		}
		data = bytes.TrimSpace(data)
		if string(data) == "[DONE]" {
			return tool, nil
		}
		var c chunk
		if err := json.Unmarshal(data, &c); err != nil {
			return nil, fmt.Errorf("%w: %w", errChunk, err)
		}
		if c.Object != "chat.completion.chunk" || len(c.Error) > 0 && string(c.Error) != "null" {
			return nil, errChunk
		}
		for _, choice := range c.Choices {
			for _, piece := range choice.Delta.ToolCalls {
				if piece.Index != 0 {
					continue
				}
				if tool == nil {
					tool = &toolCall{ID: wire.ID("call_"), Type: "function"}
				}
				tool.ID = cmp.Or(piece.ID, tool.ID)
				tool.Function.Name += piece.Function.Name
				tool.Function.Arguments += piece.Function.Arguments
			}
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
	return tool, nil
}
