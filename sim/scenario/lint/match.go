package lint

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"shelly/fsm"
	"shelly/fsm/wording"
	"shelly/sim/scenario/compile"
	"shelly/sim/scenario/expression"
	"shelly/sim/scenario/format"
	"shelly/sim/scenario/match"
	"shelly/sim/strict"
)

// items finds tools in items that no event has: an item with one matches nothing, so
// that never always holds.
func (l *linter) items() {
	f := l.file
	known, requests := l.others(), l.requests()
	l.handles(requests)
	for path, item := range f.Items() {
		l.item(path, item)
		l.sessionOf(path, item, known)
		l.requestOf(path, item, requests)
	}
	for _, claims := range []struct {
		key  string
		list []format.Claim
	}{{"always", f.Always}, {"never", f.Never}} {
		for i := range claims.list {
			l.constant(strict.Element(claims.key, i), &claims.list[i].That, claims.list[i].When, claims.key == "always")
		}
	}
	for i := range f.Always {
		l.each(strict.Element("always", i), f.Always[i].That.Item)
	}
	for i := range f.Eventually {
		l.constant(strict.Element("eventually", i), &f.Eventually[i].That, f.Eventually[i].When, true)
	}
	l.named()
}

// each finds an item of always, or nil, that is as each event with its keys is.
func (l *linter) each(path string, item *format.Item) {
	if item != nil && !slices.ContainsFunc(item.Inner(), func(m *match.Matcher) bool { return !m.Any() }) {
		l.found = append(l.found, finding(l.file, item.Pos(), path, item.String()+" matches each event that has its keys; say what those may be, or remove it"))
	}
}

// tool finds a tool that no call can be of, unless it is a pattern.
func (l *linter) tool(path, name, then string) {
	if known := l.startable(); known != nil && name != "" && !strings.Contains(name, "*") && !slices.Contains(known, name) {
		l.at(path, wording.Unknown("tool", name, known)+"; "+then)
	}
}

// named finds grants for tools that no call can be of. They are no errors: a grant stays in its file
// when its tool has gone (SCN-71).
func (l *linter) named() {
	grants := func(path string, list []format.Grant) {
		for i, g := range list {
			l.tool(strict.Element(path, i)+".tool", g.Tool, "no call is spared a question by it")
		}
	}
	grants("grants", l.file.Grants)
	for at, m := range l.moments() {
		if m.Grants != nil {
			grants(at+".edit_grants", *m.Grants)
		}
	}
}

// constant finds claims that hold whatever the run does: what they say, or when they say
// it, is known without one. wanted is what the expression is to be.
func (l *linter) constant(path string, that, when *format.Condition, wanted bool) {
	for _, c := range []*format.Condition{that, when} {
		if c != nil {
			l.counted(path, c.Expression)
		}
	}
	if is, known := constant(when); known && !is {
		l.at(path, when.String()+" is never true, so nothing is judged; say when something is to hold, or remove it")
		return
	}
	if is, known := constant(that); known && is == wanted {
		l.at(path, that.String()+" is "+strconv.FormatBool(is)+" in every run; say what may not hold, or remove it")
	}
}

// counted finds tools in an expression, or nil, that no call can be of, and sessions and requests that no
// handle is of.
func (l *linter) counted(path string, e *expression.Expression) {
	if e == nil {
		return
	}
	for _, tool := range e.Tools() {
		l.tool(path, tool, "it never starts")
	}
	for _, of := range []struct {
		what  string
		names []string
		known func() []string
	}{{"session", e.Sessions(), l.others}, {"request", e.Requests(), l.requests}} {
		for _, name := range of.names {
			if known := of.known(); known != nil && !slices.Contains(known, name) {
				l.at(path, wording.Unknown(of.what, name, known)+"; no handle is of it")
			}
		}
	}
}

// constant is what an expression is in every run, if that is known.
func constant(c *format.Condition) (is, known bool) {
	if c == nil || c.Expression == nil {
		return false, false
	}
	return c.Expression.Constant()
}

func (l *linter) item(path string, item *format.Item) {
	known := l.startable()
	for _, key := range item.Keys() {
		if key != "tool" && key != "audit" && (key != "call" || l.file.Script.Live) {
			continue
		}
		for _, word := range item.Member(key).Choices() {
			if text, _ := word.Text(); known != nil && !slices.Contains(known, text) {
				l.found = append(l.found, finding(l.file, word.Pos(), path, wording.Unknown(key, text, known)+"; no event matches this"))
			}
		}
	}
}

// startable are the tools that a call can be of: those declared, and those that the
// script calls although nobody declares them. What a replay was told declares its own.
func (l *linter) startable() []string {
	if l.file.Replay != nil {
		return nil
	}
	names := append(l.file.ToolNames(), fsm.BuiltinNames()...)
	called := func(name string) {
		if !slices.Contains(names, name) { // an error lists them, each once
			names = append(names, name)
		}
	}
	for _, line := range l.drawn() {
		for _, c := range compile.Line(line).Calls {
			called(c.Name)
		}
	}
	for _, s := range compile.Scripts(l.file) {
		for _, line := range s.Lines {
			for _, c := range line.Calls {
				called(c.Name)
			}
		}
	}
	return names
}

// matchers finds those that each text, each length, each duration or each number of things matches.
func (l *linter) matchers() { l.within("", reflect.ValueOf(l.file).Elem()) }

// within looks at the matchers in a value of the format's types.
func (l *linter) within(path string, v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			l.within(path, v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			l.entry(path, i, v.Index(i))
		}
	case reflect.Struct:
		l.withinStruct(path, v)
	}
}

// entry looks at the i-th of a list, or of a map by name.
func (l *linter) entry(path string, i int, v reflect.Value) {
	if v.Kind() == reflect.Struct && v.NumField() == 2 && v.FieldByName("Name").IsValid() && v.FieldByName("Value").IsValid() {
		l.within(strict.Member(path, v.FieldByName("Name").String()), v.FieldByName("Value"))
		return
	}
	l.within(strict.Element(path, i), v)
}

func (l *linter) withinStruct(path string, v reflect.Value) {
	switch m := v.Addr().Interface().(type) {
	case *match.Matcher:
		l.matcher(path, m)
		return
	case *format.Item:
		l.matcher(path, &m.Matcher)
		return
	case *format.Script:
		l.within(path, reflect.ValueOf(m.Lines))
		return
	case *format.Tools:
		l.within(path, reflect.ValueOf(m.Stubs))
		return
	case *format.Condition:
		l.within(strings.TrimSuffix(strings.TrimSuffix(path, ".that"), ".when"), reflect.ValueOf(m.Item))
		return
	case *format.Entry:
		l.wanted(path, m)
	case *format.ToolExpect:
		l.count(strict.Member(path, "starts"), m.Starts)
		l.count(strict.Member(path, "uses"), m.Uses)
	case *format.MemoryExpect:
		l.count(strict.Member(path, "entries"), m.Entries)
	case *format.ClockExpect:
		l.whatever(strict.Member(path, "elapsed"), m.Elapsed)
		l.whatever(strict.Member(path, "at"), m.At)
	case *format.Expect:
		l.present(path, m)
	case *format.Counted:
		l.count(strict.Member(path, "is"), &m.Is)
	case *format.Sees:
		l.count(strict.Member(path, "count"), m.Count)
		l.whatever(strict.Member(path, "messages"), m.Messages)
		l.whatever(strict.Member(path, "tools"), m.Tools)
		l.whatever(strict.Member(path, "options"), m.Options)
	case *format.LifecyclePath:
		l.whatever(strict.Member(path, "path"), m.Path)
	}
	for _, f := range strict.Fields(v.Type()) {
		l.within(strict.Member(path, f.Name), v.FieldByIndex(f.Index))
	}
}

// count looks at a matcher of a number of things, which is never negative.
func (l *linter) count(path string, m *match.Matcher) {
	if m != nil && m.AnyCount() {
		l.found = append(l.found, finding(l.file, m.Pos(), path, m.String()+" matches each number of them; say how many may be, or remove it"))
	}
}

// present finds expectations of what is there in every run, if empty.
func (l *linter) present(path string, e *format.Expect) {
	for _, of := range []struct {
		key string
		m   *match.Matcher
	}{
		{"replies", e.Replies}, {"world", e.World}, {"sessions", e.Sessions}, {"memory_file", e.MemoryMD}, {"history_file", e.HistoryMD}, {"messages", e.Messages},
		{"questions", e.Questions}, {"audit", e.Audit}, {"notices", e.Notices}, {"reports", e.Reports}, {"refusals", e.Refusals}, {"streamed", e.Streamed}, {"asked", e.Asked},
	} {
		l.whatever(strict.Member(path, of.key), of.m)
	}
}

// whatever finds a matcher of what is always there that each value matches.
func (l *linter) whatever(path string, m *match.Matcher) {
	if m != nil && m.Any() {
		l.found = append(l.found, finding(l.file, m.Pos(), path, m.String()+" holds whatever the run does, also if there is nothing in it; say what is to be there, such as {$len: {$gt: 0}}, or remove it"))
	}
}

func (l *linter) matcher(path string, m *match.Matcher) {
	for _, inner := range m.Inner() {
		l.matcher(path, inner)
	}
	l.arguments(path, m)
	if m.Always() {
		l.found = append(l.found, finding(l.file, m.Pos(), path, m.String()+" matches each text; say what the text holds, or {$any: true}"))
	}
	if m.AnyDuration() {
		l.found = append(l.found, finding(l.file, m.Pos(), path, m.String()+" matches each duration; say which may be, or leave it out"))
	}
	if m.AnyLength() {
		l.found = append(l.found, finding(l.file, m.Pos(), path, m.String()+" matches each length; say which lengths may be, or {$any: true}"))
	}
}
