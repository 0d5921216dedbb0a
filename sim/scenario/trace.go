package scenario

import (
	"slices"

	"shelly/fsm"
	"shelly/fsm/wording"
	"shelly/sim"
	"shelly/sim/strict"
)

// Item is a pattern for events of the trace: a map of some of
//
//	tool: exec            a tool is started
//	args: {path: /var}    (tool) what it is called with
//	attempt: 2            (tool) the number of the start
//	ask: answer           the model is asked for a purpose
//	recall: text          memory is asked for a need
//	store: text           an entry is stored: a summary, or {summary, text, kind, session}
//	reply: text           a final reply: a text, or {id, text, is_error}
//	notice: deferred      a notice: a word, or {id, notice}
//	report: text          a word to the operator: a text, or {of, text}
//	message: text         a message to a chat: a text, or {channel, chat, session, text, is_error}
//	question: approve     a person is asked: a word, or {question, id, session, tool, args}
//	audit: exec           a tool call has ended: a tool, or {tool, args, result, failed, attempts, …}
//	load: session         a session is loaded
//	save: session         a session is saved
//	skill: name           a skill is loaded
//	reference: name       (skill) which of its documents
//	schedule: id          a schedule is armed
//	timer: backoff        a timer is armed for a purpose
//	after: 1s             (timer) for how long
//	exit: clean           the process is told to end
//	state: cognition      a state is entered
//	table: handle         (state) of lifecycle, handle or inference
//	input: tool_answered  a fact is told to the machine, by its kind
//	effect: set_timer     an effect, by its kind
//	handle: 2             the number of the handle concerned
//	session: name         the session of a model call, a tool, a load or a save
//	channel: name         (tool) the channel of whom it works for
//	chat: name            (tool) the chat of whom it works for
//
// Each is a matcher.
type Item struct{ Matcher }

func itemKeys() []string {
	return []string{
		"tool", "args", "attempt", "ask", "recall", "store", "reply", "notice", "report", "exit",
		"message", "question", "audit", "load", "save", "skill", "reference", "schedule", "timer", "after",
		"state", "table", "input", "effect", "handle", "session",
		"channel", "chat",
	}
}

func (v *Item) Read(d *strict.Decoder, n *strict.Node, path string) {
	if n.Kind != strict.MapKind {
		d.Add(n, path, "wants a map such as {tool: exec}, found "+n.String())
		return
	}
	v.Matcher.Read(d, n, path)
	if v.op != opMap {
		d.Add(n, path, "wants a map such as {tool: exec}")
		return
	}
	for _, m := range v.members {
		if !slices.Contains(itemKeys(), m.key) {
			d.Add(n, strict.Member(path, m.key), wording.Unknown("key", m.key, itemKeys()))
		}
	}
}

// event is one event of the trace and the step that it belongs to.
type event struct {
	step int
	value
}

// traceOf lists the events of all durable steps: each input, the transitions it
// caused, and the effects.
func traceOf(steps []sim.Step) []event {
	var events []event
	for i, s := range steps {
		events = append(events, event{i, mapValue("", with("input", textValue(fsm.InputKind(s.Input))))})
		for _, m := range s.Moves {
			v := mapValue("", with("state", textValue(string(m.To))), with("table", textValue(m.Table)))
			events = append(events, event{i, v.of(m.Handle)})
		}
		for _, e := range s.Effects {
			events = append(events, event{i, effectValue(e)})
		}
	}
	return events
}

// of adds the handle concerned.
func (v value) of(handle fsm.HandleID) value {
	if handle != 0 {
		v.members = append(v.members, with("handle", intValue(int(handle))))
	}
	return v
}

// effectValue is an effect as items see it.
func effectValue(e fsm.Effect) value {
	v := mapValue("", with("effect", textValue(fsm.EffectKind(e))))
	add := func(handle fsm.HandleID, members ...memberValue) value {
		v.members = append(v.members, members...)
		return v.of(handle)
	}
	switch e := e.(type) {
	case fsm.AskBrain:
		return add(e.Handle, with("ask", textValue(string(e.Purpose))), with("session", textValue(e.Session)))
	case fsm.RunTool:
		members := []memberValue{
			with("tool", textValue(e.Name)), with("args", argsValue(e.Args)),
			with("attempt", intValue(e.Attempt)), with("session", textValue(e.Session)),
		}
		if e.Origin != (fsm.Origin{}) {
			members = append(members, with("channel", textValue(e.Origin.Channel)), with("chat", textValue(e.Origin.Chat)))
		}
		return add(e.Handle, members...)
	case fsm.LoadSession:
		return add(e.Handle, with("load", textValue(e.Session)), with("session", textValue(e.Session)))
	case fsm.SaveSession:
		return add(e.Handle, with("save", textValue(e.Session)), with("session", textValue(e.Session)))
	case fsm.LoadSkill:
		return add(e.Handle, with("skill", textValue(e.Skill)), with("reference", textValue(e.Reference)))
	case fsm.ArmSchedule:
		return add(0, with("schedule", textValue(e.Schedule)))
	case fsm.SetTimer:
		return add(e.Handle, with("timer", textValue(string(e.Purpose))), with("after", durationValue(e.After)))
	case fsm.SendMessage:
		return add(e.Handle, with("message", messageTo(e)))
	case fsm.AskPerson:
		return add(e.Handle, with("question", askPerson(e)))
	case fsm.Audit:
		return add(e.Handle, with("audit", auditValue(e)))
	case fsm.Recall:
		return add(e.Handle, with("recall", textValue(e.Need)))
	case fsm.Store:
		return add(e.Handle, with("store", entryValue(e.Entry)))
	case fsm.Reply:
		return add(e.Handle, with("reply", mapValue("text",
			with("id", textValue(e.Request.ID)), with("text", textValue(e.Text)), with("is_error", boolValue(e.IsError)))))
	case fsm.Notify:
		return add(e.Handle, with("notice", noticeValue(sim.Delivery{Request: e.Request, Notice: e.Notice, Ahead: e.Ahead})))
	case fsm.Report:
		return add(e.Handle, with("report", reportValue(e)))
	case fsm.Exit:
		return add(0, with("exit", textValue(string(e.Code))))
	default:
		return v
	}
}

// argsValue is a call's arguments as data, or as text where they are no JSON.
func argsValue(args string) value {
	v, err := valueOfJSON(args)
	if err != nil {
		return textValue(args)
	}
	return v
}

func entryValue(e fsm.Entry) value {
	return mapValue("summary",
		with("summary", textValue(e.Summary)), with("text", textValue(e.Text)), with("kind", textValue(string(e.Kind))),
		with("session", textValue(e.Session)), with("embedded", boolValue(len(e.Vector) > 0)))
}

func reportValue(r fsm.Report) value {
	return mapValue("text", with("of", textValue(string(r.Kind))), with("text", textValue(r.Text)))
}

// first returns the index of the first event at or behind from that the item
// matches, or -1.
func (v *Item) first(events []event, from int) int {
	for i := from; i < len(events); i++ {
		if v.match(events[i].value, "") == nil {
			return i
		}
	}
	return -1
}

// never fails on the first event that matches the item, of those in steps that count.
func (j *judge) never(path string, item *Item, counts func(step int) bool) {
	for _, e := range j.events() {
		if counts(e.step) && item.match(e.value, "") == nil {
			j.failAt(item.pos, path, e.step, mismatch{want: "never " + item.String(), got: e.String()})
			return
		}
	}
}

// always fails on the first event that has the item's keys and does not match, of
// those in steps that count.
func (j *judge) always(path string, item *Item, counts func(step int) bool) {
	for _, e := range j.events() {
		if !counts(e.step) || !item.concerns(e.value) {
			continue
		}
		if wrong := item.match(e.value, path); wrong != nil {
			wrong.explain()
			j.failAt(wrong.pos, wrong.path, e.step, *wrong)
			return
		}
	}
}

// concerns reports whether an event has all of the item's keys.
func (v *Item) concerns(e value) bool {
	for _, m := range v.members {
		if e.get(m.key).kind == absentKind {
			return false
		}
	}
	return true
}
