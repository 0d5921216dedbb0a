package judge

import (
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"shelly/fsm"
	"shelly/sim"
	"shelly/sim/scenario/format"
)

// withoutPrompt is what the model was sent without what shelly itself says in it (SCN-59):
// no system prompt, and of a message that shelly has worded the event that it is about, or
// else the longest text in it that is one of own and stands in none of shelly's own sentences.
func withoutPrompt(sent []fsm.Message, own []string, events []fsm.EventRaised, c *fsm.Config) (list []fsm.Message) {
	sentences := sentencesOf(c)

	for i, m := range sent {
		if i == 0 && m.Role == fsm.RoleSystem {
			continue
		}
		switch {
		case m.Role == fsm.RoleTool && m.Source == fsm.FromOperator:
			m.Text = "" // shelly answered in the tool's place
		case m.Role != fsm.RoleTool && m.Role != fsm.RoleAssistant:
			if event := eventIn(m.Text, events, c.Words); event != "" {
				m.Text = event
			} else {
				m.Text = longestIn(m.Text, own, spansOf(m.Text, sentences))
			}
		}
		list = append(list, m)
	}
	return list
}

// eventIn is what the event says that a text tells of; "" where it tells of none. Of several, it
// is the longest.
func eventIn(text string, events []fsm.EventRaised, w fsm.Words) (says string) {
	longest := 0
	for _, e := range events {
		if told := w.Event(e); len(told) > longest && strings.Contains(text, told) {
			parts := []string{e.Source + "." + e.Event, e.Subject, e.Detail, e.Do}
			longest, says = len(told), strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), ", ")
		}
	}
	return says
}

// eventsOf are the events of a run.
func eventsOf(r *sim.Result) (list []fsm.EventRaised) {
	for _, s := range r.Steps {
		if e, ok := s.Input.Fact.(fsm.EventRaised); ok {
			list = append(list, e)
		}
	}
	return list
}

// A sentence of shelly's has at least this many words. A text with fewer, such as a heading, may
// well be what a person says.
const sentenceWordsMin = 4

// sentencesOf are the sentences with which a configuration words messages: its prompts and
// its words, without what is filled in.
func sentencesOf(c *fsm.Config) (list []string) {
	p := &c.Prompts
	texts := []string{p.Question, p.Init, p.Farewell, p.Summary, p.Reflection, p.Compress, p.Overflow, p.Consolidate, p.Empty, p.AtLimit, p.AtLength}
	for _, w := range fsm.AllWords() {
		texts = append(texts, c.Words.Text(w))
	}
	for _, text := range texts {
		for _, part := range strings.FieldsFunc(text, func(r rune) bool { return r == '{' || r == '}' }) { // the name of an argument is too short
			if len(strings.Fields(part)) >= sentenceWordsMin {
				list = append(list, part)
			}
		}
	}
	return list
}

// span is a part of a text, from its first byte to the one after its last.
type span struct{ from, to int }

// spansOf are the places of parts in a text.
func spansOf(text string, parts []string) (list []span) {
	for _, part := range parts {
		for from := range places(text, part) {
			list = append(list, span{from, from + len(part)})
		}
	}
	return list
}

// places are the places at which a text holds another.
func places(text, part string) iter.Seq[int] {
	return func(yield func(int) bool) {
		for at := 0; part != ""; {
			i := strings.Index(text[at:], part)
			if i < 0 || !yield(at+i) {
				return
			}
			at += i + len(part)
		}
	}
}

// longestIn is the longest of some texts that another holds outside some spans; "" where it
// holds none.
func longestIn(text string, own []string, but []span) string {
	longest := ""
	for _, words := range own {
		if len(words) > len(longest) && holdsWords(text, words, but) {
			longest = words
		}
	}
	return longest
}

// holdsWords reports whether a text holds another, not within a word and not within one of
// some spans.
func holdsWords(text, words string, but []span) bool {
	for from := range places(text, words) {
		to := from + len(words)
		before, _ := utf8.DecodeLastRuneInString(text[:from])
		after, _ := utf8.DecodeRuneInString(text[to:])
		within := slices.ContainsFunc(but, func(s span) bool { return s.from <= from && to <= s.to })
		if !isWord(before) && !isWord(after) && !within {
			return true
		}
	}
	return false
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
