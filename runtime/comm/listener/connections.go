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

// The bounds of the connections of a listener (COM-19). A process that may have few files
// open takes fewer: what is left after its own, and half of that.
const (
	ConnectionsMax = 512
	StrangersMax   = 64 // of those, on which no token was shown

	ownDescriptors = 48 // of the daemon itself: the store, a command, the model
	connectionsMin = 4
)

// For is how many connections a process may have, given how many files it may open.
func For(descriptors int) int {
	return max(connectionsMin, min(ConnectionsMax, (descriptors-ownDescriptors)/2))
}

// connections is a listener that bounds what is open. For a new connection the oldest one
// makes room on which no token was shown, or else the idle one whose last request is the
// longest ago; where all are at work, the new one waits.
type connections struct {
	net.Listener
	most, strangersMost int

	mu     sync.Mutex
	open   []*connection // in the order of their last requests, or of their coming
	left   chan struct{} // has a value once one was closed
	closed chan struct{}
	once   sync.Once
}

// Bound bounds the connections of a listener to most.
func Bound(l net.Listener, most int) net.Listener {
	return &connections{
		Listener: l, most: most, strangersMost: min(StrangersMax, most/2),
		left: make(chan struct{}, 1), closed: make(chan struct{}),
	}
}

// standing is what a connection is good for.
type standing int

const (
	stranger standing = iota // no token was shown on it
	idle                     // between two requests
	working
)

// connection is one of a bounded number.
type connection struct {
	net.Conn
	of       *connections
	standing standing // guarded by of.mu
	gone     bool     // guarded by of.mu
}

// Accept implements [net.Listener]. Having no descriptor left is a wait (CFG-15).
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

// shortWait bounds a wait for a descriptor, which something else may give back.
const shortWait = 100 * time.Millisecond

// wait waits for a connection to end, for a moment, and is false once the listener is
// closed.
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

// take takes a connection in, in place of a stranger where there are too many of them.
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
	if strangers > c.strangersMost {
		_ = oldest.Close()
	}
	return taken
}

// giveUpOne closes the connection that matters least, and is false where all are at work.
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

// works notes that a request has come on a connection that is known.
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

// connectionKey is where a request's context holds its connection.
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
