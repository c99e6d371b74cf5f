package chat

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store"
)

// Memory is what outlasts a session: its own turns, those of its project, and,
// where it belongs to a person, all that is remembered of them, telephone calls
// included. It may be used concurrently.
type Memory interface {
	// Recall returns what is worth knowing before a reply to q.Text, from within
	// scope and nowhere else. A part of memory that does not answer is named in
	// [Recollection.Degraded]; an error means that there is nothing.
	Recall(ctx context.Context, scope Scope, q Query) (Recollection, error)
	// Remember keeps an episode. Doing it again replaces what was kept of it, its
	// scope included.
	Remember(ctx context.Context, scope Scope, e Episode) error
	// Forget removes episodes of a session and all that was derived from them;
	// without ids, all of the session's. Those it never held are no error.
	Forget(ctx context.Context, session uuid.UUID, episodes ...int64) error
}

// Scope says whose memory is meant. To recall it is a union: what belongs to the
// person, to the session, or to any session of the project. Session is always
// set; the others where the session has them.
type Scope struct {
	Session uuid.UUID
	Project uuid.UUID
	Person  store.PersonID
}

// Query is what to recall by.
type Query struct {
	// Text is what the person has just written.
	Text string
	// Now is when, in the time zone of whoever has written it.
	Now time.Time
	// Limit is how many pieces are wanted at most, Budget how many tokens they may
	// fill: long ones are cut, not left out.
	Limit, Budget int
	// MinScore is the least cosine similarity of what only the vectors found.
	MinScore float64
	// KeywordWeight and SemanticWeight say what the two lists count for; 0
	// switches a list off.
	KeywordWeight, SemanticWeight float64
	// Exclude are episodes of the session that the prompt has already.
	Exclude []int64
}

// Recollection is what came to mind.
type Recollection struct {
	// Graph is what is known of people and things and how they are connected, one
	// a line; empty for nothing.
	Graph string
	// Recalled is what was said before, best first.
	Recalled []Recalled
	// Degraded names parts that did not answer.
	Degraded []string
}

// Recalled is something that was said before.
type Recalled struct {
	// Session is where it was written; zero for what was said on the telephone.
	Session uuid.UUID
	// Episode is its number in that session; 0 when it is no episode.
	Episode int64
	// Person is the owner; unknown for nobody's in particular.
	Person store.PersonID
	At     time.Time
	// Text is one or more lines with their speakers.
	Text string
}

// Episode is one message and its reply, to be remembered.
type Episode struct {
	ID       int64
	Message  string
	Response string
	At       time.Time
}
