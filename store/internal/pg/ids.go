package pg

import (
	"github.com/google/uuid"

	"github.com/naiber/naiber/store/internal/ids"
)

// The ids of people, calls and turns; see [ids].
type (
	PersonID = ids.PersonID
	CallID   = ids.CallID
	TurnID   = ids.TurnID
)

// NewID returns a version 7 UUID, which is ordered by time and therefore indexes well.
func NewID() uuid.UUID { return ids.New() }
