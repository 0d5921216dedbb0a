package mcp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"shelly/fsm/wording"
	"shelly/runtime/clock"
	"shelly/runtime/mcp/wire"
)

// session is a connection to a server that has greeted.
type session struct {
	client   *sdk.ClientSession
	tasks    *wire.Client
	dropped  *wire.Dropped
	link     link
	changed  chan struct{}           // signals that its list has changed
	listened atomic.Int32            // how often it has begun to listen
	end      context.CancelCauseFunc // ends the connection
	ended    context.Context         // done once the connection has ended

	mu      *sync.Mutex // of all sessions of the server: a call may be on two
	flights []*flight
	silent  int // calls in a row without an answer
}

// link carries the messages.
type link interface {
	transport() sdk.Transport
	used()             // a call begins or ends: what was written before does not count as a flood
	complaint() string // the end of a program's standard error
	contained() string // what contains a program
	close()
}

// flight is a call under way.
type flight struct {
	asks     chan *question // takes the only question to a person; nil: nobody can be asked
	unasked  string         // why nobody can be asked
	waits    bool           // for a person
	told     []string       // questions that were declined, and why
	task     string         // the task that it has become
	answered string         // the question to which a person said yes before a restart (TOL-100)
}

// olderVersion is the newest of the protocol's versions that begin with initialize.
const olderVersion = "2025-11-25"

// connect starts a server and greets it.
func (s *server) connect(ctx context.Context, end context.CancelCauseFunc, older bool) (*session, error) {
	l, err := s.open(ctx, end)
	if err != nil {
		return nil, err
	}
	n := &session{link: l, changed: make(chan struct{}, 1), end: end, ended: ctx, mu: &s.asking, dropped: &wire.Dropped{}}
	client := sdk.NewClient(&sdk.Implementation{Name: "shelly", Version: s.options.Version}, &sdk.ClientOptions{
		Logger:             slog.New(n.dropped),
		Capabilities:       &sdk.ClientCapabilities{Extensions: map[string]any{wire.Extension: map[string]any{}}},
		ElicitationHandler: n.elicited,
	})
	client.AddReceivingMiddleware(n.told) // with a handler the library would listen itself
	if n.tasks, err = wire.NewClient(client); err != nil {
		l.close()
		return nil, err
	}
	options := &sdk.ClientSessionOptions{}
	if older {
		options.ProtocolVersion = olderVersion
	}
	if n.client, err = s.greet(ctx, end, client, l, options); err != nil {
		l.close()
		if complaint := said(l.complaint()); !strings.HasSuffix(err.Error(), complaint) { // a program's end tells it, too
			err = fmt.Errorf("%w%s", err, complaint)
		}
		return nil, err
	}
	return n, nil
}

// told notes that the server's list of tools has changed, or may have before it was listened to
// again.
func (n *session) told(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		if method == "notifications/tools/list_changed" || method == "notifications/subscriptions/acknowledged" && n.listened.Add(1) > 1 {
			n.outdated()
		}
		return next(ctx, method, req)
	}
}

// outdated notes that the list of tools has to be read again.
func (n *session) outdated() {
	select {
	case n.changed <- struct{}{}:
	default:
	}
}

// listen listens to a server as long as the session lasts (TOL-93).
func (s *server) listen(ctx context.Context, n *session) {
	for wait := s.options.pace.least; wire.Listens(n.client); {
		begun := time.Now()
		err := n.tasks.Listen(ctx, n.client)
		var refused *jsonrpc.Error
		var un *wire.Unanswered
		if errors.As(err, &refused) || errors.As(err, &un) && un.Undone && !un.Gone && !un.Busy {
			return // it cannot be listened to
		}
		s.noticed(n, err)
		if time.Since(begun) >= s.options.pace.settled {
			wait = s.options.pace.least
		}
		if clock.Pause(ctx, wait) != nil {
			return
		}
		wait = min(2*wait, s.options.pace.most)
	}
}

// greet waits until the server has greeted, for as long as the pace allows.
func (s *server) greet(ctx context.Context, end context.CancelCauseFunc, client *sdk.Client, l link, options *sdk.ClientSessionOptions) (*sdk.ClientSession, error) {
	greeting, cancel := context.WithTimeout(ctx, s.options.pace.connect)
	defer cancel()
	type greeted struct {
		client *sdk.ClientSession
		err    error
	}
	result := make(chan greeted, 1)
	go func() { // it may keep waiting for a program that does not read, even after the greeting has failed
		c, err := client.Connect(greeting, l.transport(), options)
		if err == nil {
			go func() {
				ended := errEnded
				if err := c.Wait(); err != nil {
					ended = fmt.Errorf("%w: %w", errEnded, wire.Named(err))
				}
				end(fmt.Errorf("%w%s", ended, said(l.complaint())))
			}()
		}
		result <- greeted{c, err}
	}()
	var err error
	select {
	case g := <-result:
		if g.err == nil {
			return g.client, nil
		}
		err = g.err
	case <-greeting.Done():
		err = fmt.Errorf("it has not greeted within %v", s.options.pace.connect)
	}
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	return nil, err
}

// said returns a program's complaint in a form that can follow an error.
func said(complaint string) string {
	if complaint = strings.TrimSpace(complaint); complaint == "" {
		return ""
	}
	return ": " + wording.OneLine(wording.Tail(complaint, 300))
}

func (n *session) version() string {
	if r := n.client.InitializeResult(); r != nil {
		return r.ProtocolVersion
	}
	return ""
}

// close ends the connection.
func (n *session) close() {
	n.end(errEnded)
	n.link.close() // first, so that nothing waits for an answer any more
	_ = n.client.Close()
}

// during returns ctx bounded by the connection: without that, the library would wait for an
// answer even after the connection has ended.
func (n *session) during(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(n.ended, cancel)
	return ctx, func() {
		stop()
		cancel()
	}
}

// begin notes a call until done is called, which may happen more than once.
func (n *session) begin(f *flight) (done func()) {
	n.link.used()
	n.mu.Lock()
	defer n.mu.Unlock()
	n.flights = append(n.flights, f)
	return func() {
		n.link.used()
		n.mu.Lock()
		defer n.mu.Unlock()
		n.flights = slices.DeleteFunc(n.flights, func(other *flight) bool { return other == f })
	}
}

// silentMax is how many calls in a row a server may leave without an answer.
const silentMax = 2

// silence counts a call without an answer, or one with an answer, which resets the count; it
// returns how many calls in a row have had none.
func (n *session) silence(silent bool) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.silent++
	if !silent {
		n.silent = 0
	}
	return n.silent
}
