package api

import (
	"context"
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/naiber/naiber/store/people"
)

type setPINIn struct {
	PersonPath

	Body struct {
		PIN string `json:"pin" pattern:"^[0-9]{4,8}$" patternDescription:"4 to 8 digits" doc:"What they key to show who they are" example:"271828"`
	}
}

func (a *api) pins(h huma.API) {
	op := under("people", personBase+"/pin")
	handleEmpty(a, h, op("set-pin", http.MethodPut, "", "Set what a person keys to show who they are", http.StatusNoContent), about(a.find, a.setPIN))
	handleEmpty(a, h, op("remove-pin", http.MethodDelete, "", "Remove it", http.StatusNoContent), about(a.find, a.removePIN))
}

func (a *api) setPIN(ctx context.Context, p people.Person, in *setPINIn) (none, error) {
	err := a.Store.SetPIN(ctx, p.ID, in.Body.PIN)
	if errors.Is(err, people.ErrPIN) {
		return none{}, invalid("body.pin", "4 to 8 digits, and not all of them the same")
	}
	if err == nil {
		a.audit(ctx, "pin.set", p.ID)
	}
	return none{}, err
}

func (a *api) removePIN(ctx context.Context, p people.Person, _ *PersonPath) (none, error) {
	err := a.Store.SetPIN(ctx, p.ID, "")
	if err == nil {
		a.audit(ctx, "pin.remove", p.ID)
	}
	return none{}, err
}
