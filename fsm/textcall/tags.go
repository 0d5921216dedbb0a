package textcall

import "strings"

// family is a mark that begins calls, the mark that ends them, and the forms between.
type family struct {
	open  string
	close string // empty: they go on to the end of the text, or to the next open
	forms []form
}

// families returns the marks that mean a call and nothing else. Of two marks, the one that
// the other would misread comes first.
func families() []family {
	return []family{
		{"<tool_call>", "</tool_call>", []form{jsonCalls, markupCalls, pairCalls, pythonCalls}},
		{"<tool_calls>", "</tool_calls>", []form{jsonCalls}},
		{"<function_calls>", "</function_calls>", []form{invokeCalls, pythonCalls, jsonCalls}},
		{"<minimax:tool_call>", "</minimax:tool_call>", []form{invokeCalls}},
		{"<function_call>", "</function_call>", []form{jsonCalls}},
		{"<functioncall>", "</functioncall>", []form{jsonCalls}},
		{"<TOOLCALL>", "</TOOLCALL>", []form{jsonCalls}},
		{"<tools>", "</tools>", []form{jsonCalls}},
		{"<|tool_call_start|>", "<|tool_call_end|>", []form{pythonCalls, jsonCalls}},
		{"<|tool_call|>", "<|/tool_call|>", []form{jsonCalls}},
		{"<|tool_call>", "<tool_call|>", nil},
		{"<|tool_calls_section_begin|>", "<|tool_calls_section_end|>", nil},
		{"<|START_ACTION|>", "<|END_ACTION|>", []form{jsonCalls}},
		{"<start_function_call>", "<end_function_call>", nil},
		{"<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>", []form{separatedCalls}},
		{"<|python_tag|>", "", []form{jsonCalls, pythonCalls}},
		{"[TOOL_CALLS]", "", []form{jsonCalls, mistralCalls}},
		{"<function=", "", []form{markupCalls}},
		{"<invoke", "", []form{invokeCalls}},
	}
}

// keeps reports whether the opening mark is part of what is read.
func (f family) keeps() bool { return f.open == "<function=" || f.open == "<invoke" }

// mayBeTagged reports whether a text begins or ends with a character that a mark of the
// families begins or ends with. Most answers do not, and need not be compared with each
// mark.
func mayBeTagged(s string) bool {
	return s != "" && (s[0] == '<' || s[0] == '[' || s[len(s)-1] == '>')
}

// tagged reads calls that a mark begins. It reports whether there is such a mark; there are
// no calls if they cannot be read.
func tagged(s string) ([]Call, bool) {
	if !mayBeTagged(s) {
		return nil, false
	}
	for _, f := range families() {
		if strings.HasPrefix(s, f.open) {
			return f.read(s), true
		}
		// Some templates swallow the first mark.
		if body, ok := strings.CutSuffix(s, f.close); ok && f.close != "" && !strings.Contains(s, f.open) {
			if calls := f.body(strings.TrimSpace(body)); len(calls) > 0 {
				return calls, true
			}
		}
	}
	return nil, false
}

// read reads one call after another. The last may have no end mark: its content is read
// whole or not at all.
func (f family) read(s string) []Call {
	if f.keeps() {
		return f.body(s)
	}
	var calls []Call
	for s != "" {
		rest, ok := strings.CutPrefix(s, f.open)
		if !ok {
			return nil
		}
		body, rest := f.cut(rest)
		more := f.body(strings.TrimSpace(body))
		if len(more) == 0 {
			return nil
		}
		calls = append(calls, more...)
		s = strings.TrimSpace(rest)
	}
	return calls
}

// cut splits a text at the end of a call. An end mark inside a value is not skipped: then
// the part before it cannot be read, and the text is not a call.
func (f family) cut(s string) (body, rest string) {
	if f.close != "" {
		body, rest, _ = strings.Cut(s, f.close)
		return body, rest
	}
	if i := strings.Index(s, f.open); i >= 0 {
		return s[:i], s[i:]
	}
	return s, ""
}

func (f family) body(s string) []Call {
	for _, form := range f.forms {
		if calls, ok := form(s); ok {
			return calls
		}
	}
	return nil
}
