package memories

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/internal/db"
	"github.com/naiber/naiber/store/internal/pg"
)

// Window is a few turns that follow each other, as they are searched. It
// has the id of its last turn.
type Window struct {
	Conversation string
	Turns        []uuid.UUID // one to three
	Text         string
	Extra        string // facts that were learned from its turns
	At           time.Time
}

// SaveMemoryWindows writes windows of one scope. Those that are as they were stay
// untouched; it returns how many were not.
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

// DeleteMemoryWindows deletes windows.
func (s *Store) DeleteMemoryWindows(ctx context.Context, tx pg.Tx, ids []uuid.UUID) error {
	return s.db.Q.MemoryWindowsDelete(ctx, tx, ids)
}

// MemoryFactTexts returns by turn what was learned from it.
func (s *Store) MemoryFactTexts(ctx context.Context, tx pg.Tx, turns []uuid.UUID) (map[uuid.UUID][]string, error) {
	rows, err := s.db.Q.MemoryFactTexts(ctx, tx, turns)
	texts := make(map[uuid.UUID][]string, len(rows))
	for _, r := range rows {
		texts[r.TurnID] = append(texts[r.TurnID], r.Text)
	}
	return texts, err
}
