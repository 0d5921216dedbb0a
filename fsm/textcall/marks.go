package textcall

import "strings"

// mistralCalls reads NAME[ARGS]{…} and NAME{…}, with the call's id between the two if there
// is one.
func (f Forms) mistralCalls(s string) ([]Call, bool) {
	at := strings.IndexByte(s, '{')
	if at < 0 {
		return nil, false
	}
	name, args := strings.TrimSpace(s[:at]), f.tidy(s[at:])
	name = strings.TrimSuffix(name, "[ARGS]")
	name, _, _ = strings.Cut(name, "[CALL_ID]")
	if name = strings.TrimSpace(name); !isName(name) || !isObject(args) {
		return nil, false
	}
	return []Call{{Name: name, Args: args}}, true
}

// deepSeekCalls reads what DeepSeek's models write. Some put the word function before the name,
// and the arguments in a fence.
func (f Forms) deepSeekCalls(s string) ([]Call, bool) {
	return f.separatedCalls(s, "<｜tool▁call▁begin｜>", "<｜tool▁sep｜>", "<｜tool▁call▁end｜>")
}

// kimiCalls reads what Kimi's models write. The name has a namespace before it and the call's
// number after it.
func (f Forms) kimiCalls(s string) ([]Call, bool) {
	calls, ok := f.separatedCalls(s, "<|tool_call_begin|>", "<|tool_call_argument_begin|>", "<|tool_call_end|>")
	for i, c := range calls {
		if name, number, found := strings.Cut(c.Name, ":"); found && strings.Trim(number, "0123456789") == "" {
			calls[i].Name = strings.TrimPrefix(name, "functions.")
		}
	}
	return calls, ok
}

// functoolsCalls reads functools[…], which Phi's models write.
func (f Forms) functoolsCalls(s string) ([]Call, bool) {
	return f.markedCalls(strings.TrimPrefix(s, "functools"))
}

// separatedCalls reads calls between special marks: the name, a separator and the arguments.
func (f Forms) separatedCalls(s, begin, separator, end string) ([]Call, bool) {
	var calls []Call
	for s != "" {
		rest, ok := strings.CutPrefix(s, begin)
		if !ok {
			return nil, false
		}
		body, rest, ok := strings.Cut(rest, end)
		if !ok {
			return nil, false
		}
		name, args, _ := strings.Cut(body, separator) // without one there are no arguments
		if head, fence, ok := strings.Cut(args, "\n"); ok && strings.TrimSpace(name) == "function" {
			name, args = head, fence
		}
		args = f.tidy(unfenced(strings.TrimSpace(args)))
		if name = strings.TrimSpace(name); !isName(name) || !isObject(args) {
			return nil, false
		}
		calls = append(calls, Call{Name: name, Args: args})
		s = strings.TrimSpace(rest)
	}
	return calls, len(calls) > 0
}
