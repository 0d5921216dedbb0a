package reading

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"shelly/fsm"
	"shelly/fsm/textcall"
	"shelly/fsm/textcall/mend"
)

// corrected returns arguments as the schema of a tool has them, where they can be meant in one way only
// (INF-58). For a tool with effects, names stay as they are: it is the model that has to say what is to be
// done. Nothing is looked for behind references.
func corrected(decl *fsm.ToolDecl, args string) string {
	schema := decl.Parameters
	if fitting(schema, args) {
		return args
	}
	better, changed := correction{decl.Effects == fsm.EffectsNone}.of(shapeOf(json.RawMessage(schema)), json.RawMessage(args))
	if !changed {
		return args
	}
	if _, twice := textcall.Twice(args); twice { // which is to be said (INF-41), not hidden
		return args
	}
	return string(better)
}

// suits reports whether arguments have all that a tool requires, and nothing that it does not know.
func suits(decl *fsm.ToolDecl, args string) bool {
	s, names := named(decl.Parameters)
	var given map[string]json.RawMessage
	if !names || json.Unmarshal([]byte(corrected(decl, unwrapped(decl.Parameters, args))), &given) != nil {
		return false
	}
	for name := range given { // order-free: any of them
		if s.Properties[name] == nil {
			return false
		}
	}
	return !slices.ContainsFunc(s.Required, func(name string) bool { return given[name] == nil })
}

// fitting reports whether arguments are no object, or one in which nothing can be corrected, as the schema's
// text shows: most are, and the schema need not be read.
func fitting(schema, args string) bool {
	var given map[string]json.RawMessage
	if json.Unmarshal([]byte(args), &given) != nil || len(given) == 0 {
		return true
	}
	if strange(schema, given) || strings.Contains(schema, `"array"`) || strings.Count(schema, `"object"`) > 1 {
		return false
	}
	for _, value := range given { // order-free: any of them
		if k := kindOf(value); k == kindObject || k == kindArray {
			return false
		}
	}
	return true
}

// shape is the part of a schema that says what belongs where.
type shape struct {
	Type       json.RawMessage            `json:"type"`
	Properties map[string]json.RawMessage `json:"properties"`
	Required   []string                   `json:"required"`
	Items      json.RawMessage            `json:"items"`
	Additional json.RawMessage            `json:"additionalProperties"`
	AnyOf      []json.RawMessage          `json:"anyOf"`
}

// shapeOf reads a schema; what cannot be read says nothing. Of one that also allows null, as common libraries
// write what need not be given, it is the rest.
func shapeOf(schema json.RawMessage) shape {
	var s shape
	if json.Unmarshal(schema, &s) != nil {
		return shape{}
	}
	var rest []shape
	for _, one := range s.AnyOf {
		if of := shapeOf(one); of.kind() != kindNull {
			rest = append(rest, of)
		}
	}
	if len(s.Type) == 0 && len(rest) == 1 && len(s.AnyOf) == 2 {
		return rest[0]
	}
	return s
}

// open reports whether other properties than those that are listed are expressly allowed.
func (s shape) open() bool { return len(s.Additional) > 0 && string(s.Additional) != "false" }

// The kinds of JSON values, as a schema's type names them. Every number is one.
const (
	kindObject  = "object"
	kindArray   = "array"
	kindString  = "string"
	kindBoolean = "boolean"
	kindNumber  = "number"
	kindNull    = "null"
)

// kindOf returns the kind of a valid value; empty: there is none.
func kindOf(value json.RawMessage) string {
	switch value = bytes.TrimLeft(value, " \t\r\n"); {
	case len(value) == 0:
		return ""
	case value[0] == '{':
		return kindObject
	case value[0] == '[':
		return kindArray
	case value[0] == '"':
		return kindString
	case value[0] == 't', value[0] == 'f':
		return kindBoolean
	case value[0] == 'n':
		return kindNull
	default:
		return kindNumber
	}
}

// kind returns the one kind of value that is allowed, also beside null; empty: there are several, or it is not
// said.
func (s shape) kind() string {
	var name string
	if json.Unmarshal(s.Type, &name) != nil {
		var names []string
		if json.Unmarshal(s.Type, &names) != nil || len(names) != 2 || !slices.Contains(names, kindNull) {
			return ""
		}
		name = names[1-slices.Index(names, kindNull)]
	}
	if name == "integer" {
		return kindNumber
	}
	return name
}

// takes reports whether a value is of the kind that is allowed.
func (s shape) takes(value json.RawMessage) bool {
	k := s.kind()
	return k == "" || k == kindOf(value)
}

// correction says what is corrected besides kinds of values.
type correction struct {
	names bool
}

// of returns a value with what is meant in the place of what is written.
func (c correction) of(s shape, value json.RawMessage) (better json.RawMessage, changed bool) {
	switch kindOf(value) {
	case kindObject:
		if len(s.Properties) > 0 {
			return c.object(s, value)
		}
	case kindArray:
		if s.kind() == kindArray && kindOf(s.Items) == kindObject {
			return c.list(shapeOf(s.Items), value)
		}
	case kindString:
		if inner := s.inText(value); inner != nil {
			better, _ = c.of(s, inner)
			return better, true
		}
	}
	return value, false
}

// list corrects each item of a list.
func (c correction) list(s shape, value json.RawMessage) (better json.RawMessage, changed bool) {
	var items []json.RawMessage
	if json.Unmarshal(value, &items) != nil {
		return value, false
	}
	for i, item := range items {
		of, other := c.of(s, item)
		items[i], changed = of, changed || other
	}
	return encoded(value, items, changed)
}

// object corrects the names and values of an object's members.
func (c correction) object(s shape, value json.RawMessage) (better json.RawMessage, changed bool) {
	var given map[string]json.RawMessage
	if json.Unmarshal(value, &given) != nil {
		return value, false
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if of, known := s.Properties[name]; known {
			better, other := c.of(shapeOf(of), given[name])
			given[name], changed = better, changed || other
		}
	}
	if c.names {
		changed = c.rename(s, given) || changed
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if items, one := c.single(shapeOf(s.Properties[name]), given[name]); one {
			given[name], changed = items, true
		}
	}
	return encoded(value, given, changed)
}

// single returns a list with one item for an item in place of a list: an object, or one word.
func (c correction) single(s shape, value json.RawMessage) (list json.RawMessage, one bool) {
	if s.kind() != kindArray || kindOf(s.Items) != kindObject {
		return nil, false
	}
	of := shapeOf(s.Items)
	switch k := kindOf(value); {
	case k != of.kind():
		return nil, false
	case k == kindString && strings.ContainsAny(string(value), " ,;\\[{"): // several, perhaps
		return nil, false
	case k == kindObject, k == kindString && len(value) > len(`""`):
		value, _ = c.of(of, value)
		return slices.Concat(json.RawMessage("["), value, json.RawMessage("]")), true
	default:
		return nil, false
	}
}

// inText returns the list or object that a text holds where the schema has one; nil: none.
func (s shape) inText(value json.RawMessage) json.RawMessage {
	k := s.kind()
	var text string
	if k != kindArray && k != kindObject || json.Unmarshal(value, &text) != nil {
		return nil
	}
	inner := json.RawMessage(mend.JSON(strings.TrimSpace(text), mend.AsWritten))
	if !json.Valid(inner) || kindOf(inner) != k {
		return nil
	}
	return inner
}

// encoded returns what has changed as JSON, else the value as it was. Its texts are as they were written,
// because a rule or a person may look at them.
func encoded(value json.RawMessage, as any, changed bool) (json.RawMessage, bool) {
	if !changed {
		return value, false
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(as) != nil {
		return value, false
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), true
}
