package property

import (
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"shelly/sim"
	"shelly/sim/scenario"
	"shelly/sim/scenario/choose"
	"shelly/sim/scenario/format"
	"shelly/sim/scenario/layout"
)

const source = `property: 1
name: small
profile: default
tools:
  exec: [{returns: ok, effects: none}, {weight: 2, fails: no, description: "runs"}]
runs: {seeds: 40, max_steps: 300}
generate:
  timeline:
    length: {min: 1, max: 5}
    gap: {max: 1m}
    pick: [{weight: 3, user: {$one_of: [a, b]}}, {cancel: true}, {duplicate_last: true}]
  brain:
    length: {max: 5}
    takes: {max: 10s}
    pick: [{says: {$text: {max: 9}}}, {calls: {tools: $declared, args: $from_schema, max: 2}}]
  faults: {tool.error: 0.1, journal.full: 0.02, crash: {p: 0.02}}
`

// load loads a property with more keys.
func load(t *testing.T, more string) *scenario.File {
	t.Helper()
	return loadAll(t, fstest.MapFS{"p.property.yaml": {Data: []byte(source + more)}})
}

func loadAll(t *testing.T, fsys fstest.MapFS) *scenario.File {
	t.Helper()
	files, err := scenario.Load(fsys, "p.property.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return files[0]
}

func generatorOf(f *scenario.File) *generator {
	plan := f.Plan()
	return &generator{file: f, of: f.Property(), tools: plan.Machine().Tools}
}

// PRP-4: a seed makes one case, other seeds make others, and the first of all choices
// makes the simplest.
func TestPRP4ASeedMakesACase(t *testing.T) {
	g := generatorOf(load(t, "invariants: [$all]\n"))
	var sources []string
	for seed := uint64(1); seed <= 20; seed++ {
		a, b := g.play(sim.NewSeeded(seed), nil), g.play(sim.NewSeeded(seed), nil)
		if string(a.source) != string(b.source) || a.err != nil {
			t.Fatalf("seed %d makes two cases, %v:\n%s\n%s", seed, a.err, a.source, b.source)
		}
		if !slices.Contains(sources, string(a.source)) {
			sources = append(sources, string(a.source))
		}
	}
	if len(sources) < 18 {
		t.Errorf("20 seeds make %d cases", len(sources))
	}
	const simplest = `scenario: 1
name: small
profile: default
brain:
  - {says: Done., times: 10000, optional: true}
brain_for:
  subagent:
    - {says: Done., times: 10000, optional: true}
tools:
  exec:
    - {returns: ok, effects: none, description: "runs", times: 10000, optional: true}
timeline:
  - {at: 0s, user: a}
always:
  - step <= 300
`
	if got := string(g.play(sim.First{}, nil).source); got != simplest {
		t.Errorf("the first choices make\n%s", got)
	}
}

// PRP-3: in some cases a pick is left out, and without swarm in none.
func TestPRP3SwarmLeavesPicksOut(t *testing.T) {
	without := func(swarm string) int {
		g := generatorOf(load(t, "invariants: [$all]\n"))
		on := swarm == "true"
		g.of.Generate.Swarm = &on
		n := 0
		for seed := uint64(1); seed <= 200; seed++ {
			g.draw = &choices{from: sim.NewSeeded(seed)}
			if weights := swarmWeights(g); slices.Contains(weights, 0) {
				n++
			}
		}
		return n
	}
	if n := without("true"); n < 50 || n > 190 {
		t.Errorf("with swarm %d of 200 cases leave something out", n)
	}
	if n := without("false"); n != 0 {
		t.Errorf("without swarm %d of 200 cases leave something out", n)
	}
}

func swarmWeights(g *generator) []int { return swarm(g, g.of.Generate.Timeline.Pick) }

// PRP-7, PRP-8: what does not hold is found, and made so small that nothing of it can
// be left out; the file that is written fails by itself and for the same reason.
func TestPRP8WhatIsFoundIsAScenarioThatFails(t *testing.T) {
	f := load(t, "invariants: [$all, \"tools['exec'] < 2\"]\n")
	r := Check(f, Options{})
	if r.Err != nil || r.Failed == nil {
		t.Fatalf("nothing was found: %+v", r)
	}
	again := Check(f, Options{})
	if string(again.Failed.Source) != string(r.Failed.Source) {
		t.Errorf("found again, but differently:\n%s\n%s", r.Failed.Source, again.Failed.Source)
	}
	written, err := scenario.Parse("found.scenario.yaml", r.Failed.Source)
	if err != nil {
		t.Fatal(err)
	}
	out := written.Run(sim.Options{})
	if len(out.Failures) != 1 || out.Failures[0].Want != "tools['exec'] < 2" {
		t.Errorf("the file fails differently: %v", out.Failures)
	}
	if p := written.Found; p == nil || p.By != "p.property.yaml" || p.Invariant != "tools['exec'] < 2" || uint64(*p.Seed) != r.Failed.Seed {
		t.Errorf("found: %+v", p)
	}
	if n := strings.Count(string(r.Failed.Source), "optional: true"); n > 5 || strings.Contains(string(r.Failed.Source), "faults") {
		t.Errorf("not small:\n%s", r.Failed.Source)
	}
	if laid, err := layout.Text(r.Failed.Source); err != nil || string(laid) != string(r.Failed.Source) {
		t.Errorf("format would change it: %v\n%s", err, r.Failed.Source)
	}
}

// PRP-8: the file can be loaded also if the invariant has a character that no name may have.
func TestPRP8AnInvariantMayHaveAnyCharacter(t *testing.T) {
	r := Check(load(t, "invariants: [\"tools['exec'] < 2 && '\\u202e\\e\u200d' != ''\"]\n"), Options{})
	if r.Err != nil || r.Failed == nil {
		t.Fatalf("nothing was found: %+v", r)
	}
	written, err := scenario.Parse("found.scenario.yaml", r.Failed.Source)
	if err != nil {
		t.Fatal(err)
	}
	if out := written.Run(sim.Options{}); len(out.Failures) != 1 || written.Name != `small: tools['exec'] < 2 && '\u202e\x1b`+"\ufffd' != ''" {
		t.Errorf("%s fails differently: %v", written.Name, out.Failures)
	}
}

// PRP-5: a case that takes too many steps fails.
func TestPRP5StepsAreBounded(t *testing.T) {
	f := load(t, "invariants: [$all]\n")
	few := format.Count(5)
	f.Property().Runs.MaxSteps = &few
	if r := Check(f, Options{}); r.Failed == nil || r.Failed.Invariant != "max_steps" {
		t.Errorf("got %+v; want not nil, Invariant %q", r.Failed, "max_steps")
	}
}

// PRP-6: what is reached too seldom fails the property, once there were enough cases.
func TestPRP6ATameGeneratorFails(t *testing.T) {
	f := load(t, "invariants: [$all]\ncover:\n  - {name: begins, when: step > 0, at_least: 100%}\n  - {name: ends, when: active > 0, at_least: 50%}\n  - {name: never, when: requests > 90, at_least: 1%}\n")
	r := Check(f, Options{})
	if got := r.Tame(f.Property()); !slices.Equal(got, []int{2}) || r.Runs != 40 || !r.Judged {
		t.Errorf("tame %v, %+v", got, r)
	}
	r = Check(f, Options{Seeds: 10})
	if got := r.Tame(f.Property()); got != nil || r.Runs != 10 || r.Judged {
		t.Errorf("10 cases: tame %v, %+v", got, r)
	}
}

// PRP-7: when the time is over, what was not made is named.
func TestPRP7TheBudgetEndsARun(t *testing.T) {
	asked := 0
	r := Check(load(t, "invariants: [$all]\n"), Options{Stop: func() bool { asked++; return asked > 7 }})
	if r.Runs != 7 || r.Seeds != 40 || r.Judged || r.Failed != nil {
		t.Errorf("got %+v; want Runs 7, Seeds 40, not Judged, no Failed", r)
	}
	r = Check(load(t, "invariants: [$all]\n"), Options{Stop: func() bool { return true }})
	if r.Runs != 1 {
		t.Errorf("no time at all: %d cases, want 1, since a property that made none would pass for nothing", r.Runs)
	}
	over := 0
	found := Check(load(t, "invariants: [\"asked < 2\"]\n"), Options{Shrink: func() func() bool { return func() bool { over++; return over > 4 } }})
	if found.Failed == nil || !strings.HasSuffix(found.Failed.Shrunk, "tries") || over < 4 {
		t.Errorf("got %+v, %d; want not nil, Shrunk ending with %q, over at least 4", found.Failed, over, "tries")
	}
}

// PRP-8: regressions are played first, and one that fails is reported in place of cases. One that is not
// played has not failed.
func TestPRP8RegressionsArePlayedFirst(t *testing.T) {
	good := "scenario: 1\nname: good\nbrain: [{says: b}]\ntimeline: [{user: a}]\nexpect: {replies: [b]}\n"
	bad := strings.ReplaceAll(good, "[b]", "[c]")
	for name, test := range map[string]struct {
		file   string
		played int
		fails  bool
	}{
		"good": {good, 1, false}, "bad": {bad, 1, true}, "skipped": {bad + "skip: later\n", 0, false}, // SCN-60
		"with real tools": {good + "tools: real\n", 0, false},
	} { // order-free: each is tried by itself
		f := loadAll(t, fstest.MapFS{
			"p.property.yaml":               {Data: []byte(source + "regressions: ./old/*.scenario.yaml\ninvariants: [$all]\n")},
			"old/1.scenario.yaml":           {Data: []byte(test.file)},
			"old/2.other.yaml":              {Data: []byte("x")},
			"elsewhere/3.scenario.yaml":     {Data: []byte(bad)},
			"old/deeper/than/4.scenario.ya": {Data: []byte(bad)},
		})
		r := Check(f, Options{})
		if r.Regressions != test.played || (r.Failed != nil) != test.fails || (r.Runs > 0) == test.fails {
			t.Errorf("%s: got %+v; want Regressions %d, some Failed %t, Runs if none", name, r, test.played, test.fails)
		}
	}
}

// PRP-1: every property of the project makes cases that load and play, whatever is drawn.
func TestPRP1ThePropertiesOfTheProjectMakeCases(t *testing.T) {
	files := projectProperties(t)
	for _, f := range files {
		g := generatorOf(f)
		for _, c := range []sim.Chooser{sim.First{}, last{}, sim.NewSeeded(1000), sim.NewSeeded(1001)} {
			if p := g.play(c, nil); p.err != nil || len(p.wrong) > 0 {
				t.Errorf("%s: got %v, %v; want no failure:\n%s", f.Path(), p.err, p.wrong, p.source)
			}
		}
	}
	if len(files) < 7 {
		t.Errorf("%d properties", len(files))
	}
}

// projectProperties are the properties of the project.
func projectProperties(t *testing.T) []*scenario.File {
	t.Helper()
	fsys := os.DirFS("../../scenarios")
	targets, err := choose.Find(fsys, []string{"properties"})
	if err != nil {
		t.Fatal(err)
	}
	var all []*scenario.File
	for _, target := range targets {
		files, err := scenario.Load(fsys, target.Path)
		if err != nil {
			t.Fatal(err)
		}
		if files[0].Property() != nil {
			all = append(all, files[0])
		}
	}
	return all
}

// last chooses the last of a few, which makes the longest of cases.
type last struct{}

func (last) Choose(label string, n int) int {
	if n > 100 {
		return n / 2
	}
	return n - 1
}

// PRP-3, PRP-4: a crash is as long as its range says.
func TestPRP4ACrashIsAsLongAsItIsDrawn(t *testing.T) {
	own := strings.Replace(source, "crash: {p: 0.02}", "crash: {p: 1, restart_after: {min: 2h, max: 2h}}", 1)
	g := generatorOf(loadAll(t, fstest.MapFS{"p.property.yaml": {Data: []byte(own + "invariants: [$all]\n")}}))
	if p := g.play(sim.NewSeeded(1), nil); p.err != nil || !strings.Contains(string(p.source), "restart_after: 7200s") {
		t.Errorf("got %v; want a crash with restart_after: 7200s in\n%s", p.err, p.source)
	}
}

// PRP-3: with swarm a probability is that of the file, none, or several times as much.
func TestPRP3SwarmDrawsHowOftenThingsGoWrong(t *testing.T) {
	g := generatorOf(load(t, "invariants: [$all]\n"))
	for choice, want := range []int{100, 0, 200, 400} {
		g.draw = &choices{from: sim.NewTape([]int{choice})}
		if got := g.often(100); got != want {
			t.Errorf("choice %d: got %d thousandths, want %d", choice, got, want)
		}
	}
	g.draw = &choices{from: sim.NewTape([]int{1})}
	if got := g.often(thousand); got != thousand {
		t.Errorf("what is certain is %d thousandths", got)
	}
}

// PRP-3: of tools of which nothing is to be drawn each call comes to what their first entry says.
func TestPRP3NoAnswersOfToolsAreDrawnIfNoneMayBe(t *testing.T) {
	for _, test := range []struct {
		tools string
		most  int
	}{{"{length: {max: 0}}", 1}, {"{length: {max: 1}}", 2}, {"{}", toolAnswersMax + 1}} {
		f := loadAll(t, fstest.MapFS{"p.property.yaml": {Data: []byte(strings.Replace(source, "generate:\n", "generate:\n  tools: "+strings.Replace(test.tools, "{}", "{takes: {max: 1s}}", 1)+"\n", 1) + "invariants: [$all]\n")}})
		g, most := generatorOf(f), 0
		for seed := uint64(1); seed <= 30; seed++ {
			c := g.play(sim.NewSeeded(seed), nil)
			if c.err != nil {
				t.Fatal(c.err)
			}
			made, err := scenario.Parse("p.scenario.yaml", c.source)
			if err != nil {
				t.Fatal(err)
			}
			entries, _ := made.Tools.Stubs.Get("exec")
			most = max(most, len(entries))
		}
		if most != test.most {
			t.Errorf("%s: exec has up to %d entries; want %d", test.tools, most, test.most)
		}
	}
}
