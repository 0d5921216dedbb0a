package export

import (
	"fmt"
	"slices"

	"shelly/fsm"
	"shelly/fsm/state"
	"shelly/sim"
	"shelly/sim/scenario"
)

// crash is one that the record has come through.
type crash struct {
	start  int        // the step of the start after it, from 1
	after  int        // how many marked steps come before it
	down   fsm.Millis // until the start after it
	step   uint64     // of the scenario, after which it comes; 0: not known yet
	synced bool
}

// struck are the crashes whose step is known, as a scenario has them.
func (s *story) struck() (list []any) {
	for _, c := range s.crashes {
		if c.step > 0 {
			o := object{{"at", fmt.Sprintf("step.%d", c.step)}, {"restart_after", span(c.down)}}
			o.flag("synced", c.synced)
			list = append(list, o)
		}
	}
	return list
}

// strike finds the step of the scenario after which each crash comes. What runs beside the request in
// it is not what ran beside it in the record, so the scenario is played up to each crash to count.
func (s *story) strike(synced bool) error {
	for i := range s.crashes {
		c := &s.crashes[i]
		again, err := s.soFar()
		if err != nil {
			return err
		}
		marks := again.marks()
		if c.after > len(marks) {
			return s.record.refused(c.start, "the process starts after a crash that the scenario does not come to")
		}
		c.step, c.synced = again.Steps[marks[c.after-1]].Index, synced
	}
	return nil
}

// count counts the calls of services that the request before this one makes: a fault is of the n-th such
// call of the run, so the scenario is played without faults to see.
func (s *story) count() error {
	var faults object
	if s.services(&faults); !s.follows || len(faults) == 0 {
		return nil
	}
	s.plain = true
	result, err := s.play()
	if s.plain = false; err != nil {
		return err
	}
	again, err := s.record.told(result)
	if err != nil {
		return err
	}
	ahead, own := map[string]int{}, map[string]bool{}
	for _, step := range result.Steps {
		for _, e := range step.Effects {
			kind := fsm.EffectKind(e)
			if own[kind] = own[kind] || again.owns(fsm.HandleOf(e)); !own[kind] {
				ahead[kind]++
			}
		}
	}
	s.ahead = ahead
	return nil
}

// soFar is the record of the scenario with the crashes whose step is known.
func (s *story) soFar() (*Record, error) {
	result, err := s.play()
	if err != nil {
		return nil, err
	}
	return s.record.told(result)
}

// play plays the scenario as far as it is known.
func (s *story) play() (*sim.Result, error) {
	text, err := s.write()
	if err != nil {
		return nil, err
	}
	f, err := scenario.Parse("export.scenario.yaml", []byte(text))
	if err != nil {
		return nil, fmt.Errorf("use --as replay: %w: %w", ErrFile, err)
	}
	result, err := sim.Run(f.Plan(), sim.Options{})
	if err != nil {
		return nil, fmt.Errorf("use --as replay: %w: %w", ErrFile, err)
	}
	return result, nil
}

// marks are the indexes of the marked steps.
func (r *Record) marks() (list []int) {
	for i := range r.Steps {
		if r.marked(i) {
			list = append(list, i)
		}
	}
	return list
}

// marked reports whether a step, by its index, is one by which a record and a play of its scenario
// can be counted alike: what moves the process or the request. How far a model has come is none, since
// a scenario's model tells less of it; nor is what gives the request its turn, or gives it back after a start, for
// which it may not wait there.
func (r *Record) marked(i int) bool {
	s := &r.Steps[i]
	_, starts := s.Input.Fact.(fsm.Boot)
	_, stops := s.Input.Fact.(fsm.Signalled)
	_, progress := s.Input.Fact.(fsm.BrainProgress)
	own := slices.IndexFunc(s.Moves, func(m state.Move) bool { return r.owns(m.Handle) })
	return starts || stops || s.About && !progress || own >= 0 && s.Moves[own].From != state.Queued && s.Moves[own].From != state.Parked
}
