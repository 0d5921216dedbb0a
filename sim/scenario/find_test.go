package scenario

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"shelly/sim/scenario/choose"
	"shelly/sim/scenario/document"
)

func TestSCN1FindNamesFilesOnceAndSorted(t *testing.T) {
	file := &fstest.MapFile{Data: []byte("scenario: 1\nname: x\n")}
	fsys := fstest.MapFS{
		"scenarios/b.scenario.yaml":          file,
		"scenarios/a.scenario.yaml":          file,
		"scenarios/deep/er/c.scenario.yaml":  file,
		"scenarios/testdata/d.scenario.yaml": file,
		"scenarios/.hidden/e.scenario.yaml":  file,
		"scenarios/_off/f.scenario.yaml":     file,
		"scenarios/note.yaml":                &fstest.MapFile{Data: []byte("notes: 1\n")},
		"scenarios/p.property.yaml":          file,
		"other/g.scenario.yaml":              file,
		"empty/README":                       file,
		"odd:3/h.scenario.yaml":              file,
	}
	all := []string{"scenarios/a.scenario.yaml", "scenarios/b.scenario.yaml", "scenarios/deep/er/c.scenario.yaml", "scenarios/p.property.yaml"}
	tests := []struct {
		patterns []string
		want     []string
		wrong    string
	}{
		{[]string{"scenarios"}, all, ""},
		{[]string{"./scenarios/"}, all, ""},
		{[]string{"scenarios/..."}, all, ""},
		{[]string{"./scenarios/...", "scenarios/a.scenario.yaml"}, all, ""},
		{[]string{"scenarios/deep"}, all[2:3], ""},
		{[]string{"./..."}, append([]string{"odd:3/h.scenario.yaml", "other/g.scenario.yaml"}, all...), ""},
		{[]string{"."}, append([]string{"odd:3/h.scenario.yaml", "other/g.scenario.yaml"}, all...), ""},
		{[]string{"scenarios/a.scenario.yaml:2"}, all[:1], ""},
		{[]string{"scenarios/testdata"}, []string{"scenarios/testdata/d.scenario.yaml"}, ""},
		{nil, nil, ""},
		{[]string{"scenarios/a.scenario.yaml:3"}, nil, "scenarios/a.scenario.yaml has 2 lines, not 3"},
		{[]string{"nowhere"}, nil, "nowhere: no such file or folder"},
		{[]string{"scenarios/*.yaml"}, nil, "scenarios/*.yaml: no such file or folder; a shell fills in patterns"},
		{[]string{"empty"}, nil, "empty: holds no file that ends in .scenario.yaml or .property.yaml"},
		{[]string{"scenarios/note.yaml"}, nil, "the name of a scenario ends in .scenario.yaml, that of a property in .property.yaml"},
	}
	for _, test := range tests {
		got, err := choose.Find(fsys, test.patterns)
		switch {
		case test.wrong == "" && (err != nil || !slices.EqualFunc(got, test.want, func(t choose.Target, path string) bool { return t.Path == path })):
			t.Errorf("%v: %v, %v; want %v", test.patterns, got, err, test.want)
		case test.wrong != "" && (!errors.Is(err, choose.ErrNoMatch) || !strings.Contains(err.Error(), test.wrong)):
			t.Errorf("%v: error %v, want %s", test.patterns, err, test.wrong)
		}
	}
	fsys["empty/x.scenario.yml"] = file // it is found, and does not load (SCN-2)
	if got, err := choose.Find(fsys, []string{"empty"}); err != nil || len(got) != 1 || got[0].Path != "empty/x.scenario.yml" {
		t.Errorf("found %v, %v", got, err)
	}
	for name, suffix := range map[string]string{ // order-free: each for itself
		"a.Scenario.yaml": ".scenario.yaml", "a.scenario.YAML": ".scenario.yaml", "a.scenarios.yaml": ".scenario.yaml", "a.scenarios.yml": ".scenario.yaml",
		"a.property.yml": ".property.yaml", "a.properties.yaml": "", "a.scenario.yaml": "", "a.property.yaml": "", "a.yaml": "", "scenario.yaml": "", "a.scenario.golden.yaml": "",
	} {
		if got := document.Misnamed(name); got != suffix {
			t.Errorf("%s: should end in %q, got %q", name, suffix, got)
		}
	}
	if _, err := Load(fsys, "empty/x.scenario.yml"); err == nil || !strings.Contains(err.Error(), "rename it to end in .scenario.yaml") {
		t.Errorf("got %v", err)
	}
	if _, err := choose.Find(fsys, []string{"../up"}); err == nil || errors.Is(err, choose.ErrNoMatch) {
		t.Errorf("a path upwards: %v", err)
	}
}

// A scenario or property under another name, which no run would test, is found by what it says, and
// does not load; other YAML is passed over.
func TestSCN2AScenarioUnderAnotherNameIsFound(t *testing.T) {
	fsys := fstest.MapFS{}
	for name, text := range map[string]string{ // order-free: a folder
		"disk.yaml": "# yaml-language-server: $schema=x\nscenario: 1 # the format\nname: x\n", "cases/Disk.YML": "name: x\r\nscenario: 1\r\n", "any.yaml": "property: 1\nname: x\n", "mark.yaml": "\uFEFFscenario: 1\nname: x\n", "quoted.yaml": "name: x\n'property' : 1\n",
		"chart.yaml": "scenario: one\nproperty:\n  - 1\n", "nested.yaml": "of:\n  scenario: 1\n", "fragment.yaml": "tools: {}\n", "v2.yaml": "scenario: 12\n", "disk.txt": "scenario: 1\n", "a.golden.yaml": "replies: []\n",
	} {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	got, err := choose.Find(fsys, []string{"."})
	if err != nil {
		t.Fatal(err)
	}
	want := []choose.Target{{Path: "any.yaml", Meant: ".property.yaml"}, {Path: "cases/Disk.YML", Meant: ".scenario.yaml"}, {Path: "disk.yaml", Meant: ".scenario.yaml"},
		{Path: "mark.yaml", Meant: ".scenario.yaml"}, {Path: "quoted.yaml", Meant: ".property.yaml"}}
	if !slices.EqualFunc(got, want, func(a, b choose.Target) bool { return a.Path == b.Path && a.Meant == b.Meant }) {
		t.Errorf("found %v, want %v", got, want)
	}
	if _, err := LoadFound(fsys, want[2], nil); err == nil || err.Error() != "disk.yaml: is tested only by another name; rename it to end in .scenario.yaml" {
		t.Errorf("got %v", err)
	}
}

func TestSCN37ATagIsAWord(t *testing.T) {
	for tag, wrong := range map[string]bool{"smoke": false, "a b": true, "not": true, "''": true, "größe": false} {
		_, err := Parse("x.scenario.yaml", []byte("scenario: 1\nname: x\ntags: ["+tag+"]\nexpect: {ends: serving}\n"))
		if (err != nil) != wrong {
			t.Errorf("the tag %s: %v", tag, err)
		}
	}
}
