package judge

import (
	"shelly/fsm"
	"shelly/fsm/reading"
	"shelly/fsm/state"
	"shelly/sim"
	"shelly/sim/scenario/data"
)

// traceOf lists the events of all durable steps: each input, the calls of an answer of the model to
// what it was asked, the transitions it caused, and the effects.
func traceOf(steps []sim.Step, asked map[fsm.CallID]*sim.Asked) []event {
	n := len(steps)
	for i := range steps {
		n += len(steps[i].Moves) + len(steps[i].Effects)
	}
	events := make([]event, 0, n)
	for i := range steps {
		s := &steps[i]
		events = append(events, event{i, data.Map("", data.With("input", data.Text(fsm.InputKind(s.Input))))})
		if in, ok := s.Input.Fact.(fsm.BrainAnswered); ok && asked[in.Call] != nil {
			for _, v := range calledValues(asked[in.Call], in) {
				events = append(events, event{i, v})
			}
		}
		for _, m := range s.Moves {
			events = append(events, event{i, moveValue(m)})
		}
		for _, e := range s.Effects {
			events = append(events, event{i, effectValue(e)})
		}
	}
	return events
}

// calledValues are the tools that an answer asks for, as items see them: those that the model's server
// tells, or those that the text is understood to call.
func calledValues(a *sim.Asked, in fsm.BrainAnswered) []data.Value {
	calls := in.Calls
	if len(calls) == 0 {
		calls = reading.Understand(a.Config, a.Ask.Tools, a.Ask.Conversation, in, 0).Calls
	}
	var list []data.Value
	for _, c := range calls {
		_, declared := a.Config.Meant(a.Ask.Tools, c.Name)
		list = append(list, ofHandle(a.Ask.Handle, data.With("call", data.Map("tool",
			data.With("tool", data.Text(c.Name)), data.With("args", data.Args(c.Args)), data.With("declared", data.Bool(declared)))),
			data.With("session", data.Text(a.Ask.Session))))
	}
	return list
}

// ofHandle is a map of members, and of the handle concerned where there is one.
func ofHandle(handle fsm.HandleID, members ...data.Member) data.Value {
	all := append(make([]data.Member, 0, len(members)+1), members...) // a copy: the list of the caller stays off the heap
	if handle != 0 {
		all = append(all, data.With("handle", data.Int(int(handle))))
	}
	return data.Map("", all...)
}

func moveValue(m state.Move) data.Value {
	return ofHandle(m.Handle, data.With("state", data.Text(string(m.To))), data.With("table", data.Text(m.Table)))
}

// effectValue is an effect as items see it.
func effectValue(e fsm.Effect) data.Value {
	kind := data.With("effect", data.Text(fsm.EffectKind(e)))
	switch e := e.(type) {
	case fsm.AskBrain:
		return ofHandle(e.Handle, kind, data.With("ask", data.Text(string(e.Purpose))), data.With("session", data.Text(e.Session)))
	case fsm.RunTool:
		members := []data.Member{
			kind,
			data.With("tool", data.Text(e.Name)), data.With("args", data.Args(e.Args)),
			data.With("attempt", data.Int(e.Attempt)), data.With("session", data.Text(e.Session)),
		}
		if e.Origin != (fsm.Origin{}) {
			members = append(members, data.With("channel", data.Text(e.Origin.Channel)), data.With("chat", data.Text(e.Origin.Chat)))
		}
		return ofHandle(e.Handle, members...)
	case fsm.LoadSession:
		return ofHandle(e.Handle, kind, data.With("load", data.Text(e.Session)), data.With("session", data.Text(e.Session)))
	case fsm.SaveSession:
		return ofHandle(e.Handle, kind, data.With("save", data.Text(e.Session)), data.With("session", data.Text(e.Session)))
	case fsm.LoadSkill:
		return ofHandle(e.Handle, kind, data.With("skill", data.Text(e.Skill)), data.With("reference", data.Text(e.Reference)))
	case fsm.ArmSchedule:
		return ofHandle(0, kind, data.With("schedule", data.Text(e.Schedule)))
	case fsm.SetTimer:
		return ofHandle(e.Handle, kind, data.With("timer", data.Text(string(e.Purpose))), data.With("after", data.Duration(e.After)))
	case fsm.SendMessage:
		return ofHandle(e.Handle, kind, data.With("message", messageTo(e)))
	case fsm.AskPerson:
		return ofHandle(e.Handle, kind, data.With("question", askPerson(e)))
	case fsm.Audit:
		return ofHandle(e.Handle, kind, data.With("audit", auditValue(e)))
	case fsm.Recall:
		return ofHandle(e.Handle, kind, data.With("recall", data.Text(e.Need)))
	case fsm.Store:
		return ofHandle(e.Handle, kind, data.With("store", entryValue(e.Entry)))
	case fsm.Reply:
		return ofHandle(e.Handle, kind, data.With("reply", data.Map("text",
			data.With("id", data.Text(e.Request.ID)), data.With("text", data.Text(e.Text)), data.With("is_error", data.Bool(e.IsError)))))
	case fsm.Notify:
		return ofHandle(e.Handle, kind, data.With("notice", noticeValue(sim.Delivery{Request: e.Request, Notice: e.Notice, Ahead: e.Ahead})))
	case fsm.Report:
		return ofHandle(e.Handle, kind, data.With("report", reportValue(e)))
	case fsm.Exit:
		return ofHandle(0, kind, data.With("exit", data.Text(string(e.Code))))
	default:
		return ofHandle(0, kind)
	}
}

func entryValue(e fsm.Entry) data.Value {
	return data.Map("summary",
		data.With("summary", data.Text(e.Summary)), data.With("text", data.Text(e.Text)), data.With("kind", data.Text(string(e.Kind))),
		data.With("session", data.Text(e.Session)), data.With("embedded", data.Bool(len(e.Vector) > 0)))
}

func reportValue(r fsm.Report) data.Value {
	return data.Map("text", data.With("of", data.Text(string(r.Kind))), data.With("text", data.Text(r.Text)))
}
