package sim

import (
	"maps"
	"slices"
	"strconv"

	"shelly/fsm"
)

// Fates decide which calls a plan's faults hit. A call that is repeated after a crash meets
// the same fault as before, just as it gets the same entry of the script: what goes wrong
// must not depend on where the process died.
type Fates struct {
	faults []Fault
	choose Chooser
	counts []int                    // per fault: the calls so far that it is meant for
	struck []bool                   // per fault
	dealt  map[nthCall[fateKey]]int // the fault that each call has met, or -1
	repeats[fateKey]
}

// fateKey is what a call asks for, and which handle asks.
type fateKey struct {
	handle     fsm.HandleID
	kind, what string
}

// newFates returns the fates of a plan. If before has the fates of another run of the plan,
// each call that was made in that run meets what it met there.
func newFates(p *Plan, choose Chooser, before *Fates) Fates {
	f := Fates{
		faults: p.Faults, choose: choose, counts: make([]int, len(p.Faults)), struck: make([]bool, len(p.Faults)),
		dealt: map[nthCall[fateKey]]int{}, repeats: newRepeats[fateKey](),
	}
	if before != nil {
		f.dealt, f.counts = maps.Clone(before.dealt), slices.Clone(before.counts)
		for i := range f.faults {
			if f.faults[i].ofJournal() {
				f.counts[i] = 0 // an append is not repeated
			}
		}
	}
	return f
}

// observe records which calls a step of the journal answers and makes.
func (f *Fates) observe(in fsm.Input, effects []fsm.Effect) {
	if len(f.faults) == 0 {
		return
	}
	f.boots(in)
	f.close(fsm.Answers(in))
	for _, e := range effects {
		if abort, ok := e.(fsm.AbortCall); ok {
			f.close(abort.Call)
		}
		if key, call := fateKeyOf(e); call != 0 {
			f.made(call, key)
		}
	}
}

// deal returns the fault that a call meets, or nil.
func (f *Fates) deal(e fsm.Effect) *Fault {
	if len(f.faults) == 0 {
		return nil
	}
	of, _ := fateKeyOf(e)
	key := f.next(of)
	fault, known := f.dealt[key]
	if !known {
		fault = f.draw(e)
		f.dealt[key] = fault
	}
	if fault < 0 {
		return nil
	}
	f.struck[fault] = true
	return &f.faults[fault]
}

// draw returns the index of the first fault that strikes a new call, or -1. Each fault that is
// meant for the call counts it.
func (f *Fates) draw(e fsm.Effect) int {
	hit := -1
	for i := range f.faults {
		if !f.faults[i].meant(e) {
			continue
		}
		f.counts[i]++
		if f.faults[i].strikes(f.counts[i], f.choose) && hit < 0 {
			hit = i
		}
	}
	return hit
}

// write returns the fault that an append to the journal meets, or nil.
func (f *Fates) write(sync bool) *Fault {
	var hit *Fault
	for i := range f.faults {
		fault := &f.faults[i]
		if !fault.ofJournal() || fault.Kind == JournalFsync && !sync || fault.Kind == JournalTorn && sync {
			continue
		}
		f.counts[i]++
		if fault.strikes(f.counts[i], f.choose) && hit == nil {
			hit, f.struck[i] = fault, true
		}
	}
	return hit
}

// unstruck lists the faults planned for an nth call that struck none.
func (f *Fates) unstruck() []int {
	var list []int
	for i, fault := range f.faults {
		if fault.Nth > 0 && !fault.Optional && !f.struck[i] {
			list = append(list, i)
		}
	}
	return list
}

// met has what a fault may name of a call, and the key that tells the call from others.
type met struct {
	by      FaultKind // the faults that it may meet
	purpose fsm.Purpose
	session string
	tool    string
	only    string
	key     fateKey
}

// meeting has a row for each kind of call.
var meeting = fsm.NewCallTable(
	fsm.OnEffect(func(_ struct{}, e fsm.AskBrain) met { // bound as a script's line is
		key := fateKey{whose(e.Handle, e.Session), string(e.Purpose), strconv.FormatUint(e.Conversation.Hash, 16)}
		return met{by: BrainFault, purpose: e.Purpose, session: e.Session, key: key}
	}),
	fsm.OnEffect(func(_ struct{}, e fsm.RunTool) met {
		return met{by: ToolFault, tool: e.Name, key: keyed(e, e.Key+" "+strconv.Itoa(e.Attempt))}
	}),
	fsm.OnEffect(func(_ struct{}, e fsm.Recall) met { return met{by: RecallFault, key: keyed(e, e.Need)} }),
	fsm.OnEffect(func(_ struct{}, e fsm.Embed) met { return met{by: EmbeddingFault, key: keyed(e, e.Text)} }),
	fsm.OnEffect(func(_ struct{}, e fsm.Store) met { return met{by: StoreFault, key: keyed(e, e.Entry.ID)} }),
	fsm.OnEffect(func(_ struct{}, e fsm.LoadSession) met {
		return met{by: SessionsFault, only: "load", key: keyed(e, e.Session)}
	}),
	fsm.OnEffect(func(_ struct{}, e fsm.SaveSession) met {
		return met{by: SessionsFault, only: "save", key: keyed(e, e.Turn)}
	}),
	fsm.OnEffect(func(_ struct{}, e fsm.LoadSkill) met {
		return met{by: SkillsFault, key: keyed(e, e.Skill+" "+e.Reference)}
	}),
	fsm.OnEffect(func(_ struct{}, e fsm.RunProbe) met { return met{key: keyed(e, e.Key+" "+strconv.Itoa(e.Attempt))} }), // what it says is the stub's
	fsm.OnEffect(func(_ struct{}, e fsm.ReadText) met { return met{key: keyed(e, e.Ref+" "+strconv.Itoa(e.From))} }),    // the journal's faults are its own
)

func keyed(e fsm.Effect, what string) fateKey {
	return fateKey{fsm.HandleOf(e), fsm.EffectKind(e), what}
}

// fateKeyOf returns the key that tells a call from others, and the call's id; the id is 0 if
// the effect is not a call.
func fateKeyOf(e fsm.Effect) (fateKey, fsm.CallID) {
	return meeting.Do(struct{}{}, e).key, fsm.CallOf(e)
}
