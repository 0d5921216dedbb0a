package hindsight

import (
	"net/http"

	"shelly/fsm/state"
	"shelly/runtime/comm"
	"shelly/sim/history/stategraph"
)

// GraphsBody has the machine's tables as laid-out graphs. Lengths are in pixels, from the top
// left corner.
type GraphsBody struct {
	Graphs []Graph `json:"graphs"`
}

// Graph is a table of states.
type Graph struct {
	Name   string `json:"name"`
	Width  int    `json:"width"`
	Height int    `json:"height"`
	Nodes  []Node `json:"nodes"`
	Edges  []Edge `json:"edges"`
}

// Node is a state. X and Y are its centre.
type Node struct {
	Name    string `json:"name"`
	X       int    `json:"x"`
	Y       int    `json:"y"`
	Width   int    `json:"width"`
	Height  int    `json:"height"`
	Initial bool   `json:"initial,omitempty"`
	Final   bool   `json:"final,omitempty"`
}

// Edge is all transitions from one state to another, or back to itself.
type Edge struct {
	From   string   `json:"from"`
	To     string   `json:"to"`
	Events []string `json:"events"`
	Points [][2]int `json:"points"`
	Loop   bool     `json:"loop,omitempty"`
}

// getGraphs answers with the tables (COM-76).
func getGraphs(w http.ResponseWriter, r *http.Request) error {
	if err := comm.Query(r); err != nil {
		return err
	}
	var body GraphsBody
	for _, t := range state.Tables() {
		laid := stategraph.Layout(t, func(state.Row) int { return 0 })
		g := Graph{Name: laid.Name, Width: laid.Width, Height: laid.Height}
		for _, n := range laid.Nodes {
			g.Nodes = append(g.Nodes, Node{Name: n.Name, X: n.X, Y: n.Y, Width: n.Width, Height: n.Height, Initial: n.Initial, Final: n.Final})
		}
		for _, e := range laid.Edges {
			edge := Edge{From: e.From, To: e.To, Events: e.Events, Loop: e.Loop}
			for _, p := range e.Points {
				edge.Points = append(edge.Points, [2]int{p.X, p.Y})
			}
			g.Edges = append(g.Edges, edge)
		}
		body.Graphs = append(body.Graphs, g)
	}
	return answer(w, body)
}
