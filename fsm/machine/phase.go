package machine

import (
	"slices"

	"shelly/fsm"
	"shelly/fsm/state"
)

// Phase says what a state of a table is for: what is awaited in it, under which timers,
// and what is done when a row leads to it. The machine runs the entry of the row's
// destination, and nothing else starts a phase's work (TAB-1); the monitor checks that a handle
// awaits what its phase says (INV-2).
type Phase struct {
	State  fsm.State
	Calls  []fsm.CallKind // awaited is the answer to a call of one of these kinds
	Infers bool           // awaited is what the phase of the handle's inference awaits
	Person bool           // awaited is a person's word
	Clock  bool           // the handle's own time runs
	Wait   Wait           // a timer of its own runs
	Idle   bool           // nothing is awaited: a handle's turn comes, or the next boot
	Again  state.Event    // by which a queued handle goes on in it, rather than begins

	enter  entry // what entering does
	resume entry // what going on in it does; nil: the same
	ends   heir  // what the handle makes of the end of its inference
	late   heir  // what it makes of the end of its time; nil: it gives up (HND-18)
}

// Wait is the timer of a wait inside a phase. The zero value is none.
type Wait struct {
	Purpose fsm.TimerPurpose
	For     func(*Machine, *state.Handle) fsm.Millis // 0: none
	Maybe   bool                                     // there may be none
	over    heir                                     // what comes when it has fired
}

// entry does what entering a phase means: it begins the call that the phase awaits, or
// says which event is fired next. That is taken when the entry has returned. It is given
// the handle's place, or none for the lifecycle's.
type entry func(m *Machine, i int) firing

// heir says which event is fired when something has come to its end.
type heir func(m *Machine, h *state.Handle) firing

// Phases returns the phases of a table.
func Phases(table string) []Phase {
	switch table {
	case state.Lifecycle.Name:
		return lifecyclePhases
	case state.HandleTable.Name:
		return handlePhases
	default:
		return inferencePhases
	}
}

// lifecyclePhases are the phases of [state.Lifecycle].
var lifecyclePhases = []Phase{
	{State: state.Initializing, enter: (*Machine).initialize},
	{State: state.Serving, enter: (*Machine).serve},
	{State: state.Draining, enter: (*Machine).drain},
	{State: state.Farewell, enter: (*Machine).bidFarewell},
	{State: state.Stopped, enter: (*Machine).exit},
}

// handlePhases are the phases of [state.HandleTable].
var handlePhases = []Phase{
	{State: state.Queued, Idle: true},
	{State: state.Parked, Idle: true},
	{State: state.Loading, Calls: []fsm.CallKind{fsm.CallLoad}, Clock: true, enter: (*Machine).load},
	{
		State: state.Compacting, Calls: []fsm.CallKind{fsm.CallBrain}, Clock: true, Again: state.OnCompact,
		Wait:  Wait{Purpose: fsm.TimerCompact, For: compactTimeout, over: (*Machine).compacted},
		enter: (*Machine).compact, resume: (*Machine).resumeInference, ends: (*Machine).compacted,
	},
	{
		State: state.Cognition, Infers: true, Clock: true, Again: state.OnAsk,
		enter: (*Machine).inferAnswer, resume: (*Machine).resumeInference, ends: (*Machine).considered,
	},
	{State: state.Recalling, Calls: []fsm.CallKind{fsm.CallRecall}, Clock: true, Again: state.OnRecall, enter: (*Machine).recall},
	{
		State: state.Execution, Infers: true, Clock: true, Again: state.OnAct,
		enter: (*Machine).inferAnswer, resume: (*Machine).resumeInference, ends: (*Machine).concluded,
	},
	{State: state.Approving, Person: true, Wait: Wait{Purpose: fsm.TimerApproval, For: approvalTimeout, over: (*Machine).unapproved}, enter: (*Machine).askPerson},
	{State: state.Held, Person: true, Wait: Wait{Purpose: fsm.TimerHold, For: holdTimeout, over: (*Machine).unresolved}, enter: (*Machine).askPerson},
	{State: state.Saving, Calls: []fsm.CallKind{fsm.CallSave}, Clock: true, Again: state.OnSave, enter: (*Machine).save, late: (*Machine).skipSave},
	{
		State: state.Summarizing, Infers: true, Clock: true, Again: state.OnSummarize,
		enter: (*Machine).summarize, resume: (*Machine).resumeInference, ends: (*Machine).summarized, late: (*Machine).skip,
	},
	{State: state.Embedding, Calls: []fsm.CallKind{fsm.CallEmbed}, Clock: true, Again: state.OnEmbed, enter: (*Machine).embed, late: (*Machine).skip},
	{State: state.Storing, Calls: []fsm.CallKind{fsm.CallStore}, Clock: true, Again: state.OnStore, enter: (*Machine).store, late: (*Machine).skip},
	{State: state.Stopping, Calls: []fsm.CallKind{fsm.CallStop}, Clock: true, late: (*Machine).dropped},
	{State: state.Done, enter: (*Machine).done},
	{State: state.Failed, enter: (*Machine).ended},
	{State: state.Cancelled, enter: (*Machine).ended},
}

// inferencePhases are the phases of [state.InferenceTable]. An inference that is given up
// comes to nothing.
var inferencePhases = []Phase{
	{
		State: state.Thinking, Calls: []fsm.CallKind{fsm.CallBrain},
		Wait: Wait{Purpose: fsm.TimerAnswer, For: answerTimeout, Maybe: true, over: (*Machine).silent}, enter: (*Machine).think,
	},
	{State: state.Acting, Calls: []fsm.CallKind{fsm.CallTool, fsm.CallSkill}, enter: (*Machine).act, resume: (*Machine).resumeActing},
	{State: state.BackingOff, Wait: Wait{Purpose: fsm.TimerBackoff, For: backoffTimeout, over: (*Machine).retry}, resume: (*Machine).resumeRetry},
	{State: state.Retrying, Wait: Wait{Purpose: fsm.TimerRetry, For: retryDelay, over: (*Machine).retry}, resume: (*Machine).resumeRetry},
	{State: state.Condensing, Calls: []fsm.CallKind{fsm.CallBrain}, Wait: Wait{Purpose: fsm.TimerCompact, For: compactTimeout, over: (*Machine).uncondensed}, enter: (*Machine).askCondensed},
	{State: state.Completed, enter: (*Machine).inferred},
	{State: state.Exhausted, enter: (*Machine).inferred},
	{State: state.Broken, enter: (*Machine).inferred},
}

func approvalTimeout(m *Machine, _ *state.Handle) fsm.Millis {
	return m.s.Config.Limits.ApprovalTimeout
}
func holdTimeout(m *Machine, _ *state.Handle) fsm.Millis { return m.s.Config.Limits.HoldTimeout }
func retryDelay(m *Machine, _ *state.Handle) fsm.Millis  { return m.s.Config.Limits.RetryDelay }
func backoffTimeout(m *Machine, h *state.Handle) fsm.Millis {
	return m.s.Config.Backoff(max(h.Inf.Waits-1, 0))
}

// waitOver is the end of a wait in a phase of the handle, or of its inference.
func (m *Machine) waitOver(h *state.Handle) firing {
	w := &Awaits(h).Wait
	if w.over == nil || w.Maybe && w.For(m, h) <= 0 {
		return firing{}
	}
	return w.over(m, h)
}

// Awaits returns the phase that says what a handle waits for: its own or, where that
// infers, its inference's.
func Awaits(h *state.Handle) *Phase {
	if p := phaseIn(handlePhases, h.State); !p.Infers {
		return p
	}
	return phaseIn(inferencePhases, h.Inf.State)
}

// PhaseOf returns the phase of a state of a table. One without a phase awaits nothing and
// does nothing.
func PhaseOf(table string, s fsm.State) *Phase { return phaseIn(Phases(table), s) }

func phaseIn(phases []Phase, s fsm.State) *Phase {
	for i := range phases {
		if p := &phases[i]; p.State == s {
			return p
		}
	}
	return &Phase{State: s}
}

// Pauses reports whether what is awaited is the end of a wait alone, which comes by
// itself: nobody has been asked anything.
func (p *Phase) Pauses() bool { return p.Wait.Purpose != "" && len(p.Calls) == 0 && !p.Person }

// awaits reports whether a call of a kind is awaited in the phase.
func (p *Phase) awaits(kind fsm.CallKind) bool { return slices.Contains(p.Calls, kind) }
