package sim

import (
	"slices"
	"strings"

	"shelly/fsm"
)

// raced reports whether a crashed run may honestly end otherwise than the
// uninterrupted one, as if an input had come a moment earlier or later (SIM-16). That
// is so where
//
//   - the crash came into a shutdown, or behind it, and the next process is started at
//     once and serves, or it came into an initial inference, which is begun anew
//     (LIF-12);
//   - it interrupted several handles, which then go on in an order of their own
//     (HND-24), or one that was to end at its next checkpoint, which the restart is;
//   - something with a time of its own met a handle that it interrupted: a timer, in
//     either run, a schedule's slot, a newcomer, or any other entry of the timeline
//     since the handle came, whose work is done again in the world as it is by then.
func raced(p *Plan, straight, crashed *Result) bool {
	if len(crashed.Crashes) == 0 {
		return false
	}
	crash := crashed.Crashes[0]
	boot := slices.IndexFunc(crashed.Steps, func(s Step) bool { return s.Epoch > crash.Epoch })
	if boot < 0 {
		return true // it never came back
	}
	m := fsm.New()
	came := crash.At // the one that it interrupted
	for _, s := range crashed.Steps[:boot] {
		before := m.View().LastHandle
		m.Step(s.Input)
		if hs := m.View().Handles; len(hs) == 1 && hs[0].ID > before {
			came = s.At
		}
	}
	state := m.View()
	switch l := state.Lifecycle; {
	case interrupted(straight, crash.At) > 1:
		return true
	case l == fsm.Draining, l == fsm.Farewell, l == fsm.Stopped, l == fsm.Initializing, len(state.Handles) > 1:
		return true
	case len(state.Handles) == 0: // a signal that nobody has taken in is lost
		return slices.ContainsFunc(p.Timeline, func(t Moment) bool { return t.Signal != "" && p.Start+t.At == crash.At })
	}
	open := state.Handles[0]
	if open.Stop || slices.ContainsFunc(straight.Steps, func(s Step) bool { return s.At >= crash.At && timed(s.Input) }) {
		return true
	}
	end := crashed.End
	for _, s := range crashed.Steps[boot:] {
		m.Step(s.Input)
		if timed(s.Input) {
			return true
		}
		if !slices.ContainsFunc(m.View().Handles, func(h fsm.Handle) bool { return h.ID == open.ID }) {
			end = s.At
			break
		}
	}
	return slices.ContainsFunc(p.Timeline, func(t Moment) bool {
		at := p.Start + t.At
		switch {
		case t.Request != nil && !strings.HasPrefix(t.Request.Text, "/"), t.Event != nil, t.Again:
			return at > crash.At && at <= end
		default:
			return at >= came && at <= end
		}
	})
}

// timed reports whether an input comes at a time of its own.
func timed(in fsm.Input) bool {
	switch in.(type) {
	case fsm.TimerFired, fsm.ScheduleDue:
		return true
	default:
		return false
	}
}

// interrupted returns how many handles at most were unfinished at a time, before or
// behind a step of that time: what a crash loses of its process is not in its journal.
func interrupted(r *Result, at fsm.Millis) int {
	m, most := fsm.New(), 0
	for _, s := range r.Steps {
		if s.At > at {
			break
		}
		if s.At == at {
			most = max(most, len(m.View().Handles))
		}
		m.Step(s.Input)
	}
	return max(most, len(m.View().Handles))
}
