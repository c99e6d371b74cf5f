package voice

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/naiber/naiber/app/sandbox/faults"
)

const (
	// maxAttempts is the number of attempts after which a slow model is not asked again.
	maxAttempts = 8
	// maxFailures is how many failed requests end the conversation.
	maxFailures = 3
	// llmLimit is how long the model may be silent, in seconds.
	llmLimit = 20.0
)

// A turn is a question to the model, asked in one or more attempts: hedged requests.
type turn struct {
	number   int
	body     []byte
	started  time.Time
	last     time.Time // when the model last sent something
	every    time.Duration
	next     time.Time // of the next attempt
	attempts int
	failures int
	wanted   int  // attempts to start at once
	winner   int  // the attempt that is being voiced; 0 for none yet
	stale    bool // the user goes on: the answer will not be voiced
	replied  bool // a reply has begun

	start func(attempt int) // set by serveTurn, which has the context for it
}

// ask starts a new turn with the current history as the question.
func (c *conversation) ask() {
	c.turn = nil
	c.forget()
	body, err := c.set.requestBody(c.history)
	if err != nil {
		c.end(badInput("value_error", "The request to the custom LLM cannot be written"))
		return
	}
	now := time.Now()
	c.turns++
	t := &turn{number: c.turns, body: body, started: now, last: now, wanted: 1}
	t.every = c.s.seconds(c.set.Agent.Prompt.Cascade)
	if every, on := c.s.cfg.Faults.TakeDuration(faults.LLMRetries); on {
		t.every = every
	}
	if c.s.cfg.Faults.On(faults.RepeatedTurn) {
		t.wanted = 2
	}
	t.next = now.Add(t.every)
	c.turn = t
}

// serveTurn starts the attempts that are due.
func (c *conversation) serveTurn(ctx context.Context) {
	t := c.turn
	if t == nil || c.over != nil {
		return
	}
	now := time.Now()
	if now.Sub(t.last) > c.s.seconds(llmLimit) {
		c.end(&ending{codeFailure, "llm_timeout", "LLM response timeout"})
		return
	}
	if t.winner == 0 && now.After(t.next) && t.attempts < maxAttempts {
		t.wanted++
		t.next = now.Add(t.every)
	}
	if t.start == nil {
		ctx, cancel := context.WithCancel(ctx)
		c.forget = cancel
		t.start = func(attempt int) { c.attempt(ctx, t.number, attempt, t.body) }
	}
	for ; t.wanted > 0; t.wanted-- {
		t.attempts++
		t.start(t.attempts)
	}
}

// attempt asks the model once, in a goroutine.
func (c *conversation) attempt(ctx context.Context, number, attempt int, body []byte) {
	c.asking.Go(func() {
		tell := func(ev llmEvent) bool {
			ev.turn, ev.attempt = number, attempt
			select {
			case c.answers <- ev:
				return true
			case <-ctx.Done():
				return false
			}
		}
		tool, err := c.s.complete(ctx, c.set, body, func(text string) error {
			if !tell(llmEvent{text: text}) {
				return context.Cause(ctx)
			}
			return nil
		})
		tell(llmEvent{done: true, tool: tool, err: err})
	})
}

// An llmEvent is a piece of an attempt's answer, or its end.
type llmEvent struct {
	turn, attempt int
	text          string // a piece of the answer, unless done
	done          bool   // the end of the answer
	tool          *toolCall
	err           error
}

// answer handles an event of an attempt. Only the first attempt that sends one is used.
func (c *conversation) answer(ctx context.Context, ev llmEvent) {
	t := c.turn
	if t == nil || ev.turn != t.number || t.stale || c.over != nil {
		return
	}
	if ev.err != nil {
		c.attemptFailed(ctx, t, ev)
		return
	}
	t.last = time.Now()
	if t.winner == 0 {
		t.winner = ev.attempt
	}
	if t.winner != ev.attempt {
		return
	}
	if !t.replied && ev.text != "" {
		t.replied = true
		c.newReply()
		c.reply.ttfb = t.last.Sub(t.started)
	}
	if !ev.done {
		c.reply.text.WriteString(ev.text)
		if whole := c.reply.text.String(); sentenceEnd(whole) > c.reply.spoken {
			c.speakUpTo(sentenceEnd(whole))
		}
		return
	}
	c.answered(t, ev.tool)
}

// answered handles the end of the model's answer.
func (c *conversation) answered(t *turn, tool *toolCall) {
	c.turn = nil // its other attempts run on until the next turn, as with the real service
	if !t.replied && tool == nil {
		c.end(&ending{codeFailure, "custom_llm_error", "Brain returned no response"})
		return
	}
	said := ""
	if t.replied {
		c.finishReply()
		said = c.reply.text.String()
	} else {
		c.idleSince = time.Now()
	}
	if tool != nil {
		c.use(*tool, said)
	}
}

// attemptFailed starts another attempt, or ends the conversation if too many failed or part of
// the answer has been voiced.
func (c *conversation) attemptFailed(ctx context.Context, t *turn, ev llmEvent) {
	if errors.Is(ev.err, context.Canceled) || t.winner != 0 && t.winner != ev.attempt {
		return
	}
	c.log.WarnContext(ctx, "custom model failed", slog.Int("turn", t.number), slog.Int("attempt", ev.attempt), slog.Any("err", ev.err))
	t.failures++
	voiced := t.replied && len(c.reply.audio) > 0
	if voiced || t.failures >= maxFailures {
		if t.replied {
			c.reply.complete = true
		}
		c.end(&ending{codeFailure, "custom_llm_error", "custom_llm generation failed"})
		return
	}
	if t.replied {
		c.reply, t.replied = nil, false
	}
	t.winner = 0
	t.wanted++
}
