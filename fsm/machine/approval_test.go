package machine_test

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/fsm/grant"
	"shelly/fsm/machine"
	"shelly/fsm/state"
)

// again makes the model call the same tool once more, and reports whether a person is
// asked.
func again(d *driver) bool {
	d.t.Helper()
	d.toolSays("sent")
	if h := d.active(); len(h.Inf.Calls) > 0 {
		d.toolSays("a.txt")
	}
	d.calls("send_mail")
	return d.active().State == state.Approving
}

func TestAPR12AnApprovalMayBeForLaterCalls(t *testing.T) {
	for _, tt := range []struct {
		scope fsm.GrantScope
		asks  bool
	}{{fsm.GrantOnce, true}, {fsm.GrantSession, false}, {fsm.GrantAlways, false}, {"forever", true}} {
		t.Run(string(tt.scope), func(t *testing.T) {
			d, _ := approving(t, nil)
			d.decidesFor(true, tt.scope)
			if run := one[fsm.RunTool](d); !run.Approved {
				t.Error("the call is not started as an approved one")
			}
			if got := again(d); got != tt.asks {
				t.Fatalf("a person is asked: %t", got)
			}
			if !tt.asks {
				if run := one[fsm.RunTool](d); run.Name != "send_mail" || !run.Approved {
					t.Errorf("runs %+v", run)
				}
			}
		})
	}
}

func TestAPR12ARefusalGivesNoGrant(t *testing.T) {
	d, _ := approving(t, nil)
	d.decidesFor(false, fsm.GrantAlways)
	if g := d.m.View().Grants; len(g) > 0 {
		t.Errorf("grants %+v", g)
	}
}

func TestAPR12ANewSessionHasNoGrants(t *testing.T) {
	d, _ := approving(t, func(c *fsm.Config) { c.Switches.Commands, c.Switches.Remember = true, fsm.RememberOff })
	d.decidesFor(true, fsm.GrantSession)
	d.toolSays("sent")
	d.toolSays("a.txt")
	d.answer("Done.")
	d.saves()
	if g := d.m.View().Grants; len(g) != 1 || g[0].Session != "s" || g[0].By != "ada" || g[0].Tool != "send_mail" {
		t.Fatalf("grants %+v", g)
	}
	for i, tt := range []struct {
		session string
		left    int
	}{{"another", 1}, {"s", 0}} {
		d.step(fsm.Input{At: d.now(), Fact: fsm.Requested{Request: fsm.RequestKey{ID: "n" + strconv.Itoa(i)}, Session: tt.session, Text: "/new"}})
		d.loads(fsm.Session{})
		if g := d.m.View().Grants; len(g) != tt.left {
			t.Errorf("after /new in session %s: grants %+v", tt.session, g)
		}
		d.saves()
	}
}

func TestAPR14TheGrantsForEverySessionAreThoseOfTheFile(t *testing.T) {
	kept := fsm.Grant{Tool: "send_mail", Any: true}
	for _, tt := range []struct {
		name string
		file []fsm.Grant
		asks bool
	}{{"written", []fsm.Grant{kept}, false}, {"taken out by hand", nil, true}} {
		t.Run(tt.name, func(t *testing.T) {
			d, _ := approving(t, nil)
			d.decidesFor(true, fsm.GrantAlways)
			config := d.config
			config.Grants = tt.file
			d.step(fsm.Input{At: d.now(), Fact: fsm.Configured{Config: config}})
			if len(d.m.View().Grants) > 0 {
				t.Errorf("grants %+v", d.m.View().Grants)
			}
			if got := again(d); got != tt.asks {
				t.Errorf("a person is asked: %t", got)
			}
		})
	}
}

func TestAPR15AQuestionStaysAsked(t *testing.T) {
	answers := []struct {
		name string
		to   func(*fsm.Config)
	}{
		{"the tool does not ask any more", func(c *fsm.Config) { c.Tools[2].Approve = false }},
		{"a rule spares the call", func(c *fsm.Config) {
			c.Tools[2].Rules = []fsm.ApproveRule{{Match: []fsm.ArgMatch{{Argument: "n", Like: "*"}}}}
		}},
		{"the file grants it", func(c *fsm.Config) { c.Grants = []fsm.Grant{{Tool: "send_mail", Any: true}} }},
		{"the tool has no effects now", func(c *fsm.Config) { c.Tools[2].Approve, c.Tools[2].Effects = false, fsm.EffectsNone }},
	}
	for _, tt := range answers {
		t.Run(tt.name, func(t *testing.T) {
			d, _ := approving(t, nil)
			tt.to(&d.config)
			d.step(fsm.Input{At: d.now(), Fact: fsm.Configured{Config: d.config}})
			no[fsm.RunTool](d)
			d.boot()
			no[fsm.RunTool](d)
			d.inStates(state.Approving)
			one[fsm.AskPerson](d)
			d.decides(false)
			if run := one[fsm.RunTool](d); run.Name != "list_dir" {
				t.Errorf("runs %+v", run)
			}
		})
	}
}

// A call that runs no more under a lower limit is not asked about, and nothing of its question is
// left once the model asks for it again.
func TestAPR15AQuestionEndsWithACallThatALowerLimitLeavesOut(t *testing.T) {
	d, _ := inTurn(t, "countbot", func(c *fsm.Config) { c.Tools[2].Approve = true })
	d.calls("list_dir", "send_mail")
	d.toolSays("a.txt")
	d.inStates(state.Approving)
	d.config.Limits.MaxCallsPerAnswer, d.config.Tools[2].Approve = 1, false
	d.boot()
	if a := one[fsm.Audit](d); a.Tool != "send_mail" || !strings.Contains(a.Result, "max_calls_per_answer") {
		t.Errorf("audit %+v", a)
	}
	no[fsm.AskPerson](d)
	d.asksFor("send_mail", `{"n":1}`)
	if run := one[fsm.RunTool](d); run.Name != "send_mail" || run.Approved {
		t.Errorf("runs %+v", run)
	}
}

// While a question is open, the model is not asked, and the call of the question does not run.
func TestINV6TheMonitorSeesWhatIsDoneWhileAQuestionIsOpen(t *testing.T) {
	for want, e := range map[string]fsm.Effect{ // order-free: each on its own
		"handle 1 asks the model while the question":      fsm.AskBrain{Asked: fsm.Asked{Call: 90, Handle: 1}, Session: "s", Purpose: fsm.PurposeAnswer},
		`handle 1 runs "send_mail" while the question`:    fsm.RunTool{Asked: fsm.Asked{Call: 90, Handle: 1}, Session: "s", Name: "send_mail", Args: `{"n":0}`, Attempt: 1},
		`handle 1 runs "list_dir", which nobody approved`: fsm.RunTool{Asked: fsm.Asked{Call: 90, Handle: 1}, Session: "s", Name: "list_dir", Args: `{"n":1}`, Attempt: 1},
	} {
		d, _ := approving(t, func(c *fsm.Config) { c.Tools[0].Approve = true })
		in := asks(d)
		h := d.active()
		if run, ok := e.(fsm.RunTool); ok {
			next := slices.IndexFunc(h.Inf.Calls, func(c fsm.ToolCall) bool { return c.Name == run.Name })
			used := *h
			used.Uses++
			run.Key = used.UseKey(h.Inf.Calls[next])
			e = run
		}
		seen(t, d.monitor.Step(d.m, in, append(d.m.Step(in), e)), "INV-6", want)
	}
}

func TestAPR15AConfigurationCanAddAQuestion(t *testing.T) {
	d, _ := inTurn(t, "countbot", nil)
	d.calls("list_dir", "send_mail")
	d.config.Tools[2].Approve = true
	d.boot()
	d.toolSays("a.txt")
	d.inStates(state.Approving)
}

// A snapshot of a build that did not record questions still has its question asked.
func TestAPR15AQuestionOfAnOlderBuildStaysAsked(t *testing.T) {
	d, _ := approving(t, nil)
	s := d.m.Snapshot()
	s.Handles[0].Inf.Asked = false
	d.m = machine.Restore(s)
	d.config.Tools[2].Approve = false
	d.m.Step(fsm.Input{At: d.now(), Fact: fsm.Boot{Config: d.config}})
	if h := d.m.View().Handles[0]; h.State != state.Approving {
		t.Errorf("it is in %s", h.State)
	}
}

func TestAPR16TheFirstOfTwoAnswersCounts(t *testing.T) {
	for _, first := range []bool{true, false} {
		d, _ := approving(t, nil)
		key := state.PersonKey(d.m.View(), 1)
		d.decides(first)
		ran := len(of[fsm.RunTool](d.effects)) > 0 && one[fsm.RunTool](d).Name == "send_mail"
		d.step(fsm.Input{At: d.now(), Fact: fsm.Decided{Handle: 1, Key: key, Approve: !first, Grant: fsm.GrantAlways}})
		if ran != first || len(d.effects) > 0 || d.m.View().Ignored.Decisions != 1 || len(d.m.View().Grants) > 0 {
			t.Errorf("first %t: it runs: %t, then %+v, grants %+v", first, ran, d.effects, d.m.View().Grants)
		}
	}
}

func TestAPR17AGrantIsTakenBack(t *testing.T) {
	file := fsm.Grant{Tool: "send_mail", Any: true}
	for _, tt := range []struct {
		name string
		to   func(*driver) string
	}{
		{"of a session", func(d *driver) string {
			d.decidesFor(true, fsm.GrantSession)
			return grant.ID(&d.m.View().Grants[0])
		}},
		{"of the file", func(d *driver) string {
			d.decides(true)
			d.config.Grants = []fsm.Grant{file}
			d.step(fsm.Input{At: d.now(), Fact: fsm.Configured{Config: d.config}})
			return grant.ID(&file)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, _ := approving(t, nil)
			id := tt.to(d)
			d.step(fsm.Input{At: d.now(), Fact: fsm.Revoked{Grant: id}})
			if n := d.m.View().Ignored.Decisions; n != 0 {
				t.Errorf("%d are counted", n)
			}
			if !again(d) {
				t.Error("no person is asked")
			}
			d.step(fsm.Input{At: d.now(), Fact: fsm.Revoked{Grant: id}})
			if n := d.m.View().Ignored.Decisions; n != 1 || len(d.effects) > 0 {
				t.Errorf("%d are counted, effects %+v", n, d.effects)
			}
		})
	}
}

// wanting returns a driver whose running tool needs no approval, but asks for one.
func wanting(t *testing.T, change func(*fsm.Config)) *driver {
	t.Helper()
	d, _ := inTurn(t, "countbot", change)
	d.calls("send_mail", "list_dir")
	d.toolAsks("it pushes")
	return d
}

func TestAPR19AToolMayAskItself(t *testing.T) {
	d := wanting(t, nil)
	d.inStates(state.Approving)
	if q := one[fsm.AskPerson](d); q.Tool != "send_mail" || q.Text != "it pushes" {
		t.Errorf("asked %+v", q)
	}
	d.boot() // and it stays asked
	d.inStates(state.Approving)
	if q := one[fsm.AskPerson](d); q.Text != "it pushes" {
		t.Errorf("asked %+v", q)
	}
	d.decides(true)
	run := one[fsm.RunTool](d)
	if run.Name != "send_mail" || !run.Approved || run.Attempt != 2 {
		t.Fatalf("runs %+v", run)
	}
	d.toolAsks("it pushes") // by now this is a failure
	if run := one[fsm.RunTool](d); run.Name != "list_dir" || run.Approved {
		t.Errorf("then runs %+v", run)
	}
	if a := one[fsm.Audit](d); a.Tool != "send_mail" || !a.Failed || a.Attempts != 2 {
		t.Errorf("audit %+v", a)
	}
}

func TestAPR19WhatBecomesOfSuchACall(t *testing.T) {
	t.Run("refused", func(t *testing.T) {
		d := wanting(t, nil)
		d.decides(false)
		if run := one[fsm.RunTool](d); run.Name != "list_dir" {
			t.Errorf("runs %+v", run)
		}
		if a := one[fsm.Audit](d); a.Result != "not run: ada refused it" {
			t.Errorf("audit %+v", a)
		}
	})
	t.Run("with a grant", func(t *testing.T) {
		d := wanting(t, nil)
		d.decidesFor(true, fsm.GrantSession)
		d.toolSays("sent")
		d.toolSays("a.txt")
		d.calls("send_mail")
		if run := one[fsm.RunTool](d); !run.Approved {
			t.Errorf("runs %+v", run)
		}
	})
	t.Run("interrupted after the approval", func(t *testing.T) {
		d := wanting(t, nil)
		d.decides(true)
		d.boot()
		if run := one[fsm.RunTool](d); run.Name != "list_dir" {
			t.Errorf("runs %+v", run) // its outcome is unknown (INV-6)
		}
	})
	t.Run("interrupted after the approval, and held", func(t *testing.T) { // the approval was for a start that has been made (APR-5)
		d := wanting(t, func(c *fsm.Config) { c.Switches.HoldUnknown = true })
		d.decides(true)
		d.boot()
		no[fsm.RunTool](d)
		d.inStates(state.Held)
	})
	t.Run("with nobody behind it", func(t *testing.T) {
		d := driverOf(t, "countbot")
		d.boot()
		d.raise("full")
		d.loads(fsm.Session{})
		d.calls("send_mail")
		d.toolAsks("it pushes")
		d.inStates(state.Execution)
		if got := d.lastMessage().Text; got != "not run: it needs a person's approval, and nobody is there to give it" {
			t.Errorf("the result is %q", got)
		}
	})
}

func TestAPR20AnApprovalCountsForFurtherAttempts(t *testing.T) {
	d, _ := approving(t, func(c *fsm.Config) { c.Limits.MaxToolAttempts = 3 })
	d.decides(true)
	call := one[fsm.RunTool](d).Call
	d.step(fsm.Input{At: d.now(), Fact: fsm.ToolAnswered{Answered: fsm.To(call), Text: "busy", Failed: true, Nothing: true}})
	d.waitUp()
	if run := one[fsm.RunTool](d); run.Attempt != 2 || !run.Approved {
		t.Errorf("runs %+v", run)
	}
}

func TestAPR10ACallWhoseArgumentsFitARuleWaits(t *testing.T) {
	ask := func(c *fsm.Config) {
		c.Tools[2].Rules = []fsm.ApproveRule{{Match: []fsm.ArgMatch{{Argument: "n", Like: "1"}}, Ask: true}}
	}
	d, _ := inTurn(t, "countbot", ask)
	d.calls("send_mail", "send_mail") // n: 0 and 1
	if run := one[fsm.RunTool](d); run.Args != `{"n":0}` || run.Approved {
		t.Fatalf("runs %+v", run)
	}
	d.toolSays("sent")
	if q := one[fsm.AskPerson](d); q.Args != `{"n":1}` {
		t.Errorf("asked %+v", q)
	}
}

// A field that the snapshots of older journals do not have is not written while it is empty.
func TestJRN15ASnapshotWithoutGrantsIsAsItWas(t *testing.T) {
	d, _ := inTurn(t, "countbot", nil)
	written, err := json.Marshal(d.m.Snapshot())
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(written, &fields); err != nil {
		t.Fatal(err)
	}
	if _, has := fields["grants"]; has {
		t.Error("there are grants")
	}
}

// A tool that asked has done nothing. If it is no longer offered, nobody is asked about it any
// more, and the model learns that there is no such tool.
func TestAPR15AToolThatIsGoneAsksNothing(t *testing.T) {
	for edition, want := range map[int]fsm.State{fsm.PresentEdition: state.Execution, fsm.SecondEdition: state.Execution, fsm.FirstEdition: state.Approving} {
		d := wanting(t, func(c *fsm.Config) { c.Edition = edition })
		d.config.Tools = d.config.Tools[:1]
		d.boot()
		d.inStates(want)
		if edition == fsm.FirstEdition { // the boots of older builds had it asked
			continue
		}
		if a := one[fsm.Audit](d); a.Tool != "send_mail" || a.Unknown || !strings.Contains(a.Result, "there is no tool") {
			t.Errorf("audit %+v", a)
		}
		if run := one[fsm.RunTool](d); run.Name != "list_dir" {
			t.Errorf("then runs %+v", run)
		}
	}
}

// The history does not call it unknown what has come of a call that a tool only asked about.
func TestAPR19ACancelledQuestionLeavesNoDoubt(t *testing.T) {
	for edition, want := range map[int]string{fsm.PresentEdition: "cancelled, not run", fsm.SecondEdition: "cancelled, not run", fsm.FirstEdition: "interrupted, outcome unknown: check before repeating"} {
		d, key := inTurn(t, "default", func(c *fsm.Config) { c.Edition = edition })
		d.calls("send_mail", "list_dir")
		d.toolAsks("it pushes")
		d.cancels(key)
		archived := one[fsm.SaveSession](d).Archive
		if got := archived[2]; got.Tool != "send_mail" || got.Text != want {
			t.Errorf("edition %d: the archive has %q of %s", edition, got.Text, got.Tool)
		}
	}
}

// Nor is there a doubt about a call that a person had not decided about.
func TestAPR1ACancelledQuestionOfACallThatWasNotStarted(t *testing.T) {
	d, key := inTurn(t, "default", func(c *fsm.Config) {
		for i := range c.Tools {
			c.Tools[i].Approve = c.Tools[i].Name == "send_mail"
		}
	})
	d.calls("send_mail", "list_dir")
	d.inStates(state.Approving)
	d.cancels(key)
	if got := one[fsm.SaveSession](d).Archive[2]; got.Tool != "send_mail" || got.Text != "cancelled, not run" {
		t.Errorf("the archive has %q of %s", got.Text, got.Tool)
	}
}
