package judge

import (
	"slices"

	"shelly/fsm"
	"shelly/fsm/check"
	"shelly/fsm/engine"
	"shelly/fsm/state"
	"shelly/sim"
	"shelly/sim/explore"
	"shelly/sim/scenario/expression"
	"shelly/sim/scenario/format"
	"shelly/sim/strict"
)

// Watching is what a walk, which sees one step at a time, checks of what always and never say
// (SIM-18): items, and expressions that the machine's state and the step alone decide.
type Watching struct {
	claims []watched
	judged [][]bool // by worker and claim: a step counted
	Others []string // the keys of those that it cannot check, which speak of how the run came there
}

// Watch returns what a walk checks of a file.
func Watch(f *format.File) *Watching {
	var w Watching
	add := func(key string, list []format.Claim, always bool) {
		for i := range list {
			if c := &list[i]; momentary(&c.That) && (c.When == nil || momentary(c.When)) {
				w.claims = append(w.claims, watched{path: strict.Element(key, i), claim: c, always: always})
			} else {
				w.Others = append(w.Others, strict.Element(key, i))
			}
		}
	}
	add("always", f.Always, true)
	add("never", f.Never, false)
	return &w
}

// Check returns what one worker of a walk asks of each step.
func (w *Watching) Check() explore.Check {
	judged := make([]bool, len(w.claims))
	w.judged = append(w.judged, judged)
	return func(in fsm.Input, moves []state.Move, effects []fsm.Effect, s *state.Snapshot) *check.Violation {
		if w.claims == nil {
			return nil
		}
		events := traceOf([]sim.Step{{Step: engine.Step{Input: in, Moves: moves, Effects: effects}}}, nil)
		now := expression.Moment(in, effects, s)
		for i := range w.claims {
			wrong, counts := w.claims[i].wrong(events, now)
			if wrong != "" {
				return &check.Violation{Invariant: w.claims[i].path, Text: wrong}
			}
			judged[i] = judged[i] || counts
		}
		return nil
	}
}

// Idle are the keys of the claims by which no step was judged, though one is to be (SCN-31).
func (w *Watching) Idle() (keys []string) {
	for i := range w.claims {
		judged := slices.ContainsFunc(w.judged, func(by []bool) bool { return by[i] })
		if c := &w.claims[i]; !judged && !c.claim.Optional {
			keys = append(keys, c.path)
		}
	}
	return keys
}

// momentary reports whether one step and the state after it decide a condition. Which calls an answer
// has depends on what the model was asked.
func momentary(c *format.Condition) bool {
	if c.Item != nil {
		return c.Item.Member("call") == nil
	}
	return c.Expression.Momentary()
}

// watched is a claim that is checked step by step.
type watched struct {
	path   string
	claim  *format.Claim
	always bool
}

// wrong says how the claim does not hold of a step, or nothing, and whether the step counts: if
// its when holds there and, of an item of always, if an event has its keys.
func (w *watched) wrong(events []event, s *expression.State) (wrong string, counts bool) {
	if w.claim.When != nil {
		if holds, err := now(w.claim.When, events, s); err != nil || !holds {
			return "", false // where it cannot be evaluated, shelly test says so
		}
	}
	if item := w.claim.That.Item; w.always && item != nil {
		for _, e := range events {
			if !item.Concerns(e.Value) {
				continue
			}
			if counts = true; !item.Fits(e.Value) {
				return "an event is not " + item.String() + ": " + e.String(), true
			}
		}
		return "", counts
	}
	holds, err := now(&w.claim.That, events, s)
	switch {
	case err != nil || holds == w.always:
		return "", true
	case w.always:
		return "is false: " + w.claim.That.String(), true
	default:
		return "there is " + w.claim.That.String(), true
	}
}

// now evaluates a condition of one step.
func now(c *format.Condition, events []event, s *expression.State) (bool, error) {
	if c.Item != nil {
		return slices.ContainsFunc(events, func(e event) bool { return c.Item.Fits(e.Value) }), nil
	}
	return c.Expression.Now(s)
}
