package api

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/telephony"
)

// personBase is the path of a person.
const personBase = "/api/v1/people/{id}"

func (a *api) people(h huma.API) {
	op := under("people", "/api/v1/people")
	route(a, h, op("create-person", http.MethodPost, "", "Add a person", http.StatusCreated), a.createPerson)
	handle(a, h, op("list-people", http.MethodGet, "", "List or find people", http.StatusOK), a.listPeople)
	route(a, h, op("get-person", http.MethodGet, "/{id}", "One person", http.StatusOK), about(a.find, func(ctx context.Context, p people.Person, _ *PersonPath) (*personAnswer, error) {
		return a.person(ctx, p)
	}))
	patch := op("update-person", http.MethodPatch, "/{id}", "Change a person", http.StatusOK, http.StatusPreconditionFailed)
	patch.Description = "What is absent stays as it is; null takes away what was kept."
	route(a, h, patch, about(a.find, a.patchPerson))
	in := op("opt-in", http.MethodPost, "/{id}/opt-in", "Take an opt-out back", http.StatusOK, http.StatusConflict)
	in.Description = "The consent to calls that went with the opt-out is given anew; one that was never given is not. The audit says who did it."
	route(a, h, in, about(a.find, a.optIn))
	handleEmpty(a, h, op("delete-person", http.MethodDelete, "/{id}", "Remove a person and everything kept about them", http.StatusNoContent, http.StatusConflict),
		about(a.find, a.deletePerson))
}

func (a *api) createPerson(ctx context.Context, in *one[personIn]) (*personAnswer, error) {
	p, contacts, err := in.Body.person()
	if err != nil {
		return nil, err
	}
	kept, err := a.Store.CreatePerson(ctx, p, contacts, in.Body.Consent.lines())
	if err != nil {
		return nil, err
	}
	a.audit(ctx, "person.create", kept.ID)
	return a.person(ctx, kept)
}

type peopleQuery struct {
	Phone  string `query:"phone" doc:"Everybody who answers at this number"`
	Name   string `query:"name" doc:"A name or a part of it; best match first, at most 20"`
	Limit  int    `query:"limit" minimum:"1" maximum:"200" default:"50"`
	Cursor string `query:"cursor" doc:"nextCursor of the page before"`
}

func (a *api) listPeople(ctx context.Context, in *peopleQuery) (out page[personOut], err error) {
	persons, err := a.findPeople(ctx, in)
	if err != nil {
		return out, err
	}
	limit := in.Limit
	if in.Phone != "" || in.Name != "" {
		limit = len(persons) // results of a search have no pages
	}
	out = paged(persons, limit, func(p people.Person) string { return p.ID.String() }, func(p people.Person) personOut {
		shape, failed := personShape(ctx, a.Store, p)
		err = cmp.Or(err, failed)
		return shape
	})
	return out, err
}

func (a *api) findPeople(ctx context.Context, in *peopleQuery) ([]people.Person, error) {
	switch {
	case in.Phone != "":
		number := in.Phone
		if rest, ok := strings.CutPrefix(number, " "); ok {
			number = "+" + rest // a '+' that was not escaped in the query arrives as a space
		}
		phone, err := Phone(number, "query.phone")
		if err != nil {
			return nil, err
		}
		return a.Store.PeopleByPhone(ctx, phone)
	case in.Name != "":
		return a.Store.PeopleByName(ctx, in.Name)
	}
	after, err := readIDCursor(in.Cursor)
	if err != nil {
		return nil, err
	}
	return a.Store.People(ctx, store.PersonID{UUID: after}, in.Limit+1)
}

type patchPersonIn struct {
	PersonPath

	IfMatch []string `header:"If-Match" doc:"ETags; the person is changed only while one of them is theirs"`

	Body personPatch
}

func (a *api) patchPerson(ctx context.Context, p people.Person, in *patchPersonIn) (*personAnswer, error) {
	_, err := a.Store.ChangePerson(ctx, p.ID, func(p *people.Person) (contacts []people.Contact, err error) {
		if !in.matches(*p) {
			return nil, huma.Error412PreconditionFailed("The person was changed meanwhile; read them again.")
		}
		return in.Body.apply(p)
	})
	if err != nil {
		return nil, err
	}
	if err := a.optOut(ctx, p.ID, in.Body.OptedOut); err != nil {
		return nil, err
	}
	a.audit(ctx, "person.update", p.ID)
	return a.changed(ctx, p.ID)
}

// changed returns the answer for a person as now stored.
func (a *api) changed(ctx context.Context, id store.PersonID) (*personAnswer, error) {
	p, err := a.find(ctx, id.String())
	if err != nil {
		return nil, err
	}
	return a.person(ctx, p)
}

// matches reports whether If-Match is absent or names the person's current ETag.
func (in *patchPersonIn) matches(p people.Person) bool {
	return len(in.IfMatch) == 0 || slices.ContainsFunc(in.IfMatch, func(tag string) bool {
		tag = strings.TrimSpace(tag)
		return tag == "*" || tag == etag(p)
	})
}

// optOut records an opt-out or takes it back; nil leaves it as it is.
func (a *api) optOut(ctx context.Context, id store.PersonID, out *bool) error {
	switch {
	case out == nil:
		return nil
	case *out:
		return a.Store.OptOut(ctx, id, "api")
	default:
		_, err := a.Store.OptIn(ctx, id, "api", "api")
		return err
	}
}

type optInIn struct {
	PersonPath

	Body struct {
		By string `json:"by" minLength:"1" maxLength:"200" doc:"Who wants calls again, or says so for them"`
	}
}

func (a *api) optIn(ctx context.Context, p people.Person, in *optInIn) (*personAnswer, error) {
	was, err := a.Store.OptIn(ctx, p.ID, "api", in.Body.By)
	if err != nil {
		return nil, err
	}
	if !was {
		return nil, huma.Error409Conflict("They have not opted out.")
	}
	return a.changed(ctx, p.ID)
}

func (a *api) deletePerson(ctx context.Context, p people.Person, _ *PersonPath) (none, error) {
	err := a.Store.DeletePerson(ctx, p.ID)
	switch {
	case errors.Is(err, store.ErrConflict):
		err = huma.Error409Conflict("The person is on a call; end it first.")
	case err == nil:
		a.audit(ctx, "person.delete", p.ID)
	}
	return none{}, err
}

// find returns the person with an id, or [telephony.ErrUnknownPerson].
func (a *api) find(ctx context.Context, id string) (people.Person, error) {
	pid, err := store.ParsePersonID(id)
	if err != nil {
		return people.Person{}, telephony.ErrUnknownPerson
	}
	p, err := a.Store.Person(ctx, pid)
	if errors.Is(err, store.ErrNotFound) {
		err = telephony.ErrUnknownPerson
	}
	return p, err
}

// audit adds a line to the audit. A failure is only logged, as the action has been taken.
func (a *api) audit(ctx context.Context, action string, id store.PersonID) {
	if err := a.Store.AddAudit(context.WithoutCancel(ctx), calls.Audit{Actor: "api", Action: action, PersonID: id}); err != nil {
		a.Log.ErrorContext(ctx, "audit line not kept", "action", action, "person_id", id, "err", err)
	}
}
