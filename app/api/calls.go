package api

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/naiber/naiber/store"
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

type callPath struct {
	ID string `path:"id" doc:"callId"`
}

func (a *api) calls(h huma.API) {
	huma.Register(h, huma.Operation{
		OperationID: "place-call", Method: http.MethodPost, Path: "/call", Tags: []string{"calls"},
		Summary: "Phone somebody", DefaultStatus: http.StatusAccepted,
		Description: "The gate decides: consent, opt-out, pauses, quiet hours, one live call a person, daily cap. A refusal names the rule and until when it holds.",
	}, a.placeCall)
	huma.Register(h, huma.Operation{
		OperationID: "list-calls", Method: http.MethodGet, Path: "/api/v1/calls", Tags: []string{"calls"}, Summary: "Calls, newest first",
	}, a.listCalls)
	huma.Register(h, huma.Operation{
		OperationID: "get-call", Method: http.MethodGet, Path: "/api/v1/calls/{id}", Tags: []string{"calls"},
		Summary: "One call with transcript, turns, summary and topics",
	}, a.getCall)
	huma.Register(h, huma.Operation{
		OperationID: "hang-up", Method: http.MethodPost, Path: "/api/v1/calls/{id}/hangup", Tags: []string{"calls"},
		Summary: "End a live call", DefaultStatus: http.StatusAccepted,
	}, func(ctx context.Context, in *callPath) (*struct{}, error) {
		c, err := a.findCall(ctx, in.ID)
		if err != nil {
			return nil, err
		}
		if !c.Live() {
			return nil, huma.Error409Conflict("The call has already ended.")
		}
		return nil, a.problem(a.Dialer.HangUp(ctx, c.ID, "operator"))
	})
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
		if err != nil {
			return nil, huma.Error404NotFound("No such person.")
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
		return nil, a.problem(err)
	}
	return &one[dialOut]{Body: dialOut{CallID: c.ID.String(), CallSID: c.SID, Status: string(c.Status)}}, nil
}

type callsQuery struct {
	UserID string `query:"userId"`
	Status string `query:"status" enum:"queued,initiated,ringing,in-progress,completed,busy,no-answer,failed,canceled"`
	Limit  int    `query:"limit" minimum:"1" maximum:"200" default:"50"`
	Cursor string `query:"cursor" doc:"nextCursor of the page before"`
}

type callsPage struct {
	Items      []callOut `json:"items"`
	NextCursor string    `json:"nextCursor,omitempty"`
}

func (a *api) listCalls(ctx context.Context, in *callsQuery) (*one[callsPage], error) {
	f := store.CallFilter{Status: store.CallStatus(in.Status), Limit: in.Limit}
	var err error
	if in.UserID != "" {
		if f.PersonID, err = store.ParsePersonID(in.UserID); err != nil {
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
		return nil, a.problem(err)
	}
	page := &one[callsPage]{Body: callsPage{Items: make([]callOut, len(calls))}}
	for i, c := range calls {
		page.Body.Items[i] = callBody(c)
	}
	if len(calls) == in.Limit {
		page.Body.NextCursor = calls[len(calls)-1].ID.String()
	}
	return page, nil
}

func (a *api) getCall(ctx context.Context, in *callPath) (*one[callFull], error) {
	c, err := a.findCall(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	full := callFull{callOut: callBody(c), Transcript: []lineText{}, Turns: []turnOut{}}
	lines, err := a.Store.Transcript(ctx, c.ID)
	if err != nil {
		return nil, a.problem(err)
	}
	for _, u := range lines {
		full.Transcript = append(full.Transcript, lineText{Role: string(u.Role), Text: u.Text, At: u.At.UTC(), Intended: u.Intended})
	}
	turns, err := a.Store.Turns(ctx, c.ID)
	if err != nil {
		return nil, a.problem(err)
	}
	for _, t := range turns {
		full.Turns = append(full.Turns, turnBody(t))
	}
	topics, err := a.Store.CallTopics(ctx, c.ID)
	if err != nil {
		return nil, a.problem(err)
	}
	full.Topics = topicsOut(topics)
	switch sum, err := a.Store.Summary(ctx, c.ID); {
	case err == nil:
		full.Summary = sum.Text
	case !errors.Is(err, store.ErrNotFound):
		return nil, a.problem(err)
	}
	return &one[callFull]{Body: full}, nil
}

func (a *api) findCall(ctx context.Context, id string) (store.Call, error) {
	cid, err := store.ParseCallID(id)
	if err != nil {
		return store.Call{}, huma.Error404NotFound("No such call.")
	}
	c, err := a.Store.Call(ctx, cid)
	return c, a.problem(err)
}

