package chat

import (
	"context"
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/store"
)

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

// Why a message does not fit the session that it names.
var (
	errOtherPerson = huma.Error409Conflict("The session is not this person's; begin another.",
		&huma.ErrorDetail{Location: "body.userId", Message: "the session belongs to somebody else, or to nobody"})
	errOtherProject = huma.Error409Conflict("The session is not in this project; PATCH /sessions/{id} moves it.",
		&huma.ErrorDetail{Location: "body.projectId", Message: "the session is elsewhere"})
)

func (s *Server) chatRoutes(h huma.API) {
	say := asksModel(operation("chat", "chat", http.MethodPost, "/chat", "Write, and get the whole reply", http.StatusOK))
	say.Errors = append(say.Errors, http.StatusNotFound, http.StatusConflict)
	huma.Register(h, say, s.chat)
	s.streamRoute(h)
}

// chat answers with the whole reply.
func (s *Server) chat(ctx context.Context, in *one[chatIn]) (*one[chatOut], error) {
	t, err := s.begin(ctx, in.Body)
	if err != nil {
		return nil, s.problem(ctx, err)
	}
	res, err := s.cfg.Model.Stream(ctx, t.request, nil)
	if ctx.Err() != nil {
		s.interrupted(ctx, t, res, "") // nobody reads it: what was generated was not said
		return nil, s.problem(ctx, ctx.Err())
	}
	if err == nil && res.Text == "" {
		err = errEmpty
	}
	if err != nil {
		s.metrics.turns.WithLabelValues("failed").Inc()
		return nil, s.problem(ctx, err)
	}
	return answer(outcomeOf(t, res, s.save(ctx, t, res))), nil
}

// outcomeOf describes a turn that is over.
func outcomeOf(t *turn, res llm.Result, kept saved) chatOut {
	return chatOut{
		SessionID: t.session.ExternalID, Response: res.Text, EpisodeID: kept.episode, Model: res.Model, FinishReason: res.FinishReason,
		Usage:      chatUsage{PromptTokens: res.Usage.Prompt, CompletionTokens: res.Usage.Completion, TotalTokens: res.Usage.Total},
		Remembered: kept.remembered, Degraded: t.degraded,
	}
}

// personOf returns whom a message belongs to: nobody, where it names nobody.
func (s *Server) personOf(ctx context.Context, in chatIn) (store.PersonID, error) {
	id := in.UserID
	if in.PersonID != "" {
		if id != "" && id != in.PersonID {
			return store.PersonID{}, invalid("body.personId", "differs from userId, which means the same")
		}
		id = in.PersonID
	}
	return s.knownPerson(ctx, id)
}

// knownPerson returns the person of an id, or nobody for none.
func (s *Server) knownPerson(ctx context.Context, id string) (store.PersonID, error) {
	if id == "" {
		return store.PersonID{}, nil
	}
	pid, err := store.ParsePersonID(id)
	if err == nil {
		_, err = s.store.Person(ctx, pid)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return store.PersonID{}, err
		}
	}
	if err != nil {
		return store.PersonID{}, huma.Error404NotFound("No such person.")
	}
	return pid, nil
}

// projectOf returns the project of an id, or zero for none.
func (s *Server) projectOf(ctx context.Context, id, at string) (uuid.UUID, error) {
	if id == "" {
		return uuid.Nil, nil
	}
	p, err := s.findProject(ctx, id)
	if err != nil && errors.Is(err, store.ErrNotFound) {
		return uuid.Nil, huma.Error404NotFound("No such project.", &huma.ErrorDetail{Location: at, Message: "there is no such project"})
	}
	return p.ID, err
}
