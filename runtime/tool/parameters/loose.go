package parameters

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"shelly/fsm/wording"
)

// Loose returns a schema without what cannot be checked, such as a pattern that RE2 does not
// have, and what that is. It allows whatever the schema allows, and perhaps more. Bounds of draft 4
// (exclusiveMinimum as true or false) become those of later drafts, and definitions become $defs where
// a schema has both, which the library refuses.
func Loose(text string) (loose string, unchecked []string) {
	var root map[string]any
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if d.Decode(&root) != nil {
		return text, nil // Read says what is wrong
	}
	id, _ := root["$id"].(string)
	l := loosening{based: absolute(id)}
	l.joined(root)
	l.schema(root)
	if l.changed && len(l.unchecked) > 0 {
		l.positive(root)
	}
	b, err := json.Marshal(root)
	if err != nil || !l.changed {
		return text, nil
	}
	return string(b), l.unchecked
}

// loosening is what is done to a schema.
type loosening struct {
	based     bool // its $id is a whole address
	changed   bool
	names     bool     // names of properties are not checked
	unchecked []string // without the same twice
}

func (l *loosening) without(what string) {
	l.changed = true
	if !slices.Contains(l.unchecked, what) {
		l.unchecked = append(l.unchecked, what)
	}
}

// schema takes out what cannot be checked.
func (l *loosening) schema(v any) {
	s, is := v.(map[string]any)
	if !is {
		return
	}
	if p, is := s["pattern"].(string); is && !compiles(p) {
		delete(s, "pattern")
		l.without("pattern " + wording.Quote(p))
	}
	if of, is := s["patternProperties"].(map[string]any); is {
		for _, p := range slices.Sorted(maps.Keys(of)) {
			if !compiles(p) {
				delete(of, p)
				l.names = true
				l.without("patternProperties " + wording.Quote(p))
			}
		}
	}
	if r, given := s["required"]; given {
		if _, is := r.([]any); !is { // of draft 3
			delete(s, "required")
			l.without(fmt.Sprintf("required %v", r))
		}
	}
	if id, is := s["$id"].(string); is && !l.based && !absolute(id) { // a mere name
		delete(s, "$id")
		l.changed = true
	}
	l.exclusive(s, "minimum", "exclusiveMinimum")
	l.exclusive(s, "maximum", "exclusiveMaximum")
	each(s, l.schema)
}

// joined makes the definitions of a whole schema $defs if it has both.
func (l *loosening) joined(root map[string]any) {
	defs, both := root["$defs"].(map[string]any)
	more, is := root["definitions"].(map[string]any)
	if !both || !is {
		return
	}
	l.changed = true
	delete(root, "definitions")
	to := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(more)) {
		as := name
		for defs[as] != nil {
			as += "_"
		}
		defs[as], to[inPointer.Replace(name)] = more[name], "#/$defs/"+url.PathEscape(inPointer.Replace(as))
	}
	referred(root, to)
}

// inPointer writes a name as part of a pointer.
var inPointer = strings.NewReplacer("~", "~0", "/", "~1")

// referred makes the references to definitions lead to others.
func referred(v any, to map[string]string) {
	s, is := v.(map[string]any)
	if !is {
		return
	}
	if ref, is := s["$ref"].(string); is {
		name, rest, more := strings.Cut(strings.TrimPrefix(ref, "#/definitions/"), "/")
		plain, err := url.PathUnescape(name)
		if as := to[plain]; err == nil && as != "" && strings.HasPrefix(ref, "#/definitions/") {
			if more {
				as += "/" + rest
			}
			s["$ref"] = as
		}
	}
	each(s, func(v any) { referred(v, to) })
}

func absolute(id string) bool {
	u, err := url.Parse(id)
	return err == nil && u.IsAbs()
}

func compiles(pattern string) bool {
	_, err := regexp.Compile(pattern)
	return err == nil
}

func (l *loosening) exclusive(s map[string]any, bound, exclusive string) {
	is, given := s[exclusive].(bool)
	if !given {
		return
	}
	l.changed = true
	delete(s, exclusive)
	if n, known := s[bound]; is && known {
		s[exclusive] = n
		delete(s, bound)
	}
}

// positive takes out what would refuse more because something else is not checked.
func (l *loosening) positive(v any) {
	s, is := v.(map[string]any)
	if !is {
		return
	}
	for _, name := range []string{"not", "if", "then", "else", "maxContains"} {
		delete(s, name)
	}
	if l.names {
		delete(s, "additionalProperties")
		delete(s, "unevaluatedProperties")
	}
	if one, given := s["oneOf"]; given {
		all, _ := s["allOf"].([]any)
		s["allOf"] = append(all, map[string]any{"anyOf": one})
		delete(s, "oneOf")
	}
	each(s, l.positive)
}

// each does something to each schema right below one.
func each(s map[string]any, do func(any)) {
	for _, name := range slices.Sorted(maps.Keys(s)) {
		switch name {
		case "const", "default", "enum", "examples": // values
		case "$defs", "definitions", "properties", "patternProperties", "dependentSchemas", "dependencies":
			of, _ := s[name].(map[string]any)
			for _, key := range slices.Sorted(maps.Keys(of)) {
				do(of[key])
			}
		default:
			list, is := s[name].([]any)
			if !is {
				list = []any{s[name]}
			}
			for _, v := range list {
				do(v)
			}
		}
	}
}
