package spec_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"shelly/fsm/check"
	"shelly/fsm/spec"
)

// project returns a small sound project: three rules of the family ABC, each cited in code
// and proved, and what the generated blocks need.
func project(t *testing.T) fstest.MapFS {
	t.Helper()
	var blocks strings.Builder
	for _, name := range spec.Blocks() {
		fmt.Fprintf(&blocks, "\n<!-- generated: %s -->\n<!-- end -->\n", name)
	}
	md, err := documents("# a project\n\n" +
		"**ABC-1** The first rule.\n\n" +
		"**ABC-2** The second rule\ngoes over two lines.\n\n" +
		"**ABC-3** The third rule.\n" + blocks.String())[0].Update()
	if err != nil {
		t.Fatal(err)
	}
	var invariants strings.Builder
	for _, d := range check.Invariants() {
		invariants.WriteString("// " + d.ID + "\n")
	}
	return fstest.MapFS{
		"SPEC.md":                 file(string(md)),
		"machine/invariant.go":    file("package machine\n\n" + invariants.String()),
		"machine/monitor_test.go": file("package machine\n\n" + invariants.String()),
		"machine/table.go": file("package machine\n\n" +
			"// first does what ABC-1 says.\n" +
			"func first() {}\n\n" +
			"var rows = []row{{\"from\", \"to\", \"ABC-2\"}}\n\n" +
			"/* the third\n   is ABC-3 */\n"),
		"machine/table_test.go": file("package machine\n\n" +
			"func TestABC1TheFirstHolds(t *testing.T) {}\n\n" +
			"func TestOther(t *testing.T) { t.Log(\"ABC-2\") }\n"),
		"scenarios/third.scenario.yaml": file("scenario: 1\nname: the third holds\ncovers: [ABC-3]\n"),
	}
}

func file(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }

// with returns the project with a file added or replaced.
func with(t *testing.T, name, text string) fstest.MapFS {
	t.Helper()
	fsys := project(t)
	fsys[name] = file(text)
	return fsys
}

// problems returns what Check finds, one problem per line.
func problems(t *testing.T, fsys fstest.MapFS) string {
	t.Helper()
	found, err := spec.Check(fsys)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, p := range found {
		lines = append(lines, p.String())
	}
	return strings.Join(lines, "\n")
}
