package judge

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"shelly/fsm"
	"shelly/fsm/wording"
	"shelly/sim/scenario/format"
	"shelly/sim/scenario/match"
	"shelly/sim/strict"
)

// Failure is one thing that did not hold.
type Failure struct {
	Name  string     // the case's
	File  string     // the scenario's; see [strict.Pos.In]
	Pos   strict.Pos // the expectation
	Path  string     // what was looked at, such as expect.replies[0]
	Want  string     // empty where Text says all
	Got   string
	Text  string   // what is wrong, where want and got do not say it
	Diff  string   // of a golden and what was got, unified; empty for any other failure
	Hint  string   // what comes nearest, or how two lists or long texts differ, on one line
	Frame string   // the source at Pos, with a caret
	Trace []string // the last steps before it
	Again string   // the command that reproduces it
	Step  int      // at which it shows, from 1; 0: no single one
}

const (
	failuresMax   = 20 // failures of one case that are reported
	traceLinesMax = 8  // steps shown before a failure
)

// again is the command that runs the case, and of a matrix no other (SCN-18).
func Again(f *format.File) string {
	command := AgainAt(f.Path(), f.Line())
	if f.Label() != "" {
		command += " --run " + wording.ShellWord("^"+regexp.QuoteMeta(f.Name)+"$")
	}
	for _, v := range f.Given() {
		command += " --var " + wording.ShellWord(v)
	}
	if f.Script.Live {
		command += " --on runtime"
	}
	return command
}

// AgainAt is the command that runs the cases of a line; line 0 is the whole file.
func AgainAt(file string, line int) string {
	if line > 0 {
		file += ":" + strconv.Itoa(line)
	}
	return "shelly test " + wording.ShellPath(file)
}

// fail adds a failure at the step that is judged, which is mostly the last.
func (j *judgement) fail(pos strict.Pos, path string, wrong match.Mismatch) {
	j.failAt(pos, path, j.step, wrong)
}

// failAt adds a failure that shows at a step.
func (j *judgement) failAt(pos strict.Pos, path string, step int, wrong match.Mismatch) {
	if j.full() {
		j.dropped++
		return
	}
	f := j.file
	shows := step + 1
	if step >= len(j.result.Steps) { // at the end
		shows = 0
		if steps := j.evidence(path); len(steps) > 0 {
			shows = steps[len(steps)-1]
		}
	}
	j.add(Failure{
		Name: f.Name, File: f.Path(), Pos: pos, Path: path,
		Want: wording.Clip(wrong.Want, match.ShownBytes), Got: wording.Clip(wrong.Got, match.ShownBytes), Text: wrong.Text,
		Hint: wording.Line(wrong.Hint), Diff: wrong.Diff,
		Frame: f.Sources().Frame(pos),
		Trace: j.lastSteps(step),
		Again: Again(f), Step: shows,
	})
}

// judge judges what a path says, which holds if nothing fails. It is then shown by the
// steps that holds returns.
func (j *judgement) judge(path string, judge func(), holds func() []int) {
	before := len(j.failures) + j.dropped
	if judge(); len(j.failures)+j.dropped == before {
		j.met = append(j.met, Met{Path: path, Pos: j.file.Where(path), Steps: holds()})
	}
}

// add adds a failure, as long as there are not too many.
func (j *judgement) add(f Failure) {
	if j.full() {
		j.dropped++
		return
	}
	j.failures = append(j.failures, f)
}

// explain puts a mismatch into words, if it is shown.
func (j *judgement) explain(wrong *match.Mismatch) {
	if !j.full() {
		wrong.Explain()
	}
}

// full reports whether no further failure is shown, and so need not be put into words.
func (j *judgement) full() bool { return len(j.failures) >= failuresMax }

// Blame is a failure at the place of a key that the file has, for what only the
// runner of cases can see.
func Blame(f *format.File, key, text string) Failure {
	pos := f.Where(key)
	return Failure{Name: f.Name, File: f.Path(), Pos: pos, Path: key, Text: text, Frame: f.Sources().Frame(pos), Again: Again(f)}
}

// lastSteps shows the steps up to and with one.
func (j *judgement) lastSteps(step int) []string {
	steps := j.result.Steps
	end := min(step+1, len(steps))
	var lines []string
	for i := max(0, end-traceLinesMax); i < end; i++ {
		lines = append(lines, stepLines(i, steps[i], fsm.Millis(j.file.Start()))...)
	}
	return lines[max(0, len(lines)-traceLinesMax):]
}

// inOrder sorts failures as their places stand in the files, those of the scenario
// itself before those of its fragments.
func inOrder(failures []Failure) {
	slices.SortStableFunc(failures, func(a, b Failure) int {
		return cmp.Or(strings.Compare(a.Pos.File, b.Pos.File), cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Col, b.Pos.Col))
	})
}
