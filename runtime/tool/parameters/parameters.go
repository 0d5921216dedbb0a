// Package parameters reads the JSON schemas of tools' arguments, which other people have written.
//
//	s, err := parameters.Read(text) // err: it cannot be used
//	err = s.Validate(value)
//
// The library that validates follows a reference wherever it leads. A schema that applies to itself
// again and again would overflow the stack, which ends the process, and one whose references
// multiply would take for ever. Read refuses both.
package parameters

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"shelly/runtime/misfit"
)

// Schema is a schema that can be used.
type Schema struct {
	*jsonschema.Resolved
	Properties map[string]*jsonschema.Schema
	Required   []string
	Open       bool // further properties may be given
}

// depthMax bounds the lists and objects within each other. What is done with a schema takes the square
// of its depth, and 16 KiB have room for one of 2,000.
const depthMax = 100

// deep reports whether a JSON text is nested too deeply.
func deep(text string) bool {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{', c == '[':
			if depth++; depth > depthMax {
				return true
			}
		case c == '}', c == ']':
			depth--
		}
	}
	return false
}

// partsMax is the most parts of a schema that may apply to one value.
const partsMax = 10_000

// Read reads a schema.
func Read(text string) (Schema, error) {
	if deep(text) {
		return Schema{}, fmt.Errorf("it is nested more than %d deep", depthMax)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return Schema{}, misfit.Worded(err)
	}
	resolved, err := s.Resolve(&jsonschema.ResolveOptions{Loader: elsewhere})
	if err != nil {
		return Schema{}, err
	}
	w := walk{parts: map[string]int{}}
	if err := json.Unmarshal([]byte(text), &w.root); err != nil {
		return Schema{}, err
	}
	w.find(w.root, nil)
	for _, at := range w.places {
		if _, err := w.count(at); err != nil {
			return Schema{}, err
		}
	}
	return Schema{resolved, s.Properties, s.Required, s.AdditionalProperties == nil || s.AdditionalProperties.Not == nil}, nil
}

// elsewhere refuses to load another schema: a program or a server must not make shelly read a file or an
// address.
func elsewhere(*url.URL) (*jsonschema.Schema, error) {
	return nil, errors.New("it refers to another schema, and none is loaded")
}

// Alone returns a part of a schema as a schema of its own, or nil if it refers to something: that may
// be outside of it.
func Alone(p *jsonschema.Schema) *jsonschema.Resolved {
	text, err := json.Marshal(p)
	if err != nil || strings.Contains(string(text), `"$ref"`) || strings.Contains(string(text), `"$dynamicRef"`) {
		return nil
	}
	one, err := p.CloneSchemas().Resolve(nil)
	if err != nil {
		return nil
	}
	return one
}

// What references to the definitions of the whole schema begin with.
const (
	defsPointer        = "#/$defs/"
	definitionsPointer = "#/definitions/"
)

// Part returns a part of the schema as a schema of its own that has the whole schema's definitions, or
// nil if it refers to anything else. Other than [Alone] it takes as long as all definitions do.
func (s Schema) Part(p *jsonschema.Schema) *jsonschema.Resolved {
	root := s.Resolved.Schema()
	if p == nil || p.Defs != nil || p.Definitions != nil {
		return nil
	}
	of := *p
	of.Defs, of.Definitions, of.Schema = root.Defs, root.Definitions, root.Schema
	text, err := json.Marshal(&of)
	count := func(part string) int { return strings.Count(string(text), part) }
	known := count(`"$ref":"`+defsPointer) + count(`"$ref":"`+definitionsPointer)
	if err != nil || count(`"$ref"`) != known || count(`"$dynamicRef"`)+count(`"$id"`) > 0 {
		return nil
	}
	one, err := of.CloneSchemas().Resolve(nil)
	if err != nil {
		return nil
	}
	return one
}

// followedMax is how many references are followed, one after the other.
const followedMax = 10

// Followed returns the definition to which a part of the schema refers, or the part itself.
func (s Schema) Followed(p *jsonschema.Schema) *jsonschema.Schema {
	root := s.Resolved.Schema()
	for range followedMax {
		if p == nil || p.Ref == "" {
			break
		}
		to := root.Defs[strings.TrimPrefix(p.Ref, defsPointer)]
		if name, is := strings.CutPrefix(p.Ref, definitionsPointer); is {
			to = root.Definitions[name]
		}
		if to == nil {
			break
		}
		p = to
	}
	return p
}

// Nullable reports whether a property that may refer to something can be null.
func (s Schema) Nullable(name string) bool {
	root := s.Resolved.Schema().CloneSchemas()
	only := jsonschema.Schema{ // what the property may refer to, without what the other properties need
		ID: root.ID, Schema: root.Schema, Anchor: root.Anchor, DynamicAnchor: root.DynamicAnchor, Type: root.Type, Types: root.Types,
		Defs: root.Defs, Definitions: root.Definitions, Properties: root.Properties,
	}
	one, err := only.Resolve(nil)
	return err == nil && one.Validate(map[string]any{name: nil}) == nil
}

// walk counts the parts of a schema that apply to one value.
type walk struct {
	root   any
	places [][]string     // of all objects
	parts  map[string]int // by a place: how many apply where it does; 0: it is being counted
}

// find notes the places of all objects below one.
func (w *walk) find(v any, at []string) {
	switch v := v.(type) {
	case map[string]any:
		w.places = append(w.places, at)
		for _, name := range slices.Sorted(maps.Keys(v)) {
			switch name {
			case "const", "default", "enum", "examples": // values, not schemas
			default:
				w.find(v[name], below(at, name))
			}
		}
	case []any:
		for i := range v {
			w.find(v[i], below(at, strconv.Itoa(i)))
		}
	}
}

func below(at []string, more ...string) []string { return append(slices.Clone(at), more...) }

// get returns what is at a place, or nil.
func (w *walk) get(at []string) any {
	v := w.root
	for _, name := range at {
		switch in := v.(type) {
		case map[string]any:
			v = in[name]
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i < 0 || i >= len(in) {
				return nil
			}
			v = in[i]
		default:
			return nil
		}
	}
	return v
}

// count counts the parts that apply where the one at a place does.
func (w *walk) count(at []string) (int, error) {
	s, ok := w.get(at).(map[string]any)
	if !ok {
		return 1, nil
	}
	key := strings.Join(at, "\x00")
	n, known := w.parts[key]
	switch {
	case known && n == 0:
		return 0, fmt.Errorf("/%s refers to itself without end", strings.Join(at, "/"))
	case known:
		return n, nil
	}
	w.parts[key] = 0
	n = 1
	for _, to := range w.beside(s, at) {
		more, err := w.count(to)
		if err != nil {
			return 0, err
		}
		if n += more; n > partsMax {
			return 0, fmt.Errorf("at /%s more than %d parts apply to one value", strings.Join(at, "/"), partsMax)
		}
	}
	w.parts[key] = n
	return n, nil
}

// beside returns the places of the schemas that apply to the same value as one does.
func (w *walk) beside(s map[string]any, at []string) (to [][]string) {
	for _, name := range slices.Sorted(maps.Keys(s)) {
		switch v := s[name].(type) {
		case string:
			if name == "$ref" || name == "$dynamicRef" {
				to = append(to, w.referred(v, at)...)
			}
		case []any:
			if name == "allOf" || name == "anyOf" || name == "oneOf" {
				for i := range v {
					to = append(to, below(at, name, strconv.Itoa(i)))
				}
			}
		case map[string]any:
			switch name {
			case "not", "if", "then", "else":
				to = append(to, below(at, name))
			case "dependentSchemas", "dependencies":
				for _, p := range slices.Sorted(maps.Keys(v)) {
					to = append(to, below(at, name, p))
				}
			}
		}
	}
	return to
}

// referred returns the places to which a reference at a place may lead.
func (w *walk) referred(ref string, at []string) (to [][]string) {
	base, fragment, _ := strings.Cut(ref, "#")
	fragment, _ = url.PathUnescape(fragment) // the library has read it
	for _, from := range w.documents(base, at) {
		switch {
		case fragment == "":
			to = append(to, from)
		case fragment[0] == '/':
			names := strings.Split(fragment[1:], "/")
			for i := range names {
				names[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(names[i])
			}
			to = append(to, below(from, names...))
		}
	}
	if fragment != "" && fragment[0] != '/' {
		to = append(to, w.with("$anchor", fragment)...)
		to = append(to, w.with("$dynamicAnchor", fragment)...)
	}
	return to
}

// documents returns the places of the documents that a reference at a place may name.
func (w *walk) documents(base string, at []string) [][]string {
	if base != "" {
		return append(w.with("$id", base), []string{}) // the whole schema may be meant, too
	}
	for i := len(at); i > 0; i-- {
		if s, ok := w.get(at[:i]).(map[string]any); ok && s["$id"] != nil {
			return [][]string{at[:i]}
		}
	}
	return [][]string{nil}
}

// with returns the places of objects in which a name has a text, or one that ends in it.
func (w *walk) with(name, text string) (list [][]string) {
	for _, at := range w.places {
		s, _ := w.get(at).(map[string]any)
		if is, ok := s[name].(string); ok && (strings.TrimSuffix(is, "#") == text || strings.HasSuffix(is, "/"+strings.TrimPrefix(text, "/"))) {
			list = append(list, at)
		}
	}
	return list
}
