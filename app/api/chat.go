package api

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"reflect"
	"slices"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"github.com/naiber/naiber/orchestration/chat"
	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/store"
)

// maxChatBody bounds a request's body, in bytes: a long letter, escaped.
const maxChatBody = 256 << 10

// chatRoots are the first parts of the text channel's paths.
var chatRoots = []string{"/chat", "/sessions", "/episodes", "/projects", "/summaries", "/settings", "/models", "/health"}

// mountChat adds the text channel to routes, with a rate limit for each client.
func (a *api) mountChat(routes chi.Router, cfg huma.Config) {
	h := humachi.New(routes.With(newLimiter(a.ChatPerMinute, a.ChatBurst).limit, legiblePath), cfg)
	h.UseMiddleware(bounded)
	op := underChat("chat", "/chat")
	handle(a, h, op("chat", http.MethodPost, "", "Write, and get the whole reply", http.StatusOK, failures...), a.say)
	a.chatStream(h, op("chat-stream", http.MethodPost, "/stream", "Write, and get the reply as it is made", http.StatusOK, failures...))
	a.chatSessions(h)
	a.chatEpisodes(h)
	a.chatProjects(h)
	a.chatSummaries(h)
	a.chatSettings(h)
	a.chatModels(h)
	a.chatHealth(h)
	a.repairs(h)
}

// slow holds the failure statuses of operations that wait for a model; failures adds those of
// sending a message.
var (
	slow     = []int{http.StatusBadGateway, http.StatusGatewayTimeout}
	failures = append(slices.Clone(slow), http.StatusNotFound, http.StatusConflict)
)

// underChat returns a [describe] for routes of the text channel, which are rate-limited and bound
// the request's body.
func underChat(tag, base string) describe {
	return func(id, method, path, summary string, success int, more ...int) huma.Operation {
		op := operation(tag, id, method, base+path, summary, success, more...)
		op.Errors, op.MaxBodyBytes = slices.Insert(op.Errors, 1, http.StatusTooManyRequests), maxChatBody
		return op
	}
}

type chatIn struct {
	SessionID string `json:"sessionId,omitempty" pattern:"^[A-Za-z0-9._:@-]{1,200}$" patternDescription:"letters, digits and ._:@-" doc:"One of your own; it is made where there is none. Absent: a new session"`
	Message   string `json:"message" minLength:"1" maxLength:"32000" pattern:"\\S" patternDescription:"not blank"`
	UserID    string `json:"userId,omitempty" doc:"Whose session it is: what is remembered of them is used, and what is said is remembered, if they consent to it"`
	PersonID  string `json:"personId,omitempty" doc:"The same as userId"`
	ProjectID string `json:"projectId,omitempty" doc:"The project that a new session belongs to"`
	Model     string `json:"model,omitempty" maxLength:"200" doc:"Absent: the configured ones"`
}

type chatUsage struct {
	PromptTokens     int `json:"promptTokens"`
	CompletionTokens int `json:"completionTokens"`
	TotalTokens      int `json:"totalTokens"`
}

type chatOut struct {
	SessionID    string    `json:"sessionId"`
	Response     string    `json:"response" doc:"All that was said"`
	EpisodeID    int64     `json:"episodeId,omitempty" doc:"Absent where no episode is kept"`
	Model        string    `json:"model"`
	FinishReason string    `json:"finishReason" doc:"stop, length, or broken where the model broke off"`
	Usage        chatUsage `json:"usage"`
	Remembered   bool      `json:"remembered" doc:"false: the person does not consent to it, and the next message will not know of this one"`
	Degraded     []string  `json:"degraded,omitempty" doc:"What the reply had to do without"`
}

// chatChunk is the data of an unnamed event: the next piece of a reply.
type chatChunk struct {
	Response string `json:"response"`
}

// say answers with the whole reply.
func (a *api) say(ctx context.Context, in *one[chatIn]) (chatOut, error) {
	t, err := a.beginTurn(ctx, in.Body)
	if err != nil {
		return chatOut{}, err
	}
	r, err := a.Chat.Reply(ctx, t, nil)
	return chatBody(t, r), err
}

// beginTurn begins the turn of a message whose person and project exist.
func (a *api) beginTurn(ctx context.Context, in chatIn) (*chat.Turn, error) {
	if in.PersonID != "" && in.UserID != "" && in.PersonID != in.UserID {
		return nil, invalid("body.personId", "differs from userId, which means the same")
	}
	person, err := a.personOrNobody(ctx, cmp.Or(in.UserID, in.PersonID))
	if err != nil {
		return nil, err
	}
	project, err := a.projectOrNone(ctx, in.ProjectID, "body.projectId")
	if err != nil {
		return nil, err
	}
	return a.Chat.Begin(ctx, chat.Message{Session: in.SessionID, Person: person, Project: project, Model: in.Model, Text: in.Message})
}

func chatBody(t *chat.Turn, r chat.Reply) chatOut {
	return chatOut{
		SessionID: t.Session(), Response: r.Text, EpisodeID: r.Episode, Model: r.Model, FinishReason: r.Finish,
		Usage:      chatUsage{PromptTokens: r.Usage.Prompt, CompletionTokens: r.Usage.Completion, TotalTokens: r.Usage.Total},
		Remembered: r.Remembered, Degraded: r.Degraded,
	}
}

// personOrNobody returns the id of the person with an id, or the zero id if id is empty.
func (a *api) personOrNobody(ctx context.Context, id string) (store.PersonID, error) {
	if id == "" {
		return store.PersonID{}, nil
	}
	p, err := a.find(ctx, id)
	return p.ID, err
}

// projectOrNone returns the id of the project with an id, or uuid.Nil if id is empty. at is where
// in the request id stands.
func (a *api) projectOrNone(ctx context.Context, id, at string) (uuid.UUID, error) {
	if id == "" {
		return uuid.Nil, nil
	}
	p, err := a.findProject(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		return uuid.Nil, huma.Error404NotFound("No such project.", &huma.ErrorDetail{Location: at, Message: "there is no such project"})
	}
	return p.ID, err
}

func (a *api) chatStream(h huma.API, op huma.Operation) {
	op.Description = "Server-sent events: {\"response\": …} for each piece, then \"done\" with what POST /chat would have answered. \"error\" " +
		"with a problem comes before it where the model broke off. Before the first piece an error is a plain answer with its status. When you leave, the reply stops; your " +
		"message is kept with what was sent of it."
	text := &huma.Schema{Type: huma.TypeString}
	op.Responses = map[string]*huma.Response{"200": {
		Description: "The reply", Content: map[string]*huma.MediaType{"text/event-stream": {Schema: text}},
		Headers: map[string]*huma.Param{"X-Session-Id": {Description: "sessionId", Schema: text}},
	}}
	h.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[chatChunk](), true, "ChatChunk")
	route(a, h, op, func(ctx context.Context, in *one[chatIn]) (*huma.StreamResponse, error) {
		t, err := a.beginTurn(ctx, in.Body)
		if err != nil {
			return nil, err
		}
		return &huma.StreamResponse{Body: func(c huma.Context) { a.stream(h, c, t) }}, nil //nolint:contextcheck // c holds the request's
	})
}

// stream sends the reply as it comes. It sends the status with the first piece. Errors of the
// last writes are ignored, since the client may be gone.
func (a *api) stream(h huma.API, c huma.Context, t *chat.Turn) {
	r, w := humachi.Unwrap(c)
	out := newStream(w)
	begun := false
	reply, err := a.Chat.Reply(r.Context(), t, func(text string) error {
		if !begun {
			begun = true
			w.Header().Set("X-Session-Id", t.Session())
			out.begin()
		}
		return out.event("", chatChunk{Response: text})
	})
	switch {
	case err != nil && !begun:
		status, detail := http.StatusInternalServerError, "Something went wrong on our side."
		if p, ok := errors.AsType[*huma.ErrorModel](a.problem(r.Context(), err)); ok {
			status, detail = p.Status, p.Detail
		}
		_ = huma.WriteErr(h, c, status, detail)
	case err != nil:
		_ = out.event("error", a.problem(r.Context(), err))
	default:
		if reply.Finish == llm.FinishBroken {
			_ = out.event("error", huma.Error502BadGateway("The model broke off; what it said until then stands."))
		}
		_ = out.event("done", chatBody(t, reply))
	}
}
