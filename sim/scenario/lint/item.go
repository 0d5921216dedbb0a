package lint

import (
	"encoding/json"
	"maps"
	"slices"

	"shelly/fsm"
	"shelly/fsm/wording"
	"shelly/sim/scenario/compile"
	"shelly/sim/scenario/format"
	"shelly/sim/scenario/match"
	"shelly/sim/strict"
)

// others are the sessions that an event can be of, or nil where they are not known: the script
// may have a subagent or a schedule that has its own.
func (l *linter) others() []string {
	known := l.spoken()
	if known == nil || l.file.Replay != nil || l.file.Script.Live || l.calls(fsm.ToolSpawn) || l.calls(fsm.ToolCron) {
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

// requests are the ids of all requests of the timeline, or nil where a replay tells them.
func (l *linter) requests() []string {
	if l.file.Replay != nil {
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

// arguments finds arguments of calls in an item that no call has and that resemble one that calls
// of the tool have.
func (l *linter) arguments(path string, item *format.Item) {
	places := []*match.Matcher{&item.Matcher}
	for _, key := range []string{"call", "audit", "question"} {
		if m := item.Member(key); m != nil {
			places = append(places, m)
		}
	}
	for _, m := range places {
		tool, args := m.Member("tool"), m.Member("args")
		if tool == nil || args == nil {
			continue
		}
		name, _ := tool.Text()
		known := l.argumentsOf(name)
		for _, key := range args.Keys() {
			if slices.Contains(known, key) || len(key) < argBytesMin {
				continue
			}
			if meant := wording.Nearest(key, known); meant != "" {
				at := strict.Problem{Pos: args.At(key), Path: path}
				l.found = append(l.found, finding(l.file, at.Pos, at.Path, "no call of "+wording.Word(name)+" has the argument "+wording.Word(key)+"; did you mean "+wording.Word(meant)+"?"))
			}
		}
	}
}

const argBytesMin = 4 // shorter names are alike by chance

// argumentsOf are the names of a tool's arguments: those that it declares, those that it is called
// with, and those that its stub wants.
func (l *linter) argumentsOf(tool string) []string {
	names := map[string]bool{}
	note := func(object string) {
		var members map[string]json.RawMessage
		if json.Unmarshal([]byte(object), &members) == nil {
			for name := range members { // order-free: a set
				names[name] = true
			}
		}
	}
	entries, _ := l.file.Tools.Stubs.Get(tool)
	for _, e := range entries {
		var schema struct{ Properties json.RawMessage }
		if json.Unmarshal([]byte(e.Schema), &schema) == nil {
			note(string(schema.Properties))
		}
		if e.Args != nil {
			for _, key := range e.Args.Keys() {
				names[key] = true
			}
		}
	}
	for _, s := range compile.Scripts(l.file) {
		for _, line := range s.Lines {
			for _, c := range line.Calls {
				if c.Name == tool {
					note(c.Args)
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}
