// Package people stores the people whom nAIber calls: their contacts, consents and pauses.
package people

import "github.com/naiber/naiber/store/internal/pg"

// Store stores them in PostgreSQL. It may be used concurrently.
type Store struct {
	db      *pg.DB
	forgets []Forget // set at startup, read-only afterwards
}

// New returns a store over an open database.
func New(db *pg.DB) *Store { return &Store{db: db} }
