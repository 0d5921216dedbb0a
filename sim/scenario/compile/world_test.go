package compile_test

import (
	"strings"
	"testing"

	"shelly/sim/scenario"
	"shelly/sim/scenario/casetest"
)

// SCN-23: a call that says that nothing happened changes nothing, and a name is changed
// in one way.
func TestSCN23ChangesThatContradict(t *testing.T) {
	for _, test := range []struct{ name, entry, want string }{
		{"nothing happened", `{fails: "x", nothing: true, writes: {a: 1}}`, "f.scenario.yaml:5:7: tools.exec[0]: writes, appends and removes change the world, but the entry says that nothing happened"},
		{"retryable", `{fails: {code: x, retryable: true}, removes: [a]}`, "the entry says that nothing happened"},
		{"twice", `{writes: {a: 1}, removes: [a]}`, "tools.exec[0]: changes a twice"},
		{"two answers", `{returns: "x", reads: a}`, "returns and reads exclude each other"},
		{"no text to append", `{appends: {a: 1}}`, "tools.exec[0].appends.a: wants text, not the number 1"},
		{"no data", `{writes: {a: }}`, "tools.exec[0].writes.a: has no value"},
		{"no list", `{removes: a}`, "tools.exec[0].removes: wants a list"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := scenario.Parse("f.scenario.yaml", []byte(strings.Replace(casetest.Valid, `{returns: "x", takes: 1s}`, test.entry, 1)))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("the error is %v; want %q", err, test.want)
			}
		})
	}
}
