package client

import (
	"errors"
	"fmt"

	"shelly/fsm/engine"
	"shelly/runtime/comm"
)

// Errors that a caller can tell apart with errors.Is. The daemon's own refusals
// are engine.ErrBusy, engine.ErrConflict, engine.ErrStopping and engine.ErrNoSpace.
var (
	ErrNotRunning = errors.New("shelly is not running; start it with: shelly run")
	// ErrUnannounced: nothing says where a daemon listens, but a process uses the data folder. It is an
	// ErrNotRunning, too: the daemon may be starting or ending, or somebody has removed its file.
	ErrUnannounced = errors.New("shelly does not say where it listens")
	// ErrSilent: the daemon's process lives, but says nothing.
	ErrSilent       = errors.New("shelly does not answer")
	ErrUnauthorized = errors.New("shelly does not take the token")
	ErrNoAccess     = errors.New("this user may not read the data folder")
	ErrEndpoint     = errors.New("shelly cannot be found")
	ErrNotFound     = errors.New("shelly does not know the request")
	ErrTooLarge     = errors.New("the request is too large")
	// ErrDeferred: shelly went down before the reply, which comes after its next
	// start.
	ErrDeferred = errors.New("shelly has stopped and kept the request; ask with the same id after the next start")
	// ErrBroken: a connection ended too early. Only that is worth another try.
	ErrBroken = errors.New("the connection broke")
	// ErrInterrupted: the connection broke too often.
	ErrInterrupted = errors.New("the connection to shelly broke before the reply; ask with the same id again, which is never done twice")
)

// unannounced is an [ErrUnannounced].
type unannounced struct{ error }

func (unannounced) Is(target error) bool { return target == ErrNotRunning || target == ErrUnannounced }

// Error is a refusal of the daemon.
type Error struct {
	comm.Problem
}

func (e *Error) Error() string {
	if e.Hint == "" {
		return e.Message
	}
	return fmt.Sprintf("%s: %s", e.Message, e.Hint)
}

// Unwrap returns the error to compare with, or nil.
func (e *Error) Unwrap() error {
	switch e.Code {
	case comm.CodeUnauthorized, comm.CodeTooManyTries:
		return ErrUnauthorized
	case comm.CodeNotFound:
		return ErrNotFound
	case comm.CodeTooLarge:
		return ErrTooLarge
	case comm.CodeConflict:
		return engine.ErrConflict
	case comm.CodeTrimmed:
		return engine.ErrTrimmed
	case comm.CodeDamaged:
		return engine.ErrDamaged
	case comm.CodeBusy:
		return engine.ErrBusy
	case comm.CodeStopping:
		return engine.ErrStopping
	case comm.CodeNoSpace:
		return engine.ErrNoSpace
	default:
		return nil
	}
}
