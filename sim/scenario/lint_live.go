package scenario

import "slices"

// exactTexts finds expectations that hold what a live model says to the letter: the same
// model says the same in other words the next time (SCN-29).
func (l *linter) exactTexts() {
	e := l.file.Expect
	if !l.file.Script.Live || e == nil {
		return
	}
	for _, said := range []struct {
		path string
		want *Matcher
	}{
		{"expect.replies", e.Replies}, {"expect.messages", e.Messages}, {"expect.streamed", e.Streamed},
		{"expect.memory_file", e.MemoryMD}, {"expect.history_file", e.HistoryMD},
	} {
		if said.want != nil {
			l.exactText(said.path, said.want)
		}
	}
	if e.Memory != nil {
		l.exactText("expect.memory.entries", e.Memory.Entries)
	}
}

func (l *linter) exactText(path string, m *Matcher) {
	switch m.op {
	case opScalar, opLiteral:
		if m.data.kind == textKind {
			l.found = append(l.found, l.file.finding(m.pos, path, "wants what a live model says to the letter; say what the text holds, as {$contains: …} or {$regex: …}"))
		}
	case opList, opExact, opOneOf, opAll, opUnordered:
		for i := range m.list {
			l.exactText(path, &m.list[i])
		}
	case opMap:
		if m.ofFailure() {
			return
		}
		for i := range m.members {
			if slices.Contains([]string{"text", "summary", "thinking"}, m.members[i].key) {
				l.exactText(path, &m.members[i].matcher)
			}
		}
	}
}

// ofFailure reports whether a matcher is for the reply of a request that failed, which
// has the machine's words.
func (m *Matcher) ofFailure() bool {
	return slices.ContainsFunc(m.members, func(o memberMatcher) bool {
		return o.key == "is_error" && o.matcher.op == opScalar && o.matcher.data.text == "true"
	})
}
