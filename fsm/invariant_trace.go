package fsm

// takeInput settles what the input answers. It reports whether the input must
// have no effect at all.
func (w *Monitor) takeInput(in Input) (silent bool) {
	for i := range w.live {
		f := &w.live[i]
		f.step = stepFacts{waited: f.state == Queued || f.state == Parked || f.state == Approving || f.state == Held}
	}
	return !known(in.Fact) || silences.Do(w, in.Fact)
}

// silences tells of each kind of fact whether it must have no effect at all.
var silences = NewFactTable(
	OnFact((*Monitor).takeBoot),
	OnFact(func(w *Monitor, in Requested) bool { return w.active(in.Request) }),
	OnFact(func(*Monitor, EventRaised) bool { return false }),
	OnFact(func(*Monitor, Configured) bool { return false }),
	OnFact(func(*Monitor, ScheduleDue) bool { return false }),
	OnFact(func(w *Monitor, in CancelRequested) bool { return !w.active(in.Request) }),
	OnFact(func(w *Monitor, in Decided) bool { return !w.asks(in.Handle, Approving) }),
	OnFact(func(w *Monitor, in Resolved) bool { return !w.asks(in.Handle, Held) && !w.asks(in.Handle, Parked) }),
	OnFact(func(w *Monitor, _ Signalled) bool { return w.lifecycle == Down || w.lifecycle == Stopped }),
	OnFact(func(w *Monitor, in TimerFired) bool { return !w.takeTimer(in.Timer) }),
	settled(func(f *followed, in BrainAnswered) { f.step.said = in.Text }),
	settled(func(f *followed, in ToolAnswered) { f.nothing = in.Nothing }),
	settled[BrainFailed](nil),
	settled[ToolStopped](nil),
	settled[Recalled](nil),
	settled[Embedded](nil),
	settled[Stored](nil),
	settled[SessionLoaded](nil),
	settled[SessionSaved](nil),
	settled[SkillLoaded](nil),
)

// settled is the row of an answer, which must be awaited to have any effect.
func settled[A Answer](note func(*followed, A)) FactRow[*Monitor, bool] {
	return OnFact(func(w *Monitor, a A) bool {
		for i, kind := range facts[a.kind()].answers {
			if f := w.takeAnswer(a.CallOf(), kind); f != nil {
				if i == 0 && note != nil { // any other is a stop
					note(f, a)
				}
				return false
			}
		}
		return true
	})
}

func (w *Monitor) takeBoot(Boot) bool {
	w.grace = 0
	for i := range w.live {
		w.live[i].call, w.live[i].timer, w.live[i].wait = Await{}, 0, 0
	}
	return false
}

// active reports whether a request is here already.
func (w *Monitor) active(key RequestKey) bool {
	for i := range w.live {
		if f := &w.live[i]; f.kind == KindUser && f.request == key {
			return true
		}
	}
	return false
}

// asks reports whether a handle is in a state in which a person can speak to it.
func (w *Monitor) asks(id HandleID, state State) bool {
	f := w.find(id)
	return f != nil && f.state == state
}

func (w *Monitor) takeAnswer(call CallID, kind CallKind) *followed {
	for i := range w.live {
		if f := &w.live[i]; f.call.Call == call && f.call.Kind == kind {
			f.call = Await{}
			f.step.consumed = true
			return f
		}
	}
	return nil
}

// takeTimer reports whether the timer was armed.
func (w *Monitor) takeTimer(id TimerID) bool { return id != 0 && w.disarm(id) }

// disarm forgets an armed timer, or reports that there is none of this id.
func (w *Monitor) disarm(id TimerID) bool {
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
func (w *Monitor) takeNewcomers(m *Machine, in Input) {
	waiting, known := 0, len(w.live)
	for i := range w.live {
		if f := &w.live[i]; f.step.waited && f.kind != KindMemory && f.kind != KindSubagent {
			waiting++
		}
	}
	key, told, command := RequestKey{}, false, false
	kind := KindEvent
	if r, ok := in.Fact.(Requested); ok {
		key, kind, told = r.Request, KindUser, !w.active(r.Request)
		command = m.s.Config.Switches.Commands && commandOf(r.Text) != ""
	} else if _, ok := in.Fact.(EventRaised); ok {
		told = m.s.LastHandle > w.lastHandle || !m.s.Config.Switches.Coalesce
	}
	for id := w.lastHandle + 1; id <= m.s.LastHandle; id++ {
		i := indexOf(m.s.Handles, id)
		if i < 0 {
			w.live = append(w.live, followed{id: id, kind: kind, request: key, state: Queued, step: stepFacts{refused: true}})
			if !told || waiting < m.s.Config.Limits.MaxQueue && !command {
				w.violate("INV-1", "handle %d was refused with %d of %d places taken", id, waiting, m.s.Config.Limits.MaxQueue)
			}
			continue
		}
		f := follow(&m.s.Handles[i])
		f.step.admitted = true
		w.live = append(w.live, f)
		if told && f.kind == kind && waiting >= m.s.Config.Limits.MaxQueue {
			w.violate("INV-3", "handle %d was admitted with %d of %d places taken", id, waiting, m.s.Config.Limits.MaxQueue)
		}
	}
	if told && (len(w.live) == known || w.live[known].kind != kind || w.live[known].request != key) {
		w.violate("INV-1", "this %T was neither admitted nor refused", in.Fact)
	}
}

func indexOf(handles []Handle, id HandleID) int {
	for i := len(handles) - 1; i >= 0; i-- {
		if handles[i].ID == id {
			return i
		}
	}
	return -1
}

// takeMoves follows the transitions of the step, each of which must be a row.
func (w *Monitor) takeMoves(m *Machine) {
	for i := range m.moves {
		mv := &m.moves[i]
		if !mv.inTable() {
			w.violate("INV-2", "no row of table %s goes from %s on %s to %s", mv.Table, mv.From, mv.On, mv.To)
		}
		switch mv.Table {
		case Lifecycle.Name:
			if mv.From != w.lifecycle {
				w.violate("INV-2", "the lifecycle leaves %s but was in %s", mv.From, w.lifecycle)
			}
			w.lifecycle = mv.To
		case HandleTable.Name:
			w.takeHandleMove(m, mv)
		case InferenceTable.Name:
			w.takeInferenceMove(m, mv)
		}
	}
}

func (mv *Move) inTable() bool {
	rows := HandleTable.Rows
	switch mv.Table {
	case Lifecycle.Name:
		rows = Lifecycle.Rows
	case InferenceTable.Name:
		rows = InferenceTable.Rows
	}
	for i := range rows {
		if r := &rows[i]; r.On == mv.On && r.From == mv.From {
			return r.To == mv.To
		}
	}
	return false
}

func (w *Monitor) takeHandleMove(m *Machine, mv *Move) {
	f := w.find(mv.Handle)
	if f == nil {
		w.violate("INV-8", "handle %d moves to %s but is terminal or unknown", mv.Handle, mv.To)
		return
	}
	if mv.From != f.state {
		w.violate("INV-2", "handle %d leaves %s but was in %s", f.id, mv.From, f.state)
	}
	f.state = mv.To
	i := indexOf(m.s.Handles, f.id)
	switch mv.On {
	case OnPark:
		f.step.parked = true
	case OnYield:
		f.step.yielded, f.left = true, 0
	case OnRecalled:
		if i >= 0 && m.s.Handles[i].Rounds >= m.s.Config.Limits.MaxCognitionRounds {
			w.violate("INV-3", "handle %d begins another cognition round after %d of %d", f.id, m.s.Handles[i].Rounds, m.s.Config.Limits.MaxCognitionRounds)
		}
	case OnStart:
		if f.kind == KindSubagent {
			w.startedSub = true
		} else {
			w.started = true
		}
		if i >= 0 {
			f.input = m.s.Handles[i].Input // an event that others joined has changed meanwhile
		}
		w.checkOrder(&m.s, f)
	}
}

// checkOrder checks that no older handle could have started instead of f, but for one
// whose turn it was not.
func (w *Monitor) checkOrder(s *Snapshot, f *followed) {
	if f.kind == KindMemory || f.kind == KindSubagent {
		return
	}
	turn := false // f takes the turn of one that is older
	for i := range s.Handles {
		h := &s.Handles[i]
		if h.ID >= f.id || h.State != Queued || !h.served(s.Lifecycle) || h.Kind == KindMemory || h.Kind == KindSubagent ||
			sessionTaken(s, h) {
			continue
		}
		if s.Config.Switches.Alternate && h.Kind != f.kind && f.kind.alternates() && (turn || h.Kind.alternates()) {
			turn = true
			continue
		}
		w.violate("INV-5", "handle %d starts before handle %d, which is older", f.id, h.ID)
	}
}

func (w *Monitor) takeInferenceMove(m *Machine, mv *Move) {
	f := w.find(mv.Handle)
	if f == nil {
		w.violate("INV-8", "the inference of handle %d moves to %s but the handle is terminal or unknown", mv.Handle, mv.To)
		return
	}
	i := indexOf(m.s.Handles, mv.Handle)
	if i < 0 {
		return
	}
	inf, l := &m.s.Handles[i].Inf, &m.s.Config.Limits
	met := false
	switch mv.On {
	case OnToolsAsked:
		met = inf.Rounds > l.MaxToolRounds
	case OnResults:
		met = inf.Iterations >= l.MaxIterations || f.kind == KindSubagent && inf.Iterations >= l.SubagentIterations
	case OnToolFailed:
		met = inf.Attempt >= l.MaxToolAttempts
	case OnBackOff:
		met = inf.Waits > len(l.Backoff)
	case OnCondense:
		met = inf.Compactions > l.MaxCompactions
		f.sent = mark{}
	}
	if met {
		w.violate("INV-3", "handle %d goes on %s beyond its limits: round %d, iteration %d, attempt %d, wait %d, compaction %d",
			mv.Handle, mv.On, inf.Rounds, inf.Iterations, inf.Attempt, inf.Waits, inf.Compactions)
	}
}
