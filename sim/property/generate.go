package property

import (
	"fmt"
	"slices"
	"strings"

	"shelly/fsm"
	"shelly/fsm/wording"
	"shelly/sim"
	"shelly/sim/scenario"
	"shelly/sim/scenario/format"
	"shelly/sim/scenario/layout"
	"shelly/sim/strict"
)

// generator writes cases of a property.
type generator struct {
	file  *scenario.File
	of    *format.Property
	tools []fsm.ToolDecl
	draw  *choices
}

// source draws a case and writes it. What its script leaves open is open in no case:
// entries are optional, and a last one serves every further call.
func (g *generator) source(found *found) ([]byte, error) {
	root := strict.Map()
	add := func(key string, value *strict.Node) {
		if value != nil && (value.Scalar() || len(value.Content) > 0) {
			root.Put(key, value)
		}
	}
	add("scenario", strict.Number(format.FormatVersion))
	add("name", text(g.name(found)))
	if found != nil {
		add("found", found.node(g.file))
	}
	root.Content = append(root.Content, g.file.SettingNodes()...)
	timeline := g.timeline()
	add("brain", g.brain(g.of.Generate.Brain.Length))
	g.subagents(root)
	add("tools", g.stubs())
	add("timeline", timeline)
	add("faults", g.faults())
	if seed := g.draw.Choose("order", seedsMax); seed > 0 {
		add("seed", strict.Number(seed))
	}
	always := strict.List()
	for _, i := range g.of.Invariants {
		if i.Expr != nil {
			always.Content = append(always.Content, text(i.Expr.String()))
		}
	}
	always.Content = append(always.Content, text(g.stepsBound()))
	always.Style = 0
	add("always", always)
	source, err := strict.Write(root, columnsMax)
	if err != nil || found == nil {
		return source, err
	}
	return layout.Text(source) // people keep it
}

// columnsMax is where a line of a case is broken, if it can be.
const columnsMax = 140

// seedsMax is how many orders of what is due at once a case may have.
const seedsMax = 1 << 16

// stepsBound is the expression that bounds a case's steps.
func (g *generator) stepsBound() string { return fmt.Sprintf("step <= %d", g.of.Runs.Steps()) }

func (g *generator) name(f *found) string {
	if f == nil {
		return g.file.Name
	}
	name := []rune(g.file.Name + ": " + wording.Line(wording.Visible(f.invariant)))
	return string(name[:min(len(name), nameCharsMax)])
}

const nameCharsMax = 150

// swarm draws the weights of a case: some of what may be picked is left out, and the
// other weights are redrawn (swarm testing; Groce and others, ISSTA 2012). Choosing 0
// leaves a weight as it is.
func swarm[T any](g *generator, picks []format.Drawn[T]) []int {
	weights := make([]int, len(picks))
	sum := 0
	for i := range picks {
		weights[i] = picks[i].Weight
		if g.of.Generate.Swarm == nil || *g.of.Generate.Swarm {
			switch g.draw.Choose("swarm", 4) {
			case 1:
				weights[i] = 0
			case 2, 3:
				weights[i] = 1 + g.draw.Choose("weight", weightsMax)
			}
		}
		sum += weights[i]
	}
	if sum == 0 {
		weights[0] = 1
	}
	return weights
}

const weightsMax = 10

// pick draws one of things by their weights; there is one with a weight.
func (g *generator) pick(weights []int) int {
	sum := 0
	for _, w := range weights {
		sum += w
	}
	drawn := g.draw.Choose("pick", sum)
	for i, w := range weights {
		if drawn < w {
			return i
		}
		drawn -= w
	}
	return 0
}

// timeline draws what happens when. What repeats a request comes after one.
func (g *generator) timeline() *strict.Node {
	own := &g.of.Generate.Timeline
	weights := swarm(g, own.Pick)
	out := strict.List()
	at, asked := fsm.Millis(0), false
	g.draw.several(own.Length.Min, own.Length.Max, func() {
		gap := own.Gap.Draw(g.draw, "gap")
		at += millis(gap)
		allowed := make([]int, len(weights))
		sum := 0
		for i, w := range weights {
			if asked || own.Pick[i].Key() != "duplicate_last" {
				allowed[i] = w
			}
			sum += allowed[i]
		}
		if sum == 0 {
			return
		}
		pick := &own.Pick[g.pick(allowed)]
		moment := flow(text("at"), text(at.String()))
		moment.Content = append(moment.Content, pick.Draw(g.draw, g.tools).Content...)
		switch pick.Key() {
		case "user", "command":
			asked = true
		case "start", "cancel", "approve", "deny", "resolve", "revoke", "schedule":
			moment.Put("optional", strict.True())
		}
		out.Content = append(out.Content, moment)
	})
	return out
}

// callsMax is how many calls the last entry of a script serves.
const callsMax = 10_000

// brain draws a number of answers of the model. The last line serves every further call.
func (g *generator) brain(length format.Range) *strict.Node {
	own := &g.of.Generate.Brain
	out := strict.List()
	if len(own.Pick) > 0 {
		weights := swarm(g, own.Pick)
		g.draw.several(length.Min, length.Max, func() {
			line := own.Pick[g.pick(weights)].Draw(g.draw, g.tools)
			line.Style = strict.Flow
			g.takes(line, &own.Takes)
			line.Put("optional", strict.True())
			out.Content = append(out.Content, line)
		})
	}
	out.Content = append(out.Content, flow(text("says"), text("Done."), text("times"), strict.Number(callsMax), text("optional"), strict.True()))
	return out
}

// subagents draws what the model says to subagents, where they can be and the file
// scripts none.
func (g *generator) subagents(root *strict.Node) {
	if !slices.ContainsFunc(g.tools, func(t fsm.ToolDecl) bool { return t.Name == fsm.ToolSpawn }) {
		return
	}
	scripts := root.Get("brain_for")
	if scripts == nil {
		scripts = strict.Map()
		root.Put("brain_for", scripts)
	}
	if !scripts.Has("subagent") {
		length := g.of.Generate.Brain.Length
		length.Min = 0
		scripts.Style = 0
		scripts.Put("subagent", g.brain(length))
	}
}

// takes adds to an entry how long it takes, where it does not say so itself.
func (g *generator) takes(entry *strict.Node, of *format.DurationRange) {
	if entry.Has("takes") || of.Max == 0 {
		return
	}
	if took := of.Draw(g.draw, "takes"); millis(took) > 0 {
		entry.Put("takes", text(took))
	}
}

// toolAnswersMax is how many answers of each tool are drawn unless the property says so.
const toolAnswersMax = 4

// toolKeys are the keys of an entry that are for its tool.
func toolKeys() []string {
	return []string{"effects", "approve", "approve_if", "approve_unless", "subject", "description", "parameters"}
}

// stubs draws what the tools come to. The last entry of each serves every further call.
func (g *generator) stubs() *strict.Node {
	out := strict.Map()
	length := format.Range{Max: toolAnswersMax}
	if own := g.of.Generate.Tools.Length; own != nil {
		length = *own
	}
	for _, tool := range g.of.Tools {
		weights := swarm(g, tool.Value)
		entries := strict.List()
		g.draw.several(length.Min, length.Max, func() {
			entry := tool.Value[g.pick(weights)].Draw(g.draw, g.tools)
			entry.Style = strict.Flow
			for _, key := range toolKeys() {
				without(entry, key)
			}
			g.takes(entry, &g.of.Generate.Tools.Takes)
			entry.Put("optional", strict.True())
			entries.Content = append(entries.Content, entry)
		})
		last := tool.Value[0].Draw(g.draw, g.tools)
		last.Style = strict.Flow
		for i := range tool.Value[1:] {
			other := tool.Value[i+1].Draw(&choices{from: sim.First{}}, g.tools)
			for _, key := range toolKeys() {
				if value := other.Get(key); value != nil && !last.Has(key) {
					last.Put(key, value)
				}
			}
		}
		last.Put("times", strict.Number(callsMax))
		last.Put("optional", strict.True())
		entries.Content = append(entries.Content, last)
		out.Put(tool.Name, entries)
	}
	return out
}

func without(n *strict.Node, key string) {
	if i := n.Index(key); i >= 0 {
		n.Content = append(n.Content[:i:i], n.Content[i+2:]...)
	}
}

// text is a text as a file has it where variables are put in.
func text(s string) *strict.Node { return strict.Text(strings.ReplaceAll(s, "${", "$${")) }

// flow is a map on one line.
func flow(members ...*strict.Node) *strict.Node { return strict.Map(members...).OnOneLine() }
