package listener

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"syscall"
	"time"
)

// UnixPathMax is the longest path of a socket, in bytes, that every system accepts: the limit is
// 104 on macOS and 108 on Linux, including the zero at the end.
const UnixPathMax = 103

// ErrPath means that a path is too long for a socket.
var ErrPath = fmt.Errorf("a socket's path has at most %d bytes", UnixPathMax)

// Unix binds a socket in the file system that only its owner may open (COM-91). A socket left by
// a killed process is replaced; one at which a process listens is not, nor is a file
// that is not a socket.
func Unix(path string) (net.Listener, error) {
	if len(path) > UnixPathMax {
		return nil, fmt.Errorf("listen at %s: %w, and this one %d", path, ErrPath, len(path))
	}
	if err := vacate(path); err != nil {
		return nil, err
	}
	private := net.ListenConfig{Control: func(_, _ string, raw syscall.RawConn) error {
		return raw.Control(private)
	}}
	l, err := private.Listen(context.Background(), "unix", path)
	if err != nil {
		return nil, fmt.Errorf("listen at %s: %w", path, err)
	}
	if err := os.Chmod(path, 0o600); err != nil { // in case private has no effect on this system
		return nil, errors.Join(fmt.Errorf("listen at %s: %w", path, err), l.Close())
	}
	bound, err := os.Lstat(path)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("listen at %s: %w", path, err), l.Close())
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	return &socket{Listener: l, path: path, bound: bound}, nil
}

// socket is removed when it is closed, unless another has taken its place since (CFG-8).
type socket struct {
	net.Listener
	path  string
	bound fs.FileInfo
}

// Close implements [net.Listener].
func (s *socket) Close() error {
	if there, err := os.Lstat(s.path); err == nil && os.SameFile(there, s.bound) {
		_ = os.Remove(s.path) // a start takes the place of one that is left
	}
	return s.Listener.Close()
}

// liveTimeout bounds the check whether a process listens at a socket.
const liveTimeout = time.Second

// vacate removes a socket at which nobody listens.
func vacate(path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("listen at %s: %w", path, err)
	case info.Mode().Type() != fs.ModeSocket:
		return fmt.Errorf("listen at %s: something other than a socket is there, which is not replaced", path)
	}
	conn, err := net.DialTimeout("unix", path, liveTimeout)
	if err == nil {
		return errors.Join(fmt.Errorf("listen at %s: another process listens there", path), conn.Close())
	}
	if !errors.Is(err, syscall.ECONNREFUSED) {
		return fmt.Errorf("listen at %s: it is not known whether another process does: %w", path, err)
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("listen at %s: %w", path, err)
	}
	return nil
}

// PeerOf returns the user of the process at the other end of a connection, as the kernel reports
// it; known is false if the connection is not a socket in the file system, or the system does
// not say.
func PeerOf(conn net.Conn) (uid int, known bool) {
	if o, is := conn.(*connection); is {
		conn = o.Conn
	}
	local, is := conn.(*net.UnixConn)
	if !is {
		return 0, false
	}
	raw, err := local.SyscallConn()
	if err != nil {
		return 0, false
	}
	_ = raw.Control(func(fd uintptr) { uid, known = peerUID(fd) }) // on an error it stays unknown
	return uid, known
}

// Peer is [PeerOf] the connection of a request.
func Peer(ctx context.Context) (uid int, known bool) {
	conn, is := ctx.Value(connectionKey{}).(net.Conn)
	if !is {
		return 0, false
	}
	return PeerOf(conn)
}
