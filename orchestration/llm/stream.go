package llm

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"
	"unicode"
)

// Stream requests a reply and passes each piece of it to yield as soon as it arrives, on the
// calling goroutine. An error of yield ends the stream and is returned wrapped. With a nil yield
// the reply is only collected.
//
// A failure before the first useful token is an error: [*AllModelsFailedError], or one that wraps
// ctx's cause. After that token, the text so far is kept: a stream that breaks or runs out of time
// ends with [FinishBroken] and no error, and only the caller's own cancellation, or yield's error,
// is returned together with the result. All goroutines have ended when Stream returns.
func (c *Client) Stream(ctx context.Context, req Request, yield func(Delta) error) (Result, error) {
	p, err := c.payload(req)
	if err != nil {
		return Result{}, fmt.Errorf("stream reply: %w", err)
	}
	continuations := max(0, c.cfg.MaxContinuations)
	if req.Cut {
		continuations = 0
	}
	return c.reply(ctx, p, c.cfg.timing(req.Background), continuations, yield)
}

// Complete returns the whole reply at once, otherwise like [Client.Stream]. A broken reply is an
// error here, returned together with the part that arrived: nobody has heard it yet.
func (c *Client) Complete(ctx context.Context, req Request) (Result, error) {
	res, err := c.Stream(ctx, req, nil)
	if err == nil && res.FinishReason == FinishBroken {
		err = fmt.Errorf("complete reply: %w", res.Cause)
	}
	return res, err
}

// reply streams the answer to p and continues it if needed.
func (c *Client) reply(ctx context.Context, p *payload, limits timing, continuations int, yield func(Delta) error) (Result, error) {
	caller := ctx
	ctx, cancel := context.WithTimeoutCause(ctx, limits.whole, &TimeoutError{What: "whole reply", After: limits.whole})
	defer cancel()
	s := &speech{client: c, limits: limits, yield: yield, began: time.Now()}
	s.said.WriteString(p.said)
	models := p.models
	for {
		goOn, err := s.turn(ctx, s.request(p), models)
		s.res.Text = s.said.String()
		if err != nil {
			return s.end(caller, err)
		}
		if !goOn || s.res.Continuations >= continuations {
			return s.res, nil
		}
		s.res.Continuations++
		models = s.order(p.models)
	}
}

// speech is one reply in progress, across the models that take part in it.
type speech struct {
	client *Client
	limits timing
	yield  func(Delta) error
	began  time.Time
	said   strings.Builder
	res    Result
}

// request returns p, or once something was said, p with the request to continue.
func (s *speech) request(p *payload) *payload {
	if s.said.Len() == 0 {
		return p
	}
	return p.with(continuation(s.said.String())...)
}

// order returns the models for a continuation: after a length cut the model that spoke last comes
// first; after a break the others do.
func (s *speech) order(all []string) []string {
	last := s.res.Model
	rest := slices.DeleteFunc(slices.Clone(all), func(m string) bool { return m == last })
	if s.res.FinishReason == FinishBroken {
		return append(rest, last)
	}
	return append([]string{last}, rest...)
}

// turn runs one model to its end, and reports whether the reply was cut and should be continued.
func (s *speech) turn(ctx context.Context, p *payload, models []string) (goOn bool, err error) {
	r := s.client.race(p, models, s.limits, false)
	defer func() { s.res.Attempts += r.started }()
	defer r.end()
	a, err := r.run(ctx)
	if err != nil {
		return false, err
	}
	defer a.close()
	if s.res.Model == "" {
		s.res.TTFT = time.Since(s.began)
	}
	s.res.Model = a.model
	seam := newSeam(s.said.String())
	err = s.say(seam.join(a.lead))
	var came []byte // words that arrived together are passed on together
	hand := func() error {
		if len(came) == 0 {
			return nil
		}
		text := string(came)
		came = came[:0]
		return s.say(seam.join(text))
	}
	if err == nil {
		err = a.each(ctx, s.limits.stall, func([]byte) error {
			came = append(came, a.chunk.text...)
			if a.ready() {
				return nil
			}
			return hand()
		})
	}
	if _, spoiled := errors.AsType[*useError](err); !spoiled {
		if rest := hand(); rest != nil {
			err = rest
		}
	}
	if _, spoiled := errors.AsType[*useError](err); !spoiled {
		if rest := s.say(seam.flush(a.finish)); rest != nil {
			err = rest
		}
	}
	return s.settle(ctx, a, err)
}

// say passes text on and adds it to s.said.
func (s *speech) say(text string) error {
	text = strings.ReplaceAll(text, "\x00", "") // PostgreSQL cannot store NUL, and nobody can say it
	if s.said.Len() == 0 {
		text = strings.TrimLeftFunc(text, unicode.IsSpace)
	}
	if text == "" {
		return nil
	}
	s.said.WriteString(text)
	if s.yield == nil {
		return nil
	}
	if err := s.yield(Delta{Text: text}); err != nil {
		return &useError{err}
	}
	return nil
}

// settle records how a ended. An error means that the reply ends here.
func (s *speech) settle(ctx context.Context, a *attempt, err error) (goOn bool, cause error) {
	s.res.Usage.add(a.usage)
	if err != nil {
		return s.cut(ctx, a, err)
	}
	s.res.Cause = nil
	s.res.ToolCalls = append(s.res.ToolCalls, a.tools...)
	s.res.FinishReason = a.finish
	if s.res.FinishReason == "" {
		s.res.FinishReason = FinishStop // [DONE] alone also ends a reply
	}
	return a.finish == FinishLength && len(a.tools) == 0, nil
}

// cut records that a was stopped by err in mid-reply. An incomplete tool call is dropped.
func (s *speech) cut(ctx context.Context, a *attempt, err error) (goOn bool, cause error) {
	s.res.FinishReason, s.res.Cause = FinishBroken, err
	if e, ok := errors.AsType[*useError](err); ok {
		return false, e
	}
	if errors.Is(ctx.Err(), context.Canceled) {
		return false, context.Cause(ctx)
	}
	s.client.log.WarnContext(ctx, "model stream broke", slog.String("model", a.model), slog.String("reason", err.Error()))
	if ctx.Err() != nil {
		return false, context.Cause(ctx)
	}
	if s.said.Len() == 0 {
		return false, err
	}
	return len(a.tools) == 0, nil
}

// end returns the result for an error in a reply that may have begun: after the first word only a
// caller or listener that left gets an error.
func (s *speech) end(caller context.Context, err error) (Result, error) {
	if e, ok := errors.AsType[*useError](err); ok {
		return s.res, fmt.Errorf("hand on reply: %w", e.err)
	}
	if s.said.Len() > 0 && caller.Err() == nil {
		s.res.Cause = err
		return s.res, nil
	}
	if s.said.Len() > 0 {
		s.res.FinishReason = FinishBroken
	}
	return s.res, fmt.Errorf("stream reply: %w", err)
}
