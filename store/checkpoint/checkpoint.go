package checkpoint

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
)

var (
	// ErrConflict says that the thread has been advanced or deleted since it was loaded.
	// Load it again.
	ErrConflict = errors.New("the thread has moved on")
	// ErrCorrupt says that the stored data cannot be decoded.
	ErrCorrupt = errors.New("stored checkpoint cannot be read")
	// ErrInvalid says that a thread name or a checkpoint cannot be stored.
	ErrInvalid = errors.New("invalid checkpoint")
)

// ID identifies a checkpoint. The zero ID means none: the time before the first one.
type ID struct{ uuid.UUID }

// NewID returns a new id; later ids sort after earlier ones.
func NewID() ID { return ID{uuid.Must(uuid.NewV7())} }

// Known reports whether the id is not zero.
func (id ID) Known() bool { return id.UUID != uuid.Nil }

// Turn is the turn of a conversation that led to a checkpoint.
type Turn struct {
	// Conversation and Place are the position of the turn in the dialogue. A thread may
	// span several conversations, if the line dropped and was reconnected.
	Conversation string
	Place        int
	// Key distinguishes turns at one place; it is equal exactly when the same was said. It
	// must not contain the person's words; use a hash of them.
	Key string
	// At is when the turn was requested: of two at one place the later one counts.
	At time.Time
}

// Checkpoint is a thread's state after one turn. Times have microsecond precision.
type Checkpoint struct {
	ID ID
	// Parent is the checkpoint that the turn started from, or zero for the first. It may
	// have been pruned.
	Parent ID
	// Rev orders the checkpoints of a thread, and copies of the thread in different stores.
	// Put sets it.
	Rev int64
	// Step counts the turns up to here: the parent's step plus one.
	Step int
	At   time.Time
	// Graph, Schema and Node say which graph saved the state, with which schema version,
	// and at which node it continues.
	Graph  string
	Schema int
	Node   string
	Turn   Turn
	// Done says that the graph has finished.
	Done bool
	// Outcome is the answer to the turn, for repeated requests.
	Outcome []byte
	State   []byte
}

// nextRev returns the revision of a checkpoint written now after one with the revision
// prev: microseconds since 1970, or prev+1 if the clock is behind that. This makes even
// independently written histories comparable.
func nextRev(prev int64, now time.Time) int64 { return max(prev+1, now.UnixMicro()) }

// check returns an error wrapping [ErrInvalid] if cp cannot be stored.
func (cp *Checkpoint) check() error {
	switch {
	case !cp.ID.Known():
		return fmt.Errorf("%w: it has no id", ErrInvalid)
	case cp.Rev <= 0 || cp.Rev > maxRev:
		return fmt.Errorf("%w: revision %d", ErrInvalid, cp.Rev)
	case cp.Step < 0 || cp.Turn.Place < 0 || cp.Schema < 0:
		return fmt.Errorf("%w: a negative number", ErrInvalid)
	case len(cp.State) > maxBytes || len(cp.Outcome) > maxBytes:
		return fmt.Errorf("%w: more than %d bytes", ErrInvalid, maxBytes)
	}
	for _, s := range []string{cp.Graph, cp.Node, cp.Turn.Conversation, cp.Turn.Key} {
		if !text(s) {
			return fmt.Errorf("%w: text %q", ErrInvalid, s)
		}
	}
	return nil
}

const (
	// maxRev is the largest integer that Redis scripts represent exactly (as a double). In
	// microseconds that is the year 2255.
	maxRev = 1<<53 - 1
	// maxBytes limits the size of a state. A state near it is a bug.
	maxBytes = 64 << 20
	// maxThread limits the decoded size of a stored thread, which protects memory from
	// corrupt data.
	maxThread = 1 << 30
	// maxText limits names and keys: PostgreSQL must index them.
	maxText = 1 << 10
)

// text reports whether all stores can store s: PostgreSQL refuses NUL and invalid UTF-8.
func text(s string) bool {
	return len(s) <= maxText && utf8.ValidString(s) && !strings.ContainsRune(s, 0)
}

func checkThread(thread string) error {
	if thread == "" || !text(thread) {
		return fmt.Errorf("%w: thread %q", ErrInvalid, thread)
	}
	return nil
}
