package export

import (
	"time"

	"shelly/fsm"
)

// late is how long after a deadline that has not come true the wall clock must have jumped (HND-27).
const late = fsm.Millis(time.Minute / time.Millisecond)

// jumps are how far the wall clock has jumped before each step, as it does when the machine was
// asleep: back, or ahead over a deadline whose timer had not fired.
func (r *Record) jumps() []fsm.Millis {
	jumps := make([]fsm.Millis, len(r.Steps))
	due := map[fsm.TimerID]fsm.Millis{} // order-free: the earliest counts
	var ahead, before fsm.Millis        // of all jumps; by a clock without them
	for i, s := range r.Steps {
		now, then := s.Input.At-ahead, before // then: when it came, if the clock jumped
		missed := i > 0 && now < before
		_, boots := s.Input.Fact.(fsm.Boot)
		fired, fires := s.Input.Fact.(fsm.TimerFired)
		switch at, armed := due[fired.Timer]; {
		case boots:
			clear(due)
			missed = false
		case fires && armed:
			then, missed = max(before, at), missed || now-at > late
			delete(due, fired.Timer)
		case !fires:
			for _, at := range due { // order-free: any one will do
				missed = missed || now-at > late
			}
		}
		if missed {
			jumps[i] = now - then
			ahead, now = ahead+now-then, then
		}
		before = now
		for _, e := range s.Effects {
			if set, ok := e.(fsm.SetTimer); ok {
				due[set.Timer] = now + set.After
			}
			if off, ok := e.(fsm.ClearTimer); ok {
				delete(due, off.Timer)
			}
		}
	}
	return jumps
}

// spread sets what came from without apart from what was before or after it at the same time, and what is of
// the request from what is of a subagent, in the order that they had: times of a case are whole milliseconds,
// and of one any order is possible (SIM-2).
func (r *Record) spread(times []fsm.Millis) {
	var later, before fsm.Millis
	for i, at := range times {
		other := i > 0 && r.Steps[i].About && r.Steps[i].Handle != r.Steps[i-1].Handle
		if i > 0 && at == before && (other || r.without(i) || r.without(i-1)) {
			later += apart
		}
		before, times[i] = at, at+later
	}
}

// without reports whether a step is an entry of the timeline, and not the world's answer or the machine's timer.
func (r *Record) without(i int) bool {
	in := r.Steps[i].Input
	_, fires := in.Fact.(fsm.TimerFired)
	_, progress := in.Fact.(fsm.BrainProgress)
	_, starts := in.Fact.(fsm.Boot)
	return !fires && !progress && !starts && fsm.Answers(in) == 0
}

// steady are the times of the steps by a clock that does not jump.
func (r *Record) steady(jumps []fsm.Millis) []fsm.Millis {
	var ahead fsm.Millis
	times := make([]fsm.Millis, len(r.Steps))
	for i, s := range r.Steps {
		ahead += jumps[i]
		times[i] = s.Input.At - ahead
	}
	return times
}
