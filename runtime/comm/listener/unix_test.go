//go:build !windows

package listener_test

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"shelly/runtime/comm/listener"
)

func bind(t *testing.T, path string) net.Listener {
	t.Helper()
	l, err := listener.Unix(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

// short is a folder whose path leaves room for a socket's name.
func short(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "s")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func TestCOM91ASocketIsItsOwnersAlone(t *testing.T) {
	path := filepath.Join(short(t), "s.sock")
	l := bind(t, path)
	if info, err := os.Lstat(path); err != nil || info.Mode().Perm() != 0o600 || info.Mode().Type() != os.ModeSocket {
		t.Errorf("got %v, %v; want Perm() 0o600, Type() %v", info.Mode(), err, os.ModeSocket)
	}
	c, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	taken, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = taken.Close() }()
	for _, end := range []net.Conn{c, taken} {
		if uid, known := listener.PeerOf(end); !known || uid != os.Getuid() {
			t.Errorf("the other end is user %d, %t", uid, known)
		}
	}
}

func TestCOM91AStaleSocketIsReplacedAndALiveOneIsNot(t *testing.T) {
	path := filepath.Join(short(t), "s.sock")
	killed, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := listener.Unix(path); err == nil || !strings.Contains(err.Error(), "another process listens") {
		t.Errorf("a live one: %v", err)
	}
	if _, err := os.Lstat(path); err != nil {
		t.Errorf("the live one is gone: %v", err)
	}
	killed.SetUnlinkOnClose(false)
	if err := killed.Close(); err != nil {
		t.Fatal(err)
	}
	bind(t, path)
}

// CFG-8: what another process has bound in the place of a socket that was moved away stays.
func TestCOM91ASocketIsRemovedByItsOwnerAlone(t *testing.T) {
	dir := short(t)
	path := filepath.Join(dir, "s.sock")
	first := bind(t, path)
	if err := os.Rename(path, filepath.Join(dir, "moved")); err != nil {
		t.Fatal(err)
	}
	second := bind(t, path)
	for _, end := range []struct {
		l     net.Listener
		stays bool
	}{{first, true}, {second, false}} {
		if err := end.l.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Lstat(path); (err == nil) != end.stays {
			t.Errorf("after its end: %v; want it to stay: %v", err, end.stays)
		}
	}
}

func TestCOM91WhatIsNotASocketStays(t *testing.T) {
	dir := short(t)
	file, link, loop := filepath.Join(dir, "file"), filepath.Join(dir, "link"), filepath.Join(dir, "loop")
	live := filepath.Join(dir, "live")
	bind(t, live)
	if err := errors.Join(os.WriteFile(file, []byte("mine"), 0o600), os.Symlink(file, link), os.Symlink(live, loop), os.Mkdir(filepath.Join(dir, "folder"), 0o700)); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{file, link, loop, filepath.Join(dir, "folder")} {
		if _, err := listener.Unix(path); err == nil || !strings.Contains(err.Error(), "something other than a socket") {
			t.Errorf("%s: got %v; want an error with %q", path, err, "something other than a socket")
		}
		if _, err := os.Lstat(path); err != nil {
			t.Errorf("%s is gone: %v", path, err)
		}
	}
	long := filepath.Join(dir, strings.Repeat("x", listener.UnixPathMax))
	if _, err := listener.Unix(long); !errors.Is(err, listener.ErrPath) {
		t.Errorf("a path that is too long: %v", err)
	}
}
