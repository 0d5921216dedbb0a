package machine_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/fsm/state"
)

// approving returns a driver whose turn waits for a person to approve the first of two
// calls.
func approving(t testing.TB, change func(*fsm.Config)) (*driver, fsm.RequestKey) {
	t.Helper()
	d, key := inTurn(t, "countbot", func(c *fsm.Config) {
		c.Tools[2].Approve = true // send_mail
		if change != nil {
			change(c)
		}
	})
	d.calls("send_mail", "list_dir")
	d.inStates(state.Approving)
	return d, key
}

func TestAPR1ACallOfSuchAToolWaitsForAPerson(t *testing.T) {
	d, key := approving(t, nil)
	no[fsm.RunTool](d)
	asked := one[fsm.AskPerson](d)
	want := fsm.AskPerson{
		Handle: 1, Request: key, Session: "s", Question: fsm.QuestionApprove, Tool: "send_mail", Args: `{"n":0}`, Key: state.PersonKey(d.m.View(), 1),
	}
	if diff := cmp.Diff(want, asked); diff != "" || asked.Key == "" {
		t.Error(diff)
	}
	if open, asks := d.m.View().Handles[0].Asks(); !asks || open != asked {
		t.Errorf("the state asks %+v, %v", open, asks)
	}
	if n := one[fsm.Notify](d); n.Notice != fsm.NoticeHeld || n.Request != key {
		t.Errorf("notice %+v", n)
	}
	if set := one[fsm.SetTimer](d); set.Purpose != fsm.TimerApproval || set.After != d.config.Limits.ApprovalTimeout {
		t.Errorf("timer %+v", set)
	}
}

func TestAPR2WhatBecomesOfTheCall(t *testing.T) {
	tests := []struct {
		name   string
		decide func(*driver)
		want   string // the result; empty: it runs
	}{
		{"approved", func(d *driver) { d.decides(true) }, ""},
		{"refused", func(d *driver) { d.decides(false) }, "not run: ada refused it"},
		{"refused by nobody", func(d *driver) {
			d.step(fsm.Input{At: d.now(), Fact: fsm.Decided{Handle: 1, Key: state.PersonKey(d.m.View(), 1)}})
		}, "not run: a person refused it"},
		{"refused for a reason", func(d *driver) {
			d.step(fsm.Input{At: d.now(), Fact: fsm.Decided{Handle: 1, Key: state.PersonKey(d.m.View(), 1), By: "ada", Reason: "write to bo"}})
		}, "not run: ada refused it, and says: write to bo"},
		{"refused by nobody for a reason", func(d *driver) {
			d.step(fsm.Input{At: d.now(), Fact: fsm.Decided{Handle: 1, Key: state.PersonKey(d.m.View(), 1), Reason: "write to bo"}})
		}, "not run: a person refused it, and says: write to bo"},
		{"out of time", func(d *driver) { d.waitUp() }, "not run: no person approved it in time"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d, _ := approving(t, nil)
			tt.decide(d)
			d.inStates(state.Execution)
			run := one[fsm.RunTool](d)
			if tt.want == "" {
				if run.Name != "send_mail" || run.Attempt != 1 {
					t.Fatalf("runs %+v", run)
				}
				d.toolSays("sent")
				run, tt.want = one[fsm.RunTool](d), "sent"
			} else if a := one[fsm.Audit](d); a.Ran() || !a.Failed || a.Key != "" || a.Tool != "send_mail" || a.Result != tt.want {
				t.Errorf("audit %+v", a)
			}
			if run.Name != "list_dir" {
				t.Errorf("then runs %+v", run)
			}
			d.toolSays("a.txt")
			c := d.conversation()
			if got := c[len(c)-2].Text; got != tt.want {
				t.Errorf("the result is %q, want %q", got, tt.want)
			}
		})
	}
}

// TOL-9: an epoch of an older build does not audit calls that did not run, so that its journal
// replays unchanged.
func TestTOL9AnOlderEpochRecordsOnlyWhatRan(t *testing.T) {
	d, _ := approving(t, func(c *fsm.Config) { c.AuditAll = false })
	d.decides(false)
	no[fsm.Audit](d)
	if run := one[fsm.RunTool](d); run.Name != "list_dir" {
		t.Errorf("then runs %+v", run)
	}
}

func TestAPR2ADecisionThatIsNotAboutTheCallChangesNothing(t *testing.T) {
	tests := []struct {
		name string
		to   func(*driver) fsm.Decided
	}{
		{"another key", func(d *driver) fsm.Decided { return fsm.Decided{Handle: 1, Key: "h1.9.x", Approve: true} }},
		{"no key", func(d *driver) fsm.Decided { return fsm.Decided{Handle: 1, Approve: true} }},
		{"another handle", func(d *driver) fsm.Decided {
			return fsm.Decided{Handle: 7, Key: state.PersonKey(d.m.View(), 1), Approve: true}
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d, _ := approving(t, nil)
			d.step(fsm.Input{At: d.now(), Fact: tt.to(d)})
			d.inStates(state.Approving)
			if n := d.m.View().Ignored.Decisions; n != 1 || len(d.effects) > 0 {
				t.Errorf("%d are counted, effects %+v", n, d.effects)
			}
		})
	}
}

func TestAPR2ADecisionAboutAnEarlierCallDoesNotMeetALaterOne(t *testing.T) {
	d, _ := approving(t, nil)
	first := state.PersonKey(d.m.View(), 1)
	d.decides(false)
	d.toolSays("a.txt")
	d.calls("send_mail")
	d.inStates(state.Approving)
	d.step(fsm.Input{At: d.now(), Fact: fsm.Decided{Handle: 1, Key: first, Approve: true}})
	d.inStates(state.Approving)
	no[fsm.RunTool](d)
}

func TestAPR3WhoeverWaitsGivesBackThePlaceAndKeepsTheSession(t *testing.T) {
	d, _ := approving(t, nil)
	d.ask("the same session")
	d.inStates(state.Approving, state.Queued)
	d.step(fsm.Input{At: d.now(), Fact: fsm.Requested{Request: fsm.RequestKey{ID: "r9"}, Session: "t", Text: "another"}})
	d.inStates(state.Approving, state.Queued, state.Loading)
	d.decides(true)
	d.inStates(state.Queued, state.Queued, state.Loading) // it waits for a place like any other
	no[fsm.RunTool](d)
}

func TestAPR3ItsTimeStandsStill(t *testing.T) {
	d, _ := inTurn(t, "countbot", func(c *fsm.Config) { c.Tools[2].Approve = true })
	d.at += 100 * fsm.Second
	clock := d.m.View().Handles[0].Timer
	d.calls("send_mail")
	only[fsm.ClearTimer](d, func(c fsm.ClearTimer) bool { return c.Timer == clock })
	d.at += 1000 * fsm.Second
	d.decides(true)
	if set := one[fsm.SetTimer](d); set.Purpose != fsm.TimerHandle || set.After != 300*fsm.Second-102*fsm.Second {
		t.Errorf("timer %+v", set)
	}
}

func TestAPR4WithoutAPersonBehindItACallIsRefusedAtOnce(t *testing.T) {
	kinds := []struct {
		kind       fsm.Kind
		to         func(*driver)
		unattended fsm.State // its state with that switch
	}{
		{fsm.KindInit, func(d *driver) { d.config.Init = fsm.InitEveryStart; d.boot() }, state.Execution},
		{fsm.KindFarewell, func(d *driver) { d.boot(); d.signal() }, state.Execution},
		{fsm.KindEvent, func(d *driver) { d.boot(); d.raise("full"); d.loads(fsm.Session{}) }, state.Approving},
	}
	for _, tt := range kinds {
		for _, unattended := range []bool{false, true} {
			t.Run(string(tt.kind)+", unattended "+strconv.FormatBool(unattended), func(t *testing.T) {
				d := driverOf(t, "countbot")
				d.config.Tools[2].Approve, d.config.Switches.Unattended = true, unattended
				tt.to(d)
				d.calls("send_mail")
				want := state.Execution
				if unattended {
					want = tt.unattended
				}
				if h := d.active(); h.Kind != tt.kind || h.State != want {
					t.Fatalf("the %s handle is in %s, not %s", h.Kind, h.State, want)
				}
				no[fsm.RunTool](d)
				if want == state.Approving {
					return
				}
				no[fsm.AskPerson](d)
				if got := d.lastMessage().Text; got != "not run: it needs a person's approval, and nobody is there to give it" {
					t.Errorf("the result is %q", got)
				}
			})
		}
	}
}

// holding returns a driver whose turn waits for a person's decision about an unsafe tool
// that a crash has interrupted.
func holding(t testing.TB) (*driver, fsm.RequestKey) {
	t.Helper()
	d, key := inTurn(t, "countbot", func(c *fsm.Config) { c.Switches.HoldUnknown = true })
	d.calls("send_mail", "list_dir")
	d.boot()
	d.inStates(state.Held)
	return d, key
}

func TestAPR5AnUnknownOutcomeWaitsForAPerson(t *testing.T) {
	d, key := holding(t)
	no[fsm.RunTool](d)
	if q := one[fsm.AskPerson](d); q.Question != fsm.QuestionUnknown || q.Tool != "send_mail" || q.Request != key {
		t.Errorf("asked %+v", q)
	}
	if n := one[fsm.Notify](d); n.Notice != fsm.NoticeHeld {
		t.Errorf("notice %+v", n)
	}
	if set := only(d, func(s fsm.SetTimer) bool { return s.Purpose == fsm.TimerHold }); set.After != d.config.Limits.HoldTimeout {
		t.Errorf("timer %+v", set)
	}
}

func TestAPR5AToolThatMayBeRepeatedIsNotHeld(t *testing.T) {
	d, _ := inTurn(t, "countbot", func(c *fsm.Config) { c.Switches.HoldUnknown = true })
	d.calls("list_dir")
	d.boot()
	d.inStates(state.Execution)
	one[fsm.RunTool](d)
}

func TestAPR6ThePersonsWordIsTheResult(t *testing.T) {
	tests := []struct {
		name    string
		resolve func(*driver)
		want    string
	}{
		{"said", func(d *driver) { d.resolves(1, "it was sent") }, "it was sent"},
		{"nothing said", func(d *driver) { d.resolves(1, "") }, fsm.PresentWords().Text(fsm.WordUnknownOutcome)},
		{"out of time", func(d *driver) { d.waitUp() }, fsm.PresentWords().Text(fsm.WordUnknownOutcome)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d, _ := holding(t)
			tt.resolve(d)
			d.inStates(state.Execution)
			if run := one[fsm.RunTool](d); run.Name != "list_dir" {
				t.Fatalf("runs %+v", run)
			}
			if a := one[fsm.Audit](d); a.Tool != "send_mail" || a.Result != tt.want {
				t.Errorf("audit %+v", a)
			}
			d.toolSays("a.txt")
			c := d.conversation()
			if got := c[len(c)-2].Text; got != tt.want {
				t.Errorf("the result is %q, want %q", got, tt.want)
			}
		})
	}
}

func TestAPR6AWordThatNobodyWaitsForChangesNothing(t *testing.T) {
	d, _ := approving(t, nil)
	d.resolves(1, "it was sent")
	d.resolves(7, "it was sent")
	d.inStates(state.Approving)
	if n := d.m.View().Ignored.Decisions; n != 2 {
		t.Errorf("%d are counted", n)
	}
}

func TestAPR7WaitingSurvivesARestartAndIsAskedAgain(t *testing.T) {
	tests := []struct {
		name string
		to   func(testing.TB) (*driver, fsm.RequestKey)
		want fsm.State
		word func(*driver)
	}{
		{"approval", func(t testing.TB) (*driver, fsm.RequestKey) { return approving(t, nil) }, state.Approving, func(d *driver) { d.decides(false) }},
		{"held", holding, state.Held, func(d *driver) { d.resolves(1, "it was sent") }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d, key := tt.to(t)
			d.signal()
			d.inLifecycle(state.Farewell) // it is not waited for
			if n := one[fsm.Notify](d); n.Notice != fsm.NoticeDeferred || n.Request != key {
				t.Errorf("notice %+v", n)
			}
			d.signal()
			d.boot()
			d.inStates(tt.want)
			one[fsm.AskPerson](d)
			tt.word(d)
			d.inStates(state.Execution)
			d.boot()
			no[fsm.AskPerson](d) // what was decided is not asked about again
			if h := d.active(); h.State != state.Execution || !strings.Contains(h.Inf.Calls[h.Inf.Next].Name, "list_dir") {
				t.Errorf("it continues in %s with call %d", h.State, h.Inf.Next)
			}
		})
	}
}

func TestAPR7ADecisionThatWaitsForAPlaceSurvivesARestart(t *testing.T) {
	d, _ := approving(t, nil)
	d.step(fsm.Input{At: d.now(), Fact: fsm.Requested{Request: fsm.RequestKey{ID: "r9"}, Session: "t", Text: "another"}})
	d.decides(true)
	d.inStates(state.Queued, state.Loading)
	d.boot()
	d.inStates(state.Execution, state.Queued)
	no[fsm.AskPerson](d)
	if run := one[fsm.RunTool](d); run.Name != "send_mail" || run.Attempt != 1 {
		t.Errorf("runs %+v", run)
	}
}

func TestHND36AHandleThatCrashesTooOftenWaitsForAPerson(t *testing.T) {
	d, key := inTurn(t, "nanobot", func(c *fsm.Config) { c.Limits.MaxCrashes = 2 })
	d.boot()
	d.inStates(state.Execution)
	d.boot()
	d.inStates(state.Parked)
	if q := one[fsm.AskPerson](d); q.Question != fsm.QuestionCrashes || q.Handle != 1 || q.Tool != "" {
		t.Errorf("asked %+v", q)
	}
	if n := one[fsm.Notify](d); n.Notice != fsm.NoticeHeld || n.Request != key {
		t.Errorf("notice %+v", n)
	}
	d.ask("the same session")
	if h := d.active(); h.ID != 2 || h.State != state.Loading {
		t.Errorf("handle %d is in %s", h.ID, h.State)
	}
	d.boot()
	d.inStates(state.Parked, state.Loading) // it was not active in this crash
	d.resolves(1, "")
	d.loads(fsm.Session{})
	d.answer("good day")
	d.saves()
	d.inStates(state.Execution)
	d.boot() // its crashes are forgotten
	d.inStates(state.Execution)
	d.answer("good day")
	d.replied(key, "good day")
}
