package lockstep

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"shelly/cmd/shelly/internal/scratch"
	"shelly/fsm"
	"shelly/sim"
	"shelly/sim/scenario"
	"shelly/sim/scenario/judge"
	"shelly/sim/strict"
)

// Compare plays a case twice, in the simulator and with the real adapters, and compares the
// journalled inputs and the effects (SCN-12), and the records of requests, memory and sessions.
// If a case asks for a crash at every point, its uninterrupted run is compared.
func Compare(f *scenario.File) scenario.Outcome {
	if f.Replay != nil {
		return f.Skip("a replay fixes every input of the machine, so the runtime has nothing to do")
	}
	out := f.Run(sim.Options{Workshop: scratch.Workshop()})
	if out.Err != nil {
		return out
	}
	plan := f.Plan().Equipped(scratch.Workshop().Tools)
	text, err := playLive(&plan, out.Result)
	if err != nil {
		out.Err = fmt.Errorf("%s: on the runtime: %w", f.Path(), err)
		return out
	}
	if text != "" {
		out.Failures = append(out.Failures, judge.Failure{
			Name: f.Name, File: f.Path(), Pos: strict.Pos{Line: out.Line, Col: 1}, Text: text,
			Again: out.Again() + " --on runtime",
		})
	}
	return out
}

// playLive plays a plan with the real adapters and returns how that differs from the simulated
// run, or "".
func playLive(plan *sim.Plan, simulated *sim.Result) (string, error) {
	l, err := newLive(plan, nil)
	if err != nil {
		return "", err
	}
	defer l.Close()
	real, err := sim.Run(*plan, sim.Options{Backend: l, Journal: journal{l.store, l}, Workshop: scratch.Workshop()})
	if err != nil {
		return "", err
	}
	real.Memory = nil // filled from the real store below, not from the simulator's own copy
	err = l.store.Entries(func(e fsm.Entry) error {
		real.Memory = append(real.Memory, e)
		return nil
	})
	if err != nil {
		return "", err
	}
	if text := firstDifference(simulated.Steps, real.Steps); text != "" {
		return text, nil
	}
	if !slices.Equal(simulated.World, real.World) {
		return fmt.Sprintf("world\n  - simulated %+v\n  + runtime   %+v", simulated.World, real.World), nil
	}
	if text := kept(simulated, real); text != "" {
		return text, nil
	}
	if l.stream != "" {
		return l.stream, nil
	}
	return l.differs(simulated)
}

// kept compares what the two runs have recorded of requests and memory.
func kept(simulated, real *sim.Result) string {
	if !slices.Equal(simulated.Requests, real.Requests) {
		return fmt.Sprintf("request records\n  - simulated %+v\n  + runtime   %+v", simulated.Requests, real.Requests)
	}
	byID := func(a, b fsm.Entry) int { return strings.Compare(a.ID, b.ID) }
	want, got := slices.SortedFunc(slices.Values(simulated.Memory), byID), slices.SortedFunc(slices.Values(real.Memory), byID)
	if !reflect.DeepEqual(want, got) {
		return fmt.Sprintf("memory\n  - simulated %+v\n  + runtime   %+v", want, got)
	}
	return ""
}

// firstDifference describes the first step in which two traces differ.
func firstDifference(simulated, real []sim.Step) string {
	for i := range max(len(simulated), len(real)) {
		if i >= len(simulated) || i >= len(real) {
			return fmt.Sprintf("the runtime took %d steps, the simulator %d", len(real), len(simulated))
		}
		s, r := simulated[i], real[i]
		want, _ := fsm.MarshalInput(s.Input)
		got, _ := fsm.MarshalInput(r.Input)
		if string(want) != string(got) {
			return fmt.Sprintf("step %d: input\n  - simulated %s\n  + runtime   %s", i+1, want, got)
		}
		if fsm.HashEffects(s.Effects) != fsm.HashEffects(r.Effects) {
			return fmt.Sprintf("step %d: effects\n  - simulated %s\n  + runtime   %s", i+1, kinds(s.Effects), kinds(r.Effects))
		}
	}
	return ""
}

func kinds(effects []fsm.Effect) string {
	var list []string
	for _, e := range effects {
		wire, _ := fsm.MarshalEffect(e)
		list = append(list, string(wire))
	}
	return strings.Join(list, " ")
}
