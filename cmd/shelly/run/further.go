package run

import (
	"context"
	"fmt"
	"os"
	"slices"

	"shelly/cmd/shelly/internal/box"
	"shelly/fsm"
	"shelly/runtime/config"
	"shelly/runtime/egress"
	"shelly/runtime/sandbox"
	"shelly/runtime/tool"
	"shelly/runtime/tool/custom"
	"shelly/runtime/tool/memory"
	"shelly/runtime/tool/web"
	"shelly/sim/strict"
)

// ownNames returns the names of shelly's own tools.
func ownNames(cfg config.Config, files []tool.Added) []string {
	names := append(memory.Names(), "exec", web.FetchName, web.SearchName)
	for _, t := range files {
		names = append(names, t.Decl.Name)
	}
	for _, t := range cfg.Machine(nil, nil).Tools {
		names = append(names, t.Name)
	}
	return names
}

// openBench opens the bench of cfg, with all that its further tools need.
func (s *starting) openBench(cfg config.Config) (*bench, error) {
	return openBench(cfg, s.log, func(own []string) ([]tool.Added, error) {
		added, err := s.furtherTools(cfg, s.boxes.now.Load(), own)
		if err != nil || s.servers == nil {
			return added, err
		}
		for _, t := range added {
			own = append(own, t.Decl.Name)
		}
		return append(added, s.servers.Tools(own)...), nil
	})
}

// declaring returns further tools that can only be declared, not run.
func declaring(cfg config.Config) further {
	return func(own []string) ([]tool.Added, error) {
		return (&starting{}).furtherTools(cfg, sandbox.Uncontained(sandbox.Options{}), own)
	}
}

// furtherTools returns the tools of the memory and the web, and the operator's programs.
func (s *starting) furtherTools(cfg config.Config, box *sandbox.Keeper, own []string) ([]tool.Added, error) {
	remembering, err := s.memoryTools(cfg)
	if err != nil {
		return nil, err
	}
	web, err := webTools(cfg)
	if err != nil {
		return nil, err
	}
	programs, err := programTools(cfg, box, own)
	return slices.Concat(remembering, web, programs), err
}

// openBox opens the sandbox if something is to run in it.
func (s *starting) openBox(ctx context.Context, cfg config.Config) error {
	local := func(s strict.Named[config.Server]) bool { return s.Value.URL == "" }
	if len(cfg.Tools.Custom) == 0 && !slices.ContainsFunc(cfg.Tools.MCP, local) {
		return nil
	}
	box, err := box.Open(ctx, cfg)
	if err != nil {
		return err
	}
	if err := box.Refusal(); err != nil {
		s.log.Warn("the programs of tools.custom and tools.mcp cannot run", "error", err)
	}
	s.boxes.now.Store(box)
	return nil
}

// programTools returns the operator's programs (TOL-80), if there is a sandbox for them. No
// program may have a name in own.
func programTools(cfg config.Config, box *sandbox.Keeper, own []string) ([]tool.Added, error) {
	workspace, err := tool.Folder(cfg.Workspace)
	if err != nil {
		return nil, err
	}
	var added []tool.Added
	o := custom.Options{Sandbox: box, Workspace: workspace, ResultBytesMax: int(cfg.Tools.ResultBytesMax)}
	for _, p := range cfg.Tools.Custom {
		if slices.Contains(own, p.Name) {
			return nil, fmt.Errorf("tools.custom.%s: shelly has a tool of this name; give it another", p.Name)
		}
		env, err := programEnv(p)
		if err != nil {
			return nil, err
		}
		t, err := custom.Tool(o, custom.Program{
			Name: p.Name, Description: p.Value.Description, Schema: p.Value.Schema.JSON(), Effects: fsm.ToolEffects(p.Value.Effects),
			Command: p.Value.Command, Probe: p.Value.Probe, Timeout: p.Value.Timeout.Or(callTimeout), Network: p.Value.Network, Env: env,
		})
		if err != nil {
			return nil, err
		}
		added = append(added, t)
	}
	if len(added) == 0 || box.Refusal() != nil {
		return nil, nil
	}
	return added, nil
}

func programEnv(p strict.Named[config.Program]) ([]string, error) {
	env, err := filled(p.Value.Env)
	if err != nil {
		return nil, fmt.Errorf("tools.custom.%s.env: %w: set it where shelly is started", p.Name, err)
	}
	return env, nil
}

// withoutUnset returns a configuration whose programs and commands need no variable that is not in this
// environment, though it may be in the daemon's, and by the tool's name what is missing.
// Such a tool can be declared, but not run.
func withoutUnset(cfg config.Config) (config.Config, map[string]error) {
	unset := map[string]error{}
	if _, err := filled(cfg.Tools.Exec.Env); err != nil {
		unset["exec"] = fmt.Errorf("tools.exec.env: %w", err)
		cfg.Tools.Exec.Env = nil
	}
	cfg.Tools.Custom = slices.Clone(cfg.Tools.Custom)
	for i, p := range cfg.Tools.Custom {
		if _, err := programEnv(p); err != nil {
			unset[p.Name] = err
			cfg.Tools.Custom[i].Value.Env = nil
		}
	}
	return cfg, unset
}

// webTools returns web_fetch and web_search, if cfg offers them (TOL-70).
func webTools(cfg config.Config) ([]tool.Added, error) {
	w := cfg.Tools.Web
	allow, err := allowed(w.AllowAddresses)
	if err != nil {
		return nil, fmt.Errorf("tools.web.allow_addresses: %w", err)
	}
	o := web.Options{Fetch: w.Allow, Guard: &egress.Guard{Allow: allow}, Timeout: w.Timeout, BytesMax: int(w.BytesMax)}
	if w.Search.Kind != "off" {
		o.Search = web.Search{Kind: w.Search.Kind, URL: w.Search.URL, Key: os.Getenv(w.Search.KeyFrom)}
	}
	return web.Tools(o)
}

func allowed(list []string) ([]egress.Allowed, error) {
	var allow []egress.Allowed
	for _, text := range list {
		a, err := egress.ParseAllowed(text)
		if err != nil {
			return nil, err
		}
		allow = append(allow, a)
	}
	return allow, nil
}

// filled returns the variables as NAME=value, with ${NAME} expanded.
func filled(vars config.Variables) ([]string, error) {
	var env []string
	for _, v := range vars {
		value, err := config.Fill(v.Value, os.LookupEnv)
		if err != nil {
			return nil, err
		}
		env = append(env, v.Name+"="+value)
	}
	return env, nil
}
