package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"sync"

	"shelly/fsm"
)

// bounds are what only the check of arguments needs of a schema, as shelly's own are written.
var bounds = regexp.MustCompile(`,"(additionalProperties|maxItems|minItems|maxLength|minimum|maximum)":(false|[0-9]+)`)

// Own is [Checked] for a tool of shelly's own: the declaration that the model reads leaves the
// bounds out, which count only where a call breaks them and its failure names them (TOL-64). Its
// schema is read by the first call, since those of all tools take a start longer than the rest of
// the tools does; the error is that of one that is no JSON.
func Own(decl fsm.ToolDecl, run func(ctx context.Context, call fsm.RunTool, a Arguments) Result) (Added, error) {
	if !json.Valid([]byte(decl.Parameters)) {
		return Added{}, fmt.Errorf("schema of %s: it is no JSON", decl.Name)
	}
	checked := sync.OnceValues(func() (Added, error) { return Checked(decl, run) })
	shown := decl
	shown.Parameters = bounds.ReplaceAllString(decl.Parameters, "")
	return Added{Decl: shown, Run: func(ctx context.Context, call fsm.RunTool) Result {
		added, err := checked()
		if err != nil {
			return Invalid("%v", err)
		}
		return added.Run(ctx, call)
	}}, nil
}

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
