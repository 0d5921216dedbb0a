package htmlreport

import (
	"fmt"
	"slices"

	"shelly/fsm"
	"shelly/fsm/state"
	"shelly/sim/history"
	"shelly/sim/history/trace"
)

// lanes is the run as bars on virtual time (SIM-33). Lengths are in pixels.
type lanes struct {
	Width, Height int
	Left          int // where the lanes begin
	Rows          []laneRow
	Ticks         []tick
	Folds         []tick // where time was left out, and how much
	X             []string
}

type laneRow struct {
	Name  string
	Y     int
	Items []item
}

// item is a bar, or a mark where its width is nothing.
type item struct {
	X, Y, Width, Middle string
	Class               string
	Label               string
	Text                string // in the bar, where it fits
	Link                string
	Step                int
	Point               bool

	from, to int // steps, from 0
}

type tick struct {
	X    string
	Text string
}

const (
	lanesWidth = 1120
	lanesLeft  = 92
	laneHeight = 24
	axisHeight = 26
	handleMax  = 8
	tickGap    = 84
	barMin     = 2
	letter     = 7 // pixels of a character
)

// newLanes lays a run out. Each step has a place of its own; beyond that the time between
// two steps is true to scale, but for idle gaps, which are folded.
func newLanes(id string, c *Case) *lanes {
	if len(c.Steps) == 0 {
		return nil
	}
	l := &lanes{Width: lanesWidth, Left: lanesLeft}
	xs := l.scale(c)
	for _, x := range xs {
		l.X = append(l.X, px(x))
	}
	g := gather(c.Steps)
	for _, name := range g.names {
		row := laneRow{Name: name, Y: axisHeight + len(l.Rows)*laneHeight}
		end := -1.0
		for _, it := range g.items[name] {
			x, to := xs[it.from], xs[it.to]
			if max(to, x+barMin) < end+1 {
				continue // what is there already hides it
			}
			end = max(to, x+barMin)
			it.Step, it.Link = c.Steps[it.from].N, fmt.Sprintf("#%s-s%d", id, c.Steps[it.from].N)
			it.X, it.Y, it.Width = px(x), fmt.Sprint(row.Y), px(max(barMin, to-x))
			it.Middle = fmt.Sprint(row.Y + laneHeight/2)
			if float64(len(it.Text)*letter+6) > to-x {
				it.Text = ""
			}
			row.Items = append(row.Items, it)
		}
		l.Rows = append(l.Rows, row)
	}
	l.Height = axisHeight + len(l.Rows)*laneHeight + 6
	return l
}

func px(x float64) string { return fmt.Sprintf("%.1f", x) }

// scale is where each step stands, and fills ticks and folds.
func (l *lanes) scale(c *Case) []float64 {
	n := len(c.Steps)
	room := float64(lanesWidth - lanesLeft - 24)
	own := min(16, room*0.6/float64(n))
	gaps := make([]fsm.Millis, n)
	var sorted []fsm.Millis
	for i := 1; i < n; i++ {
		if gaps[i] = max(0, c.Steps[i].At-c.Steps[i-1].At); gaps[i] > 0 {
			sorted = append(sorted, gaps[i])
		}
	}
	fold := fsm.Millis(1 << 60)
	if len(sorted) > 0 {
		slices.Sort(sorted)
		fold = max(1, 4*sorted[len(sorted)/2])
	}
	var total fsm.Millis
	for _, gap := range gaps {
		total += min(gap, fold)
	}
	each := 0.0
	if total > 0 {
		each = (room - own*float64(n)) / float64(total)
	}
	xs, x := make([]float64, n), float64(lanesLeft)+6
	lastTick, lastText := -1000.0, ""
	for i := range c.Steps {
		if i > 0 {
			width := own + each*float64(min(gaps[i], fold))
			if gaps[i] > fold {
				l.Folds = append(l.Folds, tick{px(x + own + (width-own)/2), history.Span(gaps[i])})
			}
			x += width
		}
		xs[i] = x
		at := history.Span(max(0, c.Steps[i].At-c.Start))
		if at != lastText && x-lastTick >= tickGap && x < lanesWidth-60 {
			lastTick, lastText = x, at
			l.Ticks = append(l.Ticks, tick{px(x), at})
		}
	}
	return xs
}

// gathered are the items of each lane.
type gathered struct {
	names []string
	items map[string][]item
	steps []trace.Step
	open  map[string]opened    // what has begun and not ended, by what it is
	order []string             // of open
	since map[fsm.HandleID]int // from which step on a handle is in a state that no transition has told yet
}

type opened struct {
	lane, class, label, text string
	at                       int
}

// The lanes that every run has. A handle's own come after the lifecycle's.
const (
	laneLife   = "lifecycle"
	laneUser   = "user"
	laneModel  = "model"
	laneTools  = "tools"
	laneStore  = "store"
	laneTimers = "timers"
	laneFaults = "faults"
)

func gather(steps []trace.Step) *gathered {
	g := &gathered{items: map[string][]item{}, open: map[string]opened{}, since: map[fsm.HandleID]int{}, steps: steps}
	for i := range steps {
		g.step(i)
	}
	for _, key := range slices.Clone(g.order) {
		g.end(key, len(steps)-1)
	}
	first := []string{laneFaults, laneUser, laneLife}
	last := []string{laneModel, laneTools, laneStore, laneTimers}
	var handles, names []string
	for _, name := range g.names {
		if !slices.Contains(first, name) && !slices.Contains(last, name) {
			handles = append(handles, name)
		}
	}
	for _, name := range slices.Concat(first, handles, last) {
		if items := g.items[name]; len(items) > 0 {
			slices.SortStableFunc(items, func(a, b item) int { return a.from - b.from })
			names = append(names, name)
		}
	}
	g.names = names
	return g
}

func (g *gathered) add(lane string, it item) {
	if !slices.Contains(g.names, lane) {
		g.names = append(g.names, lane)
	}
	g.items[lane] = append(g.items[lane], it)
}

func (g *gathered) begin(key string, o opened) {
	g.open[key] = o
	g.order = append(g.order, key)
}

func (g *gathered) end(key string, at int) {
	o, ok := g.open[key]
	if !ok {
		return
	}
	delete(g.open, key)
	g.order = slices.DeleteFunc(g.order, func(k string) bool { return k == key })
	g.add(o.lane, item{from: o.at, to: at, Class: o.class, Label: o.label, Text: o.text})
}

func (g *gathered) step(i int) {
	s := &g.steps[i]
	if s.Input.Call != 0 {
		g.end(fmt.Sprintf("call %d", s.Input.Call), i)
	}
	if s.Input.Timer != 0 {
		g.end(fmt.Sprintf("timer %d", s.Input.Timer), i)
	}
	if s.Input.Kind == "boot" { // whatever was under way is over
		for handle := range g.since { // order-free: each for itself
			if _, open := g.open[fmt.Sprintf("handle %d", handle)]; open {
				g.since[handle] = i
			}
		}
		for _, key := range slices.Clone(g.order) {
			g.end(key, i)
		}
	}
	if _, known := g.since[s.Handle]; !known && s.Handle != 0 {
		g.since[s.Handle] = i
	}
	if fromUser(s.Input.Kind) {
		g.add(laneUser, item{from: i, to: i, Point: true, Class: "in", Label: s.Input.Words})
	}
	for _, m := range s.Moves {
		g.move(i, m)
	}
	for _, e := range s.Effects {
		g.effect(i, e)
	}
	for _, m := range s.Marks {
		if m.Bad() {
			g.add(laneFaults, item{from: i, to: i, Point: true, Class: "bad", Label: m.String()})
		}
	}
}

// fromUser reports whether an input is a person's word.
func fromUser(kind string) bool {
	return slices.Contains([]string{"requested", "decided", "cancel_requested", "signalled", "resolved", "event_raised", "schedule_changed"}, kind)
}

func (g *gathered) move(i int, m trace.Move) {
	if m.From == m.To || m.Table == state.InferenceTable.Name {
		return
	}
	lane, key := laneLife, "lifecycle"
	if m.Handle != 0 {
		lane, key = fmt.Sprintf("%s %d", m.Kind, m.Handle), fmt.Sprintf("handle %d", m.Handle)
		if m.Kind == "" {
			lane = key
		}
		if !slices.Contains(g.names, lane) && len(g.names) > handleMax+6 {
			lane = "others"
		}
	}
	bar := func(of fsm.State, at int) opened {
		class := "state"
		if state.Waits(of) {
			class = "waits"
		}
		return opened{lane, class, fmt.Sprintf("%s: %s", lane, of), string(of), at}
	}
	if at, known := g.since[m.Handle]; known && at < i {
		if _, open := g.open[key]; !open {
			g.begin(key, bar(m.From, at))
		}
	}
	g.end(key, i)
	if slices.Contains(state.HandleTable.Final, m.To) && m.Handle != 0 {
		g.add(lane, item{from: i, to: i, Point: true, Class: "end", Label: string(m.To)})
		return
	}
	g.begin(key, bar(m.To, i))
}

func (g *gathered) effect(i int, e trace.Effect) {
	switch {
	case e.Kind == "set_timer":
		g.begin(fmt.Sprintf("timer %d", e.Timer), opened{laneTimers, "timer", "timer: " + e.Name, e.Name, i})
	case e.Kind == "clear_timer":
		g.end(fmt.Sprintf("timer %d", e.Timer), i)
	case e.Kind == "abort_call":
		if o, ok := g.open[fmt.Sprintf("call %d", e.Call)]; ok && o.lane == laneModel {
			g.end(fmt.Sprintf("call %d", e.Call), i)
		}
	case e.Sent != nil:
		g.begin(fmt.Sprintf("call %d", e.Call), opened{laneModel, "model", e.Words, e.Name, i})
	case e.Kind == "run_tool" || e.Kind == "run_probe":
		g.begin(fmt.Sprintf("call %d", e.Call), opened{laneTools, "tool", e.Words, e.Name, i})
	case e.Call != 0:
		g.begin(fmt.Sprintf("call %d", e.Call), opened{laneStore, "store", e.Words, e.Kind, i})
	case e.Kind == "reply" || e.Kind == "notify" || e.Kind == "send_message" || e.Kind == "ask_person":
		g.add(laneUser, item{from: i, to: i, Point: true, Class: "out", Label: e.Words})
	}
}
