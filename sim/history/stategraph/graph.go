package stategraph

import (
	"slices"

	"shelly/fsm"
	"shelly/fsm/state"
)

// Graph is a table laid out. Lengths are in pixels, from the top left corner. Its wire form leaves
// out how often something was taken.
type Graph struct {
	Name   string `json:"name"`
	Width  int    `json:"width"`
	Height int    `json:"height"`
	Nodes  []Node `json:"nodes"`
	Edges  []Edge `json:"edges"`
	Rows   []Row  `json:"-"` // of the table, in its order
}

// Node is a state. X and Y are its centre.
type Node struct {
	Name    string `json:"name"`
	X       int    `json:"x"`
	Y       int    `json:"y"`
	Width   int    `json:"width"`
	Height  int    `json:"height"`
	Taken   int    `json:"-"` // how often a row led to it; the initial one: or left it
	Initial bool   `json:"initial,omitempty"`
	Final   bool   `json:"final,omitempty"`
}

// Edge is the rows from one state to another, or back to it.
type Edge struct {
	From   string   `json:"from"`
	To     string   `json:"to"`
	Events []string `json:"events"`
	Taken  int      `json:"-"`
	Points []Point  `json:"points"` // from the border of From to that of To; of a loop only where it is
	Loop   bool     `json:"loop,omitempty"`
}

// Point is a place: x and y.
type Point [2]int

// Row is a transition and how often it was taken.
type Row struct {
	state.Row
	Taken int
}

const (
	nodeHeight = 38
	layerGap   = 46
	nodeGap    = 36 // has room for a loop
	viaGap     = 18
	bulge      = 14 // of an arrow that was never taken, for each layer that it passes
	margin     = 14
	charWidth  = 8
	viaWidth   = 8
	sweeps     = 12 // of the order
	pulls      = 80 // of the places
)

// Layout lays a table out, given how often each row was taken.
func Layout(t state.Table, taken func(state.Row) int) Graph {
	g := Graph{Name: t.Name}
	l := &layout{}
	for _, r := range t.Rows {
		n := taken(r)
		g.Rows = append(g.Rows, Row{r, n})
		from, to := l.node(r.From), l.node(r.To)
		l.count(to, n)
		if r.From == t.Initial {
			l.count(from, n)
		}
		l.edge(from, to, string(r.On), n)
	}
	l.layers(l.node(t.Initial))
	states := len(l.states)
	l.vias()
	l.order()
	g.Width, g.Height = l.place()
	for i := range states {
		n := &l.states[i]
		g.Nodes = append(g.Nodes, Node{
			Name: n.name, X: n.x, Y: n.y, Width: n.width, Height: nodeHeight, Taken: n.taken,
			Initial: fsm.State(n.name) == t.Initial, Final: slices.Contains(t.Final, fsm.State(n.name)),
		})
	}
	for _, e := range l.edges {
		r := l.routed(e)
		for _, p := range r.Points {
			g.Width = max(g.Width, p[0]+margin)
		}
		g.Edges = append(g.Edges, r)
	}
	return g
}

// Missing counts the rows that were never taken.
func (g *Graph) Missing() (n int) {
	for _, r := range g.Rows {
		if r.Taken == 0 {
			n++
		}
	}
	return n
}
