// Package ids holds what rows and domain types share: the ids of people, calls and turns,
// and the rules of limits.
package ids

import (
	"fmt"

	"github.com/google/uuid"
)

// PersonID identifies a person whom nAIber calls.
type PersonID struct{ uuid.UUID }

// CallID is our id of a call, from the decision to dial until its end.
type CallID struct{ uuid.UUID }

// TurnID identifies one request for a turn of a call.
type TurnID struct{ uuid.UUID }

// LimitRule is what a limit forbids.
type LimitRule string

// NewPersonID returns a new id; later ids sort after earlier ones.
func NewPersonID() PersonID { return PersonID{New()} }

// NewCallID returns a new id; later ids sort after earlier ones.
func NewCallID() CallID { return CallID{New()} }

// NewTurnID returns a new id; later ids sort after earlier ones.
func NewTurnID() TurnID { return TurnID{New()} }

// ParsePersonID parses an id in the form used in URLs and JSON.
func ParsePersonID(s string) (PersonID, error) {
	id, err := uuid.Parse(s)
	if err != nil {
		return PersonID{}, fmt.Errorf("person id %q: %w", s, err)
	}
	return PersonID{id}, nil
}

// ParseCallID parses an id in the form used in URLs, JSON and call tokens.
func ParseCallID(s string) (CallID, error) {
	id, err := uuid.Parse(s)
	if err != nil {
		return CallID{}, fmt.Errorf("call id %q: %w", s, err)
	}
	return CallID{id}, nil
}

// Known reports whether the id is not zero; an inbound call from an unknown number has no
// person.
func (id PersonID) Known() bool { return id.UUID != uuid.Nil }

// New returns a version 7 UUID, which is ordered by time and therefore indexes well.
func New() uuid.UUID { return uuid.Must(uuid.NewV7()) }
