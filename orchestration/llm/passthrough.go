package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// passed lists the parameters that a passthrough forwards. All others are dropped: an unknown one
// may make the server refuse, and some contain call tokens or identify the person on the line.
var passed = []string{
	"temperature", "top_p", "max_tokens", "max_completion_tokens", "stop", "seed", "frequency_penalty",
	"presence_penalty", "logit_bias", "tools", "tool_choice", "parallel_tool_calls", "response_format",
	"reasoning_effort",
}

// ErrBadRequest means that a passthrough's body is not a chat request.
var ErrBadRequest = errors.New("not a chat completions request")

// Passthrough sends body, a chat-completions request as it was received, to our models with the
// same failover as [Client.Stream], and passes each payload of the stream unchanged to yield,
// except for "[DONE]" and for reasoning before the first word. The slice is valid during the call.
//
// The model is replaced, the answer is always streamed, and parameters outside the dialect are
// dropped. A reply that was cut is not continued. It returns the errors of Stream and
// [ErrBadRequest]; Result.Text is the text of the payloads.
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

// pass runs the race for p and passes on the winner's payloads.
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

// foreign parses a request that was written by another program.
func (c *Client) foreign(body []byte) (*payload, error) {
	var in map[string]json.RawMessage
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, ErrBadRequest // the decoder's error may quote the body
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
	p.set("stream_options", []byte(`{"include_usage":true}`)) // an answer that is not streamed always reports usage
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
