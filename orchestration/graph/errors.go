package graph

import (
	"errors"
	"strings"
)

var (
	// ErrSteps means that a turn visited more than maxSteps nodes, probably in a circle.
	ErrSteps = errors.New("too many steps")
	// ErrSchema means that this binary cannot read a saved state: it was saved by another version
	// or another graph.
	ErrSchema = errors.New("saved state cannot be read by this version")
	// ErrConflict means that other turns kept advancing the thread. Nothing was saved or said; the
	// turn may be retried.
	ErrConflict = errors.New("other turns advanced the thread")
	// ErrNoThread means that a graph that waits was run without a thread.
	ErrNoThread = errors.New("the graph waits, so it needs a thread")
	// ErrNoWayBack means that the checkpoint to go back to is no longer stored.
	ErrNoWayBack = errors.New("the checkpoint to go back to is gone")
)

// Error is a failure in a node, with the nodes that led there.
type Error struct {
	Graph string
	Path  []string // the last one failed
	Err   error
}

// Error returns the name of the graph, the path and the node's error.
func (e *Error) Error() string {
	return "graph " + e.Graph + ": " + strings.Join(e.Path, " > ") + ": " + e.Err.Error()
}

// Unwrap returns the node's error.
func (e *Error) Unwrap() error { return e.Err }
