package listener

import (
	"context"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"shelly/runtime/descriptor"
)

// The bounds of the connections of a listener (COM-19). A process that may open only few files
// takes fewer: half of what is left after its own.
const (
	ConnectionsMax = 512

	ownDescriptors = 48 // of the daemon itself: the store, a command, the model
	connectionsMin = 4
)

// For returns how many connections a process may have, given how many files it may open.
func For(descriptors int) int {
	return max(connectionsMin, min(ConnectionsMax, (descriptors-ownDescriptors)/2))
}

// connections is a listener that bounds its open connections. A new connection replaces the
// oldest one that has shown no token, or else the one that has been idle longest; if all are
// at work, the new one waits.
type connections struct {
	net.Listener
	most int

	mu     sync.Mutex
	open   []*connection // in the order of their last requests, or of their acceptance
	left   chan struct{} // has a value once one was closed
	closed chan struct{}
	once   sync.Once
}

// Bound bounds the connections of a listener to most, half of which may have shown no token: a
// program that sends many requests at once connects for all of them before it sends one.
func Bound(l net.Listener, most int) net.Listener {
	return &connections{
		Listener: l, most: most,
		left: make(chan struct{}, 1), closed: make(chan struct{}),
	}
}

// standing is how much a connection matters.
type standing int

const (
	stranger standing = iota // it has shown no token
	idle                     // between two requests
	working
)

// connection is a connection of a bounded listener.
type connection struct {
	net.Conn
	of       *connections
	standing standing // guarded by of.mu
	gone     bool     // guarded by of.mu
}

// Accept implements [net.Listener]. If no descriptor is left it waits (CFG-15).
func (c *connections) Accept() (net.Conn, error) {
	conn, err := c.Listener.Accept()
	for descriptor.Short(err) {
		if !c.giveUpOne() && !c.wait() {
			return nil, net.ErrClosed
		}
		conn, err = c.Listener.Accept()
	}
	if err != nil {
		return nil, err
	}
	for c.full() && !c.giveUpOne() {
		if !c.wait() {
			_ = conn.Close()
			return nil, net.ErrClosed
		}
	}
	return c.take(conn), nil
}

func (c *connections) full() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.open) >= c.most
}

// shortWait bounds a wait for a descriptor, which another part of the process may free.
const shortWait = 100 * time.Millisecond

// wait waits for a connection to end, but no longer than shortWait. It returns false once the
// listener is closed.
func (c *connections) wait() bool {
	timer := time.NewTimer(shortWait)
	defer timer.Stop()
	select {
	case <-c.left:
	case <-timer.C:
	case <-c.closed:
		return false
	}
	return true
}

// take adds a connection, in place of a stranger if there are too many of them.
func (c *connections) take(conn net.Conn) *connection {
	taken := &connection{Conn: conn, of: c}
	c.mu.Lock()
	c.open = append(c.open, taken)
	strangers := 0
	var oldest *connection
	for _, o := range c.open {
		if o.standing == stranger {
			strangers++
			if oldest == nil {
				oldest = o
			}
		}
	}
	c.mu.Unlock()
	if strangers > c.most/2 {
		_ = oldest.Close()
	}
	return taken
}

// giveUpOne closes the connection that matters least. It returns false if all are at work.
func (c *connections) giveUpOne() bool {
	c.mu.Lock()
	var least *connection
	for _, o := range c.open {
		if o.standing != working && (least == nil || o.standing < least.standing) {
			least = o
		}
	}
	c.mu.Unlock()
	if least == nil {
		return false
	}
	_ = least.Close()
	return true
}

// Close implements [net.Listener].
func (c *connections) Close() error {
	c.once.Do(func() { close(c.closed) })
	return c.Listener.Close()
}

// Close implements [net.Conn].
func (o *connection) Close() error {
	c := o.of
	c.mu.Lock()
	if !o.gone {
		o.gone = true
		c.open = slices.DeleteFunc(c.open, func(other *connection) bool { return other == o })
		select {
		case c.left <- struct{}{}:
		default:
		}
	}
	c.mu.Unlock()
	return o.Conn.Close()
}

// works notes that a request with a token has arrived on a connection.
func (o *connection) works() {
	c := o.of
	c.mu.Lock()
	defer c.mu.Unlock()
	if o.gone {
		return
	}
	o.standing = working
	c.open = append(slices.DeleteFunc(c.open, func(other *connection) bool { return other == o }), o)
}

// rests notes that its request is answered. A stranger stays one.
func (o *connection) rests() {
	o.of.mu.Lock()
	defer o.of.mu.Unlock()
	if o.standing == working {
		o.standing = idle
	}
}

// Rests notes that a connection of [Bound] has no request now.
func Rests(conn net.Conn) {
	if o, ok := conn.(*connection); ok {
		o.rests()
	}
}

// connectionKey is the context key of a request's connection.
type connectionKey struct{}

// With puts a connection into the context of its requests, for [Shown].
func With(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connectionKey{}, conn)
}

// Shown notes that a request has shown a token.
func Shown(r *http.Request) {
	if o, ok := r.Context().Value(connectionKey{}).(*connection); ok {
		o.works()
	}
}
