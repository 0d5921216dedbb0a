package store_test

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"shelly/runtime/store"
)

// orphan is a process that inherited the lock of a folder from one that has ended.
type orphan struct {
	cmd *exec.Cmd
	end io.Closer
}

// leave takes the lock of a folder and hands it to a process that nothing else connects with it.
func leave(t *testing.T, dir string) *orphan {
	t.Helper()
	held, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	must(t, syscall.Flock(int(held.Fd()), syscall.LOCK_EX|syscall.LOCK_NB))
	o := &orphan{cmd: exec.Command("cat")}
	o.cmd.ExtraFiles = []*os.File{held}
	in, err := o.cmd.StdinPipe()
	must(t, errors.Join(err, o.cmd.Start()))
	o.end = in
	t.Cleanup(func() { _ = o.leave() }) // it may have ended already
	return o
}

// leave ends the process, which releases the lock.
func (o *orphan) leave() error { return errors.Join(o.end.Close(), o.cmd.Wait()) }

// tried is a file system that counts the attempts to lock a folder, and does something at one of
// them.
type tried struct {
	vfs.FS
	times, at int
	do        func()
}

type triedFile struct {
	vfs.File
	by *tried
}

func (f *tried) OpenDir(name string) (vfs.File, error) {
	file, err := f.FS.OpenDir(name)
	return triedFile{file, f}, err
}

func (f triedFile) Fd() uintptr {
	if f.by.times++; f.by.times == f.by.at {
		f.by.do()
	}
	return f.File.Fd()
}

// A process that a killed daemon was just starting holds the folder for a moment; the next daemon
// waits for it.
func TestCFG8WhatAKilledDaemonWasStartingIsWaitedFor(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	s := open(t, dir, store.Options{})
	end(t, &s)
	o := leave(t, dir)
	fs := &tried{FS: vfs.Default, at: 5, do: func() {
		if err := o.leave(); err != nil {
			t.Error(err)
		}
	}}
	s = open(t, dir, store.Options{FS: fs})
	end(t, &s)
	if fs.times < fs.at {
		t.Errorf("tried %d times; want %d or more", fs.times, fs.at)
	}
}
