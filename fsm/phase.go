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
	{State: Approving, Wait: Wait{TimerApproval, approvalTimeout, (*Machine).unapproved}, enter: (*Machine).askPerson},
	{State: Held, Wait: Wait{TimerHold, holdTimeout, (*Machine).unresolved}, enter: (*Machine).askPerson},
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

// awaits reports whether a call of a kind is awaited in the phase.
func (p *Phase) awaits(kind CallKind) bool { return slices.Contains(p.Calls, kind) }

// firing is an event to fire, and what it writes where there is a row for it. The zero
// value fires nothing:
// what is awaited is still to come.
type firing struct {
	on       Event
	write    func(*Handle)
	answered bool // by the answer to the call that the handle awaits
	resumes  bool // the handle goes on in the phase that it was in
}

// after is f, with something that is written first.
func (f firing) after(write func(*Handle)) firing {
	rest := f.write
	if rest == nil {
		f.write = write
		return f
	}
	f.write = func(h *Handle) {
		write(h)
		rest(h)
	}
	return f
}

// none is the place of no handle, for the lifecycle's events.
const none = -1

// chainMax bounds the events that one fired event may lead to in its entries. The
// longest that the tables lead to is far below it.
const chainMax = 32

// fire takes an event of the handle at i or, with none, of the lifecycle. The row is
// looked up first. Where there is one, the answer is consumed, the data written, the
// state set, and the entry of the row's destination run. Where there is none, nothing is
// written, and an answer stays awaited until its handle's time is up; it is counted, and
// the monitor reports it (INV-2). An event that an entry fires is taken once that entry
// has returned. It reports whether each event had its row.
func (m *Machine) fire(i int, f firing) bool {
	for range chainMax {
		if f.on == "" {
			return true
		}
		p, ok := m.turn(i, f)
		if !ok {
			break
		}
		f = m.enter(p, i, f.resumes)
	}
	m.s.Ignored.Moves++
	return false
}

// turn takes one row. It returns the phase that the row leads to.
func (m *Machine) turn(i int, f firing) (*Phase, bool) {
	x := m.events[f.on]
	if x == nil {
		return nil, false
	}
	if x == m.lifecycle {
		to, ok := x.row(m.s.Lifecycle, f.on)
		if !ok {
			return nil, false
		}
		if f.write != nil {
			f.write(nil)
		}
		m.moved(Move{Table: x.name, From: m.s.Lifecycle, On: f.on, To: to}, &m.s.Lifecycle)
		return x.phase(to), true
	}
	if i == none {
		return nil, false
	}
	h := &m.s.Handles[i]
	state := &h.State
	if x == m.inference {
		state = &h.Inf.State
	}
	from := *state
	to, ok := x.row(from, f.on)
	if !ok {
		return nil, false
	}
	p := x.phase(to)
	m.leave(h, x, x.phase(from), p, f.answered)
	if f.write != nil {
		f.write(h)
	}
	m.moved(Move{Table: x.name, Handle: h.ID, From: from, On: f.on, To: to}, state)
	if x == m.handle {
		m.keepTime(h, x.phase(from), p)
	}
	return p, true
}

func (m *Machine) moved(mv Move, state *State) {
	m.moves = append(m.moves, mv)
	*state = mv.To
}

// leave lets go of what was awaited in a phase: of its call, which is answered or given
// up, and of the timer of its wait. A tool that is given up may still have to stop.
func (m *Machine) leave(h *Handle, x *executor, from, to *Phase, answered bool) {
	if !answered {
		m.abortCall(h)
	}
	if answered || !to.awaits(CallStop) {
		h.Await = Await{}
	}
	if x == m.handle || from.Wait.Purpose != "" {
		m.clearWait(h)
	}
}

// keepTime starts and stops the handle's clock. Where its time was up in the phase that
// it leaves, what follows has little: that in which an aborted tool has to stop.
func (m *Machine) keepTime(h *Handle, from, to *Phase) {
	switch {
	case !to.Clock:
		m.clearTimer(h)
	case h.Timer != 0:
	case from.Clock:
		h.Left = 0
		m.arm(h, TimerAbort, m.s.Config.Limits.AbortTimeout)
	default:
		m.arm(h, TimerHandle, h.timeout(m.s.Config.Limits))
	}
}

// enter runs the entry of a phase, and arms the timer of the wait that begins with it.
func (m *Machine) enter(p *Phase, i int, resumes bool) firing {
	work := p.enter
	if resumes && p.resume != nil {
		work = p.resume
	}
	f := firing{}
	if work != nil {
		f = work(m, i)
	}
	if f.on == "" && p.Wait.Purpose != "" {
		h := &m.s.Handles[i]
		m.wait(h, p.Wait.Purpose, p.Wait.For(&m.s.Config, h))
	}
	return f
}
