package run

import (
	"context"
	"errors"
	"os"
	"strings"
	"time"

	"shelly/runtime/config"
	"shelly/runtime/grants"
	"shelly/runtime/mcp"
)

// offerAgain is how long it takes until changed tools are offered again that could not be, such as
// without space for a record.
const offerAgain = 15 * time.Second

// heed reloads the configuration at each SIGHUP until ctx ends (CFG-10), and calls refresh when the tools
// of MCP servers have changed (TOL-95). A configuration that does not load changes nothing.
func (s *starting) heed(ctx context.Context, hangups <-chan os.Signal, load func() (config.Config, error), refresh func(context.Context) error) error {
	var again <-chan time.Time // to refresh; nil: there is no need
	offer := func() {
		err := refresh(ctx)
		if err != nil && again == nil {
			s.log.Error("the changed tools of MCP servers cannot be offered", "error", err, "again_in", offerAgain)
		}
		if again = nil; err != nil {
			again = time.After(offerAgain)
		}
	}
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-s.changed:
			offer()
			continue
		case <-again:
			offer()
			continue
		case <-hangups:
		}
		s.supervisor.Reloading()
		next, err := load()
		if err == nil {
			err = s.reload(ctx, next)
		}
		if err != nil {
			s.log.Error("cannot reload the configuration; the previous one stays in force", "error", err)
		}
		s.supervisor.Reloaded()
	}
}

// reopen opens the tools of now, and returns the states of the servers before that; if it fails, servers and
// sandbox are as before.
func (s *starting) reopen(ctx context.Context, now config.Config) (b *bench, up []mcp.State, err error) {
	err = s.openBox(ctx, now)
	if err == nil {
		err = s.useServers(ctx, now)
	}
	if err == nil {
		up = s.servers.States()
		b, err = s.openBench(now)
	}
	if err != nil {
		err = errors.Join(err, s.openBox(ctx, s.cfg), s.useServers(ctx, s.cfg))
	}
	return b, up, err
}

func (s *starting) reload(ctx context.Context, next config.Config) error {
	if err := s.daemon.Space(ctx); err != nil { // before the tools differ from those that the machine knows
		return err
	}
	if _, err := grants.Of(s.cfg.Data).Load(); err != nil {
		return err
	}
	now, restart := s.cfg.Reload(next)
	bench, up, err := s.reopen(ctx, now)
	if err != nil {
		return err
	}
	bench.tell(now, s.log)
	s.tellUnasked(now, bench, up)
	tellZone(now, s.log)
	if err := s.work.use(bench); err != nil {
		s.log.Warn("cannot close tools and skills that are no longer used", "error", err)
	}
	if err := s.configure(ctx, bench, now); err != nil {
		return err
	}
	if err := s.daemon.Retain(ctx, retention(now)); err != nil {
		return err
	}
	s.cfg = now
	s.watchFor(now)
	s.channels.Reload(now)
	s.chats.Store(&now)
	s.secrets.Add(now)
	s.spares.Store(now.Switches.SpareModel)
	if len(restart) > 0 {
		s.log.Warn("some new settings need a restart", "keys", strings.Join(restart, " "))
	}
	s.log.Info("the configuration is reloaded", "profile", now.Profile)
	return nil
}
