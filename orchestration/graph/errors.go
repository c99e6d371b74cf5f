package graph

import (
	"errors"
	"strings"
)

var (
	// ErrSteps says that a turn visited more nodes than it may: it goes in circles.
	ErrSteps = errors.New("too many steps")
	// ErrSchema says that this binary cannot read a saved state: it was saved by
	// another version or another graph.
	ErrSchema = errors.New("saved state cannot be read by this version")
	// ErrConflict says that other turns kept advancing the thread. Nothing was
	// saved and nothing said; the turn may be tried again.
	ErrConflict = errors.New("other turns advanced the thread")
	// ErrNoThread says that a graph that waits was run without a thread.
	ErrNoThread = errors.New("the graph waits, so it needs a thread")
	// ErrNoWayBack says that the checkpoint to go back to is not kept any more.
	ErrNoWayBack = errors.New("the checkpoint to go back to is gone")
)

// Error is what went wrong in a node, with the nodes that led there.
type Error struct {
	Graph string
	Path  []string // the last one failed
	Err   error
}

// Error names the graph and the path.
func (e *Error) Error() string {
	return "graph " + e.Graph + ": " + strings.Join(e.Path, " > ") + ": " + e.Err.Error()
}

// Unwrap returns what the node said.
func (e *Error) Unwrap() error { return e.Err }
