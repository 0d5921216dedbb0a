package lint

import (
	"iter"
	"slices"
	"strconv"

	"shelly/sim/scenario/expression"
	"shelly/sim/scenario/format"
	"shelly/sim/strict"
)

// generates looks at what each case of a property has, and at each entry that may be drawn. Whether
// anything is used shows in a case alone.
func (l *linter) generates(rules []string) {
	p := l.property
	l.covers(rules)
	l.named()
	l.sessions()
	declared := l.file.Declared()
	for at, line := range l.drawn() {
		l.calledUndeclared(at, line, declared)
	}
	for i, v := range p.Invariants {
		l.known(strict.Element("invariants", i), v.Expr, true, "say what may not hold, or remove it")
	}
	for i := range p.Cover {
		l.known(strict.Element("cover", i)+".when", &p.Cover[i].When, true, "say what cases may not reach, or remove it")
	}
	l.found = slices.CompactFunc(l.found, func(a, b Finding) bool { return a.Problem == b.Problem }) // of each value of a list
}

// known finds expressions whose value is known without a run, and tools in them that no call can be of.
func (l *linter) known(path string, e *expression.Expression, wanted bool, then string) {
	if e == nil {
		return
	}
	l.counted(path, e)
	if is, known := e.Constant(); known && is == wanted {
		l.at(path, e.String()+" is "+strconv.FormatBool(is)+" in every run; "+then)
	}
}

// moments are what may happen, each with its path: the entries of a timeline, or those that one is
// drawn of.
func (l *linter) moments() iter.Seq2[string, *format.Moment] {
	return func(yield func(string, *format.Moment) bool) {
		for i := range l.file.Timeline {
			if !yield(strict.Element("timeline", i), &l.file.Timeline[i]) {
				return
			}
		}
		if p := l.property; p != nil {
			samples("generate.timeline.pick", p.Generate.Timeline.Pick, func(path string, m *format.Moment, _ bool) bool { return yield(path, m) })
		}
	}
}

// drawn are the lines that a property's script is drawn of, each with its path. Calls that are drawn
// are of tools that there are (PRP-2), and left out.
func (l *linter) drawn() iter.Seq2[string, *format.Line] {
	return func(yield func(string, *format.Line) bool) {
		if p := l.property; p != nil {
			samples("generate.brain.pick", p.Generate.Brain.Pick, func(path string, line *format.Line, drawn bool) bool {
				if own := *line; drawn {
					own.Calls = nil
					line = &own
				}
				return yield(path, line)
			})
		}
	}
}

// lines are those of the script, each with its path, or those that one is drawn of.
func (l *linter) lines() iter.Seq2[string, *format.Line] {
	return func(yield func(string, *format.Line) bool) {
		for i := range l.file.Script.Lines {
			if !yield(strict.Element("brain", i), &l.file.Script.Lines[i]) {
				return
			}
		}
		l.drawn()(yield)
	}
}

// samples are entries with each value that may be drawn of a list, and whether calls of theirs are
// drawn.
func samples[T any](path string, pick []format.Drawn[T], yield func(path string, of *T, calls bool) bool) {
	for i := range pick {
		_, calls := pick[i].CallTools()
		for n := range pick[i].Samples {
			if !yield(strict.Element(path, i), &pick[i].Samples[n], calls) {
				return
			}
		}
	}
}
