package config

import (
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"shelly/fsm"
)

func TestEveryFieldHasItsOwnVariableAndAValidDefault(t *testing.T) {
	seen := map[string]string{}
	root := reflect.ValueOf(defaults(Sources{Dir: "/work", Home: "/home/a"}))
	for _, f := range newSchema() {
		if other := seen[f.variable()]; other != "" {
			t.Errorf("%s and %s share the variable %s", f.key, other, f.variable())
		}
		seen[f.variable()] = f.key
		v := root.FieldByIndex(f.index)
		if f.typ.Kind() == reflect.Pointer && v.IsNil() {
			continue
		}
		back, err := f.parse(f.format(v), place{dir: "/work"})
		if err != nil {
			t.Errorf("default of %s: %v", f.key, err)
		} else if !reflect.DeepEqual(back.Interface(), v.Interface()) {
			t.Errorf("default of %s: %v is read back as %v", f.key, v, back)
		}
	}
}

func TestEveryBoundOfTheSchemaCanBeRead(t *testing.T) {
	for _, f := range newSchema() {
		for _, bound := range []string{f.min, f.max} {
			if bound == "" {
				continue
			}
			if _, err := f.read(bound, place{}); err != nil {
				t.Errorf("%s: bound %s: %v", f.key, bound, err)
			}
		}
	}
}

// A limit or prompt that the machine gains must become a setting (CFG-5).
func TestMachinesConfigurationIsCovered(t *testing.T) {
	s := newSchema()
	for section, typ := range map[string]reflect.Type{
		"limits": reflect.TypeFor[fsm.Limits](), "prompts": reflect.TypeFor[fsm.Prompts](),
	} {
		for i := range typ.NumField() {
			if key := section + "." + typ.Field(i).Tag.Get("json"); !hasField(s, key) {
				t.Errorf("no setting %s", key)
			}
		}
	}
}

func hasField(s schema, key string) bool {
	_, ok := s.field(key)
	return ok
}

func TestSizesAndDurationsAreReadBackAsWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := Bytes(rapid.Int64Min(0).Draw(t, "bytes"))
		if got, err := parseBytes(b.String()); err != nil || got != b {
			t.Fatalf("%d is written %s and read back as %d, %v", b, b, got, err)
		}
		d := duration(fsm.Millis(rapid.Int64Range(0, 1<<40).Draw(t, "millis")))
		if got, err := parseDuration(formatDuration(d)); err != nil || got != d {
			t.Fatalf("%v is written %s and read back as %v, %v", d, formatDuration(d), got, err)
		}
	})
}

// No text of any kind may break the walker or go unanswered.
func TestLoadIsTotal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(
			rapid.StringMatching("(limits|brain|log|[a-z]{1,3}|\"|\\[|\\{|&a|\\*a|: |\n|  |- |\t|#|!x|~|1|true){0,40}"),
			rapid.String(),
		).Draw(t, "yaml")
		w := walker{file: "c.yaml", schema: newSchema()}
		w.walk([]byte(text))
		for _, p := range w.problems {
			for _, r := range p.Error() {
				if isControl(r) {
					t.Fatalf("raw control character in %q", p.Error())
				}
			}
		}
	})
}

func TestOfEquallyNearTheFirstIsMeant(t *testing.T) {
	if got := nearest("gracf", []string{"grace", "gracd"}); got != "grace" {
		t.Errorf("got %q", got)
	}
}

func TestNearestPrefersTheClosest(t *testing.T) {
	for _, c := range []struct{ word, want string }{
		{"gracee", "grace"}, {"garce", "grace"}, {"GRACE", "grace"}, {"g", ""}, {"max_quest", "max_quests"}, {"", ""},
	} {
		if got := nearest(c.word, []string{"grace", "max_queue", "max_quests"}); got != c.want {
			t.Errorf("nearest(%q) = %q, want %q", c.word, got, c.want)
		}
	}
}
