// Package service is shelly service, which has the system's service manager run the daemon.
package service

import (
	"errors"
	"net/netip"
	"os"
	"path/filepath"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/flags"
	"shelly/runtime/config"
)

// Command is what is done with the service (CLI-201).
type Command struct {
	Install   installCmd   `cmd:"" help:"Have systemd (or launchd) run the daemon, from now on."`
	Status    statusCmd    `cmd:"" help:"Say whether the service is installed, runs, and is as an install would write it."`
	Uninstall uninstallCmd `cmd:"" help:"Stop the service and remove it; data and configuration stay."`
}

// place is which service is meant, and what it runs.
type place struct {
	System bool   `help:"The system's service, for root; default is your own, which needs no root."`
	As     string `placeholder:"USER" help:"User that the system's service runs as."`
	Socket bool   `help:"Have systemd bind the HTTP socket, so that clients wait while shelly starts."`
	flags.Settings
}

// errDifferent is that a file is there that shelly did not write, or a person has changed.
var errDifferent = errors.New("is there and was not written by shelly")

// open makes the plan of a service, and the configuration that it will have.
func (p *place) open(h host) (plan, config.Config, error) {
	cfg, err := p.Load()
	if err != nil {
		return plan{}, cfg, err
	}
	if err := p.check(h, cfg); err != nil {
		return plan{}, cfg, err
	}
	command, err := p.command(cfg)
	if err != nil {
		return plan{}, cfg, err
	}
	u := unitOf(cfg, command, p.ConfigFile, h.homeOf(p.As))
	u.User, u.As = !p.System, p.As
	plan, err := planFor(h, u, p.Socket)
	return plan, cfg, err
}

// check refuses what cannot be a service.
func (p *place) check(h host, cfg config.Config) error {
	switch {
	case p.System && p.As == "":
		return exit.Errorf(exit.Usage, "--system wants --as USER, the user that shelly is to run as; it needs no rights of root")
	case p.System && (p.Data == "" || p.Workspace == ""):
		return exit.Errorf(exit.Usage, "--system wants --data DIR and --workspace DIR, folders of the user that shelly is to run as")
	case !p.System && p.As != "":
		return exit.Errorf(exit.Usage, "--as is for --system; your own service runs as you")
	case !p.System && h.uid == 0 && h.system == "linux":
		return exit.Errorf(exit.Usage, "this is root: install a service of the system with --system --as USER, or run this as the user that shelly is to run as")
	}
	if !p.Socket {
		return nil
	}
	at, err := netip.ParseAddrPort(cfg.Comm.HTTP)
	if err != nil || at.Port() == 0 || !at.Addr().Unmap().IsLoopback() {
		return exit.Errorf(exit.Usage, "--socket wants comm.http with a loopback address and a port of its own, such as --set comm.http=127.0.0.1:7433; it is %q", cfg.Comm.HTTP)
	}
	return nil
}

// command is what the service runs: this binary, with what the command line has given.
func (p *place) command(cfg config.Config) ([]string, error) {
	bin, err := os.Executable()
	if err == nil {
		bin, err = filepath.EvalSymlinks(bin)
	}
	if err != nil {
		return nil, exit.Errorf(exit.Usage, "find the file of this program: %w", err)
	}
	args := []string{bin, "run", "--data", cfg.Data, "--workspace", cfg.Workspace}
	if p.ConfigFile != "" {
		file, err := filepath.Abs(p.ConfigFile)
		if err != nil {
			return nil, exit.With(exit.Usage, err)
		}
		p.ConfigFile = file
		args = append(args, "--config", file)
	}
	for _, f := range []struct{ flag, value string }{{"--brain", p.Brain}, {"--model", p.Model}} {
		if f.value != "" {
			args = append(args, f.flag, f.value)
		}
	}
	if p.AllowExec {
		args = append(args, "--allow-exec")
	}
	for _, set := range p.Set {
		args = append(args, "--set", set)
	}
	return args, nil
}
