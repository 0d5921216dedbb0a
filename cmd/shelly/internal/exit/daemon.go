package exit

import (
	"errors"

	"shelly/fsm/engine"
	"shelly/runtime/comm"
	"shelly/runtime/comm/client"
	"shelly/sim/history"
)

// Daemon adds the exit code to an error of a call to the daemon; nil stays nil.
func Daemon(err error) error { return With(DaemonCode(err), err) }

// DaemonCode returns the exit code of an error of a call to the daemon.
func DaemonCode(err error) int {
	refused := (*client.Error)(nil)
	switch {
	case errors.Is(err, client.ErrNotRunning), errors.Is(err, client.ErrSilent), errors.Is(err, engine.ErrStopping):
		return Unreachable
	case errors.Is(err, client.ErrNotFound):
		return NoMatch
	case errors.Is(err, client.ErrUnauthorized), errors.Is(err, client.ErrTooLarge), errors.Is(err, engine.ErrConflict):
		return Usage
	case errors.As(err, &refused) && refused.Code == comm.CodeBadRequest:
		return Usage
	case errors.Is(err, client.ErrNoAccess), errors.Is(err, client.ErrEndpoint), errors.Is(err, engine.ErrDamaged):
		return Data
	case errors.Is(err, engine.ErrNoSpace):
		return Disk
	default:
		return Failed
	}
}

// History adds the exit code to an error from folding a journal; nil stays nil.
func History(err error) error {
	if errors.Is(err, engine.ErrTrimmed) || errors.Is(err, history.ErrNone) {
		return With(NoMatch, err)
	}
	return With(Data, err)
}
