package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"sync/atomic"
	"syscall"
	"time"

	"shelly/cmd/shelly/internal/brain"
	"shelly/cmd/shelly/internal/channels"
	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/folder"
	"shelly/cmd/shelly/internal/hindsight"
	"shelly/cmd/shelly/internal/logging"
	"shelly/cmd/shelly/internal/secrets"
	"shelly/cmd/shelly/internal/version"
	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/backup"
	"shelly/runtime/config"
	"shelly/runtime/daemon"
	"shelly/runtime/datafolder"
	"shelly/runtime/event"
	"shelly/runtime/failpoint"
	"shelly/runtime/garbage"
	"shelly/runtime/grants"
	"shelly/runtime/inbox"
	"shelly/runtime/mcp"
	"shelly/runtime/memory"
	"shelly/runtime/session"
	"shelly/runtime/store"
	"shelly/runtime/supervise"
	"shelly/runtime/telemetry"
	memorytool "shelly/runtime/tool/memory"
	"shelly/sim/history/redact"
)

// preload runs a preload until close. What is read ahead waits for its end.
func (s *starting) preload(ctx context.Context, p *brain.Preload) {
	if p == nil {
		return
	}
	s.beside(ctx, func(ctx context.Context) error {
		defer close(s.loaded)
		p.Run(ctx)
		if n, err := s.daemon.Wanted(ctx); err == nil && n == 0 && s.spares.Load() { // no request waits for the model
			p.Together(ctx)
		}
		return nil
	})
}

// starting is a daemon that is starting up: what was opened is closed in reverse.
type starting struct {
	cfg      config.Config
	spares   atomic.Bool // switches.spare_model, which a reload changes while the memory is in use
	log      *slog.Logger
	recent   *logging.Recent
	kept     *logging.File // the log in the data folder
	metrics  *telemetry.Metrics
	spent    telemetry.Spent
	work     workshop
	place    memorytool.Place // where the memory tools find the memory
	boxes    boxes
	servers  *mcp.Servers
	patience atomic.Int64  // how long a call of a server may wait for a person, in nanoseconds
	loaded   chan struct{} // closed once the preload has ended
	changed  chan struct{} // the servers' tools have changed
	untold   bool          // the machine does not know the tools of the bench
	unasked  []string      // what was said of entries of tools.approve that fit nothing
	daemon   *daemon.Daemon
	events   *event.Engine
	channels *channels.Talk
	chats    atomic.Pointer[config.Config] // by whose channels clients name chats
	usage    func() (store.Usage, error)
	memory   *memory.Memory
	sessions *session.Sessions

	supervisor *supervise.Supervisor
	opened     chan *daemon.Daemon // passed to the supervisor
	passed     supervise.Given     // the sockets that the supervisor has bound

	hindsight hindsight.Options
	secrets   secrets.Known           // that a report must not show
	jitter    int                     // this process's jitter of waits for the model (INF-15)
	fail      context.CancelCauseFunc // ends the daemon when a part of it has failed
	closes    []func() error
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

// beside runs f beside the daemon. Close ends its context and waits for it, before it closes what was
// opened earlier.
func (s *starting) beside(ctx context.Context, f func(context.Context) error) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() { done <- f(ctx) }()
	s.later(func() error {
		cancel()
		return <-done
	})
}

// start opens brain, tools, skills, store and memory, and recovers the machine.
func (s *starting) start(ctx context.Context) error {
	if err := enoughDescriptors(); err != nil {
		return err
	}
	// Before a server is asked, which may keep a start waiting.
	if err := errors.Join(datafolder.Own(s.cfg.Data), store.InUse(datafolder.Store(s.cfg.Data))); err != nil {
		return exit.With(exit.Data, err)
	}
	s.jitter = rand.IntN(fsm.JitterMax + 1)
	remembered := &opened{}
	s.place = remembered
	brain, err := brain.Open(ctx, s.cfg.Brain, s.log)
	if err != nil {
		return err
	}
	bench, err := s.openTools(ctx)
	if err != nil {
		return err
	}
	journal, err := s.openJournal()
	if err != nil {
		return err
	}
	if err := bench.files.Tidy(ctx, time.Now()); err != nil {
		return folder.Unwritten(fmt.Errorf("the record of changes cannot be put in order: %w", err))
	}
	if err := s.endLeft(); err != nil { // while the folder is locked, and before a model is asked anything
		return exit.With(exit.Data, err)
	}
	if bench, err = s.withServers(ctx, bench); err != nil {
		return exit.Else(exit.Usage, err)
	}
	s.memory = s.remember(journal, brain)
	if s.sessions, err = session.Open(s.cfg.Data, journal, time.Now); err != nil {
		return exit.With(exit.Data, err)
	}
	remembered.memory, remembered.sessions = s.memory, s.sessions
	if err := s.recover(journal, brain, bench); err != nil {
		return err
	}
	s.keep(ctx, s.memory, brain.Apart)
	s.preload(ctx, brain.Preload)
	s.lookOut(ctx)
	s.channels = channels.New(s.cfg, s.daemon, s.log)
	cfg := s.cfg
	s.chats.Store(&cfg)
	s.serve(ctx, s.channels.Run)
	return nil
}

// openTools opens the sandbox, the tools and the skills.
func (s *starting) openTools(ctx context.Context) (*bench, error) {
	if err := s.openBox(ctx, s.cfg); err != nil {
		return nil, exit.With(exit.Usage, err)
	}
	bench, err := s.openBench(s.cfg)
	if err != nil {
		return nil, exit.Else(exit.Usage, err)
	}
	bench.tell(s.cfg, s.log)
	tellZone(s.cfg, s.log)
	s.later(s.work.close)
	return bench, s.work.use(bench)
}

// openJournal opens and locks the store, and opens the log in the data folder.
func (s *starting) openJournal() (*store.Store, error) {
	journal, err := s.openStore()
	if err != nil {
		return nil, err
	}
	s.later(journal.Close)
	s.usage = journal.Usage
	s.keepLog()
	failpoint.Hit(failpoint.BootOpened)
	return journal, nil
}

// recover makes the daemon from all that is open.
func (s *starting) recover(journal *store.Store, brain brain.Brain, bench *bench) (err error) {
	keep := backup.Source{Data: s.cfg.Data, Store: journal, Version: version.Text(), Now: time.Now}
	read, err := inbox.Open(s.cfg.Data)
	if err != nil {
		s.log.Warn("the record of read messages cannot be read; all kept messages count as unread", "error", err)
	}
	s.metrics = telemetry.NewMetrics(version.Text())
	s.loaded = make(chan struct{})
	config := s.machine(bench, s.cfg)
	config.Switches.ReadAhead = config.Switches.ReadAhead && reads(brain)
	s.daemon, err = daemon.Open(daemon.Options{
		Config:   config,
		Journal:  journal,
		Brain:    patiently(brain, s.loaded),
		Slots:    s.cfg.Brain.Slots,
		Embedder: brain.Embedder,
		Apart:    brain.Apart,
		Loaded:   brain.Loaded,
		Memory:   s.memory,
		Counts:   s.memory.Counts,
		Texts:    s.texts(journal),
		Damage:   journal.Damage,
		Rested:   func() { go garbage.GiveBack() }, // the loop need not wait for it
		Grants:   grants.Of(s.cfg.Data),
		Inbox:    read,
		Sessions: s.sessions,
		Skills:   &s.work,
		Tools:    &s.work,
		Backup: func(ctx context.Context, w io.Writer) error {
			_, err := backup.Write(ctx, w, keep)
			return err
		},
		Tellers:  s.tellers(journal.Name()),
		Violated: s.metrics.Violated,
		Log:      s.log,
		Now:      time.Now,
		About:    daemon.About{Version: version.Text(), Brain: brain.About, Asks: brain.Asks, Data: s.cfg.Data, Workspace: s.cfg.Workspace, Contained: s.work.contained},

		Retention: retention(s.cfg),
	})
	if err != nil {
		return exit.With(exit.Data, err)
	}
	s.opened <- s.daemon
	s.hindsight = hindsight.Options{Recorded: s.daemon.Recorded, Brain: brain.Brain, About: brain.About, Redactor: func() *redact.Redactor { return s.secrets.Redactor() }, Log: s.log}
	return nil
}

// machine returns the machine's configuration with what a bench offers and the jitter of this
// process, which a reload keeps.
func (s *starting) machine(b *bench, cfg config.Config) fsm.Config {
	m := cfg.Machine(b.tools.Declarations(), b.skills.Decls())
	m.Jitter = s.jitter
	m.Zones = cfg.ZonesAt(time.Now())
	return m
}

// retention returns how long the daemon keeps its records.
func retention(cfg config.Config) engine.Retention {
	return engine.Retention{Age: fsm.Millis(cfg.Retention.Age.Milliseconds()), Bytes: int64(cfg.Retention.Bytes)}
}

// openStore opens the data folder, after cleaning up what a crash during a restore or a backup
// has left (JRN-25).
func (s *starting) openStore() (*store.Store, error) {
	finished, err := backup.Finish(s.cfg.Data)
	switch {
	case errors.Is(err, syscall.ENOTDIR):
		return nil, exit.Errorf(exit.Data, "a file stands where the data folder %s should be: name another with --data", s.cfg.Data)
	case errors.Is(err, fs.ErrPermission):
		return nil, exit.Errorf(exit.Data, "cannot use the data folder %s: permission denied%s", s.cfg.Data, store.Advice(err))
	case err != nil:
		return nil, exit.With(exit.Data, fmt.Errorf("cannot finish an interrupted restore: %w", err))
	}
	if finished {
		s.log.Info("finished an interrupted restore", "data", s.cfg.Data)
	}
	journal, err := folder.OpenStore(s.cfg, s.log, func(err error) {
		s.log.Error("part of the memory cannot be read; the rest is used; see shelly journal verify", "error", err)
	})
	if err != nil {
		return nil, err
	}
	if err := backup.Clear(s.cfg.Data); err != nil {
		s.log.Warn("cannot remove what an interrupted backup left", "error", err)
	}
	return journal, nil
}
