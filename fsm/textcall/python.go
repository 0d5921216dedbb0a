package textcall

import "strings"

// pythonCalls reads name(key="value", …): one call, several on separate lines, or a list of
// them in brackets. Gemma puts a print around a call.
func pythonCalls(s string) ([]Call, bool) {
	if calls, ok := bracketCalls(s); ok {
		return calls, true
	}
	var calls []Call
	for s != "" {
		name, rest, ok := strings.Cut(s, "(")
		if name = strings.TrimSpace(name); !ok || !isName(name) {
			return nil, false
		}
		if name == "print" {
			inner, rest, ok := printed(rest)
			if !ok {
				return nil, false
			}
			calls, s = append(calls, inner), strings.TrimSpace(rest)
			continue
		}
		args, rest, ok := keywordArguments(rest)
		if !ok {
			return nil, false
		}
		calls = append(calls, Call{Name: name, Args: args.object()})
		s = strings.TrimLeft(rest, " \t\r\n;")
	}
	return calls, len(calls) > 0
}

// printed reads the one call that is printed, and the bracket after it.
func printed(s string) (_ Call, rest string, ok bool) {
	name, rest, _ := strings.Cut(s, "(") // without one there is no end either
	if name = strings.TrimSpace(name); !isName(name) {
		return Call{}, "", false
	}
	args, rest, _ := keywordArguments(rest) // nothing is left after what are none
	rest, ok = strings.CutPrefix(strings.TrimSpace(rest), ")")
	return Call{Name: name, Args: args.object()}, rest, ok
}

// pythonBegins returns the tool that a text in the shape of one call names.
func pythonBegins(s string) string {
	s = strings.TrimPrefix(s, "[")
	name, _, ok := strings.Cut(s, "(")
	if !ok || !isName(name) || !strings.HasSuffix(strings.TrimSuffix(s, "]"), ")") {
		return ""
	}
	return name
}

// bracketCalls reads [name(key="value", …), …], as Llama writes calls. Values are JSON,
// Python's words, or text in single quotes.
func bracketCalls(s string) ([]Call, bool) {
	s, opened := strings.CutPrefix(s, "[")
	s, closed := strings.CutSuffix(s, "]")
	if !opened || !closed {
		return nil, false
	}
	var calls []Call
	for {
		name, rest, ok := strings.Cut(s, "(")
		name = strings.TrimSpace(name)
		if !ok || name == "" {
			return nil, false
		}
		args, rest, ok := keywordArguments(rest)
		if !ok {
			return nil, false
		}
		calls = append(calls, Call{Name: name, Args: args.object()})
		if rest = strings.TrimSpace(rest); rest == "" {
			return calls, true
		}
		if s, ok = strings.CutPrefix(rest, ","); !ok {
			return nil, false
		}
	}
}
