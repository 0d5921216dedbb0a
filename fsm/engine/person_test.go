package engine_test

import (
	"errors"
	"testing"

	"shelly/fsm"
	"shelly/fsm/engine"
)

// careful returns a configuration in which requests can be cancelled and acting needs
// approval.
func careful() fsm.Config {
	c := config()
	c.Switches.Cancel = fsm.CancelImmediate
	c.Tools = []fsm.ToolDecl{{Name: "act", Effects: fsm.EffectsUnsafe, Approve: true}}
	return c
}

// question returns what a person was asked last.
func question(t *testing.T, w *world) fsm.AskPerson {
	t.Helper()
	for i := len(w.effects) - 1; i >= 0; i-- {
		if q, ok := w.effects[i].(fsm.AskPerson); ok {
			return q
		}
	}
	t.Fatalf("no person was asked: %+v", w.effects)
	return fsm.AskPerson{}
}

// acts returns the model's call of the tool that acts.
func acts(w *world) fsm.Input {
	return fsm.Input{At: 12, Fact: fsm.BrainAnswered{
		Answered: fsm.To(w.effects[len(w.effects)-1].(fsm.AskBrain).Call), Stop: fsm.StopToolUse,
		Calls: []fsm.ToolCall{{Name: "act", Args: "{}"}},
	}}
}

// untouched fails t if the journal has been written to since it had n lines.
func untouched(t *testing.T, j *journal, n int) {
	t.Helper()
	if len(j.protocol.lines) != n {
		t.Errorf("it caused %v", j.protocol.lines[n:])
	}
}

func TestHND31CancelSaysWhetherItDidAnything(t *testing.T) {
	j := newJournal()
	e, w := start(t, j)
	turn(t, e, fsm.Input{At: 1, Fact: fsm.Boot{Config: careful()}}, fsm.Input{At: 10, Fact: ask("a")}, fsm.Input{At: 10, Fact: ask("b")})
	for _, id := range []string{"b", "a"} {
		did, err := e.Cancel(20, fsm.CancelRequested{Request: ask(id).Request})
		if err != nil || !did {
			t.Errorf("cancelling %s: %v, %v; want true", id, did, err)
		}
		if r, _, err := j.Request(ask(id).Request); err != nil || !r.Done || r.Outcome != fsm.OutcomeCancelled {
			t.Errorf("request %s: %+v, %v; want it cancelled", id, r, err)
		}
	}
	n, effects := len(j.protocol.lines), len(w.effects)
	for _, id := range []string{"a", "nobody's"} {
		if did, err := e.Cancel(21, fsm.CancelRequested{Request: ask(id).Request}); did || err != nil {
			t.Errorf("cancelling %s: %v, %v; want nothing", id, did, err)
		}
	}
	untouched(t, j, n)
	if len(w.effects) != effects {
		t.Errorf("it caused %v", w.effects[effects:])
	}
}

func TestHND31AProfileMayRefuseToCancel(t *testing.T) {
	j := newJournal()
	e, _ := start(t, j)
	turn(t, e, fsm.Input{At: 1, Fact: fsm.Boot{Config: config()}}, fsm.Input{At: 10, Fact: ask("a")})
	if did, err := e.Cancel(20, fsm.CancelRequested{Request: ask("a").Request}); did || err != nil {
		t.Errorf("%v, %v; want nothing", did, err)
	}
	if r, _, err := j.Request(ask("a").Request); err != nil || r.Done {
		t.Errorf("the request is %+v, %v; want it unfinished", r, err)
	}
}

func TestAPR2DecideSaysWhetherItDidAnything(t *testing.T) {
	for _, approve := range []bool{false, true} {
		j := newJournal()
		e, w := start(t, j)
		turn(t, e, fsm.Input{At: 1, Fact: fsm.Boot{Config: careful()}}, fsm.Input{At: 10, Fact: ask("a")})
		turn(t, e, acts(w))
		q := question(t, w)
		if did, err := e.Decide(20, fsm.Decided{Handle: q.Handle, Key: "another", Approve: true}); did || err != nil {
			t.Errorf("a decision about another call: %v, %v; want nothing", did, err)
		}
		did, err := e.Decide(20, fsm.Decided{Handle: q.Handle, Key: q.Key, Approve: approve})
		if err != nil || !did {
			t.Fatalf("approve %v: %v, %v; want true", approve, did, err)
		}
		if _, ran := w.effects[len(w.effects)-1].(fsm.RunTool); ran != approve {
			t.Errorf("approve %v: the last effect is %+v", approve, w.effects[len(w.effects)-1])
		}
		if did, err := e.Decide(21, fsm.Decided{Handle: q.Handle, Key: q.Key, Approve: approve}); did || err != nil {
			t.Errorf("the same again: %v, %v; want nothing", did, err)
		}
		n := len(j.protocol.lines)
		if did, err := e.Decide(21, fsm.Decided{Handle: 99, Key: q.Key}); did || err != nil {
			t.Errorf("a decision about an unknown handle: %v, %v; want nothing", did, err)
		}
		untouched(t, j, n)
	}
}

func TestAPR6ResolveSaysWhetherItDidAnything(t *testing.T) {
	c := careful()
	c.Tools[0].Approve, c.Switches.HoldUnknown = false, true
	j := newJournal()
	e, w := start(t, j)
	turn(t, e, fsm.Input{At: 1, Fact: fsm.Boot{Config: c}}, fsm.Input{At: 10, Fact: ask("a")})
	turn(t, e, acts(w))
	e, w = start(t, j)
	turn(t, e, fsm.Input{At: 15, Fact: fsm.Boot{Config: c}})
	q := question(t, w)
	if q.Question != fsm.QuestionUnknown {
		t.Fatalf("a person was asked %+v", q)
	}
	did, err := e.Resolve(20, fsm.Resolved{Handle: q.Handle, Text: "it was done"})
	if err != nil || !did {
		t.Errorf("%v, %v; want true", did, err)
	}
	if did, err := e.Resolve(21, fsm.Resolved{Handle: q.Handle, Text: "it was done"}); did || err != nil {
		t.Errorf("the same again: %v, %v; want nothing", did, err)
	}
	n := len(j.protocol.lines)
	if did, err := e.Resolve(21, fsm.Resolved{Handle: 99}); did || err != nil {
		t.Errorf("an unknown handle: %v, %v; want nothing", did, err)
	}
	untouched(t, j, n)
}

func TestJRN11ADeadEngineTakesNoWordOfAPerson(t *testing.T) {
	j := newJournal()
	e, _ := start(t, j)
	turn(t, e, fsm.Input{At: 1, Fact: fsm.Boot{Config: careful()}}, fsm.Input{At: 10, Fact: ask("a")})
	j.broken = errors.New("the disk is gone")
	_ = e.Turn(fsm.Input{At: 10, Fact: ask("b")})
	_, cancel := e.Cancel(0, fsm.CancelRequested{Request: ask("a").Request})
	_, unknown := e.Cancel(0, fsm.CancelRequested{})
	_, decide := e.Decide(0, fsm.Decided{Handle: 1})
	_, resolve := e.Resolve(0, fsm.Resolved{Handle: 99})
	for name, err := range map[string]error{"Cancel": cancel, "Cancel of nothing": unknown, "Decide": decide, "Resolve": resolve} {
		if !errors.Is(err, engine.ErrDead) {
			t.Errorf("%s: %v; want ErrDead", name, err)
		}
	}
}
