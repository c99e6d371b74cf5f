package chat

import (
	"context"
	"encoding/json"
	"net/http"
	"reflect"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"github.com/naiber/naiber/orchestration/llm"
)

// eventWrite bounds one write to a slow reader.
const eventWrite = 10 * time.Second

// chatChunk is the data of an event without a name: the next piece of a reply.
type chatChunk struct {
	Response string `json:"response"`
}

func (s *Server) streamRoute(h huma.API) {
	op := asksModel(operation("chat", "chat-stream", http.MethodPost, "/chat/stream", "Write, and get the reply as it is made", http.StatusOK))
	op.Errors = append(op.Errors, http.StatusNotFound, http.StatusConflict)
	op.Description = "Server-sent events: {\"response\": …} for each piece, then \"done\" with what POST /chat would have answered. \"error\" " +
		"with a problem comes before it where the model broke off. Before the first piece an error is a plain answer with its status. When you leave, the reply stops; your " +
		"message is kept with what was sent of it."
	text := &huma.Schema{Type: huma.TypeString}
	op.Responses = map[string]*huma.Response{"200": {
		Description: "The reply", Content: map[string]*huma.MediaType{"text/event-stream": {Schema: text}},
		Headers: map[string]*huma.Param{"X-Session-Id": {Description: "sessionId", Schema: text}},
	}}
	h.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[chatChunk](), true, "ChatChunk")
	huma.Register(h, op, func(ctx context.Context, in *one[chatIn]) (*huma.StreamResponse, error) {
		t, err := s.begin(ctx, in.Body)
		if err != nil {
			return nil, s.problem(ctx, err)
		}
		return &huma.StreamResponse{Body: func(c huma.Context) { s.stream(h, c, t) }}, nil //nolint:contextcheck // c holds the request's
	})
}

// stream hands the reply on as it comes. The status waits for the first piece.
func (s *Server) stream(h huma.API, c huma.Context, t *turn) {
	r, w := humachi.Unwrap(c)
	ctx := r.Context()
	out := &events{w: w, control: http.NewResponseController(w), session: t.session.ExternalID}
	var sent strings.Builder
	res, err := s.cfg.Model.Stream(ctx, t.request, func(d llm.Delta) error {
		if err := out.send("", chatChunk{Response: d.Text}); err != nil {
			return err
		}
		sent.WriteString(d.Text)
		return nil
	})
	if ctx.Err() != nil || out.broken {
		s.interrupted(ctx, t, res, sent.String())
		return
	}
	if err == nil && sent.Len() == 0 {
		err = errEmpty
	}
	switch {
	case err != nil && !out.begun:
		s.metrics.turns.WithLabelValues("failed").Inc()
		writeError(h, c, s.problem(ctx, err))
	case err != nil:
		s.metrics.turns.WithLabelValues("failed").Inc()
		_ = out.send("error", s.problem(ctx, err)) // the reader is gone otherwise
	default:
		if res.FinishReason == llm.FinishBroken {
			_ = out.send("error", huma.Error502BadGateway("The model broke off; what it said until then stands.")) // the same
		}
		_ = out.send("done", outcomeOf(t, res, s.save(ctx, t, res))) // the same
	}
}

// writeError answers with a problem where nothing has been sent yet.
func writeError(h huma.API, c huma.Context, err error) {
	status, detail := http.StatusInternalServerError, "Something went wrong on our side."
	if p, ok := err.(*huma.ErrorModel); ok { //nolint:errorlint // problem returns it bare
		status, detail = p.Status, p.Detail
	}
	_ = huma.WriteErr(h, c, status, detail) // the reader is gone otherwise
}

// events writes server-sent events to a reader that may be slow, or gone. One
// goroutine uses it.
type events struct {
	w       http.ResponseWriter
	control *http.ResponseController
	session string
	begun   bool
	broken  bool // a write failed
}

// send writes one event; the name may be empty. When it returns nil the event
// has been handed to the reader's connection.
func (e *events) send(name string, data any) error {
	raw, err := json.Marshal(data)
	if err != nil {
		return err
	}
	if !e.begun {
		e.begun = true
		e.w.Header().Set("Content-Type", "text/event-stream")
		e.w.Header().Set("X-Accel-Buffering", "no") // nginx would collect events
		e.w.Header().Set("X-Session-Id", e.session)
	}
	event := "data: " + string(raw) + "\n\n"
	if name != "" {
		event = "event: " + name + "\n" + event
	}
	_ = e.control.SetWriteDeadline(time.Now().Add(eventWrite)) // not every writer has one
	_, err = e.w.Write([]byte(event))
	if err == nil {
		err = e.control.Flush()
	}
	e.broken = err != nil
	return err
}
