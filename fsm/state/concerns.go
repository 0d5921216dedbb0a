package state

import "shelly/fsm"

// Concerns returns the handle that an input is about, in the state before it is applied, or
// 0 if it is about none or creates one.
func (s *Snapshot) Concerns(in fsm.Input) fsm.HandleID {
	if !fsm.Known(in.Fact) {
		return 0
	}
	return concerned.Do(s, in.Fact)
}

// concerned finds the handle that a fact of each kind is about.
var concerned = fsm.NewFactTable(
	nobody[fsm.Boot](), nobody[fsm.Configured](), nobody[fsm.ScheduleDue](), nobody[fsm.Signalled](), nobody[fsm.Revoked](), nobody[fsm.ScheduleChanged](), nobody[fsm.Typing](),
	newcomer[fsm.Requested](),
	fsm.OnFact(func(s *Snapshot, f fsm.EventRaised) fsm.HandleID {
		if i := s.JoinedBy(f); i >= 0 {
			return s.Handles[i].ID
		}
		return s.LastHandle + 1
	}),
	fsm.OnFact(func(_ *Snapshot, f fsm.Decided) fsm.HandleID { return f.Handle }),
	fsm.OnFact(func(_ *Snapshot, f fsm.Resolved) fsm.HandleID { return f.Handle }),
	fsm.OnFact(func(s *Snapshot, f fsm.CancelRequested) fsm.HandleID {
		return first(s, func(h *Handle) bool { return h.IsMeant(f) })
	}),
	fsm.OnFact(func(s *Snapshot, f fsm.TimerFired) fsm.HandleID {
		return first(s, func(h *Handle) bool { return f.Timer != 0 && (h.Timer == f.Timer || h.Wait == f.Timer) })
	}),
	fsm.OnFact(func(s *Snapshot, f fsm.BrainProgress) fsm.HandleID {
		return first(s, func(h *Handle) bool { return h.Awaits(f.Call) != "" })
	}),
	fsm.OnAnswers(func(s *Snapshot, a fsm.Answer) fsm.HandleID { // the handle that awaits it
		call := a.CallOf()
		return first(s, func(h *Handle) bool { return h.Awaits(call) != "" })
	}),
)

func nobody[F fsm.Fact]() fsm.FactRow[*Snapshot, fsm.HandleID] {
	return fsm.OnFact(func(*Snapshot, F) fsm.HandleID { return 0 })
}

func newcomer[F fsm.Fact]() fsm.FactRow[*Snapshot, fsm.HandleID] {
	return fsm.OnFact(func(s *Snapshot, _ F) fsm.HandleID { return s.LastHandle + 1 })
}

// first returns the first handle for which holds is true, or 0.
func first(s *Snapshot, holds func(*Handle) bool) fsm.HandleID {
	for i := range s.Handles {
		if holds(&s.Handles[i]) {
			return s.Handles[i].ID
		}
	}
	return 0
}
