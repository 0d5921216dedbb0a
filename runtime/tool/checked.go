package tool

import (
	"context"
	"fmt"

	"shelly/fsm"
)

// Arguments are the arguments of a call that fit its declaration: text, float64, bool,
// []any, map[string]any by name, as encoding/json reads them.
type Arguments map[string]any

// Text returns a text, or otherwise where it was left out.
func (a Arguments) Text(name, otherwise string) string { return arguments(a).text(name, otherwise) }

// Number returns a whole number, or otherwise where it was left out.
func (a Arguments) Number(name string, otherwise int) int {
	return arguments(a).number(name, otherwise)
}

// Checked is a tool from another room whose calls run only with arguments that fit its
// declaration (TOL-2). The error is that of a schema which is none.
func Checked(decl fsm.ToolDecl, run func(ctx context.Context, call fsm.RunTool, a Arguments) Result) (Added, error) {
	s, err := newSignature(decl)
	if err != nil {
		return Added{}, fmt.Errorf("schema of %s: %w", decl.Name, err)
	}
	return Added{Decl: decl, Run: func(ctx context.Context, call fsm.RunTool) Result {
		a, err := s.parse(call.Args)
		if err != nil {
			return invalid("%v", err)
		}
		return run(ctx, call, Arguments(a))
	}}, nil
}

// Failed is the result of a tool that may have done a part of what was asked.
func Failed(format string, args ...any) Result { return failed(format, args...) }

// Nothing is the result of a tool that failed before anything happened.
func Nothing(format string, args ...any) Result { return nothing(format, args...) }

// Invalid is the result of a call that is wrong, so that nothing has happened and never
// will.
func Invalid(format string, args ...any) Result { return invalid(format, args...) }
