package format

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"shelly/fsm/wording"
	"shelly/sim"
	"shelly/sim/scenario/document"
	"shelly/sim/scenario/expression"
	"shelly/sim/strict"
)

func (v *Range) Read(d *strict.Decoder, n *strict.Node, path string) {
	d.Object(n, v, path)
	ordered(d, n, path, v.Min, v.Max)
	if v.Max > drawnMax {
		d.Add(n, path, fmt.Sprintf("the number %d is too large; the limit is %d", v.Max, drawnMax))
	}
}

func (v *DurationRange) Read(d *strict.Decoder, n *strict.Node, path string) {
	d.Object(n, v, path)
	ordered(d, n, path, int(v.Min), int(v.Max))
}

// ordered wants a range to have something in it.
func ordered(d *strict.Decoder, n *strict.Node, path string, low, high int) {
	switch {
	case low < 0:
		d.Add(n, path, "min is negative")
	case high < low && n.Get("max") != nil: // without one, that is what is said
		d.Add(n, path, "max is less than min")
	}
}

func (v *DrawnTools) Read(d *strict.Decoder, n *strict.Node, path string) {
	if n.Scalar() && n.Value == "$declared" {
		return
	}
	if n.Kind != strict.ListKind || len(n.Content) == 0 {
		d.Add(n, path, "wants $declared or a list of tools, found "+n.String())
		return
	}
	d.List(n, (*[]string)(v), path)
}

func (v *DrawnPoints) Read(d *strict.Decoder, n *strict.Node, path string) {
	if n.Scalar() && n.Value == "$any" {
		return
	}
	if n.Kind == strict.ListKind && len(n.Content) == 0 {
		d.Add(n, path, "the list is empty, so the process would die nowhere; name points, write $any for all, or leave crash out")
		return
	}
	var list strict.Several[string]
	list.Read(d, n, path)
	var known []string
	for _, p := range sim.Points() {
		known = append(known, string(p))
	}
	for _, word := range list {
		if !slices.Contains(known, word) {
			d.Add(n, path, wording.Unknown("point", word, append(known, "$any")))
		}
		*v = append(*v, sim.Point(word))
	}
}

func (v *Invariant) Read(d *strict.Decoder, n *strict.Node, path string) {
	switch {
	case n.Scalar() && n.Value == "$all":
		v.All = true
	case n.Scalar() && strings.HasPrefix(n.Value, "$"):
		d.Add(n, path, wording.Unknown("word", n.Value, []string{"$all"}))
	default:
		v.Expr = &expression.Expression{}
		v.Expr.Read(d, n, path)
	}
}

func (v *Share) Read(d *strict.Decoder, n *strict.Node, path string) {
	number, percent := strings.CutSuffix(n.Value, "%")
	whole, decimal, _ := strings.Cut(number, ".")
	decimal = cmp.Or(decimal, "0")
	thousandths, err := strconv.Atoi(whole + decimal)
	if !n.Scalar() || !percent || err != nil || thousandths <= 0 || len(decimal) > 1 || thousandths > 1000 { // 0% is always reached
		d.Add(n, path, "wants a share such as 5% or 0.5%, more than 0% and at most 100%, not "+n.String())
		return
	}
	*v = Share(thousandths)
}

// String is the share as a file has it.
func (v Share) String() string {
	if v%10 == 0 {
		return strconv.Itoa(int(v)/10) + "%"
	}
	return fmt.Sprintf("%d.%d%%", v/10, v%10)
}

// ReadProperty reads a property file as strictly as a scenario (PRP-2). What it sets its
// cases in is the file, with the tools as they are where nothing else was drawn.
func ReadProperty(path string, source []byte) (*File, *Property, []strict.Problem, error) {
	c, err := document.Alone(path, source, "a property")
	if err != nil {
		return nil, nil, nil, err
	}
	d := c.Decoder()
	p := &Property{}
	d.Value(c.Root(), p, "")
	f := &File{Case: c, Name: p.Name, Covers: p.Covers, Tags: p.Tags, Skipped: p.Skipped, Setting: p.Setting}
	for _, t := range p.Tools {
		tool := strict.Named[Entries]{Name: t.Name}
		for i := range t.Value {
			tool.Value = append(tool.Value, t.Value[i].Samples[:min(1, len(t.Value[i].Samples))]...)
		}
		f.Tools.Stubs = append(f.Tools.Stubs, tool)
	}
	return f, p, d.Problems, nil
}

// SettingNodes returns the keys and values of the file, in turn, that its cases have as they
// stand: those of its setting.
func (f *File) SettingNodes() []*strict.Node {
	var list []*strict.Node
	keys := strict.Keys(reflect.TypeFor[Setting]())
	root := f.Root()
	for i := 0; i+1 < len(root.Content); i += 2 {
		if key := root.Content[i]; slices.Contains(keys, key.Value) {
			list = append(list, key.Bare(), root.Content[i+1].Bare())
		}
	}
	return list
}
