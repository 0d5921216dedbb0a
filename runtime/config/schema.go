package config

import (
	"reflect"
	"slices"
	"strings"
)

// field is one value of the configuration: its key and what its tags say.
type field struct {
	key         string // "limits.max_tool_rounds"
	index       []int  // as reflect.Value.FieldByIndex wants it
	typ         reflect.Type
	of          []string
	is          string
	min, max    string
	emptyOK     bool
	fromProfile bool
}

// schema is every field of Config, in order of declaration.
type schema []field

func newSchema() schema {
	return gather(nil, reflect.TypeFor[Config](), "", nil, false)
}

// gather appends the fields of a section to s.
func gather(s schema, t reflect.Type, prefix string, index []int, fromProfile bool) schema {
	for i := range t.NumField() {
		sf := t.Field(i)
		name, ok := sf.Tag.Lookup("key")
		if !ok {
			continue
		}
		f := field{
			key:         prefix + name,
			index:       append(slices.Clone(index), i),
			typ:         sf.Type,
			is:          sf.Tag.Get("is"),
			min:         sf.Tag.Get("min"),
			max:         sf.Tag.Get("max"),
			emptyOK:     sf.Tag.Get("empty") == "ok",
			fromProfile: fromProfile,
		}
		if from, ok := sf.Tag.Lookup("from"); ok {
			f.fromProfile = from == "profile"
		}
		if of := sf.Tag.Get("of"); of != "" {
			f.of = strings.Split(of, "|")
		}
		if sf.Type.Kind() == reflect.Struct {
			s = gather(s, sf.Type, f.key+".", f.index, f.fromProfile)
			continue
		}
		s = append(s, f)
	}
	return s
}

// field returns the field of a key.
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

// names returns the names right below a section; "" is the top.
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
