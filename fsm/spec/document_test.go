package spec_test

import (
	"strings"
	"testing"

	"shelly/fsm/spec"
)

func TestThePartsThatSPECLinksToBelongToTheSpecification(t *testing.T) {
	fsys := project(t)
	fsys["SPEC.md"].Data = append(fsys["SPEC.md"].Data, "\nSee [one](room/RULES.md), [it again](room/RULES.md#title) and [notes](notes.md).\n"...)
	fsys["room/RULES.md"] = file("# Title\n\n**XYZ-1** A rule of the room, as [ABC-1](../SPEC.md) is of the house.\n")
	fsys["notes.md"] = file("**XYZ-2** No rule.\n")
	fsys["other/RULES.md"] = file("**XYZ-3** Nor this.\n")
	docs, err := spec.Documents(fsys)
	if err != nil || len(docs) != 2 || docs[1].File != "room/RULES.md" {
		t.Fatalf("documents %v, error %v", docs, err)
	}
	if got, want := problems(t, fsys), "notes.md:1: there is no rule XYZ-2\n"+
		"other/RULES.md:1: there is no rule XYZ-3\n"+
		"room/RULES.md:3: XYZ-1 is cited by no code\nroom/RULES.md:3: XYZ-1 is cited by no test and no scenario"; got != want {
		t.Errorf("problems\n%s\nwant\n%s", got, want)
	}
	e, err := spec.Explain(fsys, "xyz-1")
	if err != nil || e.Rule.File != "room/RULES.md" || e.Rule.Line != 3 {
		t.Errorf("rule %+v, error %v", e.Rule, err)
	}
	delete(fsys, "room/RULES.md")
	if _, err := spec.Check(fsys); err == nil || !strings.Contains(err.Error(), "read a part of the specification: open room/RULES.md") {
		t.Errorf("error %v", err)
	}
}

func TestCheckFindsLinksThatLeadNowhere(t *testing.T) {
	fsys := with(t, "docs/a.md", "# A `b`, c-d\n\n[1](#a-b-c-d) [2](#b) [3](../SPEC.md#a-project) [4](b.md) [5](../SPEC.md#none)\n"+
		"[6](https://example.org/x#y) [7](..)\n\n```sh\n# not a heading\n[8](c.md)\n```\n[9](#not-a-heading)\n")
	const want = `docs/a.md:10: a link leads to the heading #not-a-heading of docs/a.md, which is not there
docs/a.md:3: a link leads to docs/b.md, which is not there
docs/a.md:3: a link leads to the heading #b of docs/a.md, which is not there
docs/a.md:3: a link leads to the heading #none of SPEC.md, which is not there`
	got := strings.Split(problems(t, fsys), "\n")
	for _, line := range strings.Split(want, "\n") {
		found := false
		for _, g := range got {
			found = found || g == line
		}
		if !found {
			t.Errorf("%q is not found in\n%s", line, strings.Join(got, "\n"))
		}
	}
	if len(got) != 4 {
		t.Errorf("%d problems:\n%s", len(got), strings.Join(got, "\n"))
	}
}
