// Package reference tells what each key of a scenario file means (SCN-67): what shelly
// scenario explain prints, and docs/reference.md. Both are views of the JSON Schema, which
// is made of the types that files are read into and their comments (SCN-20), and of one
// example for each key, taken from a scenario that is played in every test of the project.
package reference

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Format is the format of scenario files as its schema has it.
type Format struct {
	root  *schema
	kinds []kind          // in the order in which a reader meets them
	known map[string]bool // ids of keys that another format tells
	file  string          // the files that have its keys, where they are no scenarios
}

// schema is as much of a JSON Schema as the format's uses.
type schema struct {
	Ref         string          `json:"$ref"`
	Description string          `json:"description"`
	Type        words           `json:"type"`
	Pattern     string          `json:"pattern"`
	Enum        []any           `json:"enum"`
	Const       any             `json:"const"`
	Default     json.RawMessage `json:"default"`
	AnyOf       []*schema       `json:"anyOf"`
	Then        *schema         `json:"then"`
	Else        *schema         `json:"else"`
	Items       *schema         `json:"items"`
	Parts       members         `json:"properties"`
	Required    []string        `json:"required"`
	ByName      *schema         `json:"additionalProperties"`
	Not         *struct{}       `json:"not"`
	Defs        members         `json:"$defs"`
}

// words is a text, or a list of texts.
type words []string

// UnmarshalJSON implements [json.Unmarshaler].
func (w *words) UnmarshalJSON(text []byte) error {
	var one string
	if json.Unmarshal(text, &one) == nil {
		*w = words{one}
		return nil
	}
	return json.Unmarshal(text, (*[]string)(w))
}

// members are schemas by name in the order of the file.
type members []member

type member struct {
	name string
	of   *schema
}

// UnmarshalJSON implements [json.Unmarshaler].
func (m *members) UnmarshalJSON(text []byte) error {
	d := json.NewDecoder(strings.NewReader(string(text)))
	if _, err := d.Token(); err != nil {
		return err
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		of := &schema{}
		err = d.Decode(of)
		if _, isBool := err.(*json.UnmarshalTypeError); err != nil && !isBool { // additionalProperties: false
			return err
		}
		*m = append(*m, member{fmt.Sprint(name), of})
	}
	return nil
}

// UnmarshalJSON implements [json.Unmarshaler]: a schema may be true or false.
func (s *schema) UnmarshalJSON(text []byte) error {
	type plain schema
	if string(text) == "true" || string(text) == "false" {
		return nil
	}
	return json.Unmarshal(text, (*plain)(s))
}

func (m members) get(name string) *schema {
	for _, o := range m {
		if o.name == name {
			return o.of
		}
	}
	return nil
}

// kind is a map of the format: its keys, and the first path that leads to it.
type kind struct {
	name   string // of the definition; "" for the file itself
	path   string
	of     *schema
	level  int  // how many maps it is within
	either bool // its place takes maps of another kind, too, as always takes claims and items
}

// Key is one key of the format.
type Key struct {
	Path     string   // such as brain[].sees; names of the file's choice are NAME
	Kind     string   // the map that has it, such as Line; "" for the file itself
	Name     string   // such as sees
	Meaning  string   // what it says
	Type     string   // what it takes
	Words    []string // the words that it takes, where it takes only those
	Default  string   // as JSON; "" where the meaning says all
	Required bool
	Rules    []string // of the specification that its meaning names
	Inside   []string // the keys of what it takes
	In       string   // the files that have it, where they are no scenarios
}

// New reads the format's schema.
func New(text []byte) (*Format, error) {
	root := &schema{}
	if err := json.Unmarshal(text, root); err != nil {
		return nil, fmt.Errorf("the schema cannot be read: %w", err)
	}
	f := &Format{root: root}
	f.kinds = append(f.kinds, kind{of: root})
	known := map[string]bool{}
	var later []kind // a path on which nothing else can be tells more
	add := func(k kind) {
		if !known[k.name] {
			known[k.name] = true
			f.kinds = append(f.kinds, k)
		}
	}
	for i := 0; i < len(f.kinds); i++ { // breadth first: the first path is the shortest
		at := f.kinds[i]
		for _, m := range at.of.Parts {
			for _, inner := range f.mapsOf(m.of, join(at.path, m.name), m.name, 0) {
				if inner.level = at.level + 1; inner.either {
					later = append(later, inner)
				} else {
					add(inner)
				}
			}
		}
		for i == len(f.kinds)-1 && len(later) > 0 {
			add(later[0])
			later = later[1:]
		}
	}
	slices.SortStableFunc(f.kinds, func(a, b kind) int { return a.level - b.level })
	return f, nil
}

// Property reads the format of properties (PRP-2). Its keys are those that a scenario does not
// have: what may be drawn has the keys of what it makes, and some.
func Property(text []byte, scenario *Format) (*Format, error) {
	f, err := New(text)
	if err != nil {
		return nil, err
	}
	f.file, f.known = "a property", map[string]bool{}
	for _, k := range scenario.Keys() {
		f.known[k.ID()] = true
	}
	return f, nil
}

// drawn is in the name of a definition that is another's with values drawn.
const drawn = "Drawn"

// tells reports whether a key is one that no other format tells.
func (f *Format) tells(k Key) bool {
	k.Kind = strings.TrimSuffix(strings.TrimPrefix(k.Kind, drawn), drawn)
	return !f.known[k.ID()]
}

// depthMax bounds how deep a value is looked into for maps with keys.
const depthMax = 8

// mapsOf are the maps with keys that a value can be or hold.
func (f *Format) mapsOf(s *schema, path, name string, depth int) []kind {
	if s == nil || depth > depthMax {
		return nil
	}
	if ref, ok := strings.CutPrefix(s.Ref, "#/$defs/"); ok {
		return f.mapsOf(f.root.Defs.get(ref), path, ref, depth+1)
	}
	var list []kind
	if len(s.Parts) > 0 {
		list = append(list, kind{name: name, path: path, of: s})
	}
	for _, o := range s.AnyOf {
		list = append(list, f.mapsOf(o, path, name, depth+1)...)
	}
	for _, o := range []*schema{s.Then, s.Else} {
		for _, k := range f.mapsOf(o, path, name, depth+1) {
			k.either = true
			list = append(list, k)
		}
	}
	if s.Items != nil {
		list = append(list, f.mapsOf(s.Items, path+"[]", name, depth+1)...)
	}
	if s.ByName != nil && s.ByName.Not == nil {
		list = append(list, f.mapsOf(s.ByName, join(path, "NAME"), name, depth+1)...)
	}
	return list
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// isMatcher reports whether a key belongs to every matcher, such as $contains.
func isMatcher(name string) bool { return strings.HasPrefix(name, "$") }

// Keys lists all keys: those of the file, then those of each map within, as a reader meets
// them. The keys of matchers, which every matcher has, are listed once.
func (f *Format) Keys() []Key {
	var list []Key
	matchers := false
	for _, k := range f.kinds {
		once := matchers
		for _, m := range k.of.Parts {
			if isMatcher(m.name) && once {
				continue
			}
			matchers = matchers || isMatcher(m.name)
			if key := f.key(k, m); f.tells(key) {
				list = append(list, key)
			}
		}
	}
	return list
}

func (f *Format) key(k kind, m member) Key {
	s := f.followed(m.of)
	out := Key{
		Path: join(k.path, m.name), Kind: k.name, Name: m.name, Meaning: m.of.Description, Required: slices.Contains(k.of.Required, m.name),
		Default: string(m.of.Default), Words: enumOf(m.of), Type: f.typeOf(m.of, 0), In: f.file,
	}
	if isMatcher(m.name) {
		out.Path = m.name
	}
	out.Meaning = cmp.Or(out.Meaning, s.Description)
	out.Rules = rulesIn(out.Meaning + " " + s.Description)
	for _, inner := range f.mapsOf(m.of, "", m.name, 0) {
		for _, p := range inner.of.Parts {
			if !isMatcher(p.name) && !slices.Contains(out.Inside, p.name) {
				out.Inside = append(out.Inside, p.name)
			}
		}
	}
	return out
}

// followed is what a schema refers to.
func (f *Format) followed(s *schema) *schema {
	for range depthMax {
		ref, ok := strings.CutPrefix(s.Ref, "#/$defs/")
		if !ok {
			break
		}
		s = f.root.Defs.get(ref)
	}
	return s
}

func rulesIn(text string) []string {
	found := regexp.MustCompile(`\b[A-Z]{3}-[1-9][0-9]*\b`).FindAllString(text, -1)
	slices.Sort(found)
	return slices.Compact(found)
}

// enumOf are the words that a value is one of.
func enumOf(s *schema) []string {
	var list []string
	for _, w := range s.Enum {
		if word := fmt.Sprint(w); !slices.Contains(list, word) { // true is read as "true", too
			list = append(list, word)
		}
	}
	for _, o := range s.AnyOf {
		list = append(list, enumOf(o)...)
	}
	if s.Items != nil {
		list = append(list, enumOf(s.Items)...)
	}
	return list
}

// variable is the pattern of a text that stands for a value of another type (SCN-17).
const variable = `^\$\{[a-z][a-z0-9_]{0,39}\}$`

// matcherOf words what a matcher is for, as far as the schema has it.
func matcherOf(s *schema) string {
	var all []string
	for _, t := range s.Type {
		switch {
		case t == "string" && s.Pattern == variable:
		case t != "object": // a matcher is one
			all = append(all, typeWords()[t])
		}
	}
	return strings.Join(append(all, "matcher"), " or ")
}

// typeOf words what a value may be: "text", "list of maps", "map by name".
func (f *Format) typeOf(s *schema, depth int) string {
	if depth > depthMax {
		return "value"
	}
	if ref, ok := strings.CutPrefix(s.Ref, "#/$defs/"); ok {
		if strings.HasPrefix(ref, "Matcher") {
			return matcherOf(s)
		}
		if simple := simpleTypes()[ref]; simple != "" {
			return simple
		}
		return f.typeOf(f.root.Defs.get(ref), depth+1)
	}
	var all []string
	add := func(t string) {
		if t != "" && !slices.Contains(all, t) {
			all = append(all, t)
		}
	}
	for _, o := range s.AnyOf {
		switch {
		case o.Const == true || slices.Contains(o.Enum, any(true)):
			add("switch")
		case o.Const != nil:
			add("number")
		case o.Pattern == variable && len(o.Type) == 1:
		case len(o.Type) > 0 || o.Ref != "" || len(o.AnyOf) > 0:
			add(f.typeOf(o, depth+1))
		}
	}
	if len(all) == 0 {
		for _, t := range s.Type {
			switch {
			case t == "string" && len(s.Type) > 1 && s.Pattern == variable:
			case t == "array" && s.Items != nil:
				add("list of " + plural(f.typeOf(s.Items, depth+1)))
			case t == "object" && len(s.Parts) == 0:
				add("map by name")
			default:
				add(typeWords()[t])
			}
		}
	}
	switch _, number := s.Const.(float64); {
	case len(all) == 0 && number:
		return "number"
	case len(all) == 0:
		return "value"
	}
	return strings.Join(all, " or ")
}

func typeWords() map[string]string {
	return map[string]string{"string": "text", "object": "map", "array": "list", "integer": "number", "number": "number", "boolean": "switch", "null": "nothing"}
}

// simpleTypes are definitions that people know by a word.
func simpleTypes() map[string]string {
	return map[string]string{
		"Duration": "duration", "Count": "number", "Time": "time", "Offset": "offset", "Chance": "probability", "Expression": "expression", "Speed": "speed",
		"Seed": "number", "Hash": "hash", "Leap": "duration", "limitTime": "duration", "Condition": "expression or item", "Claim": "expression, item or map", "Promise": "expression, item or map",
		"Data": "value", "Args": "map",
	}
}

func plural(t string) string {
	if strings.ContainsAny(t, " ,") {
		return "(" + t + ")"
	}
	return t + "s"
}
