// Package box opens the sandbox that a configuration asks for.
package box

import (
	"context"
	"path/filepath"
	"slices"

	"shelly/runtime/config"
	"shelly/runtime/sandbox"
	"shelly/runtime/tool"
	"shelly/runtime/tool/tree"
)

// Open returns the keeper that contains the commands of a configuration's daemon: exec, custom
// tools and MCP servers. If nothing can contain them, the keeper refuses to run any.
func Open(ctx context.Context, cfg config.Config) (*sandbox.Keeper, error) {
	o, err := Options(cfg)
	if err != nil {
		return nil, err
	}
	if cfg.Tools.Exec.Allow == config.Unsandboxed {
		return sandbox.Uncontained(o), nil
	}
	return sandbox.Open(ctx, o)
}

// Options returns what the commands of a configuration's daemon may reach.
func Options(cfg config.Config) (sandbox.Options, error) {
	workspace, err := tool.Folder(cfg.Workspace)
	if err != nil {
		return sandbox.Options{}, err
	}
	x := cfg.Tools.Exec
	processes := filepath.Join(cfg.Data, "processes")
	o := sandbox.Options{
		Trees: tree.New(processes), Workspace: workspace, KnownAs: []string{cfg.Workspace},
		Hidden: resolved(own(cfg)), Fixed: resolved(cfg.Files()), Scratch: processes,
		Readable: slices.Concat(resolved(x.Reads), shared(x.Path, workspace), shared(cfg.Skills.Folders, workspace)),
		Limits: sandbox.Limits{
			Memory: int64(x.Memory), Processes: int64(x.Processes), FileSize: int64(x.FileSize), OpenFiles: int64(x.OpenFiles), Disk: int64(x.Disk),
		},
	}
	for _, r := range x.Rungs {
		o.Rungs = append(o.Rungs, sandbox.Rung(r))
	}
	return o, nil
}

// own returns the paths that no command may see: the data folder, and the Unix socket, at which
// the daemon trusts its own user without a token (COM-91).
func own(cfg config.Config) []string {
	paths := []string{cfg.Data}
	socket := cfg.Comm.Unix
	if socket == "off" {
		return paths
	}
	if !filepath.IsAbs(socket) {
		socket = filepath.Join(cfg.Data, socket)
	}
	if in, err := filepath.Rel(cfg.Data, socket); err != nil || !filepath.IsLocal(in) {
		paths = append(paths, socket)
	}
	return paths
}

// shared returns the folders outside the workspace that commands know by their paths, of skills (SKL-14)
// and of programs (TOL-103): both by these and by those that they resolve to.
func shared(folders []string, workspace string) []string {
	var paths []string
	for i, real := range resolved(folders) {
		if in, err := filepath.Rel(workspace, real); err == nil && filepath.IsLocal(in) {
			continue
		}
		paths = append(paths, real)
		if folders[i] != real {
			paths = append(paths, folders[i])
		}
	}
	return paths
}

// resolved returns paths without symbolic links. If a path does not exist yet, its folder is
// resolved.
func resolved(paths []string) []string {
	var real []string
	for _, path := range paths {
		if to, err := filepath.EvalSymlinks(path); err == nil {
			path = to
		} else if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
			path = filepath.Join(dir, filepath.Base(path))
		}
		real = append(real, path)
	}
	return real
}
