package format

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/sim/strict"
)

// configured is what a file that has a key config alone makes of no configuration.
func configured(t *testing.T, yaml string) fsm.Config {
	t.Helper()
	root, problem := strict.Parse([]byte(yaml), "a map", "")
	if problem != nil {
		t.Fatal(problem)
	}
	var c Config
	d := &strict.Decoder{}
	d.Value(root.Get("config"), &c, "config")
	if err := strict.Failed("f", nil, d.Problems); err != nil {
		t.Fatal(err)
	}
	return c.Apply(fsm.Config{})
}

// Every limit, switch, option and prompt of the machine can be set by its name, and
// each reaches its own.
func TestEverySettingOfTheMachineCanBeSet(t *testing.T) {
	for _, group := range append(configGroups(&fsm.Config{}), namedStruct{"prompts", reflect.ValueOf(fsm.Prompts{})}) {
		for i, name := range jsonNames(group.value.Type()) {
			value, want := "7", any(7)
			switch field := group.value.Field(i); {
			case name == "temperature":
				value, want = "0.25", 250
			case field.Type() == reflect.TypeFor[fsm.Millis]():
				value, want = "1.5s", fsm.Millis(1500)
			case field.Type() == reflect.TypeFor[[]fsm.Millis]():
				value, want = "[1s, 2.5s]", []fsm.Millis{1000, 2500}
			case field.Type() == reflect.TypeFor[[]fsm.Section]():
				value, want = "[{title: T, text: x, of: tools}]", []fsm.Section{{Title: "T", Text: "x", Of: fsm.OfTools}}
			case field.Type() == reflect.TypeFor[fsm.Share]():
				want = fsm.Share(7)
			case field.Kind() == reflect.Bool:
				value, want = "true", true
			case group.name == "prompts":
				value, want = "text", "text"
			case field.Kind() == reflect.String:
				words := switchWords(group.value.Type().Field(i))
				value, want = words[1], reflect.ValueOf(words[1]).Convert(field.Type()).Interface()
			}
			yaml := "config: {" + name + ": " + value + "}\n"
			if group.name == "prompts" {
				yaml = "config: {prompts: {" + name + ": " + value + "}}\n"
			}
			got := configured(t, yaml)
			field := fieldOf(&got, group.name, i)
			if !reflect.DeepEqual(field.Interface(), want) {
				t.Errorf("%s: %s gives %v", name, value, field)
			}
			plain := fsm.Config{}
			field.Set(fieldOf(&plain, group.name, i))
			if !reflect.DeepEqual(got, plain) {
				t.Errorf("%s changes another setting: %+v", name, got)
			}
		}
	}
	keys := configKeys()
	slices.Sort(keys)
	if len(slices.Compact(slices.Clone(keys))) != len(keys) {
		t.Errorf("keys of config: %s", strings.Join(keys, " "))
	}
}

func fieldOf(c *fsm.Config, group string, i int) reflect.Value {
	for _, g := range append(configGroups(c), namedStruct{"prompts", reflect.ValueOf(&c.Prompts).Elem()}) {
		if g.name == group {
			return g.value.Field(i)
		}
	}
	return reflect.Value{}
}
