package textcall

import "strings"

// families returns the marks that mean a call and nothing else. Of two marks, the one that
// the other would misread comes first.
func (f Forms) families() []family {
	list := []family{
		{"<tool_call>", "</tool_call>", f.marked(f.jsonCalls, f.markupCalls, pairCalls, pythonCalls)},
		{"<tool_calls>", "</tool_calls>", f.marked(f.jsonCalls)},
		{"<function_calls>", "</function_calls>", f.marked(f.invokeCalls, pythonCalls, f.jsonCalls)},
		{"<minimax:tool_call>", "</minimax:tool_call>", f.marked(f.invokeCalls)},
		{"<function_call>", "</function_call>", f.marked(f.jsonCalls)},
		{"<functioncall>", "</functioncall>", f.marked(f.jsonCalls)},
		{"<TOOLCALL>", "</TOOLCALL>", f.marked(f.jsonCalls)},
		{"<tools>", "</tools>", f.marked(f.jsonCalls)},
		{"<|tool_call_start|>", "<|tool_call_end|>", f.marked(pythonCalls, f.jsonCalls)},
		{"<|tool_call|>", "<|/tool_call|>", f.marked(f.jsonCalls)},
		{"<|tool_call>", "<tool_call|>", f.since(gemmaCalls(`<|"|>`))},
		{"<|tool_calls_section_begin|>", "<|tool_calls_section_end|>", f.since(f.kimiCalls)},
		{"<|START_ACTION|>", "<|END_ACTION|>", f.marked(f.jsonCalls)},
		{"<start_function_call>", "<end_function_call>", f.since(gemmaCalls("<escape>"))},
		{"<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>", []form{f.deepSeekCalls}},
		{"<|python_tag|>", "", f.marked(f.jsonCalls, pythonCalls)},
		{"[TOOL_CALLS]", "", []form{f.jsonCalls, f.mistralCalls}},
		{"<function=", "", []form{f.markupCalls}},
		{"<invoke", "", []form{f.invokeCalls}},
	}
	if f >= Mended {
		list = append(list,
			family{"<seed:tool_call>", "</seed:tool_call>", f.marked(f.markupCalls)},
			family{"<|action_start|><|plugin|>", "<|action_end|>", f.marked(f.jsonCalls)},
			family{"<|tools_prefix|>", "<|tools_suffix|>", f.marked(f.jsonCalls)},
			family{"functools[", "", []form{f.functoolsCalls}})
	}
	return list
}

// marked returns the forms between the marks of a family. Since the sixteenth edition they include
// NAME{…}, and objects that lack something.
func (f Forms) marked(forms ...form) []form {
	return append(forms, f.since(f.markedCalls, f.mistralCalls)...)
}

// since returns forms that are read since the sixteenth edition.
func (f Forms) since(forms ...form) []form {
	if f < Mended {
		return nil
	}
	return forms
}

// mayOpen reports whether a text begins with a character that a mark of the families begins with.
func mayOpen(s string) bool { return s[0] == '<' || s[0] == '[' || isPrefix(s, "functools[") }

// mayBeTagged reports whether a text begins or ends with a character that a mark of the
// families begins or ends with. Most answers do not, and need not be compared with each
// mark.
func mayBeTagged(s string) bool { return s != "" && (mayOpen(s) || s[len(s)-1] == '>') }

// tagged reads calls that a mark begins. It reports whether there is such a mark; there are
// no calls if they cannot be read.
func (f Forms) tagged(s string) ([]Call, bool) {
	if !mayBeTagged(s) {
		return nil, false
	}
	for _, one := range f.families() {
		if strings.HasPrefix(s, one.open) {
			if f >= Mended {
				return one.readMended(s, f.backslashes()), true
			}
			return one.read(s, one.strict), true
		}
		// Some templates swallow the first mark.
		if body, ok := strings.CutSuffix(s, one.close); ok && one.close != "" && !strings.Contains(s, one.open) {
			if calls := one.body(strings.TrimSpace(body)); len(calls) > 0 {
				return calls, true
			}
		}
	}
	return nil, false
}
