package scenario

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"shelly/fsm"
	"shelly/fsm/wording"
	"shelly/sim"
	"shelly/sim/strict"
)

// Outcome is what came of one case.
type Outcome struct {
	Name      string
	File      string
	Line      int // of the case
	Tags      []string
	Covers    []string // ids of the rules that it shows
	Skipped   string   // why it was not played; empty where it was
	Seed      *uint64  // under which it failed, where a seed chose (SIM-2)
	Failures  []Failure
	Err       error       // the case could not be loaded or played; what it expects was not judged
	Steps     int         // durable steps of the (uninterrupted) run
	TraceHash uint64      // of that run; the same on every machine
	Points    int         // crash points that were tried
	Unknown   int         // of them those after which an outcome was unknown, and
	Raced     int         // those that end otherwise than without the crash since an input met interrupted work
	Struck    []string    // the faults that struck, in that run and in those of the crash matrix
	Result    *sim.Result // of that run; nil with Err
	Live      *Live       // nil where no live model was asked
	Golden    *Golden     // nil where the case asks for none, and with Err
	again     string      // the command that runs the case; empty where it was not loaded
}

// OK reports whether the case was played and all held (SCN-40).
func (o *Outcome) OK() bool { return o.Err == nil && len(o.Failures) == 0 && o.Skipped == "" }

// Again is the command that runs the case, or the whole file where it has no line,
// under the seed that it failed under.
func (o *Outcome) Again() string {
	command := cmp.Or(o.again, again(o.File, o.Line))
	if o.Seed != nil {
		command += " --seed " + strconv.FormatUint(*o.Seed, 10)
	}
	return command
}

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
}

const (
	failuresMax     = 20  // failures of one case that are told
	traceLinesMax   = 8   // steps shown before a failure
	shownValueBytes = 600 // of a wanted or got value
)

// again is the command that runs the case, and of a matrix no other (SCN-18).
func (f *File) again() string {
	command := again(f.Path(), f.Line())
	if f.Label() != "" {
		command += " --run " + ShellWord("^"+regexp.QuoteMeta(f.Name)+"$")
	}
	if f.Script.Live {
		command += " --on runtime"
	}
	return command
}

// again is the command that runs the cases of a line; line 0 is the whole file.
func again(file string, line int) string {
	if line > 0 {
		file += ":" + strconv.Itoa(line)
	}
	return "shelly test " + ShellWord(file)
}

// ShellWord is a word as a shell takes it.
func ShellWord(word string) string {
	if strings.ContainsAny(word, " \t\n'\"\\$&|;<>()*?[]#~`!{}^") {
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return word
}

// fail adds a failure at the step that is judged, which is mostly the last.
func (j *judge) fail(pos strict.Pos, path string, wrong mismatch) {
	j.failAt(pos, path, j.step, wrong)
}

// failAt adds a failure that shows at a step.
func (j *judge) failAt(pos strict.Pos, path string, step int, wrong mismatch) {
	if len(j.failures) >= failuresMax {
		j.dropped++
		return
	}
	f := j.file
	j.failures = append(j.failures, Failure{
		Name: f.Name, File: f.Path(), Pos: pos, Path: path,
		Want: wording.Clip(wrong.want, shownValueBytes), Got: wording.Clip(wrong.got, shownValueBytes), Text: wrong.text,
		Hint: wording.Line(wrong.hint), Diff: wrong.diff,
		Frame: f.Sources().Frame(pos),
		Trace: j.lastSteps(step),
		Again: f.again(),
	})
}

// Blame is a failure at the place of a key that the file has, for what only the
// runner of cases can see.
func (f *File) Blame(key, text string) Failure {
	pos := f.Where(key)
	return Failure{Name: f.Name, File: f.Path(), Pos: pos, Path: key, Text: text, Frame: f.Sources().Frame(pos), Again: f.again()}
}

// Line is the line of the case: in a matrix of rows that of its row.
func (f *File) Line() int {
	if f.Row() > 0 {
		return f.Row()
	}
	if f.property != nil {
		return f.Where("property").Line
	}
	return f.Where("scenario").Line
}

// lastSteps shows the steps up to and with one.
func (j *judge) lastSteps(step int) []string {
	steps := j.result.Steps
	end := min(step+1, len(steps))
	var lines []string
	for i := max(0, end-traceLinesMax); i < end; i++ {
		lines = append(lines, stepLine(i, steps[i], fsm.Millis(j.file.start())))
	}
	return lines
}

// stepLine is a step on one line, with its number.
func stepLine(i int, s sim.Step, start fsm.Millis) string {
	return fmt.Sprintf("%3d  %s", i+1, stepText(s, start))
}

// stepText is when a step was, what came in, what it moved and what it caused.
func stepText(s sim.Step, start fsm.Millis) string {
	var b strings.Builder
	fmt.Fprintf(&b, "+%-8s %-14s", s.At-start, fsm.InputKind(s.Input))
	between := ""
	for _, m := range s.Moves {
		if m.Stays() {
			continue
		}
		b.WriteString(between)
		between = ","
		subject := m.Table
		if m.Handle != 0 {
			subject += " " + strconv.FormatUint(uint64(m.Handle), 10)
		}
		fmt.Fprintf(&b, " %s %s→%s", subject, m.From, m.To)
	}
	for n, e := range s.Effects {
		if n == 0 {
			b.WriteString(" ⇒")
		}
		b.WriteString(" " + effectWord(e))
	}
	return strings.TrimRight(b.String(), " ")
}

// effectWord is an effect's kind, with what tells it from its like.
func effectWord(e fsm.Effect) string {
	word := fsm.EffectKind(e)
	switch e := e.(type) {
	case fsm.AskBrain:
		word += "(" + string(e.Purpose) + ")"
	case fsm.RunTool:
		word += "(" + e.Name + ")"
	case fsm.SetTimer:
		word += "(" + string(e.Purpose) + " " + e.After.String() + ")"
	case fsm.LoadSkill:
		word += "(" + e.Skill + ")"
	case fsm.AskPerson:
		word += "(" + string(e.Question) + ")"
	case fsm.Audit:
		word += "(" + e.Tool + ")"
	case fsm.Exit:
		word += "(" + string(e.Code) + ")"
	}
	return word
}
