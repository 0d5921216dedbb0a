package scenario

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"shelly/sim"
	"shelly/sim/scenario/choose"
	"shelly/sim/scenario/document"
)

const matrixRest = `
brain: [{says: "${a} ${b}"}]
timeline: [{user: hi}]
expect: {replies: ["${a} ${b}"]}
`

// casesOf loads a file of several cases from memory.
func casesOf(t *testing.T, source string) []*File {
	t.Helper()
	cases, err := load(nil, "m.scenario.yaml", []byte(source), nil)
	if err != nil {
		t.Fatal(err)
	}
	return cases
}

func TestSCN18AMatrixMakesACaseOfEachCombination(t *testing.T) {
	tests := []struct {
		matrix string
		names  []string
		lines  []int
	}{
		{"{a: [1, 2], b: [x, y]}", []string{"m [a=1, b=x]", "m [a=1, b=y]", "m [a=2, b=x]", "m [a=2, b=y]"}, []int{1, 1, 1, 1}},
		{"{b: [x, y], a: [1]}", []string{"m [b=x, a=1]", "m [b=y, a=1]"}, []int{1, 1}},
		{"\n  - {a: 1, b: x}\n  - {b: y, a: 2}", []string{"m [a=1, b=x]", "m [a=2, b=y]"}, []int{4, 5}},
		{"{a: ['1', 1], b: [true]}", []string{"m [a=1, b=true]", "m [a=1, b=true] #2"}, []int{1, 1}},
		{"{a: &l [1, 2], b: *l}", []string{"m [a=1, b=1]", "m [a=1, b=2]", "m [a=2, b=1]", "m [a=2, b=2]"}, []int{1, 1, 1, 1}},
		{"{a: [q, \"x\\ny\"], b: [" + strings.Repeat("z", 50) + "]}", []string{
			"m [a=q, b=" + strings.Repeat("z", 40) + "…]", "m [a=x\uFFFDy, b=" + strings.Repeat("z", 40) + "…]",
		}, []int{1, 1}},
	}
	for _, test := range tests {
		var names []string
		var lines []int
		for _, f := range casesOf(t, "scenario: 1\nname: m\nmatrix: "+test.matrix+matrixRest) {
			out := f.Run(sim.Options{})
			if !out.OK() || out.Name != f.Name {
				t.Errorf("got %s: %v, %v; want %s and no failure", out.Name, out.Err, out.Failures, f.Name)
			}
			names, lines = append(names, f.Name), append(lines, out.Line)
		}
		if !slices.Equal(names, test.names) || !slices.Equal(lines, test.lines) {
			t.Errorf("%s: %q on lines %v, want %q on %v", test.matrix, names, lines, test.names, test.lines)
		}
	}
}

// The command that shows a failure again runs the one case of the matrix.
func TestSCN18AgainNamesTheCase(t *testing.T) {
	cases := casesOf(t, "scenario: 1\nname: it's (m)\nmatrix:\n  - {a: 1}\n  - {a: 2}\nbrain: [{says: \"no ${a}\"}]\ntimeline: [{user: hi}]\nexpect: {replies: [x]}\n")
	out := cases[1].Run(sim.Options{})
	if len(out.Failures) != 1 || out.Failures[0].Again != `shelly test m.scenario.yaml:5 --run '^it'\''s \(m\) \[a=2\]$'` {
		t.Errorf("failures %+v", out.Failures)
	}
}

func TestSCN18WhatIsNotAMatrix(t *testing.T) {
	list := func(n int) string {
		var items []string
		for i := range n {
			items = append(items, fmt.Sprint(i))
		}
		return "[" + strings.Join(items, ", ") + "]"
	}
	names := "{"
	for i := range document.MatrixNamesMax + 1 {
		names += fmt.Sprintf("n%d: [1], ", i)
	}
	tests := []struct{ name, matrix, want string }{
		{"text", "x", ":3:9: matrix: wants a map of lists by name, or a list of maps; found the text"},
		{"nothing", "", "matrix: wants a map of lists by name, or a list of maps; found nothing"},
		{"empty map", "{}", "found an empty map"},
		{"empty list", "[]", "found an empty list"},
		{"value that is no list", "{a: 1}", ":3:13: matrix.a: wants a list of values, found the number 1"},
		{"list of no values", "{a: []}", "matrix.a: wants a list of values, found an empty list"},
		{"value given twice", "{a: [1, 2, 1]}", ":3:20: matrix.a[2]: is given before; each value makes a case"},
		{"null", "{a: [1, ~]}", "matrix.a[1]: has no value"},
		{"name given twice", "{a: [1], a: [2]}", "matrix.a: already given on line 3"},
		{"name that is none", "{A: [1]}", "matrix.A: the name of a variable is"},
		{"name of a variable", "{v: [1]}", ":3:10: matrix.v: is a variable too, on line 4 of m.scenario.yaml; give one of them another name"},
		{"row that is no map", "[a]", "matrix[0]: wants a map of values by name, found the text"},
		{"row of nothing", "[{}]", "matrix[0]: wants a map of values by name, found an empty map"},
		{"name that is missing", "[{a: 1, b: 2}, {a: 3}]", ":3:24: matrix[1]: the name b is missing; each case has the names of the first"},
		{"name that is new", "[{abc: 1}, {abd: 3}]", ":3:21: matrix[1].abd: unknown name abd; did you mean abc?; each case has the names of the first"},
		{"row of a variable's name", "[{v: 1}]", "matrix[0].v: is a variable too"},
		{"row given twice", "[{a: 1, b: 2}, {b: 2, a: 1}]", "matrix[1]: is the same case as matrix[0]"},
		{"rows beyond the limit", "[" + strings.Repeat("a, ", document.CasesPerFileMax+1) + "]", ":3:9: matrix: makes 1001 cases; the limit is 1000"},
		{"cases beyond the limit", "{a: " + list(40) + ", b: " + list(26) + "}", "matrix: makes 1040 cases; the limit is 1000"},
		{"cases without number", "{a: &a " + list(1000) + ", b: *a, c: *a, d: *a, e: *a, f: *a, g: *a, h: *a}", "matrix: makes more than a million cases; the limit is 1000"},
		{"names beyond the limit", names + "}", "matrix.n32: is one name too many; the limit is 32"},
	}
	for _, test := range tests {
		source := "scenario: 1\nname: m\nmatrix: " + test.matrix + "\nvars: {v: 1}\nexpect: {ends: serving}\n"
		_, err := load(nil, "m.scenario.yaml", []byte(source), nil)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %s", test.name, err, test.want)
		}
	}
}

// A problem of all cases is reported once; one that only some have names the first of
// them.
func TestSCN18EqualProblemsAreReportedOnce(t *testing.T) {
	_, err := load(nil, "m.scenario.yaml", []byte(`scenario: 1
name: m
matrix: {n: [1, -2, -3]}
brain:
  - {says: a, takes: "${n}s", thinkz: x}
expect: {ends: serving}
`), nil)
	want := `m.scenario.yaml:5:22: brain[0].takes: the duration -2s is negative; so in the case [n=-2]
m.scenario.yaml:5:22: brain[0].takes: the duration -3s is negative; so in the case [n=-3]
m.scenario.yaml:5:31: brain[0].thinkz: unknown key thinkz; did you mean thinks?`
	if err == nil || err.Error() != want {
		t.Errorf("error:\n%v\nwant:\n%s", err, want)
	}
}

// FILE:LINE chooses the case whose own line it is, or else all of the file.
func TestSCN18ALineChoosesItsCase(t *testing.T) {
	cases := casesOf(t, "scenario: 1\nname: m\nmatrix:\n  - {a: 1}\n  - {a: 2}\n  - {a: 3}\nbrain: [{says: \"no ${a}\"}]\nexpect: {ends: serving}\n")
	for _, test := range []struct {
		lines []int
		want  []string
	}{
		{nil, []string{"m [a=1]", "m [a=2]", "m [a=3]"}},
		{[]int{5}, []string{"m [a=2]"}},
		{[]int{4, 6}, []string{"m [a=1]", "m [a=3]"}},
		{[]int{2}, []string{"m [a=1]", "m [a=2]", "m [a=3]"}},
		{[]int{2, 5}, []string{"m [a=1]", "m [a=2]", "m [a=3]"}},
	} {
		var got []string
		for _, f := range choose.Pick(choose.Target{Lines: test.lines}, cases) {
			got = append(got, f.Name)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%v: %q, want %q", test.lines, got, test.want)
		}
	}
}
