package machine_test

import (
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"shelly/fsm"
	"shelly/fsm/check"
	"shelly/fsm/machine"
	"shelly/fsm/state"
)

// reading returns a driver whose model has asked for these tools; those without effects run
// together.
func reading(t testing.TB, change func(*fsm.Config), names ...string) (*driver, fsm.RequestKey) {
	t.Helper()
	d, key := bare(t, func(c *fsm.Config) {
		c.Limits.ReadsAtOnce = 4
		c.Switches.Reading = fsm.ReadingCareful
		if change != nil {
			change(c)
		}
	})
	d.calls(names...)
	return d, key
}

// inFlight returns the calls of the active handle that are in flight.
func (d *driver) inFlight(kind fsm.CallKind) []fsm.CallID {
	d.t.Helper()
	var calls []fsm.CallID
	for _, a := range d.active().InFlight() {
		if a.Kind != kind {
			d.t.Fatalf("a %s call is in flight", a.Kind)
		}
		calls = append(calls, a.Call)
	}
	return calls
}

// reads answers the n-th of the calls in flight.
func (d *driver) reads(n int, text string) {
	d.t.Helper()
	d.step(fsm.Input{At: d.now(), Fact: fsm.ToolAnswered{Answered: fsm.To(d.inFlight(fsm.CallTool)[n]), Text: text}})
}

func (d *driver) readFails(n int, text string) {
	d.t.Helper()
	d.step(fsm.Input{At: d.now(), Fact: fsm.ToolAnswered{Answered: fsm.To(d.inFlight(fsm.CallTool)[n]), Text: text, Failed: true}})
}

// stops reports that the n-th of the calls in flight has stopped.
func (d *driver) stops(n int) {
	d.t.Helper()
	d.step(fsm.Input{At: d.now(), Fact: fsm.ToolStopped{Answered: fsm.To(d.inFlight(fsm.CallStop)[n])}})
}

// started returns the arguments of the tools that the last step started.
func (d *driver) started() []string {
	var args []string
	for _, r := range of[fsm.RunTool](d.effects) {
		args = append(args, r.Name+r.Args)
	}
	return args
}

// results returns the texts of the last n results that were sent to the model in the last
// step.
func (d *driver) results(n int) []string {
	d.t.Helper()
	var texts []string
	c := d.conversation()
	for _, m := range c[len(c)-n:] {
		texts = append(texts, m.Text)
	}
	return texts
}

func TestINF44CallsWithoutEffectsRunTogether(t *testing.T) {
	tests := []struct {
		name    string
		change  func(*fsm.Config)
		calls   []string
		batches [][]string // what each step starts, once all calls of the step before have been answered
	}{
		{"four", nil, []string{"list_dir", "list_dir", "list_dir", "list_dir"}, [][]string{{"list_dir0", "list_dir1", "list_dir2", "list_dir3"}}},
		{"five, four at a time", nil, []string{"list_dir", "list_dir", "list_dir", "list_dir", "list_dir"}, [][]string{{"list_dir0", "list_dir1", "list_dir2", "list_dir3"}, {"list_dir4"}}},
		{"one at a time", func(c *fsm.Config) { c.Limits.ReadsAtOnce = 1 }, []string{"list_dir", "list_dir"}, [][]string{{"list_dir0"}, {"list_dir1"}}},
		{"a write between", nil, []string{"list_dir", "list_dir", "write_note", "list_dir", "list_dir"}, [][]string{{"list_dir0", "list_dir1"}, {"write_note2"}, {"list_dir3", "list_dir4"}}},
		{"an unsafe one", nil, []string{"list_dir", "send_mail", "list_dir"}, [][]string{{"list_dir0"}, {"send_mail1"}, {"list_dir2"}}},
		{"an unknown one between", nil, []string{"list_dir", "list_dir", "fly", "list_dir", "list_dir"}, [][]string{{"list_dir0", "list_dir1"}, {"list_dir3", "list_dir4"}}},
		{"a cap on the answer", func(c *fsm.Config) { c.Limits.MaxCallsPerAnswer = 2 }, []string{"list_dir", "list_dir", "list_dir"}, [][]string{{"list_dir0", "list_dir1"}}},
		{"a cap on the calls", func(c *fsm.Config) { c.Limits.MaxToolCalls = 3 }, []string{"list_dir", "list_dir", "list_dir", "list_dir"}, [][]string{{"list_dir0", "list_dir1", "list_dir2"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d, _ := reading(t, tt.change, tt.calls...)
			for _, batch := range tt.batches {
				var want []string
				for _, name := range batch {
					want = append(want, name[:len(name)-1]+`{"n":`+name[len(name)-1:]+`}`)
				}
				same(t, want, d.started())
				for len(want) > 0 {
					d.reads(len(want)-1, "ok") // the last first
					want = want[1:]
				}
			}
			if len(d.m.View().Handles) > 0 && d.active().Busy() {
				d.call(fsm.CallBrain)
			}
		})
	}
}

func TestINF44WhatNeedsApprovalRunsByItself(t *testing.T) {
	d, _ := reading(t, func(c *fsm.Config) { c.Tools[0].Approve = true }, "list_dir", "list_dir")
	if d.active().State != state.Approving || len(d.started()) > 0 {
		t.Errorf("%s, and %v is started", d.active().State, d.started())
	}
}

func TestINF45ResultsStandInTheOrderAsked(t *testing.T) {
	d, _ := reading(t, nil, "list_dir", "list_dir", "list_dir")
	for _, n := range []int{2, 0, 0} {
		no[fsm.AskBrain](d)
		no[fsm.Audit](d)
		d.reads(n, "from "+strconv.Itoa(n))
	}
	same(t, []string{"from 0", "from 0", "from 2"}, d.results(3))
	var recorded []string
	for _, a := range of[fsm.Audit](d.effects) {
		recorded = append(recorded, a.Args+a.Result+" "+strconv.Itoa(a.Attempts)+" "+a.Duration.String())
	}
	same(t, []string{`{"n":0}from 0 1 2s`, `{"n":1}from 0 1 3s`, `{"n":2}from 2 1 1s`}, recorded)
}

func TestINF42EqualCallsOfABatchShareOneResult(t *testing.T) {
	d, _ := bare(t, func(c *fsm.Config) { c.Limits.ReadsAtOnce, c.Switches.Reading = 4, fsm.ReadingCareful })
	call := func(args string) fsm.ToolCall { return fsm.ToolCall{Name: "list_dir", Args: args} }
	d.step(fsm.Input{At: d.now(), Fact: fsm.BrainAnswered{
		Answered: fsm.To(d.call(fsm.CallBrain)), Calls: []fsm.ToolCall{call("1"), call(" 1"), call("2"), call("1\n")}, // blanks aside
	}})
	same(t, []string{"list_dir1", "list_dir2"}, d.started())
	d.reads(1, "two")
	d.reads(0, "one")
	same(t, []string{"one", "one", "two", "one"}, d.results(4))
	if n := d.active().Inf.Ran; n != 2 {
		t.Errorf("%d calls are counted", n)
	}
}

func TestINF46FailedCallsOfABatchWaitOnce(t *testing.T) {
	d, _ := reading(t, func(c *fsm.Config) { c.Limits.MaxToolAttempts = 2 }, "list_dir", "list_dir", "list_dir")
	d.readFails(0, "busy")
	no[fsm.SetTimer](d)
	d.readFails(1, "busy")
	no[fsm.SetTimer](d)
	d.reads(0, "one")
	if set := one[fsm.SetTimer](d); set.Purpose != fsm.TimerRetry {
		t.Errorf("timer %+v", set)
	}
	d.waitUp()
	same(t, []string{`list_dir{"n":0}`, `list_dir{"n":2}`}, d.started())
	if again := of[fsm.RunTool](d.effects); again[0].Attempt != 2 || again[1].Attempt != 2 {
		t.Errorf("attempts %d and %d", again[0].Attempt, again[1].Attempt)
	}
	d.readFails(0, "still busy")
	d.reads(0, "two")
	same(t, []string{"error: still busy", "one", "two"}, d.results(3))
	recorded := of[fsm.Audit](d.effects)
	if len(recorded) != 3 || recorded[0].Attempts != 2 || !recorded[0].Failed || recorded[1].Attempts != 1 || recorded[2].Attempts != 2 {
		t.Errorf("recorded %+v", recorded)
	}
}

func TestINF46AWrongCallOfABatchIsNotTriedAgain(t *testing.T) {
	d, _ := reading(t, func(c *fsm.Config) { c.Limits.MaxToolAttempts = 2 }, "list_dir", "list_dir")
	d.reads(1, "two")
	d.step(fsm.Input{At: d.now(), Fact: fsm.ToolAnswered{Answered: fsm.To(d.inFlight(fsm.CallTool)[0]), Text: "no such file", Failed: true, Invalid: true}})
	same(t, []string{"error: no such file", "two"}, d.results(2))
}

func TestINF46AToolWhoseDeclarationChangedIsNotTriedAgain(t *testing.T) {
	d, _ := reading(t, func(c *fsm.Config) { c.Limits.MaxToolAttempts = 2 }, "list_dir", "list_dir")
	d.reads(1, "two")
	d.readFails(0, "busy")
	c := d.config
	c.Tools = slices.Clone(c.Tools)
	c.Tools[0].Effects = fsm.EffectsUnsafe
	d.step(fsm.Input{At: d.now(), Fact: fsm.Configured{Config: c}})
	d.waitUp()
	same(t, []string{"interrupted, outcome unknown: check before repeating", "two"}, d.results(2))
}

// Not even if it says that nothing happened: it would run beside others.
func TestINV14AToolThatHasEffectsByNowIsNotTriedAgainInABatch(t *testing.T) {
	d, _ := reading(t, func(c *fsm.Config) { c.Limits.MaxToolAttempts = 2 }, "list_dir", "list_dir")
	for range 2 {
		d.step(fsm.Input{At: d.now(), Fact: fsm.ToolAnswered{Answered: fsm.To(d.inFlight(fsm.CallTool)[0]), Text: "busy", Failed: true, Nothing: true}})
	}
	c := d.config
	c.Tools = slices.Clone(c.Tools)
	c.Tools[0].Effects = fsm.EffectsUnsafe
	d.step(fsm.Input{At: d.now(), Fact: fsm.Configured{Config: c}})
	d.waitUp()
	same(t, []string{"error: busy", "error: busy"}, d.results(2))
}

// The limit at the time when all have been answered counts (INV-3).
func TestINF46ALimitThatIsLowerByNowEndsTheAttempts(t *testing.T) {
	d, _ := reading(t, func(c *fsm.Config) { c.Limits.MaxToolAttempts = 2 }, "list_dir", "list_dir")
	d.readFails(0, "busy")
	c := d.config
	c.Limits.MaxToolAttempts = 1
	d.step(fsm.Input{At: d.now(), Fact: fsm.Configured{Config: c}})
	d.reads(0, "two")
	same(t, []string{"error: busy", "two"}, d.results(2))
}

func TestINF46ALimitThatFallsDuringTheWaitEndsTheAttempts(t *testing.T) {
	for attempts, again := range map[int]int{2: 2, 1: 0} { // order-free
		d, _ := reading(t, func(c *fsm.Config) { c.Limits.MaxToolAttempts = 2 }, "list_dir", "list_dir")
		d.readFails(0, "busy")
		d.readFails(0, "busy")
		d.config.Limits.MaxToolAttempts = attempts
		d.step(fsm.Input{At: d.now(), Fact: fsm.Configured{Config: d.config}})
		d.waitUp()
		if n := len(d.started()); n != again {
			t.Errorf("up to %d attempts: %d calls are started again", attempts, n)
		} else if again == 0 {
			same(t, []string{"error: busy", "error: busy"}, d.results(2))
		}
	}
}

func TestINF47ACheckpointLetsABatchFinish(t *testing.T) {
	d, key := reading(t, func(c *fsm.Config) { c.Switches.Cancel, c.Limits.MaxToolAttempts = fsm.CancelCheckpoint, 2 }, "list_dir", "list_dir", "write_note")
	d.readFails(0, "busy")
	d.cancels(key)
	no[fsm.AbortCall](d)
	no[fsm.Reply](d)
	d.reads(0, "two")
	no[fsm.RunTool](d)
	no[fsm.SetTimer](d)
	if recorded := of[fsm.Audit](d.effects); len(recorded) != 3 || recorded[2].Ran() {
		t.Errorf("recorded %+v", recorded)
	}
	d.refused(key, "cancelled")
}

func TestINF48ABatchIsGivenUpWhole(t *testing.T) {
	tests := []struct {
		name string
		end  func(*driver, fsm.RequestKey)
	}{
		{"cancelled", func(d *driver, key fsm.RequestKey) { d.cancels(key) }},
		{"out of time", func(d *driver, _ fsm.RequestKey) { d.timeUp() }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d, key := inTurn(t, "nanobot", func(c *fsm.Config) { c.Limits.ReadsAtOnce = 4 })
			d.calls("list_dir", "list_dir", "list_dir")
			d.reads(1, "two")
			running := d.inFlight(fsm.CallTool)
			tt.end(d, key)
			var aborted []fsm.CallID
			for _, a := range of[fsm.AbortCall](d.effects) {
				aborted = append(aborted, a.Call)
			}
			same(t, running, aborted)
			one[fsm.Reply](d)
			const unknown = "interrupted, outcome unknown: check before repeating"
			var recorded []string
			for _, a := range of[fsm.Audit](d.effects) {
				recorded = append(recorded, a.Result)
			}
			same(t, []string{unknown, "two", unknown}, recorded)
			d.inStates(state.Stopping)
			d.stops(1)
			d.inStates(state.Stopping)
			no[fsm.SaveSession](d)
			d.step(fsm.Input{At: d.now(), Fact: fsm.ToolAnswered{Answered: fsm.To(running[0]), Text: "late"}})
			if n := d.m.View().Ignored.Answers; n != 0 { // it counts as the stop (TOL-7)
				t.Errorf("%d answers are ignored", n)
			}
			var kept []string
			for _, m := range one[fsm.SaveSession](d).Archive {
				if m.Role == fsm.RoleTool {
					kept = append(kept, m.Text)
				}
			}
			no[fsm.Audit](d)
			one[fsm.ClearTimer](d) // saving has a time of its own (SES-5)
			if set := one[fsm.SetTimer](d); set.Purpose != fsm.TimerAbort || set.After != d.config.Limits.AbortTimeout {
				t.Errorf("timer %+v", set)
			}
			same(t, []string{unknown, "two", unknown}, kept)
		})
	}
}

// A call that was to get the result of an equal one before the batch has not run (SES-5).
func TestINF48WhatWasToBeSharedHasNotRun(t *testing.T) {
	d, key := inTurn(t, "nanobot", func(c *fsm.Config) { c.Limits.ReadsAtOnce = 4 })
	answer := answerOfDistinct(d, []string{"list_dir", "write_note", "list_dir", "list_dir", "list_dir"})
	answer.Calls[2].Args = answer.Calls[0].Args
	d.step(fsm.Input{At: d.now(), Fact: answer})
	d.toolSays("a.txt")
	d.toolSays("noted")
	if n := len(d.inFlight(fsm.CallTool)); n != 2 {
		t.Fatalf("%d calls run together", n)
	}
	d.cancels(key)
	d.stops(0)
	d.stops(0)
	var kept []string
	for _, m := range one[fsm.SaveSession](d).Archive {
		if m.Role == fsm.RoleTool {
			kept = append(kept, m.Text)
		}
	}
	same(t, []string{"a.txt", "noted", cancelled, lostCall, lostCall}, kept)
}

func TestINF48TheTimeToStopIsOneForAll(t *testing.T) {
	d, key := reading(t, func(c *fsm.Config) { c.Switches.Cancel = fsm.CancelImmediate }, "list_dir", "list_dir")
	d.cancels(key)
	if set := one[fsm.SetTimer](d); set.Purpose != fsm.TimerAbort {
		t.Errorf("timer %+v", set)
	}
	d.stops(0)
	no[fsm.ClearTimer](d)
	d.timeUp()
	d.inStates()
}

func TestINF48AParkedBatchIsAborted(t *testing.T) {
	d, _ := reading(t, nil, "list_dir", "list_dir")
	running := d.inFlight(fsm.CallTool)
	d.signal()
	d.graceUp()
	if aborted := of[fsm.AbortCall](d.effects); len(aborted) != 2 {
		t.Errorf("aborted %+v", aborted)
	}
	d.step(fsm.Input{At: d.now(), Fact: fsm.ToolStopped{Answered: fsm.To(running[0])}})
	if d.m.View().Ignored.Answers != 1 {
		t.Error("the stop of a parked call does not count as late")
	}
}

func TestINF49OnlyTheUnansweredAreAskedAgain(t *testing.T) {
	d, _ := reading(t, func(c *fsm.Config) { c.Limits.MaxToolAttempts = 2 }, "list_dir", "list_dir", "list_dir", "list_dir")
	before := of[fsm.RunTool](d.effects)
	d.reads(1, "two")
	d.readFails(0, "busy")
	d.config.Limits.ReadsAtOnce = 1
	d.boot()
	again := of[fsm.RunTool](d.effects)
	if len(again) != 2 || again[0].Key != before[2].Key || again[1].Key != before[3].Key || again[0].Attempt != 1 {
		t.Fatalf("started again %+v", again)
	}
	d.reads(0, "three")
	d.reads(0, "four")
	d.waitUp()
	d.reads(0, "one")
	same(t, []string{"one", "two", "three", "four"}, d.results(4))
}

func TestINF49AReadThatMayNotBeRepeatedByNowIsUnknown(t *testing.T) {
	d, _ := reading(t, func(c *fsm.Config) { c.Switches.HoldUnknown = true }, "list_dir", "list_dir")
	d.reads(0, "one")
	d.config.Tools = slices.Clone(d.config.Tools)
	d.config.Tools[0].Effects = fsm.EffectsUnsafe
	d.boot()
	same(t, []string{"one", "interrupted, outcome unknown: check before repeating"}, d.results(2))
}

// A call that had failed by then is started again all the same, unless a cancel ends the batch
// (INF-47).
func TestINF49AFailedCallBesideAnUnknownOneIsStartedAgain(t *testing.T) {
	for _, cancelled := range []bool{false, true} {
		d, key := reading(t, func(c *fsm.Config) {
			c.Switches.Cancel, c.Limits.MaxToolAttempts = fsm.CancelCheckpoint, 2
			c.Tools = append(c.Tools, fsm.ToolDecl{Name: "look_up", Effects: fsm.EffectsNone})
		}, "list_dir", "look_up")
		d.readFails(0, "busy")
		if cancelled {
			d.cancels(key)
		}
		d.config.Tools = slices.Clone(d.config.Tools)
		d.config.Tools[len(d.config.Tools)-1].Effects = fsm.EffectsUnsafe
		d.boot()
		no[fsm.RunTool](d)
		if cancelled {
			d.refused(key, "cancelled")
			continue
		}
		d.waitUp()
		same(t, []string{`list_dir{"n":0}`}, d.started())
		d.reads(0, "one")
		same(t, []string{"one", "interrupted, outcome unknown: check before repeating"}, d.results(2))
	}
}

func TestINF49ABatchThatOnlyWaitedGoesOnAtOnce(t *testing.T) {
	d, _ := reading(t, func(c *fsm.Config) { c.Limits.MaxToolAttempts = 2 }, "list_dir", "list_dir")
	d.readFails(0, "busy")
	d.reads(0, "two")
	d.boot()
	same(t, []string{`list_dir{"n":0}`}, d.started())
}

// INV-14, INF-45: whatever fails or crashes, and in whatever order answers arrive, each
// call has its own result.
func TestINV14EachCallOfABatchHasItsOwnResult(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, w := machine.New(), check.NewMonitor()
		config := newDriver(nil).config
		config.Switches = fsm.Switches{NoCognition: true, Remember: fsm.RememberOff}
		config.Limits.ReadsAtOnce = rapid.IntRange(1, 5).Draw(t, "reads_at_once")
		config.Limits.MaxToolAttempts = 2
		config.Limits.MaxCrashes = 100
		var effects []fsm.Effect
		step := func(f fsm.Fact) {
			in := fsm.Input{At: m.View().Now + 1, Fact: f}
			effects = m.Step(in)
			checkStep(t, w, m, in, effects)
		}
		step(fsm.Boot{Config: config})
		step(fsm.Requested{Request: fsm.RequestKey{ID: "a"}, Text: "?"})
		var calls []fsm.ToolCall
		for i := range rapid.IntRange(1, 9).Draw(t, "calls") {
			name := rapid.SampledFrom([]string{"list_dir", "list_dir", "list_dir", "write_note"}).Draw(t, "tool")
			calls = append(calls, fsm.ToolCall{Name: name, Args: strconv.Itoa(i)})
		}
		args := map[fsm.CallID]string{}
		step(fsm.BrainAnswered{Answered: fsm.To(m.View().Handles[0].Await.Call), Calls: calls})
		for len(of[fsm.AskBrain](effects)) == 0 {
			for _, r := range of[fsm.RunTool](effects) {
				args[r.Call] = r.Args
			}
			h := &m.View().Handles[0]
			flight := h.InFlight()
			if len(flight) == 0 {
				step(fsm.TimerFired{Timer: h.Wait})
				continue
			}
			call := rapid.SampledFrom(flight).Draw(t, "answered").Call
			switch rapid.IntRange(0, 9).Draw(t, "how") {
			case 0:
				step(fsm.Boot{Config: config})
			case 1, 2:
				step(fsm.ToolAnswered{Answered: fsm.To(call), Text: args[call], Failed: true})
			default:
				step(fsm.ToolAnswered{Answered: fsm.To(call), Text: args[call]})
			}
		}
		results := of[fsm.AskBrain](effects)[0].Conversation.Messages
		for i, r := range results[len(results)-len(calls):] {
			if r.Text != calls[i].Args && r.Text != "error: "+calls[i].Args {
				t.Fatalf("call %d has the result %q", i, r.Text)
			}
		}
	})
}

func TestTheHashOfABatchLeavesOutNamesAndTimes(t *testing.T) {
	a, b := state.Snapshot{Handles: []state.Handle{fullHandle()}}, state.Snapshot{Handles: []state.Handle{fullHandle()}}
	r := &b.Handles[0].Inf.Batch[0]
	r.Call, r.Began, r.Took = 70, 2, 2
	if a.Hash() != b.Hash() {
		t.Error("two states that differ only in names and times have different hashes")
	}
	r.Text = "another"
	if a.Hash() == b.Hash() || a.Shape() != b.Shape() {
		t.Error("a result is in the shape, or not in the hash")
	}
	r.Done = false
	if a.Shape() == b.Shape() {
		t.Error("two states that differ in what is answered have the same shape")
	}
}

func TestTheShapeOfABatchSaysWhatItShows(t *testing.T) {
	a, b := state.Snapshot{Handles: []state.Handle{fullHandle()}}, state.Snapshot{Handles: []state.Handle{fullHandle()}}
	a.Handles[0].Inf.Batch[0].Shows, b.Handles[0].Inf.Batch[0].Shows = fsm.Part{Result: 1}, fsm.Part{Result: 2}
	if a.Shape() == b.Shape() {
		t.Error("two batches that show parts of two results have the same shape")
	}
}

// INF-42, INF-45: equal calls share a result only with `reading: careful`.
func TestINF45EqualCallsThatRunEachHaveTheirOwnResult(t *testing.T) {
	d, _ := bare(t, func(c *fsm.Config) { c.Limits.ReadsAtOnce, c.Switches.Reading = 4, "" })
	d.step(fsm.Input{At: d.now(), Fact: fsm.BrainAnswered{Answered: fsm.To(d.call(fsm.CallBrain)), Stop: fsm.StopToolUse, Calls: []fsm.ToolCall{
		{ID: "a", Name: "list_dir", Args: `{"n":0}`}, {ID: "b", Name: "list_dir", Args: `{"n":0}`},
	}}})
	d.reads(0, "one")
	d.reads(0, "two")
	same(t, []string{"one", "two"}, d.results(2))
}

// A call that gives an argument twice is not run, and so is none of a batch (INF-41).
func TestINF44ACallWithAnArgumentTwiceIsOfNoBatch(t *testing.T) {
	d, _ := bare(t, func(c *fsm.Config) { c.Limits.ReadsAtOnce, c.Switches.Reading = 4, fsm.ReadingCareful })
	d.step(fsm.Input{At: d.now(), Fact: fsm.BrainAnswered{Answered: fsm.To(d.call(fsm.CallBrain)), Stop: fsm.StopToolUse, Calls: []fsm.ToolCall{
		{ID: "1", Name: "list_dir", Args: `{"path":"a","path":"b"}`}, {ID: "2", Name: "list_dir", Args: `{"path":"c"}`},
	}}})
	same(t, []string{`list_dir{"path":"c"}`}, d.started())
}
