package graph

import "context"

// End is where a graph ends: a target of edges and branches, no node.
const End = "end"

// start is reserved, so that a path or a drawing can say it.
const start = "start"

// Step is a node that does its work and goes on.
type Step[S, In any] func(ctx context.Context, s *S, r *Run[In]) error

// Wait is a node that may pause: it returns [Pause] to wait for the next turn,
// which resumes it, or [Go] to go on.
//
// A wait runs again from its top when it is resumed; [Run.Answer] tells it
// whether there is an answer for it.
type Wait[S, In any] func(ctx context.Context, s *S, r *Run[In]) (Signal, error)

// Signal is what a wait decides.
type Signal struct {
	paused  bool
	address string
}

// Go goes on to the next node.
var Go = Signal{}

// Pause ends the turn here until there is an answer. The address says what is
// waited for (a question's id): the answer is only for who asks by the same one.
func Pause(address string) Signal { return Signal{paused: true, address: address} }

// Graph is a graph under construction. Its methods only take notes: all that is
// wrong is said by [Graph.Compile]. It must not be used concurrently.
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
	// next chooses among to, for a branch.
	next   func(s *S) string
	branch bool
}

// New starts a graph. Schema is the version of the form in which S is saved, from
// 1 on: raise it when an older state would be misread. A state of another version is
// refused with [ErrSchema].
func New[S, In any](name string, schema int) *Graph[S, In] {
	return &Graph[S, In]{name: name, schema: schema}
}

// Step adds a node that does its work and goes on.
func (g *Graph[S, In]) Step(name string, do Step[S, In]) {
	g.nodes = append(g.nodes, node[S, In]{name: name, step: do})
}

// Wait adds a node that may pause.
func (g *Graph[S, In]) Wait(name string, do Wait[S, In]) {
	g.nodes = append(g.nodes, node[S, In]{name: name, wait: do})
}

// Entry names the node that a new thread begins with.
func (g *Graph[S, In]) Entry(name string) { g.entries = append(g.entries, name) }

// Edge leads from one node to another, or to [End].
func (g *Graph[S, In]) Edge(from, to string) {
	g.edges = append(g.edges, edge[S]{from: from, to: []string{to}})
}

// Branch leads from a node to the one of several that next names. It looks at the
// state and changes nothing.
func (g *Graph[S, In]) Branch(from string, next func(s *S) string, to ...string) {
	g.edges = append(g.edges, edge[S]{from: from, to: to, next: next, branch: true})
}
