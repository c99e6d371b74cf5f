package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/memory/forget"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/memories"
	"github.com/naiber/naiber/store/people"
)

func (a *api) memories(h huma.API) {
	if a.Memory == nil {
		return
	}
	op := under("memory", personBase)
	add := op("add-memories", http.MethodPost, "/memories", "Keep what a person said, word for word", http.StatusCreated, http.StatusForbidden, http.StatusConflict)
	add.Description = "All items are kept or none. One with the id of an earlier one takes its place. Needs the person's consent to being remembered."
	handle(a, h, add, about(a.find, a.addMemories))
	find := op("list-memories", http.MethodGet, "/memories", "Search what a person said, or list it", http.StatusOK, http.StatusForbidden)
	find.Description = "With q the best come first, without it the newest. Needs the person's consent to being remembered; topics that are not to be raised are left out of a search."
	handle(a, h, find, about(a.remembered, a.listMemories))
	handleEmpty(a, h, op("forget-memory", http.MethodDelete, "/memories/{memoryId}",
		"Forget one thing that was said, and all that stands on it alone", http.StatusNoContent), about(a.find, a.deleteMemory))
	a.learned(h, op)
	a.limits(h, op)
	a.forgetting(h, op)
	a.transfer(h, op)
}

type memoryItem struct {
	ID      string    `json:"id,omitempty" maxLength:"200" doc:"What the caller calls it; by the same id it is found, replaced and forgotten. Without one it gets one"`
	Text    string    `json:"text" minLength:"1" maxLength:"50000"`
	At      time.Time `json:"at,omitzero" required:"false" doc:"When it was said; now where nobody says"`
	Source  string    `json:"source,omitempty" maxLength:"200" doc:"Where it is from, such as a letter"`
	Speaker string    `json:"speaker,omitempty" enum:"user,assistant" default:"user" doc:"assistant is nAIber"`
	Name    string    `json:"name,omitempty" maxLength:"100" doc:"Who speaks, where that is not the person"`

	Conversation string `json:"conversation,omitempty" maxLength:"200" doc:"What it was said in. Items of one conversation are understood together, in the order given; without one each stands for itself"`
}

type addMemoriesIn struct {
	PersonPath

	Body struct {
		Items []memoryItem `json:"items" minItems:"1" maxItems:"1000"`
	}
}

type memoriesAdded struct {
	IDs     []string `json:"ids" doc:"Of the items that are kept, in the order given"`
	LeftOut []int    `json:"leftOut,omitempty" doc:"Places, from 0, of items about topics that the person does not want stored"`
}

func (a *api) addMemories(ctx context.Context, p people.Person, in *addMemoriesIn) (memoriesAdded, error) {
	turns := make([]memory.Turn, len(in.Body.Items))
	now := time.Now()
	for i, item := range in.Body.Items {
		t := memory.Turn{
			Scope: memory.Scope{Person: p.ID}, Speaker: calls.Role(cmp.Or(item.Speaker, string(calls.RoleUser))), Name: item.Name, Text: item.Text,
			At: item.At, Source: memories.FromAPI,
		}
		if strings.TrimSpace(item.Text) == "" {
			return memoriesAdded{}, invalid(fmt.Sprintf("body.items[%d].text", i), "says nothing")
		}
		if t.At.IsZero() {
			t.At = now
		}
		if item.ID != "" {
			t.ID, t.SourceKey = internalID(p.ID, item.ID)
		}
		switch {
		case item.Conversation != "":
			t.Conversation = "api:" + item.Conversation
		case item.Source != "":
			if t.ID == uuid.Nil {
				t.ID = uuid.Must(uuid.NewV7())
			}
			t.Conversation = "api:" + item.Source + "/" + t.ID.String()
		}
		turns[i] = t
	}
	kept, err := a.Memory.Keep(ctx, turns)
	if errors.Is(err, store.ErrConflict) {
		err = memory.ErrOtherOwner
	}
	if err != nil {
		return memoriesAdded{}, err
	}
	out := memoriesAdded{IDs: []string{}}
	for i, id := range kept.IDs {
		if id == uuid.Nil {
			out.LeftOut = append(out.LeftOut, i)
			continue
		}
		out.IDs = append(out.IDs, cmp.Or(in.Body.Items[i].ID, id.String()))
	}
	a.audit(ctx, "memory.add", p.ID)
	return out, nil
}

// internalID returns the id of the turn that a caller knows as id and, if that differs from it,
// the caller's id.
func internalID(person store.PersonID, id string) (uuid.UUID, string) {
	if u, err := uuid.Parse(id); err == nil && u != uuid.Nil && u.String() == id {
		return u, ""
	}
	return memory.TurnID(memory.Scope{Person: person}, memories.FromAPI, id), id
}

// externalID returns the id by which callers know a turn.
func externalID(t memory.Turn) string {
	if t.Source == memories.FromAPI && t.SourceKey != "" {
		return t.SourceKey
	}
	return t.ID.String()
}

type memoryPathIn struct {
	PersonPath

	MemoryID string `path:"memoryId"`
}

func (a *api) deleteMemory(ctx context.Context, p people.Person, in *memoryPathIn) (none, error) {
	id, _ := internalID(p.ID, in.MemoryID)
	if u, err := uuid.Parse(in.MemoryID); err == nil { // in any notation of a UUID
		id = u
	}
	_, err := a.Memory.Forget(ctx, forget.Request{Person: p.ID, Memories: []uuid.UUID{id}, By: "api"})
	return none{}, err
}

// remembered returns the person with an id, or [memory.ErrNoConsent] if they do not consent to
// being remembered.
func (a *api) remembered(ctx context.Context, id string) (people.Person, error) {
	p, err := a.find(ctx, id)
	if err != nil {
		return p, err
	}
	scopes, err := a.Store.ConsentScopes(ctx, p.ID)
	if err == nil && !scopes[people.ScopeMemory] {
		err = memory.ErrNoConsent
	}
	return p, err
}
