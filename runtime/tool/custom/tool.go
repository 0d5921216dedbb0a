package custom

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"shelly/fsm"
	"shelly/runtime/sandbox"
	"shelly/runtime/tool"
	"shelly/runtime/tool/program"
)

// Sandbox runs the programs.
type Sandbox interface {
	Run(ctx context.Context, s sandbox.Spec) (sandbox.End, error)
	Rung() sandbox.Rung // what contains them
}

// Options are where the programs run, and their bounds.
type Options struct {
	Sandbox        Sandbox
	Workspace      string // absolute, without symbolic links
	ResultBytesMax int    // of the part of an output that is kept
}

// Program is a tool as it is configured.
type Program struct {
	Name        string
	Description string
	Schema      string // a JSON schema of an object; empty: no arguments
	Effects     fsm.ToolEffects
	Command     []string
	Probe       []string // empty: none
	Timeout     time.Duration
	Network     bool
	Env         []string // NAME=value
}

// noArguments is the schema of a program that takes none.
const noArguments = `{"type":"object","properties":{},"additionalProperties":false}`

// Tool returns the tool for a program. Its error names the key at fault and what is wrong.
func Tool(o Options, p Program) (tool.Added, error) {
	key := "tools.custom." + p.Name
	command, err := program.Find(p.Command, o.Workspace)
	if err != nil {
		return tool.Added{}, fmt.Errorf("%s.command: %w", key, err)
	}
	p.Schema = cmp.Or(p.Schema, noArguments)
	p.Effects = cmp.Or(p.Effects, fsm.EffectsUnsafe)
	r := runner{options: o, tool: p}
	decl := fsm.ToolDecl{Name: p.Name, Description: p.Description, Parameters: p.Schema, Effects: p.Effects}
	added, err := tool.Checked(decl, func(ctx context.Context, call fsm.RunTool, a tool.Arguments) tool.Result {
		return r.run(ctx, command, call.Key, a)
	})
	if err != nil {
		return tool.Added{}, fmt.Errorf("%s.schema: %w", key, err)
	}
	if len(p.Probe) > 0 {
		probe, err := program.Find(p.Probe, o.Workspace)
		if err != nil {
			return tool.Added{}, fmt.Errorf("%s.probe: %w", key, err)
		}
		read, err := tool.Reader(decl)
		if err != nil {
			return tool.Added{}, fmt.Errorf("%s.schema: %w", key, err)
		}
		added.Probe = func(ctx context.Context, call fsm.RunProbe) tool.Found {
			a, err := read(call.Args)
			if err != nil { // the schema has changed since
				return tool.Found{Answer: fsm.ProbeUnsure, Text: "the probe cannot be asked: " + err.Error()}
			}
			return r.probe(ctx, probe, call.Key, a)
		}
	}
	return added, nil
}
