// Package judge holds what happened in a run against what its file expects, and words what
// does not hold: where the file says so, what was got, what comes nearest, and the last
// steps before it (SCN-10).
package judge

import (
	"fmt"
	"slices"
	"strings"

	"shelly/fsm"
	"shelly/fsm/machine"
	"shelly/fsm/state"
	"shelly/fsm/wording"
	"shelly/sim"
	"shelly/sim/explore"
	"shelly/sim/scenario/compile"
	"shelly/sim/scenario/data"
	"shelly/sim/scenario/expression"
	"shelly/sim/scenario/format"
	"shelly/sim/scenario/golden"
	"shelly/sim/scenario/match"
	"shelly/sim/script"
	"shelly/sim/strict"
)

// judgement holds a result against what its file expects.
type judgement struct {
	file     *format.File
	result   *sim.Result
	failures []Failure
	dropped  int // failures beyond failuresMax
	met      []Met
	step     int     // where the next failure shows
	trace    *events // built when first wanted
	handles  []handleSeen
	made     map[fsm.CallID]int // the first step that made each call, when first wanted
	moving   []int              // the steps, from 1, that move handles, when first wanted
	kept     *golden.Golden     // nil where the case asks for none

	keptGolden golden.Kept // as it was read

	evaluated []*expression.Evaluation // when first wanted, of the file's expressions in their order
	scripts   []compile.Source         // when first wanted
}

// scripted are the scripts of the file, with where their lines stand.
func (j *judgement) scripted() []compile.Source {
	if j.scripts == nil {
		j.scripts = compile.Scripted(j.file)
	}
	return j.scripts
}

func (j *judgement) traced() *events {
	if j.trace == nil {
		asked := map[fsm.CallID]*sim.Asked{} // only looked up
		for i := range j.result.Asked {
			asked[j.result.Asked[i].Ask.Call] = &j.result.Asked[i]
		}
		j.trace = &events{list: traceOf(j.result.Steps, asked)}
	}
	return j.trace
}

func (j *judgement) events() []event { return j.traced().list }

// Verdict is what a judgement comes to.
type Verdict struct {
	Failures []Failure
	Met      []Met          // in the order in which they were judged
	Golden   *golden.Golden // nil where the case asks for none
}

// Run holds a result against what its file expects, and what came of its crash
// matrix, where there is one.
func Run(f *format.File, r *sim.Result, kept golden.Kept, crashed []Failure) Verdict {
	j := &judgement{file: f, result: r, keptGolden: kept}
	j.all()
	causes := j.mistaken()
	for _, f := range crashed {
		j.add(f)
	}
	inOrder(j.failures)
	j.failures = append(causes, j.failures...)
	if over := len(j.failures) - failuresMax; over > 0 {
		j.failures, j.dropped = j.failures[:failuresMax], j.dropped+over
	}
	if j.dropped > 0 {
		text := fmt.Sprintf("and %d more failures", j.dropped)
		j.failures = append(j.failures, Failure{Name: f.Name, File: f.Path(), Text: text, Again: Again(f)})
	}
	return Verdict{j.failures, j.met, j.kept}
}

// all judges everything that is judged.
func (j *judgement) all() {
	j.step = len(j.result.Steps)
	j.broken()
	j.calls()
	j.replayed()
	if e := j.file.Expect; e != nil {
		j.said(e)
		j.paths(e)
		j.done(e)
		for i := range e.Trace {
			path, o := strict.Element("expect.trace", i), &e.Trace[i]
			j.judge(path, func() { j.order(path, o) }, func() []int { return j.shown(o) })
		}
	}
	j.hold()
	j.comeAbout()
	if e := j.file.Expect; e != nil && e.Golden != nil {
		j.kept = j.golden()
	}
}

// broken fails what fails every case: a broken invariant (SCN-13), a call that
// nothing was scripted for, an entry that nobody asked for (SCN-3).
func (j *judgement) broken() {
	name := j.file.Where("name")
	for _, v := range j.result.Violations {
		pos := name
		if j.file.Replay != nil {
			pos = j.file.Where(strict.Element("replay", v.Told))
		}
		j.failAt(pos, "invariants", v.Step, match.Mismatch{Text: v.Invariant + ": " + v.Text})
	}
	if j.file.Replay == nil { // a replay may end anywhere
		for _, v := range j.result.Witness() {
			j.fail(name, "invariants", match.Mismatch{Text: v.Invariant + ": " + v.Text})
		}
	}
	for _, u := range j.result.Unexpected {
		j.unexpected(u)
	}
	j.unstruck()
	for _, path := range j.unused() {
		j.fail(j.file.Where(path), path, match.Mismatch{Text: "no call used this entry; add optional: true if that is fine", Hint: j.unapproved(path)})
	}
}

// unapproved says that a person was asked about a call that did not use a tool's entry, as it was not
// approved.
func (j *judgement) unapproved(path string) string {
	for _, q := range j.result.Questions {
		if q.Question == fsm.QuestionApprove && strings.HasPrefix(path, "tools."+wording.Word(q.Tool)+"[") {
			asked := "a person was asked about a call of " + wording.Word(q.Tool)
			if slices.ContainsFunc(j.file.Timeline, func(m format.Moment) bool { return m.Deny != nil }) {
				return asked + " and did not approve it"
			}
			return asked + " and did not approve it; does the timeline have {approve: true}?"
		}
	}
	return ""
}

// unexpected fails what nothing was scripted for, where the script is that lacks it, and an
// entry of the timeline that came to nothing.
func (j *judgement) unexpected(u sim.Unexpected) {
	wrong, step := match.Mismatch{Text: "unexpected: " + u.What}, j.step
	var paths []string // of which the file has one
	if u.Moment >= 0 {
		paths = []string{strict.Element("timeline", u.Moment)}
	}
	if run, ok := u.Call.(fsm.RunTool); ok {
		paths, step = []string{"tools." + wording.Word(run.Name)}, j.stepOf(run.Call)
	}
	if ask, ok := u.Call.(fsm.AskBrain); ok {
		paths, step = []string{"brain_for." + string(ask.Purpose), "brain_for", "brain"}, j.stepOf(ask.Call)
		if ask.Purpose == fsm.PurposeAnswer {
			paths = paths[2:]
		}
		wrong.Hint = "session " + wording.Word(ask.Session) + "; the last message: " + wording.Clip(lastValue(ask.Messages()).String(), match.ShownBytes)
	}
	for _, path := range paths {
		if pos := j.file.Where(path); pos != (strict.Pos{}) {
			j.failAt(pos, path, step, wrong)
			return
		}
	}
	j.failAt(j.file.Where("name"), "", step, wrong)
}

// unstruck fails the faults for an nth call that never came, and the crashes at a point
// that was not met (SCN-24).
func (j *judgement) unstruck() {
	for _, i := range j.result.Unmet {
		path := "faults.crash"
		if at := strict.Element(path, i); j.file.Where(at) != (strict.Pos{}) {
			path = at // one of a list
		}
		j.fail(j.file.Where(path), path, match.Mismatch{
			Text: "this crash did not happen: its point was not reached often enough; add optional: true if that is fine",
		})
	}
	if len(j.result.Unstruck) == 0 {
		return
	}
	faults := compile.Faults(j.file)
	for _, i := range j.result.Unstruck {
		path := faults[i].Path
		j.fail(j.file.Where(path), path, match.Mismatch{
			Text: "this fault hit nothing: there " + fewer(faults[i].Nth, path) + "; add optional: true if that is fine",
		})
	}
}

// fewer says that the n-th call or append that a fault is for never came.
func fewer(n int, fault string) string {
	what := "call"
	if strings.HasPrefix(fault, "faults.journal") {
		what = "append"
	}
	if n <= 1 {
		return "was no such " + what
	}
	return fmt.Sprintf("were fewer than %d such %ss", n, what)
}

// unused lists the entries that no call took.
func (j *judgement) unused() []string {
	var paths []string
	asked, ran := map[script.Taken]bool{}, map[script.Taken]bool{}
	for i := range j.result.Asked {
		asked[j.result.Asked[i].Line] = true
	}
	for i := range j.result.Ran {
		ran[j.result.Ran[i].Act] = true
	}
	for s, source := range j.scripted() {
		for i := range source.Lines {
			if !source.Lines[i].Optional && !asked[script.Taken{Script: s, Index: i}] {
				paths = append(paths, source.Paths[i])
			}
		}
	}
	for s, tool := range j.file.Tools.Stubs {
		for i := range tool.Value {
			if !tool.Value[i].Optional && !ran[script.Taken{Script: s, Index: i}] {
				paths = append(paths, strict.Element("tools."+wording.Word(tool.Name), i))
			}
		}
	}
	return paths
}

// calls checks what the model was sent and what the tools were called with
// (SCN-5).
func (j *judgement) calls() {
	scripts := j.scripted()
	for _, a := range j.result.Asked {
		if a.Line.Script < 0 {
			continue
		}
		script := scripts[a.Line.Script]
		if sees := script.Lines[a.Line.Index].Sees; sees != nil {
			j.step = j.stepOf(a.Ask.Call)
			j.sees(script.Paths[a.Line.Index]+".sees", sees, a)
		}
	}
	for _, r := range j.result.Ran {
		if r.Act.Script < 0 || r.Act.Script >= len(j.file.Tools.Stubs) { // a server's
			continue
		}
		tool := j.file.Tools.Stubs[r.Act.Script]
		if want := tool.Value[r.Act.Index].Args; want != nil {
			j.step = j.stepOf(r.Run.Call)
			j.expect(strict.Element("tools."+wording.Word(tool.Name), r.Act.Index), ".args", want, func() data.Value { return data.Args(r.Run.Args) })
		}
	}
	j.step = len(j.result.Steps)
}

// mistaken are, in a case that fails, the scripted calls of tools that were not declared, and those of builtin
// tools that the machine has refused, in order: the model was told so, or was not heard. What else fails may
// have come of it.
func (j *judgement) mistaken() []Failure {
	if len(j.failures) == 0 {
		return nil
	}
	rest := j.failures
	j.failures = nil
	scripts, refused := j.scripted(), j.refused()
	for _, a := range j.result.Asked {
		if a.Line.Script < 0 {
			continue
		}
		var declared []string
		for _, t := range a.Config.Tools {
			declared = append(declared, t.Name)
		}
		script := scripts[a.Line.Script]
		line := &script.Lines[a.Line.Index]
		said := compile.Line(line).Calls
		for n, c := range line.Calls {
			path, at := strict.Element(script.Paths[a.Line.Index]+".calls", n), j.stepOf(a.Ask.Call)
			switch r := slices.IndexFunc(refused, func(r refusal) bool { return n < len(said) && r.step >= at && r.of(said[n]) }); {
			case c.None:
			case !slices.Contains(declared, c.Tool):
				j.failAt(j.file.Where(path), path, at, match.Mismatch{Text: format.NotDeclared(c.Tool, declared)})
			case r >= 0 && c.Bad == "" && !line.Optional: // what a property makes calls anything, and all of it is optional
				text := "the call of " + wording.Word(c.Tool) + " was answered with " + data.Text(refused[r].audit.Result).String()
				j.failAt(j.file.Where(path), path, refused[r].step, match.Mismatch{Text: text})
				refused = slices.Delete(refused, r, r+1)
			}
		}
	}
	causes := j.failures
	inOrder(causes)
	j.failures = rest
	return causes
}

// refusal is a call of a builtin tool that has failed, and the step in which it did.
type refusal struct {
	step  int
	audit fsm.Audit
}

func (r refusal) of(c fsm.ToolCall) bool {
	return r.audit.Tool == c.Name && data.Args(r.audit.Args).Equal(data.Args(c.Args))
}

// refused are those of the run.
func (j *judgement) refused() (list []refusal) {
	for i := range j.result.Steps {
		for _, e := range j.result.Steps[i].Effects {
			if a, ok := e.(fsm.Audit); ok && a.Failed && slices.Contains(fsm.BuiltinNames(), a.Tool) {
				list = append(list, refusal{i, a})
			}
		}
	}
	return list
}

// stepOf returns the step that made a call, or the last where a crash lost it.
func (j *judgement) stepOf(call fsm.CallID) int {
	if j.made == nil {
		j.made = map[fsm.CallID]int{}
		for i := len(j.result.Steps) - 1; i >= 0; i-- {
			for _, e := range j.result.Steps[i].Effects {
				j.made[fsm.CallOf(e)] = i
			}
		}
	}
	if i, ok := j.made[call]; ok {
		return i
	}
	return len(j.result.Steps)
}

func (j *judgement) sees(path string, want *format.Sees, a sim.Asked) {
	messages := a.Ask.Messages()
	j.expect(path, ".last", want.Last, func() data.Value { return lastValue(messages) })
	j.expect(path, ".messages", want.Messages, func() data.Value { return data.List(messages, messageValue) })
	j.expect(path, ".count", want.Count, func() data.Value { return data.Int(len(messages)) })
	j.expect(path, ".system", want.System, func() data.Value { return systemValue(messages) })
	j.expect(path, ".tools", want.Tools, func() data.Value { return toolsValue(a) })
	j.expect(path, ".options", want.Options, func() data.Value { return optionsValue(a.Ask.Options) })
	j.expect(path, ".tokens", want.Tokens, func() data.Value { return sentTokens(a) })
}

// replayed checks what a replay alone expects.
func (j *judgement) replayed() {
	f := j.file
	if want := f.Hash; want != nil && uint64(*want) != j.result.Hash() {
		j.fail(f.Where("hash"), "hash", match.Mismatch{Want: want.String(), Got: format.Hash(j.result.Hash()).String()})
	}
	if f.Expect != nil && f.Expect.Rests && !explore.Rests(machine.Restore(j.result.Final)) {
		j.fail(f.Where("expect.rests"), "expect.rests", match.Mismatch{Text: "INV-12: rest cannot be reached from the end by answers alone"})
	}
}

// paths checks the ways through the tables.
func (j *judgement) paths(e *format.Expect) {
	if e.Lifecycle != nil {
		j.expect("expect.lifecycle", ".path", e.Lifecycle.Path, func() data.Value { return statesValue(j.result.Path(state.Lifecycle.Name, 0)) })
	}
	if e.Handle != nil {
		j.handle("expect.handle", e.Handle)
	}
	for i := range e.Handles {
		j.handle(strict.Element("expect.handles", i), &e.Handles[i])
	}
	if e.Inference == nil && e.Inferences == nil {
		return
	}
	runs := j.inferences(&format.HandlePath{})
	first := data.Value{}
	if len(runs.List) > 0 {
		first = runs.List[0]
	}
	if e.Inference != nil {
		j.expect("expect.inference", ".path", e.Inference.Path, there(first))
	}
	j.expect("expect", ".inferences", e.Inferences, there(runs))
}

func (j *judgement) handle(path string, want *format.HandlePath) {
	j.expect(path, ".path", want.Path, func() data.Value {
		if h, ok := j.find(want); ok {
			return statesValue(j.result.Path(state.HandleTable.Name, h.id))
		}
		return data.Value{}
	})
	j.expect(path, ".inferences", want.Inferences, func() data.Value { return j.inferences(want) })
}

// done checks what is left behind.
func (j *judgement) done(e *format.Expect) {
	r := j.result
	if e.Memory != nil {
		added := r.Memory[len(j.file.Memory):]
		j.expect("expect.memory", ".entries", e.Memory.Entries, func() data.Value {
			if e.Memory.Entries.ForNumber() {
				return data.Int(len(added))
			}
			return data.List(added, entryValue)
		})
	}
	j.expect("expect", ".world", e.World, func() data.Value { return worldValue(r.World) })
	j.expect("expect", ".sessions", e.Sessions, func() data.Value { return sessionsValue(r.Sessions) })
	j.expect("expect", ".memory_file", e.MemoryMD, func() data.Value { return data.Text(r.MemoryFile) })
	j.expect("expect", ".history_file", e.HistoryMD, func() data.Value { return data.List(r.History, data.Text) })
	if c := e.Clock; c != nil {
		j.expect("expect.clock", ".elapsed", c.Elapsed, func() data.Value { return data.Duration(r.End - fsm.Millis(j.file.Start())) })
		j.expect("expect.clock", ".at", c.At, func() data.Value { return data.Instant(r.Wall) })
	}
	for _, t := range e.Tools {
		path := "expect.tools." + wording.Word(t.Name)
		starts, uses := ran(r, t.Name)
		j.expect(path, ".starts", t.Value.Starts, there(data.Int(starts)))
		j.expect(path, ".uses", t.Value.Uses, there(data.Int(uses)))
	}
	if got := string(r.Final.Lifecycle); e.Ends != "" && e.Ends != got {
		j.fail(j.file.Where("expect.ends"), "expect.ends", match.Mismatch{Want: e.Ends, Got: got})
	}
}

// ran counts how often the world saw a tool start, and for how many different calls.
func ran(r *sim.Result, tool string) (starts, uses int) {
	calls := map[string]bool{} // only counted
	for _, ran := range r.Ran {
		if ran.Run.Name == tool {
			starts++
			calls[ran.Run.Key] = true
		}
	}
	return starts, len(calls)
}

// expect fails where a matcher that is given does not match what was got, which is made only
// then; its path is that of what has it, and its key.
func (j *judgement) expect(of, key string, want *match.Matcher, got func() data.Value) {
	if want == nil {
		return
	}
	path := of + key
	if wrong := want.Match(got(), path); wrong != nil {
		j.explain(wrong)
		j.fail(wrong.Pos, wrong.Path, *wrong)
		return
	}
	met := Met{Path: path, Pos: j.file.Where(path), Steps: j.evidence(path)}
	if j.step < len(j.result.Steps) {
		met.Steps = []int{j.step + 1}
	}
	j.met = append(j.met, met)
}

// evidence is that of a path. Those of the handles are the same for each of them.
func (j *judgement) evidence(path string) []int {
	if !strings.HasPrefix(path, "expect.handles") {
		return evidence(j.result, path)
	}
	if j.moving == nil {
		j.moving = evidence(j.result, "expect.handles")
	}
	return j.moving
}

// there is a value that was made already.
func there(v data.Value) func() data.Value { return func() data.Value { return v } }
