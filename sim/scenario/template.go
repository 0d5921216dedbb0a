package scenario

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"shelly/fsm"
	"shelly/sim"
)

// Drawn is an entry of a scenario in which values may be drawn: in place of any value
// stands {$one_of: […]}, {$text: {min, max}}, {$number: {min, max}} or {$duration:
// {min, max}} (PRP-3). It is read with each of the values that a list has, so that what
// would not load as a scenario does not load here.
type Drawn[T any] struct {
	Weight  int // how often it is picked, against the others
	root    part
	samples []T // the entry, with each value that makes a difference
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
	return slices.DeleteFunc(names(fieldsOf(reflect.TypeFor[T]())), func(k string) bool { return slices.Contains(taken, k) })
}

func (v *Drawn[T]) read(d *decoder, n *yaml.Node, path string) {
	keys := append([]string{"weight"}, drawnKeys[T]()...)
	if n.Kind != yaml.MappingNode || len(n.Content) == 0 {
		d.add(n, path, "wants a map of "+strings.Join(keys, ", ")+"; found "+emptyOr(n))
		return
	}
	v.Weight = 1
	known := len(d.problems)
	entry := *n
	entry.Content = nil
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		switch {
		case key.Value == "weight":
			var w Count
			d.value(value, reflect.ValueOf(&w).Elem(), member(path, "weight"))
			v.Weight = int(w)
		case !slices.Contains(keys, key.Value):
			d.add(key, member(path, key.Value), unknown("key", key.Value, keys))
		default:
			entry.Content = append(entry.Content, key, value)
		}
	}
	reader := templates{d: d, left: NodesMax}
	v.root = reader.part(&entry, path)
	if len(d.problems) > known {
		return
	}
	for _, tape := range variants(v.root) {
		var one T
		d.value(v.root.draw(sim.NewTape(tape), nil), reflect.ValueOf(&one).Elem(), path)
		v.samples = append(v.samples, one)
	}
}

// Draw is the entry as a scenario has it. Arguments of calls are drawn for tools that
// are declared.
func (v *Drawn[T]) Draw(c sim.Chooser, tools []fsm.ToolDecl) *yaml.Node {
	return bare(v.root.draw(c, tools))
}

// Key is the key that says what the entry is, of a moment what happens at it.
func (v *Drawn[T]) Key() string {
	if m, ok := any(&v.samples[0]).(*Moment); ok {
		for _, c := range m.happens() {
			if c.given {
				return c.key
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
	draw(c sim.Chooser, tools []fsm.ToolDecl) *yaml.Node
}

type (
	fixedPart struct{ *yaml.Node }
	innerPart struct { // a map or a list
		of    *yaml.Node
		parts []part
	}
	onePart      struct{ of []*yaml.Node }
	textPart     struct{ Range }
	numberPart   struct{ Range }
	durationPart struct{ DurationRange }
	callsPart    struct{ DrawnCalls }
)

// templates reads entries in which values are drawn.
type templates struct {
	d    *decoder
	left int // nodes that may still be read, aliases written out
}

// part reads a value. What is wrong with it as a value of the scenario is told where
// the entry is read with it.
func (t *templates) part(n *yaml.Node, path string) part {
	n = follow(n)
	if t.left--; t.left < 0 {
		if !t.d.stopped {
			t.d.stop(n, path, "too many values, aliases written out")
		}
		return fixedPart{n}
	}
	if len(n.Content) == 2 && n.Kind == yaml.MappingNode && strings.HasPrefix(n.Content[0].Value, "$") {
		return t.drawn(n.Content[0], follow(n.Content[1]), path)
	}
	p := innerPart{of: n}
	for i, inner := range n.Content {
		switch {
		case n.Kind == yaml.SequenceNode:
			p.parts = append(p.parts, t.part(inner, element(path, i)))
		case i%2 == 0:
			p.parts = append(p.parts, fixedPart{inner})
		case n.Content[i-1].Value == "calls" && follow(inner).Kind == yaml.MappingNode:
			calls := DrawnCalls{Min: 1, Max: 1}
			t.d.value(inner, reflect.ValueOf(&calls).Elem(), member(path, "calls"))
			if calls.Max < calls.Min && calls.Min > 1 || calls.Min < 0 || calls.Max > drawnCallsMax {
				t.d.add(inner, member(path, "calls"), "wants 0 <= min <= max <= "+strconv.Itoa(drawnCallsMax))
			}
			p.parts = append(p.parts, callsPart{calls})
		default:
			p.parts = append(p.parts, t.part(inner, member(path, n.Content[i-1].Value)))
		}
	}
	return p
}

const drawnCallsMax = 100

// drawn reads a value that is drawn.
func (t *templates) drawn(key, value *yaml.Node, path string) part {
	at := member(path, key.Value)
	switch key.Value {
	case "$one_of":
		if value.Kind != yaml.SequenceNode || len(value.Content) == 0 {
			t.d.add(value, at, "wants a list of values, found "+emptyOr(value))
			break
		}
		for i, one := range value.Content {
			if one = follow(one); one.Kind == yaml.MappingNode && len(one.Content) == 2 && strings.HasPrefix(one.Content[0].Value, "$") {
				t.d.add(one, element(at, i), "nothing is drawn within $one_of")
			}
		}
		return onePart{value.Content}
	case "$text":
		p := textPart{}
		t.d.value(value, reflect.ValueOf(&p.Range).Elem(), at)
		return p
	case "$number":
		p := numberPart{}
		t.d.value(value, reflect.ValueOf(&p.Range).Elem(), at)
		return p
	case "$duration":
		p := durationPart{}
		t.d.value(value, reflect.ValueOf(&p.DurationRange).Elem(), at)
		return p
	default:
		t.d.add(key, path, unknown("generator", key.Value, []string{"$one_of", "$text", "$number", "$duration"}))
	}
	return fixedPart{value}
}
