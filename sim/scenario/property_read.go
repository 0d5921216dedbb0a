package scenario

import (
	"fmt"
	"io/fs"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"shelly/fsm/wording"
	"shelly/sim"
	"shelly/sim/strict"
)

// loadProperty reads a property file, as strictly as a scenario (PRP-2).
func loadProperty(fsys fs.FS, path string, source []byte) (*File, error) {
	doc, err := open(path, source, "a property")
	if err != nil {
		return nil, err
	}
	one := &Case{doc: doc, row: &row{}, where: map[string]strict.Pos{}}
	d := one.decoder()
	p := &Property{}
	d.Value(doc.root, p, "")
	f := &File{Case: one, Name: p.Name, Covers: p.Covers, Tags: p.Tags, Setting: p.Setting, property: p}
	for _, t := range p.Tools {
		tool := strict.Named[Entries]{Name: t.Name}
		for i := range t.Value {
			tool.Value = append(tool.Value, t.Value[i].samples[:min(1, len(t.Value[i].samples))]...)
		}
		f.Tools.Stubs = append(f.Tools.Stubs, tool)
	}
	if len(d.Problems) == 0 {
		k := &checker{file: f}
		k.checkProperty(f, p)
		if len(k.problems) == 0 {
			k.readRegressions(fsys, f, p)
		}
		d.Problems = k.problems
	}
	if err := strict.Failed(path, f.Sources(), once(d.Problems)); err != nil {
		return nil, err
	}
	return f, nil
}

// once leaves out problems that were met before: an entry is read with each value
// that may be drawn.
func once(problems []strict.Problem) []strict.Problem {
	var list []strict.Problem
	for _, p := range problems {
		if !slices.Contains(list, p) {
			list = append(list, p)
		}
	}
	return list
}

func (k *checker) checkProperty(f *File, p *Property) {
	if p.Version != FormatVersion {
		k.at("property", "this is version "+strconv.Itoa(p.Version)+" of the format; only version 1 is known")
	}
	k.checkHead(f)
	k.checkSetting(f)
	for _, t := range p.Tools {
		at := "tools." + wording.Word(t.Name)
		if len(t.Value) == 0 {
			k.at(at, "is empty; give what a call comes to")
		}
		for i := range t.Value {
			for n := range t.Value[i].samples {
				k.checkTool(at, Entries(t.Value[i].samples[n:n+1]))
			}
		}
	}
	g := &p.Generate
	for i := range g.Timeline.Pick {
		for n := range g.Timeline.Pick[i].samples {
			k.checkMoment(f, strict.Element("generate.timeline.pick", i), &g.Timeline.Pick[i].samples[n])
		}
	}
	for i := range g.Brain.Pick {
		for n := range g.Brain.Pick[i].samples {
			k.checkLine(f, strict.Element("generate.brain.pick", i), &g.Brain.Pick[i].samples[n])
		}
	}
	if len(p.Invariants) == 0 {
		k.at("invariants", "is empty; give $all, or an expression")
	}
	switch {
	case len(g.Timeline.Pick) == 0:
		k.at("generate", "the key timeline.pick is missing: nothing would happen")
	case g.Timeline.Length.Max == 0:
		k.at("generate.timeline", "the key length is missing: nothing would happen")
	case len(g.Brain.Pick) > 0 && g.Brain.Length.Max == 0:
		k.at("generate.brain", "the key length is missing: nothing of it would be picked")
	}
}

// readRegressions loads the scenarios that are played first.
func (k *checker) readRegressions(fsys fs.FS, f *File, p *Property) {
	if p.Regressions == "" {
		return
	}
	pattern := path.Clean(p.Regressions)
	if !fs.ValidPath(pattern) || !strings.HasSuffix(pattern, Suffix) {
		k.at("regressions", "wants a pattern for scenarios in the property's folder or below, such as ./regressions/*"+Suffix)
		return
	}
	if fsys == nil {
		return
	}
	paths, err := fs.Glob(fsys, path.Join(path.Dir(f.Path()), pattern))
	if err != nil {
		k.at("regressions", "the pattern is malformed: "+err.Error())
		return
	}
	slices.Sort(paths)
	for _, name := range paths {
		cases, err := Load(fsys, name)
		if err != nil {
			k.at("regressions", name+" does not load: "+err.Error())
		}
		f.regressions = append(f.regressions, cases...)
	}
}

// Regressions are the cases that are played before any is made.
func (f *File) Regressions() []*File { return f.regressions }

// SettingNodes returns the keys and values of the file, in turn, that its cases have as they
// stand: those of its setting.
func (f *File) SettingNodes() []*strict.Node {
	var list []*strict.Node
	keys := strict.Keys(reflect.TypeFor[Setting]())
	root := f.root()
	for i := 0; i+1 < len(root.Content); i += 2 {
		if key := root.Content[i]; slices.Contains(keys, key.Value) {
			list = append(list, key.Bare(), root.Content[i+1].Bare())
		}
	}
	return list
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
	case high < low:
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
	if v.All = n.Scalar() && n.Value == "$all"; !v.All {
		v.Expr = &Expression{}
		v.Expr.Read(d, n, path)
	}
}

func (v *Share) Read(d *strict.Decoder, n *strict.Node, path string) {
	number, percent := strings.CutSuffix(n.Value, "%")
	whole, decimal, _ := strings.Cut(number, ".")
	if decimal == "" {
		decimal = "0"
	}
	thousandths, err := strconv.Atoi(whole + decimal)
	if !n.Scalar() || !percent || err != nil || thousandths < 0 || len(decimal) > 1 || thousandths > 1000 {
		d.Add(n, path, "wants a share such as 5% or 0.5%, not "+n.String())
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
