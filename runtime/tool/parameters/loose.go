package parameters

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"shelly/fsm/wording"
	"shelly/runtime/tool/pattern"
)

// Loose returns a schema without what cannot be checked, such as a pattern that RE2 does not
// have, and what that is. It allows whatever the schema allows, and perhaps more. Bounds of draft 4
// (exclusiveMinimum as true or false) become those of later drafts, and definitions become $defs wherever
// a schema has both, which the library refuses.
func Loose(text string) (loose string, unchecked []string) {
	var root map[string]any
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if deep(text) || d.Decode(&root) != nil {
		return text, nil // Read says what is wrong
	}
	id, _ := root["$id"].(string)
	l := loosening{based: absolute(id)}
	to := map[string]string{}
	if l.joined("", root, to); len(to) > 0 {
		l.referred("", "", root, to)
	}
	for _, s := range l.joins {
		delete(s, "definitions")
	}
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
	joins     []map[string]any // schemas whose definitions are $defs now
	names     bool             // names of properties are not checked
	unchecked []string         // without the same twice
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
	each(s, func(_ string, v any) { l.schema(v) })
}

// joined makes the definitions of each schema that has both $defs, which the library does not read
// together. It says as what by the schema's pointer and the name, as pointers have it.
func (l *loosening) joined(at string, v any, to map[string]string) {
	s, is := v.(map[string]any)
	if !is {
		return
	}
	each(s, func(below string, v any) { l.joined(at+below, v, to) })
	defs, both := s["$defs"].(map[string]any)
	more, is := s["definitions"].(map[string]any)
	if !both || !is {
		return
	}
	l.changed = true
	l.joins = append(l.joins, s) // where references lead now is found by the pointers of before
	for _, name := range slices.Sorted(maps.Keys(more)) {
		as := name
		for defs[as] != nil {
			as += "_"
		}
		defs[as], to[at+"/definitions/"+inPointer.Replace(name)] = more[name], "/$defs/"+inPointer.Replace(as)
	}
}

// inPointer writes a name as part of a pointer.
var inPointer = strings.NewReplacer("~", "~0", "/", "~1")

// referred makes the references to definitions that were joined lead to them. Base is the pointer
// of the schema that a reference begins at: of the whole one, or of a part with an $id.
func (l *loosening) referred(base, at string, v any, to map[string]string) {
	s, is := v.(map[string]any)
	if !is {
		return
	}
	if id, is := s["$id"].(string); is && (l.based || absolute(id)) {
		base = at
	}
	if ref, is := s["$ref"].(string); is {
		if plain, err := url.PathUnescape(ref); err == nil && strings.HasPrefix(plain, "#/") {
			s["$ref"] = "#" + (&url.URL{Fragment: moved(base, plain[1:], to)}).EscapedFragment()
		}
	}
	each(s, func(below string, v any) { l.referred(base, at+below, v, to) })
}

// moved returns where a pointer leads after what was joined.
func moved(base, pointer string, to map[string]string) string {
	out, was := "", base
	for pointer != "" {
		part := pointer
		if i := strings.IndexByte(pointer[1:], '/'); i >= 0 {
			part = pointer[:i+1]
		}
		pointer = pointer[len(part):]
		out, was = out+part, was+part
		if as := to[was]; as != "" {
			out = strings.TrimSuffix(out, was[strings.LastIndex(was, "/definitions/"):]) + as
		}
	}
	return out
}

func absolute(id string) bool {
	u, err := url.Parse(id)
	return err == nil && u.IsAbs()
}

func compiles(text string) bool {
	_, err := pattern.Compile(text)
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
	each(s, func(_ string, v any) { l.positive(v) })
}

// each does something to each schema right below one, with its pointer from there.
func each(s map[string]any, do func(at string, v any)) {
	for _, name := range slices.Sorted(maps.Keys(s)) {
		switch name {
		case "const", "default", "enum", "examples": // values
		case "$defs", "definitions", "properties", "patternProperties", "dependentSchemas", "dependencies":
			of, _ := s[name].(map[string]any)
			for _, key := range slices.Sorted(maps.Keys(of)) {
				do("/"+name+"/"+inPointer.Replace(key), of[key])
			}
		default:
			list, is := s[name].([]any)
			if !is {
				do("/"+name, s[name])
			}
			for i, v := range list {
				do(fmt.Sprintf("/%s/%d", name, i), v)
			}
		}
	}
}
