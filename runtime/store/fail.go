package store

import (
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"shelly/fsm/engine"
)

// failure remembers the first error after which the store cannot go on.
type failure struct {
	once sync.Once
	err  error         // set before done is closed
	done chan struct{} // closed by the failure
	dir  string
	log  *slog.Logger
	disk *locked // nil: the folder cannot be moved
}

func newFailure(dir string, log *slog.Logger, disk *locked) *failure {
	return &failure{done: make(chan struct{}), dir: dir, log: log, disk: disk}
}

// dead is the error of a store that has failed. It is an engine.ErrDead: what was asked for may have
// happened, even if a full disk was the reason.
type dead struct{ error }

func (d dead) Unwrap() error { return d.error }

// Is makes [errors.Is] find engine.ErrDead.
func (dead) Is(target error) bool { return target == engine.ErrDead }

// fail remembers err unless there already is an error, and returns the remembered one.
func (f *failure) fail(err error) error {
	f.once.Do(func() {
		if d := (*damage)(nil); !errors.As(err, &d) || !d.whole { // a whole message names the folder already
			err = fmt.Errorf("the store in %s: %w%s", f.dir, classify(err), Advice(err))
		}
		f.err = dead{err}
		close(f.done)
	})
	return f.err
}

// failed returns the error that failed the store, or nil.
func (f *failure) failed() error {
	select {
	case <-f.done:
		return f.err
	default:
		return nil
	}
}

// guard runs a write on a goroutine of its own and returns when the write does or when the store
// fails, whichever comes first: after a failure goroutines are parked, and Pebble's locks may never
// be free again. An error or a panic of the write itself fails the store.
func (f *failure) guard(write func() error) error {
	if err := f.failed(); err != nil {
		return err
	}
	result := make(chan error, 1)
	go func() {
		defer func() {
			if r := recover(); r != nil {
				result <- f.fail(asError(r))
			}
		}()
		result <- write()
	}()
	select {
	case err := <-result:
		if err != nil {
			return f.fail(err)
		}
		return f.failed()
	case <-f.done:
		return f.err
	}
}

// write is guard for a write. A synced one, which others rely on once it has returned, fails the store if
// the folder is not at its path any more: it would be durable where nobody finds it.
func (f *failure) write(sync bool, write func() error) error {
	if sync {
		if err := f.moved(); err != nil {
			return f.fail(err)
		}
	}
	return f.guard(write)
}

// moved returns ErrMoved if the folder is not at its path any more.
func (f *failure) moved() error {
	if f.disk == nil {
		return nil
	}
	return f.disk.moved()
}

func asError(v any) error {
	if err, ok := v.(error); ok {
		return err
	}
	return fmt.Errorf("%v", v)
}

// Infof implements pebble.Logger.
func (f *failure) Infof(format string, args ...any) { f.log.Debug(fmt.Sprintf(format, args...)) }

// Errorf implements pebble.Logger.
func (f *failure) Errorf(format string, args ...any) { f.log.Error(fmt.Sprintf(format, args...)) }

// Fatalf implements pebble.Logger. It must not return: its caller would go on as if nothing had
// happened.
func (f *failure) Fatalf(format string, args ...any) { f.stop(causeOf(format, args)) }

// stop fails the store and parks the goroutine for good.
func (f *failure) stop(err error) {
	f.fail(err)
	select {}
}

// causeOf returns the error that a message was made from, so that its type is kept.
func causeOf(format string, args []any) error {
	for _, arg := range args {
		if err, ok := arg.(error); ok {
			return err
		}
	}
	return fmt.Errorf(format, args...)
}
