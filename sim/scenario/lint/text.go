package lint

import (
	"bytes"
	"fmt"
	"unicode"

	"shelly/sim/scenario/format"
	"shelly/sim/strict"
)

// invisible finds characters that no editor shows and that may turn the text around them
// (Unicode's bidirectional controls), and others of no width, where the file has them as
// they are. Joiners are left alone: scripts and emoji need them.
func invisible(cases []*format.File) []Finding {
	var found []Finding
	seen := map[string]bool{} // files
	for _, f := range cases {
		for name, source := range f.Sources() { // order-free: findings are sorted by place
			at := strict.Pos{File: name}
			if seen[at.In(f.Path())] {
				continue
			}
			seen[at.In(f.Path())] = true
			for n, line := range bytes.Split(source, []byte("\n")) {
				for col, r := range []rune(string(line)) {
					if unicode.Is(unicode.Cf, r) && r != '\u200c' && r != '\u200d' && (n > 0 || col > 0 || r != '\ufeff') {
						at.Line, at.Col = n+1, col+1
						found = append(found, finding(f, at, "", fmt.Sprintf(`an invisible character, U+%04X; remove it, or write it as "\u%04x" in double quotes`, r, r)))
					}
				}
			}
		}
	}
	return found
}

// beats reports whether a heartbeat has something done without anybody's asking.
func (l *linter) beats() bool { return l.file.Where("config.heartbeat") != (strict.Pos{}) }

// idle finds cases in which nothing happens: what they expect holds of a process that
// nobody talks to.
func (l *linter) idle() {
	f := l.file
	starts := f.ScriptFor != nil && f.ScriptFor.Init != nil || f.Where("config.init") != (strict.Pos{}) || l.beats()
	switch {
	case len(f.Timeline) > 0 || f.Replay != nil || starts:
	case f.Where("timeline") != (strict.Pos{}):
		l.at("timeline", "is empty, so nobody talks to the agent; say what happens when")
	default:
		l.at("name", "there is no timeline, so nobody talks to the agent; say what happens when")
	}
}
