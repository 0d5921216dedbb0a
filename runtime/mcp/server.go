package mcp

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"shelly/fsm/wording"
	"shelly/runtime/clock"
	"shelly/runtime/mcp/wire"
)

// server is one server, which is kept up.
type server struct {
	options Options
	config  Server
	cancel  context.CancelCauseFunc
	done    chan struct{}
	tried   chan struct{} // closed after the first attempt to start it
	once    sync.Once

	asking   sync.Mutex // guards the calls and questions of its sessions
	mu       sync.Mutex
	session  *session // nil: it is not up
	tools    []declared
	oddities []string         // what was odd about its tools when they were last listed
	held     map[string]*held // calls that wait for a person, by their keys
	err      error
}

// start starts keeping a server up.
func start(o Options, c Server) *server {
	ctx, cancel := context.WithCancelCause(context.Background())
	s := &server{options: o, config: c, cancel: cancel, done: make(chan struct{}), tried: make(chan struct{})}
	go func() {
		defer close(s.done)
		s.keep(ctx)
	}()
	return s
}

// errUnlisted is why a server is ended that is no longer configured, or no longer as it was.
var errUnlisted = errors.New("a reload has changed or removed its settings, and so shelly has ended it")

// errClosing is why servers are ended when shelly stops.
var errClosing = errors.New("shelly is stopping")

// stop ends a server.
func (s *server) stop(why error) {
	s.cancel(why)
	<-s.done
}

// keep restarts a server whenever it has ended, until ctx ends (TOL-95). Servers that
// know only the protocol's older versions may not answer the newer greeting, so each attempt
// after a failed greeting begins with the other of the two.
func (s *server) keep(ctx context.Context) {
	wait, older := s.options.pace.least, false
	var said []string // the reasons in the log since it was up
	for {
		begun := time.Now()
		greeted, err := s.serve(ctx, older)
		s.down(err)
		if ctx.Err() != nil {
			return
		}
		if greeted && time.Since(begun) >= s.options.pace.settled {
			wait = s.options.pace.least
			if gone(err) { // servers forget sessions that are idle, and a call waits for the next
				continue
			}
		}
		if greeted {
			said = nil
		} else {
			older = !older
		}
		// A server that is missing for a week must not fill the log, whatever port or process a reason names.
		if why := wording.Numberless(err.Error()); !slices.Contains(said, why) {
			s.options.Log.Warn("an MCP server is down", "server", s.config.Name, "error", err, "again_in", wait)
			said = append(said[max(0, len(said)+1-saidMax):], why)
		}
		if clock.Pause(ctx, wait) != nil {
			return
		}
		wait = min(2*wait, s.options.pace.most)
	}
}

// gone reports whether a server at an address has ended because it does not know the session any more, or
// could not be reached.
func gone(err error) bool {
	un, is := errors.AsType[*wire.Unanswered](err)
	return is && un.Gone
}

// saidMax is how many reasons are remembered as logged: a few, as they may differ by the moment at
// which a server ended.
const saidMax = 8

// errEnded means that a server ended unasked.
var errEnded = errors.New("it has ended")

// serve runs a server until it ends, and reports whether it greeted.
func (s *server) serve(ctx context.Context, older bool) (greeted bool, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	n, err := s.connect(ctx, cancel, older)
	if err != nil {
		return false, err
	}
	defer n.close()
	go s.listen(ctx, n)
	tools, err := s.listed(ctx, n)
	if err != nil {
		return false, err
	}
	s.up(n, tools)
	wait, read := time.Duration(0), time.Now()
	for {
		select {
		case <-ctx.Done():
			return true, context.Cause(ctx)
		case <-n.changed:
		}
		wait = s.options.pace.again(wait, time.Since(read))
		if err := clock.Pause(ctx, wait); err != nil {
			return true, context.Cause(ctx)
		}
		tools, err := s.listed(ctx, n)
		switch {
		case err == nil:
			s.up(n, tools)
		case answered(err): // calls that are under way go on
			s.options.Log.Warn("an MCP server's tools cannot be listed again", "server", s.config.Name, "error", err)
			n.outdated()
		default:
			return true, err
		}
		read = time.Now()
	}
}

// answered reports whether the server, or what is before it, has refused a request, so that the
// session goes on.
func answered(err error) bool {
	var refused *jsonrpc.Error
	var un *wire.Unanswered
	return errors.As(err, &refused) || errors.As(err, &un) && !un.Gone
}

// up makes a session and its tools known.
func (s *server) up(n *session, tools []declared) {
	s.mu.Lock()
	changed := !reflect.DeepEqual(s.tools, tools)
	s.session, s.tools, s.err = n, tools, nil
	s.mu.Unlock()
	s.options.Log.Info("an MCP server is up", "server", s.config.Name, "tools", len(tools), "protocol", n.version())
	if changed {
		s.options.Changed()
	}
	s.once.Do(func() { close(s.tried) })
}

// down makes known that a server is not up. Its tools stay offered.
func (s *server) down(err error) {
	s.mu.Lock()
	s.session, s.err = nil, err
	s.mu.Unlock()
	s.once.Do(func() { close(s.tried) })
}

// lost ends a session from which no answer can be expected, so that no further call
// waits for one.
func (s *server) lost(n *session, err error) {
	s.mu.Lock()
	if s.session == n {
		s.session, s.err = nil, err
	}
	s.mu.Unlock()
	n.end(err)
}

func (s *server) declared() []declared {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tools
}

// current returns the session, or an error that says why there is none.
func (s *server) current() (*session, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.session == nil && s.err == nil {
		return nil, errors.New("it has not started yet")
	}
	return s.session, s.err
}

func (s *server) state() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	return State{Name: s.config.Name, Up: s.session != nil, Tools: len(s.tools), Odd: slices.Clone(s.oddities), Err: s.err}
}
