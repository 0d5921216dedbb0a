package comm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"sync"
	"time"

	"shelly/runtime/access"
	"shelly/runtime/comm/listener"
	"shelly/runtime/failpoint"
)

// The UDP listener's own bounds.
const (
	// WatchesMax is how many requests wait for their reply at once.
	WatchesMax = 256
	// inboxMax is how many requests may wait to be accepted. Each is at most one
	// datagram, so this is at most 16 MB.
	inboxMax = 256
)

// UDPOptions sets a UDP listener up. Token and RequestBytesMax are required.
type UDPOptions struct {
	Token           string
	Clients         *access.Clients // the clients with tokens of their own; nil: none
	RequestBytesMax int             // of a datagram; at most DatagramBytesMax counts
	WatchesMax      int             // 0: the constant of this name
	Counters        *Counters       // nil: its own
	Log             *slog.Logger    // nil: none
}

// UDP is the UDP listener.
type UDP struct {
	front  Front
	o      UDPOptions
	secret secret
}

// NewUDP returns a listener for front, to be served with [UDP.Serve].
func NewUDP(front Front, o UDPOptions) (*UDP, error) {
	s, err := newSecret(o.Token)
	if err != nil {
		return nil, err
	}
	if o.RequestBytesMax < 1 {
		return nil, fmt.Errorf("the request limit is %d bytes and must be positive", o.RequestBytesMax)
	}
	o.RequestBytesMax = min(o.RequestBytesMax, DatagramBytesMax)
	if o.WatchesMax < 1 {
		o.WatchesMax = WatchesMax
	}
	if o.Counters == nil {
		o.Counters = &Counters{}
	}
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	return &UDP{front: Owned(front), o: o, secret: s}, nil
}

// letter is a request and the address for its answers.
type letter struct {
	from    netip.AddrPort
	caller  Caller
	alive   context.Context // ends when the caller's token is revoked; nil: it cannot be
	request Request
}

// watchKey identifies a watch: a sender gets each event of a request once, however often it
// asks.
type watchKey struct {
	from netip.AddrPort
	of   string // the principal
	id   string
}

// post is one Serve: a socket and what is open on it.
type post struct {
	*UDP
	conn  *net.UDPConn
	inbox chan letter

	mu      sync.Mutex
	watches map[watchKey]struct{} // open, or about to be
	running sync.WaitGroup        // watches and the accepting goroutine
}

// Serve answers on conn, a loopback address, until ctx ends. It closes conn, and
// returns once everything it started has ended; nil if it was ctx that ended it.
//
// One goroutine reads and one accepts, so requests are accepted in the order of
// arrival, and a sender hears that shelly is busy while another request is being
// made durable.
func (u *UDP) Serve(ctx context.Context, conn *net.UDPConn) error {
	defer func() { _ = conn.Close() }()
	if err := listener.Loopback(conn.LocalAddr().String()); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	p := &post{UDP: u, conn: conn, inbox: make(chan letter, inboxMax), watches: map[watchKey]struct{}{}}
	defer p.running.Wait()
	defer cancel()
	p.running.Go(func() { p.acceptAll(ctx) })
	wake := context.AfterFunc(ctx, func() { _ = conn.SetReadDeadline(time.Unix(1, 0)) })
	defer wake()
	err := p.readAll()
	if ctx.Err() != nil {
		return nil
	}
	return fmt.Errorf("read UDP on %s: %w", conn.LocalAddr(), err)
}

// readAll reads until the socket fails. Its buffer is longer than the longest
// datagram, so that a datagram that was cut cannot pass for a whole one.
func (p *post) readAll() error {
	buffer := make([]byte, 1<<16)
	for {
		n, from, err := p.conn.ReadFromUDPAddrPort(buffer)
		if err != nil {
			return err
		}
		p.receive(buffer[:n], from)
	}
}

// receive sorts out what is not a request of the token's holder. Nothing is
// answered before the token is proved (COM-2, COM-3, COM-6).
func (p *post) receive(data []byte, from netip.AddrPort) {
	if !from.Addr().Unmap().IsLoopback() { // even with a token: its answers would leave the machine
		p.o.Counters.foreign.Add(1)
		return
	}
	if len(data) == 0 {
		p.o.Counters.empty.Add(1)
		return
	}
	id, token, readable := claim(data)
	if !readable {
		p.o.Counters.malformed.Add(1)
		return
	}
	caller, alive := p.caller(token)
	if !caller.May(access.Ask) {
		p.o.Counters.badTokens.Add(1)
		return
	}
	request, err := decodeDatagram(data, caller.Name, p.o.RequestBytesMax)
	if err != nil {
		p.refuse(from, id, err)
		return
	}
	select {
	case p.inbox <- letter{from, caller, alive, request}:
	default:
		p.o.Counters.refused.Add(1)
		p.refuse(from, id, busyListening("requests"))
	}
}

// caller is whose token it is. A caller without the right to ask is unknown over UDP.
func (u *UDP) caller(token string) (Caller, context.Context) {
	if u.secret.is(token) {
		return Local(), nil
	}
	client, alive, _ := u.o.Clients.Find(token)
	return Caller{Name: client.Name, Rights: client.Can}, alive
}

func (p *post) acceptAll(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case l := <-p.inbox:
			p.accept(ctx, l)
		}
	}
}

// accept makes a request durable, acknowledges it, and watches it for its reply.
// The place for the watch is taken first, because "busy" means that nothing has
// happened.
func (p *post) accept(ctx context.Context, l letter) {
	l.caller.counters = p.o.Counters
	key, ctx := l.request.Key, WithCaller(ctx, l.caller)
	watch := watchKey{l.from, key.Principal, key.ID}
	added, err := p.open(watch)
	if err != nil {
		p.o.Counters.refused.Add(1)
		p.refuse(l.from, key.ID, err)
		return
	}
	a, err := p.front.Accept(ctx, l.request)
	failpoint.Hit(failpoint.UDPAccepted)
	switch {
	case err != nil:
		if ProblemOf(err).Code == CodeInternal {
			p.o.Log.Error("could not accept a request", "error", err)
		}
		p.refuse(l.from, key.ID, err)
	case a.Request.Done:
		p.send(l.from, encodeReply(key.ID, replyOf(a.Request)))
	default:
		p.send(l.from, encode(Datagram{ID: key.ID, Type: DatagramAccepted}))
		if added {
			p.running.Go(func() { p.watch(ctx, watch, l) })
		}
		return
	}
	if added {
		p.close(watch)
	}
}

// open takes a place for a watch, unless the sender has one for this id.
func (p *post) open(w watchKey) (added bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, ok := p.watches[w]; ok {
		return false, nil
	}
	if len(p.watches) >= p.o.WatchesMax {
		return false, busyListening("requests")
	}
	p.watches[w] = struct{}{}
	return true, nil
}

func (p *post) close(w watchKey) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.watches, w)
}

// watch sends a request's notices (COM-9, HND-37) and its reply.
func (p *post) watch(ctx context.Context, w watchKey, l letter) {
	defer p.close(w)
	if l.alive != nil {
		revoked, cancel := context.WithCancel(ctx)
		defer context.AfterFunc(l.alive, cancel)()
		defer cancel()
		ctx = revoked
	}
	_, err := follow(ctx, p.front, l.request.Key, nil, pulse{}, func(e Event) error {
		switch e.Type {
		case EventQueued:
			p.send(l.from, encode(Datagram{ID: w.id, Type: DatagramQueued, Ahead: e.Ahead}))
		case EventHeld:
			p.send(l.from, encode(Datagram{ID: w.id, Type: DatagramHeld}))
		case EventDeferred:
			p.send(l.from, encode(Datagram{ID: w.id, Type: DatagramDeferred}))
		case EventReply:
			p.close(w) // before the sender gets the reply: its next request finds the place free
			failpoint.Hit(failpoint.UDPReplyBefore)
			p.send(l.from, encodeReply(w.id, e))
			failpoint.Hit(failpoint.UDPReplyAfter)
		}
		return nil
	})
	if err != nil && !errors.Is(err, context.Canceled) {
		p.o.Log.Error("could not watch a request", "error", err)
	}
}

func (p *post) refuse(to netip.AddrPort, id string, err error) {
	problem := ProblemOf(err)
	p.o.Counters.misread(problem.Code.Status())
	p.send(to, encode(Datagram{
		ID: id, Type: DatagramError, Content: problem.Message + ": " + problem.Hint, IsError: true, Code: problem.Code,
	}))
}

// send writes one datagram. One that is lost is asked for again.
func (p *post) send(to netip.AddrPort, data []byte) {
	if _, err := p.conn.WriteToUDPAddrPort(data, to); err != nil {
		p.o.Counters.unsent.Add(1)
	}
}
