// Package folder opens what a data folder holds, from the folder or through the daemon that
// uses it.
package folder

import (
	"errors"
	"fmt"
	"log/slog"
	"syscall"

	"shelly/cmd/shelly/internal/exit"
	"shelly/fsm/engine"
	"shelly/runtime/backup"
	"shelly/runtime/config"
	"shelly/runtime/datafolder"
	"shelly/runtime/store"
)

// BallastBytes is the space set aside for a full disk: enough for an orderly shutdown.
const BallastBytes = 16 << 20

// OpenStore opens the data folder, which one process can have at a time (CFG-8). Damaged is
// called for memory entries that cannot be read; if it is nil, they are an error.
func OpenStore(cfg config.Config, log *slog.Logger, damaged func(error)) (*store.Store, error) {
	s, err := datafolder.Open(cfg.Data, store.Options{
		Logger: log, ReserveBytes: uint64(cfg.Reserve), BallastBytes: BallastBytes, Damaged: damaged,
	})
	switch {
	case err == nil:
		return s, nil
	case errors.Is(err, engine.ErrNoSpace), errors.Is(err, syscall.EFBIG):
		return nil, exit.With(exit.Disk, err)
	default:
		return nil, exit.With(exit.Data, err)
	}
}

// WriteStore opens the store of a data folder that no daemon uses, for a verb that changes it. Its errors
// have exit codes.
func WriteStore(cfg config.Config) (*store.Store, error) {
	if err := backup.Pending(cfg.Data); err != nil {
		return nil, exit.With(exit.Data, err)
	}
	if err := datafolder.Check(cfg.Data); errors.Is(err, datafolder.ErrNone) {
		return nil, exit.With(exit.NoMatch, err)
	}
	return OpenStore(cfg, slog.New(slog.DiscardHandler), nil)
}

// Unwritten gives the error of a change in a data folder its exit code, and says what to do where the
// folder is closed to this user (CLI-2).
func Unwritten(err error) error {
	advice := store.Advice(err)
	switch {
	case errors.Is(err, syscall.EFBIG):
		return exit.Errorf(exit.Disk, "%w%s", err, advice)
	case advice != "":
		return exit.Errorf(exit.Data, "cannot write into the data folder: %w%s", err, advice)
	}
	return exit.With(exit.Disk, err)
}

// ReadStore opens the store of a data folder that no daemon uses, for reading. Its errors have
// exit codes.
func ReadStore(data string) (*store.Store, error) {
	if err := backup.Pending(data); err != nil {
		return nil, exit.With(exit.Data, err)
	}
	s, err := datafolder.OpenReadOnly(data, store.Options{})
	switch {
	case errors.Is(err, datafolder.ErrNone):
		return nil, exit.With(exit.NoMatch, err)
	case errors.Is(err, store.ErrLocked):
		return nil, exit.With(exit.Data, fmt.Errorf("%w; a daemon that has it answers over HTTP, where comm.http is set", err))
	case err != nil:
		return nil, exit.With(exit.Data, err)
	}
	return s, nil
}
