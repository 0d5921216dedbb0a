package textcall

import (
	"slices"
	"strings"
)

// Some models do not wait for the result of their call: they write one themselves, or the whole next
// turn, and go on from there. What is made up counts as not written.

// inventedMarks returns what the results of calls begin with, as families of models know them, and
// what ends a turn or begins the next.
func inventedMarks() []string {
	return append(endMarks(), "<tool_result", "<tool_response", "<tool_output", "<function_response", "<function_result", "<start_function_response",
		"<|tool_response", "[TOOL_RESULTS]", "<｜tool▁outputs▁begin｜>", "<｜tool▁output▁begin｜>", "<|im_start|>", "<|start_header_id|>", "<start_of_turn>", "<end_of_turn>", "Observation:")
}

// withoutInvented returns a text up to the first result that is made up right after the end of a call.
func (f Forms) withoutInvented(s string) string {
	if f < Mended || !strings.Contains(s, ">") { // as all marks that end a call do
		return s
	}
	ends := f.closes()
	first := len(s)
	for _, mark := range inventedMarks() {
		for at := 0; ; at += len(mark) {
			next := strings.Index(s[at:first], mark)
			if next < 0 {
				break
			}
			if at += next; endsWith(s[:at], ends) {
				first = at
				break
			}
		}
	}
	return strings.TrimSpace(s[:first])
}

// closes returns the marks that end the calls of the families.
func (f Forms) closes() (list []string) {
	for _, one := range f.families() {
		if one.close != "" {
			list = append(list, one.close)
		}
	}
	return list
}

// endsWith reports whether a text ends with one of the marks.
func endsWith(s string, marks []string) bool {
	s = strings.TrimRight(s, jsonBlanks)
	return slices.ContainsFunc(marks, func(mark string) bool { return strings.HasSuffix(s, mark) })
}
