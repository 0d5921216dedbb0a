package scenario

import (
	"shelly/fsm"
	"shelly/sim"
	"shelly/sim/strict"
)

// plannedFault is a fault as the simulator plays it, and where the file has it.
type plannedFault struct {
	path string
	sim.Fault
}

// chanceSeed is the seed of a case whose faults strike by chance and that names none.
const chanceSeed = 1

// seed is the seed of the case's choices; 0 for none.
func (f *File) seed() uint64 {
	if f.Seed != nil {
		return uint64(*f.Seed)
	}
	for _, planned := range f.faults() {
		if planned.Nth == 0 {
			return chanceSeed
		}
	}
	return 0
}

// faults returns the case's faults in the order in which the plan has them.
func (f *File) faults() []plannedFault {
	own := &f.Faults
	var list []plannedFault
	add := func(at string, fault sim.Fault) { list = append(list, plannedFault{at, fault}) }
	for _, s := range own.writes() {
		s.of.Each(f.Where, "faults."+string(s.kind), func(at string, v *WriteFault) { add(at, v.fault(s.kind)) })
	}
	own.Brain.Each(f.Where, "faults.brain", func(at string, v *BrainFault) { add(at, v.fault()) })
	own.Tool.Each(f.Where, "faults.tool", func(at string, v *ToolFault) { add(at, v.fault()) })
	for _, s := range own.services(f.latency()) {
		s.of.Each(f.Where, "faults."+string(s.kind), func(at string, v *ServiceFault) { add(at, v.fault(s.kind)) })
	}
	own.Sessions.Each(f.Where, "faults.sessions", func(at string, v *SessionFault) { add(at, v.fault()) })
	return list
}

// serviceFaults are the faults of one service.
type serviceFaults struct {
	kind  sim.FaultKind
	of    strict.Several[ServiceFault]
	takes *Duration // the service's latency
}

func (v *Faults) services(l *Latencies) []serviceFaults {
	return []serviceFaults{
		{sim.RecallFault, v.Recall, l.Recall}, {sim.EmbeddingFault, v.Embedding, l.Embedding},
		{sim.StoreFault, v.Store, l.Store}, {sim.SkillsFault, v.Skills, l.Skills},
	}
}

// writeFaults are the faults of one kind of the journal.
type writeFaults struct {
	kind sim.FaultKind
	of   strict.Several[WriteFault]
}

func (v *Faults) writes() []writeFaults {
	if v.Journal == nil {
		return nil
	}
	return []writeFaults{{sim.JournalFull, v.Journal.Full}, {sim.JournalFsync, v.Journal.Fsync}, {sim.JournalTorn, v.Journal.Torn}}
}

func (v *WriteFault) fault(kind sim.FaultKind) sim.Fault {
	fault := when(sim.Fault{Kind: kind, After: defaultRestart}, v.Nth, v.P, v.Optional)
	set(&fault.After, v.Restart)
	return fault
}

// when says which calls a fault hits.
func when(fault sim.Fault, nth *Count, p *Chance, optional bool) sim.Fault {
	fault.Optional = optional
	if p != nil {
		fault.Chance = int(*p)
		return fault
	}
	fault.Nth = 1
	set(&fault.Nth, nth)
	return fault
}

func (v *BrainFault) fault() sim.Fault {
	line := Line{Fails: v.Fails, Hangs: v.Hangs, Cut: v.Cut, Garbage: v.Garbage, Takes: v.Takes}
	return when(sim.Fault{
		Kind: sim.BrainFault, Purpose: fsm.Purpose(v.Of), Session: v.Session,
		Line: line.line(), Slow: v.Fails == nil && !v.Hangs && !v.Cut && v.Garbage == "",
	}, v.Nth, v.P, v.Optional)
}

func (v *ToolFault) fault() sim.Fault {
	act := sim.Act{Hangs: v.Hangs, Lost: v.Lost, Takes: v.Takes.millis()}
	if v.Fails != nil {
		act.Returns, act.Failed, act.Nothing = v.Fails.text(), true, v.Fails.Retryable
	}
	return when(sim.Fault{
		Kind: sim.ToolFault, Tool: v.Name, Act: act, Slow: v.Fails == nil && !v.Hangs && !v.Lost,
	}, v.Nth, v.P, v.Optional)
}

func (v *ServiceFault) fault(kind sim.FaultKind) sim.Fault {
	return when(sim.Fault{
		Kind: kind, Slow: v.Fails == "" && !v.Hangs,
		Service: sim.Service{Fails: v.Fails, Hangs: v.Hangs, Takes: v.Takes.millis()},
	}, v.Nth, v.P, v.Optional)
}

func (v *SessionFault) fault() sim.Fault {
	service := ServiceFault{v.Nth, v.P, v.Fails, v.Hangs, v.Takes, v.Optional}
	fault := service.fault(sim.SessionsFault)
	fault.Only = v.Only
	return fault
}
