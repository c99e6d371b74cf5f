package chat

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/store"
)

// writeProblem writes a problem document.
func writeProblem(w http.ResponseWriter, status int, detail string) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(huma.ErrorModel{Title: http.StatusText(status), Status: status, Detail: detail}) // the client is gone otherwise
}

// invalid says which field of a request is wrong.
func invalid(at, msg string) error {
	return huma.Error422UnprocessableEntity("validation failed", &huma.ErrorDetail{Location: at, Message: msg})
}

// problem maps an error to what a client may see. What it does not know is our
// fault, is logged, and says nothing about the inside.
func (s *Server) problem(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if p, ok := errors.AsType[*huma.ErrorModel](err); ok {
		return p
	}
	switch {
	case errors.Is(err, store.ErrNotFound):
		return huma.Error404NotFound("Not found.")
	case errors.Is(err, store.ErrConflict):
		return huma.Error409Conflict("This contradicts what is already kept.")
	case errors.Is(err, store.ErrSourceGone):
		return huma.Error409Conflict("Some of it was deleted meanwhile; ask again.")
	case errors.Is(err, errMemory):
		s.log.ErrorContext(ctx, "memory does not forget", "err", err)
		return huma.Error503ServiceUnavailable("The memory does not answer just now, so nothing was deleted; try again in a minute.")
	}
	if p := modelProblem(err); p != nil {
		s.log.WarnContext(ctx, "model gave no answer", "err", err)
		return p
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		s.log.ErrorContext(ctx, "request took too long", "err", err)
		return huma.Error503ServiceUnavailable("The database does not answer just now; try again in a minute.")
	}
	if ctx.Err() == nil { // else nobody waits for the answer
		s.log.ErrorContext(ctx, "request failed", "err", err)
	}
	return huma.Error500InternalServerError("Something went wrong on our side.")
}

// modelProblem is what a client may see of a model's failure, or nil where it
// was none.
func modelProblem(err error) error {
	_, late := errors.AsType[*llm.TimeoutError](err)
	failed := errors.Is(err, llm.ErrAllModelsFailed)
	if e, ok := errors.AsType[*llm.StatusError](err); ok && e.Status == http.StatusNotFound {
		return huma.Error422UnprocessableEntity("The model server knows no such model.")
	}
	switch {
	case late:
		return huma.Error504GatewayTimeout("The model took too long to answer.")
	case failed, errors.Is(err, llm.ErrNoContent), errors.Is(err, errEmpty):
		return huma.Error502BadGateway("The model did not answer.")
	}
	return nil
}

// errEmpty says that a model answered without text.
var errEmpty = errors.New("model answered without text")

// errMemory marks what memory could not do though it had to.
var errMemory = errors.New("memory failed")
