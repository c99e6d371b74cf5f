package api

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/google/uuid"

	"github.com/naiber/naiber/orchestration/chat"
)

// bigMouth is a memory that keeps no secret: it recalls everything that it ever
// heard, whoever asks. What the channel lets through is the channel's doing.
type bigMouth struct {
	mu       sync.Mutex // guards what follows
	episodes []heldEpisode
	graph    string
	degraded []string
	fails    error
	refuses  string // what an episode says that it cannot take
	asked    []chat.Query
	scopes   []chat.Scope
}

type heldEpisode struct {
	chat.Scope
	chat.Episode
}

var errDown = errors.New("memory is down")

func (m *bigMouth) Recall(ctx context.Context, scope chat.Scope, q chat.Query) (chat.Recollection, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked, m.scopes = append(m.asked, q), append(m.scopes, scope)
	if m.fails != nil {
		return chat.Recollection{}, m.fails
	}
	rec := chat.Recollection{Graph: m.graph, Degraded: m.degraded}
	for _, e := range m.episodes {
		rec.Recalled = append(rec.Recalled, chat.Recalled{
			Session: e.Session, Episode: e.ID, Person: e.Person, At: e.At, Text: "Person: " + e.Message + "\nnAIber: " + e.Response,
		})
	}
	return rec, ctx.Err()
}

func (m *bigMouth) Remember(_ context.Context, scope chat.Scope, e chat.Episode) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fails != nil || m.refuses != "" && e.Message == m.refuses {
		return errDown
	}
	m.episodes = slices.DeleteFunc(m.episodes, func(h heldEpisode) bool { return h.ID == e.ID })
	m.episodes = append(m.episodes, heldEpisode{scope, e})
	return nil
}

func (m *bigMouth) Forget(_ context.Context, session uuid.UUID, ids ...int64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fails != nil {
		return m.fails
	}
	m.episodes = slices.DeleteFunc(m.episodes, func(h heldEpisode) bool {
		return h.Session == session && (len(ids) == 0 || slices.Contains(ids, h.ID))
	})
	return nil
}

func (m *bigMouth) kept() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.episodes)
}

func (m *bigMouth) fail(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.fails = err
}

func (m *bigMouth) scope(id int64) chat.Scope {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, e := range m.episodes {
		if e.ID == id {
			return e.Scope
		}
	}
	return chat.Scope{}
}
