package sandbox

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"shelly/runtime/repository"
)

// The descriptors of a stage, besides the usual three.
const (
	planFile   = 3
	statusFile = 4
)

// plan is what a stage does.
type plan struct {
	Rung      Rung     `json:"rung"`
	Args      []string `json:"args"`
	Dir       string   `json:"dir"`
	Env       []string `json:"env"`
	Workspace string   `json:"workspace"`
	KnownAs   []string `json:"known_as,omitempty"`
	Hidden    []string `json:"hidden,omitempty"`
	Fixed     []string `json:"fixed,omitempty"`
	Pinned    []string `json:"pinned,omitempty"` // folders of the workspace that must not be moved, outer ones first
	Readable  []string `json:"readable,omitempty"`
	Scratch   string   `json:"scratch,omitempty"` // the call's own folder
	Network   bool     `json:"network,omitempty"`
	ReadOnly  bool     `json:"read_only,omitempty"`
	Root      bool     `json:"root,omitempty"`   // the daemon's user is root
	Mounts    string   `json:"mounts,omitempty"` // namespaces only: the daemon's own mount namespace
	Limits    Limits   `json:"limits"`

	threads int64 // threads of others that the kernel counts together with the command's
	kept    repository.Kept
}

// status is what a stage reports: why the command was not started, or how it ended.
type status struct {
	Error string `json:"error,omitempty"`
	Errno int    `json:"errno,omitempty"` // of the error, if the system gave one
	Ended bool   `json:"ended,omitempty"`
	Wait  uint32 `json:"wait,omitempty"` // as of wait(2)
}

// stageError is why a stage did not start the command.
type stageError struct {
	text  string
	cause syscall.Errno
}

func (e stageError) Error() string { return e.text }
func (e stageError) Unwrap() error { return e.cause }

// file returns the plan as an open file that no other process can find.
func (p plan) file() (*os.File, error) {
	text, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	fd, err := unix.MemfdCreate("plan", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("memfd_create", err)
	}
	f := os.NewFile(uintptr(fd), "plan")
	_, err = f.Write(text)
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
