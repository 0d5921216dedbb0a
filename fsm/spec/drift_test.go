package spec_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"shelly/fsm/spec"
	"shelly/fsm/state"
)

var update = flag.Bool("update", false, "rewrite the generated blocks of the specification")

// root is the folder of the project.
const root = "../.."

func documentsOfTheProject(t *testing.T) []spec.Document {
	t.Helper()
	docs, err := spec.Documents(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	return docs
}

func TestGeneratedBlocksAreUpToDate(t *testing.T) {
	for _, d := range documentsOfTheProject(t) {
		fresh, err := d.Update()
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Equal(d.Text, fresh) {
			continue
		}
		if !*update {
			t.Fatalf("%s is out of date; run make spec", d.File)
		}
		if err := os.WriteFile(filepath.Join(root, d.File), fresh, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestEveryTableRowHasItsRule(t *testing.T) {
	rules, err := spec.Rules(documentsOfTheProject(t))
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, r := range rules {
		known[r.ID] = true
	}
	for _, table := range state.Tables() {
		for _, row := range table.Rows {
			if !known[row.Rule] {
				t.Errorf("table %s: the row from %s on %s cites %q, which is not a rule", table.Name, row.From, row.On, row.Rule)
			}
		}
	}
}
