package spec_test

import (
	"strings"
	"testing"

	"shelly/fsm/spec"
)

func TestExplainFollowsARuleThroughItsPlaces(t *testing.T) {
	fsys := project(t)
	fsys["a/a.go"] = file("package a\n\n\t// ABC-3 and again ABC-3\n")
	fsys["a/a_test.go"] = file("package a\n\nfunc TestABC3Holds(t *testing.T) {}\n")
	e, err := spec.Explain(fsys, "abc-3")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := e.Print(&b); err != nil {
		t.Fatal(err)
	}
	const want = `ABC-3  The third rule.

SPEC.md:8

code
  a/a.go:3: // ABC-3 and again ABC-3
  machine/table.go:9: is ABC-3 */

tests
  a/a_test.go:3: func TestABC3Holds(t *testing.T) {}

scenarios
  scenarios/third.scenario.yaml:3: the third holds
`
	if b.String() != want {
		t.Fatalf("got\n%s\nwant\n%s", b.String(), want)
	}
}

func TestExplainShowsTheRowsOfATable(t *testing.T) {
	e, err := spec.Explain(with(t, "SPEC.md", "**LIF-10** Stop at once.\n\n*Why*: it was asked for twice.\n"), "LIF-10")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := e.Print(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"LIF-10  Stop at once.\n\nwhy  it was asked for twice.\n\nSPEC.md:1\n",
		"\ntable\n  lifecycle: draining --signal--> stopped\n  lifecycle: farewell --signal--> stopped\n",
		"\nscenarios\n  none\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the explanation lacks %q:\n%s", want, b.String())
		}
	}
}

func TestExplainNamesTheRulesThereAre(t *testing.T) {
	for id, want := range map[string]string{
		"ABC-9": "there is no rule ABC-9; the rules of that family are: ABC-1, ABC-2, ABC-3",
		"lif":   "there is no rule LIF; the families of rules are: ABC, INV",
	} {
		if _, err := spec.Explain(project(t), id); err == nil || err.Error() != want {
			t.Errorf("%s: error %q, want %q", id, err, want)
		}
	}
}

func TestPrintWritesEveryBlock(t *testing.T) {
	var b strings.Builder
	if err := spec.Print(&b); err != nil {
		t.Fatal(err)
	}
	for _, name := range spec.Blocks() {
		text, err := spec.Render(name)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), "## "+name+"\n\n"+text) {
			t.Errorf("block %s is not printed", name)
		}
	}
}
