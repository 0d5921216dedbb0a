package config

import (
	"reflect"
	"strings"

	"shelly/fsm/wording"
)

// unknownKey describes a key that does not exist, and suggests what may be meant. The key is the
// full path as far as it was given.
func (s schema) unknownKey(key string) string {
	for _, f := range s {
		if strings.HasPrefix(key, f.key+".") {
			return "unknown key; " + f.key + " is one value: give all of it at once"
		}
	}
	section, name := cutLast(key)
	if f, ok := s.withoutUnit(section, name); ok {
		return "unknown key; did you mean " + f.name() + " (a duration such as " + f.example() + ")?"
	}
	names := s.names(section)
	if near := wording.Nearest(name, names); near != "" {
		return "unknown key; did you mean " + near + "?"
	}
	for _, f := range s {
		if f.name() == strings.ToLower(name) {
			return "unknown key; did you mean " + f.key + "?"
		}
	}
	if len(names) == 0 {
		return "unknown key; the keys at the top are: " + strings.Join(s.names(""), ", ")
	}
	return "unknown key; the keys here are: " + strings.Join(names, ", ")
}

// withoutUnit finds the duration that is meant by a name with a unit in it: a duration has its unit
// in the value.
func (s schema) withoutUnit(section, name string) (field, bool) {
	for _, unit := range []string{"_secs", "_seconds", "_sec", "_s", "_ms", "_millis"} {
		base, ok := strings.CutSuffix(strings.ToLower(name), unit)
		if !ok {
			continue
		}
		for _, f := range s {
			inside := section == "" || strings.HasPrefix(f.key, section+".")
			if inside && f.name() == base && f.isDuration() {
				return f, true
			}
		}
	}
	return field{}, false
}

// example returns a field's default as a source would write it.
func (f field) example() string {
	return f.format(reflect.ValueOf(defaults(Sources{}, builtinProfile)).FieldByIndex(f.index))
}
