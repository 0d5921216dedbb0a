package lint

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"shelly/fsm"
	"shelly/fsm/wording"
	"shelly/sim/scenario/compile"
	"shelly/sim/scenario/data"
	"shelly/sim/scenario/format"
	"shelly/sim/scenario/match"
	"shelly/sim/strict"
)

// others are the sessions that an event can be of, or nil where they are not known: the script
// may have a subagent or a schedule that has its own.
func (l *linter) others() []string {
	known := l.spoken()
	if known == nil || l.property != nil || l.file.Replay != nil || l.file.Script.Live || l.calls(fsm.ToolSpawn) || l.calls(fsm.ToolCron) {
		return nil
	}
	for _, s := range l.file.Sessions {
		known = append(known, s.Name)
	}
	return append(known, string(fsm.KindInit), string(fsm.KindFarewell))
}

// sessionOf finds sessions in an item that no event is of, so that never always holds.
func (l *linter) sessionOf(path string, item *format.Item, known []string) {
	for _, key := range []string{"session", "load", "save"} {
		of := item.Member(key)
		if of == nil || known == nil {
			continue
		}
		for _, word := range of.Choices() {
			if name, _ := word.Text(); !slices.Contains(known, name) {
				l.found = append(l.found, finding(l.file, word.Pos(), path, wording.Unknown("session", name, known)+"; no event is of it"))
			}
		}
	}
}

// requestOf finds requests in an item that nobody makes, so that never always holds.
func (l *linter) requestOf(path string, item *format.Item, known []string) {
	for _, key := range []string{"reply", "notice"} {
		of := item.Member(key)
		if of == nil || of.Member("id") == nil {
			continue
		}
		for _, word := range of.Member("id").Choices() {
			if id, _ := word.Text(); known != nil && !slices.Contains(known, id) {
				l.found = append(l.found, finding(l.file, word.Pos(), path, wording.Unknown("request", id, known)+"; no event is of it"))
			}
		}
	}
}

// handles finds requests of handles that nobody makes: no path is theirs.
func (l *linter) handles(known []string) {
	if l.file.Expect == nil || known == nil {
		return
	}
	look := func(path string, h *format.HandlePath) {
		if h != nil && h.ID != "" && !slices.Contains(known, h.ID) {
			l.at(path+".id", wording.Unknown("request", h.ID, known)+"; it has no handle")
		}
	}
	look("expect.handle", l.file.Expect.Handle)
	for i := range l.file.Expect.Handles {
		look(strict.Element("expect.handles", i), &l.file.Expect.Handles[i])
	}
}

// requests are the ids of all requests of the timeline, or nil where a replay tells them or a property
// makes them.
func (l *linter) requests() []string {
	if l.file.Replay != nil || l.property != nil {
		return nil
	}
	ids := []string{}
	for _, m := range compile.Plan(l.file).Timeline {
		if m.Request != nil {
			ids = append(ids, m.Request.Request.ID)
		}
	}
	return ids
}

// arguments finds arguments in a matcher of a call, whatever else it is a part of, that no call has and that
// resemble one that calls of the tool have.
func (l *linter) arguments(path string, m *match.Matcher) {
	args := m.Member("args")
	if args == nil || strings.HasPrefix(path, "expect.world") {
		return
	}
	var tools []string // none: any
	if tool := m.Member("tool"); tool != nil && len(tool.Choices()) == len(tool.Gathered()) {
		for _, name := range tool.Choices() {
			text, _ := name.Text()
			tools = append(tools, text)
		}
	}
	known := l.argumentsOf(tools, true)
	for _, of := range args.Gathered() {
		for _, key := range of.Keys() {
			l.argument(path, of, key, tools, known)
		}
	}
}

// wanted finds the same in the arguments that an entry of a tool wants to be absent, which they are if they
// are misspelt. If it wants them to be there, the call fails.
func (l *linter) wanted(path string, e *format.Entry) {
	if e.Args == nil {
		return
	}
	name := path[:strings.LastIndexByte(path, '[')]
	tools := []string{strings.Trim(strings.TrimPrefix(name, "tools."), `"`)}
	known := l.argumentsOf(tools, false)
	for _, of := range e.Args.Gathered() {
		for _, key := range of.Keys() {
			if of.Member(key).Fits(data.Value{}) {
				l.argument(strict.Member(path, "args"), of, key, tools, known)
			}
		}
	}
}

// argument finds an argument by a key of a matcher that no call of the tools has, or of any tool.
func (l *linter) argument(path string, of *match.Matcher, key string, tools, known []string) {
	if slices.Contains(known, key) || len(key) < argBytesMin {
		return
	}
	if meant := wording.Nearest(key, known); meant != "" {
		call := "no call"
		if len(tools) > 0 {
			call += " of " + wording.Word(strings.Join(tools, " or "))
		}
		l.found = append(l.found, finding(l.file, of.At(key), path, call+" has the argument "+wording.Word(key)+"; did you mean "+wording.Word(meant)+"?"))
	}
}

const argBytesMin = 4 // shorter names are alike by chance

// argumentsOf are the names of the arguments of some tools, or of all: those that they declare, those that
// they are called with and, if wanted, those that their stubs want.
func (l *linter) argumentsOf(tools []string, wanted bool) []string {
	is := func(tool string) bool { return len(tools) == 0 || slices.Contains(tools, tool) }
	names := map[string]bool{}
	note := func(object string) {
		var members map[string]json.RawMessage
		if json.Unmarshal([]byte(object), &members) == nil {
			for name := range members { // order-free: a set
				names[name] = true
			}
		}
	}
	var entries []format.Entry
	for _, t := range l.file.Tools.Stubs {
		if is(t.Name) {
			entries = append(entries, t.Value...)
		}
	}
	for _, e := range entries {
		var schema struct{ Properties json.RawMessage }
		if json.Unmarshal([]byte(e.Schema), &schema) == nil {
			note(string(schema.Properties))
		}
		if e.Args != nil && wanted {
			for _, key := range e.Args.Keys() {
				names[key] = true
			}
		}
	}
	for _, s := range compile.Scripts(l.file) {
		for _, line := range s.Lines {
			for _, c := range line.Calls {
				if is(c.Name) {
					note(c.Args)
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}
