package textcall

import "strings"

// mistralCalls reads NAME[ARGS]{…} and NAME{…}, with the call's id between the two if there
// is one.
func mistralCalls(s string) ([]Call, bool) {
	at := strings.IndexByte(s, '{')
	if at < 0 {
		return nil, false
	}
	name, args := strings.TrimSpace(s[:at]), TidyJSON(s[at:])
	name = strings.TrimSuffix(name, "[ARGS]")
	name, _, _ = strings.Cut(name, "[CALL_ID]")
	if name = strings.TrimSpace(name); !isName(name) || !isObject(args) {
		return nil, false
	}
	return []Call{{Name: name, Args: args}}, true
}

// separatedCalls reads what DeepSeek's models write: between special marks, the name, a
// separator and the arguments. Some put the word function before the name, and the
// arguments in a fence.
func separatedCalls(s string) ([]Call, bool) {
	const begin, separator, end = "<｜tool▁call▁begin｜>", "<｜tool▁sep｜>", "<｜tool▁call▁end｜>"
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
		args = TidyJSON(unfenced(strings.TrimSpace(args)))
		if name = strings.TrimSpace(name); !isName(name) || !isObject(args) {
			return nil, false
		}
		calls = append(calls, Call{Name: name, Args: args})
		s = strings.TrimSpace(rest)
	}
	return calls, len(calls) > 0
}
