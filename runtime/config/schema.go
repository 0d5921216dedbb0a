package config

import (
	"reflect"
	"slices"
	"strings"

	"shelly/fsm/profile"
	"shelly/sim/strict"
)

// field is one value of the configuration: its key and what its tags say.
type field struct {
	key         string // "limits.max_tool_rounds"
	index       []int  // as for reflect.Value.FieldByIndex
	typ         reflect.Type
	of          []string
	zero        string // the word for a switch's zero value, ""
	is          string
	within      strict.Range // of a number, duration or size
	emptyOK     bool
	fromProfile bool
	says        string
}

// schema is every field of Config, in order of declaration.
type schema []field

func newSchema() schema {
	g := gathering{machine: map[string]machineKey{}}
	for _, k := range machineKeys() {
		g.machine[k.key] = k
	}
	g.gather(reflect.TypeFor[Config](), "", nil, false)
	return g.schema
}

// gathering is the state of making a schema.
type gathering struct {
	schema  schema
	machine map[string]machineKey
}

// gather appends the fields of a section.
func (g *gathering) gather(t reflect.Type, prefix string, index []int, fromProfile bool) {
	for i := range t.NumField() {
		sf := t.Field(i)
		at := append(slices.Clone(index), i)
		if sf.Anonymous {
			g.gather(sf.Type, prefix, at, fromProfile)
			continue
		}
		f, ok := g.field(sf, prefix)
		if !ok {
			continue
		}
		f.index, f.typ = at, sf.Type
		f.fromProfile = fromProfile
		if from, ok := sf.Tag.Lookup("from"); ok {
			f.fromProfile = from == "profile"
		}
		if sf.Type.Kind() == reflect.Struct {
			g.gather(sf.Type, f.key+".", f.index, f.fromProfile)
			continue
		}
		g.schema = append(g.schema, f)
	}
}

// field makes a field from its tags or, if it is a field of one of the machine's structs, from its
// machineKey.
func (g *gathering) field(sf reflect.StructField, prefix string) (field, bool) {
	f := field{is: sf.Tag.Get("is"), emptyOK: sf.Tag.Get("empty") == "ok", says: sf.Tag.Get("says"), of: words(sf.Tag.Get("of")), within: strict.RangeOf(sf.Tag)}
	if name, ok := sf.Tag.Lookup("key"); ok {
		f.key = prefix + name
		if f.key == "profile" {
			f.of = profile.Names()
		}
		return f, true
	}
	name, _, _ := strings.Cut(sf.Tag.Get("json"), ",")
	k, ok := g.machine[prefix+name]
	f.key, f.says = k.key, k.says
	if f.of != nil {
		f.zero = f.of[0]
	}
	if prefix == "prompts." {
		f.is = "prompt"
	}
	return f, ok
}

func words(of string) []string {
	if of == "" {
		return nil
	}
	return strings.Split(of, "|")
}

func (s schema) field(key string) (field, bool) {
	for _, f := range s {
		if f.key == key {
			return f, true
		}
	}
	return field{}, false
}

// isSection reports whether a key is a section.
func (s schema) isSection(key string) bool {
	return slices.ContainsFunc(s, func(f field) bool { return strings.HasPrefix(f.key, key+".") })
}

// names returns the names directly below a section; "" is the top.
func (s schema) names(section string) []string {
	var names []string
	for _, f := range s {
		rest := f.key
		if section != "" {
			var ok bool
			if rest, ok = strings.CutPrefix(f.key, section+"."); !ok {
				continue
			}
		}
		name, _, _ := strings.Cut(rest, ".")
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// variable returns the environment variable of a field (CFG-2).
func (f field) variable() string {
	return variablePrefix + strings.ToUpper(strings.ReplaceAll(f.key, ".", "_"))
}

// name returns the last part of a field's key.
func (f field) name() string { return f.key[strings.LastIndex(f.key, ".")+1:] }

// cutLast splits a key into its section and its last part.
func cutLast(key string) (section, name string) {
	if i := strings.LastIndexByte(key, '.'); i >= 0 {
		return key[:i], key[i+1:]
	}
	return "", key
}
