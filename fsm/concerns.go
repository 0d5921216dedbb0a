package fsm

// Concerns returns the handle that an input is about, as the machine stands before
// it is applied, or 0 where it is about none or makes its own.
func (m *Machine) Concerns(in Input) HandleID {
	switch in := in.Fact.(type) {
	case Decided:
		return in.Handle
	case Resolved:
		return in.Handle
	case TimerFired:
		for i := range m.s.Handles {
			if h := &m.s.Handles[i]; in.Timer != 0 && (h.Timer == in.Timer || h.Wait == in.Timer) {
				return h.ID
			}
		}
		return 0
	case CancelRequested:
		for i := range m.s.Handles {
			if h := &m.s.Handles[i]; h.Kind == KindUser && h.Request == in.Request {
				return h.ID
			}
		}
		return 0
	case Requested, EventRaised:
		return m.s.LastHandle + 1
	}
	call := Answers(in)
	for i := range m.s.Handles {
		if m.s.Handles[i].Await.Call == call && call != 0 {
			return m.s.Handles[i].ID
		}
	}
	return 0
}

// Answers returns the call that an input answers, or 0.
func Answers(in Input) CallID {
	switch in := in.Fact.(type) {
	case BrainAnswered:
		return in.Call
	case BrainFailed:
		return in.Call
	case ToolAnswered:
		return in.Call
	case ToolStopped:
		return in.Call
	case Recalled:
		return in.Call
	case Embedded:
		return in.Call
	case Stored:
		return in.Call
	case SessionLoaded:
		return in.Call
	case SessionSaved:
		return in.Call
	case SkillLoaded:
		return in.Call
	default:
		return 0
	}
}

// HandleOf returns the handle that an effect is for, or 0 where it is for none or names
// only a call or a timer.
func HandleOf(e Effect) HandleID {
	switch e := e.(type) {
	case AskBrain:
		return e.Handle
	case RunTool:
		return e.Handle
	case Recall:
		return e.Handle
	case Embed:
		return e.Handle
	case Store:
		return e.Handle
	case LoadSession:
		return e.Handle
	case SaveSession:
		return e.Handle
	case LoadSkill:
		return e.Handle
	case SendMessage:
		return e.Handle
	case AskPerson:
		return e.Handle
	case Audit:
		return e.Handle
	case SetTimer:
		return e.Handle
	case Reply:
		return e.Handle
	case Notify:
		return e.Handle
	case Report:
		return e.Handle
	default: // AbortCall, ClearTimer, ArmSchedule, DisarmSchedule, Exit
		return 0
	}
}

// CallOf returns the call that an effect asks for, or 0. What answers it is found by
// [Answers].
func CallOf(e Effect) CallID {
	switch e := e.(type) {
	case AskBrain:
		return e.Call
	case RunTool:
		return e.Call
	case Recall:
		return e.Call
	case Embed:
		return e.Call
	case Store:
		return e.Call
	case LoadSession:
		return e.Call
	case SaveSession:
		return e.Call
	case LoadSkill:
		return e.Call
	default:
		return 0
	}
}
