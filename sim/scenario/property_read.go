package scenario

import (
	"fmt"
	"io/fs"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"shelly/sim"
)

// loadProperty reads a property file, as strictly as a scenario (PRP-2).
func loadProperty(fsys fs.FS, path string, source []byte) (*File, error) {
	doc := &document{path: path, sources: sources{"": source}}
	var problem *Problem
	if doc.root, problem = parse(source, "a property"); problem != nil {
		return nil, failed(path, doc.sources, []Problem{*problem})
	}
	d := decoder{doc: doc, row: &row{}, where: map[string]Pos{}}
	p := &Property{}
	d.value(doc.root, reflect.ValueOf(p).Elem(), "")
	f := &File{Name: p.Name, Covers: p.Covers, Tags: p.Tags, Setting: p.Setting, property: p, doc: doc, row: d.row, where: d.where}
	for _, t := range p.Tools {
		tool := Named[Entries]{Name: t.Name}
		for i := range t.Value {
			tool.Value = append(tool.Value, t.Value[i].samples[:min(1, len(t.Value[i].samples))]...)
		}
		f.Tools.Stubs = append(f.Tools.Stubs, tool)
	}
	if len(d.problems) == 0 {
		d.checkProperty(f, p)
	}
	if len(d.problems) == 0 {
		d.readRegressions(fsys, f, p)
	}
	if err := failed(path, doc.sources, once(d.problems)); err != nil {
		return nil, err
	}
	return f, nil
}

// once leaves out problems that were met before: an entry is read with each value
// that may be drawn.
func once(problems []Problem) []Problem {
	var list []Problem
	for _, p := range problems {
		if !slices.Contains(list, p) {
			list = append(list, p)
		}
	}
	return list
}

func (d *decoder) checkProperty(f *File, p *Property) {
	if p.Version != FormatVersion {
		d.at("property", "this is version "+strconv.Itoa(p.Version)+" of the format; only version 1 is known")
	}
	d.checkHead(f)
	d.checkSetting(f)
	for _, t := range p.Tools {
		at := "tools." + shown(t.Name)
		if len(t.Value) == 0 {
			d.at(at, "is empty; give what a call comes to")
		}
		for i := range t.Value {
			for n := range t.Value[i].samples {
				d.checkTool(at, Entries(t.Value[i].samples[n:n+1]))
			}
		}
	}
	g := &p.Generate
	for i := range g.Timeline.Pick {
		for n := range g.Timeline.Pick[i].samples {
			d.checkMoment(f, element("generate.timeline.pick", i), &g.Timeline.Pick[i].samples[n])
		}
	}
	for i := range g.Brain.Pick {
		for n := range g.Brain.Pick[i].samples {
			d.checkLine(f, element("generate.brain.pick", i), &g.Brain.Pick[i].samples[n])
		}
	}
	if len(p.Invariants) == 0 {
		d.at("invariants", "is empty; give $all, or an expression")
	}
	switch {
	case len(g.Timeline.Pick) == 0:
		d.at("generate", "the key timeline.pick is missing: nothing would happen")
	case g.Timeline.Length.Max == 0:
		d.at("generate.timeline", "the key length is missing: nothing would happen")
	case len(g.Brain.Pick) > 0 && g.Brain.Length.Max == 0:
		d.at("generate.brain", "the key length is missing: nothing of it would be picked")
	}
}

// readRegressions loads the scenarios that are played first.
func (d *decoder) readRegressions(fsys fs.FS, f *File, p *Property) {
	if p.Regressions == "" {
		return
	}
	pattern := path.Clean(p.Regressions)
	if !fs.ValidPath(pattern) || !strings.HasSuffix(pattern, Suffix) {
		d.at("regressions", "wants a pattern for scenarios in the property's folder or below, such as ./regressions/*"+Suffix)
		return
	}
	if fsys == nil {
		return
	}
	paths, err := fs.Glob(fsys, path.Join(path.Dir(f.Path()), pattern))
	if err != nil {
		d.at("regressions", "the pattern is malformed: "+err.Error())
		return
	}
	slices.Sort(paths)
	for _, name := range paths {
		cases, err := Load(fsys, name)
		if err != nil {
			d.at("regressions", name+" does not load: "+err.Error())
		}
		f.regressions = append(f.regressions, cases...)
	}
}

// Regressions are the cases that are played before any is made.
func (f *File) Regressions() []*File { return f.regressions }

// SettingNodes returns the keys and values of the file, in turn, that its cases have as they
// stand: those of its setting.
func (f *File) SettingNodes() []*yaml.Node {
	var list []*yaml.Node
	keys := names(fieldsOf(reflect.TypeFor[Setting]()))
	for i := 0; i+1 < len(f.doc.root.Content); i += 2 {
		if key := f.doc.root.Content[i]; slices.Contains(keys, key.Value) {
			list = append(list, bare(key), bare(f.doc.root.Content[i+1]))
		}
	}
	return list
}

// bare is a node with its aliases written out, and without comments and places.
func bare(n *yaml.Node) *yaml.Node {
	n = follow(n)
	out := &yaml.Node{Kind: n.Kind, Style: n.Style, Tag: n.Tag, Value: n.Value}
	for _, inner := range n.Content {
		out.Content = append(out.Content, bare(inner))
	}
	return out
}

// Meets reports for each of a property's cover expressions whether it was true after
// some step of a run of one of its cases (PRP-6).
func (f *File) Meets(r *sim.Result) []bool {
	cover := f.property.Cover
	met, left := make([]bool, len(cover)), len(cover)
	if left == 0 {
		return met
	}
	o := f.observer()
	list := make([]evaluation, len(cover))
	for _, s := range r.Steps {
		o.observe(s)
		for i := range cover {
			list[i].of = &cover[i].When
			if !met[i] {
				list[i].step(&o.state)
				met[i] = list[i].verdicts[len(list[i].verdicts)-1].holds
			}
		}
	}
	return met
}

func (v *Range) read(d *decoder, n *yaml.Node, path string) {
	d.object(n, reflect.ValueOf(v).Elem(), path)
	d.ordered(n, path, v.Min, v.Max)
	if v.Max > drawnMax {
		d.add(n, path, fmt.Sprintf("the number %d is too large; the limit is %d", v.Max, drawnMax))
	}
}

func (v *DurationRange) read(d *decoder, n *yaml.Node, path string) {
	d.object(n, reflect.ValueOf(v).Elem(), path)
	d.ordered(n, path, int(v.Min), int(v.Max))
}

// ordered wants a range to have something in it.
func (d *decoder) ordered(n *yaml.Node, path string, low, high int) {
	switch {
	case low < 0:
		d.add(n, path, "min is negative")
	case high < low:
		d.add(n, path, "max is less than min")
	}
}

func (v *DrawnTools) read(d *decoder, n *yaml.Node, path string) {
	if n.Kind == yaml.ScalarNode && n.Value == "$declared" {
		return
	}
	if n.Kind != yaml.SequenceNode || len(n.Content) == 0 {
		d.add(n, path, "wants $declared or a list of tools, found "+kindOf(n))
		return
	}
	d.list(n, reflect.ValueOf((*[]string)(v)).Elem(), path)
}

func (v *DrawnPoints) read(d *decoder, n *yaml.Node, path string) {
	if n.Kind == yaml.ScalarNode && n.Value == "$any" {
		return
	}
	var list Several[string]
	list.read(d, n, path)
	var known []string
	for _, p := range sim.Points() {
		known = append(known, string(p))
	}
	for _, word := range list {
		if !slices.Contains(known, word) {
			d.add(n, path, unknown("point", word, append(known, "$any")))
		}
		*v = append(*v, sim.Point(word))
	}
}

func (v *Invariant) read(d *decoder, n *yaml.Node, path string) {
	if v.All = n.Kind == yaml.ScalarNode && n.Value == "$all"; !v.All {
		v.Expr = &Expression{}
		v.Expr.read(d, n, path)
	}
}

func (v *Share) read(d *decoder, n *yaml.Node, path string) {
	number, percent := strings.CutSuffix(n.Value, "%")
	whole, decimal, _ := strings.Cut(number, ".")
	if decimal == "" {
		decimal = "0"
	}
	thousandths, err := strconv.Atoi(whole + decimal)
	if n.Kind != yaml.ScalarNode || !percent || err != nil || thousandths < 0 || len(decimal) > 1 || thousandths > 1000 {
		d.add(n, path, "wants a share such as 5% or 0.5%, not "+kindOf(n))
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
