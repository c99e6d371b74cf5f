package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/telephony"
)

// refusal is the problem document of a dial that the gate refused.
type refusal struct {
	huma.ErrorModel

	Rule  string     `json:"rule,omitempty" doc:"The rule of the gate that refused"`
	Until *time.Time `json:"until,omitempty" doc:"When the rule will no longer refuse, where that is known"`
}

// Problem writes a problem document.
func Problem(w http.ResponseWriter, status int, detail string) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(huma.ErrorModel{Title: http.StatusText(status), Status: status, Detail: detail}) // the client is gone otherwise
}

// writeProblem answers with what problem made of an error.
func writeProblem(w http.ResponseWriter, err error) {
	p, ok := errors.AsType[*huma.ErrorModel](err)
	if !ok {
		p = &huma.ErrorModel{Status: http.StatusInternalServerError}
	}
	Problem(w, p.Status, p.Detail)
}

// jsonOnly refuses a body that is sent as something else than JSON, as `curl -d`
// does by itself, and says what to send.
func jsonOnly(h huma.API) func(huma.Context, func(huma.Context)) {
	return func(c huma.Context, next func(huma.Context)) {
		r, w := humachi.Unwrap(c)
		body := c.Operation().RequestBody
		if body == nil || body.Content["application/json"] == nil || r.ContentLength == 0 {
			next(c)
			return
		}
		var null any
		if err := h.Unmarshal(c.Header("Content-Type"), []byte("null"), &null); errors.Is(err, huma.ErrUnknownContentType) {
			Problem(w, http.StatusUnsupportedMediaType, "Send Content-Type: application/json.")
			return
		}
		next(c)
	}
}

// problem maps an error to what a client may see. What it does not know is our
// fault, is logged, and says nothing about the inside.
func (a *api) problem(ctx context.Context, err error) error {
	if r, ok := errors.AsType[*telephony.Refusal](err); ok {
		return refused(r)
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, telephony.ErrUnknownPerson):
		return huma.Error404NotFound("No such person.")
	case errors.Is(err, telephony.ErrAmbiguousPhone):
		return huma.Error422UnprocessableEntity("Several people share this telephone; say who by userId.",
			&huma.ErrorDetail{Location: "body.phone", Message: "shared by several people"})
	case errors.Is(err, telephony.ErrUnknownCallType):
		return huma.Error422UnprocessableEntity("There is no persona for this kind of call.",
			&huma.ErrorDetail{Location: "body.callType", Message: err.Error()})
	case errors.Is(err, telephony.ErrIdempotencyMismatch):
		return huma.Error422UnprocessableEntity("This Idempotency-Key was used for another request.",
			&huma.ErrorDetail{Location: "header.Idempotency-Key", Message: "already used"})
	case errors.Is(err, telephony.ErrInvalidPhone):
		return invalid("body.phone", err.Error())
	case errors.Is(err, telephony.ErrNumberRefused):
		return huma.Error422UnprocessableEntity("The carrier cannot call this number.", &huma.ErrorDetail{Location: "body.phone", Message: "refused by the carrier"})
	case errors.Is(err, telephony.ErrCarrierBusy):
		return huma.Error503ServiceUnavailable("The carrier takes no more calls just now; try again in a minute.")
	case errors.Is(err, telephony.ErrCarrierConfiguration), errors.Is(err, telephony.ErrCarrierFailed):
		return huma.Error502BadGateway("The carrier refused the call; `naiber doctor` says what is wrong.")
	case errors.Is(err, store.ErrNotFound):
		return huma.Error404NotFound("Not found.")
	case errors.Is(err, store.ErrUnstorable):
		return huma.Error422UnprocessableEntity("The database cannot keep a value of this request.")
	case errors.Is(err, store.ErrConflict):
		return huma.Error409Conflict("This contradicts what is already kept.")
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		a.Log.ErrorContext(ctx, "request took too long", "err", err)
		return huma.Error503ServiceUnavailable("The database does not answer just now; try again in a minute.")
	}
	if ctx.Err() == nil { // else nobody waits for the answer
		a.Log.ErrorContext(ctx, "request failed", "err", err)
	}
	return huma.Error500InternalServerError("Something went wrong on our side.")
}

// refused is 422 where somebody must change something first, 409 where it is
// only not the time.
func refused(r *telephony.Refusal) error {
	status := http.StatusConflict
	if r.Until == nil && r.Rule != telephony.RuleLiveCall {
		status = http.StatusUnprocessableEntity
	}
	return &refusal{
		ErrorModel: huma.ErrorModel{Title: "The call is not allowed", Status: status, Detail: r.Text},
		Rule:       r.Rule, Until: utc(r.Until),
	}
}

func invalid(at, msg string) error {
	return huma.Error422UnprocessableEntity("validation failed", &huma.ErrorDetail{Location: at, Message: msg})
}

// refusals describes the answers of the gate, which say more than other problems.
func refusals(schemas huma.Registry) map[string]*huma.Response {
	answer := func(description string) *huma.Response {
		return &huma.Response{Description: description, Content: map[string]*huma.MediaType{
			"application/problem+json": {Schema: schemas.Schema(reflect.TypeFor[refusal](), true, "Refusal")},
		}}
	}
	return map[string]*huma.Response{
		"409": answer("The gate refuses: not now"),
		"422": answer("The request is not valid, or the gate refuses until somebody decides otherwise"),
	}
}
