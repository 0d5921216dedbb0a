package crash

import (
	"fmt"
	"slices"
	"strings"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/wording"
	"shelly/sim"
	"shelly/sim/disk"
)

// Result is what the crash matrix of one plan found.
type Result struct {
	Points   int      // how many crash points the uninterrupted run meets
	Unknown  int      // those after which a run met an unknown outcome, and
	Raced    int      // those after which it ended differently because an input met interrupted work: both judged by invariants and counters alone
	Struck   []string // the faults that struck in the crashed runs, in order
	Failures []Failure
}

// Failure is a crash after which the run did not end as it should.
type Failure struct {
	Ordinal int // which point it crashed at, from 1
	Point   sim.Point
	Text    string
}

// Matrix runs a plan once for each crash point that its uninterrupted run meets
// (SIM-6), but for those at which nothing has happened since the point before.
// Each crashed run must end as the uninterrupted one does (JRN-12): the same
// final replies, memory, sessions, messages and starts of unsafe tools, but for
// times. Where a started tool met a crash and its outcome is unknown, they may tell
// so, and only the invariants, one reply for each request and one start for each
// attempt of an unsafe tool are asked.
func Matrix(p sim.Plan, o sim.Options) (Result, error) {
	p.Crashes = nil
	o.CrashAt = 0
	recorder := &sim.Recorder{From: p.Chooser(o)}
	o.Choose, o.Chance = recorder, recorder.From // what strikes is kept in the fates, not on the tape
	straight, err := sim.Run(p, o)
	if err != nil {
		return Result{}, err
	}
	o.Chance, o.Fates = sim.First{}, straight.Fates // up to the crash the same run
	all, one, again := Result{Points: straight.Points}, Result{}, straight.Again
	for n := 1; n <= straight.Points; n++ {
		if len(again) > 0 && again[0] == n {
			again = again[1:]
			one.Struck, one.Failures = []string{string(sim.BeforeEffect)}, nil
		} else {
			o.CrashAt, o.Choose = n, sim.NewTape(recorder.Choices)
			if one, err = crashed(&p, o, straight); err != nil {
				return all, fmt.Errorf("crash at point %d: %w", o.CrashAt, err)
			}
		}
		all.Unknown, all.Raced = all.Unknown+one.Unknown, all.Raced+one.Raced
		all.Struck, all.Failures = append(all.Struck, one.Struck...), append(all.Failures, one.Failures...)
	}
	return all, nil
}

// crashed runs the plan with one crash, and returns what it adds to the matrix.
func crashed(p *sim.Plan, o sim.Options, straight *sim.Result) (Result, error) {
	run, err := sim.Run(*p, o)
	if err != nil {
		return Result{}, err
	}
	if o.Crashed != nil {
		o.Crashed(straight, run)
	}
	one := Result{Struck: run.Struck}
	for _, text := range one.compare(p, straight, run) {
		point := sim.Point("")
		if len(run.Crashes) > 0 {
			point = run.Crashes[0].Point
		}
		one.Failures = append(one.Failures, Failure{Ordinal: o.CrashAt, Point: point, Text: text})
	}
	return one, nil
}

// compare says how a crashed run's outcome differs from what it may be.
func (m *Result) compare(p *sim.Plan, straight, crashed *sim.Result) []string {
	var wrong []string
	for _, v := range crashed.Violations {
		wrong = append(wrong, v.Invariant+": "+v.Text)
	}
	for _, v := range crashed.Witness() {
		wrong = append(wrong, v.Invariant+": "+v.Text)
	}
	if metUnknown(crashed) || len(straight.Crashes) > 0 && metUnknown(straight) {
		m.Unknown++
		return wrong
	}
	var unlike []string
	for _, u := range crashed.Unexpected {
		unlike = append(unlike, u.What)
	}
	unlike = append(unlike, compareOutcome(straight, crashed)...)
	if len(unlike) > 0 && raced(p, straight, crashed) {
		m.Raced++
		return wrong
	}
	return append(wrong, unlike...)
}

// metUnknown reports whether the model was told of an unknown outcome, or that nothing has happened of a
// call that may not start again (INF-54), a person asked about one, or a turn kept with one.
func metUnknown(r *sim.Result) bool {
	words := &r.Final.Config.Words
	lost, never := words.Text(fsm.WordUnknownOutcome), words.Text(fsm.WordError, "reason", words.Text(fsm.WordNeverBegun))
	unknown := func(m fsm.Message) bool { return m.Role == fsm.RoleTool && (m.Text == lost || m.Text == never) }
	return slices.ContainsFunc(r.Questions, func(q sim.Question) bool { return q.Question == fsm.QuestionUnknown }) ||
		slices.ContainsFunc(r.Asked, func(a sim.Asked) bool { return slices.ContainsFunc(a.Ask.Conversation.Messages, unknown) }) ||
		slices.ContainsFunc(r.Sessions, func(s disk.Saved) bool { return slices.ContainsFunc(s.Archive, unknown) })
}

// compareOutcome compares what clients were told and what is remembered of
// them. A request that the uninterrupted run leaves parked may have its reply
// here, and the other way round.
func compareOutcome(straight, crashed *sim.Result) []string {
	var wrong []string
	for _, want := range straight.Replies() {
		i := slices.IndexFunc(crashed.Requests, func(q engine.Request) bool { return q.Key == want.Key })
		if i < 0 {
			wrong = append(wrong, fmt.Sprintf("request %s is not there", want.Key.ID))
			continue
		}
		if got := crashed.Requests[i]; got.Done && (got.Reply != want.Reply || got.IsError != want.IsError || got.Outcome != want.Outcome) {
			wrong = append(wrong, fmt.Sprintf("request %s was answered %q (%s), without the crash %q (%s)", want.Key.ID, got.Reply, got.Outcome, want.Reply, want.Outcome))
		}
	}
	wrong = append(wrong, compareMemory(straight, crashed)...)
	if goesOn(straight, crashed) {
		return wrong
	}
	return append(wrong, compareKept(straight, crashed)...)
}

// goesOn reports whether a crashed run ends elsewhere, or with more still to do
// after its next start, than the uninterrupted one: then not all is there yet.
func goesOn(straight, crashed *sim.Result) bool {
	return crashed.Final.Lifecycle != straight.Final.Lifecycle || len(crashed.Final.Handles) > len(straight.Final.Handles)
}

// compareMemory compares what is remembered. Each boot may remember an initial
// inference and each shutdown a farewell, but a request or an event is one entry
// and no more. What is parked has its entry yet to come, and a farewell that a
// crash cut short has none (LIF-12).
func compareMemory(straight, crashed *sim.Result) []string {
	var wrong []string
	for _, e := range crashed.Memory {
		want, got := remembers(straight, e), remembers(crashed, e)
		once := e.Kind != fsm.KindInit && e.Kind != fsm.KindFarewell
		switch {
		case e.Kind == fsm.KindMemory: // how many turns one entry has depends on when nobody waits
		case want == 0:
			wrong = append(wrong, fmt.Sprintf("memory holds %q, which it does not without the crash", e.Summary))
		case once && got > want:
			wrong = append(wrong, fmt.Sprintf("memory holds %q %s, without the crash %s", e.Summary, wording.Count(got, "time"), wording.Count(want, "time")))
		}
	}
	if goesOn(straight, crashed) {
		return wrong
	}
	for _, e := range straight.Memory {
		if e.Kind != fsm.KindFarewell && e.Kind != fsm.KindMemory && remembers(crashed, e) < remembers(straight, e) {
			wrong = append(wrong, fmt.Sprintf("memory lost %q", e.Summary))
		}
	}
	return append(wrong, compareLines("memory of turns", turnLines(straight), turnLines(crashed))...)
}

// turnLines returns what the memory handles have remembered, however they have
// divided it.
func turnLines(r *sim.Result) []string {
	var lines []string
	for _, e := range r.Memory {
		if e.Kind == fsm.KindMemory {
			for _, line := range strings.Split(e.Text, "\n") {
				if line != "" {
					lines = append(lines, e.Session+": "+line)
				}
			}
		}
	}
	return lines
}

// remembers counts the entries like e, whoever wrote them when.
func remembers(r *sim.Result, e fsm.Entry) int {
	n := 0
	for _, o := range r.Memory {
		same := o.Kind == e.Kind && o.Summary == e.Summary && o.Text == e.Text && o.Session == e.Session && o.Source == e.Source
		if same && (len(o.Vector) > 0) == (len(e.Vector) > 0) {
			n++
		}
	}
	return n
}
