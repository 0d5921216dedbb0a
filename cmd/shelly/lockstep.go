package main

import (
	"fmt"
	"strings"

	"shelly/fsm"
	"shelly/sim"
	"shelly/sim/scenario"
)

// runLive plays a case twice, simulated and with the real adapters, and compares
// the journalled inputs and the effects (SCN-12). A case that asks for a crash at every
// point is compared on its uninterrupted run.
func runLive(f *scenario.File) scenario.Outcome {
	out := f.Run(sim.Options{})
	if out.Err != nil {
		return out
	}
	plan := f.Plan()
	real, err := playLive(&plan)
	if err != nil {
		out.Err = fmt.Errorf("%s: on the runtime: %w", f.Path(), err)
		return out
	}
	if text := firstDifference(out.Result.Steps, real.Steps); text != "" {
		out.Failures = append(out.Failures, scenario.Failure{
			Name: f.Name, File: f.Path(), Pos: scenario.Pos{Line: out.Line, Col: 1}, Text: text,
			Again: "shelly test --on runtime " + f.Path(),
		})
	}
	return out
}

func playLive(plan *sim.Plan) (*sim.Result, error) {
	l, err := newLive(plan)
	if err != nil {
		return nil, err
	}
	defer l.Close()
	return sim.Run(*plan, sim.Options{Backend: l, Journal: journal{l.store, l}})
}

// firstDifference names the first step in which two traces differ.
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
