package chat

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store"
)

// Memory is what outlasts a session: its own turns, those of its project, and, if it belongs to a
// person, everything remembered of them, telephone calls included. It may be used concurrently.
type Memory interface {
	// Recall returns what is worth knowing before a reply to q.Text, from within scope only.
	// [Recollection.Degraded] names the parts of memory that did not answer; after an error there
	// is no recollection.
	Recall(ctx context.Context, scope Scope, q Query) (Recollection, error)
	// Remember stores an episode. Repeating it replaces what was stored of the episode, including
	// its scope.
	Remember(ctx context.Context, scope Scope, e Episode) error
	// Forget removes episodes of a session and everything derived from them; without ids, all of
	// the session's. Unknown episodes are no error.
	Forget(ctx context.Context, session uuid.UUID, episodes ...int64) error
}

// Scope says whose memory is meant. For recall it is a union: what belongs to the person, to the
// session, or to any session of the project. Session is always set; the others if the session has
// them.
type Scope struct {
	Session uuid.UUID
	Project uuid.UUID
	Person  store.PersonID
}

// Query says what to recall.
type Query struct {
	// Text is what the person has just written.
	Text string
	// Now is the time of the message, in the time zone of its writer.
	Now time.Time
	// Limit is the most pieces to return, and Budget the most tokens that they may take: long ones
	// are cut, not left out.
	Limit, Budget int
	// MinScore is the least cosine similarity of results found only by vector search.
	MinScore float64
	// KeywordWeight and SemanticWeight are the weights of the two lists; 0 switches a list off.
	KeywordWeight, SemanticWeight float64
	// Exclude lists episodes of the session that are already in the prompt.
	Exclude []int64
}

// Recollection is the result of [Memory.Recall].
type Recollection struct {
	// Graph is what is known of people and things and how they are connected, one fact a line;
	// empty if there is none.
	Graph string
	// Recalled holds what was said before, best first.
	Recalled []Recalled
	// Degraded names the parts of memory that did not answer.
	Degraded []string
}

// Recalled is a piece of an earlier conversation.
type Recalled struct {
	// Session is where it was written; zero for a telephone call.
	Session uuid.UUID
	// Episode is its number in that session; 0 if it is no episode.
	Episode int64
	// Person is the owner; the zero id if it belongs to nobody in particular.
	Person store.PersonID
	At     time.Time
	// Text holds one or more lines with their speakers.
	Text string
}

// Episode is one message and its reply, to be stored.
type Episode struct {
	ID       int64
	Message  string
	Response string
	At       time.Time
}
