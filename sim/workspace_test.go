package sim

import (
	"errors"
	"shelly/fsm"
	"slices"
	"strings"
	"testing"
)

// shelf is a workspace in memory whose one tool, note, adds a file.
type shelf struct {
	files  []Thing
	closed *int
}

func (s *shelf) Run(run fsm.RunTool) fsm.ToolAnswered {
	s.files = append(s.files, Thing{Name: "note", Data: `"92%"`})
	return fsm.ToolAnswered{Text: "noted"}
}

func (s *shelf) Probe(fsm.RunProbe) fsm.Probed {
	return fsm.Probed{Answer: fsm.ProbeUnsure}
}

func (s *shelf) Files() ([]Thing, error) { return s.files, nil }
func (s *shelf) Close() error            { *s.closed++; return nil }

// noting is a plan whose model calls the real tool note, and its workshop.
func noting() (p Plan, s *Workshop, opened, closed *int) {
	opened, closed = new(int), new(int)
	p = roundTrip()
	p.Stubs, p.Workspace, p.World = nil, "/work", []Thing{{Name: "a", Data: `"x"`}}
	p.Scripts[0].Lines[0].Calls = []fsm.ToolCall{{Name: "note", Args: "{}"}}
	return p, &Workshop{
		Tools: []fsm.ToolDecl{{Name: "note", Effects: fsm.EffectsIdempotent}},
		Open: func(name, _ string, files []Thing) (Workspace, error) {
			*opened++
			if name != "/work" {
				return nil, errors.New("opened as " + name)
			}
			return &shelf{slices.Clone(files), closed}, nil
		},
	}, opened, closed
}

// SCN-30: the tools are the workshop's, in a workspace that is the run's alone.
func TestSCN30ARunHasAWorkspaceOfItsOwn(t *testing.T) {
	p, s, opened, closed := noting()
	p.ToolsTake = 300
	for range 2 {
		r := play(t, p, Options{Workshop: s})
		if len(r.Ran) != 1 || len(r.Unexpected) != 0 || len(r.Audits) != 1 || r.Audits[0].Result != "noted" {
			t.Errorf("ran %+v, unexpected %v, audits %+v", r.Ran, r.Unexpected, r.Audits)
		}
		if want := []Thing{{Name: "a", Data: `"x"`}, {Name: "note", Data: `"92%"`}}; !slices.Equal(r.World, want) {
			t.Errorf("the world is %v, want %v", r.World, want)
		}
		if took := r.End - p.Start; took != 1200+300+1500 {
			t.Errorf("it took %v", took)
		}
	}
	if *opened != 2 || *closed != 2 {
		t.Errorf("opened %d workspaces and closed %d", *opened, *closed)
	}
}

// SCN-30: what a tool has done before a crash stays; the next run starts with a new folder.
func TestSCN30ACrashLeavesTheFiles(t *testing.T) {
	p, s, opened, closed := noting()
	p.Crashes = []Crash{{Point: AfterEffect, Effect: "run_tool", After: fsm.Second}}
	r := play(t, p, Options{Workshop: s})
	if len(r.World) != 3 { // it was started twice
		t.Errorf("the world is %v", r.World)
	}
	p.Crashes = nil
	for n := 1; n <= r.Points; n++ {
		play(t, p, Options{Workshop: s, CrashAt: n})
	}
	if runs := 1 + r.Points; *opened != runs || *closed != runs {
		t.Errorf("opened %d workspaces and closed %d in %d runs", *opened, *closed, runs)
	}
}

// SCN-24, SCN-30: a tool that fails did nothing; one whose answer is lost has done it.
func TestSCN30AToolThatFailsDidNothing(t *testing.T) {
	for _, test := range []struct {
		name  string
		act   Act
		files int
	}{
		{"fails", Act{Failed: true, Returns: "broken"}, 1},
		{"lost", Act{Lost: true}, 2},
	} {
		p, s, _, _ := noting()
		p.Faults = []Fault{{Kind: ToolFault, Nth: 1, Act: test.act}}
		p.Config.Limits.MaxToolAttempts = 1
		if r := play(t, p, Options{Workshop: s}); len(r.World) != test.files {
			t.Errorf("%s: the world is %v", test.name, r.World)
		}
	}
}

// SCN-23: what holds other data has no text to append to.
func TestSCN23ATextIsAppendedToATextAlone(t *testing.T) {
	p := roundTrip()
	p.World = []Thing{{"log", `[1]`}}
	p.Stubs[0].Acts[0].Changes = []Change{{Kind: Append, Thing: Thing{"log", `"1"`}}}
	r := play(t, p, Options{})
	if len(r.Unexpected) != 1 || !strings.Contains(r.Unexpected[0].What, "log, which is no text but [1]") || r.World[0].Data != `[1]` {
		t.Errorf("unexpected %v, the world %v", r.Unexpected, r.World)
	}
}
