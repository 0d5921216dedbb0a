package check

import (
	"slices"
	"strconv"

	"shelly/fsm/wording"
	"shelly/sim/scenario/format"
	"shelly/sim/strict"
)

// Property returns what is wrong with a property although each value has its type.
func Property(f *format.File, p *format.Property) []strict.Problem {
	k := &checker{file: f}
	k.checkOwn(f, p)
	return k.problems
}

func (k *checker) checkOwn(f *format.File, p *format.Property) {
	if p.Version != format.FormatVersion {
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
			for n := range t.Value[i].Samples {
				k.checkTool(at, format.Entries(t.Value[i].Samples[n:n+1]))
			}
		}
	}
	g := &p.Generate
	for i := range g.Timeline.Pick {
		for n := range g.Timeline.Pick[i].Samples {
			k.checkMoment(f, strict.Element("generate.timeline.pick", i), &g.Timeline.Pick[i].Samples[n])
		}
	}
	for i := range g.Brain.Pick {
		named, _ := g.Brain.Pick[i].CallTools()
		for _, tool := range named {
			if known := f.Declared(); !slices.Contains(known, tool) {
				k.at(strict.Element("generate.brain.pick", i)+".calls.tools", wording.Unknown("tool", tool, known)+"; for one that is not declared, say unknown_tool")
			}
		}
		for n := range g.Brain.Pick[i].Samples {
			k.checkLine(f, strict.Element("generate.brain.pick", i), &g.Brain.Pick[i].Samples[n])
		}
	}
	if len(p.Invariants) == 0 {
		k.at("invariants", "is empty; give $all, or an expression")
	}
	for i, v := range p.Invariants {
		k.checkCounted(f, strict.Element("invariants", i), v.Expr)
	}
	for i := range p.Cover {
		k.checkCounted(f, strict.Element("cover", i)+".when", &p.Cover[i].When)
	}
	switch {
	case len(g.Timeline.Pick) == 0:
		k.at("generate", "the key timeline.pick is missing: nothing would happen")
	case g.Timeline.Length.Max == 0:
		k.noLength("generate.timeline", "nothing would happen")
	case len(g.Brain.Pick) > 0 && g.Brain.Length.Max == 0:
		k.noLength("generate.brain", "nothing of it would be picked")
	}
	names := map[string]bool{}
	for i := range p.Cover {
		if name := p.Cover[i].Name; names[name] {
			k.at(strict.Element("cover", i)+".name", wording.Word(name)+" is the name of one before it; the report tells them apart by their names, so give another")
		}
		names[p.Cover[i].Name] = true
	}
}

// noLength says that nothing is drawn of what can be picked.
func (k *checker) noLength(path, then string) {
	if at := path + ".length"; k.file.Where(at) != (strict.Pos{}) {
		k.at(at, "max is 0: "+then)
		return
	}
	k.at(path, "the key length is missing: "+then)
}
