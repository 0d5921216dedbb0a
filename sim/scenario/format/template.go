package format

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"shelly/fsm"
	"shelly/fsm/wording"
	"shelly/sim"
	"shelly/sim/strict"
)

// Drawn is an entry of a scenario in which values may be drawn: in place of any value
// stands {$one_of: […]}, {$text: {min, max}}, {$number: {min, max}} or {$duration:
// {min, max}} (PRP-3). It is read with each of the values that a list has, so that what
// would not load as a scenario does not load here.
type Drawn[T any] struct {
	Weight  int // how often it is picked, against the others
	root    part
	Samples []T // the entry, with each value that makes a difference
}

// drawnKeys are the keys of an entry that is drawn: not those that its place says, nor
// those that expect something.
func drawnKeys[T any]() []string {
	var entry T
	taken := []string{"optional", "times"}
	switch any(entry).(type) {
	case Moment:
		taken = append(taken, "at")
	case Line:
		taken = append(taken, "sees")
	case Entry:
		taken = append(taken, "args")
	}
	return slices.DeleteFunc(strict.Keys(reflect.TypeFor[T]()), func(k string) bool { return slices.Contains(taken, k) })
}

func (v *Drawn[T]) Read(d *strict.Decoder, n *strict.Node, path string) {
	keys := append([]string{"weight"}, drawnKeys[T]()...)
	if n.Kind != strict.MapKind || len(n.Content) == 0 {
		d.Add(n, path, "wants a map of "+strings.Join(keys, ", ")+"; found "+n.OrEmpty())
		return
	}
	v.Weight = 1
	known := len(d.Problems)
	entry := *n
	entry.Content = nil
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		switch {
		case key.Value == "weight":
			var w Count
			d.Value(value, &w, strict.Member(path, "weight"))
			v.Weight = int(w)
		case !slices.Contains(keys, key.Value):
			d.Add(key, strict.Member(path, key.Value), wording.Unknown("key", key.Value, keys))
		default:
			entry.Content = append(entry.Content, key, value)
		}
	}
	reader := templates{d: d, left: strict.NodesMax}
	v.root = reader.part(&entry, path)
	if len(d.Problems) > known {
		return
	}
	for _, tape := range variants(v.root) {
		var one T
		d.Value(v.root.draw(sim.NewTape(tape), nil), &one, path)
		v.Samples = append(v.Samples, one)
	}
}

// Draw is the entry as a scenario has it. Arguments of calls are drawn for tools that
// are declared.
func (v *Drawn[T]) Draw(c sim.Chooser, tools []fsm.ToolDecl) *strict.Node {
	return v.root.draw(c, tools).Bare()
}

// CallTools are the tools that drawn calls name, and whether there are such calls.
func (v *Drawn[T]) CallTools() (names []string, are bool) { return callTools(v.root) }

func callTools(p part) (names []string, are bool) {
	switch p := p.(type) {
	case callsPart:
		return p.Tools, true
	case innerPart:
		for _, inner := range p.parts {
			more, also := callTools(inner)
			names, are = append(names, more...), are || also
		}
	}
	return names, are
}

// Key is the key that says what the entry is, of a moment what happens at it.
func (v *Drawn[T]) Key() string {
	if m, ok := any(&v.Samples[0]).(*Moment); ok {
		for _, c := range m.Happens() {
			if c.Given {
				return c.Key
			}
		}
	}
	return ""
}

// listed marks the choice between the values of a list: each of them is looked at when
// a file is loaded.
const listed = "one of"

// variants are choices that give the first of all values, and then each value of each
// list and the greatest of each range, one at a time.
func variants(p part) [][]int {
	probe := &probe{}
	p.draw(probe, nil)
	list := [][]int{nil}
	for i, n := range probe.ns {
		first := max(1, n-1)
		if probe.listed[i] {
			first = 1
		}
		for c := first; c < n; c++ {
			tape := make([]int, i+1)
			tape[i] = c
			list = append(list, tape)
		}
	}
	return list
}

// probe always chooses the first, and notes what there was.
type probe struct {
	ns     []int
	listed []bool
}

// Choose implements [sim.Chooser].
func (p *probe) Choose(label string, n int) int {
	p.ns, p.listed = append(p.ns, n), append(p.listed, label == listed)
	return 0
}

// part is a value of an entry, or how it is drawn.
type part interface {
	draw(c sim.Chooser, tools []fsm.ToolDecl) *strict.Node
}

type (
	fixedPart struct{ *strict.Node }
	innerPart struct { // a map or a list
		of    *strict.Node
		parts []part
	}
	onePart      struct{ of []*strict.Node }
	textPart     struct{ Range }
	numberPart   struct{ Range }
	durationPart struct{ DurationRange }
	callsPart    struct{ DrawnCalls }
)

// templates reads entries in which values are drawn.
type templates struct {
	d    *strict.Decoder
	left int // nodes that may still be read, aliases written out
}

// part reads a value. What is wrong with it as a value of the scenario is reported where
// the entry is read with it.
func (t *templates) part(n *strict.Node, path string) part {
	n = n.Follow()
	if t.left--; t.left < 0 {
		if !t.d.Stopped() {
			t.d.Stop(n, path, "too many values, aliases written out")
		}
		return fixedPart{n}
	}
	if len(n.Content) == 2 && n.Kind == strict.MapKind && strings.HasPrefix(n.Content[0].Value, "$") {
		return t.drawn(n.Content[0], n.Content[1].Follow(), path)
	}
	p := innerPart{of: n}
	for i, inner := range n.Content {
		switch {
		case n.Kind == strict.ListKind:
			p.parts = append(p.parts, t.part(inner, strict.Element(path, i)))
		case i%2 == 0:
			p.parts = append(p.parts, fixedPart{inner})
		case n.Content[i-1].Value == "calls" && inner.Follow().Kind == strict.MapKind:
			calls := DrawnCalls{Min: 1, Max: 1}
			t.d.Value(inner, &calls, strict.Member(path, "calls"))
			if calls.Max < calls.Min && calls.Min > 1 || calls.Min < 0 || calls.Max > drawnCallsMax {
				t.d.Add(inner, strict.Member(path, "calls"), "wants 0 <= min <= max <= "+strconv.Itoa(drawnCallsMax))
			}
			p.parts = append(p.parts, callsPart{calls})
		default:
			p.parts = append(p.parts, t.part(inner, strict.Member(path, n.Content[i-1].Value)))
		}
	}
	return p
}

const drawnCallsMax = 100

// drawn reads a value that is drawn.
func (t *templates) drawn(key, value *strict.Node, path string) part {
	at := strict.Member(path, key.Value)
	switch key.Value {
	case "$one_of":
		if value.Kind != strict.ListKind || len(value.Content) == 0 {
			t.d.Add(value, at, "wants a list of values, found "+value.OrEmpty())
			break
		}
		for i, one := range value.Content {
			if one = one.Follow(); one.Kind == strict.MapKind && len(one.Content) == 2 && strings.HasPrefix(one.Content[0].Value, "$") {
				t.d.Add(one, strict.Element(at, i), "nothing is drawn within $one_of")
			}
		}
		return onePart{value.Content}
	case "$text":
		p := textPart{}
		t.d.Value(value, &p.Range, at)
		return p
	case "$number":
		p := numberPart{}
		t.d.Value(value, &p.Range, at)
		return p
	case "$duration":
		p := durationPart{}
		t.d.Value(value, &p.DurationRange, at)
		return p
	default:
		t.d.Add(key, path, wording.Unknown("generator", key.Value, []string{"$one_of", "$text", "$number", "$duration"}))
	}
	return fixedPart{value}
}
