package scenario

import (
	"encoding/json"
	"errors"
	"os"
	"reflect"
	"testing"
	"unicode/utf8"

	"shelly/sim"
)

// Whatever the bytes are, loading them gives a scenario or an error with a place
// and words that can be shown, the same ones each time.
func FuzzLoad(f *testing.F) {
	fsys := os.DirFS("../../scenarios")
	files, err := Find(fsys, []string{"."})
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		source, err := readFile(fsys, file.Path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(source)
	}
	for _, seed := range []string{
		"", "- a", "a: &a [*a]", "<<: {a: 1}", "? [a]\n: b", "a: \"x", "scenario: 1\nname: x\nexpect: {replies: &r [*r]}",
		"scenario: 1\nname: x\n---\n", "\xff\xfe", "a\x1b", "%YAML 1.2\n---\na: 1", "scenario: !!int 1",
		"scenario: 1\nname: x\nalways: [{$literal: {a: .nan}}]", "scenario: 1\nname: x\nexpect: {trace: [{count: {of: {ask: a}, is: {}}}]}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, source []byte) {
		file, err := Parse("f.scenario.yaml", source)
		if err == nil {
			file.Plan()
			return
		}
		var load *LoadError
		if !errors.As(err, &load) || len(load.Problems) == 0 {
			t.Fatalf("error without problems: %v", err)
		}
		for _, p := range load.Problems {
			if p.Pos.Line < 1 && len(source) <= FileBytesMax || p.Text == "" {
				t.Errorf("problem without a place or words: %+v", p)
			}
		}
		for _, r := range load.Detail() {
			if r != '\n' && r != utf8.RuneError && printable(r) != r {
				t.Errorf("the error shows %U:\n%q", r, load.Detail())
				break
			}
		}
		if _, again := Parse("f.scenario.yaml", source); again == nil || again.Error() != err.Error() {
			t.Errorf("error %v, then %v", err, again)
		}
	})
}

// Whatever an expression is, it is refused at a place within the file or evaluated
// to a failure or none, the same each time (SCN-31).
func FuzzExpression(f *testing.F) {
	for _, seed := range []string{
		"active <= limits.max_active", "all(handles, .age < duration('5s'))", "let a = handles; len(a) == 0", "find(handles, .id == 1)?.state == nil",
		"tools['x'] in [1, 2] or 'reply' in effects", "handles | map(.session) | uniq() | len() == 1", "handles[0:1][0].state == 'queued'",
		"now > 1 ? true : false", "if now > 1 { true } else { false }", "lifecycle matches '^s'", "not (lifecycle not in ['down'])", "`x` == 'x'",
		"any(handles, {let x = #; x.id > 1})", "reduce(handles, #acc, 0) == 1", "max(1, 2.5) > 1e300", "-1 % 0 == 1", "sum(handles, .id) == 1", "(nil)?.x == 1",
		"$env", "#", "handles.state", "{}", "[] == []", "sort(handles) == nil", "handles ?? 1 == 1", "first(handles).age > 0", "duration()", "1 in tools",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		quoted, err := json.Marshal(text)
		if err != nil {
			t.Skip()
		}
		source := []byte("scenario: 1\nname: x\nbrain: [{says: hi}]\ntimeline: [{user: hi}]\nalways: [" + string(quoted) + "]\n")
		file, err := Parse("f", source)
		var load *LoadError
		switch {
		case errors.As(err, &load):
			for _, p := range load.Problems {
				if p.Text == "" || !utf8.ValidString(load.Error()) {
					t.Errorf("%q: problem %+v", text, p)
				}
			}
		case err != nil:
			t.Errorf("%q: %v", text, err)
		default:
			if a, b := file.Run(sim.Options{}), file.Run(sim.Options{}); !reflect.DeepEqual(a.Failures, b.Failures) {
				t.Errorf("%q fails differently: %v, %v", text, a.Failures, b.Failures)
			}
		}
	})
}
