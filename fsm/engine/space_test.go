package engine_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/fsm/engine"
)

// errFull is what a journal below its reserve answers.
var errFull = fmt.Errorf("%w: 3 bytes left", engine.ErrNoSpace)

// wantNoSpace fails t unless f is refused for lack of space and nothing happens.
func wantNoSpace(t *testing.T, e *engine.Engine, j *journal, what string, f func() error) {
	t.Helper()
	lines, state := len(j.protocol.lines), e.Machine().Snapshot()
	if err := f(); !errors.Is(err, engine.ErrNoSpace) || errors.Is(err, engine.ErrDead) {
		t.Errorf("%s: %v; want ErrNoSpace, the engine alive", what, err)
	}
	if len(j.protocol.lines) != lines {
		t.Errorf("%s caused %v", what, j.protocol.lines[lines:])
	}
	if diff := cmp.Diff(state, e.Machine().Snapshot()); diff != "" {
		t.Errorf("%s: state (-before +after):\n%s", what, diff)
	}
	if e.Err() != nil {
		t.Errorf("%s: the engine died of it: %v", what, e.Err())
	}
}

// Below the reserve no input is stepped, wherever it comes from, and all of them can be
// given again once there is space.
func TestJRN14BelowTheReserveNothingIsStepped(t *testing.T) {
	j := newJournal()
	e, w := start(t, j)
	inputs := answers(fsm.Input{At: 1, Fact: fsm.Boot{Config: config()}}, fsm.Input{At: 10, Fact: ask("a")})
	turn(t, e, inputs[:2]...)
	key := ask("a").Request
	handle := e.Machine().View().Handles[0].ID
	j.full = errFull
	for what, f := range map[string]func() error{
		"an answer":       func() error { return e.Turn(inputs[2]) },
		"two answers":     func() error { return e.Turn(inputs[2], inputs[3]) },
		"a timer":         func() error { return e.Turn(fsm.Input{At: 20, Fact: fsm.TimerFired{Timer: 1}}) },
		"a configuration": func() error { return e.Turn(fsm.Input{At: 20, Fact: fsm.Configured{Config: config()}}) },
		"a fact and a signal": func() error {
			return e.Turn(inputs[2], fsm.Input{At: 20, Fact: fsm.Signalled{Name: "TERM"}})
		},
		"a request":  func() error { _, err := e.Accept(10, ask("b")); return err },
		"an event":   func() error { return e.Raise(20, fsm.EventRaised{Source: "disk", Event: "full"}) },
		"a cancel":   func() error { _, err := e.Cancel(20, fsm.CancelRequested{Request: key}); return err },
		"a decision": func() error { _, err := e.Decide(20, fsm.Decided{Handle: handle}); return err },
		"a word":     func() error { _, err := e.Resolve(20, fsm.Resolved{Handle: handle}); return err },
	} {
		wantNoSpace(t, e, j, what, f)
	}
	if got, err := e.Accept(10, ask("a")); err != nil || got.New {
		t.Errorf("a request that is known: %+v, %v; want its record", got, err)
	}
	j.full = nil
	turn(t, e, inputs[2:]...)
	if reply, ok := w.effects[len(w.effects)-1].(fsm.Reply); !ok || reply.Text != "an answer" {
		t.Errorf("the last effect is %#v; want the reply", w.effects[len(w.effects)-1])
	}
}

// The reserve is for an orderly end: a signal passes, and so does what comes after it.
func TestJRN14BelowTheReserveAnEndIsOrderly(t *testing.T) {
	j := newJournal()
	e, w := start(t, j)
	inputs := answers(fsm.Input{At: 1, Fact: fsm.Boot{Config: config()}}, fsm.Input{At: 10, Fact: ask("a")}, fsm.Input{At: 50, Fact: fsm.Signalled{Name: "TERM"}})
	last := 0
	for i, in := range inputs {
		if _, ok := in.Fact.(fsm.Signalled); ok {
			last = i
		}
	}
	turn(t, e, inputs[:last]...)
	j.full = errFull
	turn(t, e, inputs[last])
	for _, in := range inputs[last+1:] { // the farewell
		turn(t, e, in)
	}
	if exit, ok := w.effects[len(w.effects)-1].(fsm.Exit); !ok || exit.Code != fsm.ExitClean {
		t.Errorf("the last effect is %#v; want a clean exit", w.effects[len(w.effects)-1])
	}
}

// A machine that is not booted takes nothing but a boot, and that only when there is space,
// even if the last process was ending.
func TestJRN22ABootWaitsForSpace(t *testing.T) {
	for name, before := range map[string][]fsm.Input{
		"a first start": nil,
		"after a crash": {fsm.Input{At: 1, Fact: fsm.Boot{Config: config()}}, fsm.Input{At: 10, Fact: ask("a")}},
		"after a crash while draining": {
			fsm.Input{At: 1, Fact: fsm.Boot{Config: config()}}, fsm.Input{At: 10, Fact: ask("a")}, fsm.Input{At: 5, Fact: fsm.Signalled{Name: "TERM"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			j := newJournal()
			e, _ := start(t, j)
			if before != nil {
				turn(t, e, before...)
				j.Crash()
				e, _ = start(t, j)
			}
			j.full = errFull
			boot := fsm.Input{At: 60, Fact: fsm.Boot{Config: config()}}
			for what, f := range map[string]func() error{
				"a boot":    func() error { return e.Turn(boot) },
				"a signal":  func() error { return e.Turn(fsm.Input{At: 61, Fact: fsm.Signalled{Name: "TERM"}}) },
				"a request": func() error { _, err := e.Accept(10, ask("b")); return err },
				"readiness": e.Ready,
			} {
				wantNoSpace(t, e, j, what, f)
			}
			j.full = nil
			turn(t, e, boot)
			if err := e.Ready(); err != nil {
				t.Errorf("after the boot: %v", err)
			}
		})
	}
}
