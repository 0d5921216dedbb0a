package export

import (
	"strings"
	"testing"

	"shelly/fsm"
)

// What a reload changes while the request runs changes in the scenario too, at its time.
func TestSCN47AReloadIsExported(t *testing.T) {
	for path, has := range map[string]string{ // order-free: each has its own world
		"default/approval-added.scenario.yaml":          `configure: {approve: {exec: always}}`,
		"countbot/configured-tools.scenario.yaml":       `tools: [list_dir]}`,
		"probe/tool-taken-away.scenario.yaml":           `configure: {tools: [other]}`,
		"nanobot/tools-at-run-time.scenario.yaml":       `configure: {tools: [`,
		"countbot/options.scenario.yaml":                `configure: {temperature: 0, max_tokens: 512}`,
		"faults/no-space-at-a-slot.scenario.yaml":       `configure: {`,
		"default/back-off-takes-its-time.scenario.yaml": `configure: {temperature: 0.4}`,
	} {
		request := 0
		if strings.Contains(path, "at-a-slot") {
			request = 1
		}
		if text := scenarioOf(t, path, request, 0, nil); !strings.Contains(text, has) {
			t.Errorf("%s: no %q in\n%s", path, has, text)
		}
	}
}

// What was changed while no process ran, after a stop or a crash, is changed then in the scenario too.
func TestSCN47AConfigurationThatAStartBroughtIsExported(t *testing.T) {
	const head = `
scenario: 1
name: x
tools: {exec: [{returns: read, takes: 1m, effects: none, approve: true}]}
grants: [{tool: exec, any: true}]
brain:
  - {calls: [{tool: exec}]}
  - {says: "Done."}
timeline:
  - {user: "Do it."}
  - {at: 70s, approve: true, optional: true}
`
	for name, rest := range map[string]string{ // order-free: each has its own world
		"stop": `
  - {at: 6s, shutdown: TERM}
  - {at: 30s, edit_grants: []}
  - {at: 31s, configure: {max_iterations: 9}}
  - {at: 40s, start: true}
config: {shutdown_timeout: 1s, grace: 2s}
`,
		"crash": `
  - {at: 6s, edit_grants: []}
  - {at: 30s, configure: {max_iterations: 9}}
faults: {crash: {at: effect.after, effect: run_tool, restart_after: 40s}}
`,
	} {
		r := recorded(t, head+rest+`expect: {replies: ["Done."]}`)
		file, err := r.Scenario()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, has := range []string{"configure: {max_iterations: 9}", "edit_grants: []"} {
			if !strings.Contains(string(file.Source), has) {
				t.Errorf("%s: no %q in\n%s", name, has, file.Source)
			}
		}
	}
}

// A scenario begins with what holds when the request's turn comes.
func TestSCN47AReloadWhileTheRequestWaitsIsItsBeginning(t *testing.T) {
	r := recorded(t, `
scenario: 1
name: x
config: {max_active: 1}
brain:
  - {says: "First.", takes: 20s}
  - {says: "Second."}
timeline:
  - {user: "One.", session: a}
  - {at: 1s, user: "Two.", session: b}
  - {at: 6s, configure: {max_iterations: 9}}
expect: {replies: ["First.", "Second."]}
`)
	file, err := r.Scenario()
	if err != nil {
		t.Fatal(err)
	}
	if text := string(file.Source); !strings.Contains(text, "max_iterations: 9") || strings.Contains(text, "configure") {
		t.Errorf("got\n%s; want %q, and no %q", text, "max_iterations: 9", "configure")
	}
}

// What a start brings at which the request's turn comes is its beginning, too.
func TestSCN47AStartThatBringsTheTurnIsItsBeginning(t *testing.T) {
	r := recorded(t, `
scenario: 1
name: x
config: {max_active: 1, max_crashes: 1, remember: off}
tools: {exec: [{returns: done, takes: 1m}]}
brain: [{session: a, calls: [{tool: exec}]}, {session: b, says: "Second."}]
timeline:
  - {user: "One.", session: a}
  - {at: 1s, user: "Two.", session: b}
  - {at: 6s, configure: {max_iterations: 9}}
  - {at: 50s, cancel: r1}
faults: {crash: [{at: step.5, restart_after: 20s, synced: true}]}
expect: {replies: {$any: true}}
`)
	if left, _ := r.begins(); fsm.InputKind(r.Steps[left].Input) != "boot" {
		t.Fatalf("its turn comes with %s", fsm.InputKind(r.Steps[left].Input))
	}
	file, err := r.Scenario()
	if err != nil {
		t.Fatal(err)
	}
	if text := string(file.Source); !strings.Contains(text, "max_iterations: 9") || strings.Contains(text, "configure") || strings.Contains(text, "crash:") {
		t.Errorf("got\n%s; want %q, and no %q nor %q", text, "max_iterations: 9", "configure", "crash")
	}
}

// What the request itself changes, as /new does, and what comes at one time, is in the order of the record
// under each seed.
func TestSCN47WhatComesAtOneTimeKeepsItsOrder(t *testing.T) {
	for _, request := range []int{2, 3} {
		text := scenarioOf(t, "default/approval-for-the-session.scenario.yaml", request, 0, nil)
		if strings.Contains(text, "edit_grants") {
			t.Errorf("request %d: somebody else changes grants in\n%s", request, text)
		}
	}
	for _, timeline := range []string{
		`{at: 1s, approve: true}, {at: 1s, deny: true}`,
		`{at: 0s, cancel: a}`,
		`{at: 1s, approve: true}, {at: 3.02s, configure: {approve: {exec: never}}}`, // 20 ms before the second call
	} {
		file, err := recorded(t, `
scenario: 1
name: x
tools: {exec: [{approve: true, returns: one, takes: 2.04s, optional: true}, {returns: two, optional: true}]}
brain: [{calls: [{tool: exec, args: {a: 1}}], optional: true}, {calls: [{tool: exec, args: {a: 2}}], optional: true}, {says: "Done.", optional: true}]
timeline: [{user: "hi", id: a}, `+timeline+`]
expect: {replies: {$any: true}}
`).Scenario()
		if err != nil {
			t.Fatal(err)
		}
		holdsUnderSeeds(t, file)
	}
}

// A reload that rounding would let come with the model's answer stays before it, also in the order that few
// seeds have.
func TestSCN47ATimeIsNotRoundedToThatOfAnAnswer(t *testing.T) {
	file, err := recorded(t, `
scenario: 1
name: x
tools: {look: [{returns: one, effects: none}]}
brain: [{calls: [{tool: look}], takes: 1.02s}, {says: "Done.", optional: true}]
timeline: [{user: "hi"}, {at: 1.001s, configure: {max_iterations: 1}}]
expect: {replies: {$any: true}}
`).Scenario()
	if err != nil {
		t.Fatal(err)
	}
	if text := string(file.Source); !strings.Contains(text, `at: "1.001s"`) {
		t.Errorf("got\n%s; want the time as it was", text)
	}
	holdsUnderSeeds(t, file)
}

// A scenario that a seed decides is not what is looked for.
func TestSCN47ATieIsNotSteady(t *testing.T) {
	for at, want := range map[string]bool{"0s": false, "1ms": true} { // order-free: each has its own file
		file, err := played([]byte("scenario: 1\nname: x\nbrain: [{hangs: true, optional: true}]\ntimeline: [{user: hi, id: a}, {at: " + at + ", cancel: a}]\nexpect: {replies: [{outcome: cancelled}]}\n"))
		if err != nil {
			t.Fatal(err)
		}
		if got := file.steady(); got != want {
			t.Errorf("with a cancel at %s: %v, want %v", at, got, want)
		}
	}
}

// Grants alone change by a reload, by a revocation and by what was edited before a start.
func TestSCN47GrantsThatChangedMeanwhileAreExported(t *testing.T) {
	const head = `
scenario: 1
name: x
tools: {exec: [{returns: read, takes: 1m}, {returns: again}]}
grants: [{tool: exec, any: true}]
config: {approve: {exec: always}}
brain:
  - {calls: [{tool: exec}]}
  - {calls: [{tool: exec}]}
  - {says: "Done."}
timeline:
  - {user: "Do it."}
  - {at: 90s, approve: true}
`
	for name, rest := range map[string]string{ // order-free: each has its own world
		"reload": "  - {at: 6s, edit_grants: []}\n  - {at: 7s, configure: {tell_time: true}}\n",
		"revoke": "  - {at: 6s, revoke: true}\n",
	} {
		r := recorded(t, head+rest+`expect: {replies: ["Done."]}`)
		file, err := r.Scenario()
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if !strings.Contains(string(file.Source), "edit_grants: []") {
			t.Errorf("%s: got %s; want one with %q", name, file.Source, "edit_grants: []")
		}
	}
}

// What configure has no key for is named.
func TestSCN47AReloadThatAScenarioCannotTellIsRefused(t *testing.T) {
	r := recorded(t, `
scenario: 1
name: x
tools: {exec: [{returns: done, takes: 1m}]}
brain:
  - {calls: [{tool: exec}]}
  - {says: "Done."}
timeline:
  - {user: "Do it."}
  - {at: 6s, configure: {max_tokens: 512}}
expect: {replies: ["Done."]}
`)
	for i := range r.Steps {
		if in, ok := r.Steps[i].Input.Fact.(fsm.Configured); ok {
			in.Config.Channels = []string{"webhook"}
			r.Steps[i].Input.Fact = in
		}
	}
	if _, err := r.Scenario(); err == nil || !strings.Contains(err.Error(), "changed in channels, which a scenario cannot change") {
		t.Errorf("got %v; want an error with %q", err, "changed in channels, which a scenario cannot change")
	}
}

// What tells of another, or ends it, has another in the scenario.
func TestSCN47ACommandBesideOthersIsExported(t *testing.T) {
	for _, c := range []struct {
		path    string
		request int
		has     string
	}{
		{"nanobot/commands-at-once.scenario.yaml", 3, `at: "1s", user: "/status"`},
		{"nanobot/commands-at-once.scenario.yaml", 5, "There is nothing to stop."}, // the second: all is decided
		{"default/stop-while-parked.scenario.yaml", 2, "^Stopped: "},
		{"default/stop-a-subagent.scenario.yaml", 1, "^Stopped: "},
	} {
		text := scenarioOf(t, c.path, c.request, 0, nil)
		if !strings.Contains(text, c.has) || strings.Contains(text, "id: r0") == strings.Contains(c.has, "nothing") {
			t.Errorf("%s: request %d: no %q in\n%s", c.path, c.request, c.has, text)
		}
	}
}
