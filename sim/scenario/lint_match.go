package scenario

import (
	"reflect"
	"slices"

	"shelly/fsm"
	"shelly/fsm/wording"
	"shelly/sim/strict"
)

// items finds words in items that no event has: an item with one matches nothing, so
// that never always holds.
func (l *linter) items() {
	f := l.file
	for _, claims := range []struct {
		key  string
		list []Claim
	}{{"always", f.Always}, {"never", f.Never}} {
		for i := range claims.list {
			l.condition(strict.Element(claims.key, i), &claims.list[i].That)
			l.condition(strict.Element(claims.key, i), claims.list[i].When)
		}
	}
	for i := range f.Eventually {
		l.condition(strict.Element("eventually", i), &f.Eventually[i].That)
		l.condition(strict.Element("eventually", i), f.Eventually[i].When)
	}
	if f.Expect == nil {
		return
	}
	for i, o := range f.Expect.Trace {
		at := strict.Element("expect.trace", i)
		for _, list := range [][]Item{o.Before, o.InOrder} {
			for j := range list {
				l.item(at, &list[j])
			}
		}
		l.item(at, o.Never)
		l.item(at, o.Eventually)
		l.item(at, o.After)
		if o.Count != nil {
			l.item(at, &o.Count.Of)
		}
	}
}

func (l *linter) condition(path string, c *Condition) {
	if c != nil {
		l.item(path, c.item)
	}
}

func (l *linter) item(path string, item *Item) {
	if item == nil {
		return
	}
	for i := range item.members {
		m := &item.members[i]
		known := l.wordsOfItem(m.key)
		for _, word := range m.matcher.texts() {
			if known != nil && !slices.Contains(known, word.data.text) {
				l.found = append(l.found, l.file.finding(word.pos, path, wording.Unknown(m.key, word.data.text, known)+"; no event matches this"))
			}
		}
	}
}

// texts are the texts that a matcher compares with: itself, or the choices that it
// gives.
func (m *Matcher) texts() []*Matcher {
	switch {
	case m.op == opScalar && m.data.kind == textKind:
		return []*Matcher{m}
	case m.op == opOneOf:
		var list []*Matcher
		for i := range m.list {
			list = append(list, m.list[i].texts()...)
		}
		return list
	default:
		return nil
	}
}

// wordsOfItem are the words that an event can have by a key, or nil where they are
// not known.
func (l *linter) wordsOfItem(key string) []string {
	switch key {
	case "tool", "audit":
		return l.startable()
	case "ask":
		return wordsFrom(fsm.PurposeAnswer, fsm.PurposeInit, fsm.PurposeFarewell, fsm.PurposeSummary, fsm.PurposeCompact, fsm.PurposeSubagent)
	case "timer":
		return wordsFrom(fsm.TimerHandle, fsm.TimerAbort, fsm.TimerGrace, fsm.TimerBackoff, fsm.TimerRetry, fsm.TimerCompact, fsm.TimerApproval, fsm.TimerHold)
	case "notice":
		return wordsFrom(fsm.NoticeDeferred, fsm.NoticeQueued, fsm.NoticeHeld)
	case "question":
		return wordsFrom(fsm.QuestionApprove, fsm.QuestionUnknown, fsm.QuestionCrashes, fsm.QuestionDoubt)
	case "exit":
		return wordsFrom(fsm.ExitClean, fsm.ExitTimeout, fsm.ExitForced)
	case "table":
		return []string{fsm.Lifecycle.Name, fsm.HandleTable.Name, fsm.InferenceTable.Name}
	case "state":
		return slices.Concat(statesOf(&fsm.Lifecycle), statesOf(&fsm.HandleTable), statesOf(&fsm.InferenceTable))
	case "input":
		return inputKinds()
	case "effect":
		return effectKinds()
	default:
		return nil
	}
}

// startable are the tools that a call can be of: those declared, and those that the
// script calls although nobody declares them.
func (l *linter) startable() []string {
	names := append(l.file.Tools.names(), builtinNames()...)
	for _, s := range l.file.scripts() {
		for _, line := range s.Lines {
			for _, c := range line.Calls {
				names = append(names, c.Name)
			}
		}
	}
	return names
}

func wordsFrom[T ~string](list ...T) []string {
	words := make([]string, len(list))
	for i, w := range list {
		words[i] = string(w)
	}
	return words
}

// matchers finds those that each text matches.
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
			l.within(strict.Element(path, i), v.Index(i))
		}
	case reflect.Struct:
		l.withinStruct(path, v)
	}
}

func (l *linter) withinStruct(path string, v reflect.Value) {
	switch m := v.Addr().Interface().(type) {
	case *Matcher:
		l.matcher(path, m)
		return
	case *Item:
		l.matcher(path, &m.Matcher)
		return
	case *Script:
		l.within(path, reflect.ValueOf(m.Lines))
		return
	case *Tools:
		l.within(path, reflect.ValueOf(m.Stubs))
		return
	}
	for _, f := range strict.Fields(v.Type()) {
		l.within(strict.Member(path, f.Name), v.FieldByIndex(f.Index))
	}
	if name := v.FieldByName("Name"); v.NumField() == 2 && name.IsValid() && v.FieldByName("Value").IsValid() {
		l.within(path, v.FieldByName("Value")) // of a Map
	}
}

func (l *linter) matcher(path string, m *Matcher) {
	for i := range m.list {
		l.matcher(path, &m.list[i])
	}
	for i := range m.members {
		l.matcher(path, &m.members[i].matcher)
	}
	empty := m.op == opRegex && m.data.text == "" ||
		m.op == opContains && m.list[0].op == opScalar && m.list[0].data.kind == textKind && m.list[0].data.text == ""
	if empty {
		l.found = append(l.found, l.file.finding(m.pos, path, m.String()+" matches each text; say what the text holds, or {$any: true}"))
	}
}
