package scenario

import (
	"slices"
	"strconv"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/sim"
)

func replyValue(q engine.Request) value {
	return mapValue("text",
		with("id", textValue(q.Key.ID)), with("session", textValue(q.Session)),
		with("text", textValue(q.Reply)), with("is_error", boolValue(q.IsError)),
		with("outcome", textValue(string(q.Outcome))))
}

// timedReply is a reply with how long it took, whatever the wall clock did meanwhile.
func (j *judge) timedReply(q engine.Request) value {
	from, to := fsm.Millis(-1), fsm.Millis(-1)
	for _, s := range j.result.Steps {
		if in, ok := s.Input.Fact.(fsm.Requested); ok && in.Request == q.Key && from < 0 {
			from = s.At
		}
		if slices.ContainsFunc(s.Effects, func(e fsm.Effect) bool { reply, ok := e.(fsm.Reply); return ok && reply.Request == q.Key }) && to < 0 {
			to = s.At
		}
	}
	v := replyValue(q)
	v.members = append(v.members, with("after", durationValue(to-from)))
	return v
}

// sessionsValue is the store of sessions by name.
func sessionsValue(saved []sim.Saved) value {
	v := mapValue("")
	for _, s := range saved {
		v.members = append(v.members, with(s.Name, mapValue("",
			with("version", intValue(int(s.State.Version))),
			with("history", listValue(s.State.History, messageValue)),
			with("pending", listValue(s.State.Pending, messageValue)),
			with("skills", listValue(s.State.Skills, func(l fsm.LoadedSkill) value {
				return mapValue("name", with("name", textValue(l.Name)), with("reference", textValue(l.Reference)), with("text", textValue(l.Text)))
			})),
			with("archive", listValue(s.Archive, messageValue)),
			with("ratio", intValue(s.State.Ratio)))))
	}
	return v
}

// sentValue is a message to a chat.
func sentValue(m sim.Message) value { return messageTo(m.SendMessage) }

func messageTo(e fsm.SendMessage) value {
	return mapValue("text",
		with("channel", textValue(e.To.Channel)), with("chat", textValue(e.To.Chat)), with("session", textValue(e.Session)),
		with("text", textValue(e.Text)), with("is_error", boolValue(e.IsError)))
}

func questionValue(q sim.Question) value { return askPerson(q.AskPerson) }

func askPerson(e fsm.AskPerson) value {
	v := []memberValue{
		with("question", textValue(string(e.Question))), with("id", textValue(e.Request.ID)), with("session", textValue(e.Session)),
	}
	if e.Tool != "" {
		v = append(v, with("tool", textValue(e.Tool)), with("args", argsValue(e.Args)))
	}
	return mapValue("question", v...)
}

func auditValue(e fsm.Audit) value {
	return mapValue("tool",
		with("tool", textValue(e.Tool)), with("args", argsValue(e.Args)), with("session", textValue(e.Session)),
		with("message", textValue(e.Message)), with("result", textValue(e.Result)), with("failed", boolValue(e.Failed)),
		with("attempts", intValue(e.Attempts)), with("duration", durationValue(e.Duration)))
}

// chunkValue is a piece of a streamed answer. A piece of thinking has no text.
func (j *judge) chunkValue(c sim.Chunk) value {
	v := []memberValue{
		with("id", textValue(c.Request.ID)), with("session", textValue(c.Session)), with("purpose", textValue(string(c.Purpose))),
	}
	if c.Thinking != "" {
		v = append(v, with("thinking", textValue(c.Thinking)))
	} else {
		v = append(v, with("text", textValue(c.Text)))
	}
	return mapValue("text", append(v, with("at", textValue((c.At-fsm.Millis(j.file.start())).String())))...)
}

// noticeValue is a notice, or a reply that was given again.
func noticeValue(n sim.Delivery) value {
	main := "notice"
	v := []memberValue{with("id", textValue(n.Request.ID))}
	if n.Notice != "" {
		v = append(v, with("notice", textValue(string(n.Notice))))
		if n.Notice == fsm.NoticeQueued {
			v = append(v, with("ahead", intValue(n.Ahead)))
		}
	} else {
		main = "text"
		v = append(v, with("text", textValue(n.Text)))
	}
	return mapValue(main, v...)
}

func statesValue(path []fsm.State) value {
	return listValue(path, func(s fsm.State) value { return textValue(string(s)) })
}

// askedValue is a model call.
func askedValue(a sim.Asked) value {
	messages := a.Ask.Messages()
	v := []memberValue{
		with("purpose", textValue(string(a.Ask.Purpose))),
		with("session", textValue(a.Ask.Session)),
		with("messages", listValue(messages, messageValue)),
		with("count", intValue(len(messages))),
	}
	for _, m := range messages {
		if m.Role == fsm.RoleSystem {
			v = append(v, with("system", textValue(m.Text)))
			break
		}
	}
	if n := len(messages); n > 0 {
		v = append(v, with("last", messageValue(messages[n-1])))
	}
	v = append(v,
		with("tools", listValue(a.Config.Offered(a.Ask.Tools), func(t fsm.ToolDecl) value { return textValue(t.Name) })),
		with("options", optionsValue(a.Ask.Options)))
	if a.Ask.Tokens > 0 {
		v = append(v, with("tokens", intValue(a.Ask.Tokens)))
	}
	return mapValue("purpose", v...)
}

// optionsValue are the options that are given, the temperature as a decimal.
func optionsValue(o fsm.Options) value {
	var v []memberValue
	if o.Temperature != 0 {
		number := strconv.FormatFloat(float64(max(o.Temperature, 0))/1000, 'f', -1, 64)
		v = append(v, with("temperature", value{kind: numberKind, text: number}))
	}
	if o.MaxTokens != 0 {
		v = append(v, with("max_tokens", intValue(o.MaxTokens)))
	}
	return mapValue("", v...)
}

func messageValue(m fsm.Message) value {
	v := []memberValue{with("role", textValue(string(m.Role))), with("text", textValue(m.Text))}
	if m.Thinking != "" {
		v = append(v, with("thinking", textValue(m.Thinking)))
	}
	if len(m.Calls) > 0 {
		v = append(v, with("calls", listValue(m.Calls, func(c fsm.ToolCall) value {
			return mapValue("tool", with("tool", textValue(c.Name)), with("args", argsValue(c.Args)))
		})))
	}
	if m.Tool != "" {
		v = append(v, with("tool", textValue(m.Tool)))
	}
	if m.ToolCall != "" {
		v = append(v, with("id", textValue(m.ToolCall)))
	}
	if len(m.Images) > 0 {
		v = append(v, with("images", listValue(m.Images, func(b []byte) value { return textValue(string(b)) })))
	}
	if len(m.Used) > 0 {
		v = append(v, with("used", listValue(m.Used, textValue)))
	}
	return mapValue("text", v...)
}
