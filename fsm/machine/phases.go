package machine

import (
	"shelly/fsm"
	"shelly/fsm/state"
)

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

// Awaits returns the phase that says what a handle waits for: its own or, if that infers,
// its inference's.
func Awaits(h *state.Handle) *Phase {
	if p := phaseIn(handlePhases, h.State); !p.Infers {
		return p
	}
	return phaseIn(inferencePhases, h.Inf.State)
}

// PhaseOf returns the phase of a state of a table. A state without a phase awaits nothing
// and does nothing.
func PhaseOf(table string, s fsm.State) *Phase { return phaseIn(Phases(table), s) }

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
	{State: state.Idling, Wait: Wait{Purpose: fsm.TimerIdle, For: quiet, over: (*Machine).idled}},
	{State: state.Parked, Idle: true},
	{State: state.Loading, Calls: []fsm.CallKind{fsm.CallLoad}, Clock: true, enter: (*Machine).load},
	{
		State: state.Compacting, Calls: []fsm.CallKind{fsm.CallBrain}, Clock: true, Again: state.OnCompact,
		Wait:  Wait{Purpose: fsm.TimerCompact, For: compactTimeout, over: (*Machine).compacted},
		enter: (*Machine).compact, resume: (*Machine).resumeInference, ends: (*Machine).compacted, less: (*Machine).askLess,
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
	{State: state.Postponed, Wait: Wait{Purpose: fsm.TimerPostpone, For: postponement, over: (*Machine).resumed}},
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
// has no result.
var inferencePhases = []Phase{
	{
		State: state.Thinking, Calls: []fsm.CallKind{fsm.CallBrain},
		Wait: Wait{Purpose: fsm.TimerAnswer, For: answerTimeout, Maybe: true, over: (*Machine).silent}, enter: (*Machine).think,
	},
	{State: state.Acting, Calls: []fsm.CallKind{fsm.CallTool, fsm.CallSkill, fsm.CallText}, enter: (*Machine).act, resume: (*Machine).resumeActing},
	{State: state.BackingOff, Wait: Wait{Purpose: fsm.TimerBackoff, For: backoffTimeout, over: (*Machine).retry}, resume: (*Machine).resumeRetry},
	{State: state.Retrying, Wait: Wait{Purpose: fsm.TimerRetry, For: retryDelay, over: (*Machine).retry}, resume: (*Machine).resumeRetry},
	{State: state.Probing, Calls: []fsm.CallKind{fsm.CallProbe}, Wait: Wait{Purpose: fsm.TimerProbe, For: probeTimeout, over: (*Machine).unsure}, enter: (*Machine).probe},
	{State: state.Condensing, Calls: []fsm.CallKind{fsm.CallBrain}, Wait: Wait{Purpose: fsm.TimerCompact, For: compactTimeout, over: (*Machine).uncondensed}, enter: (*Machine).askCondensed},
	{State: state.Completed, enter: (*Machine).inferred},
	{State: state.Exhausted, enter: (*Machine).inferred},
	{State: state.Broken, enter: (*Machine).inferred},
}

func approvalTimeout(m *Machine, _ *state.Handle) fsm.Millis {
	return m.s.Config.Limits.ApprovalTimeout
}

func holdTimeout(m *Machine, _ *state.Handle) fsm.Millis { return m.s.Config.Limits.HoldTimeout }

func postponement(m *Machine, h *state.Handle) fsm.Millis {
	return m.s.Config.Limits.Postpone[h.Postponed-1]
}

func retryDelay(m *Machine, _ *state.Handle) fsm.Millis { return m.s.Config.Limits.RetryDelay }

func backoffTimeout(m *Machine, h *state.Handle) fsm.Millis {
	return m.s.Config.Backoff(max(h.Inf.Waits-1, 0))
}
