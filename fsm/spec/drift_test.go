package spec_test

import (
	"bytes"
	"flag"
	"os"
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
	rules, err := spec.Rules(readSpec(t))
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, r := range rules {
		known[r.ID] = true
	}
	for _, table := range fsm.Tables() {
		for _, row := range table.Rows {
			if !known[row.Rule] {
				t.Errorf("table %s: the row from %s on %s cites %q, which SPEC.md does not have", table.Name, row.From, row.On, row.Rule)
			}
		}
	}
}
