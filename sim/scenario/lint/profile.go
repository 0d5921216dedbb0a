package lint

import (
	"fmt"
	"slices"

	"shelly/fsm/wording"
	"shelly/sim/scenario/compile"
	"shelly/sim/scenario/format"
	"shelly/sim/strict"
)

// unnamedProfile finds files that name no profile, and says so once, at the first: what
// they mean follows the daemon's default.
func unnamedProfile(cases []*format.File) []Finding {
	var first *format.File
	files := map[string]bool{} // only counted
	for _, f := range cases {
		if f.Replay != nil || f.Where("profile") != (strict.Pos{}) {
			continue
		}
		if first == nil {
			first = f
		}
		files[f.Path()] = true
	}
	if first == nil {
		return nil
	}
	text := fmt.Sprintf("no profile in %s, which so means %s, as in the daemon (it used to mean shelly); write profile: %[2]s, or the one that is meant",
		wording.Count(len(files), "file"), format.DefaultProfile)
	return []Finding{finding(first, first.Where("name"), "profile", text)}
}

// undeclared finds scripted calls of tools that nobody declares: the model then learns that
// there is no such tool, or, where there is no tool at all, is not heard.
func (l *linter) undeclared() {
	if l.file.DeclaresLater() {
		return
	}
	declared := l.file.Declared()
	for _, s := range compile.Scripted(l.file) {
		for i := range s.Lines {
			l.calledUndeclared(s.Paths[i], &s.Lines[i], declared)
		}
	}
}

// calledUndeclared finds the calls of a line that are of none of the declared tools.
func (l *linter) calledUndeclared(path string, line *format.Line, declared []string) {
	for n, c := range line.Calls {
		if !c.None && !slices.Contains(declared, c.Tool) {
			l.at(strict.Element(path+".calls", n), format.NotDeclared(c.Tool, declared))
		}
	}
}
