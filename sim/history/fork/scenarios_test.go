package fork_test

import (
	"errors"
	"os"
	"slices"
	"testing"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/machine"
	"shelly/fsm/state"
	"shelly/sim"
	"shelly/sim/history"
	"shelly/sim/history/fork"
	"shelly/sim/scenario"
	"shelly/sim/scenario/choose"
)

// journalOf is the journal that a run leaves.
func journalOf(t *testing.T, r *sim.Result) *engine.MemoryJournal {
	t.Helper()
	b := engine.Batch{Requests: r.Requests}
	for _, s := range r.Steps {
		b.Records = append(b.Records, engine.Record{Index: s.Index, Input: s.Input, Effects: fsm.HashEffects(s.Effects)})
	}
	j := engine.NewMemoryJournal()
	if err := j.Append(b, true); err != nil {
		t.Fatal(err)
	}
	return j
}

// cases are all cases of the project's scenarios.
func cases(t *testing.T) []*scenario.File {
	t.Helper()
	fsys := os.DirFS("../../../scenarios")
	found, err := choose.Find(fsys, []string{"."})
	if err != nil {
		t.Fatal(err)
	}
	var all []*scenario.File
	for _, file := range found {
		files, err := scenario.Load(fsys, file.Path)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, slices.DeleteFunc(files, func(f *scenario.File) bool { return f.Property() != nil })...)
	}
	return all
}

// recordedBrain answers as the model did from a step on.
func recordedBrain(h history.History, from int) fork.Brain {
	answers := map[fsm.Purpose][]fsm.Input{}
	asked := map[fsm.CallID]fsm.Purpose{}
	for _, s := range h.Steps {
		for _, e := range s.Effects {
			if ask, ok := e.(fsm.AskBrain); ok {
				asked[ask.Call] = ask.Purpose
			}
		}
		switch s.Input.Fact.(type) {
		case fsm.BrainAnswered, fsm.BrainFailed:
			if p := asked[fsm.Answers(s.Input)]; s.About && s.N >= from {
				answers[p] = append(answers[p], s.Input)
			}
		}
	}
	return func(ask fsm.AskBrain, _ []fsm.ToolDecl) (fsm.Input, error) {
		list := answers[ask.Purpose]
		if len(list) == 0 {
			return fsm.Input{}, errSilent
		}
		answers[ask.Purpose] = list[1:]
		return fsm.Input{Fact: list[0].Fact}, nil
	}
}

// again reports whether what a fork was told gives the same reply again.
func again(p fork.Point, r fork.Result) bool {
	m := machine.Restore(r.From)
	var reply *fsm.Reply
	for _, in := range r.Told {
		for _, e := range m.Step(in) {
			if e, ok := p.Answer(e); ok {
				reply = &e
			}
		}
	}
	return r.Reply == nil && reply == nil || r.Reply != nil && reply != nil && *reply == *r.Reply
}

// outside reports whether something in the steps came neither from the model nor from
// what a fork takes from the record, or went wrong in what a fork only takes as done. The
// records are all that came meanwhile.
func outside(steps []history.Step, records []sim.Step) bool {
	for _, r := range records {
		switch in := r.Input.Fact.(type) {
		case fsm.Configured, fsm.CancelRequested, fsm.Signalled, fsm.Boot:
			return true
		case fsm.Requested:
			if in.Text == "/stop" {
				return true
			}
		}
	}
	return slices.ContainsFunc(steps, func(s history.Step) bool {
		switch in := s.Input.Fact.(type) {
		case fsm.BrainAnswered, fsm.BrainFailed, fsm.ToolAnswered, fsm.Recalled, fsm.Embedded, fsm.SessionLoaded, fsm.SkillLoaded,
			fsm.Decided, fsm.Resolved:
			return !s.About
		case fsm.Stored:
			return !s.About || in.Error != ""
		case fsm.SessionSaved:
			return !s.About || in.Error != "" || in.Conflict
		case fsm.TimerFired:
			return !slices.ContainsFunc(s.Moves, func(m state.Move) bool { return m.On == state.OnRetry })
		default:
			return true
		}
	})
}

// joined reports whether an event has joined the one that the steps are of: what is told if that fails
// says so (HND-68).
func joined(steps []history.Step) bool {
	return slices.ContainsFunc(steps, func(s history.Step) bool {
		_, raised := s.Input.Fact.(fsm.EventRaised)
		return raised
	})
}

var errSilent = errors.New("the record has no further answer")

// histories are those of the requests and of the runs.
func histories(t *testing.T, j engine.Reader, result *sim.Result) (list []history.History) {
	t.Helper()
	runs, err := history.Runs(j, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range result.Requests {
		h, err := history.Of(j, r.Key)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, h)
	}
	for _, run := range runs {
		h, err := history.OfRun(j, run)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, h)
	}
	return list
}

// A fork that changes nothing ends as the record does, whatever the step that it begins
// at (SIM-15): of every request and every run of every scenario. Where something came from outside
// after the step, or what was written went wrong, it may end differently.
func TestSIM15AForkWithoutAChangeEndsAsTheRecord(t *testing.T) {
	forks, same := 0, 0
	for _, f := range cases(t) {
		o := f.Run(sim.Options{})
		if o.Err != nil || o.Skipped != "" {
			continue
		}
		j := journalOf(t, o.Result)
		for _, h := range histories(t, j, o.Result) {
			r := h.Request
			for _, s := range h.Steps {
				p, err := fork.At(j, h, s.N)
				if errors.Is(err, fork.ErrNoPoint) {
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				for _, anew := range []bool{false, true} {
					if anew && !p.Answers() {
						continue
					}
					from := s.N + 1
					if anew {
						from = s.N
					}
					forks++
					got, err := fork.Run(p, fork.Change{AskAgain: anew}, recordedBrain(h, from))
					for _, v := range got.Violations {
						t.Errorf("%s: %s from step %d: %s", f.Path(), r.Key.ID, s.N, v)
					}
					if !anew && s.N < 4 && !again(p, got) {
						t.Errorf("%s: %s from step %d: what it was told does not give the same again", f.Path(), r.Key.ID, s.N)
					}
					if got.Parted < 0 && err == nil && got.Stands == "" {
						same++
						if got.Reply != nil && r.Done && !joined(h.Steps[max(1, s.N-1):]) && (got.Reply.Text != r.Reply || got.Reply.Outcome != r.Outcome) {
							t.Errorf("%s: %s from step %d: replies %q, not %q", f.Path(), r.Key.ID, s.N, got.Reply.Text, r.Reply)
						}
						continue
					}
					if outside(h.Steps[s.N:], o.Result.Steps[s.Index:]) {
						continue
					}
					t.Errorf("%s: %s from step %d of %d anew %v: parted %d of %d, %q, %v", f.Path(), r.Key.ID, s.N, len(h.Steps), anew, got.Parted, len(got.Steps), got.Stands, err)
				}
			}
		}
	}
	t.Logf("%d of %d forks ended as the record", same, forks)
}
