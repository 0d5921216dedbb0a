package supervise

import (
	"errors"
	"fmt"
	"net"
	"os"
)

// firstSocket is the first descriptor that a supervisor passes, and socketsMax the most that it
// may pass.
const (
	firstSocket = 3
	socketsMax  = 8
)

// Given is what a supervisor has given a process.
type Given struct {
	Supervisor *Supervisor  // nil: none
	HTTP       net.Listener // a TCP socket that was passed; nil: none
	Unix       net.Listener // a socket in the file system that was passed; nil: none
}

// Take reads the supervisor's variables and removes them from the environment. Call it once,
// before anything is started: after that, children do not inherit the passed
// descriptors.
func Take() (Given, error) {
	e, err := readEnvironment(os.Getpid())
	if err != nil {
		return Given{}, err
	}
	g := Given{Supervisor: begin(e)}
	for fd := firstSocket; fd < firstSocket+e.sockets; fd++ {
		if err := g.add(fd); err != nil {
			return Given{}, errors.Join(fmt.Errorf("descriptor %d, passed as a socket: %w", fd, err), g.Close())
		}
	}
	return g, nil
}

// add takes a descriptor (DEP-3).
func (g *Given) add(fd int) error {
	closeOnExec(fd)
	f := os.NewFile(uintptr(fd), "passed")
	if f == nil {
		return errors.New("it is not open")
	}
	l, err := net.FileListener(f) // it duplicates the descriptor
	if err := errors.Join(err, f.Close()); err != nil {
		return errors.Join(fmt.Errorf("it is not a stream socket that listens: %w", err), closeListener(l))
	}
	err = g.place(l)
	if err != nil {
		err = errors.Join(err, closeListener(l))
	}
	return err
}

// place decides what a listener is for.
func (g *Given) place(l net.Listener) error {
	if at, ok := l.Addr().(*net.UnixAddr); ok {
		return g.placeUnix(l, at)
	}
	at, ok := l.Addr().(*net.TCPAddr)
	switch {
	case !ok:
		return fmt.Errorf("it listens on %s, which is neither a TCP address nor a path", l.Addr())
	case !at.IP.IsLoopback():
		return fmt.Errorf("it listens on %s, and shelly listens on loopback only: use ListenStream=127.0.0.1:%d", at, at.Port)
	case g.HTTP != nil:
		return fmt.Errorf("it listens on %s, and so does another on %s: pass one", at, g.HTTP.Addr())
	}
	g.HTTP = l
	return nil
}

// placeUnix takes a socket in the file system. A socket without a path (with an abstract name, or
// none) would be open to everybody in the machine's network namespace.
func (g *Given) placeUnix(l net.Listener, at *net.UnixAddr) error {
	switch path := at.Name; {
	case at.Net != "unix":
		return fmt.Errorf("it has the path %q but is not a stream socket: use ListenStream=%%t/shelly.sock", path)
	case path == "" || path[0] == '@':
		return fmt.Errorf("it listens on %q, which is not a path, so nothing says who may open it: use ListenStream=%%t/shelly.sock", path)
	case g.Unix != nil:
		return fmt.Errorf("it listens on %s, and so does another on %s: pass one", path, g.Unix.Addr())
	}
	g.Unix = l
	return nil
}

// Close closes the sockets that were passed but not used.
func (g *Given) Close() error { return errors.Join(closeListener(g.HTTP), closeListener(g.Unix)) }

func closeListener(l net.Listener) error {
	if l == nil {
		return nil
	}
	if err := l.Close(); !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}
