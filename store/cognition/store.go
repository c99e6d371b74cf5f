package cognition

import "github.com/naiber/naiber/store/internal/pg"

// Store stores cognitive checks in PostgreSQL. It may be used concurrently.
type Store struct {
	db *pg.DB
}

// New returns a store over an open database.
func New(db *pg.DB) *Store { return &Store{db: db} }
