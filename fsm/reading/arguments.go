package reading

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"shelly/fsm"
	"shelly/fsm/textcall"
)

// Small models put arguments into an object of their own, and give them the names that other tools have
// for them. This is corrected before a rule, a grant or a person sees the call (INF-57, INF-58).

// argued returns calls with the names that their tools have, and with their arguments as the tools'
// schemas have them, where it is clear how. The answer that they are of stays as it is.
func argued(c *fsm.Config, set fsm.Toolset, talk fsm.Conversation, calls []fsm.ToolCall) []fsm.ToolCall {
	if c.Edition < fsm.SixteenthEdition {
		return calls
	}
	own := false
	for i, call := range calls {
		meant := meantBy(c, set, talk, call)
		if meant == call {
			continue
		}
		if !own {
			calls, own = slices.Clone(calls), true
		}
		calls[i] = meant
	}
	return calls
}

// meantBy returns what a call means.
func meantBy(c *fsm.Config, set fsm.Toolset, talk fsm.Conversation, call fsm.ToolCall) fsm.ToolCall {
	decl, known := c.Meant(set, call.Name)
	if _, exact := c.Declared(set, call.Name); known && !exact {
		if called(talk, call.Name) {
			return call
		}
		call.Name = decl.Name
	}
	if decl.Parameters == "" {
		return call
	}
	call.Args = unwrapped(decl.Parameters, call.Args)
	if c.Edition >= fsm.NineteenthEdition {
		call.Args = corrected(&decl, call.Args)
	} else if decl.Effects == fsm.EffectsNone {
		call.Args = renamed(decl.Parameters, call.Args)
	}
	return call
}

// called reports whether a conversation has a call of a tool of just this name: there was one, and now it
// is gone (TOL-63).
func called(talk fsm.Conversation, name string) bool {
	return slices.ContainsFunc(talk.Messages, func(msg fsm.Message) bool {
		return slices.ContainsFunc(msg.Calls, func(call fsm.ToolCall) bool { return call.Name == name })
	})
}

// schemaHead is the part of a tool's schema that names its parameters.
type schemaHead struct {
	Properties map[string]json.RawMessage `json:"properties"`
	Required   []string                   `json:"required"`
}

// named reads what a schema names. It returns false if that is nothing.
func named(schema string) (s schemaHead, ok bool) {
	err := json.Unmarshal([]byte(schema), &s)
	return s, err == nil && len(s.Properties) > 0
}

// unwrapped returns what is in a wrapper around arguments: an object with nothing but the arguments
// in it, under a name that means arguments and is no parameter.
func unwrapped(schema, args string) string {
	key, inner, ok := textcall.Wrapped(args)
	if !ok {
		return args
	}
	if s, ok := named(schema); !ok || s.Properties[key] != nil {
		return args
	}
	return inner
}

// strange reports whether an argument has a name that a schema's text does not have. Most have none,
// and the schema need not be read.
func strange(schema string, given map[string]json.RawMessage) bool {
	for name := range given { // order-free: any of them
		if !strings.Contains(schema, `"`+name+`"`) {
			return true
		}
	}
	return false
}

// nameMin is how long a parameter's name must be to be found in another: width has no id in it.
const nameMin = 4

// renamed returns arguments with the name of a required parameter in place of a longer one that contains
// it, as page_number does page, if one is missing and one is unknown. That is what the editions from the
// sixteenth to the eighteenth did.
func renamed(schema, args string) string {
	var given map[string]json.RawMessage
	if json.Unmarshal([]byte(args), &given) != nil || !strange(schema, given) {
		return args
	}
	s, ok := named(schema)
	if !ok {
		return args
	}
	missing := slices.DeleteFunc(s.Required, func(name string) bool { return given[name] != nil })
	unknown := slices.DeleteFunc(slices.Sorted(maps.Keys(given)), func(name string) bool { return s.Properties[name] != nil })
	if len(missing) != 1 || len(unknown) != 1 || len(missing[0]) < nameMin || !strings.Contains(unknown[0], missing[0]) {
		return args
	}
	if _, twice := textcall.Twice(args); twice { // which is to be said (INF-41), not hidden
		return args
	}
	given[missing[0]] = given[unknown[0]]
	delete(given, unknown[0])
	object, err := json.Marshal(given)
	if err != nil {
		return args
	}
	return string(object)
}
