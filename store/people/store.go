// Package people keeps who is phoned: their contacts, consents and pauses.
package people

import "github.com/naiber/naiber/store/internal/pg"

// Store keeps them in PostgreSQL. It may be used concurrently.
type Store struct {
	db      *pg.DB
	forgets []Forget // set at the start, read only from then on
}

// New returns a store over an open database.
func New(db *pg.DB) *Store { return &Store{db: db} }
