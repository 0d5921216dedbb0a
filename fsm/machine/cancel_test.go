package machine_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/fsm/state"
)

// wasCancelled fails the test unless the last step replied to a client that its request was
// cancelled.
func (d *driver) wasCancelled(key fsm.RequestKey) {
	d.t.Helper()
	want := fsm.Reply{Request: key, Text: "cancelled", IsError: true, Outcome: fsm.OutcomeCancelled}
	got := only(d, func(r fsm.Reply) bool { return r.Request == key })
	got.Handle = 0
	if diff := cmp.Diff(want, got); diff != "" {
		d.t.Fatal(diff)
	}
}

func TestHND31WhoeverDoesNotCancelIsNotCancelled(t *testing.T) {
	tests := []struct {
		name    string
		profile string
		cancel  func(*driver, fsm.RequestKey)
	}{
		{"a profile that refuses", "shelly", func(d *driver, key fsm.RequestKey) { d.cancels(key) }},
		{"an unknown request", "default", func(d *driver, _ fsm.RequestKey) { d.cancels(fsm.RequestKey{ID: "another"}) }},
		{"a request of another principal", "default", func(d *driver, key fsm.RequestKey) { key.Principal = "eve"; d.cancels(key) }},
		{"a request of another channel", "default", func(d *driver, key fsm.RequestKey) { key.Channel = "eve"; d.cancels(key) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := driverOf(t, tt.profile)
			d.boot()
			key := d.ask("hello")
			state := d.active().State
			tt.cancel(d, key)
			d.inStates(state)
			if n := d.m.View().Ignored.Cancels; n != 1 || len(d.effects) > 0 {
				t.Errorf("%d are counted, effects %+v", n, d.effects)
			}
		})
	}
}

func TestHND31AnEventHasNoRequestToCancel(t *testing.T) {
	d := driverOf(t, "default")
	d.boot()
	d.raise("full")
	d.cancels(fsm.RequestKey{})
	d.inStates(state.Loading)
}

func TestHND32TheRunningCallFinishesFirst(t *testing.T) {
	tests := []struct {
		name   string
		to     func(*driver)
		finish func(*driver)
	}{
		{"a model call that asks for tools", func(d *driver) {}, func(d *driver) { d.calls("list_dir", "list_dir") }},
		{"a model call that fails", func(d *driver) {}, func(d *driver) { d.brainFails(fsm.BrainBusy, "queue full") }},
		{"a model call with nothing in it", func(d *driver) {}, func(d *driver) { d.answer(" ") }},
		{"a tool", func(d *driver) { d.calls("send_mail", "list_dir") }, func(d *driver) { d.toolSays("sent") }},
		{"a tool before some that would run together", func(d *driver) { d.calls("send_mail", "list_dir", "list_dir") }, func(d *driver) { d.toolSays("sent") }},
		{"a tool that fails", func(d *driver) { d.calls("list_dir") }, func(d *driver) { d.toolFails("busy") }},
		{"a skill", func(d *driver) { d.asksFor(fsm.ToolLoadSkill, `{"name":"flights"}`) }, func(d *driver) { d.skillSays("book them") }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d, key := inTurn(t, "countbot", func(c *fsm.Config) { c.Limits.Backoff, c.Limits.ReadsAtOnce = []fsm.Millis{fsm.Second}, 2 })
			tt.to(d)
			d.cancels(key)
			if len(d.effects) > 0 {
				t.Fatalf("effects %+v", d.effects)
			}
			tt.finish(d)
			d.wasCancelled(key)
			d.inStates(state.Saving)
			no[fsm.RunTool](d)
			no[fsm.AskBrain](d)
			d.saves()
			d.inStates()
		})
	}
}

// A request that was cancelled while its conversation or its history was shortened, or before a
// crash, asks the model nothing more.
func TestHND32WhoIsCancelledIsNotAskedFor(t *testing.T) {
	tests := []struct {
		name   string
		change func(*fsm.Config)
		then   func(*driver)
	}{
		{"after a summary of the conversation", func(c *fsm.Config) {
			c.Switches.Compress, c.Limits.ContextTokens, c.Limits.KeepMessages, c.Limits.AnswerPercent = true, 1000, 4, 0
		}, func(d *driver) { d.answer("they spoke") }},
		{"after a summary of the history", func(c *fsm.Config) { c.Limits.MaxHistory = 4 }, func(d *driver) { d.answer("they spoke") }},
		{"after a crash", func(*fsm.Config) {}, func(d *driver) { d.boot() }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := driverOf(t, "countbot")
			tt.change(&d.config)
			d.boot()
			key := d.ask("hello")
			d.loads(fsm.Session{Version: 1, History: long(10)})
			d.cancels(key)
			if len(d.effects) > 0 {
				t.Fatalf("effects %+v", d.effects)
			}
			tt.then(d)
			d.wasCancelled(key)
			no[fsm.AskBrain](d)
			d.inStates(state.Saving)
		})
	}
}

// Nor is it asked to answer without thinking (INF-33), or after an answer with nothing in it (INF-20).
func TestHND32WhoeverAnsweredNothingIsNotAskedAgain(t *testing.T) {
	for _, answer := range []fsm.BrainAnswered{
		{Stop: fsm.StopMaxTokens, Thinking: "first I look, then"},
		{Stop: fsm.StopEndTurn, Text: " "},
	} {
		d, key := inTurn(t, "countbot", nil)
		d.cancels(key)
		answer.Answered = fsm.To(d.call(fsm.CallBrain))
		d.step(fsm.Input{At: d.now(), Fact: answer})
		d.wasCancelled(key)
		for _, move := range d.m.Moves() {
			if move.To == state.Thinking {
				t.Errorf("after %+v it goes on to ask: %+v", answer, move)
			}
		}
	}
}

func TestHND32AnAnswerThatComesMeanwhileStands(t *testing.T) {
	d, key := inTurn(t, "countbot", nil)
	d.cancels(key)
	d.answer("good day")
	d.replied(key, "good day")
}

func TestHND33TheRunningCallIsAborted(t *testing.T) {
	tests := []struct {
		name string
		to   func(*driver)
		then fsm.State
	}{
		{"a model call", func(d *driver) {}, state.Saving},
		{"a skill", func(d *driver) { d.asksFor(fsm.ToolLoadSkill, `{"name":"flights"}`) }, state.Saving},
		{"a tool", func(d *driver) { d.calls("list_dir") }, state.Stopping},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d, key := inTurn(t, "nanobot", nil)
			tt.to(d)
			call := d.active().Await.Call
			d.cancels(key)
			d.wasCancelled(key)
			if got := one[fsm.AbortCall](d).Call; got != call {
				t.Errorf("call %d is aborted, not %d", got, call)
			}
			d.inStates(tt.then)
		})
	}
}

func TestHND33ARequestThatLoadsItsSessionHasNoTurnToKeep(t *testing.T) {
	d := driverOf(t, "nanobot")
	d.boot()
	key := d.ask("hello")
	d.cancels(key)
	d.wasCancelled(key)
	d.inStates()
	one[fsm.AbortCall](d)
	no[fsm.SaveSession](d)
}

func TestHND34WhatDoesNotRunIsCancelledAtOnce(t *testing.T) {
	tests := []struct {
		name string
		to   func(*driver)
		then []fsm.State
	}{
		{"backing off", func(d *driver) { d.brainFails(fsm.BrainBusy, "queue full") }, []fsm.State{state.Saving}},
		{"retrying", func(d *driver) { d.calls("list_dir"); d.toolFails("busy") }, []fsm.State{state.Saving}},
		{"waiting for approval", func(d *driver) { d.calls("write_note") }, []fsm.State{state.Saving}},
		{"held", func(d *driver) { d.calls("send_mail"); d.boot() }, []fsm.State{state.Saving}},
		{"parked after crashes", func(d *driver) { d.boot(); d.boot(); d.boot() }, []fsm.State{state.Saving}},
		{"parked by a shutdown", func(d *driver) { d.signal(); d.signal() }, []fsm.State{state.Parked}},
		{"parked after crashes, in a shutdown", func(d *driver) { d.boot(); d.boot(); d.boot(); d.signal(); d.signal() }, []fsm.State{state.Parked}},
	}
	for _, mode := range []fsm.CancelMode{fsm.CancelCheckpoint, fsm.CancelImmediate} {
		for _, tt := range tests {
			t.Run(string(mode)+" "+tt.name, func(t *testing.T) {
				d, key := inTurn(t, "default", func(c *fsm.Config) {
					c.Switches.Cancel, c.Switches.HoldUnknown = mode, true
					c.Tools[1].Approve = true
				})
				tt.to(d)
				d.cancels(key)
				d.wasCancelled(key)
				d.inStates(tt.then...)
				if tt.then[0] == state.Parked { // the next epoch keeps its turn
					d.boot()
				}
				history := one[fsm.SaveSession](d).State.History
				if got := history[len(history)-1].Text; got != "[no answer: cancelled]" {
					t.Errorf("the turn ends with %q", got)
				}
				d.saves()
				d.inStates()
				no[fsm.Reply](d)
			})
		}
	}
}

// A request that waits for its place once more keeps its turn when it gets that.
func TestHND34ARequestThatWaitsToGoOnIsCancelled(t *testing.T) {
	d, key := approving(t, nil)
	d.in("t", "another")
	d.decides(true)
	d.inStates(state.Queued, state.Loading)
	d.cancels(key)
	d.wasCancelled(key)
	d.inStates(state.Queued, state.Loading)
	d.loads(fsm.Session{})
	d.answer("good day")
	d.saves()
	no[fsm.RunTool](d)
	history := one[fsm.SaveSession](d).State.History
	if got := history[len(history)-1].Text; got != "[no answer: cancelled]" {
		t.Errorf("the turn ends with %q", got)
	}
}

func TestHND34AQueuedRequestIsCancelledWithoutATurn(t *testing.T) {
	d := driverOf(t, "default")
	d.boot()
	d.ask("first")
	key := d.ask("second")
	d.inStates(state.Loading, state.Queued)
	d.cancels(key)
	d.wasCancelled(key)
	d.inStates(state.Loading)
}

func TestHND35ACancelAfterTheAnswerChangesNothing(t *testing.T) {
	tests := []struct {
		name string
		to   func(*driver)
	}{
		{"saving", func(d *driver) { d.answer("good day") }},
		{"summarizing", func(d *driver) { d.answer("good day"); d.saves() }},
		{"storing", func(d *driver) { d.answer("good day"); d.saves(); d.answer("a summary"); d.embeds() }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d, key := inTurn(t, "default", func(c *fsm.Config) { c.Switches.Remember, c.Switches.ReplyFirst = fsm.RememberEach, false })
			tt.to(d)
			state := d.active().State
			d.cancels(key)
			d.inStates(state)
			if n := d.m.View().Ignored.Cancels; n != 1 || len(d.effects) > 0 {
				t.Errorf("%d are counted, effects %+v", n, d.effects)
			}
		})
	}
}

func TestHND35ASecondCancelChangesNothing(t *testing.T) {
	d, key := inTurn(t, "default", nil)
	d.calls("send_mail")
	d.cancels(key)
	d.cancels(key)
	if len(d.effects) > 0 {
		t.Errorf("effects %+v", d.effects)
	}
}

func TestHND41ACancelEndsTheSubagentsToo(t *testing.T) {
	for _, profile := range []string{"nanobot", "countbot"} {
		t.Run(profile, func(t *testing.T) {
			d, key := inTurn(t, profile, nil)
			d.asksFor(fsm.ToolSpawn, `{"task":"look"}`)
			d.inStates(state.Execution, state.Execution)
			d.cancels(key)
			for len(d.m.View().Handles) > 1 { // at a checkpoint the child's answer comes first
				child := d.m.View().Handles[1]
				d.step(fsm.Input{At: d.now(), Fact: fsm.BrainAnswered{Answered: fsm.To(child.Await.Call), Calls: []fsm.ToolCall{{Name: "list_dir"}}}})
			}
			if d.active().State == state.Execution {
				d.calls("list_dir")
			}
			d.inStates(state.Saving)
			d.saves()
			d.inStates() // no report
			if n := len(of[fsm.Reply](d.all)); n != 1 {
				t.Errorf("%d replies", n)
			}
		})
	}
}

// A cancelled request whose process dies ends without another start of its tool, and waits for
// nobody.
func TestHND32ACancelHoldsOverACrash(t *testing.T) {
	tests := []struct {
		name  string
		calls []string
		reads int // at once
		probe bool
	}{
		{"a tool that might have done it", []string{"send_mail", "list_dir"}, 1, false},
		{"a tool that cannot tell", []string{"send_mail", "list_dir"}, 1, true},
		{"a tool that may be repeated", []string{"write_note", "list_dir"}, 1, false},
		{"a batch", []string{"list_dir", "list_dir"}, 2, false},
	}
	editions := []int{fsm.PresentEdition, fsm.SecondEdition}
	for n := range len(tests) * len(editions) {
		tt, edition := tests[n/len(editions)], editions[n%len(editions)]
		t.Run(tt.name, func(t *testing.T) {
			d, key := inTurn(t, "countbot", func(c *fsm.Config) {
				c.Switches.HoldUnknown, c.Limits.ReadsAtOnce, c.Edition = true, tt.reads, edition
				for i := range c.Tools {
					c.Tools[i].Probe = tt.probe && c.Tools[i].Effects == fsm.EffectsUnsafe
				}
			})
			d.calls(tt.calls...)
			d.cancels(key)
			d.boot()
			if tt.probe {
				d.probeSays(fsm.ProbeUnsure, "")
			}
			d.wasCancelled(key)
			no[fsm.RunTool](d)
			no[fsm.AskPerson](d)
			d.inStates(state.Saving)
		})
	}
}

// The boots of older builds had a person asked.
func TestHND32AnOlderEpochHoldsACancelledRequest(t *testing.T) {
	d, key := inTurn(t, "countbot", func(c *fsm.Config) { c.Switches.HoldUnknown, c.Edition = true, fsm.FirstEdition })
	d.calls("send_mail", "list_dir")
	d.cancels(key)
	d.boot()
	d.inStates(state.Held)
}

// TOL-9: the call that is given up is recorded with what its turn keeps, and so are those after
// it. The first editions recorded none of them.
func TestTOL9ACancelledRequestLeavesNoCallUnrecorded(t *testing.T) {
	const unknown = "interrupted, outcome unknown: check before repeating"
	for _, tt := range []struct {
		edition int
		all     bool
		want    []string
	}{
		{fsm.PresentEdition, true, []string{unknown, "cancelled, not run"}},
		{fsm.PresentEdition, false, []string{unknown}},
		{fsm.FourthEdition, true, []string{unknown, "cancelled, not run"}},
		{fsm.ThirdEdition, true, nil},
	} {
		d, key := inTurn(t, "default", func(c *fsm.Config) { c.Edition, c.AuditAll = tt.edition, tt.all })
		d.calls("send_mail", "list_dir")
		run := one[fsm.RunTool](d)
		d.cancels(key)
		var got []string
		for i, a := range of[fsm.Audit](d.effects) {
			got = append(got, a.Result)
			if a.Ran() != (i == 0) || a.Ran() && (a.Key != run.Key || !a.Unknown || a.Duration != 1000) {
				t.Errorf("edition %d: recorded %+v", tt.edition, a)
			}
		}
		same(t, tt.want, got)
		d.stops(0)
		no[fsm.Audit](d)
	}
}

// The calls of a batch that have a result are recorded with it, in every edition, and kept as long as
// results are (TXT-1).
func TestTOL9ABatchThatIsCancelledIsRecordedWithWhatItHas(t *testing.T) {
	for edition, want := range map[int]int{fsm.PresentEdition: 2, fsm.ThirdEdition: 1} {
		d, key := inTurn(t, "default", func(c *fsm.Config) { c.Edition, c.Limits.ReadsAtOnce = edition, 2 })
		d.calls("send_mail", "list_dir", "list_dir")
		d.toolSays("sent")
		runs := of[fsm.RunTool](d.effects)
		d.reads(0, "a.txt")
		d.cancels(key)
		audits := of[fsm.Audit](d.effects)
		if len(audits) != want || audits[0].Result != "a.txt" || audits[0].Key != runs[0].Key || audits[0].Failed {
			t.Fatalf("edition %d: %+v", edition, audits)
		}
		if want == 2 && (audits[1].Key != runs[1].Key || !audits[1].Failed || audits[1].Result == "a.txt") {
			t.Errorf("edition %d: %+v", edition, audits[1])
		}
	}
}

// TXT-4: a result that is kept has its number there too.
func TestTOL9ABatchThatIsCancelledNumbersWhatItKeeps(t *testing.T) {
	for _, edition := range []int{fsm.PresentEdition, fsm.ThirdEdition} {
		d, key := inTurn(t, "default", func(c *fsm.Config) { c.Edition, c.Switches.NoCognition = edition, true })
		d.calls("list_dir", "list_dir")
		d.step(fsm.Input{At: d.now(), Fact: fsm.ToolAnswered{
			Answered: fsm.To(d.inFlight(fsm.CallTool)[0]), Text: "head", Kept: fsm.Kept{Ref: "aa", Tail: "tail", Bytes: 9000, Tokens: 2250},
		}})
		d.cancels(key)
		recorded := of[fsm.Audit](d.effects)
		if len(recorded) == 0 || !strings.Contains(recorded[0].Result, "read_more with result 1, from 4") {
			t.Errorf("edition %d: recorded %+v", edition, recorded)
		}
		d.stops(0)
		save := one[fsm.SaveSession](d)
		if len(save.State.Texts) != 1 || save.State.Texts[0].Ref != "aa" || save.Archive[2].Text != recorded[0].Result {
			t.Errorf("edition %d: it keeps %+v and %q", edition, save.State.Texts, save.Archive[2].Text)
		}
	}
}

// TOL-9: a call that ends with its process, because nobody waits for it, is recorded by the
// next start.
func TestTOL9ACallOfAnInitialInferenceThatAStartEnds(t *testing.T) {
	d := initializing(t)
	d.calls("send_mail", "list_dir")
	d.boot()
	recorded := of[fsm.Audit](d.effects)
	if len(recorded) != 2 || !recorded[0].Unknown || recorded[1].Result != "not run: shutting down" {
		t.Errorf("recorded %+v", recorded)
	}
}
