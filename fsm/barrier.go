package fsm

// Barrier reports whether the last step, of an input with these effects, must be
// durable, with all that came before, before any of the effects is performed (JRN-4):
// the world can see that a request was accepted, that an unsafe tool has started, that
// a reply was given, and that the epoch began or ended; and what an unsafe tool has
// answered cannot be had again. What lies between two barriers may be lost in a crash
// and is then done again.
func (m *Machine) Barrier(in Input, effects []Effect) bool {
	if m.unsafe {
		return true
	}
	switch in.Fact.(type) {
	case Boot, Configured, Requested, CancelRequested, Decided, Resolved, Signalled:
		return true
	case EventRaised, ScheduleDue:
		if len(effects) > 0 { // otherwise it joined one that waits, or its slot was taken
			return true
		}
	}
	for _, e := range effects {
		switch e := e.(type) {
		case Reply:
			if canary != CanaryUnsyncedReply {
				return true
			}
		case SendMessage, ArmSchedule, DisarmSchedule, AskPerson, Exit:
			return true
		case Notify:
			if e.Notice != NoticeQueued {
				return true
			}
		case RunTool:
			if !e.Effects.Repeatable() && canary != CanaryUnsyncedTool {
				return true
			}
		}
	}
	return false
}
