package run

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"unicode"

	"shelly/cmd/shelly/internal/box"
	"shelly/cmd/shelly/internal/version"
	"shelly/fsm/wording"
	"shelly/runtime/comm"
	"shelly/runtime/config"
	"shelly/runtime/mcp"
	"shelly/runtime/sandbox"
	"shelly/runtime/tool"
	"shelly/sim/strict"
)

const (
	// callTimeout bounds a call of a program or a server if the configuration does not.
	callTimeout = time.Minute
	// serversMax is how long a start, or a reload, waits for servers to come up.
	serversMax = 2 * time.Second
)

// boxes is the sandbox of the configuration in force.
type boxes struct {
	now atomic.Pointer[sandbox.Keeper]
}

// Run implements [mcp.Sandbox].
func (b *boxes) Run(ctx context.Context, s sandbox.Spec) (sandbox.End, error) {
	return b.now.Load().Run(ctx, s)
}

// Rung implements [mcp.Sandbox].
func (b *boxes) Rung() sandbox.Rung { return b.now.Load().Rung() }

// openServers starts the MCP servers and waits a little for them (TOL-95). The next bench
// offers their tools.
func (s *starting) openServers(ctx context.Context) error {
	workspace, err := tool.Folder(s.cfg.Workspace)
	if err != nil {
		return err
	}
	s.changed = make(chan struct{}, 1)
	s.servers = mcp.New(mcp.Options{
		Sandbox: &s.boxes, Workspace: workspace, Version: version.Text(), Log: s.log,
		Notes:    filepath.Join(s.cfg.Data, "mcp"),
		Patience: func() time.Duration { return time.Duration(s.patience.Load()) },
		Changed: func() {
			select {
			case s.changed <- struct{}{}:
			default:
			}
		},
	})
	s.work.servers = s.servers
	s.later(func() error {
		s.servers.Close()
		return nil
	})
	return s.useServers(ctx, s.cfg)
}

// useServers starts and stops MCP servers so that they are those of cfg. A call that then begins to
// wait for a person waits a little longer than the machine does (CFG-10).
func (s *starting) useServers(ctx context.Context, cfg config.Config) error {
	list, err := serversOf(cfg)
	if err != nil {
		return err
	}
	s.patience.Store(int64(time.Duration(cfg.Limits.ApprovalTimeout)*time.Millisecond + time.Minute))
	s.servers.Use(list)
	ctx, cancel := context.WithTimeout(ctx, serversMax)
	defer cancel()
	s.servers.Wait(ctx)
	return nil
}

// serversOf returns the servers of a configuration.
func serversOf(cfg config.Config) ([]mcp.Server, error) {
	within, err := withinOf(cfg)
	if err != nil {
		return nil, err
	}
	var list []mcp.Server
	for _, c := range cfg.Tools.MCP {
		server, err := serverOf(c)
		if err != nil {
			return nil, err
		}
		if server.URL == "" {
			server.Within = within
		}
		list = append(list, server)
	}
	return list, nil
}

// withinOf tells one sandbox from another: a program that is running keeps the one in which it was
// started.
func withinOf(cfg config.Config) (string, error) {
	o, err := box.Options(cfg)
	o.Trees = nil
	return fmt.Sprintf("%v %+v", cfg.Tools.Exec.Allow == config.Unsandboxed, o), err
}

func serverOf(c strict.Named[config.Server]) (mcp.Server, error) {
	key := "tools.mcp." + c.Name
	env, err := filled(c.Value.Env)
	if err != nil {
		return mcp.Server{}, fmt.Errorf("%s.env: %w: set it where shelly is started", key, err)
	}
	allow, err := allowed(c.Value.AllowAddresses)
	if err != nil {
		return mcp.Server{}, fmt.Errorf("%s.allow_addresses: %w", key, err)
	}
	server := mcp.Server{
		Name: c.Name, Command: c.Value.Command, Env: env, Network: c.Value.Network, URL: c.Value.URL, Allow: allow,
		Only: c.Value.Tools, Timeout: c.Value.Timeout.Or(callTimeout),
	}
	for _, h := range c.Value.Headers {
		value, err := config.Fill(h.Value, os.LookupEnv)
		if err != nil {
			return mcp.Server{}, fmt.Errorf("%s.headers: %w: set it where shelly is started", key, err)
		}
		if strings.ContainsFunc(value, func(r rune) bool { return unicode.IsControl(r) && r != '\t' }) { // which no request can have
			return mcp.Server{}, fmt.Errorf("%s.headers: the value of %s has a line end or another control character; correct it, or the variable that it is from", key, h.Name)
		}
		server.Headers = append(server.Headers, mcp.Header{Name: h.Name, Value: value})
	}
	return server, nil
}

// borrowed returns the servers as a status shows them; nil if there are none.
func borrowed(servers []mcp.State) *comm.Borrowed {
	if len(servers) == 0 {
		return nil
	}
	b := &comm.Borrowed{Servers: len(servers)}
	for _, server := range servers {
		b.Tools += server.Tools
		switch {
		case server.Up:
			b.Up++
		case server.Err != nil:
			b.Trouble = append(b.Trouble, fmt.Sprintf("%s: %s", server.Name, wording.Clip(server.Err.Error(), 200)))
		}
	}
	return b
}

// withServers starts the servers, and returns the bench with the tools that they have so far.
// Tools that do not fit are logged and left out: shelly serves without them.
func (s *starting) withServers(ctx context.Context, b *bench) (*bench, error) {
	if err := s.openServers(ctx); err != nil {
		return b, err
	}
	up := s.servers.States()
	if len(s.servers.Tools(nil)) == 0 {
		s.tellUnasked(s.cfg, b, up)
		return b, nil
	}
	with, err := s.openBench(s.cfg)
	if err != nil {
		s.log.Error("the tools of MCP servers cannot be offered", "error", err)
		return b, nil
	}
	s.tellUnasked(s.cfg, with, up)
	return with, s.work.use(with)
}

// tellUnasked warns of what [unasked] finds, once. Up are the states before the bench was opened.
func (s *starting) tellUnasked(cfg config.Config, b *bench, up []mcp.State) {
	all := unasked(cfg, b.tools, up)
	for _, why := range all {
		if !slices.Contains(s.unasked, why) {
			s.log.Warn(why)
		}
	}
	s.unasked = all
}

// refresh offers the tools that the servers have now, if they differ from those that the machine knows.
func (s *starting) refresh(ctx context.Context) error {
	if err := s.daemon.Space(ctx); err != nil {
		return err
	}
	up := s.servers.States()
	bench, err := s.openBench(s.cfg)
	if err != nil {
		return err
	}
	s.tellUnasked(s.cfg, bench, up)
	if !s.untold && reflect.DeepEqual(bench.tools.Declarations(), s.work.now.Load().tools.Declarations()) {
		return bench.close()
	}
	if err := s.work.use(bench); err != nil {
		s.log.Warn("cannot close tools and skills that are no longer used", "error", err)
	}
	return s.configure(ctx, bench, s.cfg)
}

// configure tells the machine of the bench in use.
func (s *starting) configure(ctx context.Context, b *bench, cfg config.Config) error {
	err := s.daemon.Configure(ctx, s.machine(b, cfg))
	s.untold = err != nil
	return err
}
