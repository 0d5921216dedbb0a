// Package run is shelly run: it starts the daemon with all that it works with, serves until
// a signal, and closes in reverse.
package run

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/flags"
	"shelly/cmd/shelly/internal/logging"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/config"
	"shelly/runtime/failpoint"
	"shelly/runtime/store"
	"shelly/runtime/supervise"
)

// Command is the subcommand.
type Command struct {
	flags.Settings
	Profile string `placeholder:"NAME" help:"Profile to start from: default, shelly, countbot, nanobot or omniemployee."`
}

// Help is the text after the usage.
func (c *Command) Help() string {
	return "SIGTERM or SIGINT shuts down gracefully; a second signal stops immediately. SIGHUP reloads the configuration."
}

func (c *Command) load() (config.Config, error) {
	return c.Settings.Load(flags.Given("--profile", "profile", c.Profile)...)
}

// Run implements the subcommand (CLI-4). The order of the start is that of LIF-2: any failure
// on the way ends the process before anything is served.
func (c *Command) Run(t *terminal.Terminal) error {
	given, err := supervise.Take()
	if err != nil {
		return exit.With(exit.Usage, err)
	}
	defer given.Close()
	cfg, err := c.load()
	if err != nil {
		return err
	}
	// Standard error that nobody reads any more ends nothing (OBS-5). If the signal were ignored, what
	// the tools run would ignore it, too.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	recent := &logging.Recent{}
	kept := logging.NewFile(cfg.Log)
	log := recent.Log(slog.New(slog.NewMultiHandler(logging.New(t.Err, cfg.Log).Handler(), kept.Handler())))
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	s := &starting{cfg: cfg, log: log, recent: recent, kept: kept, fail: cancel, passed: given}
	if given.HTTP != nil && cfg.Comm.HTTP == "" {
		return exit.Errorf(exit.Usage, "a socket for HTTP was passed, but comm.http is off; set it to %s, or pass none", given.HTTP.Addr())
	}
	if given.Unix != nil && cfg.Comm.Unix == "off" {
		return exit.Errorf(exit.Usage, "a Unix socket was passed, but comm.unix is off; leave it at its default, or pass none (%s)", given.Unix.Addr())
	}
	s.supervised(given.Supervisor)
	defer given.Supervisor.Close()
	defer s.close()
	if err := s.start(ctx); err != nil {
		return err
	}
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	signals, unheeded := exit.Signals() // before it listens, because a supervisor that sees it listening may stop it
	if err := s.listen(ctx); err != nil {
		return err
	}
	s.memory.Load()
	go s.forward(ctx, signals)
	s.beside(ctx, func(ctx context.Context) error { return s.heed(ctx, hangups, c.load, s.refresh) })
	code, err := s.daemon.Run(ctx)
	failpoint.Hit(failpoint.ShutdownStopped)
	unheeded() // the next signal ends the process, however long closing takes
	switch {
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("%w; nothing that was accepted is lost; start it again", context.Cause(ctx))
	case errors.Is(err, engine.ErrNoSpace):
		return exit.With(exit.Disk, fmt.Errorf("%w; nothing that was accepted is lost; free some space and start it again", err))
	case errors.Is(err, store.ErrMoved):
		return exit.With(exit.Disk, fmt.Errorf("%w; what was accepted is in the folder that was opened, wherever that is; start it again", err))
	case err != nil:
		return exit.With(exit.Disk, fmt.Errorf("%w; nothing that was accepted is lost; start it again once the cause is fixed", err))
	case code == fsm.ExitTimeout:
		return exit.Errorf(exit.Forced, "the farewell took longer than limits.shutdown_timeout and was cut")
	case code != fsm.ExitClean:
		return exit.Errorf(exit.Forced, "a second signal stopped it at once; what was under way continues after the next start")
	}
	log.Info("stopped")
	return nil
}

// forward passes signals to the daemon until ctx ends. If another signal would have an effect,
// it logs which.
func (s *starting) forward(ctx context.Context, signals <-chan os.Signal) {
	var heeded <-chan time.Time
	for first := true; ; first = false {
		select {
		case signal, ok := <-signals:
			if !ok {
				return
			}
			name := "TERM"
			if signal == syscall.SIGINT {
				name = "INT"
			}
			s.supervisor.Stopping()
			s.daemon.Signal(name)
			if first {
				heeded = time.After(exit.Together)
			}
		case <-heeded:
			s.log.Info("another signal stops shelly at once")
		case <-ctx.Done():
			return
		}
	}
}
