package mcp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"shelly/fsm/wording"
	"shelly/runtime/mcp/wire"
)

// session is a connection to a server that has greeted.
type session struct {
	client  *sdk.ClientSession
	tasks   *wire.Client
	link    link
	changed chan struct{}           // its list has changed
	end     context.CancelCauseFunc // ends the connection
	ended   context.Context         // is done once that is so

	mu      *sync.Mutex // of all sessions of the server: a call may be on two
	flights []*flight
	silent  int // calls in a row that had no answer
}

// link is what carries the messages.
type link interface {
	transport() sdk.Transport
	used()             // a call begins or ends: what came before is no flood
	complaint() string // what a program has said to standard error last
	contained() string // what contains a program
	close()
}

// flight is a call that is under way.
type flight struct {
	asks     chan *question // takes the one question that a person is asked; nil: nobody can be
	waits    bool           // for a person
	told     []string       // questions that were declined
	task     string         // the task that it has become
	answered string         // the question that a person has said yes to before a restart (TOL-100)
}

// olderVersion is the newest of the protocol's versions that begin with initialize.
const olderVersion = "2025-11-25"

// connect starts a server and greets it.
func (s *server) connect(ctx context.Context, end context.CancelCauseFunc, older bool) (*session, error) {
	l, err := s.open(ctx, end)
	if err != nil {
		return nil, err
	}
	n := &session{link: l, changed: make(chan struct{}, 1), end: end, ended: ctx, mu: &s.asking}
	client := sdk.NewClient(&sdk.Implementation{Name: "shelly", Version: s.options.Version}, &sdk.ClientOptions{
		Logger:             slog.New(slog.DiscardHandler),
		Capabilities:       &sdk.ClientCapabilities{Extensions: map[string]any{wire.Extension: map[string]any{}}},
		ElicitationHandler: n.elicited,
		ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) {
			select {
			case n.changed <- struct{}{}:
			default:
			}
		},
	})
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
		return nil, fmt.Errorf("%w%s", err, said(l.complaint()))
	}
	return n, nil
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
	go func() { // it may wait for a program that reads nothing, however greeting ends
		c, err := client.Connect(greeting, l.transport(), options)
		if err == nil {
			go func() {
				err := c.Wait()
				end(fmt.Errorf("%w%s", errors.Join(errEnded, err), said(l.complaint())))
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

// said puts what a program has complained of after an error.
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
	n.link.close() // first, so that nothing waits for an answer
	_ = n.client.Close()
}

// during is ctx as long as the connection lasts: the library waits for what was asked on one
// that has ended.
func (n *session) during(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(n.ended, cancel)
	return ctx, func() {
		stop()
		cancel()
	}
}

// begin notes a call, and the function that it returns its end, which may come twice.
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

// silence returns how many calls in a row had no answer, after one more that had or not.
func (n *session) silence(silent bool) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.silent++
	if !silent {
		n.silent = 0
	}
	return n.silent
}
