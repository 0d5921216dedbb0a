package lint

import (
	"slices"
	"strings"

	"shelly/fsm/wording"
	"shelly/sim/scenario/format"
	"shelly/sim/strict"
)

// exceptions finds those of may_change for claims that hold after each crash, too.
func (l *linter) exceptions(needless []string) {
	for i, name := range l.file.MayChange() {
		if slices.Contains(needless, name) {
			l.at(strict.Element("faults.crash.may_change", i), wording.Word(name)+" holds after every crash; remove the exception")
		}
	}
}

// StraightOnly says of each case with a crash at every point which of its expectations
// only the run without a crash is held to (SCN-54). These are no findings.
func StraightOnly(cases []*format.File) []Finding {
	var notes []Finding
	for _, f := range cases {
		if only := f.StraightOnly(); f.EveryCrash() && len(only) > 0 {
			notes = append(notes, finding(f, f.Where("faults.crash"), "faults.crash", "held only without a crash: "+strings.Join(only, ", ")))
		}
	}
	return notes
}
