package file

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"

	"shelly/fsm"
	"shelly/runtime/system"
	"shelly/runtime/tool"
	"shelly/runtime/tool/file/change"
)

// probe finds out what came of a call of write_file or edit_file with an unknown outcome
// (TOL-26). It only reads, and is asked only when nothing works on the call any more; so if it
// answers "never", the change will not happen later either.
func (t *Tools) probe(_ context.Context, call fsm.RunProbe) tool.Found {
	never := func(why string) tool.Found { return tool.Found{Answer: fsm.ProbeNever, Text: why, Final: true} }
	unsure := func(why string) tool.Found { return tool.Found{Answer: fsm.ProbeUnsure, Text: why} }
	e, found, err := t.log.Find(call.Key)
	switch {
	case err != nil:
		return unsure("the record of changes cannot be read: " + err.Error())
	case !found: // the record is durable before the file is touched
		return never("the change was not begun")
	case e.State != change.Started:
		return tool.Found{Answer: fsm.ProbeDone, Text: e.Result}
	}
	now, err := hashOf(e.Folder, e.Name)
	switch {
	case err != nil:
		return unsure("the file cannot be read: " + err.Error())
	case now == e.After:
		return tool.Found{Answer: fsm.ProbeDone, Text: e.Result}
	case now == e.Before:
		return never("the file is as it was before the change")
	}
	return unsure("the file is neither as it was before the change nor as it was to be")
}

// hashOf returns the hash of a file's current content, as in a record; empty if there is no
// file.
func hashOf(folder, name string) (string, error) {
	root, err := without(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer root.Close()
	held, _, err := heldIn(root, name)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return change.Hash(held), err
}

var errNotRegular = errors.New("it is not a regular file")

// heldIn reads a regular file of a folder, without following a link.
func heldIn(root *os.Root, name string) ([]byte, fs.FileInfo, error) {
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK|system.NoFollow, 0)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errNotRegular
	}
	if err != nil {
		return nil, nil, err
	}
	held, err := io.ReadAll(io.LimitReader(f, contentMax+1))
	return held, info, err
}
