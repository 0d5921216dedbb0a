// Package check finds what is wrong with a file although each value has its type: keys
// that exclude each other, names of nothing, a live case that promises what only a script
// can.
package check

import (
	"slices"
	"strconv"
	"strings"

	"shelly/fsm/profile"
	"shelly/fsm/wording"
	"shelly/sim"
	"shelly/sim/scenario/expression"
	"shelly/sim/scenario/format"
	"shelly/sim/strict"
)

// checker gathers what is wrong with a file although each value has its type.
type checker struct {
	file     *format.File
	problems []strict.Problem
}

// File returns what is wrong with a file although each value has its type.
func File(f *format.File) []strict.Problem {
	c := &checker{file: f}
	c.check(f)
	return c.problems
}

func (k *checker) check(f *format.File) {
	if f.Version != format.FormatVersion {
		k.at("scenario", "this is version "+strconv.Itoa(f.Version)+" of the format; only version 1 is known")
	}
	k.checkHead(f)
	k.checkSetting(f)
	k.checkGrants("grants", f.Grants)
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
	k.checkConditions(f)
}

// checkHead checks what names a file.
func (k *checker) checkHead(f *format.File) {
	switch {
	case strings.TrimSpace(f.Name) == "":
		k.at("name", "is empty")
	case wording.Line(f.Name) != f.Name:
		k.at("name", "wants one line of text, each character of which can be seen; found "+strconv.QuoteToASCII(f.Name))
	}
	if k.has("skip") && strings.TrimSpace(f.Skipped) == "" {
		k.at("skip", "wants the reason; a case that is to be played has no skip")
	}
	k.checkTags(f)
	for i, id := range f.Covers {
		if !ruleID(id) {
			k.at(strict.Element("covers", i), "wants the id of a rule such as INF-3, not "+wording.Word(id))
		}
	}
}

// ruleID reports whether a text is three capital letters, a dash and a number.
func ruleID(s string) bool {
	letters, number, _ := strings.Cut(s, "-")
	return len(letters) == 3 && strings.Trim(letters, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "" &&
		number != "" && number[0] != '0' && strings.Trim(number, "0123456789") == ""
}

// checkSetting checks what a case is set in.
func (k *checker) checkSetting(f *format.File) {
	if _, ok := profile.Named(f.Profile); k.has("profile") && !ok {
		k.at("profile", wording.Unknown("profile", f.Profile, profile.Names()))
	}
	if f.Start() < 0 {
		k.at("clock.start", "is before 1970; the first start is at 1970-01-01T00:00:00Z or later")
	}
	k.checkConfig("config", f.Config, f)
	k.checkNeed("config", f, f.Config)
	k.checkSkills(f)
	if f.ScriptFor != nil {
		k.checkLines(f, "brain_for.init", f.ScriptFor.Init)
		k.checkLines(f, "brain_for.summary", f.ScriptFor.Summary)
		k.checkLines(f, "brain_for.compact", f.ScriptFor.Compact)
		k.checkLines(f, "brain_for.subagent", f.ScriptFor.Subagent)
		k.checkLines(f, "brain_for.farewell", f.ScriptFor.Farewell)
	}
	if f.Embed != nil && !f.Embed.Off {
		k.checkOutage("embedding", &f.Embed.Outage)
	}
}

// at adds a problem at the place of a path.
func (k *checker) at(path, text string) {
	k.problems = append(k.problems, strict.Problem{Pos: k.file.Where(path), Path: path, Text: text})
}

func (k *checker) has(path string) bool { return k.file.Where(path) != strict.Pos{} }

// given is a key and whether the file gives it.
func given(key string, is bool) format.Choice { return format.Choice{Key: key, Given: is} }

// oneOf wants at most one of the keys that are given. It returns how many are.
func (k *checker) oneOf(path string, given ...format.Choice) int {
	var keys []string
	for _, c := range given {
		if c.Given {
			keys = append(keys, c.Key)
		}
	}
	if len(keys) > 1 {
		k.at(path, strings.Join(keys, " and ")+" exclude each other; give one of them")
	}
	return len(keys)
}

func (k *checker) checkCrashes(crashes []format.Crash) {
	const key = "faults.crash"
	for i, c := range crashes {
		path := key
		if at := strict.Element(key, i); k.has(at) {
			path = at // one of a list
		}
		point, _, ok := format.CrashPoint(c.At)
		switch {
		case !ok:
			k.at(path+".at", wording.Unknown("point", c.At, format.CrashPoints()))
		case c.At == format.EveryPoint && (len(crashes) > 1 || c.Nth != nil || c.Effect != "" || c.Restart != nil || c.Synced || c.Optional):
			k.at(path, format.EveryPoint+" stands alone, but for may_change")
		case c.May != nil && c.At != format.EveryPoint:
			k.at(path+".may_change", "is for a crash at "+format.EveryPoint+" point")
		case c.Nth != nil && point == sim.AfterStep:
			k.at(path+".nth", "the step is in the point: "+c.At)
		case c.Effect != "" && point != sim.BeforeEffect && point != sim.AfterEffect:
			k.at(path+".effect", "is for the points "+string(sim.BeforeEffect)+" and "+string(sim.AfterEffect))
		case k.has(path+".effect") && !slices.Contains(expression.EffectKinds(), c.Effect):
			k.at(path+".effect", wording.Unknown("effect", c.Effect, expression.EffectKinds()))
		}
	}
	k.checkExceptions()
}

// checkExceptions wants claims of the case, each once.
func (k *checker) checkExceptions() {
	var known []string
	for _, c := range k.file.CrashClaims() {
		known = append(known, c.Name())
	}
	may := k.file.MayChange()
	for i, name := range may {
		switch at := strict.Element("faults.crash.may_change", i); {
		case !slices.Contains(known, name):
			k.at(at, wording.Unknown("claim of this case", name, known))
		case slices.Contains(may[:i], name):
			k.at(at, name+" is named twice")
		}
	}
}

func (k *checker) checkExpect(f *format.File) {
	if f.Expect == nil && len(f.Always)+len(f.Never)+len(f.Eventually)+len(f.Replay) == 0 {
		k.problems = append(k.problems, strict.Problem{Pos: k.file.Where("name"), Text: "expects nothing; give expect, always, never or eventually"})
	}
	if f.Expect == nil {
		return
	}
	k.checkGolden(f.Expect.Golden)
	for _, list := range []format.Choice{
		given("trace", f.Expect.Trace != nil && len(f.Expect.Trace) == 0),
		given("handles", f.Expect.Handles != nil && len(f.Expect.Handles) == 0),
		given("tools", k.has("expect.tools") && len(f.Expect.Tools) == 0),
	} {
		if list.Given {
			k.at("expect."+list.Key, "is empty and so says nothing; leave it out")
		}
	}
	k.checkShapes(f.Expect)
	for i, h := range f.Expect.Handles {
		if h.Path == nil && h.Inferences == nil {
			k.at(strict.Element("expect.handles", i), "expects nothing; give path or inferences")
		}
	}
	if h := f.Expect.Handle; h != nil && h.Path == nil && h.Inferences == nil {
		k.at("expect.handle", "expects nothing; give path or inferences")
	}
	if f.Expect.Tokens != nil && f.Server == nil && !k.has("replay") {
		k.at("expect.tokens", "only a server counts tokens, and without one they are 0; give server, such as server: laptop")
	}
	for _, t := range f.Expect.Tools {
		if known := f.ToolNames(); !slices.Contains(known, t.Name) {
			k.at("expect.tools."+wording.Word(t.Name), wording.Unknown("tool", t.Name, known))
		}
		if t.Value.Starts == nil && t.Value.Uses == nil {
			k.at("expect.tools."+wording.Word(t.Name), "expects nothing; give starts or uses")
		}
	}
	for i, o := range f.Expect.Trace {
		at := strict.Element("expect.trace", i)
		k.oneOf(at, given("before", o.Before != nil), given("in_order", o.InOrder != nil), given("count", o.Count != nil), given("never", o.Never != nil), given("eventually", o.Eventually != nil))
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

// checkConditions checks the expressions of always, never and eventually, and the words of
// items.
func (k *checker) checkConditions(f *format.File) {
	for path, item := range f.Items() {
		wrong := item.Unknown(path)
		if wrong == nil {
			wrong = item.Apart(path)
		}
		k.problems = append(k.problems, wrong...)
	}
	that := func(at string, c *format.Condition) {
		if k.has(at + ".that") {
			at += ".that"
		}
		k.checkCounted(f, at, c.Expression)
	}
	when := func(at string, c *format.Condition) {
		if c != nil {
			k.checkCounted(f, at+".when", c.Expression)
		}
	}
	claims := func(key string, list []format.Claim) {
		for i := range list {
			at := strict.Element(key, i)
			that(at, &list[i].That)
			when(at, list[i].When)
			if list[i].Optional && list[i].When == nil && (key == "never" || list[i].That.Item == nil) {
				k.at(at+".optional", "is for a claim with when, and for an item of always; any other judges each run")
			}
		}
	}
	claims("always", f.Always)
	claims("never", f.Never)
	for i := range f.Eventually {
		at := strict.Element("eventually", i)
		that(at, &f.Eventually[i].That)
		when(at, f.Eventually[i].When)
		if f.Eventually[i].Optional && f.Eventually[i].When == nil {
			k.at(at+".optional", "is for a promise with when; any other judges each run")
		}
	}
}

// checkCounted wants a server for what only a server counts; nil is not an expression.
func (k *checker) checkCounted(f *format.File, path string, e *expression.Expression) {
	if e == nil || f.Server != nil || k.has("replay") {
		return
	}
	for _, name := range []string{"sent", "read", "written"} {
		if e.Names(name) {
			k.at(path, "only a server counts tokens, and without one "+name+" is 0; give server, such as server: laptop")
			return
		}
	}
}

// checkShapes wants of the keys of matchers that what they are for can have them.
func (k *checker) checkShapes(e *format.Expect) {
	add := func(path string, of any) { k.problems = append(k.problems, format.Foreign(path, of)...) }
	add("expect", e)
	if e.Handle != nil {
		add("expect.handle", e.Handle)
	}
	for i := range e.Handles {
		add(strict.Element("expect.handles", i), &e.Handles[i])
	}
	if e.Inference != nil {
		add("expect.inference", e.Inference)
	}
	if e.Lifecycle != nil {
		add("expect.lifecycle", e.Lifecycle)
	}
	if e.Clock != nil {
		add("expect.clock", e.Clock)
	}
	if e.Memory != nil {
		add("expect.memory", e.Memory)
	}
	for i := range e.Tools {
		at := "expect.tools." + wording.Word(e.Tools[i].Name)
		add(at, &e.Tools[i].Value)
	}
	for i := range e.Trace {
		if c := e.Trace[i].Count; c != nil {
			add(strict.Element("expect.trace", i)+".count", c)
		}
	}
}

func (k *checker) checkGolden(aspects []string) {
	if aspects != nil && len(aspects) == 0 {
		k.at("expect.golden", "is empty; name what is to be kept, such as replies or trace")
	}
	asked, trace := slices.Contains(aspects, "asked"), slices.Contains(aspects, "trace")
	for i, name := range aspects {
		switch {
		case name == "prompt" && !asked:
			k.at(strict.Element("expect.golden", i), "prompt says how much of asked is kept; name asked too")
		case name == "estimates" && !asked && !trace:
			k.at(strict.Element("expect.golden", i), "estimates says how much of asked and trace is kept; name one of them too")
		}
		if slices.Contains(aspects[:i], name) {
			k.at(strict.Element("expect.golden", i), name+" is named twice")
		}
	}
}
