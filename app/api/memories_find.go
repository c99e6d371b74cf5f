package api

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/store"
)

type memoriesQuery struct {
	ID     string `path:"id" doc:"userId"`
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

func (a *api) listMemories(ctx context.Context, in *memoriesQuery) (*one[memoriesPage], error) {
	p, err := a.remembered(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(in.Q) != "" {
		return a.searchMemories(ctx, p, in)
	}
	before, err := readMemoryCursor(in.Cursor)
	if err != nil {
		return nil, invalid("query.cursor", "is not a cursor of this list")
	}
	turns, err := a.Memory.List(ctx, memory.Scope{Person: p.ID}, before, in.Limit+1)
	if err != nil {
		return nil, a.memoryProblem(ctx, err)
	}
	out := memoriesPage{}
	out.Items = []memoryOut{}
	if len(turns) > in.Limit {
		turns = turns[:in.Limit]
		last := turns[in.Limit-1]
		out.NextCursor = strconv.FormatInt(last.At.UnixMicro(), 10) + "." + last.ID.String()
	}
	for _, t := range turns {
		out.Items = append(out.Items, memoryOf(t, 0, []string{externalID(t)}))
	}
	return answer(out), nil
}

func (a *api) searchMemories(ctx context.Context, p store.Person, in *memoriesQuery) (*one[memoriesPage], error) {
	found, err := a.Memory.Search(ctx, memory.Query{Scope: memory.Scope{Person: p.ID}, Text: in.Q, Limit: in.Limit, BudgetTokens: allTokens})
	if err != nil {
		return nil, a.memoryProblem(ctx, err)
	}
	slices.SortStableFunc(found.Hits, func(a, b memory.Hit) int { return cmp.Compare(b.Score, a.Score) })
	var ids []uuid.UUID
	for _, h := range found.Hits {
		ids = append(ids, h.Source...)
	}
	turns, err := a.Store.MemoryTurns(ctx, nil, ids)
	if err != nil {
		return nil, a.problem(ctx, err)
	}
	names := make(map[uuid.UUID]string, len(turns))
	for _, t := range turns {
		names[t.ID] = externalID(t)
	}
	out := memoriesPage{Degraded: found.Degraded}
	out.Items = []memoryOut{}
	for _, h := range found.Hits {
		source := make([]string, len(h.Source))
		for i, id := range h.Source {
			source[i] = cmp.Or(names[id], id.String())
		}
		item := memoryOf(h.Turn, h.Score, source)
		if o := h.Outdated; o != nil {
			item.Outdated = &outdatedOut{o.Since.UTC(), o.Now}
		}
		out.Items = append(out.Items, item)
	}
	return answer(out), nil
}

// allTokens is more than a page of memories can fill.
const allTokens = 100_000

func memoryOf(t memory.Turn, score float64, source []string) memoryOut {
	out := memoryOut{
		ID: externalID(t), Text: t.Text, At: t.At.UTC(), Score: score, Source: source, Speaker: string(t.Speaker), Name: t.Name,
	}
	if t.CallID.UUID != uuid.Nil {
		out.CallID = t.CallID.String()
	}
	return out
}

func readMemoryCursor(s string) (memory.Turn, error) {
	if s == "" {
		return memory.Turn{}, nil
	}
	micros, id, _ := strings.Cut(s, ".")
	at, err := strconv.ParseInt(micros, 10, 64)
	if err != nil {
		return memory.Turn{}, fmt.Errorf("time of cursor: %w", err)
	}
	turn, err := uuid.Parse(id)
	return memory.Turn{ID: turn, At: time.UnixMicro(at)}, err
}
