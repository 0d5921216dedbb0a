package judge

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"shelly/fsm"
	"shelly/sim"
	"shelly/sim/scenario/data"
)

// ownPrompt is [prompt] without what shelly itself says in it (SCN-59): no system prompt,
// and of a message what the case, its model and its tools say.
func (j *judgement) ownPrompt(a sim.Asked) (system data.Value, messages []data.Value) {
	for i, m := range a.Ask.Messages() {
		if i == 0 && m.Role == fsm.RoleSystem {
			continue
		}
		switch {
		case m.Role == fsm.RoleTool && m.Source == fsm.FromOperator:
			m.Text = "" // shelly answered in the tool's place
		case m.Role != fsm.RoleTool && m.Role != fsm.RoleAssistant:
			m.Text = j.ownText(m.Text)
		}
		messages = append(messages, messageValue(m))
	}
	return data.Value{}, messages
}

// ownText is the longest text of the case within one that shelly has worded around it; ""
// where there is none.
func (j *judgement) ownText(text string) string {
	longest := ""
	if j.own == nil {
		j.own = j.texts()
	}
	for _, own := range j.own {
		if len(own) > len(longest) && holdsWords(text, own) {
			longest = own
		}
	}
	return longest
}

// holdsWords reports whether a text holds another, not within a word.
func holdsWords(text, words string) bool {
	for rest, from := text, 0; ; {
		i := strings.Index(rest, words)
		if i < 0 || words == "" {
			return false
		}
		before, _ := utf8.DecodeLastRuneInString(text[:from+i])
		after, _ := utf8.DecodeRuneInString(rest[i+len(words):])
		if !isWord(before) && !isWord(after) {
			return true
		}
		from, rest = from+i+len(words), rest[i+len(words):]
	}
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// texts are what the case has people, events, memory and histories say.
func (j *judgement) texts() []string {
	f := j.file
	var list []string
	for i := range f.Timeline {
		m := &f.Timeline[i]
		if m.User != nil {
			list = append(list, *m.User)
		}
		for _, s := range m.Context {
			list = append(list, s.Text)
		}
		if m.Event != nil {
			list = append(list, m.Event.Detail)
		}
		if m.Schedule != nil {
			list = append(list, m.Schedule.Add)
		}
		if m.Resolve != nil {
			list = append(list, m.Resolve.Text)
		}
	}
	for _, m := range f.Memory {
		list = append(list, m.Text, m.Summary)
	}
	for _, s := range f.Sessions {
		for _, said := range s.Value.History {
			list = append(list, said.Text)
		}
	}
	for _, a := range j.result.Asked { // what the model said: subagents, reports and summaries repeat it
		for _, m := range a.Ask.Messages() {
			if m.Role == fsm.RoleAssistant {
				list = append(list, m.Text)
			}
		}
	}
	return list
}
