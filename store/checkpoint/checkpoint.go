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
	// ErrConflict says that somebody else has advanced or deleted the thread since
	// it was loaded. Load it again.
	ErrConflict = errors.New("the thread has moved on")
	// ErrCorrupt says that what is stored cannot be read as a thread.
	ErrCorrupt = errors.New("stored checkpoint cannot be read")
	// ErrInvalid says that a thread or a checkpoint cannot be stored as it is.
	ErrInvalid = errors.New("invalid checkpoint")
)

// ID names a checkpoint. The zero ID names none: the time before the first one.
type ID struct{ uuid.UUID }

// NewID returns a fresh id; later ids sort after earlier ones.
func NewID() ID { return ID{uuid.Must(uuid.NewV7())} }

// Known reports whether the id names a checkpoint.
func (id ID) Known() bool { return id.UUID != uuid.Nil }

// Turn says which turn of which conversation led to a checkpoint.
type Turn struct {
	// Conversation and Place are where in the dialogue the turn stands. A thread
	// may span several conversations: the line dropped and was picked up again.
	Conversation string
	Place        int
	// Key tells turns at one place apart; it is the same exactly when the same
	// was said. It must hold no words of the person: a hash of them does.
	Key string
	// At is when the turn was asked for: of two at one place the later one counts.
	At time.Time
}

// Checkpoint is a thread's state after one turn. Times have microseconds.
type Checkpoint struct {
	ID ID
	// Parent is the checkpoint that the turn started from, zero for the first.
	// It may name one that was pruned.
	Parent ID
	// Rev orders the checkpoints of a thread, and copies of it in different stores.
	// Put sets it.
	Rev int64
	// Step counts the turns that led here: the parent's and one.
	Step int
	At   time.Time
	// Graph, Schema and Node say which graph saved the state, in which version
	// of its form, and where it goes on.
	Graph  string
	Schema int
	Node   string
	Turn   Turn
	// Done says that the graph has come to its end.
	Done bool
	// Outcome is what the turn was answered, for whom it is asked again.
	Outcome []byte
	State   []byte
}

// nextRev returns the revision of a checkpoint written now after one with the
// revision prev: microseconds since 1970, or one more than prev where the clock
// has not got there yet. So even histories that were written apart compare.
func nextRev(prev int64, now time.Time) int64 { return max(prev+1, now.UnixMicro()) }

// check says what makes cp impossible to store.
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
	// maxRev is the largest whole number that Redis' scripts can tell from its
	// neighbours (a double). In microseconds that is the year 2255.
	maxRev = 1<<53 - 1
	// maxBytes bounds a state. What comes near it is a mistake.
	maxBytes = 64 << 20
	// maxThread bounds what is made of a stored thread: no damage takes all memory.
	maxThread = 1 << 30
	// maxText bounds names and keys: PostgreSQL must index them.
	maxText = 1 << 10
)

// text reports whether all stores can keep s: PostgreSQL refuses NUL and what is not UTF-8.
func text(s string) bool {
	return len(s) <= maxText && utf8.ValidString(s) && !strings.ContainsRune(s, 0)
}

func checkThread(thread string) error {
	if thread == "" || !text(thread) {
		return fmt.Errorf("%w: thread %q", ErrInvalid, thread)
	}
	return nil
}
