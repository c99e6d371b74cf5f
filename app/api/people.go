package api

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/telephony"
)

type personPath struct {
	ID string `path:"id" doc:"userId"`
}

func (a *api) people(h huma.API) {
	op := func(id, method, path, summary string, success int) huma.Operation {
		return operation("people", id, method, "/api/v1/people"+path, summary, success)
	}
	huma.Register(h, op("create-person", http.MethodPost, "", "Add a person", http.StatusCreated), a.createPerson)
	huma.Register(h, op("list-people", http.MethodGet, "", "List or find people", http.StatusOK), a.listPeople)
	huma.Register(h, op("get-person", http.MethodGet, "/{id}", "One person", http.StatusOK), a.getPerson)
	patch := op("update-person", http.MethodPatch, "/{id}", "Change a person", http.StatusOK)
	patch.Description = "What is absent stays as it is; null takes away what was kept."
	patch.Errors = append(patch.Errors, http.StatusPreconditionFailed)
	huma.Register(h, patch, a.patchPerson)
	in := op("opt-in", http.MethodPost, "/{id}/opt-in", "Take an opt-out back", http.StatusOK)
	in.Description = "The consent to calls that went with the opt-out is given anew; one that was never given is not. The audit says who did it."
	in.Errors = append(in.Errors, http.StatusConflict)
	huma.Register(h, in, a.optIn)
	remove := op("delete-person", http.MethodDelete, "/{id}", "Remove a person and everything kept about them", http.StatusNoContent)
	remove.Errors = append(remove.Errors, http.StatusConflict)
	huma.Register(h, remove, a.deletePerson)
}

func (a *api) createPerson(ctx context.Context, in *one[personIn]) (*personAnswer, error) {
	p, contacts, err := in.Body.person()
	if err != nil {
		return nil, err
	}
	kept, err := a.Store.CreatePerson(ctx, p, contacts, in.Body.Consent.lines())
	if err != nil {
		return nil, a.problem(ctx, err)
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

func (a *api) listPeople(ctx context.Context, in *peopleQuery) (*one[page[personOut]], error) {
	people, err := a.findPeople(ctx, in)
	if err != nil {
		return nil, err
	}
	limit := in.Limit
	if in.Phone != "" || in.Name != "" {
		limit = len(people) // what was looked for has no pages
	}
	return paged(people, limit, func(p store.Person) string { return p.ID.String() }, func(p store.Person) (personOut, error) {
		return a.describe(ctx, p)
	})
}

func (a *api) findPeople(ctx context.Context, in *peopleQuery) ([]store.Person, error) {
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
		people, err := a.Store.PeopleByPhone(ctx, phone)
		return people, a.problem(ctx, err)
	case in.Name != "":
		people, err := a.Store.PeopleByName(ctx, in.Name)
		return people, a.problem(ctx, err)
	}
	var after store.PersonID
	if in.Cursor != "" {
		id, err := store.ParsePersonID(in.Cursor)
		if err != nil {
			return nil, invalid("query.cursor", "is not a cursor of this list")
		}
		after = id
	}
	people, err := a.Store.People(ctx, after, in.Limit+1)
	return people, a.problem(ctx, err)
}

func (a *api) getPerson(ctx context.Context, in *personPath) (*personAnswer, error) {
	p, err := a.find(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	return a.person(ctx, p)
}

type patchPersonIn struct {
	ID      string   `path:"id" doc:"userId"`
	IfMatch []string `header:"If-Match" doc:"ETags; the person is changed only while one of them is theirs"`

	Body personPatch
}

func (a *api) patchPerson(ctx context.Context, in *patchPersonIn) (*personAnswer, error) {
	p, err := a.find(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	var refused error
	_, err = a.Store.ChangePerson(ctx, p.ID, func(p *store.Person) (contacts []store.Contact, err error) {
		if !in.matches(*p) {
			refused = huma.Error412PreconditionFailed("The person was changed meanwhile; read them again.")
		} else {
			contacts, refused = in.Body.apply(p)
		}
		return contacts, refused
	})
	if refused != nil {
		return nil, refused
	}
	if err != nil {
		return nil, a.problem(ctx, err)
	}
	if err := a.optOut(ctx, p.ID, in.Body.OptedOut); err != nil {
		return nil, a.problem(ctx, err)
	}
	a.audit(ctx, "person.update", p.ID)
	kept, err := a.find(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	return a.person(ctx, kept)
}

// matches reports whether a person is still as the client knows them.
func (in *patchPersonIn) matches(p store.Person) bool {
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
	ID string `path:"id" doc:"userId"`

	Body struct {
		By string `json:"by" minLength:"1" maxLength:"200" doc:"Who wants calls again, or says so for them"`
	}
}

func (a *api) optIn(ctx context.Context, in *optInIn) (*personAnswer, error) {
	p, err := a.find(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	was, err := a.Store.OptIn(ctx, p.ID, "api", in.Body.By)
	if err != nil {
		return nil, a.problem(ctx, err)
	}
	if !was {
		return nil, huma.Error409Conflict("They have not opted out.")
	}
	kept, err := a.find(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	return a.person(ctx, kept)
}

func (a *api) deletePerson(ctx context.Context, in *personPath) (*struct{}, error) {
	p, err := a.find(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	switch err := a.Store.DeletePerson(ctx, p.ID); {
	case errors.Is(err, store.ErrConflict):
		return nil, huma.Error409Conflict("The person is on a call; end it first.")
	case err != nil:
		return nil, a.problem(ctx, err)
	}
	a.audit(ctx, "person.delete", p.ID)
	return nil, nil
}

// find returns the person that an address names, or the problem to answer with.
func (a *api) find(ctx context.Context, id string) (store.Person, error) {
	pid, err := store.ParsePersonID(id)
	if err != nil {
		return store.Person{}, a.problem(ctx, telephony.ErrUnknownPerson)
	}
	p, err := a.Store.Person(ctx, pid)
	if errors.Is(err, store.ErrNotFound) {
		err = telephony.ErrUnknownPerson
	}
	return p, a.problem(ctx, err)
}

// audit keeps that something was done; without it the thing is done all the same, and the log says so.
func (a *api) audit(ctx context.Context, action string, id store.PersonID) {
	if err := a.Store.AddAudit(context.WithoutCancel(ctx), store.Audit{Actor: "api", Action: action, PersonID: id}); err != nil {
		a.Log.ErrorContext(ctx, "audit line not kept", "action", action, "person_id", id, "err", err)
	}
}
