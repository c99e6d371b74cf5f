package api

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/memory/search"
	"github.com/naiber/naiber/store/people"
)

type memoriesQuery struct {
	PersonPath

	Q      string `query:"q" maxLength:"4000" doc:"What to look for, as a question or in words"`
	Limit  int    `query:"limit" minimum:"1" maximum:"100" default:"20"`
	Cursor string `query:"cursor" doc:"nextCursor of the page before; for a list, not a search"`
}

type memoryOut struct {
	ID      string    `json:"id"`
	Text    string    `json:"text" doc:"Word for word"`
	At      time.Time `json:"at"`
	Score   float64   `json:"score" doc:"For comparing the items of one search; 0 in a list"`
	Source  []string  `json:"source" doc:"The ids of the turns that it stems from and was found among, its own the first"`
	Speaker string    `json:"speaker"`
	Name    string    `json:"name,omitempty"`
	CallID  string    `json:"callId,omitempty"`

	Outdated *outdatedOut `json:"outdated,omitempty" doc:"Only where a search finds what is no longer so"`
}

type outdatedOut struct {
	Since time.Time `json:"since"`
	Now   string    `json:"now,omitempty" doc:"What is true instead, where that is known and may be brought up"`
}

type memoriesPage struct {
	page[memoryOut]

	Degraded []string `json:"degraded,omitempty" doc:"What did not take part in the search: embedder, vectors"`
}

func (a *api) listMemories(ctx context.Context, p people.Person, in *memoriesQuery) (out memoriesPage, err error) {
	if strings.TrimSpace(in.Q) != "" {
		return a.searchMemories(ctx, p, in)
	}
	var before memory.Turn
	if before.At, before.ID, err = readCursor(in.Cursor); err != nil {
		return out, err
	}
	turns, err := a.Memory.List(ctx, memory.Scope{Person: p.ID}, before, in.Limit+1)
	out.page = paged(turns, in.Limit, func(t memory.Turn) string { return cursor(t.At, t.ID) }, func(t memory.Turn) memoryOut {
		return memoryOf(t, 0, []string{externalID(t)})
	})
	return out, err
}

func (a *api) searchMemories(ctx context.Context, p people.Person, in *memoriesQuery) (out memoriesPage, err error) {
	found, err := a.Memory.Search(ctx, search.Query{Scope: memory.Scope{Person: p.ID}, Text: in.Q, Limit: in.Limit, BudgetTokens: allTokens})
	if err != nil {
		return out, err
	}
	slices.SortStableFunc(found.Hits, func(a, b search.Hit) int { return cmp.Compare(b.Score, a.Score) })
	var ids []uuid.UUID
	for _, h := range found.Hits {
		ids = append(ids, h.Source...)
	}
	turns, err := a.Store.MemoryTurns(ctx, nil, ids)
	if err != nil {
		return out, err
	}
	names := make(map[uuid.UUID]string, len(turns))
	for _, t := range turns {
		names[t.ID] = externalID(t)
	}
	out.Degraded = found.Degraded
	out.Items = each(found.Hits, func(h search.Hit) memoryOut {
		item := memoryOf(h.Turn, h.Score, each(h.Source, func(id uuid.UUID) string { return cmp.Or(names[id], id.String()) }))
		if o := h.Outdated; o != nil {
			item.Outdated = &outdatedOut{o.Since.UTC(), o.Now}
		}
		return item
	})
	return out, nil
}

// allTokens is a budget that no page of memories can exceed.
const allTokens = 100_000

func memoryOf(t memory.Turn, score float64, source []string) memoryOut {
	return memoryOut{
		ID: externalID(t), Text: t.Text, At: t.At.UTC(), Score: score, Source: source, Speaker: string(t.Speaker), Name: t.Name,
		CallID: known(t.CallID.UUID),
	}
}
