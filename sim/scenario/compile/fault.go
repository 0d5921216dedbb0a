package compile

import (
	"shelly/fsm"
	"shelly/sim"
	"shelly/sim/scenario/format"
)

// Fault is a fault as the simulator plays it, and where the file has it.
type Fault struct {
	Path string
	sim.Fault
}

// chanceSeed is the seed of a case whose faults strike by chance and that names none.
const chanceSeed = 1

// seed is the seed of the case's choices; 0 for none.
func seed(f *format.File) uint64 {
	if f.Seed != nil {
		return uint64(*f.Seed)
	}
	for _, planned := range Faults(f) {
		if planned.Nth == 0 {
			return chanceSeed
		}
	}
	return 0
}

// faults returns the case's faults in the order in which the plan has them.
func Faults(f *format.File) []Fault {
	own := &f.Faults
	var list []Fault
	add := func(at string, fault sim.Fault) { list = append(list, Fault{at, fault}) }
	for _, s := range own.Writes() {
		s.Of.Each(f.Where, "faults."+string(s.Kind), func(at string, v *format.WriteFault) { add(at, writeFault(v, s.Kind)) })
	}
	own.Brain.Each(f.Where, "faults.brain", func(at string, v *format.BrainFault) { add(at, brainFault(v)) })
	own.Tool.Each(f.Where, "faults.tool", func(at string, v *format.ToolFault) { add(at, toolFault(v)) })
	for _, s := range own.Services(f.Latency()) {
		s.Of.Each(f.Where, "faults."+string(s.Kind), func(at string, v *format.ServiceFault) { add(at, serviceFault(v, s.Kind)) })
	}
	own.Sessions.Each(f.Where, "faults.sessions", func(at string, v *format.SessionFault) { add(at, sessionFault(v)) })
	return list
}

func writeFault(v *format.WriteFault, kind sim.FaultKind) sim.Fault {
	fault := when(sim.Fault{Kind: kind, After: format.DefaultRestart}, v.Nth, v.P, v.Optional)
	fault.After = v.Restart.Or(fault.After)
	return fault
}

// when says which calls a fault hits.
func when(fault sim.Fault, nth *format.Count, p *format.Chance, optional bool) sim.Fault {
	fault.Optional = optional
	if p != nil {
		fault.Chance = int(*p)
		return fault
	}
	fault.Nth = nth.Or(1)
	return fault
}

func brainFault(v *format.BrainFault) sim.Fault {
	line := format.Line{Fails: v.Fails, Hangs: v.Hangs, Cut: v.Cut, Garbage: v.Garbage, Takes: v.Takes}
	return when(sim.Fault{
		Kind: sim.BrainFault, Purpose: fsm.Purpose(v.Of), Session: v.Session,
		Line: Line(&line), Slow: v.Fails == nil && !v.Hangs && !v.Cut && v.Garbage == "",
	}, v.Nth, v.P, v.Optional)
}

func toolFault(v *format.ToolFault) sim.Fault {
	act := sim.Act{Hangs: v.Hangs, Lost: v.Lost, Takes: v.Takes.Or(0)}
	if v.Fails != nil {
		act.Returns, act.Failed, act.Nothing = v.Fails.Text(), true, v.Fails.Retryable
	}
	return when(sim.Fault{
		Kind: sim.ToolFault, Tool: v.Name, Act: act, Slow: v.Fails == nil && !v.Hangs && !v.Lost,
	}, v.Nth, v.P, v.Optional)
}

func serviceFault(v *format.ServiceFault, kind sim.FaultKind) sim.Fault {
	return when(sim.Fault{
		Kind: kind, Slow: v.Fails == "" && !v.Hangs,
		Service: sim.Service{Fails: v.Fails, Hangs: v.Hangs, Takes: v.Takes.Or(0)},
	}, v.Nth, v.P, v.Optional)
}

func sessionFault(v *format.SessionFault) sim.Fault {
	service := format.ServiceFault{Nth: v.Nth, P: v.P, Fails: v.Fails, Hangs: v.Hangs, Takes: v.Takes, Optional: v.Optional}
	fault := serviceFault(&service, sim.SessionsFault)
	fault.Only = v.Only
	return fault
}
