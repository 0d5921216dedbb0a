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
	var watched []watched
	add := func(key string, claims []format.Claim, always bool) {
		for i := range claims {
			if c := &claims[i]; momentary(&c.That) && (c.When == nil || momentary(c.When)) {
				watched = append(watched, newWatched(strict.Element(key, i), c, always))
			} else {
				others = append(others, strict.Element(key, i))
			}
		}
	}
	add("always", f.Always, true)
	add("never", f.Never, false)
	if watched == nil {
		return nil, others
	}
	return func(in fsm.Input, moves []state.Move, effects []fsm.Effect, s *state.Snapshot) *check.Violation {
		events := traceOf([]sim.Step{{Step: engine.Step{Input: in, Moves: moves, Effects: effects}}})
		now := expression.Moment(in, effects, s)
		for i := range watched {
			if wrong := watched[i].wrong(events, now); wrong != "" {
				return &check.Violation{Invariant: watched[i].path, Text: wrong}
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
	that   *expression.Evaluation // nil: an item
	when   *expression.Evaluation
}

func newWatched(path string, c *format.Claim, always bool) watched {
	w := watched{path: path, claim: c, always: always}
	if c.That.Expression != nil {
		w.that = &expression.Evaluation{Of: c.That.Expression}
	}
	if c.When != nil && c.When.Expression != nil {
		w.when = &expression.Evaluation{Of: c.When.Expression}
	}
	return w
}

// wrong says how the claim does not hold of a step, or nothing.
func (w *watched) wrong(events []event, s *expression.State) string {
	if w.claim.When != nil {
		if holds, err := now(w.when, w.claim.When, events, s); err != nil || !holds {
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
	holds, err := now(w.that, &w.claim.That, events, s)
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
func now(e *expression.Evaluation, c *format.Condition, events []event, s *expression.State) (bool, error) {
	if c.Item != nil {
		return slices.ContainsFunc(events, func(e event) bool { return c.Item.Fits(e.Value) }), nil
	}
	return e.Now(s)
}
