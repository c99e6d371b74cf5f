package api

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/store"
)

// learned is what nAIber made of what was said.
func (a *api) learned(h huma.API, op describe) {
	facts := op("list-facts", http.MethodGet, personBase+"/facts", "What was learned about a person, with its validity and the turns it stems from", http.StatusOK, http.StatusForbidden)
	facts.Description = "Facts that ended are among them unless current=true: history stays."
	huma.Register(h, facts, a.listFacts)
	forget := op("forget-fact", http.MethodDelete, personBase+"/facts/{factId}", "Forget a fact, and what was said of it", http.StatusNoContent)
	huma.Register(h, forget, a.deleteFact)
	huma.Register(h, op("list-entities", http.MethodGet, personBase+"/entities", "Whom and what a person speaks of", http.StatusOK, http.StatusForbidden), a.listEntities)
	huma.Register(h, op("list-neighbours", http.MethodGet, personBase+"/entities/{entityId}/neighbours",
		"What is one step away from somebody or something", http.StatusOK, http.StatusForbidden), a.neighbours)
	huma.Register(h, op("list-promises", http.MethodGet, personBase+"/promises", "What nAIber said it would come back to, newest first", http.StatusOK, http.StatusForbidden), a.listPromises)
	huma.Register(h, op("drop-promise", http.MethodDelete, personBase+"/promises/{promiseId}", "Drop a promise", http.StatusNoContent), a.deletePromise)
}

type factsQuery struct {
	ID      string `path:"id" doc:"userId"`
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

func (a *api) listFacts(ctx context.Context, in *factsQuery) (*one[page[factOut]], error) {
	at, id := time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC), uuid.Max
	if in.Cursor != "" {
		cursor, err := readMemoryCursor(in.Cursor)
		if err != nil {
			return nil, invalid("query.cursor", "is not a cursor of this list")
		}
		at, id = cursor.At, cursor.ID
	}
	p, err := a.remembered(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	facts, err := a.Store.ShownFacts(ctx, nil, p.ID, in.Current, at, id, in.Limit+1)
	if err != nil {
		return nil, a.problem(ctx, err)
	}
	return paged(facts, in.Limit, func(f store.ShownFact) string {
		return strconv.FormatInt(f.LearnedAt.UnixMicro(), 10) + "." + f.ID.String()
	}, factOf)
}

func factOf(f store.ShownFact) (factOut, error) {
	return factOut{
		ID: f.ID.String(), Text: f.Text, Kind: f.Kind, Topic: f.Topic, Confidence: float32(f.Confidence),
		ValidFrom: utc(f.ValidFrom), ValidTo: utc(f.ValidTo), LearnedAt: f.LearnedAt.UTC(), ClosedAt: utc(f.ClosedAt),
		ClosedBy: known(f.ClosedBy), Replaces: known(f.Replaces), Stale: f.Stale, Source: idsOf(f.Sources), DependsOn: idsOf(f.DependsOn),
	}, nil
}

// known is an id, or nothing for the zero one.
func known(id uuid.UUID) string {
	if id == uuid.Nil {
		return ""
	}
	return id.String()
}

func idsOf(ids []uuid.UUID) []string {
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = id.String()
	}
	return out
}

type factPathIn struct {
	ID       string `path:"id" doc:"userId"`
	FactID   string `path:"factId"`
	KeepText bool   `query:"keepWords" doc:"Forget the fact alone, as when it was misunderstood; what was said stays"`
}

func (a *api) deleteFact(ctx context.Context, in *factPathIn) (*struct{}, error) {
	p, err := a.find(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	id, err := uuid.Parse(in.FactID)
	if err != nil || id == uuid.Nil {
		return nil, huma.Error404NotFound("Not found.")
	}
	if _, err := a.Memory.Forget(ctx, memory.ForgetRequest{Person: p.ID, Fact: id, KeepWords: in.KeepText, By: "api"}); err != nil {
		return nil, a.memoryProblem(ctx, err)
	}
	return nil, nil
}
