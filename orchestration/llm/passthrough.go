package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// passed are the parameters that a passthrough hands on. All else stays here:
// an unknown one may make the server refuse, and some carry call tokens or say
// who is on the line.
var passed = []string{
	"temperature", "top_p", "max_tokens", "max_completion_tokens", "stop", "seed", "frequency_penalty",
	"presence_penalty", "logit_bias", "tools", "tool_choice", "parallel_tool_calls", "response_format",
	"reasoning_effort",
}

// ErrBadRequest says that a passthrough's body is not a chat request.
var ErrBadRequest = errors.New("not a chat completions request")

// Passthrough sends body, a chat-completions request as it came in, to our
// models with the same failover as [Client.Stream], and hands each payload of
// the stream to yield as it came, but for "[DONE]" and thoughts before the
// first word. The slice is valid during the call.
//
// The model is replaced, the answer is always streamed, and parameters outside
// the dialect are left out. The reply is not continued when it is cut. Errors
// are those of Stream, and [ErrBadRequest]; Result.Text is what the payloads
// said.
func (c *Client) Passthrough(ctx context.Context, body []byte, yield func(payload []byte) error) (Result, error) {
	p, err := c.foreign(body)
	if err != nil {
		return Result{}, fmt.Errorf("pass request on: %w", err)
	}
	caller, limits := ctx, c.cfg.timing(false)
	ctx, cancel := context.WithTimeoutCause(ctx, limits.whole, &TimeoutError{What: "whole reply", After: limits.whole})
	defer cancel()
	s := &speech{client: c, limits: limits, began: time.Now()}
	err = s.pass(ctx, p, yield)
	s.res.Text = s.said.String()
	if err != nil {
		return s.end(caller, err)
	}
	return s.res, nil
}

// pass lets one model speak and hands on its payloads.
func (s *speech) pass(ctx context.Context, p *payload, yield func([]byte) error) error {
	r := s.client.race(p, p.models, s.limits, true)
	defer func() { s.res.Attempts = r.started }()
	defer r.end()
	a, err := r.run(ctx)
	if err != nil {
		return err
	}
	defer a.close()
	s.res.TTFT, s.res.Model = time.Since(s.began), a.model
	s.said.WriteString(a.lead)
	for _, payload := range a.head {
		if err = yield(payload); err != nil {
			err = &useError{err}
			break
		}
	}
	if err == nil {
		err = a.each(ctx, s.limits.stall, func(payload []byte) error {
			s.said.Write(a.chunk.text)
			return yield(payload)
		})
	}
	_, err = s.settle(ctx, a, err)
	return err
}

// foreign takes a request apart that somebody else wrote.
func (c *Client) foreign(body []byte) (*payload, error) {
	var in map[string]json.RawMessage
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, ErrBadRequest // the decoder's words may quote the body
	}
	messages := bytes.TrimSpace(in["messages"])
	if !bytes.HasPrefix(messages, []byte("[")) {
		return nil, ErrBadRequest
	}
	inner := bytes.TrimSpace(messages[1 : len(messages)-1])
	if len(inner) == 0 {
		return nil, ErrNoMessages
	}
	p := &payload{models: c.cfg.Models, messages: append([]byte{'['}, inner...)}
	p.set("stream", []byte("true"))
	p.set("stream_options", []byte(`{"include_usage":true}`)) // a plain answer always tells it
	for _, name := range passed {
		raw := bytes.TrimSpace(in[name])
		// ElevenLabs writes -1 for "no limit", which servers refuse.
		if len(raw) == 0 || string(raw) == "null" || (name == "max_tokens" && raw[0] == '-') {
			continue
		}
		p.set(name, raw)
	}
	return p, nil
}
