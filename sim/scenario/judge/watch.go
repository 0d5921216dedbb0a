package judge

import (
	"slices"

	"shelly/fsm"
	"shelly/fsm/check"
	"shelly/fsm/engine"
	"shelly/fsm/state"
	"shelly/sim"
	"shelly/sim/scenario/expression"
	"shelly/sim/scenario/format"
	"shelly/sim/strict"
)

// Watch returns a check of what always and never say, for a walk that sees one step
// at a time (SIM-18), or nil where they say nothing. It checks items, and expressions
// that the machine's state and the step alone decide. The keys of the others, which
// speak of how the run came there, are returned too.
func Watch(f *format.File) (step func(fsm.Input, []state.Move, []fsm.Effect, *state.Snapshot) *check.Violation, others []string) {
	var claims []watched
	add := func(key string, list []format.Claim, always bool) {
		for i := range list {
			if c := &list[i]; momentary(&c.That) && (c.When == nil || momentary(c.When)) {
				claims = append(claims, watched{strict.Element(key, i), c, always})
			} else {
				others = append(others, strict.Element(key, i))
			}
		}
	}
	add("always", f.Always, true)
	add("never", f.Never, false)
	if claims == nil {
		return nil, others
	}
	return func(in fsm.Input, moves []state.Move, effects []fsm.Effect, s *state.Snapshot) *check.Violation {
		events := traceOf([]sim.Step{{Step: engine.Step{Input: in, Moves: moves, Effects: effects}}})
		now := expression.Moment(in, effects, s)
		for i := range claims {
			if wrong := claims[i].wrong(events, now); wrong != "" {
				return &check.Violation{Invariant: claims[i].path, Text: wrong}
			}
		}
		return nil
	}, others
}

// momentary reports whether one step and the state after it decide a condition.
func momentary(c *format.Condition) bool { return c.Item != nil || c.Expression.Momentary() }

// watched is a claim that is checked step by step.
type watched struct {
	path   string
	claim  *format.Claim
	always bool
}

// wrong says how the claim does not hold of a step, or nothing.
func (w *watched) wrong(events []event, s *expression.State) string {
	if w.claim.When != nil {
		if holds, err := now(w.claim.When, events, s); err != nil || !holds {
			return "" // where it cannot be evaluated, shelly test says so
		}
	}
	if item := w.claim.That.Item; w.always && item != nil {
		for _, e := range events {
			if item.Concerns(e.Value) && !item.Fits(e.Value) {
				return "an event is not " + item.String() + ": " + e.String()
			}
		}
		return ""
	}
	holds, err := now(&w.claim.That, events, s)
	switch {
	case err != nil || holds == w.always:
		return ""
	case w.always:
		return "is false: " + w.claim.That.String()
	default:
		return "there is " + w.claim.That.String()
	}
}

// now evaluates a condition of one step.
func now(c *format.Condition, events []event, s *expression.State) (bool, error) {
	if c.Item != nil {
		return slices.ContainsFunc(events, func(e event) bool { return c.Item.Fits(e.Value) }), nil
	}
	return c.Expression.Now(s)
}
