package supervise

import (
	"context"
	"errors"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"
)

// ErrEnded is the error of Options.Ask once the loop has ended.
var ErrEnded = errors.New("the loop has ended")

// lookEvery is the longest interval between two questions to the loop.
const lookEvery = 10 * time.Second

// Options are the parts of a [Supervisor].
type Options struct {
	// Ask asks the daemon's loop, on the loop's goroutine, for its status. Its error is ErrEnded
	// or ctx's.
	Ask func(ctx context.Context) (Look, error)
	Log *slog.Logger
}

// Supervisor reports this process's status to the supervisor that started it. Nil does nothing.
type Supervisor struct {
	send     func(lines []string) error // to the supervisor, as one message
	watchdog time.Duration              // 0: no ping is expected
	o        Options

	mu     sync.Mutex
	tale   tale
	began  time.Time
	failed bool // it was logged that a message could not be sent
	silent bool // it was logged that the loop does not answer

	nudge chan struct{}
	end   context.CancelFunc
	done  chan struct{}
}

// begin is called if there is a supervisor. A panic then ends the process with SIGABRT and
// not with status 2, which for a unit means a wrong configuration that a restart cannot fix
// (DEP-4).
func begin(e environment) *Supervisor {
	if e.socket == "" {
		return nil
	}
	debug.SetTraceback("crash")
	return &Supervisor{send: notifier{e.socket}.send, watchdog: e.watchdog, began: time.Now(), nudge: make(chan struct{}, 1)}
}

// Start follows the loop from now on, until Close.
func (s *Supervisor) Start(o Options) {
	if s == nil {
		return
	}
	s.o = o
	var ctx context.Context
	ctx, s.end = context.WithCancel(context.Background())
	s.done = make(chan struct{})
	go s.follow(ctx)
}

// Close ends what Start began.
func (s *Supervisor) Close() {
	if s == nil || s.end == nil {
		return
	}
	s.end()
	<-s.done
}

// every returns the interval at which the loop is asked, and how long it may take to answer: even
// if each answer takes that long, two arrive in each interval of the watchdog.
func (s *Supervisor) every() time.Duration {
	if s.watchdog == 0 {
		return lookEvery
	}
	return min(lookEvery, s.watchdog/4)
}

func (s *Supervisor) follow(ctx context.Context) {
	defer close(s.done)
	tick := time.NewTicker(s.every())
	defer tick.Stop()
	for {
		s.look(ctx)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-s.nudge:
		}
	}
}

// look asks the loop, and reports what that means to the supervisor (DEP-2).
func (s *Supervisor) look(ctx context.Context) {
	asked, cancel := context.WithTimeout(ctx, s.every())
	defer cancel()
	l, err := s.o.Ask(asked)
	s.tell(func(at time.Duration) []string {
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, ErrEnded):
			return s.tale.gone(at)
		case err != nil:
			if s.tale.heard && !s.silent {
				s.silent = true
				s.o.Log.Error("the loop does not answer, so the supervisor gets no watchdog ping", "waited", s.every())
			}
			return s.tale.unanswered(at)
		default:
			s.silent = false
			return s.tale.answered(l, at)
		}
	})
}

// tell sends what f decides.
func (s *Supervisor) tell(f func(at time.Duration) []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var err error
	if lines := f(time.Since(s.began)); len(lines) > 0 {
		err = s.send(lines)
	}
	if err != nil && !s.failed && s.o.Log != nil {
		s.o.Log.Warn("cannot report to the supervisor", "error", err)
	}
	s.failed = err != nil
}

// Look makes the loop be asked soon, because its lifecycle has changed. It returns at once.
func (s *Supervisor) Look() {
	if s == nil {
		return
	}
	select {
	case s.nudge <- struct{}{}:
	default: // it is about to
	}
}

// Stopping reports that the daemon has begun to stop.
func (s *Supervisor) Stopping() {
	if s == nil {
		return
	}
	s.tell(func(time.Duration) []string {
		lines := s.tale.stop()
		if lines == nil {
			return nil
		}
		return append(lines, extend())
	})
}

// Reloading reports that the configuration is being read again.
func (s *Supervisor) Reloading() {
	if s == nil {
		return
	}
	s.tell(func(time.Duration) []string { return s.tale.reloading(monotonic()) })
}

// Reloaded reports that it has been read, or that the previous one stays in force.
func (s *Supervisor) Reloaded() {
	if s == nil {
		return
	}
	s.tell(func(time.Duration) []string { return s.tale.reloaded() })
	s.Look()
}
