package scenario

import (
	"strconv"

	"shelly/fsm"
	"shelly/sim"
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
		Config:   f.config(),
		Start:    fsm.Millis(f.start()),
		Scripts:  f.scripts(),
		Strict:   f.Strict,
		Memory:   f.memory(),
		Timeline: f.timeline(),
	}
	for _, t := range f.Tools {
		p.Stubs = append(p.Stubs, stub(t.Name, t.Value))
	}
	if f.Embed != nil {
		p.NoVectors = f.Embed.Off
		p.Embedding = f.Embed.service()
	}
	if !f.everyCrash() {
		for _, c := range f.Crash {
			p.Crashes = append(p.Crashes, c.crash())
		}
	}
	return p
}

// everyCrash reports whether the case is run once for every crash point.
func (f *File) everyCrash() bool { return len(f.Crash) == 1 && f.Crash[0].At == everyPoint }

func (f *File) start() Time {
	if f.Clock != nil {
		return f.Clock.Start
	}
	return defaultStart
}

// config is the profile with the file's own limits. Unless the file mentions the
// initial inference it is off (SCN-4).
func (f *File) config() fsm.Config {
	c := fsm.ShellyProfile()
	if f.ScriptFor == nil || f.ScriptFor.Init == nil {
		c.Init = fsm.InitOff
	}
	if f.Config == nil {
		return c
	}
	if f.Config.Init != "" {
		c.Init = fsm.InitMode(f.Config.Init)
	}
	own, l := f.Config, &c.Limits
	set(&l.MaxToolRounds, own.MaxToolRounds)
	set(&l.MaxCognitionRounds, own.MaxCognitionRounds)
	set(&l.RecallTopK, own.RecallTopK)
	set(&l.MaxCallsPerAnswer, own.MaxCallsPerAnswer)
	set(&l.MaxStoreAttempts, own.MaxStoreAttempts)
	set(&l.MaxQueue, own.MaxQueue)
	set(&l.InitTimeout, own.InitTimeout)
	set(&l.HandleTimeout, own.HandleTimeout)
	set(&l.ShutdownTimeout, own.ShutdownTimeout)
	set(&l.Grace, own.Grace)
	set(&l.AbortTimeout, own.AbortTimeout)
	return c
}

// set overrides a limit that the file gives.
func set[L ~int | ~int64, O ~int | ~int64](limit *L, own *O) {
	if own != nil {
		*limit = L(*own)
	}
}

// scriptedLines is the lines of one purpose and where the file has them.
type scriptedLines struct {
	purpose fsm.Purpose
	path    string
	lines   []Line
}

// scripted returns the file's scripts in the order in which the plan has them.
func (f *File) scripted() []scriptedLines {
	list := []scriptedLines{{fsm.PurposeAnswer, "brain", f.Script}}
	if f.ScriptFor != nil {
		list = append(list,
			scriptedLines{fsm.PurposeInit, "brain_for.init", f.ScriptFor.Init},
			scriptedLines{fsm.PurposeSummary, "brain_for.summary", f.ScriptFor.Summary},
			scriptedLines{fsm.PurposeFarewell, "brain_for.farewell", f.ScriptFor.Farewell})
	}
	return list
}

func (f *File) scripts() []sim.Script {
	var scripts []sim.Script
	for _, s := range f.scripted() {
		script := sim.Script{Purpose: s.purpose}
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
		Length:   l.Stops == "length",
		Hangs:    l.Hangs,
		Takes:    fsm.Millis(l.Takes),
		Optional: l.Optional,
	}
	switch {
	case l.Says != nil:
		out.Text = *l.Says
	case l.Needs != nil:
		out.Text = fsm.NeedMarker + " " + *l.Needs
	case l.Fails != nil:
		out.Fails, out.Reason = l.Fails.Code, l.Fails.Message
	case l.Cut:
		out.Fails, out.Reason = fsm.BrainCutStream, "the stream ended without its last line"
	case l.Garbage != "":
		out.Fails, out.Reason = fsm.BrainGarbage, l.Garbage
	}
	for _, c := range l.Calls {
		args := string(c.Args)
		if args == "" {
			args = "{}"
		}
		out.Calls = append(out.Calls, fsm.ToolCall{ID: c.ID, Name: c.Tool, Args: args})
	}
	return out
}

// stub is a tool with its entries. Undeclared effects are unsafe.
func stub(name string, entries Entries) sim.Stub {
	s := sim.Stub{Decl: fsm.ToolDecl{Name: name, Effects: fsm.EffectsUnsafe}}
	for _, e := range entries {
		if e.Effects != "" {
			s.Decl.Effects = fsm.ToolEffects(e.Effects)
		}
		act := sim.Act{Hangs: e.Hangs, Deaf: e.Deaf, Lost: e.Lost, Takes: fsm.Millis(e.Takes), Optional: e.Optional}
		if e.Returns != nil {
			act.Returns = *e.Returns
		}
		if e.Fails != nil {
			act.Returns, act.Failed = e.Fails.text(), true
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

// timeline is what happens, in the order of the file (SCN-6).
func (f *File) timeline() []sim.Moment {
	var moments []sim.Moment
	requests := 0
	for _, m := range f.Timeline {
		if m.User != nil {
			requests++
		}
		moments = append(moments, m.moment(requests))
	}
	return moments
}

// moment is the moment as the simulator plays it; nth counts the requests.
func (m *Moment) moment(nth int) sim.Moment {
	out := sim.Moment{At: fsm.Millis(m.At), Again: m.Again, Signal: m.Shutdown, Boot: m.Start}
	switch {
	case m.User != nil:
		key := fsm.RequestKey{Channel: m.Channel, ID: m.ID}
		if key.ID == "" {
			key.ID = "r" + strconv.Itoa(nth)
		}
		session := m.Session
		if session == "" {
			session = defaultSession
		}
		out.Request = &fsm.Requested{Request: key, Session: session, Text: *m.User}
	case m.Event != nil:
		e := m.Event
		out.Event = &fsm.EventRaised{Source: e.Source, Subject: e.Subject, Event: e.Kind, Detail: e.Detail}
	case m.Store != nil:
		s := m.Store.service()
		out.Storing = &s
	case m.Recall != nil:
		s := m.Recall.service()
		out.Recalling = &s
	case m.Embedding != nil:
		s := m.Embedding.service()
		out.Embedding = &s
	}
	return out
}

func (o *Outage) service() sim.Service {
	return sim.Service{Fails: o.Fails, Hangs: o.Hangs, Takes: fsm.Millis(o.Takes)}
}

func (c *Crash) crash() sim.Crash {
	point, step, _ := crashPoint(c.At) // checked when the file was loaded
	out := sim.Crash{Point: point, Nth: step, Effect: c.Effect, After: defaultRestart}
	set(&out.Nth, c.Nth)
	set(&out.After, c.Restart)
	return out
}
