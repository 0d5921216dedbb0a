package config

import (
	"reflect"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"shelly/fsm"
	"shelly/fsm/profile"
	"shelly/fsm/wording"
)

func TestEveryFieldHasItsOwnVariableAndAValidDefault(t *testing.T) {
	seen := map[string]string{}
	for _, f := range newSchema() {
		if other := seen[f.variable()]; other != "" {
			t.Errorf("%s and %s share the variable %s", f.key, other, f.variable())
		}
		seen[f.variable()] = f.key
		for _, profile := range profile.Names() {
			v := reflect.ValueOf(defaults(Sources{Dir: "/work", Home: "/home/a"}, profile)).FieldByIndex(f.index)
			back, err := f.parse(f.format(v), place{dir: "/work"})
			if err != nil {
				t.Errorf("%s: default of %s: %v", profile, f.key, err)
			} else if !reflect.DeepEqual(back.Interface(), v.Interface()) {
				t.Errorf("%s: default of %s: %v is read back as %v", profile, f.key, v, back)
			}
		}
	}
}

func TestEveryBoundOfTheSchemaCanBeRead(t *testing.T) {
	for _, f := range newSchema() {
		for _, bound := range []string{f.within.Min, f.within.Max} {
			if bound == "" {
				continue
			}
			if f.isList() {
				f = f.item()
			}
			if _, err := f.read(bound, place{}); err != nil {
				t.Errorf("%s: bound %s: %v", f.key, bound, err)
			}
		}
	}
}

// A limit, switch or prompt that the machine gains must become a setting (CFG-5) that says what it
// is, and one that it loses must go. Limits have bounds, and switches with more than two values
// have words.
func TestMachinesConfigurationIsCovered(t *testing.T) {
	s := newSchema()
	keys := map[string]bool{"prompts.sections": true} // only a profile has these
	for section, typ := range map[string]reflect.Type{
		"limits": reflect.TypeFor[fsm.Limits](), "switches": reflect.TypeFor[fsm.Switches](), "prompts": reflect.TypeFor[fsm.Prompts](),
	} {
		for i := range typ.NumField() {
			name, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
			key := section + "." + name
			f, ok := s.field(key)
			switch {
			case keys[key]:
			case !ok || f.says == "":
				t.Errorf("no setting %s, or no word about it", key)
			case section == "limits" && (f.within.Min == "" || f.within.Max == ""):
				t.Errorf("%s has no bounds", key)
			case section == "switches" && f.typ.Kind() == reflect.String && f.of == nil:
				t.Errorf("%s has no words", key)
			}
			keys[key] = true
		}
	}
	for _, k := range machineKeys() {
		if !keys[k.key] {
			t.Errorf("%s is not the machine's", k.key)
		}
	}
}

// Each value that a profile gives a switch has a word.
func TestEveryWordOfASwitchIsTheMachines(t *testing.T) {
	s := newSchema()
	for key, values := range map[string][]string{
		"switches.history":   {string(fsm.HistoryNone), string(fsm.HistoryAnswers), string(fsm.HistoryAll), string(fsm.HistorySent)},
		"switches.overflow":  {string(fsm.OverflowKeep), string(fsm.OverflowSummarize), string(fsm.OverflowConsolidate)},
		"switches.remember":  {string(fsm.RememberEach), string(fsm.RememberIdle), string(fsm.RememberOff)},
		"switches.cancel":    {string(fsm.CancelRefused), string(fsm.CancelCheckpoint), string(fsm.CancelImmediate)},
		"switches.at_limit":  {string(fsm.EndError), string(fsm.EndNotice), string(fsm.EndState)},
		"switches.at_length": {string(fsm.EndError), string(fsm.EndNotice), string(fsm.EndState)},
	} {
		f, _ := s.field(key)
		for i, word := range f.of {
			v, err := f.read(word, place{})
			if err != nil || v.String() != values[i] || f.format(v) != word {
				t.Errorf("%s: %s is read as %q (%v), want %q", key, word, v, err, values[i])
			}
		}
		if len(f.of) != len(values) {
			t.Errorf("%s has the words %v", key, f.of)
		}
	}
}

func TestATemperatureIsReadBackAsWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := Temperature(rapid.IntRange(-1, 5000).Draw(t, "thousandths"))
		if got, err := parseTemperature(want.String()); err != nil || got != want {
			t.Fatalf("%d is written %s and read back as %d, %v", int(want), want, got, err)
		}
	})
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

// No text of any kind may break the walker or go unreported.
func TestLoadIsTotal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(
			rapid.StringMatching("(limits|brain|log|[a-z]{1,3}|\"|\\[|\\{|&a|\\*a|: |\n|  |- |\t|#|!x|~|1|true){0,40}"),
			rapid.String(),
		).Draw(t, "yaml")
		w := walker{file: "c.yaml", schema: newSchema()}
		w.walk([]byte(text))
		for _, p := range w.found() {
			for _, r := range p.Error() {
				if unicode.IsControl(r) {
					t.Fatalf("raw control character in %q", p.Error())
				}
			}
		}
	})
}

func TestOfEquallyNearTheFirstIsMeant(t *testing.T) {
	if got := wording.Nearest("gracf", []string{"grace", "gracd"}); got != "grace" {
		t.Errorf("got %q; want %q", got, "grace")
	}
}

func TestNearestPrefersTheClosest(t *testing.T) {
	for _, c := range []struct{ word, want string }{
		{"gracee", "grace"}, {"garce", "grace"}, {"GRACE", "grace"}, {"g", ""}, {"max_quest", "max_quests"}, {"", ""},
	} {
		if got := wording.Nearest(c.word, []string{"grace", "max_queue", "max_quests"}); got != c.want {
			t.Errorf("nearest(%q) = %q, want %q", c.word, got, c.want)
		}
	}
}
