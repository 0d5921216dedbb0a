package stategraph

import (
	"cmp"
	"slices"

	"shelly/fsm"
)

// layout is a graph on its way to places. The first nodes are states, those after them
// are the places where long edges pass a layer.
type layout struct {
	states []node
	edges  []*edge
	lanes  [][]int // the nodes of each layer, in order
}

type node struct {
	name     string
	layer    int
	x, y     int
	width    int
	taken    int
	up, down []int // the neighbours in the layers above and below
	weak     []int // what edges that were never taken lead to; they count where there is nothing else
}

type edge struct {
	from, to int
	events   []string
	taken    int
	turned   bool  // it points up
	via      []int // nodes between, from the upper end to the lower
}

func (l *layout) node(s fsm.State) int {
	i := slices.IndexFunc(l.states, func(n node) bool { return n.name == string(s) })
	if i < 0 {
		i = len(l.states)
		l.states = append(l.states, node{name: string(s), width: max(len(s)*charWidth, 40) + 20})
	}
	return i
}

func (l *layout) count(i, n int) { l.states[i].taken += n }

func (l *layout) edge(from, to int, event string, taken int) {
	i := slices.IndexFunc(l.edges, func(e *edge) bool { return e.from == from && e.to == to })
	if i < 0 {
		i = len(l.edges)
		l.edges = append(l.edges, &edge{from: from, to: to})
	}
	e := l.edges[i]
	e.events, e.taken = append(e.events, event), e.taken+taken
}

// layers turns the edges that close a cycle, and puts each node below all that lead to it.
func (l *layout) layers(first int) {
	const open, done = 1, 2
	seen := make([]int, len(l.states))
	var order []int
	var visit func(int)
	visit = func(i int) {
		seen[i] = open
		for _, e := range l.edges {
			switch {
			case e.from != i || e.to == i:
			case seen[e.to] == open:
				e.turned = true
			case seen[e.to] == 0:
				visit(e.to)
			}
		}
		seen[i] = done
		order = append(order, i)
	}
	visit(first)
	for i := range l.states {
		if seen[i] == 0 {
			visit(i)
		}
	}
	for _, i := range slices.Backward(order) {
		for _, e := range l.edges {
			if upper, lower := e.ends(); upper == i && lower != i {
				l.states[lower].layer = max(l.states[lower].layer, l.states[i].layer+1)
			}
		}
	}
}

// ends are the upper and the lower end of an edge.
func (e *edge) ends() (upper, lower int) {
	if e.turned {
		return e.to, e.from
	}
	return e.from, e.to
}

// vias gives an edge that was taken a node in each layer that it passes, and fills the
// layers. The others run straight, below the boxes: there are too many to make room for.
func (l *layout) vias() {
	n := len(l.states)
	for _, e := range l.edges {
		upper, lower := e.ends()
		if upper == lower {
			continue
		}
		if e.taken == 0 {
			l.states[upper].weak, l.states[lower].weak = append(l.states[upper].weak, lower), append(l.states[lower].weak, upper)
			continue
		}
		last := upper
		for layer := l.states[upper].layer + 1; layer < l.states[lower].layer; layer++ {
			l.states = append(l.states, node{layer: layer, width: viaWidth})
			e.via = append(e.via, n)
			l.join(last, n)
			last = n
			n++
		}
		l.join(last, lower)
	}
	for i := range l.states {
		for len(l.lanes) <= l.states[i].layer {
			l.lanes = append(l.lanes, nil)
		}
		l.lanes[l.states[i].layer] = append(l.lanes[l.states[i].layer], i)
	}
}

func (l *layout) join(upper, lower int) {
	l.states[upper].down = append(l.states[upper].down, lower)
	l.states[lower].up = append(l.states[lower].up, upper)
}

// order sorts each layer by the mean place of the neighbours, down and up again.
func (l *layout) order() {
	place := make([]int, len(l.states))
	note := func(lane []int) {
		for at, i := range lane {
			place[i] = at
		}
	}
	for _, lane := range l.lanes {
		note(lane)
	}
	mean := func(i int, neighbours []int) int {
		if len(neighbours) == 0 {
			return place[i] * 1000
		}
		sum := 0
		for _, n := range neighbours {
			sum += place[n] * 1000
		}
		return sum / len(neighbours)
	}
	for sweep := range sweeps {
		for at := range l.lanes {
			lane, of := l.lanes[at], func(i int) []int { return l.states[i].up }
			if sweep%2 == 1 {
				lane, of = l.lanes[len(l.lanes)-1-at], func(i int) []int { return l.states[i].down }
			}
			slices.SortStableFunc(lane, func(a, b int) int { return cmp.Compare(mean(a, of(a)), mean(b, of(b))) })
			note(lane)
		}
	}
}

// place gives each node its place, and returns the size of all.
func (l *layout) place() (width, height int) {
	for at, lane := range l.lanes {
		x := 0
		for _, i := range lane {
			n := &l.states[i]
			n.x, n.y = x+n.width/2, margin+nodeHeight/2+at*(nodeHeight+layerGap)
			x += n.width + nodeGap
		}
	}
	for sweep := range pulls {
		for at := range l.lanes {
			if sweep%2 == 0 {
				l.pull(l.lanes[at])
			} else {
				l.pull(l.lanes[len(l.lanes)-1-at])
			}
		}
	}
	left, right := l.states[0].x, 0
	for i := range l.states {
		left = min(left, l.states[i].x-l.states[i].width/2)
	}
	for i := range l.states {
		l.states[i].x += margin - left
		right = max(right, l.states[i].x+l.states[i].width/2)
	}
	return right + margin + nodeGap, 2*margin + len(l.lanes)*(nodeHeight+layerGap) - layerGap
}

// pull moves the nodes of a layer towards their neighbours, as far as their order and
// widths let them.
func (l *layout) pull(lane []int) {
	want := make([]int, len(lane))
	for at, i := range lane {
		n := &l.states[i]
		around := slices.Concat(n.up, n.down)
		if len(around) == 0 {
			around = n.weak
		}
		want[at] = n.x
		if len(around) > 0 {
			sum := 0
			for _, o := range around {
				sum += l.states[o].x
			}
			want[at] = sum / len(around)
		}
	}
	room := func(a, b int) int { return l.room(&l.states[lane[a]], &l.states[lane[b]]) }
	right, left := slices.Clone(want), slices.Clone(want)
	for at := 1; at < len(lane); at++ {
		right[at] = max(right[at], right[at-1]+room(at-1, at))
	}
	for at := len(lane) - 2; at >= 0; at-- {
		left[at] = min(left[at], left[at+1]-room(at, at+1))
	}
	for at, i := range lane {
		l.states[i].x = (right[at] + left[at]) / 2
	}
}

// room is how far the middles of two neighbours in a layer are apart, at least.
func (l *layout) room(a, b *node) int {
	gap := nodeGap
	if a.name == "" || b.name == "" {
		gap = viaGap
	}
	return (a.width+b.width)/2 + gap
}

// routed is an edge with the points that it passes.
func (l *layout) routed(e *edge) Edge {
	out := Edge{From: l.states[e.from].name, To: l.states[e.to].name, Events: e.events, Taken: e.taken}
	upper, lower := e.ends()
	if upper == lower {
		n := &l.states[upper]
		out.Loop, out.Points = true, []Point{{n.x + n.width/2, n.y}}
		return out
	}
	a, b := &l.states[upper], &l.states[lower]
	out.Points = append(out.Points, Point{a.x + spread(a, b), a.y + nodeHeight/2})
	for _, i := range e.via {
		out.Points = append(out.Points, Point{l.states[i].x, l.states[i].y - nodeHeight/2}, Point{l.states[i].x, l.states[i].y + nodeHeight/2})
	}
	if span := b.layer - a.layer; e.taken == 0 && span > 1 { // around the boxes between
		side := bulge*span + nodeGap
		if (upper+lower)%2 == 0 {
			side = -side
		}
		out.Points = append(out.Points, Point{max(4, (a.x+b.x)/2+side), (a.y + b.y) / 2})
	}
	out.Points = append(out.Points, Point{b.x + spread(b, a), b.y - nodeHeight/2})
	if e.turned {
		slices.Reverse(out.Points)
	}
	return out
}

// spread is how far from the middle of a node an edge meets it, towards the other end.
func spread(n, to *node) int {
	most := n.width/2 - 10
	return max(-most, min(most, (to.x-n.x)/6))
}
