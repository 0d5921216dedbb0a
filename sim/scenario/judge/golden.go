package judge

import (
	"regexp"
	"slices"
	"strings"

	"shelly/fsm"
	"shelly/fsm/state"
	"shelly/sim"
	"shelly/sim/scenario/data"
	"shelly/sim/scenario/golden"
	"shelly/sim/scenario/match"
)

// goldenHeader begins every golden.
const goldenHeader = "# What the scenario beside this file did (expect.golden). Renew it with shelly test --update, and review the change.\n"

// golden holds what the case did against its golden.
func (j *judgement) golden() *golden.Golden {
	g, wrong, diff := j.keptGolden.Compare(j.goldenText(j.file.Expect.Golden))
	if wrong != "" {
		j.fail(j.file.Where("expect.golden"), "expect.golden", match.Mismatch{Text: wrong, Diff: diff})
	}
	return g
}

// goldenText is what the case did, in the order of [aspects], whatever that of the
// file.
func (j *judgement) goldenText(asked []string) string {
	v := data.Map("")
	for _, a := range aspects() {
		for _, name := range asked {
			if name == a.name && a.of != nil {
				v.Members = append(v.Members, data.With(a.name, a.of(j)))
			}
		}
	}
	return goldenHeader + data.YAML(v)
}

// aspect is a part of what a case did.
type aspect struct {
	name string
	of   func(*judgement) data.Value // nil: it says how much the other parts hold
}

// A better sentence or a better estimate of shelly's is no change of what a case did, so
// that a golden holds neither unless the case asks for it (SCN-59).
const (
	keepsPrompt    = "prompt"    // in asked: the system prompt, tools, options, and messages as shelly words them
	keepsEstimates = "estimates" // in asked: the tokens; in trace: the deadlines of model calls
)

// keeps reports whether the golden holds a part that only says how much others hold.
func (j *judgement) keeps(name string) bool { return slices.Contains(j.file.Expect.Golden, name) }

// aspects lists the parts of what a case did that a golden can hold; the names are
// those of [Expect]'s field.
func aspects() []aspect {
	return []aspect{
		{"replies", func(j *judgement) data.Value { return briefs(j.result.Replies(), replyValue) }},
		{"notices", func(j *judgement) data.Value { return briefs(j.result.Notices, noticeValue) }},
		{"messages", func(j *judgement) data.Value { return briefs(j.result.Messages, sentValue) }},
		{"questions", func(j *judgement) data.Value { return briefs(j.result.Questions, questionValue) }},
		{"audit", func(j *judgement) data.Value { return briefs(j.result.Audits, auditValue) }},
		{"reports", func(j *judgement) data.Value { return briefs(j.result.Reports, reportValue) }},
		{"asked", (*judgement).goldenAsked},
		{"paths", (*judgement).goldenPaths},
		{"trace", (*judgement).goldenTrace},
		{"memory", func(j *judgement) data.Value { return briefs(j.result.Memory[len(j.file.Memory):], entryValue) }},
		{"sessions", (*judgement).goldenSessions},
		{"memory_file", func(j *judgement) data.Value { return data.Text(j.result.MemoryFile) }},
		{"history_file", func(j *judgement) data.Value { return data.List(j.result.History, data.Text) }},
		{"world", func(j *judgement) data.Value { return worldValue(j.result.World) }},
		{keepsPrompt, nil},
		{keepsEstimates, nil},
	}
}

// briefs makes a list of what each of items is, briefly.
func briefs[T any](items []T, each func(T) data.Value) data.Value {
	return data.List(items, func(item T) data.Value { return brief(each(item)) })
}

// brief leaves out the members of a map that are empty or false.
func brief(v data.Value) data.Value {
	full := v.Members
	v.Members = nil
	for _, m := range full {
		is := m.Value
		empty := is.Kind == data.AbsentKind || is.Kind == data.TextKind && is.Text == "" || is.Kind == data.BoolKind && is.Text == "false" ||
			is.Kind == data.ListKind && len(is.List) == 0 || is.Kind == data.MapKind && len(is.Members) == 0
		if !empty {
			v.Members = append(v.Members, m)
		}
	}
	return v
}

// goldenAsked is what the model was sent. What a call shares with the one before it in
// its session, the system prompt and the first messages after it, is only named:
// prompts are long, and a turn repeats them for each round.
func (j *judgement) goldenAsked() data.Value {
	prompt, kept := prompt, j.keeps(keepsPrompt)
	if !kept {
		own, events := ownTexts(j.file, j.result), eventsOf(j.result)
		prompt = func(a sim.Asked) (data.Value, []data.Value) {
			var list []data.Value
			for _, m := range withoutPrompt(a.Ask.Messages(), own, events, a.Config) {
				list = append(list, messageValue(m))
			}
			return data.Value{}, list
		}
	}
	calls := data.Value{Kind: data.ListKind}
	for i, a := range j.result.Asked {
		all := askedValue(a)
		if !kept {
			all = all.Without("tools", "options")
		}
		if !j.keeps(keepsEstimates) {
			all = all.Without("tokens")
		}
		system, messages := prompt(a)
		like := data.Map("")
		if before := j.askedBefore(i); before >= 0 {
			hers, first := prompt(j.result.Asked[before])
			same := system.Kind == data.TextKind && system.Equal(hers)
			shared := sharedValues(first, messages)
			if messages = messages[shared:]; same {
				system = data.Value{}
			}
			if same || shared > 0 {
				like = brief(data.Map("", data.With("call", data.Int(before+1)), data.With("system", data.Bool(same)), data.With("messages", data.Int(shared))))
			}
		}
		calls.List = append(calls.List, brief(data.Map("", data.With("call", data.Int(i+1)),
			data.With("purpose", all.Get("purpose")), data.With("session", all.Get("session")), data.With("tools", all.Get("tools")),
			data.With("options", all.Get("options")), data.With("tokens", all.Get("tokens")),
			data.With("like", like), data.With("system", system), data.With("messages", data.List(messages, unsourced)))))
	}
	return calls
}

// unsourced is a message without where it came from, of which a golden says nothing.
func unsourced(message data.Value) data.Value { return brief(message.Without("source")) }

// askedBefore returns the call before the n-th in its session, or -1.
func (j *judgement) askedBefore(n int) int {
	session := j.result.Asked[n].Ask.Session
	for n--; n >= 0 && j.result.Asked[n].Ask.Session != session; n-- {
	}
	return n
}

// prompt returns the system prompt of a call, or the absent value, and the messages
// after it.
func prompt(a sim.Asked) (system data.Value, messages []data.Value) {
	messages = askedValue(a).Get("messages").List
	if len(messages) > 0 && messages[0].Get("role").Text == string(fsm.RoleSystem) {
		return messages[0].Get("text"), messages[1:]
	}
	return data.Value{}, messages
}

// sharedValues counts the values with which both begin.
func sharedValues(a, b []data.Value) int {
	n := 0
	for n < min(len(a), len(b)) && a[n].Equal(b[n]) {
		n++
	}
	return n
}

// goldenPaths are the ways of the lifecycle, of all handles and their inferences.
func (j *judgement) goldenPaths() data.Value {
	handles := data.List(j.seen(), func(h handleSeen) data.Value {
		return brief(data.Map("", data.With("kind", data.Text(string(h.kind))), data.With("id", data.Text(h.request)),
			data.With("path", statesValue(j.result.Path(state.HandleTable.Name, h.id))), data.With("inferences", j.inferencesOf(h.id))))
	})
	return data.Map("", data.With("lifecycle", statesValue(j.result.Path(state.Lifecycle.Name, 0))), data.With("handles", handles))
}

// goldenTrace is each step on a line, without its number: a step more would else
// change every line after it.
func (j *judgement) goldenTrace() data.Value {
	var b strings.Builder
	for _, s := range j.result.Steps {
		for _, l := range s.Lost {
			b.WriteString(lostText(l, fsm.Millis(j.file.Start())) + "\n")
		}
		b.WriteString(stepText(s, fsm.Millis(j.file.Start())) + "\n")
	}
	if j.keeps(keepsEstimates) {
		return data.Text(b.String())
	}
	estimated := regexp.MustCompile(`set_timer\((answer) [^)]*\)`) // the deadline of a model call comes of its tokens (BRN-8)
	return data.Text(estimated.ReplaceAllString(b.String(), "set_timer($1)"))
}

func (j *judgement) goldenSessions() data.Value {
	v := sessionsValue(j.result.Sessions)
	for i := range v.Members {
		session := brief(v.Members[i].Value)
		for n, m := range session.Members {
			for k, item := range m.Value.List {
				session.Members[n].Value.List[k] = brief(item)
			}
		}
		v.Members[i].Value = session
	}
	return v
}
