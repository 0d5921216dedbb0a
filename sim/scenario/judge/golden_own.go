package judge

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"shelly/fsm"
	"shelly/sim"
	"shelly/sim/scenario/format"
)

// withoutPrompt is what the model was sent without what shelly itself says in it (SCN-59):
// no system prompt, and of a message that shelly has worded the longest text in it that
// is one of own.
func withoutPrompt(sent []fsm.Message, own []string) (list []fsm.Message) {
	for i, m := range sent {
		if i == 0 && m.Role == fsm.RoleSystem {
			continue
		}
		switch {
		case m.Role == fsm.RoleTool && m.Source == fsm.FromOperator:
			m.Text = "" // shelly answered in the tool's place
		case m.Role != fsm.RoleTool && m.Role != fsm.RoleAssistant:
			m.Text = longestIn(m.Text, own)
		}
		list = append(list, m)
	}
	return list
}

// longestIn is the longest of some texts that another holds; "" where it holds none.
func longestIn(text string, own []string) string {
	longest := ""
	for _, words := range own {
		if len(words) > len(longest) && holdsWords(text, words) {
			longest = words
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

// ownTexts are what the case has people, events, memory, histories and the model say.
func ownTexts(f *format.File, r *sim.Result) []string {
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
	for _, a := range r.Asked { // what the model said: subagents, reports and summaries repeat it
		for _, m := range a.Ask.Messages() {
			if m.Role == fsm.RoleAssistant {
				list = append(list, m.Text)
			}
		}
	}
	return list
}
