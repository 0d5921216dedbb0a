package spec_test

import (
	"bytes"
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/fsm/spec"
)

var update = flag.Bool("update", false, "rewrite the generated blocks of SPEC.md")

const specFile = "../../" + spec.File

func readSpec(t *testing.T) []byte {
	t.Helper()
	md, err := os.ReadFile(specFile)
	if err != nil {
		t.Fatal(err)
	}
	return md
}

func TestGeneratedBlocksAreUpToDate(t *testing.T) {
	md := readSpec(t)
	fresh, err := spec.Update(md)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(md, fresh) {
		return
	}
	if !*update {
		t.Fatal("SPEC.md is not what the code says; run make spec")
	}
	if err := os.WriteFile(specFile, fresh, 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestEveryTableRowHasItsRule(t *testing.T) {
	known := ruleIDs(t)
	for _, table := range fsm.Tables() {
		for _, row := range table.Rows {
			if !known[row.Rule] {
				t.Errorf("table %s: the row from %s on %s cites %q, which SPEC.md does not have", table.Name, row.From, row.On, row.Rule)
			}
		}
	}
}

// TestEveryRuleThatSpecNamesIsThere holds SPEC.md's own words to the rules that
// there are: its paragraphs, its generated blocks and its tables of the seeds.
func TestEveryRuleThatSpecNamesIsThere(t *testing.T) {
	known := ruleIDs(t)
	families := map[string]bool{}
	for id := range known {
		families[spec.Rule{ID: id}.Family()] = true
	}
	for i, line := range strings.Split(string(readSpec(t)), "\n") {
		for _, id := range regexp.MustCompile(`\b[A-Z]{3}-[0-9]+\b`).FindAllString(line, -1) {
			if families[spec.Rule{ID: id}.Family()] && !known[id] {
				t.Errorf("SPEC.md:%d: %s is no rule", i+1, id)
			}
		}
	}
}

// ruleIDs returns the ids of SPEC.md's rules.
func ruleIDs(t *testing.T) map[string]bool {
	t.Helper()
	rules, err := spec.Rules(readSpec(t))
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, r := range rules {
		known[r.ID] = true
	}
	return known
}
