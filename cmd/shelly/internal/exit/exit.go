// Package exit has the codes that shelly ends with, and errors that carry one.
package exit

import (
	"errors"
	"fmt"
	"io"

	"shelly/fsm/wording"
)

// The codes (CLI-2). Those of test are the scenario format's (SCN-9).
const (
	OK          = 0
	Failed      = 1 // an expectation or invariant failed; a request was answered with an error
	Usage       = 2 // bad flags, configuration or files; no such file
	Internal    = 3 // an error that no input explains
	NoMatch     = 4 // nothing matched
	Differs     = 5 // one case gave two different traces
	Data        = 6 // the data folder is in use, damaged, open to others, or written by newer code
	Unreachable = 7 // no model, or no daemon, answers, or the daemon is stopping
	Forced      = 8 // a stop was cut short by a second signal, or a farewell by its time-out
	Disk        = 9 // a write failed, there is too little free space, or the data folder was moved while it was used
)

// Error is an error with the code that it ends the process with.
type Error struct {
	Code int
	Err  error // nil: everything has been reported already
}

func (e Error) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit code %d", e.Code)
	}
	return e.Err.Error()
}
func (e Error) Unwrap() error { return e.Err }

// With gives an error an exit code; nil stays nil.
func With(code int, err error) error {
	if err == nil {
		return nil
	}
	return Error{code, err}
}

// Else is With for an error that may have a code already, which it keeps.
func Else(code int, err error) error {
	if _, ok := errors.AsType[Error](err); ok {
		return err
	}
	return With(code, err)
}

// Errorf makes an error with an exit code, as [fmt.Errorf] does.
func Errorf(code int, format string, args ...any) error {
	return With(code, fmt.Errorf(format, args...))
}

// Silent ends the process with a code when everything has been reported already.
func Silent(code int) error { return Error{Code: code} }

// Code prints an error to w, unless it was reported, and returns its exit code. An error
// without a code is [Internal]. What the error quotes, such as a file's name, cannot control a terminal.
func Code(err error, w io.Writer) int {
	if err == nil {
		return OK
	}
	e := Error{Internal, err}
	errors.As(err, &e)
	if e.Err != nil {
		fmt.Fprintln(w, "shelly:", wording.Visible(e.Err.Error()))
	}
	return e.Code
}
