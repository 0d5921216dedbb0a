package htmlreport

import (
	"fmt"
	"strings"

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
		p.D = fmt.Sprintf("M%d,%d c22,-16 22,16 0,8", first.X, first.Y-4)
		p.X, p.Y = first.X+18, first.Y+4
		p.Arrow = fmt.Sprintf("%d,%d %d,%d %d,%d", first.X, first.Y+4, first.X+7, first.Y, first.X+7, first.Y+8)
		return p
	}
	var d strings.Builder
	fmt.Fprintf(&d, "M%d,%d", first.X, first.Y)
	for i := 1; i < len(e.Points); i++ {
		a, b := e.Points[i-1], e.Points[i]
		mid := (a.Y + b.Y) / 2
		fmt.Fprintf(&d, " C%d,%d %d,%d %d,%d", a.X, mid, b.X, mid, b.X, b.Y)
	}
	p.D = d.String()
	last, down := e.Points[len(e.Points)-1], 1
	if before := e.Points[len(e.Points)-2]; before.Y > last.Y {
		down = -1
	}
	p.Arrow = fmt.Sprintf("%d,%d %d,%d %d,%d", last.X, last.Y, last.X-4, last.Y-8*down, last.X+4, last.Y-8*down)
	mid := len(e.Points) / 2
	a, b := e.Points[mid-1], e.Points[mid]
	p.X, p.Y = (a.X+b.X)/2+4, (a.Y+b.Y)/2+4
	return p
}

// sideOf marks the lines of two texts that differ, line by line.
func sideOf(p Pair) []row {
	left, right := strings.Split(strings.TrimRight(p.Left.Text, "\n"), "\n"), strings.Split(strings.TrimRight(p.Right.Text, "\n"), "\n")
	return aligned(left, right)
}

// row is a line of two texts side by side.
type row struct {
	Left, Right string
	Same        bool
	NoLeft      bool
	NoRight     bool
}

// alignedMax bounds the lines that are aligned; longer texts stand side by side as they are.
const alignedMax = 600

// aligned puts the lines that two texts have in common beside each other (the longest
// common subsequence).
func aligned(a, b []string) []row {
	if len(a) > alignedMax || len(b) > alignedMax {
		a, b = a[:min(len(a), alignedMax)], b[:min(len(b), alignedMax)]
	}
	length := make([][]int, len(a)+1)
	for i := range length {
		length[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				length[i][j] = length[i+1][j+1] + 1
			} else {
				length[i][j] = max(length[i+1][j], length[i][j+1])
			}
		}
	}
	var rows []row
	for i, j := 0, 0; i < len(a) || j < len(b); {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			rows = append(rows, row{Left: a[i], Right: b[j], Same: true})
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && length[i+1][j] >= length[i][j+1]:
			rows = append(rows, row{Left: a[i], NoRight: true})
			i++
		default:
			rows = append(rows, row{Right: b[j], NoLeft: true})
			j++
		}
	}
	return paired(rows)
}

// paired puts what is only left beside what is only right where one follows the other.
func paired(rows []row) []row {
	var out []row
	for i := 0; i < len(rows); {
		from := i
		for i < len(rows) && rows[i].NoRight {
			i++
		}
		mid := i
		for i < len(rows) && rows[i].NoLeft {
			i++
		}
		left, right := rows[from:mid], rows[mid:i]
		for k := range max(len(left), len(right)) {
			r := row{NoLeft: k >= len(left), NoRight: k >= len(right)}
			if !r.NoLeft {
				r.Left = left[k].Left
			}
			if !r.NoRight {
				r.Right = right[k].Right
			}
			out = append(out, r)
		}
		if i < len(rows) && rows[i].Same {
			out = append(out, rows[i])
			i++
		}
	}
	return out
}
