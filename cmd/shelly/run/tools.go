package run

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"

	"shelly/cmd/shelly/internal/exit"
	"shelly/fsm"
	"shelly/runtime/config"
	"shelly/runtime/tool"
	"shelly/sim/strict"
)

// Tools are the tools that a daemon would have.
type Tools struct {
	Tools    *tool.Runner
	Declared []fsm.ToolDecl // as the machine has them: the builtin ones, too
	bench    *bench
	place    *visited
	opened   *starting
}

// OpenTools opens the tools of a configuration. Of MCP servers, which a daemon starts, only one
// is started of which a tool is called wanted, and waited for; empty: none. Close them in the
// end.
func OpenTools(ctx context.Context, cfg config.Config, log *slog.Logger, wanted string) (*Tools, error) {
	place := &visited{cfg: cfg}
	cfg.Tools.MCP = slices.DeleteFunc(slices.Clone(cfg.Tools.MCP), func(s strict.Named[config.Server]) bool {
		return !strings.HasPrefix(wanted, s.Name+"_")
	})
	t := &Tools{place: place, opened: &starting{cfg: cfg, log: log, place: place}}
	if err := t.opened.openBox(ctx, cfg); err != nil {
		return nil, err
	}
	if err := t.openServer(ctx, wanted); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	b, err := t.opened.openBench(cfg)
	if err != nil {
		return nil, errors.Join(err, t.Close())
	}
	t.bench, t.Tools, t.Declared = b, b.tools, cfg.Machine(b.tools.Declarations(), b.skills.Decls()).Tools
	return t, nil
}

// openServer starts the server that has a tool, if one may.
func (t *Tools) openServer(ctx context.Context, wanted string) error {
	s := t.opened
	if len(s.cfg.Tools.MCP) == 0 {
		return nil
	}
	if err := s.openServers(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	s.servers.Wait(ctx)
	for _, state := range s.servers.States() {
		if !state.Up {
			return exit.Errorf(exit.Unreachable, "%s: the server of tools %s is not up: %w", wanted, state.Name, cmp.Or(state.Err, ctx.Err()))
		}
	}
	return nil
}

// Close lets the workspace go, and ends the server.
func (t *Tools) Close() error {
	err := t.place.close()
	if t.bench != nil {
		err = errors.Join(err, t.bench.close())
	}
	t.opened.close()
	return err
}
