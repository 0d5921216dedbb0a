package textcall

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"shelly/fsm/textcall/mend"
)

const jsonBlanks = mend.Blanks

// jsonCalls reads calls as JSON: an object, several in a row, or a list.
func (f Forms) jsonCalls(s string) ([]Call, bool) { return f.valuesCalls(s, objectCall) }

// markedCalls reads calls as JSON between the marks of a family.
func (f Forms) markedCalls(s string) ([]Call, bool) { return f.valuesCalls(s, markedCall) }

// valuesCalls reads calls as JSON, with a way to read the object of one.
func (f Forms) valuesCalls(s string, object objectForm) ([]Call, bool) {
	if !strings.HasPrefix(s, "{") && !strings.HasPrefix(s, "[") {
		return nil, false
	}
	s = f.tidy(s)
	var calls []Call
	d := json.NewDecoder(strings.NewReader(s))
	for d.More() {
		var raw json.RawMessage
		if d.Decode(&raw) != nil {
			return nil, false
		}
		more, ok := f.valueCalls(raw, object, listDepthMax)
		if !ok {
			return nil, false
		}
		calls = append(calls, more...)
	}
	rest := strings.TrimSpace(s[d.InputOffset():])
	return calls, len(calls) > 0 && rest == ""
}

// listDepthMax is how deep calls may be in lists and in objects that only hold them.
const listDepthMax = 4

// valueCalls reads an object or a list of them, as they were decoded: without blanks around them.
func (f Forms) valueCalls(raw json.RawMessage, object objectForm, depth int) ([]Call, bool) {
	if depth == 0 {
		return nil, false
	}
	if raw[0] == '[' {
		var list []json.RawMessage
		if json.Unmarshal(raw, &list) != nil {
			return nil, false
		}
		var calls []Call
		for _, one := range list {
			if one[0] != '{' {
				return nil, false
			}
			more, ok := f.valueCalls(one, object, depth-1)
			if !ok {
				return nil, false
			}
			calls = append(calls, more...)
		}
		return calls, len(calls) > 0
	}
	var o map[string]json.RawMessage
	if json.Unmarshal(raw, &o) != nil || f >= Mended && headTwice(raw) {
		return nil, false
	}
	for _, key := range []string{"tool_calls", "function_call"} {
		if inner, ok := o[key]; ok && len(o) == 1 {
			return f.valueCalls(inner, object, depth-1)
		}
	}
	if inner := o["function"]; len(inner) > 0 && inner[0] == '{' {
		return f.valueCalls(inner, object, depth-1)
	}
	call, ok := object(f, o, raw)
	return []Call{call}, ok && !headTwice(raw)
}

// objectForm reads an object that is a call. It gets the object by its keys, and as it is written.
type objectForm func(f Forms, o map[string]json.RawMessage, raw json.RawMessage) (Call, bool)

// objectCall reads an object that names a tool and has its arguments.
func objectCall(f Forms, o map[string]json.RawMessage, _ json.RawMessage) (Call, bool) {
	name, _ := nameIn(o)
	if name == "" {
		return Call{}, false
	}
	for _, key := range argumentKeys() {
		raw, ok := o[key]
		if !ok {
			continue
		}
		var text string
		if json.Unmarshal(raw, &text) == nil {
			raw = bytes.TrimSpace([]byte(f.tidy(text))) // an object in a string
		}
		if len(raw) > 0 && raw[0] == '{' && json.Valid(raw) {
			return Call{Name: name, Args: string(raw)}, true
		}
		return Call{}, false
	}
	return Call{}, false
}

// nameIn returns the tool that an object names, and the key of it; empty: none.
func nameIn(o map[string]json.RawMessage) (name, key string) {
	for _, key := range nameKeys() {
		if raw, ok := o[key]; ok && json.Unmarshal(raw, &name) == nil && name != "" {
			return name, key
		}
	}
	return "", ""
}

// markedCall reads an object between the marks of a family, where it is a call whatever it lacks:
// its arguments may stand beside the name, or below the tool's name alone, or there may be none.
func markedCall(f Forms, o map[string]json.RawMessage, raw json.RawMessage) (Call, bool) {
	if call, ok := objectCall(f, o, raw); ok {
		return call, true
	}
	if keyTwice(raw) { // each key is the tool or an argument, of which o has lost one
		return Call{}, false
	}
	name, nameKey := nameIn(o)
	var args arguments
	wire := string(o["type"]) == `"function"` // as in a server's answer, where the call has an id
	for _, key := range slices.Sorted(maps.Keys(o)) {
		switch {
		case slices.Contains(argumentKeys(), key):
			return Call{}, false // there are arguments, but not an object
		case name == "" && len(o) == 1 && o[key][0] == '{':
			return Call{Name: key, Args: string(o[key])}, isName(key)
		case name == "":
			return Call{}, false
		case key != nameKey && !(wire && (key == "type" || key == "id")):
			args.add(key, string(o[key]))
		}
	}
	return Call{Name: name, Args: args.object()}, name != ""
}

// nameKeys returns the keys under which a tool is named. The first of them that names one counts.
func nameKeys() []string { return []string{"name", "tool_name", "function", "tool", "action"} }

func argumentKeys() []string {
	return []string{"arguments", "parameters", "args", "action_input", "tool_input", "input"}
}

// keyTwice reports whether an object gives a key twice.
func keyTwice(raw json.RawMessage) bool {
	_, twice := twiceIn(string(raw), 1)
	return twice
}

// headTwice reports whether an object gives its tool or its arguments twice.
func headTwice(raw json.RawMessage) bool {
	key, twice := twiceIn(string(raw), 1)
	return twice && (slices.Contains(nameKeys(), key) || slices.Contains(argumentKeys(), key))
}

// jsonBegins returns the tool named by a text that is JSON as far as it goes, but not a
// whole object.
func jsonBegins(s string) string {
	object := strings.TrimLeft(s, "[ \t\r\n")
	if !strings.HasPrefix(object, "{") {
		return ""
	}
	var whole json.RawMessage
	if json.NewDecoder(strings.NewReader(s)).Decode(&whole) == nil {
		return ""
	}
	d := json.NewDecoder(strings.NewReader(object))
	for range 2 { // the bracket, and the first key
		t, err := d.Token()
		if key, ok := t.(string); err != nil || ok && !slices.Contains(nameKeys(), key) {
			return ""
		}
	}
	t, _ := d.Token()
	name, _ := t.(string)
	return name
}
