package run

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"shelly/cmd/shelly/internal/box"
	"shelly/cmd/shelly/internal/exit"
	"shelly/fsm"
	"shelly/fsm/wording"
	"shelly/runtime/config"
	"shelly/runtime/mcp"
	"shelly/runtime/sandbox"
	"shelly/runtime/sandbox/policy"
	"shelly/runtime/skill"
	"shelly/runtime/tool"
	"shelly/runtime/tool/file"
	"shelly/runtime/tool/tree"
	"shelly/sim/strict"
)

// offered returns an error if tools.approve names a tool that does not exist, or an argument that
// its tool does not have (CFG-13): a person would not be asked about what was meant.
func offered(cfg config.Config, tools *tool.Runner) error {
	for _, name := range cfg.Unoffered(tools.Declarations()) {
		if !later(cfg, name) {
			return exit.Errorf(exit.Usage, "tools.approve: there is no tool %q; %s", name, meant(cfg, name, tools))
		}
	}
	for _, u := range cfg.Unmatched(tools.Declarations()) {
		if !ofServer(cfg, u.Tool) {
			return exit.Errorf(exit.Usage, "tools.approve: %s", lacks(u))
		}
	}
	return nil
}

// lacks says that a tool does not have an argument.
func lacks(u config.Unmatched) string {
	return fmt.Sprintf("%s has no argument %q; it has: %s", u.Tool, u.Argument, strings.Join(u.Has, ", "))
}

// unasked says which entries of tools.approve fit nothing that the MCP servers offer that are up, so that
// nobody is asked (CFG-13). What another server may offer later is not known yet.
func unasked(cfg config.Config, tools *tool.Runner, servers []mcp.State) (all []string) {
	down := func(name string) bool {
		return slices.ContainsFunc(servers, func(s mcp.State) bool { return !s.Up && strings.HasPrefix(name, s.Name+"_") })
	}
	for _, name := range cfg.Unoffered(tools.Declarations()) {
		if ofServer(cfg, name) && !down(name) {
			all = append(all, fmt.Sprintf("tools.approve: its MCP server has no tool %q, so nobody is asked; shelly tool list --servers shows which it has", name))
		}
	}
	for _, u := range cfg.Unmatched(tools.Declarations()) {
		if ofServer(cfg, u.Tool) && !down(u.Tool) {
			all = append(all, "tools.approve: "+lacks(u))
		}
	}
	return all
}

// meant says which tool a name that no tool has may mean, or which there are: tool list ends with
// the same error.
func meant(cfg config.Config, name string, tools *tool.Runner) string {
	names := []string{"exec"}
	for _, d := range cfg.Machine(tools.Declarations(), nil).Tools {
		if d.Name != "exec" {
			names = append(names, d.Name)
		}
	}
	return wording.Meant(name, names, "the tools are: "+strings.Join(names, ", "))
}

// later reports whether a tool that does not exist may come: exec may be named before it is allowed.
func later(cfg config.Config, name string) bool { return name == "exec" || ofServer(cfg, name) }

// ofServer reports whether a tool may belong to a server that is not up yet.
func ofServer(cfg config.Config, name string) bool {
	return slices.ContainsFunc(cfg.Tools.MCP, func(s strict.Named[config.Server]) bool { return strings.HasPrefix(name, s.Name+"_") })
}

// workshop has the tools and the skills of the workspace. A reload of the configuration opens
// them again, so that tools come and go while the daemon runs (CFG-10); a running call
// continues with the tools that it began with.
type workshop struct {
	now    atomic.Pointer[bench]
	mu     sync.Mutex
	before *bench // the previous bench, which a call may still use

	servers *mcp.Servers // nil: none are configured
}

// bench is what one configuration opened.
type bench struct {
	files  *file.Tools
	tools  *tool.Runner
	exec   *tool.Exec // nil: not allowed
	skills *skill.Library
}

func (b *bench) close() error { return b.files.Close() }

// further returns additional tools, given the names of those that a runner always has.
type further func(own []string) ([]tool.Added, error)

// benchOf opens tools and skills as cfg says.
func benchOf(cfg config.Config, log *slog.Logger, more further) (*bench, error) {
	files, err := file.Open(file.Options{
		Workspace:      cfg.Workspace,
		Everywhere:     !cfg.Tools.RestrictToWorkspace,
		Private:        []string{cfg.Data},
		Settings:       cfg.Files(),
		ResultBytesMax: int(cfg.Tools.ResultBytesMax),
		ReadBytesMax:   int(cfg.Tools.ReadBytesMax),
		Changes:        filepath.Join(cfg.Data, "changes"),
		Secrets:        cfg.Tools.Secrets == "allow",
		Offered:        cfg.Tools.Files,
	})
	if err != nil {
		return nil, err
	}
	tools, exec, err := openRunner(cfg, files, more)
	if err != nil {
		return nil, errors.Join(err, files.Close())
	}
	library, problems, err := skill.Open(skill.Places(cfg.Workspace, cfg.Skills.Folders))
	if err != nil {
		return nil, errors.Join(err, files.Close())
	}
	for _, p := range problems {
		log.Warn("a skill cannot be used", "problem", p)
	}
	return &bench{files: files, tools: tools, exec: exec, skills: library}, nil
}

// openRunner opens the tools that cfg allows.
func openRunner(cfg config.Config, files *file.Tools, more further) (*tool.Runner, *tool.Exec, error) {
	added, err := files.Added()
	if errors.Is(err, file.ErrNoTool) {
		return nil, nil, exit.Errorf(exit.Usage, "tools.files: %w", err)
	}
	if err != nil {
		return nil, nil, err
	}
	rest, err := more(ownNames(cfg, added))
	if err != nil {
		return nil, nil, err
	}
	added = append(added, rest...)
	exec, err := openExec(cfg)
	if err != nil {
		return nil, nil, err
	}
	tools, err := tool.New(tool.Options{
		Workspace:      cfg.Workspace,
		Exec:           exec,
		ResultBytesMax: int(cfg.Tools.ResultBytesMax),
		Added:          added,
	})
	if err != nil {
		return nil, nil, err
	}
	return tools, exec, offered(cfg, tools)
}

// contained returns by what the commands of exec are contained, or "" if the model is not offered
// exec.
func (w *workshop) contained() string {
	if b := w.now.Load(); b != nil && b.exec != nil && b.exec.Box.Refusal() == nil {
		return string(b.exec.Box.Rung())
	}
	return ""
}

// trees returns the keeper of the process trees of a data folder's daemon.
func trees(cfg config.Config) *tree.Keeper { return tree.New(processes(cfg)) }

// processes returns the folder that records the running commands.
func processes(cfg config.Config) string { return filepath.Join(cfg.Data, "processes") }

// tell logs which names in tools.whole no tool has, and what contains the commands of exec.
func (b *bench) tell(cfg config.Config, log *slog.Logger) {
	for _, name := range cfg.UnofferedWhole(b.tools.Declarations()) {
		if !later(cfg, name) {
			log.Warn("there is no tool that tools.whole names; see shelly tool list", "tool", name)
		}
	}
	if b.exec == nil {
		return
	}
	switch box := b.exec.Box; {
	case box.Refusal() != nil:
		log.Warn("exec is refused because nothing contains its commands; shelly doctor says what to do", "why", box.Refusal())
	case box.Rung() == sandbox.None:
		log.Warn("commands of exec have all rights of the daemon's user (tools.exec.allow: unsandboxed)")
	default:
		log.Info("commands of exec are contained", "by", box.Rung())
	}
}

// tellZone logs that times are in UTC because TZ names no zone that is known (CFG-18).
func tellZone(cfg config.Config, log *slog.Logger) {
	if tz := cfg.UnknownZone(); tz != "" {
		log.Warn("TZ names no zone of the zone database, so times are in UTC; give about.zone a name such as Europe/Berlin", "TZ", tz)
	}
}

// openExec finds out what can contain commands, or returns nil if exec is not allowed.
func openExec(cfg config.Config) (*tool.Exec, error) {
	if !cfg.Tools.Exec.Allowed() {
		return nil, nil
	}
	box, err := box.Open(context.Background(), cfg)
	if err != nil {
		return nil, err
	}
	x := cfg.Tools.Exec
	env, err := filled(x.Env)
	if err != nil {
		return nil, fmt.Errorf("tools.exec.env: %w", err)
	}
	return &tool.Exec{
		Box: box, Timeout: x.Timeout, Longest: x.TimeoutMax, Network: x.Network, Policy: policy.Policy{Only: x.Only, Deny: x.Deny, Ask: x.Ask},
		Path: x.Path, Env: env,
	}, nil
}

// endLeft ends the commands that a killed daemon has left running (TOL-11).
func (s *starting) endLeft() error {
	ended, err := trees(s.cfg).Clear()
	err = errors.Join(err, sandbox.Clear(processes(s.cfg)))
	if len(ended) > 0 {
		s.log.Warn("ended commands of a killed daemon that were still running", "processes", fmt.Sprint(ended))
	}
	if err == nil && s.cfg.Tools.Exec.Allowed() && tree.Lacks != "" {
		s.log.Warn(tree.Lacks)
	}
	return err
}

// use uses b from now on, and closes earlier benches that no call can be using.
func (w *workshop) use(b *bench) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	old := w.now.Swap(b)
	before := w.before
	w.before = old
	if before == nil {
		return nil
	}
	return before.close()
}

// Run implements [daemon.Tools].
func (w *workshop) Run(ctx context.Context, run fsm.RunTool) fsm.ToolAnswered {
	return w.now.Load().tools.Run(ctx, run)
}

// Follow implements [daemon.Follower].
func (w *workshop) Follow(ctx context.Context, hear func(part string)) context.Context {
	return tool.Follow(ctx, hear)
}

// Probe implements [daemon.Prober].
func (w *workshop) Probe(ctx context.Context, call fsm.RunProbe) fsm.Probed {
	return w.now.Load().tools.Probe(ctx, call)
}

// Preview implements [daemon.Previewer].
func (w *workshop) Preview(ctx context.Context, name, args string) string {
	return w.now.Load().tools.Preview(ctx, name, args)
}

// Refused implements [daemon.Refuser].
func (w *workshop) Refused(key string) {
	if w.servers != nil {
		w.servers.Refused(key)
	}
}

// Load implements [daemon.Skills].
func (w *workshop) Load(ctx context.Context, name, reference string) (string, error) {
	return w.now.Load().skills.Load(ctx, name, reference)
}

// close closes all that is open; no call may be running.
func (w *workshop) close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	err := w.now.Load().close()
	if w.before != nil {
		err = errors.Join(err, w.before.close())
	}
	return err
}
