// Package compile makes of a scenario file what the simulator plays: a [sim.Plan], or the
// inputs of a replay, and a player of the script alone.
package compile

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"shelly/fsm"
	"shelly/fsm/profile"
	"shelly/sim"
	"shelly/sim/disk"
	"shelly/sim/scenario/format"
	"shelly/sim/script"
	"shelly/sim/strict"
)

// Zones are the zones of local time of a case.
func Zones(f *format.File) []fsm.Zone {
	if f.Clock == nil || f.Clock.Zone == nil {
		return nil
	}
	z := f.Clock.Zone
	out := fsm.Zone{Name: z.Name, Offset: int(z.Offset)}
	for _, c := range z.Changes {
		out.Changes = append(out.Changes, fsm.Change{At: fsm.Millis(c.At), Offset: int(c.Offset)})
	}
	return []fsm.Zone{out}
}

// Plan is the scenario as the simulator plays it. Where the crash is $every the
// plan has no crashes: package sim/crash adds them.
func Plan(f *format.File) sim.Plan {
	p := sim.Plan{
		Config:     Config(f, f.Config),
		Tools:      f.Config.Names(nil),
		Start:      fsm.Millis(f.Start()),
		Scripts:    Scripts(f),
		Live:       f.Script.Live,
		Strict:     f.Strict,
		Describes:  f.AsText,
		World:      world(f),
		Skills:     skills(f),
		Memory:     memory(f),
		Sessions:   sessions(f),
		MemoryFile: f.MemoryMD,
		Grants:     grants(f.Grants),
		Approve:    approve(f.Config),
		Timeline:   timeline(f),
		Seed:       seed(f),
		Server:     f.Server.Config(),
		Zones:      Zones(f),
	}
	start(f.Latency(), &p)
	for _, fault := range Faults(f) {
		p.Faults = append(p.Faults, fault.Fault)
	}
	if f.Clock != nil {
		p.Until = fsm.Millis(f.Clock.Until)
	}
	for _, t := range f.Tools.Stubs {
		p.Stubs = append(p.Stubs, stub(t.Name, t.Value))
	}
	p.Stubs = append(p.Stubs, servers(f.Servers)...)
	if f.Tools.Real {
		p.Workspace = f.Speaks().Workspace
	}
	if f.Embed != nil {
		p.NoVectors = f.Embed.Off
		p.Embedding = service(&f.Embed.Outage)
	}
	if !f.EveryCrash() {
		for _, c := range f.Faults.Crash {
			p.Crashes = append(p.Crashes, crash(&c))
		}
	}
	return p
}

// Config is the profile with the file's own settings and, after them, later ones.
// Unless the file mentions the initial inference it is off, and so is reading ahead (SCN-4).
func Config(f *format.File, settings ...*format.Config) fsm.Config {
	c, _ := profile.Named(cmp.Or(f.Profile, format.DefaultProfile)) // checked when the file was loaded
	if f.ScriptFor == nil || f.ScriptFor.Init == nil {
		c.Init = fsm.InitOff
	}
	c.Switches.ReadAhead = false // a script has lines for questions
	for _, s := range settings {
		c = s.Apply(c)
	}
	if Given(settings, "identity") != nil && Given(settings, "subagent") == nil {
		c.Prompts.TellSubagents()
	}
	c.Prompts = c.Prompts.Fill(f.Speaks())
	return c
}

// Given is the last of the settings that has a text of its own in place of a profile's, or nil.
func Given(settings []*format.Config, prompt string) *format.Config {
	for _, s := range slices.Backward(settings) {
		if s.HasPrompt(prompt) {
			return s
		}
	}
	return nil
}

// Source is the lines for one purpose and session, and where the file has them.
type Source struct {
	purpose fsm.Purpose
	session string
	Lines   []format.Line
	Paths   []string // of each line
}

// Scripted returns the file's scripts in the order in which the plan has them.
func Scripted(f *format.File) []Source {
	list := split(fsm.PurposeAnswer, "brain", f.Script.Lines)
	if own := f.ScriptFor; own != nil {
		list = append(list, split(fsm.PurposeInit, "brain_for.init", own.Init)...)
		list = append(list, split(fsm.PurposeSummary, "brain_for.summary", own.Summary)...)
		list = append(list, split(fsm.PurposeCompact, "brain_for.compact", own.Compact)...)
		list = append(list, split(fsm.PurposeSubagent, "brain_for.subagent", own.Subagent)...)
		list = append(list, split(fsm.PurposeFarewell, "brain_for.farewell", own.Farewell)...)
	}
	return list
}

// split returns a script for all sessions, and one for each that is named.
func split(purpose fsm.Purpose, path string, lines []format.Line) []Source {
	list := []Source{{purpose: purpose}}
	for n, l := range lines {
		i := slices.IndexFunc(list, func(s Source) bool { return s.session == l.Session })
		if i < 0 {
			i = len(list)
			list = append(list, Source{purpose: purpose, session: l.Session})
		}
		list[i].Lines = append(list[i].Lines, l)
		list[i].Paths = append(list[i].Paths, strict.Element(path, n))
	}
	return list
}

func Scripts(f *format.File) []script.Script {
	var scripts []script.Script
	for _, s := range Scripted(f) {
		one := script.Script{Purpose: s.purpose, Session: s.session}
		for _, l := range s.Lines {
			line := Line(&l)
			line.AsText = f.AsText
			one.Lines = append(one.Lines, line)
		}
		scripts = append(scripts, one)
	}
	return scripts
}

// Player plays the file's scripts.
func Player(f *format.File, repeat bool) *script.Player {
	p := script.NewPlayer(Scripts(f))
	p.Strict, p.Quiet, p.Repeat = f.Strict, f.Latency().Brain.Or(0), repeat
	return p
}

// line is the line as the simulator answers with it.
func Line(l *format.Line) script.Line {
	out := script.Line{
		Thinking: l.Thinks,
		Quotes:   l.Quotes != "",
		Repeats:  l.Repeats,
		Length:   l.Stops == "length",
		Hangs:    l.Hangs,
	}
	out.Text, _ = l.Text()
	switch {
	case l.Fails != nil:
		out.Fails, out.Reason = l.Fails.Class(), l.Fails.Message
	case l.Cut:
		out.Fails, out.Reason = fsm.BrainCutStream, "the stream ended without its last line"
	case l.Garbage != "":
		out.Fails, out.Reason = fsm.BrainGarbage, l.Garbage
	case l.Dropped != nil:
		out.Tokens.Prompt = int(l.Dropped.Prompt)
		out.Fails, out.Reason = fsm.BrainContextTruncated, script.TruncatedReason(out.Tokens.Prompt)
	case out.Text == "" && l.Stream != nil:
		out.Text = strings.Join(l.Stream.Chunks.Texts, "")
	}
	if l.Tokens != nil {
		out.Tokens.Prompt = l.Tokens.Prompt.Or(0)
		out.Tokens.Answer = l.Tokens.Answer.Or(0)
	}
	out.Calls = toolCalls(l.AllCalls())
	out.BadArgs = slices.ContainsFunc(l.AllCalls(), func(c format.Call) bool { return c.Bad != "" })
	out.Times = l.Times.Or(0)
	return inTime(l, out)
}

func toolCalls(calls []format.Call) []fsm.ToolCall {
	var list []fsm.ToolCall
	for _, c := range calls {
		args := string(c.Args)
		switch {
		case c.Bad != "":
			args = c.Bad
		case args == "":
			args = "{}"
		}
		list = append(list, fsm.ToolCall{ID: c.ID, Name: c.Tool, Args: args})
	}
	return list
}

// stub is a tool with its entries. Undeclared effects are unsafe.
func stub(name string, entries format.Entries) sim.Stub {
	s := sim.Stub{Decl: fsm.ToolDecl{Name: name, Effects: fsm.EffectsUnsafe}}
	for _, e := range entries {
		if e.Effects != "" {
			s.Decl.Effects = fsm.ToolEffects(e.Effects)
		}
		s.Decl.Approve = s.Decl.Approve || e.Approve
		s.Decl.Rules = append(s.Decl.Rules, rules(e.AskedIf, true)...)
		s.Decl.Rules = append(s.Decl.Rules, rules(e.Spared, false)...)
		s.Decl.Subject = append(s.Decl.Subject, e.Subject...)
		if e.About != "" {
			s.Decl.Description = e.About
		}
		if e.Schema != "" {
			s.Decl.Parameters = string(e.Schema)
		}
		act := sim.Act{Reads: e.Reads, Changes: Changes(&e), Nothing: e.Nothing, Invalid: e.Invalid, Hangs: e.Hangs, Deaf: e.Deaf, Lost: e.Lost, Asks: e.Asks, Takes: e.Takes.Or(0)}
		if e.Returns != nil {
			act.Returns = *e.Returns
		}
		if e.Fails != nil {
			act.Returns, act.Failed, act.Nothing = e.Fails.Text(), true, e.Nothing || e.Fails.Retryable
		}
		if e.Probe != nil {
			s.Decl.Probe, act.Probe = true, probe(e.Probe)
		}
		act.Times = e.Times.Or(0)
		s.Acts = append(s.Acts, act)
	}
	return s
}

// probe is what a tool's probe says.
func probe(p *format.Probe) *sim.Probe {
	says := &sim.Probe{Answer: fsm.ProbeAnswer(p.Answers), Hangs: p.Hangs, Takes: p.Takes.Or(0)}
	if p.Answers == format.ProbeTruth {
		says.Answer = ""
	}
	if p.Returns != nil {
		says.Text = *p.Returns
	}
	return says
}

// rules is the rule that patterns make, if there are any.
func rules(patterns strict.ByName[string], ask bool) []fsm.ApproveRule {
	if len(patterns) == 0 {
		return nil
	}
	return []fsm.ApproveRule{{Match: matches(patterns), Ask: ask}}
}

func matches(patterns strict.ByName[string]) []fsm.ArgMatch {
	var list []fsm.ArgMatch
	for _, p := range patterns {
		list = append(list, fsm.ArgMatch{Argument: p.Name, Like: p.Value})
	}
	return list
}

// grants are those of a file.
func grants(of []format.Grant) []fsm.Grant {
	var list []fsm.Grant
	for _, g := range of {
		list = append(list, fsm.Grant{Tool: g.Tool, Match: matches(g.Match), Any: g.Any})
	}
	return list
}

// approve is who decides about the calls of tools, by the settings in their order.
func approve(settings ...*format.Config) []sim.Approve {
	var list []sim.Approve
	for _, s := range settings {
		if s != nil {
			for _, a := range s.Approve {
				list = append(list, sim.Approve{Tool: a.Name, Ask: a.Value == "always"})
			}
		}
	}
	return list
}

// memory is what memory holds before the first start, embedded as the simulator
// embeds.
func memory(f *format.File) []fsm.Entry {
	var entries []fsm.Entry
	for i, m := range f.Memory {
		entries = append(entries, fsm.Entry{
			ID: "m" + strconv.Itoa(i+1), Kind: fsm.KindUser, Session: m.Session, At: fsm.Millis(f.Start()),
			Summary: m.Summary, Text: m.Text, Vector: disk.Vector(m.Summary), Model: disk.EmbeddingModel,
		})
	}
	return entries
}

func service(o *format.Outage) sim.Service {
	return sim.Service{Fails: o.Fails, Hangs: o.Hangs, Takes: o.Takes.Or(0)}
}

func crash(c *format.Crash) sim.Crash {
	point, step, _ := format.CrashPoint(c.At) // checked when the file was loaded
	out := sim.Crash{Point: point, Nth: step, Effect: c.Effect, After: format.DefaultRestart, Synced: c.Synced, Optional: c.Optional}
	out.Nth = c.Nth.Or(out.Nth)
	out.After = c.Restart.Or(out.After)
	return out
}

// inTime returns out with the times of the line: the first piece comes when takes
// and slow_load are over. A client that has had none within its time gives up
// (SCN-28).
func inTime(l *format.Line, out script.Line) script.Line {
	out.Takes = l.Takes.Or(0) + fsm.Millis(l.SlowLoad)
	first := fsm.Millis(l.SlowLoad)
	if l.Stream != nil {
		first = out.Takes
		out.Stream = &script.Stream{Chunks: int(l.Stream.Chunks.Count), Texts: l.Stream.Chunks.Texts, Every: fsm.Millis(l.Stream.Every)}
	}
	if wait := min(first, script.FirstTokenMax); first > script.FirstTokenMax || fsm.Millis(l.SlowLoad) > script.LoadMax {
		if fsm.Millis(l.SlowLoad) > script.LoadMax {
			wait = script.LoadMax
		}
		return script.Line{Fails: fsm.BrainLoading, Reason: script.LoadingReason, Takes: wait, Times: out.Times}
	}
	return out
}
