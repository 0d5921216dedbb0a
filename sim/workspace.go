package sim

import (
	"errors"

	"shelly/fsm"
)

// Workshop is the real tools. Each run of a plan that wants them has a workspace of
// its own, which a crash of the simulated process leaves as it is (SCN-30).
type Workshop struct {
	Tools []fsm.ToolDecl // that there are
	// Open makes a folder with the files in it, each a text, that the model knows by a
	// name, and the tools of a profile's daemon there. The run closes it.
	Open func(name, profile string, files []Thing) (Workspace, error)
}

// Workspace is the real tools in a folder.
type Workspace interface {
	// Run runs a tool to its end. A result is the same in every such folder and on
	// every machine. Call and At are not set.
	Run(fsm.RunTool) fsm.ToolAnswered
	// Probe asks a tool what became of a call. Call and At are not set.
	Probe(fsm.RunProbe) fsm.Probed
	// Files returns the files that are there, by their names from the folder, sorted.
	Files() ([]Thing, error)
	// Close removes the folder.
	Close() error
}

var errNoTools = errors.New("the plan wants the real tools, and there is no workshop")

// open declares the tools in a plan that wants the real ones and opens its workspace;
// nil for any other plan.
func (s *Workshop) open(p *Plan) (Workspace, error) {
	switch {
	case p.Workspace == "":
		return nil, nil
	case s == nil:
		return nil, errNoTools
	}
	*p = p.Equipped(s.Tools)
	return s.Open(p.Workspace, p.Config.Profile, p.World)
}

// Equipped is the plan with these tools declared in place of its stubs, where it wants
// the real tools.
func (p Plan) Equipped(tools []fsm.ToolDecl) Plan {
	if p.Workspace == "" {
		return p
	}
	p.Stubs = nil
	for _, t := range tools {
		p.Stubs = append(p.Stubs, Stub{Decl: t})
	}
	return p
}

// acted is what a real tool has answered, as a stub's entry that answers so.
func acted(a fsm.ToolAnswered) Act {
	return Act{Returns: a.Text, Failed: a.Failed, Nothing: a.Nothing, Invalid: a.Invalid}
}
