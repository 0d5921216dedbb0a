// Package service is shelly service, which has the system's service manager run the daemon.
package service

import (
	"errors"
	"io/fs"
	"net/netip"
	"os"
	"path/filepath"
	"strings"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/flags"
	"shelly/runtime/config"
)

// Command installs, shows and removes the service (CLI-201).
type Command struct {
	Install   installCmd   `cmd:"" help:"Have systemd (or launchd) run the daemon, and start it."`
	Status    statusCmd    `cmd:"" help:"Show whether the service is installed, runs, and matches these flags."`
	Uninstall uninstallCmd `cmd:"" help:"Stop the service and remove it; data and configuration stay."`
}

// place selects the service and what it runs.
type place struct {
	System bool   `help:"Service of the whole system, which needs root. Default: your own service."`
	As     string `placeholder:"USER" help:"User that the system's service runs as."`
	Socket bool   `help:"Have systemd bind the HTTP socket, so that clients wait while shelly starts."`
	flags.Settings
}

// unwritten is the error of a file of the service that cannot be written or removed.
func (p *place) unwritten(err error) error {
	if p.System && errors.Is(err, fs.ErrPermission) {
		return exit.Errorf(exit.Disk, "%w; a system service needs root", err)
	}
	return exit.With(exit.Disk, err)
}

// errDifferent reports a file that shelly did not write, or that a person has changed.
var errDifferent = errors.New("exists and was not written by shelly")

// open makes the plan of a service, and loads the configuration that it will have.
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

// check refuses flags and configurations that a service cannot have.
func (p *place) check(h host, cfg config.Config) error {
	switch {
	case p.System && p.As == "":
		return exit.Errorf(exit.Usage, "--system needs --as USER, the user to run shelly as; that user needs no root rights")
	case p.System && (p.Data == "" || p.Workspace == ""):
		return exit.Errorf(exit.Usage, "--system needs --data DIR and --workspace DIR, folders of the user to run shelly as")
	case !p.System && p.As != "":
		return exit.Errorf(exit.Usage, "--as is for a system service: add --system, or leave --as out, since your own service runs as you")
	case !p.System && h.uid == 0 && h.system == "linux":
		return exit.Errorf(exit.Usage, "this is root; install a system service with --system --as USER, or run this as the user to run shelly as")
	}
	if err := p.housed(h); err != nil || !p.Socket {
		return err
	}
	return checkSocket(cfg)
}

// housed refuses to look for the file of a user's service where there is no folder for it.
func (p *place) housed(h host) error {
	if !p.System && h.config == "" {
		return exit.Errorf(exit.Usage, "there is no folder for the service's file, because HOME or XDG_CONFIG_HOME names no absolute path; set HOME")
	}
	return nil
}

func checkSocket(cfg config.Config) error {
	at, err := netip.ParseAddrPort(cfg.Comm.HTTP)
	if err != nil || at.Port() == 0 || !at.Addr().Unmap().IsLoopback() {
		return exit.Errorf(exit.Usage, "--socket needs comm.http with a loopback address and a fixed port, such as --set comm.http=127.0.0.1:7433; it is %q", cfg.Comm.HTTP)
	}
	return nil
}

// command returns the command line of the service: this binary with the given flags.
func (p *place) command(cfg config.Config) ([]string, error) {
	bin, err := os.Executable()
	if err == nil {
		bin, err = filepath.EvalSymlinks(bin)
	}
	if err != nil {
		return nil, exit.Errorf(exit.Usage, "cannot find the file of this program: %w", err)
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
	dir, err := os.Getwd()
	if err != nil {
		return nil, exit.With(exit.Usage, err)
	}
	for _, set := range p.Set {
		key, value, _ := strings.Cut(set, "=")
		args = append(args, "--set", key+"="+config.Absolute(key, value, dir))
	}
	return args, nil
}
