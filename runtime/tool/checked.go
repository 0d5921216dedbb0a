package tool

import (
	"context"
	"fmt"

	"shelly/fsm"
)

// Checked is a tool whose calls run only with arguments that fit its declaration (TOL-2).
// The error is that of a schema which is none.
func Checked(decl fsm.ToolDecl, run func(ctx context.Context, call fsm.RunTool, a Arguments) Result) (Added, error) {
	s, err := newSignature(decl)
	if err != nil {
		return Added{}, fmt.Errorf("schema of %s: %w", decl.Name, err)
	}
	return Added{Decl: decl, Run: func(ctx context.Context, call fsm.RunTool) Result {
		a, err := s.parse(call.Args)
		if err != nil {
			return Invalid("%v", err)
		}
		return run(ctx, call, a)
	}}, nil
}
