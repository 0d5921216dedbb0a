// Package folder opens what a data folder holds, from the folder or from the daemon that
// has it.
package folder

import (
	"errors"
	"log/slog"
	"path/filepath"

	"shelly/cmd/shelly/internal/exit"
	"shelly/fsm/engine"
	"shelly/runtime/config"
	"shelly/runtime/store"
)

// BallastBytes is what is set aside for a full disk: enough for an end in order.
const BallastBytes = 16 << 20

// OpenStore opens the data folder, which one process has at a time (CFG-8).
func OpenStore(cfg config.Config, log *slog.Logger) (*store.Store, error) {
	s, err := store.Open(filepath.Join(cfg.Data, "store"), store.Options{
		Logger: log, ReserveBytes: uint64(cfg.Reserve), BallastBytes: BallastBytes,
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
