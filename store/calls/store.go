// Package calls stores calls, their transcripts, turns and timelines.
package calls

import (
	"github.com/naiber/naiber/store/internal/pg"
	"github.com/naiber/naiber/store/people"
)

// Store stores them in PostgreSQL. It may be used concurrently.
type Store struct {
	db     *pg.DB
	people *people.Store
}

// New returns a store over an open database.
func New(db *pg.DB, p *people.Store) *Store { return &Store{db: db, people: p} }
