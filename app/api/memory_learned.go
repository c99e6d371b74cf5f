package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/naiber/naiber/memory/forget"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/memories"
	"github.com/naiber/naiber/store/people"
)

// learned adds the routes of what nAIber derived from conversations: facts, entities and
// promises.
func (a *api) learned(h huma.API, op describe) {
	facts := op("list-facts", http.MethodGet, "/facts", "What was learned about a person, with its validity and the turns it stems from", http.StatusOK, http.StatusForbidden)
	facts.Description = "Facts that ended are among them unless current=true: history stays."
	handle(a, h, facts, about(a.remembered, a.listFacts))
	forget := op("forget-fact", http.MethodDelete, "/facts/{factId}", "Forget a fact, and what was said of it", http.StatusNoContent)
	handleEmpty(a, h, forget, about(a.find, a.deleteFact))
	handle(a, h, op("list-entities", http.MethodGet, "/entities", "Whom and what a person speaks of", http.StatusOK, http.StatusForbidden), about(a.remembered, a.listEntities))
	handle(a, h, op("list-neighbours", http.MethodGet, "/entities/{entityId}/neighbours",
		"What is one step away from somebody or something", http.StatusOK, http.StatusForbidden), about(a.remembered, a.neighbours))
	handle(a, h, op("list-promises", http.MethodGet, "/promises", "What nAIber said it would come back to, newest first", http.StatusOK, http.StatusForbidden), about(a.remembered, a.listPromises))
	handleEmpty(a, h, op("drop-promise", http.MethodDelete, "/promises/{promiseId}", "Drop a promise", http.StatusNoContent), about(a.find, a.deletePromise))
}

type factsQuery struct {
	PersonPath

	Current bool   `query:"current" doc:"Only those that have not ended"`
	Limit   int    `query:"limit" minimum:"1" maximum:"200" default:"50"`
	Cursor  string `query:"cursor" doc:"nextCursor of the page before"`
}

type factOut struct {
	ID         string     `json:"id"`
	Text       string     `json:"text"`
	Kind       string     `json:"kind" enum:"person,place,pet,health,routine,like,plan,worry,life,other"`
	Topic      string     `json:"topic,omitempty"`
	Confidence float32    `json:"confidence"`
	ValidFrom  *time.Time `json:"validFrom,omitempty" doc:"Since when it was true, as far as is known"`
	ValidTo    *time.Time `json:"validTo,omitempty" doc:"Until when; absent: it still is, as far as is known"`
	LearnedAt  time.Time  `json:"learnedAt"`
	ClosedAt   *time.Time `json:"closedAt,omitempty" doc:"When it was learned that it has ended"`
	ClosedBy   string     `json:"closedBy,omitempty" doc:"The fact that ended it"`
	Replaces   string     `json:"replaces,omitempty" doc:"The fact in whose place it came"`
	Stale      bool       `json:"stale" doc:"Something that it depends on has changed"`
	Source     []string   `json:"source" doc:"The ids of the turns that it stems from"`
	DependsOn  []string   `json:"dependsOn"`
}

func (a *api) listFacts(ctx context.Context, p people.Person, in *factsQuery) (out page[factOut], err error) {
	at, id := time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC), uuid.Max
	if in.Cursor != "" {
		if at, id, err = readCursor(in.Cursor); err != nil {
			return out, err
		}
	}
	facts, err := a.Store.ListFacts(ctx, nil, p.ID, in.Current, at, id, in.Limit+1)
	return paged(facts, in.Limit, func(f memories.Fact) string { return cursor(f.LearnedAt, f.ID) }, factOf), err
}

func factOf(f memories.Fact) factOut {
	return factOut{
		ID: f.ID.String(), Text: f.Text, Kind: f.Kind, Topic: f.Topic, Confidence: float32(f.Confidence),
		ValidFrom: utc(f.ValidFrom), ValidTo: utc(f.ValidTo), LearnedAt: f.LearnedAt.UTC(), ClosedAt: utc(f.ClosedAt),
		ClosedBy: known(f.ClosedBy), Replaces: known(f.Replaces), Stale: f.Stale, Source: idsOf(f.Sources), DependsOn: idsOf(f.DependsOn),
	}
}

// known returns id as a string, or "" for uuid.Nil.
func known(id uuid.UUID) string {
	if id == uuid.Nil {
		return ""
	}
	return id.String()
}

func idsOf(ids []uuid.UUID) []string { return each(ids, uuid.UUID.String) }

type factPathIn struct {
	PersonPath

	FactID   string `path:"factId"`
	KeepText bool   `query:"keepWords" doc:"Forget the fact alone, as when it was misunderstood; what was said stays"`
}

func (a *api) deleteFact(ctx context.Context, p people.Person, in *factPathIn) (none, error) {
	id, err := uuid.Parse(in.FactID)
	if err != nil || id == uuid.Nil {
		return none{}, store.ErrNotFound
	}
	_, err = a.Memory.Forget(ctx, forget.Request{Person: p.ID, Fact: id, KeepWords: in.KeepText, By: "api"})
	return none{}, err
}
