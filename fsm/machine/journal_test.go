package machine_test

import (
	"testing"

	"shelly/fsm"
	"shelly/fsm/machine"
	"shelly/fsm/state"
)

func TestJRN4WhatCannotBeUndoneIsABarrier(t *testing.T) {
	tests := []struct {
		name    string
		in      fsm.Fact
		effects []fsm.Effect
		want    bool
	}{
		{"a boot", fsm.Boot{}, nil, true},
		{"a request", fsm.Requested{}, nil, true},
		{"an event", fsm.EventRaised{}, []fsm.Effect{fsm.Notify{Notice: fsm.NoticeQueued}}, true},
		{"an event that joined another", fsm.EventRaised{}, nil, false},
		{"a slot", fsm.ScheduleDue{}, []fsm.Effect{fsm.AskBrain{}}, true},
		{"a slot that was taken", fsm.ScheduleDue{}, nil, false},
		{"a configuration", fsm.Configured{}, nil, true},
		{"a cancel", fsm.CancelRequested{}, nil, true},
		{"a decision", fsm.Decided{}, nil, true},
		{"a resolution", fsm.Resolved{}, nil, true},
		{"a message", fsm.BrainAnswered{}, []fsm.Effect{fsm.SendMessage{}}, true},
		{"a question to a person", fsm.BrainAnswered{}, []fsm.Effect{fsm.AskPerson{}}, true},
		{"a schedule", fsm.BrainAnswered{}, []fsm.Effect{fsm.ArmSchedule{}}, true},
		{"a place in the queue", fsm.Stored{}, []fsm.Effect{fsm.Notify{Notice: fsm.NoticeQueued}}, false},
		{"a signal", fsm.Signalled{}, nil, true},
		{"a reply", fsm.Stored{}, []fsm.Effect{fsm.ClearTimer{}, fsm.Reply{}}, true},
		{"a notice", fsm.TimerFired{}, []fsm.Effect{fsm.Notify{Notice: fsm.NoticeDeferred}}, true},
		{"an exit", fsm.Stored{}, []fsm.Effect{fsm.Exit{}}, true},
		{"an unsafe tool", fsm.BrainAnswered{}, []fsm.Effect{fsm.RunTool{Effects: fsm.EffectsUnsafe}}, true},
		{"an undeclared tool", fsm.BrainAnswered{}, []fsm.Effect{fsm.RunTool{}}, true},
		{"a tool that may be repeated", fsm.BrainAnswered{}, []fsm.Effect{fsm.RunTool{Effects: fsm.EffectsIdempotent}}, false},
		{"a tool that changes nothing", fsm.BrainAnswered{}, []fsm.Effect{fsm.RunTool{Effects: fsm.EffectsNone}}, false},
		{"a model call", fsm.ToolAnswered{}, []fsm.Effect{fsm.AskBrain{}}, false},
		{"memory", fsm.BrainAnswered{}, []fsm.Effect{fsm.Recall{}, fsm.Embed{}, fsm.Store{}}, false},
		{"nothing", fsm.ToolStopped{}, nil, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := machine.New().Barrier(fsm.Input{Fact: tt.in}, tt.effects); got != tt.want {
				t.Errorf("barrier %t, want %t", got, tt.want)
			}
		})
	}
}

// Even an answer that nothing happened: losing that is just as bad.
func TestJRN4TheAnswerOfAnUnsafeToolIsABarrier(t *testing.T) {
	for _, failed := range []bool{false, true} {
		for _, decl := range tools() {
			d := newDriver(t)
			d.config.Limits.MaxToolAttempts = 2
			d.boot()
			d.ask("go")
			d.calls(decl.Name)
			in := fsm.Input{At: d.now(), Fact: fsm.ToolAnswered{Answered: fsm.To(d.call(fsm.CallTool)), Text: "done", Failed: failed, Nothing: failed}}
			effects := d.step(in)
			if got, want := d.m.Barrier(in, effects), !decl.Effects.Repeatable(); got != want {
				t.Errorf("%s, failed %t: barrier %t, want %t", decl.Name, failed, got, want)
			}
			again := d.step(in)
			if d.m.Barrier(in, again) {
				t.Errorf("%s: an answer that is not awaited is a barrier", decl.Name)
			}
		}
	}
}

func TestJRN7WhatNobodyWaitsForChangesNothingButACounter(t *testing.T) {
	tests := []struct {
		name string
		in   fsm.Input
		want state.Ignored
	}{
		{"a brain's answer", fsm.Input{At: 9, Fact: fsm.BrainAnswered{Answered: fsm.To(1), Text: "late"}}, state.Ignored{Answers: 1}},
		{"a brain's failure", fsm.Input{At: 9, Fact: fsm.BrainFailed{Answered: fsm.To(1)}}, state.Ignored{Answers: 1}},
		{"a tool's answer", fsm.Input{At: 9, Fact: fsm.ToolAnswered{Answered: fsm.To(2)}}, state.Ignored{Answers: 1}},
		{"a tool's stop", fsm.Input{At: 9, Fact: fsm.ToolStopped{Answered: fsm.To(2)}}, state.Ignored{Answers: 1}},
		{"a recall", fsm.Input{At: 9, Fact: fsm.Recalled{Answered: fsm.To(2)}}, state.Ignored{Answers: 1}},
		{"an embedding", fsm.Input{At: 9, Fact: fsm.Embedded{Answered: fsm.To(2)}}, state.Ignored{Answers: 1}},
		{"a store", fsm.Input{At: 9, Fact: fsm.Stored{}}, state.Ignored{Answers: 1}},
		{"a timer", fsm.Input{At: 9, Fact: fsm.TimerFired{Timer: 77}}, state.Ignored{Timers: 1}},
		{"no timer", fsm.Input{At: 9, Fact: fsm.TimerFired{}}, state.Ignored{Timers: 1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := serving(t)
			d.ask("hello") // timer 1 and call 2, to the model
			want := d.m.Snapshot()
			want.Now, want.Ignored = 9, tt.want
			if effects := d.step(tt.in); len(effects) > 0 {
				t.Errorf("effects %+v", effects)
			}
			same(t, want, d.m.Snapshot())
		})
	}
}

func TestJRN7AnAnswerIsTakenOnce(t *testing.T) {
	d := serving(t)
	d.ask("hello")
	answer := fsm.Input{At: d.at, Fact: fsm.BrainAnswered{Answered: fsm.To(d.call(fsm.CallBrain)), Stop: fsm.StopEndTurn, Text: "good day"}}
	d.step(answer)
	d.inStates(state.Summarizing)
	d.step(answer)
	d.inStates(state.Summarizing)
	if n := d.m.View().Ignored.Answers; n != 1 {
		t.Errorf("%d answers ignored", n)
	}
}

func TestJRN7WhatIsNotAnInputChangesNothingAtAll(t *testing.T) {
	inputs := []struct {
		name string
		in   fsm.Input
	}{
		{"nil", fsm.Input{}},
		{"a nil pointer", fsm.Input{Fact: (*fsm.Boot)(nil)}},
		{"a pointer", fsm.Input{At: 9, Fact: &fsm.Signalled{}}},
	}
	for _, tt := range inputs {
		t.Run(tt.name, func(t *testing.T) {
			d := serving(t)
			d.ask("hello")
			want := d.m.Snapshot()
			want.Ignored.Unknown = 1
			if effects := d.step(tt.in); len(effects) > 0 {
				t.Errorf("effects %+v", effects)
			}
			same(t, want, d.m.Snapshot())
		})
	}
}

func TestJRN8NoIDIsUsedTwiceInAnyEpoch(t *testing.T) {
	d := serving(t)
	for range 3 {
		d.ask("hello")
		d.boot()
		d.answer("NEED: more")
		d.recalls()
		d.calls("list_dir")
		d.boot()
		d.toolSays("a.txt")
		d.answer("good day")
		d.remember()
	}
	var last uint64
	for _, e := range d.all {
		var id uint64
		switch e := e.(type) {
		case fsm.AskBrain:
			id = uint64(e.Call)
		case fsm.RunTool:
			id = uint64(e.Call)
		case fsm.Recall:
			id = uint64(e.Call)
		case fsm.Embed:
			id = uint64(e.Call)
		case fsm.Store:
			id = uint64(e.Call)
		case fsm.SetTimer:
			id = uint64(e.Timer)
		default:
			continue
		}
		if id <= last {
			t.Errorf("%T has id %d after id %d", e, id, last)
		}
		last = id
	}
}
