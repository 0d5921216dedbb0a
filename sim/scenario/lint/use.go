package lint

import (
	"slices"
	"strings"

	"shelly/fsm"
	"shelly/fsm/alike"
	"shelly/fsm/wording"
	"shelly/sim/scenario/compile"
	"shelly/sim/scenario/format"
	"shelly/sim/strict"
)

// unused finds variables that no text names and fragments that add nothing.
func (l *linter) unused() {
	f := l.file
	for _, path := range f.UnusedVars() {
		name := path[strings.LastIndexByte(path, '.')+1:]
		l.found = append(l.found, finding(f, f.Where(path), path, "nothing uses it; write ${"+name+"} where its value belongs, or remove it"))
	}
	for _, file := range f.Includes() {
		if !f.HasFrom(file) {
			l.at("include", wording.Word(file)+" adds nothing: the scenario, or a later fragment, has each of its keys; remove it")
		}
	}
}

// tools finds stubs with answers that no line of the script asks for. One whose
// entries only declare it is none: the model is offered it and leaves it alone.
func (l *linter) tools() {
	for _, t := range l.file.Tools.Stubs {
		if slices.ContainsFunc(t.Value, does) && !l.calls(t.Name) && !l.expects(t.Name) {
			l.at("tools."+wording.Word(t.Name), "no line of the script calls it; call it, or leave its answers out: "+wording.Word(t.Name)+": [] is a tool that nobody may call")
		}
	}
}

// does reports whether an entry says what a call comes to, and not only what tool it is.
func does(e format.Entry) bool {
	return e.Args != nil || e.Returns != nil || e.Reads != "" || e.Fails != nil || e.Hangs || e.Deaf || e.Lost || e.Takes != nil || compile.Changes(&e) != nil
}

// calls reports whether a line calls a tool, by its name or by one that means the same (INF-58), or may do
// so by a text.
func (l *linter) calls(tool string) bool {
	for _, s := range compile.Scripts(l.file) {
		for _, line := range s.Lines {
			named := slices.ContainsFunc(line.Calls, func(c fsm.ToolCall) bool { return c.Name == tool || alike.Tools(c.Name, tool) })
			if named || strings.Contains(line.Text, tool) || strings.Contains(line.Thinking, tool) {
				return true
			}
		}
	}
	return false
}

// expects reports whether the case says how often a tool is started.
func (l *linter) expects(tool string) bool {
	if l.file.Expect == nil {
		return false
	}
	_, ok := l.file.Expect.Tools.Get(tool)
	return ok
}

// sessions finds lines, faults and items for a session that nobody in the timeline speaks in.
func (l *linter) sessions() {
	known := l.spoken()
	look := func(path, name string) {
		if name != "" && known != nil && !slices.Contains(known, name) {
			l.at(path+".session", wording.Unknown("session", name, known)+"; nothing in the timeline is said in it")
		}
	}
	for at, line := range l.lines() {
		look(at, line.Session)
	}
	l.file.Faults.Brain.Each(l.file.Where, "faults.brain", func(at string, v *format.BrainFault) { look(at, v.Session) })
}

// spoken are the sessions that the timeline speaks in. Where a chat names the session, or
// another handle may have one of its own, they are not known: nil.
func (l *linter) spoken() []string {
	known := []string{format.DefaultSession}
	if l.beats() {
		known = append(known, fsm.HeartbeatSchedule)
	}
	for _, m := range l.moments() {
		if m.Event != nil || m.Schedule != nil || m.Asks() && m.Session == "" && (m.Channel != "" || m.Chat != "") {
			return nil
		}
		if m.Session != "" && !slices.Contains(known, m.Session) {
			known = append(known, m.Session)
		}
	}
	return known
}

// optional finds a script of which nothing need be used: the case holds also where
// the model is never asked. Where the process dies, that may be what is meant, and a case
// that a property has made has no others (PRP-4).
func (l *linter) optional() {
	f := l.file
	if len(f.Script.Lines) == 0 || len(f.Faults.Crash) > 0 || f.Found != nil || slices.ContainsFunc(f.Script.Lines, func(line format.Line) bool { return !line.Optional }) {
		return
	}
	l.at("brain", "each entry is optional, so the case also holds where the model is never asked; leave optional out of those that must be used")
}

// world finds names that a tool reads and that nothing puts there, where one that is
// there is near.
func (l *linter) world() {
	var names []string
	for _, t := range l.file.World {
		names = append(names, t.Name)
	}
	for _, t := range l.file.Tools.Stubs {
		for _, e := range t.Value {
			for _, c := range compile.Changes(&e) {
				names = append(names, c.Name)
			}
		}
	}
	for _, t := range l.file.Tools.Stubs {
		for i, e := range t.Value {
			if e.Reads == "" || slices.Contains(names, e.Reads) {
				continue
			}
			if meant := wording.Nearest(e.Reads, names); meant != "" {
				l.at(strict.Element("tools."+wording.Word(t.Name), i)+".reads", "the world holds nothing by the name "+wording.Word(e.Reads)+"; did you mean "+wording.Word(meant)+"?")
			}
		}
	}
}
