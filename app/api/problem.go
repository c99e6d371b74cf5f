package api

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"reflect"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/memory/transfer"
	"github.com/naiber/naiber/orchestration/chat"
	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/personas/council"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/alerts"
	"github.com/naiber/naiber/store/chats"
	"github.com/naiber/naiber/store/discussions"
	"github.com/naiber/naiber/store/repairs"
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
	_ = json.NewEncoder(w).Encode(huma.ErrorModel{Title: http.StatusText(status), Status: status, Detail: detail}) // the client may be gone
}

// writeProblem writes an error that problem returned.
func writeProblem(w http.ResponseWriter, err error) {
	p, ok := errors.AsType[*huma.ErrorModel](err)
	if !ok {
		p = &huma.ErrorModel{Status: http.StatusInternalServerError}
	}
	Problem(w, p.Status, p.Detail)
}

// jsonOnly refuses a body that is sent as anything other than JSON, as `curl -d` does by default,
// and says what to send.
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

// problems maps errors that are not our fault to what a client may see; the first match is taken.
// at is the place of the mistake in the request, and message what is wrong there, by default the
// error itself.
var problems = []struct {
	err         error
	status      int
	detail      string
	at, message string
	log         string // message logged at level; empty: none
	level       slog.Level
}{
	{err: telephony.ErrUnknownPerson, status: 404, detail: "No such person."},
	{err: telephony.ErrAmbiguousPhone, status: 422, detail: "Several people share this telephone; say who by userId.", at: "body.phone", message: "shared by several people"},
	{err: telephony.ErrUnknownCallType, status: 422, detail: "There is no persona for this kind of call.", at: "body.callType"},
	{err: telephony.ErrIdempotencyMismatch, status: 422, detail: "This Idempotency-Key was used for another request.", at: "header.Idempotency-Key", message: "already used"},
	{err: telephony.ErrInvalidPhone, status: 422, detail: notValid, at: "body.phone"},
	{err: telephony.ErrNumberRefused, status: 422, detail: "The carrier cannot call this number.", at: "body.phone", message: "refused by the carrier"},
	{err: telephony.ErrCarrierBusy, status: 503, detail: "The carrier takes no more calls just now; try again in a minute."},
	{err: telephony.ErrCarrierConfiguration, status: 502, detail: "The carrier refused the call; `naiber doctor` says what is wrong."},
	{err: telephony.ErrCarrierFailed, status: 502, detail: "The carrier refused the call; `naiber doctor` says what is wrong."},
	{err: memory.ErrNoConsent, status: 403, detail: "This person does not allow being remembered; record a consent of the scope memory first."},
	{err: memory.ErrOtherOwner, status: 409, detail: "An id is taken by something else."},
	{err: chat.ErrOtherPerson, status: 409, detail: "The session is not this person's; begin another.", at: "body.userId", message: "the session belongs to somebody else, or to nobody"},
	{err: chat.ErrOtherProject, status: 409, detail: "The session is not in this project; PATCH /sessions/{id} moves it.", at: "body.projectId", message: "the session is elsewhere"},
	{err: chat.ErrNothingSaid, status: 422, detail: "Nothing was said in this project that could be summed up."},
	{err: council.ErrKeyUsed, status: 422, detail: "This Idempotency-Key was used for another request.", at: "header.Idempotency-Key", message: "already used"},
	{err: council.ErrBusy, status: 409, detail: "The discussion is under way; ask when the round is over."},
	{err: council.ErrUnfinished, status: 409, detail: "The last round was broken off. Have it tried again, without a question, and ask when it is over."},
	{err: council.ErrDecided, status: 409, detail: "The action was decided otherwise before."},
	{err: council.ErrRefused, status: 409, detail: "The action cannot be what it says, as things are: a promise needs the person's consent to memory."},
	{err: council.ErrRounds, status: 409, detail: "The discussion has as many rounds as it may have; begin another."},
	{err: discussions.ErrMoved, status: 409, detail: "The discussion went on meanwhile; look and ask again."},
	{err: repairs.ErrOtherPerson, status: 409, detail: "The session is not this person's; begin another.", at: "body.userId", message: "the session belongs to somebody else, or to nobody"},
	{err: repairs.ErrOfCall, status: 409, detail: "The session is a call's, and takes no message in writing; begin another."},
	{err: repairs.ErrBusy, status: 409, detail: "The session is answering another message; send this one when that is answered."},
	{err: repairs.ErrFull, status: 409, detail: "The session has as many messages as it may have; begin another."},
	{err: repairs.ErrExpired, status: 410, detail: "The session has expired; begin another. What is known in it can still be read."},
	{err: alerts.ErrTaken, status: 409, detail: "Somebody else has acknowledged this alert; it says who."},
	{err: alerts.ErrClosed, status: 409, detail: "This alert was closed otherwise; it says how."},
	{err: store.ErrNotFound, status: 404, detail: "Not found."},
	{err: store.ErrUnstorable, status: 422, detail: "The database cannot keep a value of this request."},
	{err: store.ErrConflict, status: 409, detail: "This contradicts what is already kept."},
	{err: chats.ErrSourceGone, status: 409, detail: "Some of it was deleted meanwhile; ask again."},
	{err: chat.ErrMemory, status: 503, detail: "The memory does not answer just now, so nothing was deleted; try again in a minute.", level: slog.LevelError, log: "memory does not forget"},
	{err: llm.ErrAllModelsFailed, status: 502, detail: "The model did not answer.", level: slog.LevelWarn, log: "model gave no answer"},
	{err: llm.ErrNoContent, status: 502, detail: "The model did not answer.", level: slog.LevelWarn, log: "model gave no answer"},
	{err: chat.ErrEmpty, status: 502, detail: "The model did not answer.", level: slog.LevelWarn, log: "model gave no answer"},
}

const notValid = "validation failed"

// problem maps an error to what a client may see. An unknown error is our fault: problem logs it
// and answers 500 without details.
func (a *api) problem(ctx context.Context, err error) error {
	if p, ok := errors.AsType[huma.StatusError](err); ok {
		return p
	}
	if r, ok := errors.AsType[*telephony.Refusal](err); ok {
		return refused(r)
	}
	if l, ok := errors.AsType[*transfer.LineError](err); ok {
		return invalid(fmt.Sprintf("body line %d", l.Line), wrong(l.Err))
	}
	if errors.Is(err, memory.ErrInvalid) {
		return invalid("body", wrong(err))
	}
	if e, ok := errors.AsType[*llm.StatusError](err); ok && e.Status == http.StatusNotFound {
		a.Log.WarnContext(ctx, "model gave no answer", "err", err)
		return huma.Error422UnprocessableEntity("The model server knows no such model.")
	}
	if _, late := errors.AsType[*llm.TimeoutError](err); late {
		a.Log.WarnContext(ctx, "model gave no answer", "err", err)
		return huma.Error504GatewayTimeout("The model took too long to answer.")
	}
	for _, p := range problems {
		if !errors.Is(err, p.err) {
			continue
		}
		if p.log != "" {
			a.Log.Log(ctx, p.level, p.log, "err", err) //nolint:sloglint // a constant of the table
		}
		if p.at == "" {
			return huma.NewError(p.status, p.detail)
		}
		return huma.NewError(p.status, p.detail, &huma.ErrorDetail{Location: p.at, Message: cmp.Or(p.message, err.Error())})
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		a.Log.ErrorContext(ctx, "request took too long", "err", err)
		return huma.Error503ServiceUnavailable("The database does not answer just now; try again in a minute.")
	}
	if ctx.Err() == nil { // else the client is gone
		a.Log.ErrorContext(ctx, "request failed", "err", err)
	}
	return huma.Error500InternalServerError("Something went wrong on our side.")
}

// wrong returns the text of an error of the memory without the suffix that only marks its kind.
func wrong(err error) string {
	return strings.TrimSuffix(err.Error(), ": "+memory.ErrInvalid.Error())
}

// refused returns the problem for a refusal: 422 if somebody must change something first, 409 if
// the call may be allowed later.
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
	return huma.Error422UnprocessableEntity(notValid, &huma.ErrorDetail{Location: at, Message: msg})
}

// refusals returns the descriptions of the gate's refusals, which hold more than other problems.
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
