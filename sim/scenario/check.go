package scenario

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"shelly/fsm"
	"shelly/sim"
)

// FormatVersion is the version of the format that this package reads.
const FormatVersion = 1

// DefaultProfile is the profile of a file that names none.
const DefaultProfile = "shelly"

// check looks for what is wrong with a file although each value has its type.
func (d *decoder) check(f *File) {
	if f.Version != FormatVersion {
		d.at("scenario", "this is version "+strconv.Itoa(f.Version)+" of the format; only version 1 is known")
	}
	d.checkHead(f)
	d.checkSetting(f)
	for _, tool := range f.Tools.Stubs {
		d.checkTool("tools."+shown(tool.Name), tool.Value)
	}
	d.checkLines(f, "brain", f.Script.Lines)
	d.checkLive(f)
	d.checkReal(f)
	d.checkTimeline(f)
	d.checkCrashes(f.Faults.Crash)
	d.checkFaults(f)
	d.checkReplay(f)
	d.checkExpect(f)
}

// checkHead checks what names a file.
func (d *decoder) checkHead(f *File) {
	switch {
	case strings.TrimSpace(f.Name) == "":
		d.at("name", "is empty")
	case strings.Map(printable, f.Name) != f.Name:
		d.at("name", "wants one line of text")
	}
	d.checkTags(f)
	rule := regexp.MustCompile(`^[A-Z]{3}-[1-9][0-9]*$`)
	for i, id := range f.Covers {
		if !rule.MatchString(id) {
			d.at(element("covers", i), "wants the id of a rule such as INF-3, not "+shown(id))
		}
	}
}

// checkSetting checks what a case is set in.
func (d *decoder) checkSetting(f *File) {
	if _, ok := fsm.Profile(f.Profile); d.where["profile"] != (Pos{}) && !ok {
		d.at("profile", unknown("profile", f.Profile, fsm.ProfileNames()))
	}
	d.checkConfig("config", f.Config, f)
	d.checkSkills(f)
	if f.ScriptFor != nil {
		d.checkLines(f, "brain_for.init", f.ScriptFor.Init)
		d.checkLines(f, "brain_for.summary", f.ScriptFor.Summary)
		d.checkLines(f, "brain_for.compact", f.ScriptFor.Compact)
		d.checkLines(f, "brain_for.subagent", f.ScriptFor.Subagent)
		d.checkLines(f, "brain_for.farewell", f.ScriptFor.Farewell)
	}
	if f.Embed != nil {
		d.checkOutage("embedding", &f.Embed.Outage)
	}
}

// at adds a problem at the place of a path.
func (d *decoder) at(path, text string) {
	d.problems = append(d.problems, Problem{Pos: d.where[path], Path: path, Text: text})
}

// oneOf wants at most one of the keys that are given. It returns how many are.
func (d *decoder) oneOf(path string, given ...choice) int {
	var keys []string
	for _, c := range given {
		if c.given {
			keys = append(keys, c.key)
		}
	}
	if len(keys) > 1 {
		d.at(path, strings.Join(keys, " and ")+" exclude each other; give one of them")
	}
	return len(keys)
}

type choice struct {
	key   string
	given bool
}

func (d *decoder) checkTool(path string, entries Entries) {
	effects := ""
	for i, e := range entries {
		at := element(path, i)
		d.oneOf(at, choice{"returns", e.Returns != nil}, choice{"reads", e.Reads != ""}, choice{"fails", e.Fails != nil}, choice{"hangs", e.Hangs},
			choice{"deaf", e.Deaf}, choice{"started_then_lost", e.Lost})
		d.oneOf(at, choice{"nothing", e.Nothing || e.Fails != nil && e.Fails.Retryable}, choice{"invalid", e.Invalid})
		if e.Fails == nil && (e.Nothing || e.Invalid) {
			d.at(at, "nothing and invalid belong to fails")
		}
		d.checkChanges(at, &e)
		switch {
		case e.Effects == "":
		case effects != "" && e.Effects != effects:
			d.at(at+".effects", "an entry before says "+effects+"; a tool has the same effects in all its entries")
		default:
			effects = e.Effects
		}
	}
}

func (d *decoder) checkOutage(path string, o *Outage) {
	if o != nil {
		d.oneOf(path, choice{"fails", o.Fails != ""}, choice{"hangs", o.Hangs}, choice{"works", o.Works})
	}
}

func (d *decoder) checkCrashes(crashes []Crash) {
	const key = "faults.crash"
	for i, c := range crashes {
		path := key
		if at := element(key, i); d.where[at] != (Pos{}) {
			path = at // one of a list
		}
		point, _, ok := crashPoint(c.At)
		switch {
		case !ok:
			d.at(path+".at", unknown("point", c.At, crashPoints()))
		case c.At == everyPoint && (len(crashes) > 1 || c.Nth != nil || c.Effect != "" || c.Restart != nil || c.Optional):
			d.at(path, everyPoint+" stands alone")
		case c.Nth != nil && point == sim.AfterStep:
			d.at(path+".nth", "the step is in the point: "+c.At)
		case c.Effect != "" && point != sim.BeforeEffect && point != sim.AfterEffect:
			d.at(path+".effect", "is for the points "+string(sim.BeforeEffect)+" and "+string(sim.AfterEffect))
		case d.where[path+".effect"] != (Pos{}) && !slices.Contains(effectKinds(), c.Effect):
			d.at(path+".effect", unknown("effect", c.Effect, effectKinds()))
		}
	}
}

// everyPoint stands for each crash point that the uninterrupted case meets.
const everyPoint = "$every"

// crashPoints are the points as a file names them; a step has a number.
func crashPoints() []string {
	var names []string
	for _, p := range sim.Points() {
		if p == sim.AfterStep {
			p += ".1"
		}
		names = append(names, string(p))
	}
	return append(names, everyPoint)
}

// crashPoint returns the point and step that a file names.
func crashPoint(name string) (point sim.Point, step int, ok bool) {
	if number, found := strings.CutPrefix(name, "step."); found {
		n, err := strconv.Atoi(number)
		return sim.AfterStep, n, err == nil && n > 0
	}
	known := slices.Contains(crashPoints(), name)
	return sim.Point(name), 0, known
}

func effectKinds() []string {
	var kinds []string
	for _, e := range []fsm.Effect{
		fsm.AskBrain{}, fsm.RunTool{}, fsm.AbortCall{}, fsm.Recall{}, fsm.Embed{}, fsm.Store{},
		fsm.SetTimer{}, fsm.ClearTimer{}, fsm.Reply{}, fsm.Notify{}, fsm.Report{}, fsm.Exit{},
		fsm.LoadSession{}, fsm.SaveSession{}, fsm.LoadSkill{}, fsm.SendMessage{},
		fsm.ArmSchedule{}, fsm.DisarmSchedule{}, fsm.AskPerson{}, fsm.Audit{},
	} {
		kinds = append(kinds, fsm.EffectKind(e))
	}
	return kinds
}

func (d *decoder) checkExpect(f *File) {
	if f.Expect == nil && len(f.Always)+len(f.Never)+len(f.Eventually)+len(f.Replay) == 0 {
		d.problems = append(d.problems, Problem{Pos: d.where["name"], Text: "expects nothing; give expect, always, never or eventually"})
	}
	if f.Expect == nil {
		return
	}
	d.checkGolden(f.Expect.Golden)
	for i, h := range f.Expect.Handles {
		if h.Path == nil && h.Inferences == nil {
			d.at(element("expect.handles", i), "expects nothing; give path or inferences")
		}
	}
	if h := f.Expect.Handle; h != nil && h.Path == nil && h.Inferences == nil {
		d.at("expect.handle", "expects nothing; give path or inferences")
	}
	for _, t := range f.Expect.Tools {
		if known := f.Tools.names(); !slices.Contains(known, t.Name) {
			d.at("expect.tools."+shown(t.Name), unknown("tool", t.Name, known))
		}
	}
	for i, o := range f.Expect.Trace {
		at := element("expect.trace", i)
		d.oneOf(at, choice{"before", o.Before != nil}, choice{"in_order", o.InOrder != nil}, choice{"count", o.Count != nil}, choice{"never", o.Never != nil}, choice{"eventually", o.Eventually != nil})
		if o.Eventually == nil && (o.After != nil || o.Within != nil) {
			d.at(at, "after and within belong to eventually")
		}
		if o.Before != nil && len(o.Before) != 2 {
			d.at(at+".before", "wants two items")
		}
		if o.InOrder != nil && len(o.InOrder) < 2 {
			d.at(at+".in_order", "wants two items or more")
		}
	}
}

func (d *decoder) checkGolden(aspects []string) {
	if aspects != nil && len(aspects) == 0 {
		d.at("expect.golden", "is empty; name what is to be kept, such as replies or trace")
	}
	for i, name := range aspects {
		if slices.Contains(aspects[:i], name) {
			d.at(element("expect.golden", i), name+" is named twice")
		}
	}
}
