package lint

import "shelly/sim/scenario/match"

// exactTexts finds expectations that hold what a live model says to the letter: the same
// model says the same in other words the next time (SCN-29).
func (l *linter) exactTexts() {
	e := l.file.Expect
	if !l.file.Script.Live || e == nil {
		return
	}
	for _, said := range []struct {
		path string
		want *match.Matcher
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

func (l *linter) exactText(path string, m *match.Matcher) {
	for _, exact := range m.Exact([]string{"text", "summary", "thinking"}, ofFailure) {
		l.found = append(l.found, finding(l.file, exact.Pos(), path, "wants what a live model says to the letter; say what the text holds, as {$contains: …} or {$regex: …}"))
	}
}

// ofFailure reports whether a matcher is for the reply of a request that failed, which
// has the machine's words.
func ofFailure(m *match.Matcher) bool {
	failed := m.Member("is_error")
	return failed != nil && failed.String() == "true"
}
