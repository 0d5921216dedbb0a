package scenario

import (
	"strings"

	"shelly/fsm"
	"shelly/sim"
)

// goldenText is what the case did, in the order of [aspects], whatever that of the
// file.
func (j *judge) goldenText(asked []string) string {
	v := mapValue("")
	for _, a := range aspects() {
		for _, name := range asked {
			if name == a.name {
				v.members = append(v.members, with(a.name, a.of(j)))
			}
		}
	}
	return goldenHeader + yamlText(v)
}

// aspect is a part of what a case did.
type aspect struct {
	name string
	of   func(*judge) value
}

// aspects lists the parts of what a case did that a golden can hold; the names are
// those of [Expect]'s field.
func aspects() []aspect {
	return []aspect{
		{"replies", func(j *judge) value { return briefs(j.result.Replies(), replyValue) }},
		{"notices", func(j *judge) value { return briefs(j.result.Notices, noticeValue) }},
		{"messages", func(j *judge) value { return briefs(j.result.Messages, sentValue) }},
		{"questions", func(j *judge) value { return briefs(j.result.Questions, questionValue) }},
		{"audit", func(j *judge) value { return briefs(j.result.Audits, auditValue) }},
		{"reports", func(j *judge) value { return briefs(j.result.Reports, reportValue) }},
		{"asked", (*judge).goldenAsked},
		{"paths", (*judge).goldenPaths},
		{"trace", (*judge).goldenTrace},
		{"memory", func(j *judge) value { return briefs(j.result.Memory[len(j.file.Memory):], entryValue) }},
		{"sessions", (*judge).goldenSessions},
		{"memory_file", func(j *judge) value { return textValue(j.result.MemoryFile) }},
		{"history_file", func(j *judge) value { return listValue(j.result.History, textValue) }},
		{"world", func(j *judge) value { return worldValue(j.result.World) }},
	}
}

// briefs makes a list of what each of items is, briefly.
func briefs[T any](items []T, each func(T) value) value {
	return listValue(items, func(item T) value { return brief(each(item)) })
}

// brief leaves out the members of a map that are empty or false.
func brief(v value) value {
	full := v.members
	v.members = nil
	for _, m := range full {
		is := m.value
		empty := is.kind == absentKind || is.kind == textKind && is.text == "" || is.kind == boolKind && is.text == "false" ||
			is.kind == listKind && len(is.list) == 0 || is.kind == mapKind && len(is.members) == 0
		if !empty {
			v.members = append(v.members, m)
		}
	}
	return v
}

// goldenAsked is what the model was sent. What a call shares with the one before it in
// its session, the system prompt and the first messages behind it, is only named:
// prompts are long, and a turn repeats them for each round.
func (j *judge) goldenAsked() value {
	calls := value{kind: listKind}
	for i, a := range j.result.Asked {
		all := askedValue(a)
		system, messages := prompt(a)
		like := mapValue("")
		if before := j.askedBefore(i); before >= 0 {
			hers, first := prompt(j.result.Asked[before])
			same := system.kind == textKind && system.equal(hers)
			shared := sharedValues(first, messages)
			if messages = messages[shared:]; same {
				system = value{}
			}
			if same || shared > 0 {
				like = brief(mapValue("", with("call", intValue(before+1)), with("system", boolValue(same)), with("messages", intValue(shared))))
			}
		}
		calls.list = append(calls.list, brief(mapValue("", with("call", intValue(i+1)),
			with("purpose", all.get("purpose")), with("session", all.get("session")), with("tools", all.get("tools")),
			with("options", all.get("options")), with("tokens", all.get("tokens")),
			with("like", like), with("system", system), with("messages", listValue(messages, brief)))))
	}
	return calls
}

// askedBefore returns the call before the n-th in its session, or -1.
func (j *judge) askedBefore(n int) int {
	session := j.result.Asked[n].Ask.Session
	for n--; n >= 0 && j.result.Asked[n].Ask.Session != session; n-- {
	}
	return n
}

// prompt returns the system prompt of a call, or the absent value, and the messages
// behind it.
func prompt(a sim.Asked) (system value, messages []value) {
	messages = askedValue(a).get("messages").list
	if len(messages) > 0 && messages[0].get("role").text == string(fsm.RoleSystem) {
		return messages[0].get("text"), messages[1:]
	}
	return value{}, messages
}

// sharedValues counts the values with which both begin.
func sharedValues(a, b []value) int {
	n := 0
	for n < min(len(a), len(b)) && a[n].equal(b[n]) {
		n++
	}
	return n
}

// goldenPaths are the ways of the lifecycle, of all handles and their inferences.
func (j *judge) goldenPaths() value {
	handles := listValue(j.seen(), func(h handleSeen) value {
		return brief(mapValue("", with("kind", textValue(string(h.kind))), with("id", textValue(h.request)),
			with("path", statesValue(j.result.Path(fsm.HandleTable.Name, h.id))), with("inferences", j.inferencesOf(h.id))))
	})
	return mapValue("", with("lifecycle", statesValue(j.result.Path(fsm.Lifecycle.Name, 0))), with("handles", handles))
}

// goldenTrace is each step on a line, without its number: a step more would else
// change every line behind it.
func (j *judge) goldenTrace() value {
	var b strings.Builder
	for _, s := range j.result.Steps {
		b.WriteString(stepText(s, fsm.Millis(j.file.start())) + "\n")
	}
	return textValue(b.String())
}

func (j *judge) goldenSessions() value {
	v := sessionsValue(j.result.Sessions)
	for i := range v.members {
		session := brief(v.members[i].value)
		for n, m := range session.members {
			for k, item := range m.value.list {
				session.members[n].value.list[k] = brief(item)
			}
		}
		v.members[i].value = session
	}
	return v
}
