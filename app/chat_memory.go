package app

import (
	"context"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/memory/learn"
	"github.com/naiber/naiber/memory/search"
	"github.com/naiber/naiber/memory/service"
	"github.com/naiber/naiber/orchestration/chat"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/memories"
)

// chatMemory implements [chat.Memory] with the memory that also serves calls.
type chatMemory struct {
	store    *store.Store
	service  *service.Service
	learner  *learn.Learner
	log      *slog.Logger
	settings search.Settings
}

var _ chat.Memory = (*chatMemory)(nil)

// turnsOfEpisode is the number of turns in an episode or a piece of a call: a
// question and its answer.
const turnsOfEpisode = 2

// Recall searches what a session may see, and the graph from the people and
// things that the words name or mean. If the same words ask that something not
// be raised, it is no longer found.
func (m *chatMemory) Recall(ctx context.Context, scope chat.Scope, q chat.Query) (chat.Recollection, error) {
	var rec chat.Recollection
	if err := m.learner.HeedWriting(ctx, scope.Person, scope.Session, q.Text, q.Now); err != nil {
		rec.Degraded = append(rec.Degraded, "limits")
		m.log.WarnContext(ctx, "limit is left to what is learned from a session", "session_id", scope.Session, "err", err)
	}
	found, err := m.search(ctx, scope, q)
	if err != nil {
		return chat.Recollection{}, err
	}
	rec.Degraded, rec.Recalled = append(rec.Degraded, found.Degraded...), pieces(found.Hits, q.Now)
	rec.Graph = learn.FormatGraph(found.Graph)
	return rec, nil
}

func (m *chatMemory) search(ctx context.Context, scope chat.Scope, q chat.Query) (search.Found, error) {
	in := memoryScope(scope)
	if q.KeywordWeight == 0 && q.SemanticWeight == 0 {
		return m.service.Around(ctx, in, q.Text)
	}
	set := m.settings
	set.KeywordWeight, set.VectorWeight, set.Similarity = q.KeywordWeight, q.SemanticWeight, q.MinScore
	search := search.Query{
		Scope: in, Text: q.Text, Now: q.Now, Limit: turnsOfEpisode * q.Limit, BudgetTokens: q.Budget,
		Graph: true, Entities: search.MaxStarts, Settings: &set,
	}
	for _, id := range q.Exclude {
		for _, part := range episodeParts {
			search.Exclude = append(search.Exclude, memory.TurnID(in, memories.FromChat, memory.EpisodeKey(scope.Session, id, part)))
		}
	}
	return m.service.Search(ctx, search)
}

// pieces joins hits that follow each other in one episode or one call. Notes on
// outdated hits count days from now.
func pieces(hits []search.Hit, now time.Time) []chat.Recalled {
	var out []chat.Recalled
	block := -1
	for _, h := range hits {
		episode, _ := memory.EpisodeOf(h.SourceKey) // zero for a line of a call
		r := chat.Recalled{Session: h.Scope.Session, Episode: episode, Person: h.Scope.Person, At: h.At, Text: spoken(h.Turn)}
		if note := h.Outdated.Note(now.Location(), now); note != "" {
			r.Text += " " + note
		}
		if last := len(out) - 1; h.Block == block && out[last].Episode == r.Episode {
			out[last].Text += "\n" + r.Text
			continue
		}
		block = h.Block
		out = append(out, r)
	}
	return out
}

// spoken returns the text of a turn after its speaker's name.
func spoken(t memory.Turn) string {
	name := t.Name
	if name == "" {
		name = map[calls.Role]string{calls.RoleAssistant: "nAIber", calls.RoleUser: "Person"}[t.Speaker]
	}
	return name + ": " + t.Text
}

// Remember stores both halves of an episode. If the session has changed its
// project, its memory is moved first.
func (m *chatMemory) Remember(ctx context.Context, scope chat.Scope, e chat.Episode) error {
	if err := m.service.Move(ctx, scope.Session, scope.Project); err != nil {
		return err
	}
	var turns []memory.Turn
	for _, part := range episodeParts {
		text := e.Message
		if part == calls.RoleAssistant {
			text = e.Response
		}
		if text = memory.Fit(text); text == "" { // a reply may be longer than a turn may be, and would always be refused
			continue
		}
		turns = append(turns, memory.Turn{
			Scope: memoryScope(scope), Conversation: scope.Session.String(), Speaker: part, Text: text, At: e.At,
			Source: memories.FromChat, SourceKey: memory.EpisodeKey(scope.Session, e.ID, part),
		})
	}
	_, err := m.service.Keep(ctx, turns)
	return err
}

// forgetPage is the number of turns of a session that are read at once.
const forgetPage = 500

// Forget deletes what was stored of the given episodes, or of the whole session
// if none are given.
func (m *chatMemory) Forget(ctx context.Context, session uuid.UUID, episodes ...int64) error {
	in := memory.Scope{Session: session}
	unwanted := map[int64]bool{}
	for _, id := range episodes {
		unwanted[id] = true
	}
	var ids []uuid.UUID
	before, last := time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC), uuid.Max // from the newest backward
	for {
		turns, err := m.store.MemoryTurnsOf(ctx, in, before, last, forgetPage)
		if err != nil {
			return err
		}
		for _, t := range turns {
			if episode, ok := memory.EpisodeOf(t.SourceKey); len(episodes) == 0 || ok && unwanted[episode] {
				ids = append(ids, t.ID)
			}
			before, last = t.At, t.ID
		}
		if len(turns) < forgetPage {
			break
		}
	}
	if len(ids) == 0 {
		return nil
	}
	_, err := m.service.Delete(ctx, in, ids...)
	return err
}

func memoryScope(s chat.Scope) memory.Scope {
	return memory.Scope{Person: s.Person, Session: s.Session, Project: s.Project}
}

// episodeParts are the speakers of an episode, in order.
var episodeParts = []calls.Role{calls.RoleUser, calls.RoleAssistant}
