package sim

import "shelly/fsm"

// action is something the explored world may do.
type action struct {
	name  string
	input fsm.Input
}

// answers returns every answer of the abstract world to the calls in flight: for
// each kind of call, one of each outcome that the machine tells apart.
func (x *explorer) answers(s *fsm.Snapshot) []action {
	var list []action
	for i := range s.Handles {
		h := &s.Handles[i]
		call := h.Await.Call
		switch h.Await.Kind {
		case fsm.CallBrain:
			list = append(list, brainAnswers(call, h.Inf)...)
		case fsm.CallTool:
			list = append(list,
				action{"tool answers", fsm.ToolAnswered{Call: call, Text: "ok"}},
				action{"tool fails", fsm.ToolAnswered{Call: call, Text: "no", Failed: true}})
		case fsm.CallStop:
			list = append(list,
				action{"tool stops", fsm.ToolStopped{Call: call}},
				action{"tool answers late", fsm.ToolAnswered{Call: call, Text: "ok"}})
		case fsm.CallRecall:
			list = append(list,
				action{"recall finds", fsm.Recalled{Call: call, Entries: []fsm.Memory{{ID: "m", Summary: "fact"}}}},
				action{"recall finds nothing", fsm.Recalled{Call: call}},
				action{"recall fails", fsm.Recalled{Call: call, Error: "broken"}})
		case fsm.CallEmbed:
			list = append(list,
				action{"embedded", fsm.Embedded{Call: call, Vector: []byte{0, 0, 128, 63}, Model: "e"}},
				action{"embedding fails", fsm.Embedded{Call: call, Error: "broken"}})
		case fsm.CallStore:
			list = append(list,
				action{"stored", fsm.Stored{Call: call}},
				action{"store fails", fsm.Stored{Call: call, Error: "broken"}})
		}
	}
	return list
}

// brainAnswers is the model's part. An initial inference and a farewell need
// nothing from memory, and a farewell calls no tool: with all that a request may
// do, every state of a parked request would be combined with every state of
// theirs.
func brainAnswers(call fsm.CallID, inf fsm.Inference) []action {
	list := []action{
		{"model answers", fsm.BrainAnswered{Call: call, Stop: fsm.StopEndTurn, Text: "done"}},
		{"model is cut", fsm.BrainAnswered{Call: call, Stop: fsm.StopMaxTokens, Text: "do"}},
		{"model fails", fsm.BrainFailed{Call: call, Class: fsm.BrainError, Reason: "broken"}},
	}
	if inf.Tools != fsm.NoTools && inf.Purpose != fsm.PurposeFarewell {
		list = append(list,
			action{"model calls", fsm.BrainAnswered{Call: call, Stop: fsm.StopToolUse, Calls: []fsm.ToolCall{{Name: "tool", Args: "{}"}}}},
			action{"model calls two", fsm.BrainAnswered{Call: call, Stop: fsm.StopToolUse, Calls: []fsm.ToolCall{
				{Name: "tool", Args: "{}"}, {Name: "nothing", Args: "{}"},
			}}})
	}
	if inf.Purpose == fsm.PurposeAnswer {
		list = append(list,
			action{"model needs", fsm.BrainAnswered{Call: call, Stop: fsm.StopEndTurn, Text: fsm.NeedMarker + " fact"}})
	}
	return list
}

// timers returns the armed timers.
func timers(s *fsm.Snapshot) []fsm.TimerID {
	var list []fsm.TimerID
	if s.GraceTimer != 0 {
		list = append(list, s.GraceTimer)
	}
	for i := range s.Handles {
		if s.Handles[i].Timer != 0 {
			list = append(list, s.Handles[i].Timer)
		}
	}
	return list
}
