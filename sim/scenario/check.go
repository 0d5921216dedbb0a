package scenario

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"shelly/fsm"
	"shelly/fsm/wording"
	"shelly/sim"
	"shelly/sim/strict"
)

// FormatVersion is the version of the format that this package reads.
const FormatVersion = 1

// DefaultProfile is the profile of a file that names none.
const DefaultProfile = "shelly"

// checker gathers what is wrong with a file although each value has its type.
type checker struct {
	file     *File
	problems []strict.Problem
}

// checkFile returns what is wrong with a file although each value has its type.
func checkFile(f *File) []strict.Problem {
	c := &checker{file: f}
	c.check(f)
	return c.problems
}

func (k *checker) check(f *File) {
	if f.Version != FormatVersion {
		k.at("scenario", "this is version "+strconv.Itoa(f.Version)+" of the format; only version 1 is known")
	}
	k.checkHead(f)
	k.checkSetting(f)
	for _, tool := range f.Tools.Stubs {
		k.checkTool("tools."+wording.Word(tool.Name), tool.Value)
	}
	k.checkLines(f, "brain", f.Script.Lines)
	k.checkLive(f)
	k.checkReal(f)
	k.checkTimeline(f)
	k.checkCrashes(f.Faults.Crash)
	k.checkFaults(f)
	k.checkReplay(f)
	k.checkExpect(f)
}

// checkHead checks what names a file.
func (k *checker) checkHead(f *File) {
	switch {
	case strings.TrimSpace(f.Name) == "":
		k.at("name", "is empty")
	case wording.Line(f.Name) != f.Name:
		k.at("name", "wants one line of text")
	}
	k.checkTags(f)
	rule := regexp.MustCompile(`^[A-Z]{3}-[1-9][0-9]*$`)
	for i, id := range f.Covers {
		if !rule.MatchString(id) {
			k.at(strict.Element("covers", i), "wants the id of a rule such as INF-3, not "+wording.Word(id))
		}
	}
}

// checkSetting checks what a case is set in.
func (k *checker) checkSetting(f *File) {
	if _, ok := fsm.Profile(f.Profile); k.has("profile") && !ok {
		k.at("profile", wording.Unknown("profile", f.Profile, fsm.ProfileNames()))
	}
	k.checkConfig("config", f.Config, f)
	k.checkSkills(f)
	if f.ScriptFor != nil {
		k.checkLines(f, "brain_for.init", f.ScriptFor.Init)
		k.checkLines(f, "brain_for.summary", f.ScriptFor.Summary)
		k.checkLines(f, "brain_for.compact", f.ScriptFor.Compact)
		k.checkLines(f, "brain_for.subagent", f.ScriptFor.Subagent)
		k.checkLines(f, "brain_for.farewell", f.ScriptFor.Farewell)
	}
	if f.Embed != nil {
		k.checkOutage("embedding", &f.Embed.Outage)
	}
}

// at adds a problem at the place of a path.
func (k *checker) at(path, text string) {
	k.problems = append(k.problems, strict.Problem{Pos: k.file.Where(path), Path: path, Text: text})
}

// has reports whether the file has a path.
func (k *checker) has(path string) bool { return k.file.Where(path) != strict.Pos{} }

// oneOf wants at most one of the keys that are given. It returns how many are.
func (k *checker) oneOf(path string, given ...choice) int {
	var keys []string
	for _, c := range given {
		if c.given {
			keys = append(keys, c.key)
		}
	}
	if len(keys) > 1 {
		k.at(path, strings.Join(keys, " and ")+" exclude each other; give one of them")
	}
	return len(keys)
}

type choice struct {
	key   string
	given bool
}

func (k *checker) checkTool(path string, entries Entries) {
	effects := ""
	for i, e := range entries {
		at := strict.Element(path, i)
		k.oneOf(at, choice{"returns", e.Returns != nil}, choice{"reads", e.Reads != ""}, choice{"fails", e.Fails != nil}, choice{"hangs", e.Hangs},
			choice{"deaf", e.Deaf}, choice{"started_then_lost", e.Lost})
		k.oneOf(at, choice{"nothing", e.Nothing || e.Fails != nil && e.Fails.Retryable}, choice{"invalid", e.Invalid})
		if e.Fails == nil && (e.Nothing || e.Invalid) {
			k.at(at, "nothing and invalid belong to fails")
		}
		k.checkChanges(at, &e)
		switch {
		case e.Effects == "":
		case effects != "" && e.Effects != effects:
			k.at(at+".effects", "an entry before says "+effects+"; a tool has the same effects in all its entries")
		default:
			effects = e.Effects
		}
	}
}

func (k *checker) checkOutage(path string, o *Outage) {
	if o != nil {
		k.oneOf(path, choice{"fails", o.Fails != ""}, choice{"hangs", o.Hangs}, choice{"works", o.Works})
	}
}

func (k *checker) checkCrashes(crashes []Crash) {
	const key = "faults.crash"
	for i, c := range crashes {
		path := key
		if at := strict.Element(key, i); k.has(at) {
			path = at // one of a list
		}
		point, _, ok := crashPoint(c.At)
		switch {
		case !ok:
			k.at(path+".at", wording.Unknown("point", c.At, crashPoints()))
		case c.At == everyPoint && (len(crashes) > 1 || c.Nth != nil || c.Effect != "" || c.Restart != nil || c.Optional):
			k.at(path, everyPoint+" stands alone")
		case c.Nth != nil && point == sim.AfterStep:
			k.at(path+".nth", "the step is in the point: "+c.At)
		case c.Effect != "" && point != sim.BeforeEffect && point != sim.AfterEffect:
			k.at(path+".effect", "is for the points "+string(sim.BeforeEffect)+" and "+string(sim.AfterEffect))
		case k.has(path+".effect") && !slices.Contains(effectKinds(), c.Effect):
			k.at(path+".effect", wording.Unknown("effect", c.Effect, effectKinds()))
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

func (k *checker) checkExpect(f *File) {
	if f.Expect == nil && len(f.Always)+len(f.Never)+len(f.Eventually)+len(f.Replay) == 0 {
		k.problems = append(k.problems, strict.Problem{Pos: k.file.Where("name"), Text: "expects nothing; give expect, always, never or eventually"})
	}
	if f.Expect == nil {
		return
	}
	k.checkGolden(f.Expect.Golden)
	for i, h := range f.Expect.Handles {
		if h.Path == nil && h.Inferences == nil {
			k.at(strict.Element("expect.handles", i), "expects nothing; give path or inferences")
		}
	}
	if h := f.Expect.Handle; h != nil && h.Path == nil && h.Inferences == nil {
		k.at("expect.handle", "expects nothing; give path or inferences")
	}
	for _, t := range f.Expect.Tools {
		if known := f.Tools.names(); !slices.Contains(known, t.Name) {
			k.at("expect.tools."+wording.Word(t.Name), wording.Unknown("tool", t.Name, known))
		}
	}
	for i, o := range f.Expect.Trace {
		at := strict.Element("expect.trace", i)
		k.oneOf(at, choice{"before", o.Before != nil}, choice{"in_order", o.InOrder != nil}, choice{"count", o.Count != nil}, choice{"never", o.Never != nil}, choice{"eventually", o.Eventually != nil})
		if o.Eventually == nil && (o.After != nil || o.Within != nil) {
			k.at(at, "after and within belong to eventually")
		}
		if o.Before != nil && len(o.Before) != 2 {
			k.at(at+".before", "wants two items")
		}
		if o.InOrder != nil && len(o.InOrder) < 2 {
			k.at(at+".in_order", "wants two items or more")
		}
	}
}

func (k *checker) checkGolden(aspects []string) {
	if aspects != nil && len(aspects) == 0 {
		k.at("expect.golden", "is empty; name what is to be kept, such as replies or trace")
	}
	for i, name := range aspects {
		if slices.Contains(aspects[:i], name) {
			k.at(strict.Element("expect.golden", i), name+" is named twice")
		}
	}
}
