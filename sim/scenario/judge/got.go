package judge

import (
	"strconv"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/sim"
	"shelly/sim/disk"
	"shelly/sim/scenario/data"
)

func replyValue(q engine.Request) data.Value {
	session, _ := fsm.Belongs(q.Session, q.Origin) // a request may name none (SES-1)
	return data.Map("text",
		data.With("id", data.Text(q.Key.ID)), data.With("session", data.Text(session)),
		data.With("text", data.Text(q.Reply)), data.With("is_error", data.Bool(q.IsError)),
		data.With("outcome", data.Text(string(q.Outcome))))
}

// timings are how long each request took, and what it has cost.
type timings struct {
	spans map[fsm.RequestKey]sim.Span
	first map[fsm.HandleID]fsm.Millis
	costs map[fsm.HandleID]cost
}

func timingsOf(r *sim.Result) *timings { return &timings{r.Spans(), r.FirstWords(), costs(r.Asked)} }

// reply is a reply with how long it took, whatever the wall clock did meanwhile.
func (t *timings) reply(q engine.Request) data.Value {
	span, v := t.spans[q.Key], replyValue(q)
	v.Members = append(v.Members, data.With("after", data.Duration(span.Told-span.Accepted)))
	v.Members = append(v.Members, t.servedReply(q, span.Accepted)...)
	return v
}

// sessionsValue is the store of sessions by name.
func sessionsValue(saved []disk.Saved) data.Value {
	v := data.Map("")
	for _, s := range saved {
		v.Members = append(v.Members, data.With(s.Name, data.Map("",
			data.With("version", data.Int(int(s.State.Version))),
			data.With("history", data.List(s.State.History, messageValue)),
			data.With("pending", data.List(s.State.Pending, messageValue)),
			data.With("skills", data.List(s.State.Skills, func(l fsm.LoadedSkill) data.Value {
				return data.Map("name", data.With("name", data.Text(l.Name)), data.With("reference", data.Text(l.Reference)), data.With("text", data.Text(l.Text)))
			})),
			data.With("archive", data.List(s.Archive, messageValue)),
			data.With("ratio", data.Int(s.State.Ratio)))))
	}
	return v
}

// sentValue is a message to a chat.
func sentValue(m sim.Message) data.Value { return messageTo(m.SendMessage) }

func messageTo(e fsm.SendMessage) data.Value {
	return data.Map("text",
		data.With("channel", data.Text(e.To.Channel)), data.With("chat", data.Text(e.To.Chat)), data.With("session", data.Text(e.Session)),
		data.With("text", data.Text(e.Text)), data.With("is_error", data.Bool(e.IsError)))
}

func questionValue(q sim.Question) data.Value { return askPerson(q.AskPerson) }

func askPerson(e fsm.AskPerson) data.Value {
	v := []data.Member{
		data.With("question", data.Text(string(e.Question))), data.With("id", data.Text(e.Request.ID)), data.With("session", data.Text(e.Session)),
	}
	if e.Tool != "" {
		v = append(v, data.With("tool", data.Text(e.Tool)), data.With("args", data.Args(e.Args)))
	}
	return data.Map("question", v...)
}

func auditValue(e fsm.Audit) data.Value {
	return data.Map("tool",
		data.With("tool", data.Text(e.Tool)), data.With("args", data.Args(e.Args)), data.With("session", data.Text(e.Session)),
		data.With("message", data.Text(e.Message)), data.With("result", data.Text(e.Result)), data.With("failed", data.Bool(e.Failed)),
		data.With("attempts", data.Int(e.Attempts)), data.With("duration", data.Duration(e.Duration)))
}

// chunkValue is a piece of a streamed answer. A piece of thinking has no text.
func (j *judgement) chunkValue(c sim.Chunk) data.Value {
	v := []data.Member{
		data.With("id", data.Text(c.Request.ID)), data.With("session", data.Text(c.Session)), data.With("purpose", data.Text(string(c.Purpose))),
	}
	if c.Thinking != "" {
		v = append(v, data.With("thinking", data.Text(c.Thinking)))
	} else {
		v = append(v, data.With("text", data.Text(c.Text)))
	}
	return data.Map("text", append(v, data.With("at", data.Duration(c.At-fsm.Millis(j.file.Start()))))...)
}

// noticeValue is a notice, or a reply that was given again.
func noticeValue(n sim.Delivery) data.Value {
	main := "notice"
	v := []data.Member{data.With("id", data.Text(n.Request.ID))}
	if n.Notice != "" {
		v = append(v, data.With("notice", data.Text(string(n.Notice))))
		if n.Notice == fsm.NoticeQueued {
			v = append(v, data.With("ahead", data.Int(n.Ahead)))
		}
	} else {
		main = "text"
		v = append(v, data.With("text", data.Text(n.Text)))
	}
	return data.Map(main, v...)
}

func statesValue(path []fsm.State) data.Value {
	return data.List(path, func(s fsm.State) data.Value { return data.Text(string(s)) })
}

// askedValue is a model call.
func askedValue(a sim.Asked) data.Value {
	messages := a.Ask.Messages()
	v := []data.Member{
		data.With("purpose", data.Text(string(a.Ask.Purpose))),
		data.With("session", data.Text(a.Ask.Session)),
		data.With("messages", data.List(messages, messageValue)),
		data.With("count", data.Int(len(messages))),
	}
	for _, m := range []data.Member{data.With("system", systemValue(messages)), data.With("last", lastValue(messages))} {
		if m.Value.Kind != data.AbsentKind {
			v = append(v, m)
		}
	}
	v = append(v, data.With("tools", toolsValue(a)), data.With("options", optionsValue(a.Ask.Options)))
	if tokens := sentTokens(a); tokens.Kind != data.AbsentKind {
		v = append(v, data.With("tokens", tokens))
	}
	return data.Map("purpose", append(v, servedMembers(a.Served)...)...)
}

// systemValue is the first system prompt of a call, or the absent value.
func systemValue(messages []fsm.Message) data.Value {
	for i := range messages {
		if m := &messages[i]; m.Role == fsm.RoleSystem {
			return data.Text(m.Text)
		}
	}
	return data.Value{}
}

// lastValue is the last message of a call, or the absent value.
func lastValue(messages []fsm.Message) data.Value {
	if n := len(messages); n > 0 {
		return messageValue(messages[n-1])
	}
	return data.Value{}
}

// toolsValue are the names of the tools that a call offers.
func toolsValue(a sim.Asked) data.Value {
	return data.List(a.Config.Shown(&a.Ask), func(t fsm.ToolDecl) data.Value { return data.Text(t.Name) })
}

// sentTokens is how many tokens a call was taken for, or the absent value.
func sentTokens(a sim.Asked) data.Value {
	if a.Ask.Tokens > 0 {
		return data.Int(a.Ask.Tokens)
	}
	return data.Value{}
}

func refusalValue(f sim.Refusal) data.Value {
	return data.Map("error", data.With("id", data.Text(f.Request.ID)), data.With("error", data.Text(f.Err.Error())))
}

// exitValue is how the process ended last, or the absent value.
func exitValue(exits []fsm.ExitCode) data.Value {
	if n := len(exits); n > 0 {
		return data.Text(string(exits[n-1]))
	}
	return data.Value{}
}

// optionsValue are the options that are given, the temperature as a decimal.
func optionsValue(o fsm.Options) data.Value {
	var v []data.Member
	if o.Temperature != 0 {
		number := strconv.FormatFloat(float64(max(o.Temperature, 0))/1000, 'f', -1, 64)
		v = append(v, data.With("temperature", data.Value{Kind: data.NumberKind, Text: number}))
	}
	if o.MaxTokens != 0 {
		v = append(v, data.With("max_tokens", data.Int(o.MaxTokens)))
	}
	return data.Map("", v...)
}

func messageValue(m fsm.Message) data.Value {
	v := []data.Member{data.With("role", data.Text(string(m.Role))), data.With("text", data.Text(m.Text))}
	return data.Map("text", append(v, brief(data.Map("",
		data.With("thinking", data.Text(m.Thinking)),
		data.With("calls", data.List(m.Calls, func(c fsm.ToolCall) data.Value {
			return data.Map("tool", data.With("tool", data.Text(c.Name)), data.With("args", data.Args(c.Args)))
		})),
		data.With("tool", data.Text(m.Tool)),
		data.With("id", data.Text(m.ToolCall)),
		data.With("images", data.List(m.Images, func(b []byte) data.Value { return data.Text(string(b)) })),
		data.With("used", data.List(m.Used, data.Text)),
		data.With("source", data.List(m.Source.Names(), data.Text)),
	)).Members...)...)
}

// worldValue is the outside world by name.
func worldValue(things []sim.Thing) data.Value {
	v := data.Map("")
	for _, t := range things {
		is, err := data.OfJSON(t.Data)
		if err != nil {
			is = data.Text(t.Data) // all of it was read as data once
		}
		v.Members = append(v.Members, data.With(t.Name, is))
	}
	return v
}
