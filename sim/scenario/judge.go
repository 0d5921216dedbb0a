package scenario

import (
	"fmt"
	"slices"

	"shelly/fsm"
	"shelly/fsm/wording"
	"shelly/sim"
	"shelly/sim/strict"
)

// judge holds a result against what its file expects.
type judge struct {
	file     *File
	result   *sim.Result
	failures []Failure
	dropped  int     // failures beyond failuresMax
	step     int     // where the next failure shows
	trace    []event // built when first wanted
	handles  []handleSeen
	kept     *Golden // nil where the case asks for none

	evaluated []*evaluation // when first wanted, of the file's expressions in their order
}

func (j *judge) events() []event {
	if j.trace == nil {
		j.trace = traceOf(j.result.Steps)
	}
	return j.trace
}

// all judges everything that is judged.
func (j *judge) all() {
	j.step = len(j.result.Steps)
	j.broken()
	j.calls()
	j.replayed()
	if e := j.file.Expect; e != nil {
		j.said(e)
		j.paths(e)
		j.done(e)
		for i := range e.Trace {
			j.order(strict.Element("expect.trace", i), &e.Trace[i])
		}
	}
	j.hold()
	j.comeAbout()
	if e := j.file.Expect; e != nil && e.Golden != nil {
		j.kept = j.golden(e.Golden)
	}
}

// broken fails what fails every case: a broken invariant (SCN-13), a call that
// nothing was scripted for, an entry that nobody asked for (SCN-3).
func (j *judge) broken() {
	name := j.file.Where("name")
	for _, v := range j.result.Violations {
		pos := name
		if j.file.Replay != nil {
			pos = j.file.Where(strict.Element("replay", v.Told))
		}
		j.failAt(pos, "invariants", v.Step, mismatch{text: v.Invariant + ": " + v.Text})
	}
	if j.file.Replay == nil { // a replay may end anywhere
		for _, v := range j.result.Witness() {
			j.fail(name, "invariants", mismatch{text: v.Invariant + ": " + v.Text})
		}
	}
	for _, what := range j.result.Unexpected {
		j.fail(name, "", mismatch{text: "unexpected: " + what})
	}
	j.unstruck()
	for _, path := range j.unused() {
		j.fail(j.file.Where(path), path, mismatch{text: "nobody asked for this entry; say optional: true if that may be"})
	}
}

// unstruck fails the faults for an nth call that never came, and the crashes at a point
// that was not met (SCN-24).
func (j *judge) unstruck() {
	for _, i := range j.result.Unmet {
		path := "faults.crash"
		if at := strict.Element(path, i); j.file.Where(at) != (strict.Pos{}) {
			path = at // one of a list
		}
		j.fail(j.file.Where(path), path, mismatch{
			text: "this crash never was: its point was not met so often; say optional: true if that may be",
		})
	}
	faults := j.file.faults()
	for _, i := range j.result.Unstruck {
		path := faults[i].path
		j.fail(j.file.Where(path), path, mismatch{
			text: fmt.Sprintf("this fault struck nothing: what it is meant for came fewer than %d times; say optional: true if that may be", faults[i].Nth),
		})
	}
}

// unused lists the entries that no call took.
func (j *judge) unused() []string {
	var paths []string
	for s, script := range j.file.scripted() {
		for i, l := range script.lines {
			if !l.Optional && !slices.ContainsFunc(j.result.Asked, func(a sim.Asked) bool { return a.Line == sim.Taken{Script: s, Index: i} }) {
				paths = append(paths, script.paths[i])
			}
		}
	}
	for s, tool := range j.file.Tools.Stubs {
		for i, e := range tool.Value {
			if !e.Optional && !slices.ContainsFunc(j.result.Ran, func(r sim.Ran) bool { return r.Act == sim.Taken{Script: s, Index: i} }) {
				paths = append(paths, strict.Element("tools."+wording.Word(tool.Name), i))
			}
		}
	}
	return paths
}

// calls checks what the model was sent and what the tools were called with
// (SCN-5).
func (j *judge) calls() {
	scripts := j.file.scripted()
	for _, a := range j.result.Asked {
		if a.Line.Script < 0 {
			continue
		}
		script := scripts[a.Line.Script]
		if sees := script.lines[a.Line.Index].Sees; sees != nil {
			j.step = j.stepOf(a.Ask.Call)
			j.sees(script.paths[a.Line.Index]+".sees", sees, askedValue(a))
		}
	}
	for _, r := range j.result.Ran {
		if r.Act.Script < 0 {
			continue
		}
		tool := j.file.Tools.Stubs[r.Act.Script]
		if want := tool.Value[r.Act.Index].Args; want != nil {
			j.step = j.stepOf(r.Run.Call)
			j.expect(strict.Element("tools."+wording.Word(tool.Name), r.Act.Index)+".args", want, argsValue(r.Run.Args))
		}
	}
	j.step = len(j.result.Steps)
}

// stepOf returns the step that made a call, or the last where a crash lost it.
func (j *judge) stepOf(call fsm.CallID) int {
	for i, s := range j.result.Steps {
		if slices.ContainsFunc(s.Effects, func(e fsm.Effect) bool { return fsm.CallOf(e) == call }) {
			return i
		}
	}
	return len(j.result.Steps)
}

func (j *judge) sees(path string, want *Sees, got value) {
	j.expect(path+".last", want.Last, got.get("last"))
	j.expect(path+".messages", want.Messages, got.get("messages"))
	j.expect(path+".count", want.Count, got.get("count"))
	j.expect(path+".system", want.System, got.get("system"))
	j.expect(path+".tools", want.Tools, got.get("tools"))
	j.expect(path+".options", want.Options, got.get("options"))
	j.expect(path+".tokens", want.Tokens, got.get("tokens"))
}

// said checks what the world was told.
func (j *judge) said(e *Expect) {
	r := j.result
	j.expect("expect.replies", e.Replies, listValue(r.Replies(), j.timedReply))
	j.expect("expect.notices", e.Notices, listValue(r.Notices, noticeValue))
	j.expect("expect.messages", e.Messages, listValue(r.Messages, sentValue))
	j.expect("expect.questions", e.Questions, listValue(r.Questions, questionValue))
	j.expect("expect.audit", e.Audit, listValue(r.Audits, auditValue))
	j.expect("expect.reports", e.Reports, listValue(r.Reports, reportValue))
	j.expect("expect.refusals", e.Refusals, listValue(r.Refusals, func(f sim.Refusal) value {
		return mapValue("error", with("id", textValue(f.Request.ID)), with("error", textValue(f.Err.Error())))
	}))
	j.expect("expect.streamed", e.Streamed, listValue(r.Chunks, j.chunkValue))
	j.expect("expect.asked", e.Asked, listValue(r.Asked, askedValue))
	exit := value{}
	if n := len(r.Exits); n > 0 {
		exit = textValue(string(r.Exits[n-1]))
	}
	j.expect("expect.exit", e.Exit, exit)
}

// paths checks the ways through the tables.
func (j *judge) paths(e *Expect) {
	if e.Lifecycle != nil {
		j.expect("expect.lifecycle.path", e.Lifecycle.Path, statesValue(j.result.Path(fsm.Lifecycle.Name, 0)))
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
	runs := j.inferences(&HandlePath{})
	first := value{}
	if len(runs.list) > 0 {
		first = runs.list[0]
	}
	if e.Inference != nil {
		j.expect("expect.inference.path", e.Inference.Path, first)
	}
	j.expect("expect.inferences", e.Inferences, runs)
}

func (j *judge) handle(path string, want *HandlePath) {
	got := value{}
	if h, ok := j.find(want); ok {
		got = statesValue(j.result.Path(fsm.HandleTable.Name, h.id))
	}
	j.expect(path+".path", want.Path, got)
	j.expect(path+".inferences", want.Inferences, j.inferences(want))
}

// done checks what is left behind.
func (j *judge) done(e *Expect) {
	if e.Memory != nil {
		added := j.result.Memory[len(j.file.Memory):]
		if e.Memory.Entries.wantsNumber() {
			j.expect("expect.memory.entries", e.Memory.Entries, intValue(len(added)))
		} else {
			j.expect("expect.memory.entries", e.Memory.Entries, listValue(added, entryValue))
		}
	}
	j.expect("expect.world", e.World, worldValue(j.result.World))
	j.expect("expect.sessions", e.Sessions, sessionsValue(j.result.Sessions))
	j.expect("expect.memory_file", e.MemoryMD, textValue(j.result.MemoryFile))
	j.expect("expect.history_file", e.HistoryMD, listValue(j.result.History, textValue))
	if c := e.Clock; c != nil {
		j.expect("expect.clock.elapsed", c.Elapsed, durationValue(j.result.End-fsm.Millis(j.file.start())))
		j.expect("expect.clock.at", c.At, instantValue(j.result.Wall))
	}
	for _, t := range e.Tools {
		n := 0
		for _, r := range j.result.Ran {
			if r.Run.Name == t.Name {
				n++
			}
		}
		j.expect("expect.tools."+wording.Word(t.Name)+".starts", t.Value.Starts, intValue(n))
	}
	if got := string(j.result.Final.Lifecycle); e.Ends != "" && e.Ends != got {
		j.fail(j.file.Where("expect.ends"), "expect.ends", mismatch{want: e.Ends, got: got})
	}
}

// wantsNumber reports whether a matcher is for a number.
func (m *Matcher) wantsNumber() bool {
	switch m.op {
	case opGt, opGte, opLt, opLte:
		return true
	case opOneOf, opAll, opExact:
		return m.list[0].wantsNumber()
	default:
		return m.data.kind == numberKind
	}
}

// expect fails where a matcher that is given does not match.
func (j *judge) expect(path string, want *Matcher, got value) {
	if want == nil {
		return
	}
	if wrong := want.match(got, path); wrong != nil {
		wrong.explain()
		j.fail(wrong.pos, wrong.path, *wrong)
	}
}
