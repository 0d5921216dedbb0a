package format

import (
	"reflect"
	"slices"
	"strings"

	"shelly/sim/strict"
)

// Elsewhere implements [strict.Elsewhere].
func (f *File) Elsewhere(key string) string { return elsewhere(reflect.TypeFor[File](), key) }

// Elsewhere implements [strict.Elsewhere].
func (p *Property) Elsewhere(key string) string { return elsewhere(reflect.TypeFor[Property](), key) }

// Elsewhere implements [strict.Elsewhere].
func (m *Moment) Elsewhere(key string) string {
	if slices.Contains(strict.Keys(reflect.TypeFor[Faults]()), key) {
		return "did you mean faults." + key + "?"
	}
	return ""
}

// Elsewhere implements [strict.Elsewhere].
func (e *Expect) Elsewhere(key string) string {
	if slices.Contains(strict.Keys(reflect.TypeFor[ToolExpect]()), key) {
		return "it is said of each tool, as tools: {exec: {" + key + ": 1}}"
	}
	return ""
}

// elsewhere says where a key stands that the top of a file does not have: in the configuration, whose
// sections in the daemon a scenario does not have, in another map, or in the entries of a list.
func elsewhere(file reflect.Type, key string) string {
	switch {
	case slices.Contains(configKeys(), key):
		return "did you mean config." + key + "?"
	case key == "limits" || key == "switches":
		return "a scenario has the settings of the daemon's " + key + " under config, as config: {max_queue: 8}"
	}
	var places []string
	for _, f := range strict.Fields(file) {
		t, path := file.FieldByIndex(f.Index).Type, f.Name
		if t.Kind() == reflect.Slice {
			t, path = t.Elem(), path+"[]"
		}
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		if t.Kind() == reflect.Struct && slices.Contains(strict.Keys(t), key) {
			places = append(places, path+"."+key)
		}
	}
	if len(places) == 0 {
		return ""
	}
	return "did you mean " + strings.Join(places, " or ") + "?"
}
