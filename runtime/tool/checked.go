package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"sync"

	"shelly/fsm"
)

// bounds matches the parts of a schema that only the check of arguments needs, in the way in
// which shelly's own schemas are written.
var bounds = regexp.MustCompile(`,"(additionalProperties|maxItems|minItems|maxLength|minimum|maximum)":(false|[0-9]+)`)

// Own is [Checked] for a tool of shelly's own: the declaration that the model reads leaves out
// the bounds, which matter only to a call that breaks them, whose failure then names them
// (TOL-64). The first call parses the schema, because parsing those of all tools would take more
// of a start than the rest of the tools does. Own returns an error if the schema is not JSON.
func Own(decl fsm.ToolDecl, run func(ctx context.Context, call fsm.RunTool, a Arguments) Result) (Added, error) {
	if !json.Valid([]byte(decl.Parameters)) {
		return Added{}, fmt.Errorf("schema of %s: it is not JSON", decl.Name)
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

// Checked returns a tool whose calls run only with arguments that fit its declaration (TOL-2),
// or an error if the declaration's schema is invalid.
func Checked(decl fsm.ToolDecl, run func(ctx context.Context, call fsm.RunTool, a Arguments) Result) (Added, error) {
	s, err := signed(decl)
	if err != nil {
		return Added{}, err
	}
	return Added{Decl: decl, Run: func(ctx context.Context, call fsm.RunTool) Result {
		a, ignored, err := s.parse(call.Args)
		if err != nil {
			return Invalid("%v", err)
		}
		result := run(ctx, call, a)
		if ignored != "" {
			result.Text = ignored + "\n" + result.Text
		}
		return result
	}}, nil
}

// Reader returns what reads the arguments of a tool's calls as [Checked] does, for a probe that
// needs them too.
func Reader(decl fsm.ToolDecl) (read func(args string) (Arguments, error), err error) {
	s, err := signed(decl)
	if err != nil {
		return nil, err
	}
	return func(args string) (Arguments, error) {
		a, _, err := s.parse(args)
		return a, err
	}, nil
}

func signed(decl fsm.ToolDecl) (signature, error) {
	s, err := newSignature(decl)
	if err != nil {
		return signature{}, fmt.Errorf("schema of %s: %w", decl.Name, err)
	}
	return s, nil
}
