package scenario

import (
	"slices"
	"strconv"
	"strings"

	"shelly/fsm"
	"shelly/sim"
	"shelly/sim/strict"
)

const (
	defaultSession = "cli:direct"
	defaultStart   = Time(1767603600000) // 2026-01-05T09:00:00Z
	defaultRestart = fsm.Second
)

// Plan is the scenario as the simulator plays it. Where the crash is $every the
// plan has no crashes: [sim.Matrix] adds them.
func (f *File) Plan() sim.Plan {
	p := sim.Plan{
		Config:     f.config(f.Config),
		Tools:      f.Config.names(nil),
		Start:      fsm.Millis(f.start()),
		Scripts:    f.scripts(),
		Live:       f.Script.Live,
		Strict:     f.Strict,
		World:      f.world(),
		Skills:     f.skills(),
		Memory:     f.memory(),
		Sessions:   f.sessions(),
		MemoryFile: f.MemoryMD,
		Timeline:   f.timeline(),
		Seed:       f.seed(),
	}
	f.latency().start(&p)
	for _, fault := range f.faults() {
		p.Faults = append(p.Faults, fault.Fault)
	}
	if f.Clock != nil {
		p.Until = fsm.Millis(f.Clock.Until)
	}
	for _, t := range f.Tools.Stubs {
		p.Stubs = append(p.Stubs, stub(t.Name, t.Value))
	}
	if f.Tools.Real {
		p.Workspace = f.about().Workspace
	}
	if f.Embed != nil {
		p.NoVectors = f.Embed.Off
		p.Embedding = f.Embed.service()
	}
	if !f.everyCrash() {
		for _, c := range f.Faults.Crash {
			p.Crashes = append(p.Crashes, c.crash())
		}
	}
	return p
}

// everyCrash reports whether the case is run once for every crash point.
func (f *File) everyCrash() bool {
	return len(f.Faults.Crash) == 1 && f.Faults.Crash[0].At == everyPoint
}

func (f *File) start() Time {
	if f.Clock != nil && f.Clock.Start != nil {
		return *f.Clock.Start
	}
	return defaultStart
}

// config is the profile with the file's own settings and, behind them, later ones.
// Unless the file mentions the initial inference it is off (SCN-4).
func (f *File) config(settings ...*Config) fsm.Config {
	name := f.Profile
	if name == "" {
		name = DefaultProfile
	}
	c, _ := fsm.Profile(name) // checked when the file was loaded
	if f.ScriptFor == nil || f.ScriptFor.Init == nil {
		c.Init = fsm.InitOff
	}
	for _, s := range settings {
		c = s.apply(c)
	}
	c.Prompts = c.Prompts.Fill(f.about())
	return c
}

// about is what the texts of the profile speak of.
func (f *File) about() fsm.About {
	a := fsm.About{Name: "shelly", User: "the user", Workspace: "/workspace", System: "linux (simulated)"}
	if own := f.About; own != nil {
		a.Persona = own.Persona
		for _, word := range []struct{ to, own *string }{
			{&a.Name, &own.Name}, {&a.User, &own.User}, {&a.Workspace, &own.Workspace}, {&a.System, &own.System},
		} {
			if *word.own != "" {
				*word.to = *word.own
			}
		}
	}
	return a
}

// set overrides a limit that the file gives.
func set[L ~int | ~int64, O ~int | ~int64](limit *L, own *O) {
	if own != nil {
		*limit = L(*own)
	}
}

// script is the lines for one purpose and session, and where the file has them.
type script struct {
	purpose fsm.Purpose
	session string
	lines   []Line
	paths   []string // of each line
}

// scripted returns the file's scripts in the order in which the plan has them.
func (f *File) scripted() []script {
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
func split(purpose fsm.Purpose, path string, lines []Line) []script {
	list := []script{{purpose: purpose}}
	for n, l := range lines {
		i := slices.IndexFunc(list, func(s script) bool { return s.session == l.Session })
		if i < 0 {
			i = len(list)
			list = append(list, script{purpose: purpose, session: l.Session})
		}
		list[i].lines = append(list[i].lines, l)
		list[i].paths = append(list[i].paths, strict.Element(path, n))
	}
	return list
}

func (f *File) scripts() []sim.Script {
	var scripts []sim.Script
	for _, s := range f.scripted() {
		script := sim.Script{Purpose: s.purpose, Session: s.session}
		for _, l := range s.lines {
			script.Lines = append(script.Lines, l.line())
		}
		scripts = append(scripts, script)
	}
	return scripts
}

// line is the line as the simulator answers with it.
func (l *Line) line() sim.Line {
	out := sim.Line{
		Thinking: l.Thinks,
		Quotes:   l.Quotes != "",
		Repeats:  l.Repeats,
		Length:   l.Stops == "length",
		Hangs:    l.Hangs,
		Optional: l.Optional,
	}
	out.Text, _ = l.text()
	switch {
	case l.Fails != nil:
		out.Fails, out.Reason = l.Fails.class(), l.Fails.Message
	case l.Cut:
		out.Fails, out.Reason = fsm.BrainCutStream, "the stream ended without its last line"
	case l.Garbage != "":
		out.Fails, out.Reason = fsm.BrainGarbage, l.Garbage
	case l.Dropped != nil:
		out.Tokens.Prompt = int(l.Dropped.Prompt)
		out.Fails, out.Reason = fsm.BrainContextTruncated, sim.TruncatedReason(out.Tokens.Prompt)
	case out.Text == "" && l.Stream != nil:
		out.Text = strings.Join(l.Stream.Chunks.Texts, "")
	}
	if l.Tokens != nil {
		set(&out.Tokens.Prompt, l.Tokens.Prompt)
		set(&out.Tokens.Answer, l.Tokens.Answer)
	}
	out.Calls = toolCalls(l.calls())
	set(&out.Times, l.Times)
	return l.inTime(out)
}

func toolCalls(calls []Call) []fsm.ToolCall {
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
func stub(name string, entries Entries) sim.Stub {
	s := sim.Stub{Decl: fsm.ToolDecl{Name: name, Effects: fsm.EffectsUnsafe}}
	for _, e := range entries {
		if e.Effects != "" {
			s.Decl.Effects = fsm.ToolEffects(e.Effects)
		}
		s.Decl.Approve = s.Decl.Approve || e.Approve
		if e.About != "" {
			s.Decl.Description = e.About
		}
		if e.Schema != "" {
			s.Decl.Parameters = string(e.Schema)
		}
		act := sim.Act{Reads: e.Reads, Changes: e.changes(), Nothing: e.Nothing, Invalid: e.Invalid, Hangs: e.Hangs, Deaf: e.Deaf, Lost: e.Lost, Takes: e.Takes.millis(), Optional: e.Optional}
		if e.Returns != nil {
			act.Returns = *e.Returns
		}
		if e.Fails != nil {
			act.Returns, act.Failed, act.Nothing = e.Fails.text(), true, e.Nothing || e.Fails.Retryable
		}
		set(&act.Times, e.Times)
		s.Acts = append(s.Acts, act)
	}
	return s
}

// memory is what memory holds before the first start, embedded as the simulator
// embeds.
func (f *File) memory() []fsm.Entry {
	var entries []fsm.Entry
	for i, m := range f.Memory {
		entries = append(entries, fsm.Entry{
			ID: "m" + strconv.Itoa(i+1), Kind: fsm.KindUser, Session: m.Session, At: fsm.Millis(f.start()),
			Summary: m.Summary, Text: m.Text, Vector: sim.Vector(m.Summary), Model: sim.EmbeddingModel,
		})
	}
	return entries
}

func (o *Outage) service() sim.Service {
	return sim.Service{Fails: o.Fails, Hangs: o.Hangs, Takes: o.Takes.millis()}
}

func (c *Crash) crash() sim.Crash {
	point, step, _ := crashPoint(c.At) // checked when the file was loaded
	out := sim.Crash{Point: point, Nth: step, Effect: c.Effect, After: defaultRestart, Optional: c.Optional}
	set(&out.Nth, c.Nth)
	set(&out.After, c.Restart)
	return out
}
