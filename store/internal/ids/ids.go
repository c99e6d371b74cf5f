// Package ids has what rows and domain types share: the names of people, calls and
// turns, and the rules of limits.
package ids

import (
	"fmt"

	"github.com/google/uuid"
)

// PersonID names a person: somebody who is phoned.
type PersonID struct{ uuid.UUID }

// CallID names a call, ours, from the decision to dial until its end.
type CallID struct{ uuid.UUID }

// TurnID names one request for a turn of a call.
type TurnID struct{ uuid.UUID }

// LimitRule says what a limit forbids.
type LimitRule string

// NewPersonID returns a fresh id; later ids sort after earlier ones.
func NewPersonID() PersonID { return PersonID{New()} }

// NewCallID returns a fresh id; later ids sort after earlier ones.
func NewCallID() CallID { return CallID{New()} }

// NewTurnID returns a fresh id; later ids sort after earlier ones.
func NewTurnID() TurnID { return TurnID{New()} }

// ParsePersonID reads an id as it stands in URLs and JSON.
func ParsePersonID(s string) (PersonID, error) {
	id, err := uuid.Parse(s)
	if err != nil {
		return PersonID{}, fmt.Errorf("person id %q: %w", s, err)
	}
	return PersonID{id}, nil
}

// ParseCallID reads an id as it stands in URLs, JSON and call tokens.
func ParseCallID(s string) (CallID, error) {
	id, err := uuid.Parse(s)
	if err != nil {
		return CallID{}, fmt.Errorf("call id %q: %w", s, err)
	}
	return CallID{id}, nil
}

// Known reports whether the id names anybody; an inbound call from an unknown
// number has no person.
func (id PersonID) Known() bool { return id.UUID != uuid.Nil }

// New returns a version 7 UUID: ordered by time, so that it indexes well.
func New() uuid.UUID { return uuid.Must(uuid.NewV7()) }
