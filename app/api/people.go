package api

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/naiber/naiber/store"
)

type personPath struct {
	ID string `path:"id" doc:"userId"`
}

func (a *api) people(h huma.API) {
	huma.Register(h, huma.Operation{
		OperationID: "create-person", Method: http.MethodPost, Path: "/api/v1/people", Tags: []string{"people"},
		Summary: "Add a person", DefaultStatus: http.StatusCreated,
	}, func(ctx context.Context, in *struct{ Body personIn }) (*one[personOut], error) {
		p, contacts, err := in.Body.person()
		if err != nil {
			return nil, err
		}
		kept, err := a.Store.CreatePerson(ctx, p, contacts, in.Body.Consent.lines())
		if err != nil {
			return nil, a.problem(err)
		}
		return a.person(ctx, kept)
	})
	huma.Register(h, huma.Operation{
		OperationID: "list-people", Method: http.MethodGet, Path: "/api/v1/people", Tags: []string{"people"}, Summary: "List or find people",
	}, a.listPeople)
	huma.Register(h, huma.Operation{
		OperationID: "get-person", Method: http.MethodGet, Path: "/api/v1/people/{id}", Tags: []string{"people"}, Summary: "One person",
	}, func(ctx context.Context, in *personPath) (*one[personOut], error) {
		p, err := a.find(ctx, in.ID)
		if err != nil {
			return nil, err
		}
		return a.person(ctx, p)
	})
	huma.Register(h, huma.Operation{
		OperationID: "update-person", Method: http.MethodPatch, Path: "/api/v1/people/{id}", Tags: []string{"people"}, Summary: "Change a person",
	}, a.patchPerson)
	huma.Register(h, huma.Operation{
		OperationID: "delete-person", Method: http.MethodDelete, Path: "/api/v1/people/{id}", Tags: []string{"people"},
		Summary: "Remove a person and everything kept about them", DefaultStatus: http.StatusNoContent,
	}, a.deletePerson)
}

type peopleQuery struct {
	Phone  string `query:"phone"`
	Name   string `query:"name"`
	Limit  int    `query:"limit" minimum:"1" maximum:"200" default:"50"`
	Cursor string `query:"cursor" doc:"nextCursor of the page before"`
}

type peoplePage struct {
	Items      []personOut `json:"items"`
	NextCursor string      `json:"nextCursor,omitempty"`
}

func (a *api) listPeople(ctx context.Context, in *peopleQuery) (*one[peoplePage], error) {
	people, err := a.findPeople(ctx, in)
	if err != nil {
		return nil, err
	}
	page := &one[peoplePage]{Body: peoplePage{Items: make([]personOut, 0, len(people))}}
	for _, p := range people {
		out, err := a.person(ctx, p)
		if err != nil {
			return nil, err
		}
		page.Body.Items = append(page.Body.Items, out.Body)
	}
	if in.Phone == "" && in.Name == "" && len(people) == in.Limit {
		page.Body.NextCursor = people[len(people)-1].ID.String()
	}
	return page, nil
}

func (a *api) findPeople(ctx context.Context, in *peopleQuery) ([]store.Person, error) {
	switch {
	case in.Phone != "":
		// A '+' that was not escaped in the query arrives as a space.
		phone, err := Phone(strings.Replace(in.Phone, " ", "+", 1), "query.phone")
		if err != nil {
			return nil, err
		}
		people, err := a.Store.PeopleByPhone(ctx, phone)
		return people, a.problem(err)
	case in.Name != "":
		people, err := a.Store.PeopleByName(ctx, in.Name)
		return people, a.problem(err)
	}
	var after store.PersonID
	if in.Cursor != "" {
		id, err := store.ParsePersonID(in.Cursor)
		if err != nil {
			return nil, invalid("query.cursor", "is not a cursor of this list")
		}
		after = id
	}
	people, err := a.Store.People(ctx, after, in.Limit)
	return people, a.problem(err)
}

type patchPersonIn struct {
	personPath

	Body personPatch
}

func (a *api) patchPerson(ctx context.Context, in *patchPersonIn) (*one[personOut], error) {
	p, err := a.find(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	contacts, err := in.Body.apply(&p)
	if err != nil {
		return nil, err
	}
	kept, err := a.Store.UpdatePerson(ctx, p, contacts)
	if err != nil {
		return nil, a.problem(err)
	}
	a.audit(ctx, "person.update", kept.ID)
	return a.person(ctx, kept)
}

func (a *api) deletePerson(ctx context.Context, in *personPath) (*struct{}, error) {
	p, err := a.find(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	if c, err := a.Store.LiveCallOf(ctx, p.ID); err == nil {
		return nil, huma.Error409Conflict("The person is on a call (" + c.ID.String() + "); end it first.")
	}
	if err := a.Store.DeletePerson(ctx, p.ID); err != nil {
		return nil, a.problem(err)
	}
	a.audit(ctx, "person.delete", p.ID)
	return nil, nil
}

func (a *api) find(ctx context.Context, id string) (store.Person, error) {
	pid, err := store.ParsePersonID(id)
	if err != nil {
		return store.Person{}, huma.Error404NotFound("No such person.")
	}
	p, err := a.Store.Person(ctx, pid)
	return p, a.problem(err)
}

// audit keeps that something was done; without it the thing is done all the same, and the log says so.
func (a *api) audit(ctx context.Context, action string, id store.PersonID) {
	if err := a.Store.AddAudit(ctx, store.Audit{Actor: "api", Action: action, PersonID: id}); err != nil {
		a.Log.ErrorContext(ctx, "audit line not kept", "action", action, "person_id", id, "err", err)
	}
}

