package check

import (
	"slices"

	"shelly/fsm"
	"shelly/fsm/machine"
	"shelly/fsm/state"
)

// takeInput settles what the input answers. It reports whether the input must
// have no effect at all.
func (w *Monitor) takeInput(in fsm.Input) (silent bool) {
	w.steps = w.steps[:0]
	return !fsm.Known(in.Fact) || silences.Do(w, in.Fact)
}

// silences says for each kind of fact whether it must have no effect at all.
var silences = fsm.NewFactTable(
	fsm.OnFact((*Monitor).takeBoot),
	fsm.OnFact(func(w *Monitor, in fsm.Requested) bool { return w.active(in.Request) }),
	fsm.OnFact(func(*Monitor, fsm.EventRaised) bool { return false }),
	fsm.OnFact(func(w *Monitor, _ fsm.Configured) bool { return w.takeConfig() }),
	fsm.OnFact(func(*Monitor, fsm.ScheduleDue) bool { return false }),
	fsm.OnFact(func(w *Monitor, in fsm.CancelRequested) bool {
		return in.Handle == 0 && !w.active(in.Request) || in.Handle != 0 && w.find(in.Handle) == nil
	}),
	fsm.OnFact(func(*Monitor, fsm.ScheduleChanged) bool { return false }),
	fsm.OnFact(func(*Monitor, fsm.Typing) bool { return false }),
	fsm.OnFact((*Monitor).takeDecision),
	fsm.OnFact((*Monitor).takeRevoked),
	fsm.OnFact(func(w *Monitor, in fsm.Resolved) bool {
		return !w.asks(in.Handle, state.Held) && !w.asks(in.Handle, state.Parked)
	}),
	fsm.OnFact(func(w *Monitor, _ fsm.Signalled) bool {
		return w.lifecycle == state.Down || w.lifecycle == state.Stopped
	}),
	fsm.OnFact(func(w *Monitor, in fsm.BrainProgress) bool { return !w.asking(in.Call) }),
	fsm.OnFact(func(w *Monitor, in fsm.TimerFired) bool { return !w.takeTimer(in.Timer) }),
	settled((*Monitor).takeSaid),
	settled(func(_ *Monitor, f *followed, in fsm.ToolAnswered) { f.takeResult(in) }),
	settled(func(_ *Monitor, f *followed, in fsm.Probed) { f.takeProbed(in) }),
	settled(func(_ *Monitor, f *followed, in fsm.SessionLoaded) { f.form.load(in) }),
	settled(func(_ *Monitor, f *followed, in fsm.SessionSaved) { f.form.save(in) }),
	fsm.OnAnswers((*Monitor).settle),
)

// settled returns the row of an answer that the monitor notes.
func settled[A fsm.Answer](note func(*Monitor, *followed, A)) fsm.FactRow[*Monitor, bool] {
	var zero A
	kinds := fsm.CallsAnsweredBy(zero)
	return fsm.OnFact(func(w *Monitor, a A) bool {
		f, kind := w.awaiting(a.CallOf(), kinds)
		if f != nil && kind == kinds[0] { // any other is a stop
			note(w, f, a)
		}
		return f == nil
	})
}

// takeSaid notes an answer of the model.
func (w *Monitor) takeSaid(f *followed, in fsm.BrainAnswered) {
	w.does(f.id).said, f.starts, f.audited = in.Text, nil, 0
}

// settle takes an answer, which must be awaited to have any effect.
func (w *Monitor) settle(a fsm.Answer) bool {
	f, _ := w.awaiting(a.CallOf(), fsm.CallsAnsweredBy(a))
	return f == nil
}

// awaiting takes an answered call of one of the given kinds, and returns its handle and its
// kind.
func (w *Monitor) awaiting(call fsm.CallID, kinds []fsm.CallKind) (*followed, fsm.CallKind) {
	for _, kind := range kinds {
		if f := w.takeAnswer(call, kind); f != nil {
			return f, kind
		}
	}
	return nil, ""
}

func (w *Monitor) takeBoot(fsm.Boot) bool {
	w.grace = 0
	for i := range w.live {
		w.live[i].calls, w.live[i].timer, w.live[i].wait = nil, 0, 0
		w.live[i].forgetProbes()
		w.live[i].moot = w.live[i].asked != ""
	}
	return w.takeConfig()
}

// active reports whether a request is here already.
func (w *Monitor) active(key fsm.RequestKey) bool {
	for i := range w.live {
		if f := &w.live[i]; f.kind == fsm.KindUser && f.request == key {
			return true
		}
	}
	return false
}

// asks reports whether a handle is in a state in which a person can speak to it.
func (w *Monitor) asks(id fsm.HandleID, state fsm.State) bool {
	f := w.find(id)
	return f != nil && f.state == state
}

// asking reports whether a model call is in flight.
func (w *Monitor) asking(call fsm.CallID) bool {
	for i := range w.live {
		if w.live[i].awaits(call) == fsm.CallBrain {
			return true
		}
	}
	return false
}

func (w *Monitor) takeAnswer(call fsm.CallID, kind fsm.CallKind) *followed {
	for i := range w.live {
		if f := &w.live[i]; f.awaits(call) == kind {
			f.forget(call)
			w.does(f.id).consumed = true
			return f
		}
	}
	return nil
}

// takeTimer reports whether the timer was armed.
func (w *Monitor) takeTimer(id fsm.TimerID) bool { return id != 0 && w.disarm(id) }

// disarm forgets an armed timer, or returns false if none has this id.
func (w *Monitor) disarm(id fsm.TimerID) bool {
	if id == w.grace {
		w.grace = 0
		return true
	}
	for i := range w.live {
		switch f := &w.live[i]; id {
		case f.timer:
			f.timer = 0
			return true
		case f.wait:
			f.wait = 0
			return true
		}
	}
	return false
}

// takeNewcomers follows the handles that this step admitted, refused, or answered
// at once.
func (w *Monitor) takeNewcomers(m *machine.Machine, in fsm.Input) {
	known := len(w.live)
	key, told, command := fsm.RequestKey{}, false, false
	kind := fsm.KindEvent
	if r, ok := in.Fact.(fsm.Requested); ok {
		key, kind, told = r.Request, fsm.KindUser, !w.active(r.Request)
		command = m.View().Config.Switches.Commands && machine.CommandOf(r.Text) != ""
	} else if _, ok := in.Fact.(fsm.EventRaised); ok {
		told = m.View().LastHandle > w.lastHandle || !m.View().Config.Switches.Coalesce
	}
	waiting := 0
	if m.View().LastHandle > w.lastHandle {
		waiting = w.waiting()
	}
	for id := w.lastHandle + 1; id <= m.View().LastHandle; id++ {
		i := indexOf(m.View().Handles, id)
		if i < 0 {
			n := slices.IndexFunc(m.Moves(), func(mv state.Move) bool { return mv.Handle == id })
			ran := n >= 0 // it was admitted, and ended at once (CTX-11)
			f := followed{id: id, kind: kind, request: key, state: state.Queued}
			did := w.does(id)
			did.refused, did.fleeting = !ran, ran
			if ran {
				f.kind = m.Moves()[n].Kind
			}
			w.live = append(w.live, f)
			if ran {
				continue
			}
			if !told || waiting < m.View().Config.Limits.MaxQueue && !command {
				w.violate("INV-1", "handle %d was refused with %d of %d places taken", id, waiting, m.View().Config.Limits.MaxQueue)
			}
			continue
		}
		f := follow(&m.View().Handles[i])
		w.does(id).admitted = true
		w.live = append(w.live, f)
		if told && f.kind == kind && waiting >= m.View().Config.Limits.MaxQueue {
			w.violate("INV-3", "handle %d was admitted with %d of %d places taken", id, waiting, m.View().Config.Limits.MaxQueue)
		}
	}
	if told && (len(w.live) == known || w.live[known].kind != kind || w.live[known].request != key) {
		w.violate("INV-1", "this %T was neither admitted nor refused", in.Fact)
	}
}

// waiting returns how many handles hold a place in the queue.
func (w *Monitor) waiting() (n int) {
	for i := range w.live {
		if f := &w.live[i]; state.Waits(f.state) && f.kind != fsm.KindMemory && f.kind != fsm.KindSubagent && f.kind != fsm.KindInit {
			n++
		}
	}
	return n
}

// indexOf returns the index of a handle, or -1. Handles are in admission order, which
// checkState verifies.
func indexOf(handles []state.Handle, id fsm.HandleID) int {
	low, high := 0, len(handles)
	for low < high {
		if mid := (low + high) / 2; handles[mid].ID < id {
			low = mid + 1
		} else {
			high = mid
		}
	}
	if low < len(handles) && handles[low].ID == id {
		return low
	}
	return -1
}

// takeMoves follows the transitions of the step, each of which must be a row.
func (w *Monitor) takeMoves(m *machine.Machine) {
	moves := m.Moves()
	for i := range moves {
		mv := &moves[i]
		if !inTable(mv) {
			w.violate("INV-2", "no row of table %s goes from %s on %s to %s", mv.Table, mv.From, mv.On, mv.To)
		}
		switch mv.Table {
		case state.Lifecycle.Name:
			if mv.From != w.lifecycle {
				w.violate("INV-2", "the lifecycle leaves %s but was in %s", mv.From, w.lifecycle)
			}
			w.lifecycle = mv.To
		case state.HandleTable.Name:
			w.takeHandleMove(m, mv)
		case state.InferenceTable.Name:
			w.takeInferenceMove(m, mv)
		}
	}
}

func inTable(mv *state.Move) bool {
	rows := state.HandleTable.Rows
	switch mv.Table {
	case state.Lifecycle.Name:
		rows = state.Lifecycle.Rows
	case state.InferenceTable.Name:
		rows = state.InferenceTable.Rows
	}
	for i := range rows {
		if r := &rows[i]; r.On == mv.On && r.From == mv.From {
			return r.To == mv.To
		}
	}
	return false
}

func (w *Monitor) takeHandleMove(m *machine.Machine, mv *state.Move) {
	f := w.find(mv.Handle)
	if f == nil {
		w.violate("INV-8", "handle %d moves to %s but is terminal or unknown", mv.Handle, mv.To)
		return
	}
	if mv.From != f.state {
		w.violate("INV-2", "handle %d leaves %s but was in %s", f.id, mv.From, f.state)
	}
	f.state = mv.To
	if mv.From == state.Queued && mv.On != state.OnStart {
		w.passed = 0 // one that goes on: turns do not matter
	}
	i := indexOf(m.View().Handles, f.id)
	switch mv.On {
	case state.OnDecided:
		f.asked = "" // whoever asked
	case state.OnPark:
		w.does(f.id).parked = true
	case state.OnYield:
		w.does(f.id).yielded = true
		if f.kind == fsm.KindMemory {
			f.left = 0 // it begins again
		}
	case state.OnRecalled:
		if i >= 0 && m.View().Handles[i].Rounds >= m.View().Config.Limits.MaxCognitionRounds {
			w.violate("INV-3", "handle %d begins another cognition round after %d of %d", f.id, m.View().Handles[i].Rounds, m.View().Config.Limits.MaxCognitionRounds)
		}
	case state.OnStart:
		if f.kind == fsm.KindSubagent {
			w.startedSub = true
		} else {
			w.started = true
		}
		if i >= 0 {
			f.input = m.View().Handles[i].Input // an event has changed if others joined it
		}
		w.checkOrder(m.View(), f)
	}
}

// checkOrder checks that no older handle could have started instead of f, except one whose
// turn it was not.
func (w *Monitor) checkOrder(s *state.Snapshot, f *followed) {
	if f.kind == fsm.KindMemory || f.kind == fsm.KindSubagent {
		return
	}
	turn := false   // f takes the turn of an older handle
	passes := false // f goes ahead of one because its session was asked for last
	defer func() {
		if w.passed++; !passes {
			w.passed = 0
		}
	}()
	for i := range s.Handles {
		h := &s.Handles[i]
		if h.ID >= f.id || h.State != state.Queued || !h.Served(w.lifecycle) || h.Kind == fsm.KindMemory || h.Kind == fsm.KindSubagent || h.Beside ||
			sessionTaken(s, h) {
			continue
		}
		if s.Config.Switches.Alternate && h.Kind != f.kind && f.kind.Alternates() && (turn || h.Kind.Alternates()) {
			turn = true
			continue
		}
		if f.session == w.session && w.passed+1 < s.Config.Limits.SessionBurst {
			passes = true
			continue
		}
		w.violate("INV-5", "handle %d starts before handle %d, which is older", f.id, h.ID)
	}
}

func (w *Monitor) takeInferenceMove(m *machine.Machine, mv *state.Move) {
	f := w.find(mv.Handle)
	if f == nil {
		w.violate("INV-8", "the inference of handle %d moves to %s but the handle is terminal or unknown", mv.Handle, mv.To)
		return
	}
	i := indexOf(m.View().Handles, mv.Handle)
	if i < 0 {
		return
	}
	inf, l := &m.View().Handles[i].Inf, &m.View().Config.Limits
	met := false
	switch mv.On {
	case state.OnToolsAsked:
		met = inf.Rounds > l.MaxToolRounds
	case state.OnResults:
		met = inf.Iterations >= l.MaxIterations || f.kind == fsm.KindSubagent && inf.Iterations >= l.SubagentIterations
	case state.OnToolFailed:
		met = attemptsOf(inf) >= l.MaxToolAttempts
	case state.OnBackOff:
		met = inf.Waits > len(l.Backoff)
	case state.OnCondense:
		met = inf.Compactions > l.MaxCompactions
		f.sent = mark{} // what its session keeps is forgotten once the summary is asked for
	}
	if met {
		w.violate("INV-3", "handle %d goes on %s beyond its limits: round %d, iteration %d, attempt %d, wait %d, compaction %d",
			mv.Handle, mv.On, inf.Rounds, inf.Iterations, attemptsOf(inf), inf.Waits, inf.Compactions)
	}
}
