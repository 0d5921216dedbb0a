package state

import "shelly/fsm"

// Waiting returns how many handles hold a place in the queue: those of a request or an
// event that have not started, are parked, or wait for a person.
func (s *Snapshot) Waiting() int {
	n := 0
	for i := range s.Handles {
		if h := &s.Handles[i]; h.Waiting() && h.Kind != fsm.KindMemory && h.Kind != fsm.KindSubagent && !h.Beside {
			n++
		}
	}
	return n
}

// AboutOf returns what an event must be about to join another.
func AboutOf(e fsm.EventRaised) string { return e.Source + "\x00" + e.Event + "\x00" + e.Subject }

// JoinedBy returns the index of the handle that an event joins, because it waits and is about the
// same (HND-38), or -1.
func (s *Snapshot) JoinedBy(e fsm.EventRaised) int {
	if !s.Config.Switches.Coalesce {
		return -1
	}
	about := AboutOf(e)
	for i := range s.Handles {
		if h := &s.Handles[i]; h.Kind == fsm.KindEvent && h.State == Queued && h.Resume == "" && h.About == about {
			return i
		}
	}
	return -1
}

// AnyoneWaits reports whether a handle other than a memory handle is queued.
func (s *Snapshot) AnyoneWaits() bool {
	for i := range s.Handles {
		if h := &s.Handles[i]; h.State == Queued && h.Kind != fsm.KindMemory && !h.Beside {
			return true
		}
	}
	return false
}

// Occupied reports whether a handle other than a memory handle, and than an initial inference beside
// others, is queued or runs.
func (s *Snapshot) Occupied() bool {
	for i := range s.Handles {
		h := &s.Handles[i]
		if (h.State == Queued || !h.Waiting()) && h.Kind != fsm.KindMemory && !h.Beside {
			return true
		}
	}
	return false
}

// ReadingWaits returns the index of the memory handle that is queued to read ahead, or -1. The others
// give way to it.
func (s *Snapshot) ReadingWaits() int {
	for i := range s.Handles {
		if h := &s.Handles[i]; h.Ahead && h.State == Queued {
			return i
		}
	}
	return -1
}

// Crowded reports whether so many memory handles wait that they take their turn like any
// other.
func (s *Snapshot) Crowded() bool { return s.Count(fsm.KindMemory) >= s.Config.Limits.MaxQueue }

// Active returns the index of the first handle that runs, or -1.
func (s *Snapshot) Active() int {
	for i := range s.Handles {
		if !s.Handles[i].Waiting() {
			return i
		}
	}
	return -1
}

// IndexOf returns the index of a handle, or -1.
func (s *Snapshot) IndexOf(id fsm.HandleID) int {
	for i := range s.Handles {
		if s.Handles[i].ID == id {
			return i
		}
	}
	return -1
}

// Count returns how many unfinished handles of a kind there are.
func (s *Snapshot) Count(kind fsm.Kind) int {
	n := 0
	for i := range s.Handles {
		if s.Handles[i].Kind == kind {
			n++
		}
	}
	return n
}

// Idle reports whether no handle runs or is to run: those there are wait for a person, or for the model.
func (s *Snapshot) Idle() bool {
	for i := range s.Handles {
		if h := &s.Handles[i]; !h.Suspended() && h.State != Parked {
			return false
		}
	}
	return true
}
