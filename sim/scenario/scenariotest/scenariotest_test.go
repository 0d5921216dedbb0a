package scenariotest

import (
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

const good = "scenario: 1\nname: good\ntags: [smoke]\nvars: {answer: Fine.}\nprofile: default\nbrain: [{says: \"${answer}\"}]\ntimeline: [{user: Hi}]\nexpect: {replies: [Fine.]}\n"

const tame = "property: 1\nname: tame\nprofile: default\nruns: {seeds: 3}\ngenerate: {timeline: {length: {min: 1, max: 1}, pick: [{user: a}]}, brain: {length: {max: 1}, pick: [{says: b}]}}\ninvariants: [$all]\n"

// told plays the only case of a file and returns what go test would say of it.
func told(t *testing.T, name, text string, set func(*Suite)) (wrong, skipped string) {
	t.Helper()
	s := Load(fstest.MapFS{name: {Data: []byte(text)}})
	if set != nil {
		set(s)
	}
	cases, broken, err := s.load()
	if err != nil || len(broken) > 0 || len(cases) != 1 {
		t.Fatalf("got %v, %v broken, %v; want 1 case, none broken", cases, broken, err)
	}
	return s.play(t, cases[0])
}

// SCN-66: a failure is reported as shelly test reports it, with place, frame and command.
func TestSCN66ACaseThatFailsSaysWhy(t *testing.T) {
	if wrong, skipped := told(t, "a.scenario.yaml", good, nil); wrong != "" || skipped != "" {
		t.Errorf("a case that holds: %s%s", wrong, skipped)
	}
	wrong, _ := told(t, "a.scenario.yaml", good, func(s *Suite) { s.Var("answer=Bad.") })
	for _, want := range []string{"FAIL good\n", "a.scenario.yaml:8:20: expect.replies[0]\n", "  - want \"Fine.\"\n  + got  \"Bad.\"\n", "again: shelly test a.scenario.yaml:1 --var answer=Bad.\n"} {
		if !strings.Contains(wrong, want) {
			t.Errorf("%q is not in\n%s", want, wrong)
		}
	}
}

// SCN-66: a case is skipped with its reason, and never passes for one that held.
func TestSCN66ACaseThatCannotRunIsSkipped(t *testing.T) {
	for text, want := range map[string]string{ // order-free: each for itself
		strings.Replace(good, "profile:", "skip: not yet\nprofile:", 1):                                                           "not yet",
		"scenario: 1\nname: x\nprofile: default\ntools: real\nbrain: [{says: a}]\ntimeline: [{user: Hi}]\nexpect: {replies: [a]}": "tools: real needs the daemon's tools",
	} {
		if wrong, skipped := told(t, "a.scenario.yaml", text, nil); wrong != "" || !strings.Contains(skipped, want) {
			t.Errorf("%s: got %q %q, want %q", text, wrong, skipped, want)
		}
	}
}

func TestSCN66APropertyIsChecked(t *testing.T) {
	if wrong, skipped := told(t, "a.property.yaml", tame, nil); wrong != "" || skipped != "" {
		t.Errorf("got wrong %q, skipped %q; want neither", wrong, skipped)
	}
	broken := strings.Replace(tame, "[$all]", `["replies == 0"]`, 1)
	if wrong, _ := told(t, "a.property.yaml", broken, nil); !strings.Contains(wrong, "replies == 0 does not hold in the case of seed 1") || !strings.Contains(wrong, "the case:\n") {
		t.Errorf("a property that does not hold: %s", wrong)
	}
	covers := tame + "cover: [{name: talks, when: \"replies > 5\", at_least: 5%}]\n"
	if wrong, _ := told(t, "a.property.yaml", covers, nil); !strings.Contains(wrong, "what is generated is too tame") {
		t.Errorf("a tame property: %s", wrong)
	}
	endless := strings.Replace(tame, "seeds: 3", "seeds: 100000000", 1)
	if wrong, _ := told(t, "a.property.yaml", endless, func(s *Suite) { s.Budget(time.Millisecond) }); wrong != "" {
		t.Errorf("a property whose time is over: %s", wrong)
	}
}

// SCN-66: mistakes in the test are reported, and a file that does not load keeps
// no other from running.
func TestSCN66WhatCannotBeLoadedIsReported(t *testing.T) {
	fsys := fstest.MapFS{"s/a.scenario.yaml": {Data: []byte(good)}, "s/b.scenario.yaml": {Data: []byte("scenario: 1\nname: b\nexpekt: {}\n")}}
	cases, broken, err := Load(fsys, "s").load()
	if err != nil || len(cases) != 1 || len(broken) != 1 || !strings.Contains(broken[0].text, "s/b.scenario.yaml:3:1: expekt: unknown key expekt") {
		t.Errorf("got %v %v %v; want 1 of them, 1 of them, [0].text with %q", cases, broken, err, "s/b.scenario.yaml:3:1: expekt: unknown key expekt")
	}
	delete(fsys, "s/b.scenario.yaml")
	for want, s := range map[string]*Suite{ // order-free: each for itself
		"no scenario matches: elsewhere": Load(fsys, "elsewhere"),
		"no case matches the tags slow":  Load(fsys).Tags("slow"),
		"tags: ":                         Load(fsys).Tags("a &"),
		"no file has the variable answr": Load(fsys).Var("answr=x"),
		"wants NAME=VALUE, not answer":   Load(fsys).Var("answer"),
	} {
		if _, _, err := s.load(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
