package graph

import "context"

// End is the end of a graph: a target of edges and branches, but not a node.
const End = "end"

// start is reserved as the name of the start in a path or a drawing.
const start = "start"

// Step is a node that does its work and goes on to the next node.
type Step[S, In any] func(ctx context.Context, s *S, r *Run[In]) error

// Wait is a node that may pause: it returns [Pause] to wait for the next turn, which resumes it, or
// [Go] to go on.
//
// A wait runs again from its beginning when it is resumed; [Run.Answer] reports whether there is an
// answer for it.
type Wait[S, In any] func(ctx context.Context, s *S, r *Run[In]) (Signal, error)

// Signal is the decision of a wait.
type Signal struct {
	paused  bool
	address string
}

// Go is the signal to go on to the next node.
var Go = Signal{}

// Pause returns the signal to end the turn here until there is an answer. The address identifies
// what is waited for (a question's id): only [Run.Answer] with the same one gets the answer.
func Pause(address string) Signal { return Signal{paused: true, address: address} }

// Graph is a graph under construction. Its methods only record their arguments; [Graph.Compile]
// reports all errors. It must not be used concurrently.
type Graph[S, In any] struct {
	name    string
	schema  int
	nodes   []node[S, In]
	edges   []edge[S]
	entries []string
}

type node[S, In any] struct {
	name string
	step Step[S, In]
	wait Wait[S, In]
}

type edge[S any] struct {
	from string
	to   []string
	// next chooses one of to, for a branch.
	next   func(s *S) string
	branch bool
}

// New returns an empty graph. Schema is the version of the format in which S is saved, from 1 on:
// raise it if an older state would be misread. A state of another version is refused with
// [ErrSchema].
func New[S, In any](name string, schema int) *Graph[S, In] {
	return &Graph[S, In]{name: name, schema: schema}
}

// Step adds a node that does its work and goes on to the next node.
func (g *Graph[S, In]) Step(name string, do Step[S, In]) {
	g.nodes = append(g.nodes, node[S, In]{name: name, step: do})
}

// Wait adds a node that may pause.
func (g *Graph[S, In]) Wait(name string, do Wait[S, In]) {
	g.nodes = append(g.nodes, node[S, In]{name: name, wait: do})
}

// Entry sets the node that a new thread begins with.
func (g *Graph[S, In]) Entry(name string) { g.entries = append(g.entries, name) }

// Edge adds an edge from one node to another, or to [End].
func (g *Graph[S, In]) Edge(from, to string) {
	g.edges = append(g.edges, edge[S]{from: from, to: []string{to}})
}

// Branch adds a branch from a node to one of several, which next chooses. next may read the state
// but must not change it.
func (g *Graph[S, In]) Branch(from string, next func(s *S) string, to ...string) {
	g.edges = append(g.edges, edge[S]{from: from, to: to, next: next, branch: true})
}
