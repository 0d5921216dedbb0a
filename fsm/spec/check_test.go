package spec_test

import (
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"shelly/fsm/spec"
)

func TestAProjectInGoodOrderHasNoProblem(t *testing.T) {
	if got := problems(t, project(t)); got != "" {
		t.Fatalf("got %s; want no problem", got)
	}
}

func TestCheckFindsIDsOfNoRule(t *testing.T) {
	for _, test := range []struct{ name, file, text, want string }{
		{"comment", "a/a.go", "package a\n\n// as ABC-7 says\n", "a/a.go:3: there is no rule ABC-7"},
		{"comment of two lines", "a/a.go", "package a\n/* one\n ABC-7 */\n", "a/a.go:3: there is no rule ABC-7"},
		{"string", "a/a.go", "package a\n\nvar s = \"ABC-7\"\n", "a/a.go:3: there is no rule ABC-7"},
		{"raw string", "a/a.go", "package a\n\nvar s = `\n\nABC-7`\n", "a/a.go:5: there is no rule ABC-7"},
		{"test name", "a/a_test.go", "package a\nfunc TestABC7Holds(t *testing.T) {}\n", "a/a_test.go:2: there is no rule ABC-7"},
		{"script", "cmd/testdata/script/a.txtar", "# ABC-7\nexec ABC-8\n", "cmd/testdata/script/a.txtar:1: there is no rule ABC-7"},
		{"scenario", "scenarios/deep/a.scenario.yaml", "name: a\ncovers: [ABC-1, ABC-7]\n", "scenarios/deep/a.scenario.yaml:2: there is no rule ABC-7"},
		{"mistyped in a scenario", "scenarios/a.scenario.yaml", "covers: [BAC-1]\n", "scenarios/a.scenario.yaml:1: there is no rule BAC-1"},
		{"list over lines", "scenarios/a.yaml", "covers: [ABC-1, # ABC-9\n  'ABC-7']\nname: ABC-8\n", "scenarios/a.yaml:2: there is no rule ABC-7"},
		{"list of items", "scenarios/a.yaml", "- covers:\n    - ABC-1\n    - ABC-7\n  name: x\n  - ABC-8\n", "scenarios/a.yaml:3: there is no rule ABC-7"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := problems(t, with(t, test.file, test.text)); got != test.want {
				t.Fatalf("problems\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

func TestCheckTakesNoOtherWordForAnID(t *testing.T) {
	for name, text := range map[string]string{
		"a/a.go":                  "package a\n\n// UTF-8 by RFC-3629, XABC-7 and ABC-7x and ABC_7\nfunc TestABC7() {}\nvar ABC = 7 - ABC-7\n",
		"a/b_test.go":             "package a\n\nvar TestABC7 = 1\n",
		"a/testdata/src/a.go":     "package a // ABC-7\n",
		"fsm/spec/a_test.go":      "package spec // ABC-7\n",
		".hidden/a.go":            "package a // ABC-7\n",
		"bin/a.go":                "package a // ABC-7\n",
		"testdata/README.md":      "ABC-7 [nowhere](else.md)\n",
		"scenarios/notes.md":      "covers: [XYZ-7]\n",
		"other/a.scenario.yaml":   "covers: [ABC-7]\n",
		"scenarios/a.yaml":        "name: x # covers: [ABC-7]\n# covers: [ABC-7]\n",
		"cmd/testdata/answer.txt": "# ABC-7\n",
	} {
		if got := problems(t, with(t, name, text)); got != "" {
			t.Errorf("%s: got %s; want %s", name, got, "")
		}
	}
}

func TestCheckFindsRulesThatNothingCites(t *testing.T) {
	for _, test := range []struct{ name, file, text, want string }{
		{"no code", "machine/table.go", "package machine // ABC-1, ABC-2\n", "SPEC.md:8: ABC-3 is cited by no code"},
		{"no test", "machine/table_test.go", "package machine // ABC-1\n", "SPEC.md:5: ABC-2 is cited by no test and no scenario"},
		{"no scenario", "scenarios/third.scenario.yaml", "covers: []\n", "SPEC.md:8: ABC-3 is cited by no test and no scenario"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := problems(t, with(t, test.file, test.text)); got != test.want {
				t.Fatalf("problems\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

func TestATestPackageProvesAndDoesNotImplement(t *testing.T) {
	fsys := with(t, "machine/table.go", "package machine // ABC-1, ABC-2\n")
	fsys["machine/machinetest/suite.go"] = file("package machinetest // ABC-3\n")
	if got, want := problems(t, fsys), "SPEC.md:8: ABC-3 is cited by no code"; got != want {
		t.Fatalf("problems\n%s\nwant\n%s", got, want)
	}
}

func TestLimitsAndExclusionsNeedOneCitationOfAnyKind(t *testing.T) {
	fsys := project(t)
	fsys["SPEC.md"].Data = append(fsys["SPEC.md"].Data, "\n**LIM-1** A limit.\n\n**EXC-1** An exclusion.\n\n**EXC-2** Another.\n"...)
	fsys["a/a.go"] = file("package a // LIM-1\n")
	fsys["a/a_test.go"] = file("package a // EXC-1\n")
	if got := problems(t, fsys); !strings.HasSuffix(got, ": EXC-2 is cited nowhere") || strings.Count(got, "\n") != 0 {
		t.Fatalf("got %s; want only that %q", got, "EXC-2 is cited nowhere")
	}
}

func TestCheckFindsBlocksThatDrift(t *testing.T) {
	fsys := project(t)
	md := string(fsys["SPEC.md"].Data)
	fsys["SPEC.md"] = file(regexp.MustCompile(`(\| thinking +\| )end_turn`).ReplaceAllString(md, "${1}at_ease "))
	if got := problems(t, fsys); !strings.Contains(got, "the generated block inference is out of date; run make spec") {
		t.Errorf("got %s; want %q", got, "the generated block inference is out of date; run make spec")
	}
	fsys["SPEC.md"] = file(strings.Replace(md, "<!-- generated: inference -->", "", 1))
	if got := problems(t, fsys); !strings.Contains(got, "SPEC.md:1: the generated block inference is missing") {
		t.Errorf("got %s; want %q", got, "SPEC.md:1: the generated block inference is missing")
	}
}

func TestCheckSaysWhatCannotBeRead(t *testing.T) {
	if _, err := spec.Check(fstest.MapFS{}); err == nil || !strings.Contains(err.Error(), "read the specification") {
		t.Errorf("error %v", err)
	}
	if _, err := spec.Check(with(t, "SPEC.md", "**ABC-1** One.\n\n**ABC-1** Two.\n")); err == nil || !strings.Contains(err.Error(), "already at SPEC.md:1") {
		t.Errorf("error %v", err)
	}
}
