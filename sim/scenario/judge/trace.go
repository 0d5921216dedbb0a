package judge

import (
	"shelly/fsm"
	"shelly/sim"
	"shelly/sim/scenario/data"
	"shelly/sim/scenario/format"
)

// event is one event of the trace and the step that it belongs to.
type event struct {
	step int
	data.Value
}

// traceOf lists the events of all durable steps: each input, the transitions it
// caused, and the effects.
func traceOf(steps []sim.Step) []event {
	var events []event
	for i, s := range steps {
		events = append(events, event{i, data.Map("", data.With("input", data.Text(fsm.InputKind(s.Input))))})
		for _, m := range s.Moves {
			v := data.Map("", data.With("state", data.Text(string(m.To))), data.With("table", data.Text(m.Table)))
			events = append(events, event{i, ofHandle(v, m.Handle)})
		}
		for _, e := range s.Effects {
			events = append(events, event{i, effectValue(e)})
		}
	}
	return events
}

// ofHandle adds the handle concerned.
func ofHandle(v data.Value, handle fsm.HandleID) data.Value {
	if handle != 0 {
		v.Members = append(v.Members, data.With("handle", data.Int(int(handle))))
	}
	return v
}

// effectValue is an effect as items see it.
func effectValue(e fsm.Effect) data.Value {
	v := data.Map("", data.With("effect", data.Text(fsm.EffectKind(e))))
	add := func(handle fsm.HandleID, members ...data.Member) data.Value {
		v.Members = append(v.Members, members...)
		return ofHandle(v, handle)
	}
	switch e := e.(type) {
	case fsm.AskBrain:
		return add(e.Handle, data.With("ask", data.Text(string(e.Purpose))), data.With("session", data.Text(e.Session)))
	case fsm.RunTool:
		members := []data.Member{
			data.With("tool", data.Text(e.Name)), data.With("args", data.Args(e.Args)),
			data.With("attempt", data.Int(e.Attempt)), data.With("session", data.Text(e.Session)),
		}
		if e.Origin != (fsm.Origin{}) {
			members = append(members, data.With("channel", data.Text(e.Origin.Channel)), data.With("chat", data.Text(e.Origin.Chat)))
		}
		return add(e.Handle, members...)
	case fsm.LoadSession:
		return add(e.Handle, data.With("load", data.Text(e.Session)), data.With("session", data.Text(e.Session)))
	case fsm.SaveSession:
		return add(e.Handle, data.With("save", data.Text(e.Session)), data.With("session", data.Text(e.Session)))
	case fsm.LoadSkill:
		return add(e.Handle, data.With("skill", data.Text(e.Skill)), data.With("reference", data.Text(e.Reference)))
	case fsm.ArmSchedule:
		return add(0, data.With("schedule", data.Text(e.Schedule)))
	case fsm.SetTimer:
		return add(e.Handle, data.With("timer", data.Text(string(e.Purpose))), data.With("after", data.Duration(e.After)))
	case fsm.SendMessage:
		return add(e.Handle, data.With("message", messageTo(e)))
	case fsm.AskPerson:
		return add(e.Handle, data.With("question", askPerson(e)))
	case fsm.Audit:
		return add(e.Handle, data.With("audit", auditValue(e)))
	case fsm.Recall:
		return add(e.Handle, data.With("recall", data.Text(e.Need)))
	case fsm.Store:
		return add(e.Handle, data.With("store", entryValue(e.Entry)))
	case fsm.Reply:
		return add(e.Handle, data.With("reply", data.Map("text",
			data.With("id", data.Text(e.Request.ID)), data.With("text", data.Text(e.Text)), data.With("is_error", data.Bool(e.IsError)))))
	case fsm.Notify:
		return add(e.Handle, data.With("notice", noticeValue(sim.Delivery{Request: e.Request, Notice: e.Notice, Ahead: e.Ahead})))
	case fsm.Report:
		return add(e.Handle, data.With("report", reportValue(e)))
	case fsm.Exit:
		return add(0, data.With("exit", data.Text(string(e.Code))))
	default:
		return v
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

// first returns the index of the first event at or after from that the item
// matches, or -1.
func first(item *format.Item, events []event, from int) int {
	for i := from; i < len(events); i++ {
		if item.Match(events[i].Value, "") == nil {
			return i
		}
	}
	return -1
}
