package orchestration

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/tidwall/gjson"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/store"
)

// Passthrough forwards a chat-completions request unchanged and passes each payload of the stream
// to payload. [llm.Client] implements it.
type Passthrough interface {
	Passthrough(ctx context.Context, body []byte, payload func(data []byte) error) (llm.Result, error)
}

var errNoPassthrough = errors.New("not passed on")

// passOn answers a request that belongs to no known call: by the model alone, without persona,
// recorder or joining. If the model fails, the calm sentence is said, because somebody may be
// listening all the same. It is said at once if the call could not be looked up: its persona may be
// waiting for these very words, and a model would take them and continue without it.
func (s *Server) passOn(w http.ResponseWriter, r *http.Request, req *request, reason string) {
	ctx, cancel := context.WithTimeout(r.Context(), s.cfg.Deadline)
	defer cancel()
	ctx, span := s.cfg.Tracer.Start(ctx, "turn", trace.WithAttributes(attribute.String("outcome", "passed_on"), attribute.String("reason", reason)))
	defer span.End()
	s.metrics.degraded.WithLabelValues(reason).Inc()
	s.log.LogAttrs(ctx, slog.LevelWarn, "turn passed on without persona", slog.String("reason", reason))
	p := passing{out: newResponse(w), stream: req.stream, reply: reply{
		id: replyID(store.NewTurnID()), created: time.Now().Unix(), model: modelName, usage: req.usage,
	}}
	var res llm.Result
	err := errNoPassthrough
	if s.cfg.Passthrough != nil && reason != unresolvedDirectory {
		res, err = s.cfg.Passthrough.Passthrough(ctx, req.body, p.payload)
	}
	if err != nil && ctx.Err() == nil || errors.Is(ctx.Err(), context.DeadlineExceeded) {
		s.log.LogAttrs(ctx, slog.LevelWarn, "passthrough failed", slog.Any("err", err))
		s.metrics.degraded.WithLabelValues("passthrough_failed").Inc()
	}
	p.finish(res, err)
}

// passing is an answer that a model gives without a persona.
type passing struct {
	out    *response
	stream bool
	reply  reply
	words  []byte
	calls  bool // the model called a tool
	end    ending
}

// payload handles the next payload from the model. It passes it on unchanged, but under our own id,
// so that our own ending fits.
func (p *passing) payload(data []byte) error {
	v := gjson.GetManyBytes(data, "choices.0.delta", "choices.0.finish_reason", "usage")
	delta, finish, usage := v[0], v[1], v[2]
	if finish.Type == gjson.String {
		p.end.finish = finish.Str
	}
	if usage.IsObject() {
		p.end.usage = llm.Usage{
			Prompt: int(usage.Get("prompt_tokens").Int()), Completion: int(usage.Get("completion_tokens").Int()),
			Total: int(usage.Get("total_tokens").Int()),
		}
	}
	b := p.out.buffer()
	if words := text(delta.Get("content")); words != "" {
		p.words = append(p.words, words...)
		b = p.begin(b)
		b = p.reply.textChunk(b, []byte(words))
	}
	if calls := delta.Get("tool_calls"); calls.IsArray() {
		p.calls = true
		b = p.begin(b)
		b = p.reply.open(b)
		b = append(b, `"tool_calls":`...)
		b = append(b, calls.Get("@ugly").Raw...) // a line break would end the event
		b = p.reply.close(b, "")
	}
	if !p.stream {
		return nil
	}
	return p.out.write(b)
}

func (p *passing) begin(b []byte) []byte {
	if p.out.begun {
		return b
	}
	return p.reply.roleChunk(b)
}

// finish ends the answer, with the calm sentence or an apology if err says that the model broke
// off. Write errors are ignored: the client may be gone by now.
func (p *passing) finish(res llm.Result, err error) {
	if p.end.finish == "" {
		p.end.finish = "stop"
	}
	last := ""
	switch {
	case len(bytes.TrimSpace(p.words)) == 0 && !p.calls:
		last, p.end.finish = calmSentence, "stop"
	case err != nil && !p.calls && !complete(p.words):
		last = " " + lostThread
	}
	if !p.stream {
		if len(res.ToolCalls) > 0 {
			c := res.ToolCalls[0]
			p.end.call = &toolCall{id: c.ID, name: c.Name, arguments: c.Arguments}
		}
		_ = p.out.writeWhole(p.reply.whole(p.out.buffer(), append(p.words, last...), p.end))
		return
	}
	b := p.begin(p.out.buffer())
	if last != "" {
		b = p.reply.textChunk(b, []byte(last))
	}
	_ = p.out.write(p.reply.endChunks(b, p.end))
	p.out.done()
}

// text returns a string's value in valid UTF-8 without NUL, which PostgreSQL cannot store; "" for
// anything but a string.
func text(v gjson.Result) string {
	if v.Type != gjson.String {
		return ""
	}
	s := strings.ToValidUTF8(v.Str, "\uFFFD")
	if strings.IndexByte(s, 0) >= 0 {
		s = strings.ReplaceAll(s, "\x00", "")
	}
	return s
}
