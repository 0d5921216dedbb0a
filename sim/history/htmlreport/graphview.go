package htmlreport

import (
	"fmt"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"shelly/sim/history/stategraph"
)

// graphView is a state graph as the page has it.
type graphView struct {
	stategraph.Graph
	Paths  []pathView
	Unseen []string // states that no run was in
	Missed int      // rows that were never taken
}

type pathView struct {
	D     string // of an SVG path
	Class string
	Label string
	Count string // how often, where it was
	X, Y  int    // of Count
	Arrow string // the points of its head
}

func newGraphView(g stategraph.Graph) graphView {
	v := graphView{Graph: g, Missed: g.Missing()}
	for _, n := range g.Nodes {
		if n.Taken == 0 {
			v.Unseen = append(v.Unseen, n.Name)
		}
	}
	for _, taken := range []bool{false, true} { // what was taken is drawn above the rest
		for _, e := range g.Edges {
			if (e.Taken > 0) == taken {
				v.Paths = append(v.Paths, newPathView(e))
			}
		}
	}
	return v
}

func newPathView(e stategraph.Edge) pathView {
	p := pathView{Class: "never", Label: fmt.Sprintf("%s → %s on %s: never taken", e.From, e.To, strings.Join(e.Events, ", "))}
	if e.Taken > 0 {
		p.Class, p.Count = "taken", fmt.Sprintf("%d×", e.Taken)
		p.Label = fmt.Sprintf("%s → %s on %s: taken %d×", e.From, e.To, strings.Join(e.Events, ", "), e.Taken)
	}
	first := e.Points[0]
	if e.Loop {
		p.D = fmt.Sprintf("M%d,%d c22,-16 22,16 0,8", first[0], first[1]-4)
		p.X, p.Y = first[0]+18, first[1]+4
		p.Arrow = fmt.Sprintf("%d,%d %d,%d %d,%d", first[0], first[1]+4, first[0]+7, first[1], first[0]+7, first[1]+8)
		return p
	}
	var d strings.Builder
	fmt.Fprintf(&d, "M%d,%d", first[0], first[1])
	for i := 1; i < len(e.Points); i++ {
		a, b := e.Points[i-1], e.Points[i]
		mid := (a[1] + b[1]) / 2
		fmt.Fprintf(&d, " C%d,%d %d,%d %d,%d", a[0], mid, b[0], mid, b[0], b[1])
	}
	p.D = d.String()
	last, down := e.Points[len(e.Points)-1], 1
	if before := e.Points[len(e.Points)-2]; before[1] > last[1] {
		down = -1
	}
	p.Arrow = fmt.Sprintf("%d,%d %d,%d %d,%d", last[0], last[1], last[0]-4, last[1]-8*down, last[0]+4, last[1]-8*down)
	mid := len(e.Points) / 2
	a, b := e.Points[mid-1], e.Points[mid]
	p.X, p.Y = (a[0]+b[0])/2+4, (a[1]+b[1])/2+4
	return p
}

// row is a line of two texts side by side.
type row struct {
	Left, Right string
	Same        bool
	NoLeft      bool
	NoRight     bool
}

// sideOf puts two texts side by side, line by line: what they have in common, and what one has
// instead of the other.
func sideOf(p Pair) []row {
	left, right := strings.TrimRight(p.Left.Text, "\n")+"\n", strings.TrimRight(p.Right.Text, "\n")+"\n"
	var rows []row
	at := 0
	for _, e := range udiff.Lines(left, right) {
		rows = append(rows, common(left[at:e.Start])...)
		rows = append(rows, beside(left[e.Start:e.End], e.New)...)
		at = e.End
	}
	return append(rows, common(left[at:])...)
}

// common are the rows of a text that both sides have.
func common(text string) (rows []row) {
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		rows = append(rows, row{Left: line, Right: line, Same: true})
	}
	return rows
}

// beside are the rows of two texts that differ.
func beside(left, right string) []row {
	var rows []row
	for line := range strings.Lines(left) {
		rows = append(rows, row{Left: strings.TrimSuffix(line, "\n"), NoRight: true})
	}
	n := 0
	for line := range strings.Lines(right) {
		if n == len(rows) {
			rows = append(rows, row{NoLeft: true})
		}
		rows[n].Right, rows[n].NoRight = strings.TrimSuffix(line, "\n"), false
		n++
	}
	return rows
}
