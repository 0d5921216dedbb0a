// Package stategraph lays out the machine's tables as graphs (SIM-34): a state is a box,
// the rows between two states are one arrow, and both say how often they were taken.
//
//	g := stategraph.Layout(state.HandleTable, func(r state.Row) int { return visits[r] })
//	for _, n := range g.Nodes {
//		fmt.Println(n.Name, n.X, n.Y, n.Taken)
//	}
//
// The layout is the usual one for directed graphs (Sugiyama, Tagawa, Toda 1981): arrows
// that close a cycle are turned, states are put into layers by their longest way from
// the initial one, long arrows get a place in each layer that they pass, and the order in
// each layer is that of the neighbours' mean. The tables have fewer than thirty states, so
// two hundred lines do what a library would bring thousands for. Equal input gives an equal
// layout.
package stategraph
