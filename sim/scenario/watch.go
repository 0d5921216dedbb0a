package scenario

import (
	"slices"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/sim"
	"shelly/sim/strict"
)

// Watch returns a check of what always and never say, for a walk that sees one step
// at a time (SIM-18), or nil where they say nothing. It checks items, and expressions
// that the machine's state and the step alone decide. The keys of the others, which
// speak of how the run came there, are returned too.
func (f *File) Watch() (check func(fsm.Input, []fsm.Move, []fsm.Effect, *fsm.Snapshot) *fsm.Violation, others []string) {
	var watched []watched
	add := func(key string, claims []Claim, always bool) {
		for i := range claims {
			if c := &claims[i]; c.That.momentary() && (c.When == nil || c.When.momentary()) {
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
	return func(in fsm.Input, moves []fsm.Move, effects []fsm.Effect, s *fsm.Snapshot) *fsm.Violation {
		events := traceOf([]sim.Step{{Step: engine.Step{Input: in, Moves: moves, Effects: effects}}})
		now := momentOf(in, effects, s)
		for i := range watched {
			if wrong := watched[i].wrong(events, now); wrong != "" {
				return &fsm.Violation{Invariant: watched[i].path, Text: wrong}
			}
		}
		return nil
	}, others
}

// momentary reports whether one step and the state behind it decide a condition.
func (v *Condition) momentary() bool {
	if v.item != nil {
		return true
	}
	for _, name := range []string{"now", "step", "epoch", "crashes", "requests", "replies", "asked", "tools", "memory"} {
		if slices.Contains(v.expression.names, name) {
			return false
		}
	}
	return !slices.Contains(v.expression.fields, "age")
}

// momentOf is what a momentary expression is about.
func momentOf(in fsm.Input, effects []fsm.Effect, s *fsm.Snapshot) *state {
	o := observer{state: state{Input: fsm.InputKind(in), Lifecycle: string(s.Lifecycle), Limits: limitsOf(&s.Config.Limits)}}
	for _, e := range effects {
		o.Effects = append(o.Effects, fsm.EffectKind(e))
	}
	o.follow(s, 0)
	return &o.state
}

// watched is a claim that is checked step by step.
type watched struct {
	path   string
	claim  *Claim
	always bool
	that   *evaluation // nil: an item
	when   *evaluation
}

func newWatched(path string, c *Claim, always bool) watched {
	w := watched{path: path, claim: c, always: always}
	if c.That.expression != nil {
		w.that = &evaluation{of: c.That.expression}
	}
	if c.When != nil && c.When.expression != nil {
		w.when = &evaluation{of: c.When.expression}
	}
	return w
}

// wrong says how the claim does not hold of a step, or nothing.
func (w *watched) wrong(events []event, s *state) string {
	if w.claim.When != nil {
		if holds, err := w.when.now(w.claim.When, events, s); err != nil || !holds {
			return "" // where it cannot be evaluated, shelly test says so
		}
	}
	if item := w.claim.That.item; w.always && item != nil {
		for _, e := range events {
			if item.concerns(e.value) && item.match(e.value, "") != nil {
				return "an event is not " + item.String() + ": " + e.String()
			}
		}
		return ""
	}
	holds, err := w.that.now(&w.claim.That, events, s)
	switch {
	case err != nil || holds == w.always:
		return ""
	case w.always:
		return "is false: " + w.claim.That.String()
	default:
		return "there is " + w.claim.That.String()
	}
}

// now evaluates a condition of one step. Each evaluation has the whole of what an
// expression may cost.
func (e *evaluation) now(c *Condition, events []event, s *state) (bool, error) {
	if c.item != nil {
		return c.item.first(events, 0) >= 0, nil
	}
	e.passes, e.verdicts = 0, e.verdicts[:0]
	e.step(s)
	return e.verdicts[0].holds, e.verdicts[0].err
}
