package engine_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/fsm/engine"
)

// driven is a driver over fakes, with what it has reported about space.
type driven struct {
	*engine.Driver
	t    *testing.T
	j    *journal
	w    *world
	now  engine.Now
	news []string
}

func drive(t *testing.T, j *journal) *driven {
	t.Helper()
	d := &driven{t: t, j: j, w: &world{protocol: j.protocol}, now: engine.Now{Wall: 1_000_000}}
	var err error
	if d.Driver, err = engine.Drive(j, d.w); err != nil {
		t.Fatal(err)
	}
	d.Shortage = func(why error, held int) {
		if why != nil {
			d.news = append(d.news, "short")
		} else {
			d.news = append(d.news, "enough")
		}
	}
	return d
}

// served returns a driver whose epoch has begun, with a request that waits for the model.
func served(t *testing.T, j *journal, change ...func(*fsm.Config)) *driven {
	t.Helper()
	d := drive(t, j)
	c := config()
	for _, f := range change {
		f(&c)
	}
	d.must(d.Boot(d.now, c))
	d.accept("a")
	return d
}

func (d *driven) must(err error) {
	d.t.Helper()
	if err != nil {
		d.t.Fatal(err)
	}
}

func (d *driven) accept(id string) {
	d.t.Helper()
	_, err := d.Accept(d.now, ask(id))
	d.must(err)
}

// pass advances the time, and makes the driver do what is due.
func (d *driven) pass(ms fsm.Millis) {
	d.t.Helper()
	d.now.Wall, d.now.Steady = d.now.Wall+ms, d.now.Steady+ms
	d.must(d.Wake(d.now))
}

// told returns the kinds of the inputs in the journal.
func (d *driven) told() (kinds []string) {
	for _, r := range d.j.Records() {
		kinds = append(kinds, fsm.InputKind(r.Input))
	}
	return kinds
}

func (d *driven) want(what string, kinds ...string) {
	d.t.Helper()
	if diff := cmp.Diff(kinds, d.told()); diff != "" {
		d.t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// last returns the call of the last effect of a type.
func last[E fsm.Effect](d *driven) (call fsm.CallID) {
	d.t.Helper()
	for _, e := range slices.Backward(d.w.effects) {
		if e, ok := e.(E); ok {
			return fsm.CallOf(e)
		}
	}
	d.t.Fatalf("nothing of the kind was performed: %v", d.j.protocol.lines)
	return 0
}

func TestJRN14FactsWaitForSpaceInTheirOrder(t *testing.T) {
	j := newJournal()
	d := served(t, j, func(c *fsm.Config) { c.Limits.MaxActive = 2 })
	first := last[fsm.AskBrain](d)
	in := ask("b")
	in.Session = "other"
	_, err := d.Accept(d.now, in)
	d.must(err)
	second := last[fsm.AskBrain](d)
	says := func(call fsm.CallID, text string) fsm.Fact {
		return d.Outcome(call, fsm.BrainAnswered{Answered: fsm.To(call), Stop: fsm.StopEndTurn, Text: text})
	}
	j.full = errFull
	d.must(d.Tell(d.now, says(second, "second")))
	d.pass(400)
	d.must(d.Tell(d.now, nil, says(first, "first")))
	d.want("below the reserve", "boot", "requested", "requested")
	if wait, ok := d.Next(d.now); !ok || wait != engine.SpaceCheck-400 || !d.Waits() {
		t.Errorf("the next check is in %d, %t", wait, ok)
	}
	d.pass(engine.SpaceCheck)
	d.want("still below it", "boot", "requested", "requested")
	j.full = nil
	d.pass(engine.SpaceCheck)
	d.want("once there is space", "boot", "requested", "requested", "brain_answered", "brain_answered")
	records := j.Records()
	for i, text := range []string{"second", "first"} {
		if r := records[3+i].Input; r.Fact.(fsm.BrainAnswered).Text != text || r.At != d.now.Wall {
			t.Errorf("record %d is %+v; want %q, at the time when the machine got it", 4+i, r, text)
		}
	}
	if diff := cmp.Diff([]string{"short", "enough"}, d.news); diff != "" || d.Waits() {
		t.Errorf("reported (-want +got):\n%s", diff)
	}
}

// Slots that pass while one waits for space are one run with it.
func TestHND43SlotsThatWaitedForSpaceAreRunOnce(t *testing.T) {
	j := newJournal()
	d := served(t, j)
	const minute = 60 * fsm.Second
	d.must(d.Tell(d.now, fsm.ScheduleChanged{Change: fsm.ScheduleAdd, Session: "s", Text: "Look.", Every: minute}))
	began := d.now.Wall
	j.full = errFull
	for range 10 {
		d.pass(minute)
		d.must(d.TellSlots(d.now))
	}
	if wait, ok := d.NextSlot(d.now); ok {
		t.Errorf("a slot is awaited in %d, although one waits", wait)
	}
	j.full = nil
	d.pass(minute / 2)
	d.must(d.TellSlots(d.now))
	d.want("once there is space", "boot", "requested", "schedule_changed", "schedule_due")
	due := j.Records()[3].Input.Fact.(fsm.ScheduleDue)
	if wait, ok := d.NextSlot(d.now); due.Slot != began+10*minute || !ok || wait != minute/2 {
		t.Errorf("the slot is %d after the start, and the next one comes in %d, %t", due.Slot-began, wait, ok)
	}
}

// Facts that waited come before a request that arrives at that very moment.
func TestJRN14WhatWaitedGoesBeforeANewcomer(t *testing.T) {
	j := newJournal()
	d := served(t, j)
	call := last[fsm.AskBrain](d)
	j.full = errFull
	d.must(d.Tell(d.now, fsm.BrainAnswered{Answered: fsm.To(call), Stop: fsm.StopEndTurn, Text: "an answer"}))
	if _, err := d.Accept(d.now, ask("b")); !engine.Refused(err) {
		t.Errorf("a request below the reserve: %v", err)
	}
	if err := d.Configure(d.now, config()); !engine.Refused(err) {
		t.Errorf("a configuration below the reserve: %v", err)
	}
	j.full = nil
	d.accept("b")
	d.want("the order", "boot", "requested", "brain_answered", "requested")
}

// A signal passes, before earlier facts. Once the end has begun, everything else passes too.
func TestJRN14ASignalGoesFirst(t *testing.T) {
	j := newJournal()
	d := served(t, j)
	call := last[fsm.AskBrain](d)
	j.full = errFull
	d.must(d.Tell(d.now, fsm.BrainAnswered{Answered: fsm.To(call), Stop: fsm.StopEndTurn, Text: "an answer"}))
	d.must(d.Tell(d.now, fsm.Signalled{Name: "TERM"}))
	d.want("a signal", "boot", "requested", "signalled", "brain_answered")
	d.must(d.Tell(d.now, fsm.Signalled{Name: "TERM"}))
	if code, ok := d.Exited(); !ok || code != fsm.ExitForced {
		t.Errorf("it exited %q, %t", code, ok)
	}
	before := d.told()
	d.must(d.Tell(d.now, fsm.Signalled{Name: "TERM"}))
	d.pass(10 * engine.SpaceCheck)
	d.want("after the exit", before...)
	if wait, ok := d.Next(d.now); ok {
		t.Errorf("after the exit there is still something to do in %d", wait)
	}
}

func TestJRN22TheEpochBeginsOnceThereIsSpace(t *testing.T) {
	for _, how := range []string{"it looks", "a request comes"} {
		t.Run(how, func(t *testing.T) {
			j := newJournal()
			j.full = errFull
			d := drive(t, j)
			d.must(d.Boot(d.now, config()))
			if _, err := d.Accept(d.now, ask("a")); !engine.Refused(err) || !d.Down() || !d.Waits() {
				t.Errorf("before there is space: %v, down %t", err, d.Down())
			}
			j.full = nil
			if how == "it looks" {
				d.pass(engine.SpaceCheck)
				d.want("after the look", "boot")
			}
			d.accept("a")
			d.want("the epoch", "boot", "requested")
			if d.Down() {
				t.Error("it is still down")
			}
		})
	}
}

func TestJRN22ASignalEndsADriverThatIsDown(t *testing.T) {
	j := newJournal()
	j.full = errFull
	d := drive(t, j)
	d.must(d.Boot(d.now, config()))
	d.must(d.Tell(d.now, fsm.Signalled{Name: "TERM"}))
	if code, ok := d.Exited(); !ok || code != fsm.ExitClean || len(j.protocol.lines) != 0 {
		t.Errorf("it exited %q, %t, and did %v", code, ok, j.protocol.lines)
	}
}

// An error that is not a refusal ends the engine, whatever the facts were.
func TestJRN11AFailedWriteEndsTheDriver(t *testing.T) {
	j := newJournal()
	d := served(t, j)
	j.broken = errors.New("the disk is gone")
	if err := d.Tell(d.now, fsm.TimerFired{Timer: 99}); !errors.Is(err, engine.ErrDead) || d.Err() == nil {
		t.Errorf("Tell: %v", err)
	}
	if _, ok := d.Next(d.now); ok {
		t.Error("a dead driver has something to do")
	}
}

func TestJRN4TheDriverSyncsASecondAfterTheFirstRecord(t *testing.T) {
	j := newJournal()
	d := served(t, j)
	d.must(d.Tell(d.now, fsm.TimerFired{Timer: 98}))
	if wait, ok := d.Next(d.now); !ok || wait != engine.SettleAfter {
		t.Fatalf("the sync is due in %d, %t", wait, ok)
	}
	d.pass(engine.SettleAfter - 1)
	d.must(d.Tell(d.now, fsm.TimerFired{Timer: 99}))
	if d.Durable() != 2 {
		t.Errorf("durable up to %d before the time", d.Durable())
	}
	d.pass(1)
	if _, ok := d.Next(d.now); d.Durable() != d.Last() || ok {
		t.Errorf("durable up to %d of %d; something is due: %t", d.Durable(), d.Last(), ok)
	}
}

// TOL-7: of calls that were given up, only the end of a tool is reported, as its stop.
func TestTOL7WhatTheEndOfACallBecomes(t *testing.T) {
	d := served(t, newJournal(), func(c *fsm.Config) { c.Switches.Cancel = fsm.CancelImmediate })
	call := last[fsm.AskBrain](d)
	answer := fsm.BrainAnswered{Answered: fsm.To(call), Stop: fsm.StopToolUse, Calls: []fsm.ToolCall{{Name: "look", Args: "{}"}}}
	d.must(d.Tell(d.now, d.Outcome(call, answer)))
	tool := last[fsm.RunTool](d)
	if _, err := d.Cancel(d.now, fsm.CancelRequested{Request: ask("a").Request}); err != nil {
		t.Fatal(err)
	}
	if got := d.Outcome(tool, fsm.ToolAnswered{Answered: fsm.To(tool)}); got != (fsm.ToolStopped{Answered: fsm.To(tool)}) {
		t.Errorf("the tool's end becomes %+v", got)
	}
	d.accept("b")
	d.must(d.Tell(d.now, fsm.ToolStopped{Answered: fsm.To(tool)}))
	call = last[fsm.AskBrain](d)
	if _, err := d.Cancel(d.now, fsm.CancelRequested{Request: ask("b").Request}); err != nil {
		t.Fatal(err)
	}
	if got := d.Outcome(call, answer); got != nil {
		t.Errorf("the model's end becomes %+v", got)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
