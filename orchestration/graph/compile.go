package graph

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
)

// maxSteps bounds the nodes that one turn visits. A turn of the largest graph here visits about
// ten.
const maxSteps = 64

// Machine is a compiled graph. It cannot be changed, and may be used concurrently.
type Machine[S, In any] struct {
	name   string
	schema int
	entry  string
	nodes  map[string]node[S, In]
	edges  map[string]edge[S]
	waits  bool
}

// nodeName matches the valid names of nodes, which appear in logs, paths and keys.
var nodeName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)

// Compile checks the graph and freezes it, or returns an error that names everything wrong with it.
func (g *Graph[S, In]) Compile() (*Machine[S, In], error) {
	c := compiler[S, In]{Graph: g, m: &Machine[S, In]{
		name: g.name, schema: g.schema, nodes: map[string]node[S, In]{}, edges: map[string]edge[S]{},
	}}
	c.check(g.name != "", "it has no name")
	c.checkNodes()
	c.checkEdges()
	c.checkEntry()
	c.check(c.schema >= 1, "its schema version is %d, and they start at 1", c.schema)
	if len(c.wrong) == 0 { // otherwise this would only repeat the errors
		c.checkReach()
	}
	if err := errors.Join(c.wrong...); err != nil {
		return nil, err
	}
	return c.m, nil
}

type compiler[S, In any] struct {
	*Graph[S, In]

	m     *Machine[S, In]
	wrong []error
}

func (c *compiler[S, In]) check(ok bool, format string, args ...any) {
	if !ok {
		c.wrong = append(c.wrong, fmt.Errorf("graph %s: %s", c.name, fmt.Sprintf(format, args...)))
	}
}

func (c *compiler[S, In]) checkNodes() {
	c.check(len(c.nodes) > 0, "it has no nodes")
	for _, n := range c.nodes {
		_, twice := c.m.nodes[n.name]
		c.check(!twice, "two nodes are called %q", n.name)
		c.check(n.name != End && n.name != start, "the name %q is reserved", n.name)
		c.check(nodeName.MatchString(n.name), "%q cannot be a node's name: it is not lower case letters, digits and _", n.name)
		c.check(n.step != nil || n.wait != nil, "node %q has nothing to do", n.name)
		c.m.nodes[n.name] = n
		c.m.waits = c.m.waits || n.wait != nil
	}
}

func (c *compiler[S, In]) checkEdges() {
	for _, e := range c.edges {
		_, known := c.m.nodes[e.from]
		c.check(known, "an edge leads from %q, which is no node", e.from)
		_, twice := c.m.edges[e.from]
		c.check(!twice, "node %q has two ways out: use one branch", e.from)
		c.check(!e.branch || e.next != nil, "the branch from %q has nothing to choose by", e.from)
		c.check(len(e.to) > 0, "the branch from %q leads nowhere", e.from)
		for i, to := range e.to {
			_, known := c.m.nodes[to]
			c.check(known || to == End, "an edge leads from %q to %q, which is no node", e.from, to)
			c.check(!slices.Contains(e.to[:i], to), "the branch from %q names %q twice", e.from, to)
		}
		c.m.edges[e.from] = e
	}
	for _, n := range c.nodes {
		_, leads := c.m.edges[n.name]
		c.check(leads, "node %q has no way out", n.name)
	}
}

func (c *compiler[S, In]) checkEntry() {
	c.check(len(c.entries) == 1, "it has %d entries, and must have one", len(c.entries))
	for _, name := range c.entries {
		_, known := c.m.nodes[name]
		c.check(known, "its entry %q is no node", name)
		c.m.entry = name
	}
}

// checkReach finds nodes that cannot be reached, nodes from which the end cannot be reached, and
// endless circles.
func (c *compiler[S, In]) checkReach() {
	back := map[string][]string{}
	for from, e := range c.m.edges {
		for _, to := range e.to {
			back[to] = append(back[to], from)
		}
	}
	reached := spread(c.m.entry, func(name string) []string { return c.m.edges[name].to })
	ends := spread(End, func(name string) []string { return back[name] })
	for _, n := range c.nodes {
		c.check(reached[n.name], "nothing leads to node %q", n.name)
		c.check(ends[n.name], "there is no way from node %q to the end", n.name)
	}
	for _, n := range c.nodes {
		if n.wait == nil && reached[n.name] {
			c.check(!c.circles(n.name), "node %q leads straight back to itself, without a choice or a wait", n.name)
		}
	}
}

// circles reports whether a node leads back to itself by plain edges between steps alone, a circle
// without an end.
func (c *compiler[S, In]) circles(name string) bool {
	for at, n := name, 0; n <= len(c.m.nodes); n++ {
		e := c.m.edges[at]
		if e.branch || e.to[0] == End || c.m.nodes[e.to[0]].wait != nil {
			return false
		}
		if at = e.to[0]; at == name {
			return true
		}
	}
	return false
}

// spread returns all names that can be reached from a name, itself included.
func spread(from string, next func(string) []string) map[string]bool {
	seen, open := map[string]bool{from: true}, []string{from}
	for len(open) > 0 {
		at := open[0]
		open = open[1:]
		for _, to := range next(at) {
			if !seen[to] {
				seen[to] = true
				open = append(open, to)
			}
		}
	}
	return seen
}
