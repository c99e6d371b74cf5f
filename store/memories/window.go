package memories

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/internal/db"
	"github.com/naiber/naiber/store/internal/pg"
)

// Window is a few consecutive turns as they are searched. Its id is that of its last turn.
type Window struct {
	Conversation string
	Turns        []uuid.UUID // one to three
	Text         string
	Extra        string // facts learned from its turns
	At           time.Time
}

// SaveMemoryWindows upserts windows of one scope. It leaves unchanged ones alone, and
// returns how many it wrote.
func (s *Store) SaveMemoryWindows(ctx context.Context, tx pg.Tx, in Scope, config string, windows []Window) (int, error) {
	p := db.MemoryWindowsUpsertParams{PersonID: in.Person.UUID, SessionID: in.Session, ProjectID: in.Project, Config: config}
	at := func(w Window, i int) uuid.UUID {
		if i < len(w.Turns) {
			return w.Turns[i]
		}
		return uuid.Nil
	}
	for _, w := range windows {
		p.Ids = append(p.Ids, w.Turns[len(w.Turns)-1])
		p.Firsts = append(p.Firsts, w.Turns[0])
		p.Seconds = append(p.Seconds, at(w, 1))
		p.Thirds = append(p.Thirds, at(w, 2))
		p.Conversations = append(p.Conversations, w.Conversation)
		p.Bodies = append(p.Bodies, w.Text)
		p.Extras = append(p.Extras, w.Extra)
		p.Ats = append(p.Ats, w.At)
	}
	return pg.Count(s.db.Q.MemoryWindowsUpsert(ctx, tx, p))
}

// DeleteMemoryWindows deletes the windows with the given ids.
func (s *Store) DeleteMemoryWindows(ctx context.Context, tx pg.Tx, ids []uuid.UUID) error {
	return s.db.Q.MemoryWindowsDelete(ctx, tx, ids)
}

// MemoryFactTexts returns the texts of the facts learned from each turn.
func (s *Store) MemoryFactTexts(ctx context.Context, tx pg.Tx, turns []uuid.UUID) (map[uuid.UUID][]string, error) {
	rows, err := s.db.Q.MemoryFactTexts(ctx, tx, turns)
	texts := make(map[uuid.UUID][]string, len(rows))
	for _, r := range rows {
		texts[r.TurnID] = append(texts[r.TurnID], r.Text)
	}
	return texts, err
}
