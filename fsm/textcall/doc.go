// Package textcall reads the tool calls that models write as text.
//
// A text is calls only if nothing else can be meant: all of it is calls, in one of the
// forms that models are trained on (INF-25), or it ends with calls, between the marks of a
// family or in its only fence. A call inside prose stays prose. A text that begins as only a
// call does, but cannot be read, is distinguished from both (INF-29).
//
// The forms of many families of models are known, each of which has a file: JSON alone, in a
// fence or between tags; markup; Python; Mistral's; harmony; Gemma's. What small models get
// wrong in JSON is mended (package mend) if it can mean only one thing. That is [Mended]. [First]
// knows the few forms that the first edition knew, and [Second] is what the later ones knew
// before: both are frozen, because the journals of older builds are decided by them.
//
// The package knows no tools: its caller checks whether the tool that a call names is
// offered.
package textcall

import "strings"

// Reading is what a text means.
type Reading struct {
	// Calls are the calls that the text consists of; none: it is something else.
	Calls []Call
	// Text is what the text says apart from calls and from the form that it is written in:
	// with calls, the words before them. It is the whole text if that has no such form.
	Text string
	// Written is the part of the text that the calls are written in.
	Written string
	// Fenced: the calls are in a fence after words, which may also show an example.
	Fenced bool
	// Tagged: the text begins with a mark that means a call and nothing else, so that it is
	// a call however little of it can be read.
	Tagged bool
	// Begins is the tool that an unmarked text seems to begin a call of, although the call
	// cannot be read; empty: none.
	Begins string
}

// Forms are the forms that calls are read in.
type Forms int

// The forms since the second edition of the machine, which are frozen; those since the
// sixteenth: more families, words before a call, a result that is made up after it, and JSON
// that has to be mended; and those since the eighteenth: backslashes that are characters of a text.
const (
	Second Forms = iota
	Mended
	Verbatim
)

// Read reads a whole text.
func (f Forms) Read(text string) Reading {
	s := strings.TrimSpace(text)
	if called := f.withoutInvented(s); called != s {
		if r := f.read(called); len(r.Calls) > 0 {
			return r
		}
	}
	return f.read(text)
}

func (f Forms) read(text string) Reading {
	s := strings.TrimSpace(text)
	for _, end := range endMarks() {
		s = strings.TrimSpace(strings.TrimSuffix(s, end))
	}
	if r, ok := f.harmony(s); ok {
		r.Written = s
		return r
	}
	if calls, tagged := f.tagged(s); tagged {
		return Reading{Calls: calls, Text: without(calls, text), Written: s, Tagged: true}
	}
	if r, ok := f.afterWords(s); ok {
		return r
	}
	if r, ok := f.fencedAfterWords(s); ok {
		return r
	}
	calls, begins := f.untagged(s)
	return Reading{Calls: calls, Text: without(calls, text), Written: s, Begins: begins}
}

// endMarks returns the marks that end a turn. Servers that take them for words leave them
// in the text.
func endMarks() []string {
	return []string{"<|im_end|>", "<|eot_id|>", "<|eom_id|>", "</s>", "<｜end▁of▁sentence｜>"}
}

// without returns "" for an answer that consists of calls, else its text.
func without(calls []Call, text string) string {
	if len(calls) > 0 {
		return ""
	}
	return text
}

// untagged reads a text without the mark of a call: JSON or Python, bare or in a fence.
// begins is the tool that an unreadable text begins a call of.
func (f Forms) untagged(s string) (calls []Call, begins string) {
	s = unfenced(s)
	if calls, tagged := f.tagged(s); tagged {
		return calls, ""
	}
	for _, form := range []form{f.jsonCalls, pythonCalls} {
		if calls, ok := form(s); ok {
			return calls, ""
		}
	}
	if name := jsonBegins(s); name != "" {
		return nil, name
	}
	return nil, pythonBegins(s)
}

// unfenced returns the content of a fence if the whole text is one fence in a language that
// calls are written in, else the text.
func unfenced(s string) string {
	body, ok := strings.CutPrefix(s, "```")
	if !ok {
		return s
	}
	language, body, _ := strings.Cut(body, "\n") // without a second line there is no end either
	body, ok = strings.CutSuffix(body, "```")
	if !ok || strings.Contains(body, "```") {
		return s
	}
	if !callLanguage(language) {
		return s
	}
	return strings.TrimSpace(body)
}

// callLanguage reports whether calls are written in the language of a fence.
func callLanguage(language string) bool {
	switch strings.ToLower(strings.TrimSpace(language)) {
	case "", "json", "python", "py", "tool_code", "tool_call", "tool_calls", "tool", "xml":
		return true
	default:
		return false
	}
}
