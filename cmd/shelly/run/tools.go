package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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
	Declared []fsm.ToolDecl   // as the machine declares them, with the builtin ones
	Down     []string         // why wanted servers are not up
	Odd      []string         // what is odd about the tools of wanted servers
	Unasked  []string         // the servers that were not wanted
	Unset    map[string]error // by the name of a program of tools.custom: the variables that are not in this environment
	bench    *bench
	place    *visited
	opened   *starting
}

// Wanted selects the MCP servers to start and wait for.
type Wanted func(server string) bool

// The servers to start: none, all, or the one that a tool may belong to.
var (
	NoServer  Wanted = func(string) bool { return false }
	AllOfThem Wanted = func(string) bool { return true }
)

// ServerOf selects the server of a tool.
func ServerOf(tool string) Wanted {
	return func(server string) bool { return strings.HasPrefix(tool, server+"_") }
}

// OpenTools opens the tools of a configuration, and starts the wanted servers. Close them when
// done.
func OpenTools(ctx context.Context, cfg config.Config, log *slog.Logger, wanted Wanted) (*Tools, error) {
	place := &visited{cfg: cfg}
	t := &Tools{place: place}
	servers := cfg.Tools.MCP
	cfg.Tools.MCP = slices.DeleteFunc(slices.Clone(cfg.Tools.MCP), func(s strict.Named[config.Server]) bool {
		if !wanted(s.Name) {
			t.Unasked = append(t.Unasked, s.Name)
			return true
		}
		_, err := serverOf(s)
		if err != nil {
			t.Down = append(t.Down, notUp(s.Name, err))
		}
		return err != nil
	})
	cfg, t.Unset = withoutUnset(cfg)
	for _, p := range cfg.Tools.Custom {
		if err := t.Unset[p.Name]; err != nil {
			t.Odd = append(t.Odd, err.Error())
		}
	}
	t.opened = &starting{cfg: cfg, log: log, place: place}
	if err := t.opened.openBox(ctx, cfg); err != nil {
		return nil, exit.With(exit.Usage, err)
	}
	if err := t.openServers(ctx); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	all := cfg
	all.Tools.MCP = servers // tools.approve may name the tools of those that are not started
	b, err := t.opened.openBench(all)
	if err != nil {
		return nil, errors.Join(exit.Else(exit.Usage, err), t.Close())
	}
	if t.opened.servers != nil {
		t.Odd = append(t.Odd, unasked(cfg, b.tools, t.opened.servers.States())...)
	}
	t.bench, t.Tools, t.Declared = b, b.tools, cfg.Machine(b.tools.Declarations(), b.skills.Decls()).Tools
	return t, nil
}

// openServers starts the wanted servers, and waits for them.
func (t *Tools) openServers(ctx context.Context) error {
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
		t.Odd = append(t.Odd, state.Odd...)
		if !state.Up {
			t.Down = append(t.Down, notUp(state.Name, cmp.Or(state.Err, ctx.Err())))
		}
	}
	return nil
}

func notUp(server string, why error) string {
	return fmt.Sprintf("the MCP server %s is not up: %v", server, why)
}

// Close releases the workspace and stops the servers.
func (t *Tools) Close() error {
	err := t.place.close()
	if t.bench != nil {
		err = errors.Join(err, t.bench.close())
	}
	t.opened.close()
	return err
}
