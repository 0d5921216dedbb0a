package fsm

import "slices"

// Phase says what a state of a table is for: what is awaited in it, under which timers,
// and what is done when a row leads to it. The machine runs the entry of the row's
// destination, and nothing else starts a phase's work; the monitor checks that a handle
// awaits what its phase says (INV-2).
type Phase struct {
	State  State
	Calls  []CallKind // awaited is the answer to a call of one of these kinds
	Infers bool       // awaited is what the phase of the handle's inference awaits
	Person bool       // awaited is a person's word
	Clock  bool       // the handle's own time runs
	Wait   Wait       // a timer of its own runs
	Idle   bool       // nothing is awaited: a handle's turn comes, or the next boot
	Again  Event      // by which a queued handle goes on in it, rather than begins

	enter  entry // what entering does
	resume entry // what going on in it does; nil: the same
	ends   heir  // what the handle makes of the end of its inference
	late   heir  // what it makes of the end of its time; nil: it gives up (HND-18)
}

// Wait is the timer of a wait inside a phase. The zero value is none.
type Wait struct {
	Purpose TimerPurpose
	For     func(*Config, *Handle) Millis
	over    heir // what comes when it has fired
}

// entry does what entering a phase means: it begins the call that the phase awaits, or
// says which event is fired next. That is taken when the entry has returned. It is given
// the handle's place, or none for the lifecycle's.
type entry func(m *Machine, i int) firing

// heir says which event is fired when something has come to its end.
type heir func(m *Machine, h *Handle) firing

// Phases returns the phases of a table.
func Phases(table string) []Phase {
	switch table {
	case Lifecycle.Name:
		return lifecyclePhases
	case HandleTable.Name:
		return handlePhases
	default:
		return inferencePhases
	}
}

// lifecyclePhases are the phases of [Lifecycle].
var lifecyclePhases = []Phase{
	{State: Initializing, enter: (*Machine).initialize},
	{State: Serving, enter: (*Machine).serve},
	{State: Draining, enter: (*Machine).drain},
	{State: Farewell, enter: (*Machine).bidFarewell},
	{State: Stopped, enter: (*Machine).exit},
}

// handlePhases are the phases of [HandleTable].
var handlePhases = []Phase{
	{State: Queued, Idle: true},
	{State: Parked, Idle: true},
	{State: Loading, Calls: []CallKind{CallLoad}, Clock: true, enter: (*Machine).load},
	{
		State: Compacting, Calls: []CallKind{CallBrain}, Clock: true, Again: OnCompact,
		Wait:  Wait{TimerCompact, compactTimeout, (*Machine).compacted},
		enter: (*Machine).compact, resume: (*Machine).resumeInference, ends: (*Machine).compacted,
	},
	{
		State: Cognition, Infers: true, Clock: true, Again: OnAsk,
		enter: (*Machine).inferAnswer, resume: (*Machine).resumeInference, ends: (*Machine).considered,
	},
	{State: Recalling, Calls: []CallKind{CallRecall}, Clock: true, Again: OnRecall, enter: (*Machine).recall},
	{
		State: Execution, Infers: true, Clock: true, Again: OnAct,
		enter: (*Machine).inferAnswer, resume: (*Machine).resumeInference, ends: (*Machine).concluded,
	},
	{State: Approving, Person: true, Wait: Wait{TimerApproval, approvalTimeout, (*Machine).unapproved}, enter: (*Machine).askPerson},
	{State: Held, Person: true, Wait: Wait{TimerHold, holdTimeout, (*Machine).unresolved}, enter: (*Machine).askPerson},
	{State: Saving, Calls: []CallKind{CallSave}, Clock: true, Again: OnSave, enter: (*Machine).save, late: (*Machine).skipSave},
	{
		State: Summarizing, Infers: true, Clock: true, Again: OnSummarize,
		enter: (*Machine).summarize, resume: (*Machine).resumeInference, ends: (*Machine).summarized, late: (*Machine).skip,
	},
	{State: Embedding, Calls: []CallKind{CallEmbed}, Clock: true, Again: OnEmbed, enter: (*Machine).embed, late: (*Machine).skip},
	{State: Storing, Calls: []CallKind{CallStore}, Clock: true, Again: OnStore, enter: (*Machine).store, late: (*Machine).skip},
	{State: Stopping, Calls: []CallKind{CallStop}, Clock: true, late: (*Machine).dropped},
	{State: Done, enter: (*Machine).done},
	{State: Failed, enter: (*Machine).ended},
	{State: Cancelled, enter: (*Machine).ended},
}

// inferencePhases are the phases of [InferenceTable]. An inference that is given up
// comes to nothing.
var inferencePhases = []Phase{
	{State: Thinking, Calls: []CallKind{CallBrain}, enter: (*Machine).think},
	{State: Acting, Calls: []CallKind{CallTool, CallSkill}, enter: (*Machine).act, resume: (*Machine).resumeActing},
	{State: BackingOff, Wait: Wait{TimerBackoff, backoffTimeout, (*Machine).retry}, resume: (*Machine).resumeRetry},
	{State: Retrying, Wait: Wait{TimerRetry, retryDelay, (*Machine).retry}, resume: (*Machine).resumeRetry},
	{State: Condensing, Calls: []CallKind{CallBrain}, Wait: Wait{TimerCompact, compactTimeout, (*Machine).uncondensed}, enter: (*Machine).askCondensed},
	{State: Completed, enter: (*Machine).inferred},
	{State: Exhausted, enter: (*Machine).inferred},
	{State: Broken, enter: (*Machine).inferred},
}

func compactTimeout(c *Config, _ *Handle) Millis  { return c.Limits.CompactTimeout }
func approvalTimeout(c *Config, _ *Handle) Millis { return c.Limits.ApprovalTimeout }
func holdTimeout(c *Config, _ *Handle) Millis     { return c.Limits.HoldTimeout }
func retryDelay(c *Config, _ *Handle) Millis      { return c.Limits.RetryDelay }
func backoffTimeout(c *Config, h *Handle) Millis  { return c.backoff(max(h.Inf.Waits-1, 0)) }

// waitOver is the end of a wait in a phase of the handle, or of its inference.
func (m *Machine) waitOver(h *Handle) firing {
	p := m.handle.phase(h.State)
	if p.Wait.over == nil {
		p = m.inference.phase(h.Inf.State)
	}
	if p.Wait.over == nil {
		return firing{}
	}
	return p.Wait.over(m, h)
}

// Awaits returns the phase that says what a handle waits for: its own or, where that
// infers, its inference's.
func (h *Handle) Awaits() *Phase {
	of := func(phases []Phase, s State) *Phase {
		i := slices.IndexFunc(phases, func(p Phase) bool { return p.State == s })
		if i < 0 {
			return &Phase{State: s}
		}
		return &phases[i]
	}
	if p := of(handlePhases, h.State); !p.Infers {
		return p
	}
	return of(inferencePhases, h.Inf.State)
}

// Pauses reports whether what is awaited is the end of a wait alone, which comes by
// itself: nobody has been asked anything.
func (p *Phase) Pauses() bool { return p.Wait.Purpose != "" && len(p.Calls) == 0 && !p.Person }

// awaits reports whether a call of a kind is awaited in the phase.
func (p *Phase) awaits(kind CallKind) bool { return slices.Contains(p.Calls, kind) }
