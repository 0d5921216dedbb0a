package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"
	"unicode"

	"github.com/lmittmann/tint"

	"shelly/cmd/shelly/internal/exit"
	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/backup"
	"shelly/runtime/comm"
	"shelly/runtime/comm/client"
	"shelly/runtime/config"
	"shelly/runtime/daemon"
	"shelly/runtime/failpoint"
	"shelly/runtime/memory"
	"shelly/runtime/session"
	"shelly/runtime/store"
)

type runCmd struct {
	settings
	Profile string `placeholder:"NAME" help:"Profile to begin with: default, shelly, countbot, nanobot or omniemployee."`
}

// Help says what no flag does.
func (c *runCmd) Help() string {
	return "SIGTERM and SIGINT end it with a farewell, twice at once; SIGHUP reads the configuration again."
}

func (c *runCmd) load() (config.Config, error) {
	return c.settings.load(given("--profile", "profile", c.Profile)...)
}

// Run implements the subcommand (CLI-4). The order of the start is LIF-2's: whatever
// fails on the way ends the process before anything is served.
func (c *runCmd) Run(t *terminal) error {
	cfg, err := c.load()
	if err != nil {
		return err
	}
	log := newLog(t.err, cfg.Log)
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	s := &starting{cfg: cfg, log: log, fail: cancel}
	defer s.close()
	if err := s.start(ctx); err != nil {
		return err
	}
	signals, hangups := make(chan os.Signal, 2), make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	signal.Notify(hangups, syscall.SIGHUP)
	go forward(ctx, signals, s.daemon)
	go s.heed(ctx, hangups, c.load)
	code, err := s.daemon.Run(ctx)
	failpoint.Hit(failpoint.ShutdownStopped)
	signal.Stop(signals) // the next one ends the process, however long closing takes
	switch {
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("%w; nothing that was accepted is lost: start again", context.Cause(ctx))
	case errors.Is(err, engine.ErrNoSpace):
		return exit.With(exit.Disk, fmt.Errorf("%w; nothing that was accepted is lost: free some space and start again", err))
	case err != nil:
		return exit.With(exit.Disk, fmt.Errorf("%w; nothing that was accepted is lost: start again when the cause is mended", err))
	case code != fsm.ExitClean:
		return exit.Errorf(exit.Forced, "stopped before the farewell was over (%s)", code)
	}
	log.Info("stopped")
	return nil
}

// forward tells the daemon of signals until ctx ends.
func forward(ctx context.Context, signals <-chan os.Signal, d *daemon.Daemon) {
	for {
		select {
		case s := <-signals:
			name := "TERM"
			if s == syscall.SIGINT {
				name = "INT"
			}
			d.Signal(name)
		case <-ctx.Done():
			return
		}
	}
}

// starting is a daemon on its way up: what was opened is closed in reverse.
type starting struct {
	cfg    config.Config
	log    *slog.Logger
	work   workshop
	daemon *daemon.Daemon
	memory *memory.Memory
	jitter int                     // of this process's waits for the model (INF-15)
	fail   context.CancelCauseFunc // ends the daemon when a part of it has failed
	closes []func() error
}

func (s *starting) close() {
	for i := len(s.closes) - 1; i >= 0; i-- {
		if err := s.closes[i](); err != nil {
			s.log.Error("closing", "error", err)
		}
	}
	failpoint.Hit(failpoint.ShutdownClosed)
}

func (s *starting) later(f func() error) { s.closes = append(s.closes, f) }

// start opens brain, tools, skills, store and memory, recovers the machine and opens
// the listeners.
func (s *starting) start(ctx context.Context) error {
	s.jitter = rand.IntN(fsm.JitterMax + 1)
	brain, err := openBrain(ctx, s.cfg.Brain, s.log)
	if err != nil {
		return err
	}
	bench, err := openBench(s.cfg, s.log)
	if err != nil {
		return exit.With(exit.Usage, err)
	}
	s.later(s.work.close)
	if err := s.work.use(bench); err != nil {
		return err
	}
	journal, err := s.openStore()
	if err != nil {
		return err
	}
	s.later(journal.Close)
	failpoint.Hit(failpoint.BootOpened)
	keep := backup.Source{Data: s.cfg.Data, Store: journal, Version: versionText(), Now: time.Now}
	s.memory = s.remember(journal, brain.embedder)
	sessions, err := session.Open(s.cfg.Data, journal, time.Now)
	if err != nil {
		return exit.With(exit.Data, err)
	}
	s.daemon, err = daemon.Open(daemon.Options{
		Config:   s.machine(bench, s.cfg),
		Journal:  journal,
		Brain:    brain.Brain,
		Embedder: brain.embedder,
		Memory:   s.memory,
		Counts:   func() comm.Memory { return comm.Memory(s.memory.Counts()) },
		Sessions: sessions,
		Skills:   &s.work,
		Tools:    &s.work,
		Backup: func(ctx context.Context, w io.Writer) error {
			_, err := backup.Write(ctx, w, keep)
			return err
		},
		Log:   s.log,
		Now:   time.Now,
		About: daemon.About{Version: versionText(), Brain: brain.about, Data: s.cfg.Data},

		Retention: retention(s.cfg),
	})
	if err != nil {
		return exit.With(exit.Data, err)
	}
	s.keep(ctx, s.memory)
	s.preload(ctx, brain.preload)
	return s.listen(ctx)
}

// machine is the machine's configuration with what a bench offers and the jitter of this
// process, which a reload keeps.
func (s *starting) machine(b *bench, cfg config.Config) fsm.Config {
	m := cfg.Machine(b.tools.Declarations(), b.skills.Decls())
	m.Jitter = s.jitter
	return m
}

// ballastBytes is what is set aside for a full disk: enough for an end in order.
const ballastBytes = 16 << 20

// retention is how long the daemon keeps what was done.
func retention(cfg config.Config) engine.Retention {
	return engine.Retention{Age: fsm.Millis(cfg.Retention.Age.Milliseconds()), Bytes: int64(cfg.Retention.Bytes)}
}

// openStore opens the data folder, behind what a crash in the midst of a restore or a
// backup has left to do (JRN-25).
func (s *starting) openStore() (*store.Store, error) {
	finished, err := backup.Finish(s.cfg.Data)
	if err != nil {
		return nil, exit.With(exit.Data, fmt.Errorf("finish a restore that was interrupted: %w", err))
	}
	if finished {
		s.log.Info("a restore that was interrupted is finished", "data", s.cfg.Data)
	}
	journal, err := openStore(s.cfg, s.log)
	if err != nil {
		return nil, err
	}
	if err := backup.Clear(s.cfg.Data); err != nil {
		s.log.Warn("what a backup has left cannot be removed", "error", err)
	}
	return journal, nil
}

// openStore opens the data folder, which one process has at a time (CFG-8).
func openStore(cfg config.Config, log *slog.Logger) (*store.Store, error) {
	s, err := store.Open(filepath.Join(cfg.Data, "store"), store.Options{
		Logger: log, ReserveBytes: uint64(cfg.Reserve), BallastBytes: ballastBytes,
	})
	switch {
	case err == nil:
		return s, nil
	case errors.Is(err, engine.ErrNoSpace):
		return nil, exit.With(exit.Disk, err)
	default:
		return nil, exit.With(exit.Data, err)
	}
}

// listen binds the listeners, says in the data folder where they are, and serves
// until ctx ends.
func (s *starting) listen(ctx context.Context) error {
	token, err := client.EnsureToken(s.cfg.Data)
	if err != nil {
		return exit.With(exit.Data, err)
	}
	at := client.Endpoint{PID: os.Getpid(), Version: versionText()}
	counters := &comm.Counters{}
	if s.cfg.Comm.HTTP != "" {
		l, err := comm.ListenTCP(s.cfg.Comm.HTTP)
		if err != nil {
			return exit.With(exit.Usage, fmt.Errorf("%w; name another address with --set comm.http=127.0.0.1:0", err))
		}
		h, err := comm.NewHTTP(s.daemon, comm.HTTPOptions{
			Token: token, RequestBytesMax: int(s.cfg.RequestBytesMax), Counters: counters, Log: s.log, Memory: s.memory,
		})
		if err != nil {
			return errors.Join(err, l.Close())
		}
		at.HTTP = l.Addr().String()
		s.serve(ctx, func(ctx context.Context) error { return h.Serve(ctx, l) })
	}
	if s.cfg.Comm.UDP != "" {
		conn, err := comm.ListenUDP(s.cfg.Comm.UDP)
		if err != nil {
			return exit.With(exit.Usage, fmt.Errorf("%w; name another address with --set comm.udp=127.0.0.1:0", err))
		}
		u, err := comm.NewUDP(s.daemon, comm.UDPOptions{
			Token: token, RequestBytesMax: int(s.cfg.RequestBytesMax), Counters: counters, Log: s.log,
		})
		if err != nil {
			return errors.Join(err, conn.Close())
		}
		at.UDP = conn.LocalAddr().String()
		s.serve(ctx, func(ctx context.Context) error { return u.Serve(ctx, conn) })
	}
	if err := client.WriteEndpoint(s.cfg.Data, at); err != nil {
		return exit.With(exit.Data, err)
	}
	s.later(func() error { return client.RemoveEndpoint(s.cfg.Data) })
	s.log.Info("listening", "http", at.HTTP, "udp", at.UDP, "data", s.cfg.Data, "workspace", s.cfg.Workspace)
	return nil
}

// serve runs a listener until close. One that ends before ends the daemon: a deaf
// one would look alive to whoever watches the process.
func (s *starting) serve(ctx context.Context, listen func(context.Context) error) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() {
		err := listen(ctx)
		if ctx.Err() == nil {
			s.fail(fmt.Errorf("a listener has ended: %w", err))
			err = nil // the daemon's end says it
		}
		done <- err
	}()
	s.later(func() error {
		cancel()
		return <-done
	})
}

// newLog logs structured records on standard error (CFG-9).
func newLog(w io.Writer, c config.Log) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(c.Level)) // the configuration allows only levels
	if c.Format == "json" {
		return slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level}))
	}
	file, terminal := w.(*os.File)
	return slog.New(tint.NewTextHandler(w, &tint.Options{
		Level: level, TimeFormat: time.TimeOnly, NoColor: !terminal || !isTerminal(file),
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.MessageKey { // the one text that tint does not quote
				a.Value = slog.StringValue(unbroken(a.Value.String()))
			}
			return a
		},
	}))
}

// unbroken is text without what could end a line or steer a terminal.
func unbroken(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
}

func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
