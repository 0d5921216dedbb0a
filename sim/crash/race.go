package crash

import (
	"slices"
	"strings"

	"shelly/fsm"
	"shelly/fsm/machine"
	"shelly/fsm/state"
	"shelly/sim"
)

// raced reports whether a crashed run may honestly end differently from the
// uninterrupted one, as if an input had come a moment earlier or later (SIM-16). That
// is so where
//
//   - the crash came into a shutdown, or after it, and the next process is started at
//     once and serves, or it came into an initial inference, which starts over
//     (LIF-12);
//   - it interrupted several handles, which then go on in an order of their own
//     (HND-24), or one that was to end at its next checkpoint, which the restart is, or
//     one that waited before another try, which the restart makes at once;
//   - something with a time of its own met a handle that it interrupted: a timer, in
//     either run, a schedule's slot, a newcomer, or any other entry of the timeline
//     since the handle came, whose work is done again in the world as it is by then;
//   - a slot was still to come that the clock was set back over: only the process that
//     died knew from when it counts, and the next one begins at its own present (HND-65).
func raced(p *sim.Plan, straight, crashed *sim.Result) bool {
	if len(crashed.Crashes) == 0 {
		return false
	}
	crash := crashed.Crashes[0]
	boot := slices.IndexFunc(crashed.Steps, func(s sim.Step) bool { return s.Epoch > crash.Epoch })
	if boot < 0 {
		return true // it never came back
	}
	came := crash.At // the one that it interrupted
	snapshot, last := machine.New().Snapshot(), fsm.HandleID(0)
	for i, f := range sim.Fold(snapshot, crashed.Steps[:boot]) {
		if hs := f.Machine.View().Handles; len(hs) == 1 && hs[0].ID > last {
			came = crashed.Steps[i].At
		}
		if last = f.Machine.View().LastHandle; i == boot-1 {
			snapshot = f.Machine.Snapshot()
		}
	}
	switch l := snapshot.Lifecycle; {
	case slices.ContainsFunc(straight.Steps, func(s sim.Step) bool { return s.At >= crash.At && setBack(s.Input) }):
		return true
	case interrupted(straight, crash.At) > 1:
		return true
	case l == state.Draining, l == state.Farewell, l == state.Stopped, l == state.Initializing, len(snapshot.Handles) > 1:
		return true
	case len(snapshot.Handles) == 0: // a signal that nobody has taken in is lost
		return slices.ContainsFunc(p.Timeline, func(t sim.Moment) bool { return t.Signal != "" && p.Start+t.At == crash.At })
	}
	open := snapshot.Handles[0]
	if open.Stop || open.Inf.State == state.BackingOff || open.Inf.State == state.Retrying || slices.ContainsFunc(straight.Steps, func(s sim.Step) bool { return s.At >= crash.At && timed(s.Input) }) {
		return true
	}
	end := crashed.End
	for i, f := range sim.Fold(snapshot, crashed.Steps[boot:]) {
		if timed(f.Input) {
			return true
		}
		if f.Machine.View().IndexOf(open.ID) < 0 {
			end = crashed.Steps[boot+i].At
			break
		}
	}
	return slices.ContainsFunc(p.Timeline, func(t sim.Moment) bool {
		at := p.Start + t.At
		switch {
		case t.Request != nil && !strings.HasPrefix(t.Request.Text, "/"), t.Event != nil, t.Again:
			return at > crash.At && at <= end
		default:
			return at >= came && at <= end
		}
	})
}

// setBack reports whether a slot comes that the clock was set back over.
func setBack(in fsm.Input) bool {
	slot, _ := in.Fact.(fsm.ScheduleDue)
	return slot.Back
}

// timed reports whether an input comes at a time of its own.
func timed(in fsm.Input) bool {
	_, fired := in.Fact.(fsm.TimerFired)
	_, due := in.Fact.(fsm.ScheduleDue)
	failed, _ := in.Fact.(fsm.BrainFailed) // by the client's own deadline (SIM-21)
	return fired || due || failed.Class == fsm.BrainLoading
}

// interrupted returns how many handles at most were unfinished at a time, before or
// after a step of that time: what a crash loses of its process is not in its journal.
func interrupted(r *sim.Result, at fsm.Millis) int {
	open, most := 0, 0
	for i, f := range sim.Fold(machine.New().Snapshot(), r.Steps) {
		if r.Steps[i].At > at {
			break
		}
		if r.Steps[i].At == at {
			most = max(most, open)
		}
		open = len(f.Machine.View().Handles)
	}
	return max(most, open)
}
