package textcall

import (
	"encoding/json"
	"strings"
)

// First reads a text as the first edition did, or returns false if that did not take it for
// a call. It is frozen, and so is what it shares with [Read]: bracketCalls and how it reads
// arguments.
func First(text string) ([]Call, bool) {
	body := strings.TrimSpace(text)
	for _, form := range []form{firstTagged, firstJSON, bracketCalls} {
		if calls, ok := form(body); ok && len(calls) > 0 {
			return calls, true
		}
	}
	return nil, false
}

// firstTagged reads <tool_call>…</tool_call>, once or more; the first opening tag
// may be missing, as some templates swallow it.
func firstTagged(s string) ([]Call, bool) {
	const begin, end = "<tool_call>", "</tool_call>"
	if !strings.HasSuffix(s, end) {
		return nil, false
	}
	var calls []Call
	for n := 0; s != ""; n++ {
		if rest, ok := strings.CutPrefix(s, begin); ok {
			s = rest
		} else if n > 0 {
			return nil, false
		}
		body, rest, _ := strings.Cut(s, end) // it ends with one
		body = strings.TrimSpace(body)
		call, ok := firstObject(body)
		if !ok {
			call, ok = firstMarkup(body)
		}
		if !ok {
			return nil, false
		}
		calls = append(calls, call)
		s = strings.TrimSpace(rest)
	}
	return calls, true
}

// firstJSON reads one call, or a list of them, as JSON: bare, in a fence, or after
// a tag of its own.
func firstJSON(s string) ([]Call, bool) {
	s = strings.TrimSpace(strings.TrimPrefix(s, "<|python_tag|>"))
	if body, ok := strings.CutPrefix(s, "```"); ok {
		body, ok = strings.CutSuffix(body, "```")
		if !ok {
			return nil, false
		}
		_, body, _ = strings.Cut(body, "\n") // the language; what is on one line has nothing below it
		s = strings.TrimSpace(body)
	}
	if call, ok := firstObject(s); ok {
		return []Call{call}, true
	}
	s = TidyJSON(s)
	var list []json.RawMessage
	if !strings.HasPrefix(s, "[") || json.Unmarshal([]byte(s), &list) != nil {
		return nil, false
	}
	var calls []Call
	for _, raw := range list {
		call, ok := firstObject(string(raw))
		if !ok {
			return nil, false
		}
		calls = append(calls, call)
	}
	return calls, true
}

// firstObject reads {"name": …, "arguments": {…}}; "parameters" means the same.
func firstObject(s string) (Call, bool) {
	var o struct {
		Name       string          `json:"name"`
		Arguments  json.RawMessage `json:"arguments"`
		Parameters json.RawMessage `json:"parameters"`
	}
	if !strings.HasPrefix(s, "{") || json.Unmarshal([]byte(TidyJSON(s)), &o) != nil || o.Name == "" {
		return Call{}, false
	}
	args := o.Arguments
	if args == nil {
		args = o.Parameters
	}
	if len(args) == 0 || args[0] != '{' {
		return Call{}, false
	}
	return Call{Name: o.Name, Args: string(args)}, true
}

// firstMarkup reads <function=NAME><parameter=KEY>VALUE</parameter>…</function>.
func firstMarkup(s string) (Call, bool) {
	s, ok := strings.CutPrefix(s, "<function=")
	if !ok {
		return Call{}, false
	}
	name, s, _ := strings.Cut(s, ">") // without one there is no end either
	var args arguments
	for {
		s = strings.TrimSpace(s)
		if strings.TrimSpace(strings.TrimPrefix(s, "</function>")) == "" && s != "" {
			return Call{Name: strings.TrimSpace(name), Args: args.object()}, true
		}
		rest, ok := strings.CutPrefix(s, "<parameter=")
		if !ok {
			return Call{}, false
		}
		key, rest, _ := strings.Cut(rest, ">")
		value, rest, _ := strings.Cut(rest, "</parameter>") // after one that lacks either mark comes no end
		args.add(strings.TrimSpace(key), quoted(strings.TrimSpace(value)))
		s = rest
	}
}
