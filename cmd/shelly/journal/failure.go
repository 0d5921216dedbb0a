package journal

import (
	"errors"
	"strings"
	"syscall"

	"shelly/cmd/shelly/internal/exit"
	"shelly/fsm/engine"
	"shelly/runtime/backup"
	"shelly/runtime/comm/client"
	"shelly/runtime/datafolder"
	"shelly/runtime/store"
	"shelly/runtime/tarfile"
)

// failed gives an error of a journal, a store or a backup its exit code.
func failed(err error) error {
	coded := exit.Error{}
	refused := (*client.Error)(nil)
	advice := store.Advice(err)
	switch {
	case err == nil || errors.As(err, &coded):
		return err
	case errors.Is(err, engine.ErrNoSpace), errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EFBIG):
		return exit.With(exit.Disk, err)
	case errors.Is(err, tarfile.ErrCompressed):
		return exit.With(exit.Usage, err)
	case errors.Is(err, backup.ErrOccupied):
		return exit.Errorf(exit.Usage, "%w: name another with --data, or move it aside with --force", err)
	case errors.Is(err, datafolder.ErrNone):
		return exit.With(exit.NoMatch, err)
	case errors.Is(err, datafolder.ErrForeign), errors.Is(err, backup.ErrDamaged), errors.Is(err, backup.ErrNewer), errors.Is(err, backup.ErrPending),
		errors.Is(err, store.ErrLocked), errors.Is(err, store.ErrNewerFormat), errors.Is(err, store.ErrOlderFormat), errors.Is(err, store.ErrCorrupt),
		errors.Is(err, engine.ErrNewer), errors.Is(err, client.ErrNoAccess), errors.Is(err, client.ErrEndpoint):
		return exit.With(exit.Data, err)
	case advice != "" && !strings.Contains(err.Error(), advice): // a file below the folder that is closed
		return exit.Errorf(exit.Data, "%w%s", err, advice)
	case advice != "":
		return exit.With(exit.Data, err)
	case errors.As(err, &refused), errors.Is(err, client.ErrNotRunning), errors.Is(err, client.ErrSilent):
		return exit.Daemon(err)
	default:
		return exit.With(exit.Failed, err)
	}
}
