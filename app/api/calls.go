package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/telephony"
)

type dialIn struct {
	UserID   string `json:"userId,omitempty" doc:"Who is phoned; or phone"`
	Phone    string `json:"phone,omitempty" maxLength:"40"`
	CallType string `json:"callType" doc:"general, health_check, cognitive or appliance_help" example:"general"`
	Reason   string `json:"reason,omitempty" maxLength:"500"`
}

type dialOut struct {
	CallID  string `json:"callId"`
	CallSID string `json:"callSid"`
	Status  string `json:"status"`
}

func (a *api) calls(h huma.API) {
	op := under("calls", "")
	place := op("place-call", http.MethodPost, "/call", "Phone somebody", http.StatusAccepted, http.StatusNotFound, http.StatusBadGateway, http.StatusServiceUnavailable)
	place.Description = "The gate decides: consent, opt-out, pauses, quiet hours, one live call a person, daily cap. A refusal names the rule and until when it holds."
	place.Responses = refusals(h.OpenAPI().Components.Schemas)
	handle(a, h, place, a.placeCall)
	handle(a, h, op("list-calls", http.MethodGet, "/api/v1/calls", "Calls, newest first", http.StatusOK), a.listCalls)
	handle(a, h, op("get-call", http.MethodGet, "/api/v1/calls/{id}", "One call with transcript, turns, summary and topics", http.StatusOK), about(a.findCall, a.getCall))
	handleEmpty(a, h, op("hang-up", http.MethodPost, "/api/v1/calls/{id}/hangup", "End a live call", http.StatusAccepted, http.StatusConflict), about(a.findCall, a.hangUp))
}

func (a *api) hangUp(ctx context.Context, c calls.Call, _ *CallPath) (none, error) {
	if !c.Live() {
		return none{}, huma.Error409Conflict("The call has already ended.")
	}
	return none{}, a.Dialer.HangUp(ctx, c.ID, "operator")
}

type placeCallIn struct {
	IdempotencyKey string `header:"Idempotency-Key" maxLength:"200"`
	Body           dialIn
}

func (a *api) placeCall(ctx context.Context, in *placeCallIn) (dialOut, error) {
	req := telephony.PlaceRequest{
		Type: calls.CallType(in.Body.CallType), Reason: in.Body.Reason, By: "api", IdempotencyKey: in.IdempotencyKey,
	}
	switch {
	case (in.Body.UserID == "") == (in.Body.Phone == ""):
		return dialOut{}, invalid("body", "say who: either userId or phone")
	case in.Body.UserID != "":
		id, err := store.ParsePersonID(in.Body.UserID)
		if err != nil || !id.Known() {
			return dialOut{}, telephony.ErrUnknownPerson
		}
		req.PersonID = id
	default:
		phone, err := Phone(in.Body.Phone, "body.phone")
		if err != nil {
			return dialOut{}, err
		}
		req.Phone = phone
	}
	c, err := a.Dialer.Place(ctx, req)
	if err != nil && !errors.Is(err, telephony.ErrCarrierUnclear) { // an unclear one is on record, and settles by itself
		return dialOut{}, err
	}
	return dialOut{CallID: c.ID.String(), CallSID: c.SID, Status: string(c.Status)}, nil
}

type callsQuery struct {
	UserID string `query:"userId"`
	Status string `query:"status" enum:"queued,initiated,ringing,in-progress,completed,busy,no-answer,failed,canceled"`
	Limit  int    `query:"limit" minimum:"1" maximum:"200" default:"50"`
	Cursor string `query:"cursor" doc:"nextCursor of the page before"`
}

func (a *api) listCalls(ctx context.Context, in *callsQuery) (out page[Call], err error) {
	f := calls.CallFilter{Status: calls.CallStatus(in.Status), Limit: in.Limit + 1}
	if in.UserID != "" {
		if f.PersonID, err = store.ParsePersonID(in.UserID); err != nil || !f.PersonID.Known() {
			return out, invalid("query.userId", "is not an id")
		}
	}
	if f.Before.UUID, err = readIDCursor(in.Cursor); err != nil {
		return out, err
	}
	callList, err := a.Store.Calls(ctx, f)
	return paged(callList, in.Limit, func(c calls.Call) string { return c.ID.String() }, callBody), err
}

func (a *api) getCall(ctx context.Context, c calls.Call, _ *CallPath) (full callFull, err error) {
	lines, err := a.Store.Transcript(ctx, c.ID)
	if err != nil {
		return full, err
	}
	turns, err := a.Store.Turns(ctx, c.ID)
	if err != nil {
		return full, err
	}
	topics, err := a.Store.CallTopics(ctx, c.ID)
	if err != nil {
		return full, err
	}
	sum, err := a.Store.Summary(ctx, nil, c.ID)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return full, err
	}
	var told *disclosed
	data, err := a.Store.Disclosed(ctx, c.ID)
	if err == nil && data != nil {
		err = json.Unmarshal(data, &told)
	}
	if err != nil {
		return full, err
	}
	return callFull{
		Disclosed: told,
		Call:      callBody(c), Transcript: each(lines, lineBody), Turns: each(turns, turnBody), Topics: each(topics, topicBody), Summary: sum.Text,
	}, nil
}

func (a *api) findCall(ctx context.Context, id string) (calls.Call, error) {
	cid, err := store.ParseCallID(id)
	if err != nil {
		return calls.Call{}, huma.Error404NotFound("No such call.")
	}
	c, err := a.Store.Call(ctx, cid)
	if errors.Is(err, store.ErrNotFound) {
		return c, huma.Error404NotFound("No such call.")
	}
	return c, err
}
