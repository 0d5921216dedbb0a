package textcall

import "strings"

// markupCalls reads <function=NAME>…</function>, once or more, with parameters in markup or
// as a JSON object.
func (f Forms) markupCalls(s string) ([]Call, bool) {
	var calls []Call
	for s != "" {
		rest, ok := strings.CutPrefix(s, "<function=")
		if !ok {
			return nil, false
		}
		name, rest, _ := strings.Cut(rest, ">") // without one there is no end either
		body, rest, ok := strings.Cut(rest, "</function>")
		if !ok {
			return nil, false
		}
		args, ok := f.parameters(strings.TrimSpace(body), "<parameter=")
		if !ok {
			return nil, false
		}
		calls = append(calls, Call{Name: strings.Trim(strings.TrimSpace(name), `"'`), Args: args})
		s = strings.TrimSpace(rest)
	}
	return calls, len(calls) > 0
}

// invokeCalls reads <invoke name="NAME">…</invoke>, once or more.
func (f Forms) invokeCalls(s string) ([]Call, bool) {
	var calls []Call
	for s != "" {
		rest, ok := strings.CutPrefix(s, "<invoke")
		if !ok {
			return nil, false
		}
		name, rest, _ := strings.Cut(rest, ">")
		name, ok = strings.CutPrefix(strings.TrimSpace(name), "name=")
		if !ok {
			return nil, false
		}
		body, rest, ok := strings.Cut(rest, "</invoke>")
		if !ok {
			return nil, false
		}
		args, ok := f.parameters(strings.TrimSpace(body), "<parameter")
		if !ok {
			return nil, false
		}
		calls = append(calls, Call{Name: strings.Trim(name, `"'`), Args: args})
		s = strings.TrimSpace(rest)
	}
	return calls, len(calls) > 0
}

// parameters reads open KEY>VALUE</parameter>, as often as it comes, or one JSON object, and
// returns an object.
func (f Forms) parameters(s, open string) (string, bool) {
	if strings.HasPrefix(s, "{") {
		object := f.tidy(s)
		return object, isObject(object)
	}
	var args arguments
	for s != "" {
		rest, ok := strings.CutPrefix(s, open)
		if !ok {
			return "", false
		}
		key, rest, _ := strings.Cut(rest, ">")
		value, rest, ok := strings.Cut(rest, "</parameter>")
		if !ok {
			return "", false
		}
		key = strings.TrimPrefix(strings.TrimSpace(key), "name=")
		args.add(strings.Trim(key, `"'`), quoted(strings.TrimSpace(value)))
		s = strings.TrimSpace(rest)
	}
	return args.object(), true
}

// pairCalls reads NAME <arg_key>KEY</arg_key><arg_value>VALUE</arg_value>….
func pairCalls(s string) ([]Call, bool) {
	name, rest, more := strings.Cut(s, "<arg_key>")
	name = strings.TrimSpace(name)
	if !isName(name) {
		return nil, false
	}
	var args arguments
	for more {
		key, after, _ := strings.Cut(rest, "</arg_key>") // without one there is no value either
		after, ok := strings.CutPrefix(strings.TrimSpace(after), "<arg_value>")
		if !ok {
			return nil, false
		}
		value, after, ok := strings.Cut(after, "</arg_value>")
		if !ok {
			return nil, false
		}
		args.add(strings.TrimSpace(key), plain(strings.TrimSpace(value)))
		after = strings.TrimSpace(after)
		if rest, more = strings.CutPrefix(after, "<arg_key>"); !more && after != "" {
			return nil, false
		}
	}
	return []Call{{Name: name, Args: args.object()}}, true
}
