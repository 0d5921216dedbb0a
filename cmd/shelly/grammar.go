package main

import (
	"reflect"
	"strings"
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
	if name := f.Tag.Get("name"); name != "" {
		return name
	}
	return strings.ToLower(f.Name)
}
