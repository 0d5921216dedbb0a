package main

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// grammar returns what kong parses a command line by. If args begins with the name of a
// command, it has that command alone, because building the grammar of all commands takes as
// long as the rest of a start.
func grammar(args []string) any {
	all := reflect.TypeFor[cli]()
	if len(args) == 0 {
		return &cli{}
	}
	var fields []reflect.StructField
	found := false
	for f := range all.Fields() {
		_, command := f.Tag.Lookup("cmd")
		_, hidden := f.Tag.Lookup("hidden")
		if named := command && !hidden && nameOf(f) == args[0]; named || !command {
			found, fields = found || named, append(fields, f)
		}
	}
	if !found {
		return &cli{}
	}
	return reflect.New(reflect.StructOf(fields)).Interface()
}

// nameOf returns the name of a command.
func nameOf(f reflect.StructField) string {
	return cmp.Or(f.Tag.Get("name"), strings.ToLower(f.Name))
}

// emptied returns the name of an argument or flag that is given as an empty text, which is more
// often a variable that is not set than what somebody means: approve "" would approve whatever
// waits. Only what is said to a model or a person may be empty.
func emptied(line []*kong.Path) (name string) {
	for _, p := range line {
		v := p.Positional
		switch {
		case p.Flag != nil:
			v = p.Flag.Value
			name = "--" + v.Name
		case v != nil:
			name = "<" + v.Name + ">"
		}
		if v != nil && v.Name != "text" && v.Tag.PlaceHolder != "TEXT" && hasEmpty(v.Target) {
			return name
		}
	}
	return ""
}

// hasEmpty reports whether a value is an empty text, or a list with one.
func hasEmpty(v reflect.Value) bool {
	if list, ok := v.Interface().([]string); ok {
		return slices.Contains(list, "")
	}
	return v.Kind() == reflect.String && v.Len() == 0
}
