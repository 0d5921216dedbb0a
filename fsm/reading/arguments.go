package reading

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"shelly/fsm"
	"shelly/fsm/textcall"
)

// Small models put arguments into an object of their own, and give them nearly the right name. Both
// are corrected before a rule, a grant or a person sees the call (INF-57).

// argued returns calls with their arguments as the tools' schemas have them, where it is clear how.
// The answer that they are of stays as it is.
func argued(c *fsm.Config, set fsm.Toolset, calls []fsm.ToolCall) []fsm.ToolCall {
	if c.Edition < fsm.SixteenthEdition {
		return calls
	}
	own := false
	for i, call := range calls {
		decl, _ := c.Declared(set, call.Name)
		if decl.Parameters == "" {
			continue
		}
		args := unwrapped(decl.Parameters, call.Args)
		if decl.Effects == fsm.EffectsNone {
			args = renamed(decl.Parameters, args)
		}
		if args == call.Args {
			continue
		}
		if !own {
			calls, own = slices.Clone(calls), true
		}
		calls[i].Args = args
	}
	return calls
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

// renamed returns arguments with the name of a required parameter in place of a longer one that
// contains it, as file_path does path, if one is missing and one is unknown. A tool with effects gets
// its arguments as they are: it is the model that has to say what is to be done.
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
