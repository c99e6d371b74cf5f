package api

import (
	"context"
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/telephony"
)

type dialIn struct {
	UserID   string `json:"userId,omitempty" doc:"Who is phoned; or phone"`
	Phone    string `json:"phone,omitempty" maxLength:"40"`
	CallType string `json:"callType" doc:"general or health_check" example:"general"`
	Reason   string `json:"reason,omitempty" maxLength:"500"`
}

type dialOut struct {
	CallID  string `json:"callId"`
	CallSID string `json:"callSid"`
	Status  string `json:"status"`
}

type callPath struct {
	ID string `path:"id" doc:"callId"`
}

func (a *api) calls(h huma.API) {
	op := func(id, method, path, summary string, success int) huma.Operation {
		return operation("calls", id, method, path, summary, success)
	}
	place := op("place-call", http.MethodPost, "/call", "Phone somebody", http.StatusAccepted)
	place.Description = "The gate decides: consent, opt-out, pauses, quiet hours, one live call a person, daily cap. A refusal names the rule and until when it holds."
	place.Errors = append(place.Errors, http.StatusNotFound, http.StatusBadGateway, http.StatusServiceUnavailable)
	place.Responses = refusals(h.OpenAPI().Components.Schemas)
	huma.Register(h, place, a.placeCall)
	huma.Register(h, op("list-calls", http.MethodGet, "/api/v1/calls", "Calls, newest first", http.StatusOK), a.listCalls)
	huma.Register(h, op("get-call", http.MethodGet, "/api/v1/calls/{id}", "One call with transcript, turns, summary and topics", http.StatusOK), a.getCall)
	end := op("hang-up", http.MethodPost, "/api/v1/calls/{id}/hangup", "End a live call", http.StatusAccepted)
	end.Errors = append(end.Errors, http.StatusConflict)
	huma.Register(h, end, a.hangUp)
}

func (a *api) hangUp(ctx context.Context, in *callPath) (*struct{}, error) {
	c, err := a.findCall(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	if !c.Live() {
		return nil, huma.Error409Conflict("The call has already ended.")
	}
	return nil, a.problem(ctx, a.Dialer.HangUp(ctx, c.ID, "operator"))
}

type placeCallIn struct {
	IdempotencyKey string `header:"Idempotency-Key" maxLength:"200"`
	Body           dialIn
}

func (a *api) placeCall(ctx context.Context, in *placeCallIn) (*one[dialOut], error) {
	req := telephony.PlaceRequest{
		Type: store.CallType(in.Body.CallType), Reason: in.Body.Reason, By: "api", IdempotencyKey: in.IdempotencyKey,
	}
	switch {
	case (in.Body.UserID == "") == (in.Body.Phone == ""):
		return nil, invalid("body", "say who: either userId or phone")
	case in.Body.UserID != "":
		id, err := store.ParsePersonID(in.Body.UserID)
		if err != nil || !id.Known() {
			return nil, a.problem(ctx, telephony.ErrUnknownPerson)
		}
		req.PersonID = id
	default:
		phone, err := Phone(in.Body.Phone, "body.phone")
		if err != nil {
			return nil, err
		}
		req.Phone = phone
	}
	c, err := a.Dialer.Place(ctx, req)
	if err != nil && !errors.Is(err, telephony.ErrCarrierUnclear) { // then it is on record, and settles by itself
		return nil, a.problem(ctx, err)
	}
	return answer(dialOut{CallID: c.ID.String(), CallSID: c.SID, Status: string(c.Status)}), nil
}

type callsQuery struct {
	UserID string `query:"userId"`
	Status string `query:"status" enum:"queued,initiated,ringing,in-progress,completed,busy,no-answer,failed,canceled"`
	Limit  int    `query:"limit" minimum:"1" maximum:"200" default:"50"`
	Cursor string `query:"cursor" doc:"nextCursor of the page before"`
}

func (a *api) listCalls(ctx context.Context, in *callsQuery) (*one[page[Call]], error) {
	f := store.CallFilter{Status: store.CallStatus(in.Status), Limit: in.Limit + 1}
	var err error
	if in.UserID != "" {
		if f.PersonID, err = store.ParsePersonID(in.UserID); err != nil || !f.PersonID.Known() {
			return nil, invalid("query.userId", "is not an id")
		}
	}
	if in.Cursor != "" {
		if f.Before, err = store.ParseCallID(in.Cursor); err != nil {
			return nil, invalid("query.cursor", "is not a cursor of this list")
		}
	}
	calls, err := a.Store.Calls(ctx, f)
	if err != nil {
		return nil, a.problem(ctx, err)
	}
	return paged(calls, in.Limit, func(c store.Call) string { return c.ID.String() }, func(c store.Call) (Call, error) { return callBody(c), nil })
}

func (a *api) getCall(ctx context.Context, in *callPath) (*one[callFull], error) {
	c, err := a.findCall(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	full := callFull{Call: callBody(c), Transcript: []lineText{}, Turns: []turnOut{}}
	lines, err := a.Store.Transcript(ctx, c.ID)
	if err != nil {
		return nil, a.problem(ctx, err)
	}
	for _, u := range lines {
		full.Transcript = append(full.Transcript, lineText{Role: string(u.Role), Text: u.Text, At: u.At.UTC(), Intended: u.Intended})
	}
	turns, err := a.Store.Turns(ctx, c.ID)
	if err != nil {
		return nil, a.problem(ctx, err)
	}
	for _, t := range turns {
		full.Turns = append(full.Turns, turnBody(t))
	}
	topics, err := a.Store.CallTopics(ctx, c.ID)
	if err != nil {
		return nil, a.problem(ctx, err)
	}
	full.Topics = topicsOut(topics)
	switch sum, err := a.Store.Summary(ctx, c.ID); {
	case err == nil:
		full.Summary = sum.Text
	case !errors.Is(err, store.ErrNotFound):
		return nil, a.problem(ctx, err)
	}
	return answer(full), nil
}

func (a *api) findCall(ctx context.Context, id string) (store.Call, error) {
	cid, err := store.ParseCallID(id)
	if err != nil {
		return store.Call{}, huma.Error404NotFound("No such call.")
	}
	c, err := a.Store.Call(ctx, cid)
	if errors.Is(err, store.ErrNotFound) {
		return c, huma.Error404NotFound("No such call.")
	}
	return c, a.problem(ctx, err)
}
