package run

import (
	"context"
	"errors"
	"log/slog"

	"shelly/fsm"
	"shelly/runtime/config"
	"shelly/runtime/tool"
)

// Tools are the tools that a daemon would have.
type Tools struct {
	Tools    *tool.Runner
	Declared []fsm.ToolDecl // as the machine has them: the builtin ones, too
	bench    *bench
	place    *visited
}

// OpenTools opens the tools of a configuration, but for those of MCP servers, which only a
// daemon starts. Close them in the end.
func OpenTools(ctx context.Context, cfg config.Config, log *slog.Logger) (*Tools, error) {
	place := &visited{cfg: cfg}
	s := &starting{cfg: cfg, log: log, place: place}
	if err := s.openBox(ctx, cfg); err != nil {
		return nil, err
	}
	b, err := s.openBench(cfg)
	if err != nil {
		return nil, err
	}
	return &Tools{b.tools, cfg.Machine(b.tools.Declarations(), b.skills.Decls()).Tools, b, place}, nil
}

// Close lets the workspace go.
func (t *Tools) Close() error { return errors.Join(t.bench.close(), t.place.close()) }
