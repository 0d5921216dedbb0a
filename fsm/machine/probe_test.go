package machine_test

import (
	"testing"

	"shelly/fsm"
	"shelly/fsm/state"
)

// probed returns a driver whose mail was being sent when the process died, and which has
// booted again.
func probed(t *testing.T, change func(*fsm.Config)) *driver {
	t.Helper()
	d := newDriver(t)
	for i := range d.config.Tools {
		d.config.Tools[i].Probe = true
	}
	d.config.Limits.MaxToolAttempts, d.config.Limits.ProbeTimeout = 2, 7*fsm.Second
	d.boot()
	d.ask("mail it")
	d.calls("send_mail")
	if change != nil {
		change(&d.config)
	}
	d.boot()
	return d
}

func (d *driver) probeSays(answer fsm.ProbeAnswer, text string) {
	d.t.Helper()
	d.step(fsm.Input{At: d.now(), Fact: fsm.Probed{Answered: fsm.To(d.call(fsm.CallProbe)), Answer: answer, Text: text}})
}

func TestINF52TheProbeIsAskedWithTheCallsKey(t *testing.T) {
	d := newDriver(t)
	d.config.Tools[2].Probe = true
	d.boot()
	d.ask("mail it")
	d.calls("send_mail")
	run := one[fsm.RunTool](d)
	d.boot()
	if p := one[fsm.RunProbe](d); p.Key != run.Key || p.Name != run.Name || p.Args != run.Args || p.Attempt != 1 {
		t.Errorf("%+v is probed as %+v", run, p)
	}
}

func TestINF53WhatAProbeSays(t *testing.T) {
	for _, test := range []struct {
		answer     fsm.ProbeAnswer
		text, want string
		failed     bool
	}{
		{answer: fsm.ProbeDone, text: "sent", want: "sent"},
		{answer: fsm.ProbeDone, text: "no such box", failed: true, want: "error: no such box"},
		{answer: fsm.ProbeUnsure, want: "interrupted, outcome unknown: check before repeating"},
		{answer: "perhaps", text: "sent", want: "interrupted, outcome unknown: check before repeating"},
	} {
		d := probed(t, nil)
		d.step(fsm.Input{At: d.now(), Fact: fsm.Probed{Answered: fsm.To(d.call(fsm.CallProbe)), Answer: test.answer, Text: test.text, Failed: test.failed}})
		if got := d.lastMessage(); got.Text != test.want {
			t.Errorf("%s %q: the model gets %q", test.answer, test.text, got.Text)
		}
		told := one[fsm.Audit](d)
		if told.Unknown != (test.answer != fsm.ProbeDone) || told.Probe != map[bool]fsm.ProbeAnswer{true: fsm.ProbeDone}[test.answer == fsm.ProbeDone] {
			t.Errorf("%s: it is recorded as %+v", test.answer, told)
		}
	}
}

func TestINF53AProbeThatDoesNotAnswerIsGivenUp(t *testing.T) {
	d := probed(t, nil)
	call := d.call(fsm.CallProbe)
	d.waitUp()
	if a := one[fsm.AbortCall](d); a.Call != call {
		t.Errorf("call %d is given up, not %d", a.Call, call)
	}
	if got := d.lastMessage().Text; got != "interrupted, outcome unknown: check before repeating" {
		t.Errorf("the model gets %q", got)
	}
}

// INF-52: a tool that declares no probe is asked nothing, and one that declares none any more is not
// asked again.
func TestINF52AToolWithoutAProbeIsNotAsked(t *testing.T) {
	d := newDriver(t)
	d.boot()
	d.ask("mail it")
	d.calls("send_mail")
	d.boot()
	for _, move := range d.m.Moves() {
		if move.To == state.Probing {
			t.Errorf("it is probed: %+v", move)
		}
	}
	one[fsm.AskBrain](d)

	d = probed(t, nil)
	one[fsm.RunProbe](d)
	d.config.Tools = tools()
	d.boot()
	no[fsm.RunProbe](d)
	if got := d.lastMessage().Text; got != "interrupted, outcome unknown: check before repeating" {
		t.Errorf("the model gets %q", got)
	}
}

// INF-54: a call that did nothing is started once more, unless a limit, a cancel or the current
// configuration forbids it.
func TestINF54WhatDidNothingMayBeStartedOnceMore(t *testing.T) {
	d := probed(t, nil)
	d.probeSays(fsm.ProbeNever, "")
	if run := one[fsm.RunTool](d); run.Attempt != 2 {
		t.Errorf("attempt %d", run.Attempt)
	}
	d.toolSays("sent")
	if got := d.lastMessage().Text; got != "sent" {
		t.Errorf("the model gets %q", got)
	}
	for name, change := range map[string]func(*fsm.Config){
		"another attempt": func(c *fsm.Config) { c.Limits.MaxToolAttempts = 1 },
		"an approval":     func(c *fsm.Config) { c.Tools = tools(); c.Tools[2].Approve, c.Tools[2].Probe = true, true },
	} {
		d := probed(t, change)
		d.probeSays(fsm.ProbeNever, "")
		if got := d.lastMessage().Text; got != "error: interrupted before it began: nothing happened" {
			t.Errorf("without %s the model gets %q", name, got)
		}
		if a := one[fsm.Audit](d); a.Unknown || a.Probe != fsm.ProbeNever || !a.Failed {
			t.Errorf("it is recorded as %+v", a)
		}
	}
}

// INF-52: calls that ran together are not probed, whatever their tool declares by now.
func TestINF52NoCallOfABatchIsProbed(t *testing.T) {
	d := newDriver(t)
	d.config.Limits.ReadsAtOnce = 4
	d.boot()
	d.ask("look")
	d.calls("list_dir", "list_dir")
	if n := len(d.inFlight(fsm.CallTool)); n != 2 {
		t.Fatalf("%d calls run", n)
	}
	d.config.Tools = tools()
	d.config.Tools[0].Effects, d.config.Tools[0].Probe = fsm.EffectsUnsafe, true
	d.boot()
	if d.active().Inf.State != state.Thinking || d.results(2)[0] != "interrupted, outcome unknown: check before repeating" {
		t.Errorf("%s with %q", d.active().Inf.State, d.results(2))
	}
}

// INF-55: each boot asks the probe again, and a handle that is given up does not wait for it.
func TestINF55TheProbeIsAskedAgainAtEachBoot(t *testing.T) {
	d := probed(t, func(c *fsm.Config) { c.Switches.HoldUnknown = true })
	d.boot()
	one[fsm.RunProbe](d)
	d.probeSays(fsm.ProbeUnsure, "")
	d.inStates(state.Held)
	d.boot()
	one[fsm.RunProbe](d)
	d.timeUp()
	one[fsm.AbortCall](d)
	if len(d.m.View().Handles) != 0 {
		t.Errorf("it waits for the probe: %+v", d.m.View().Handles)
	}
}

// INF-56: a call that something outside is still working on is waited for as the same attempt,
// once per boot, even if it would now need an approval.
func TestINF56WhatIsStillWorkedOnIsWaitedForAgain(t *testing.T) {
	d := probed(t, func(c *fsm.Config) {
		c.Limits.MaxToolAttempts, c.Tools = 1, tools()
		c.Tools[2].Approve, c.Tools[2].Probe = true, true
	})
	key := one[fsm.RunProbe](d).Key
	d.probeSays(fsm.ProbeWorking, "")
	if run := one[fsm.RunTool](d); run.Attempt != 1 || run.Key != key || !run.Waits {
		t.Errorf("attempt %d of %s is waited for as %+v", run.Attempt, key, run)
	}
	d.boot()
	d.probeSays(fsm.ProbeWorking, "")
	d.toolSays("sent")
	if got := d.lastMessage().Text; got != "sent" {
		t.Errorf("the model gets %q", got)
	}
	if a := one[fsm.Audit](d); a.Unknown || a.Probe != "" || a.Failed {
		t.Errorf("it is recorded as %+v", a)
	}
}

// INF-56: a tool that no longer exists cannot be waited for.
func TestINF56AToolThatIsGoneIsNotWaitedFor(t *testing.T) {
	d := probed(t, nil)
	d.config.Tools = d.config.Tools[:2]
	d.step(fsm.Input{At: d.now(), Fact: fsm.Configured{Config: d.config}})
	d.probeSays(fsm.ProbeWorking, "")
	if got := d.lastMessage().Text; got != "interrupted, outcome unknown: check before repeating" {
		t.Errorf("the model gets %q", got)
	}
}
