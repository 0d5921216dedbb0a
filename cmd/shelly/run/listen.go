package run

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/hindsight"
	"shelly/cmd/shelly/internal/openapi"
	"shelly/cmd/shelly/internal/past"
	"shelly/cmd/shelly/internal/version"
	"shelly/fsm"
	"shelly/runtime/access"
	"shelly/runtime/comm"
	"shelly/runtime/comm/client"
	"shelly/runtime/comm/listener"
	"shelly/runtime/comm/ws"
	"shelly/runtime/descriptor"
	"shelly/runtime/page"
	"shelly/runtime/process"
	"shelly/runtime/store"
)

// enoughDescriptors refuses a start that could never serve (CFG-15).
func enoughDescriptors() error {
	if n := descriptor.Max(); n < descriptor.Least {
		return exit.With(exit.Usage, fmt.Errorf("too many open files: at most %d may be open, and a start needs %d; raise the limit with ulimit -n", n, descriptor.Least))
	}
	return nil
}

// listen binds the listeners, writes their addresses to the data folder, and serves until ctx
// ends.
func (s *starting) listen(ctx context.Context) error {
	token, err := client.EnsureToken(s.cfg.Data)
	if err != nil {
		return exit.With(exit.Data, fmt.Errorf("%w%s", err, store.Advice(err)))
	}
	if n := descriptor.Max(); n < descriptor.Enough {
		s.log.Warn("few files may be open at once, so connections and tools will have to wait; raise the limit with ulimit -n", "limit", n, "enough", descriptor.Enough)
	}
	clients, err := access.Open(s.cfg.Data, access.Options{Log: s.log})
	if err != nil {
		return exit.With(exit.Data, fmt.Errorf("%w%s", err, store.Advice(err)))
	}
	s.secrets.Add(s.cfg)
	at := client.Endpoint{PID: os.Getpid(), Start: process.Started(os.Getpid()), Version: version.Text()}
	counters := &comm.Counters{}
	if err := s.listenHTTP(ctx, &at, token, clients, counters); err != nil {
		return err
	}
	conn, err := s.bindUDP()
	if err != nil {
		return err
	}
	if conn != nil {
		u, err := comm.NewUDP(s.front(), comm.UDPOptions{
			Token: token, Clients: clients, RequestBytesMax: int(s.cfg.RequestBytesMax), Counters: counters, Log: s.log,
		})
		if err != nil {
			return errors.Join(err, conn.Close())
		}
		at.UDP = conn.LocalAddr().String()
		s.serve(ctx, func(ctx context.Context) error { return u.Serve(ctx, conn) })
	}
	if err := client.WriteEndpoint(s.cfg.Data, at); err != nil {
		return exit.With(exit.Data, err)
	}
	s.later(func() error { return client.RemoveEndpoint(s.cfg.Data, at) })
	s.log.Info("listening", "http", at.HTTP, "udp", at.UDP, "unix", at.Unix, "data", s.cfg.Data, "workspace", s.cfg.Workspace)
	return nil
}

// front is the daemon for clients that name chats.
func (s *starting) front() comm.Front {
	return addressed{s.daemon, func(to fsm.Origin) fsm.Origin { return s.chats.Load().Named(to) }}
}

// routes returns the routes that other packages make: of the past, events, channels and the
// WebSocket.
func (s *starting) routes() []comm.Route {
	routes := slices.Concat(hindsight.Routes(s.hindsight), s.eventRoutes(), s.channels.Routes())
	return append(routes, ws.New(s.front(), ws.Options{BytesMax: int(s.cfg.RequestBytesMax), Log: s.log}))
}

// listenHTTP binds the addresses and sockets of HTTP, which all answer alike.
func (s *starting) listenHTTP(ctx context.Context, at *client.Endpoint, token string, clients *access.Clients, counters *comm.Counters) error {
	var bound []net.Listener
	if s.cfg.Comm.HTTP != "" {
		l, err := s.bind()
		if err != nil {
			return err
		}
		at.HTTP, bound = l.Addr().String(), append(bound, l)
	}
	l, err := s.socket()
	if err != nil {
		for _, one := range bound {
			err = errors.Join(err, one.Close())
		}
		return err
	}
	if l != nil {
		at.Unix, bound = l.Addr().String(), append(bound, l)
	}
	if len(bound) == 0 {
		return nil
	}
	site := page.New(page.Options{Log: s.log})
	s.hindsight.Show = site.Show
	fronts := s.fronts()
	described := &openapi.Served{Version: version.Text()}
	h, err := comm.NewHTTP(s.front(), comm.HTTPOptions{
		Token: token, Clients: clients, RequestBytesMax: int(s.cfg.RequestBytesMax), Counters: counters, Log: s.log, Memory: s.memory, Sessions: s.sessions, Past: past.Told, Complete: s.complete,
		Page: site, Routes: slices.Concat(s.routes(), fronts.routes, []comm.Route{described.Route()}), Dialects: fronts.dialects,
		Metrics: s.metrics.Serve,
	})
	if err == nil {
		err = described.Of(h.Routes())
	}
	for _, one := range bound {
		if err != nil {
			err = errors.Join(err, one.Close())
			continue
		}
		s.serve(ctx, func(ctx context.Context) error { return h.Serve(ctx, one) })
	}
	return err
}

// socket returns the Unix socket: one that the supervisor has passed, or one at the configured
// path; nil if there is to be none. A default path that is too long for a socket does not
// prevent the start.
func (s *starting) socket() (net.Listener, error) {
	if s.passed.Unix != nil {
		return s.passed.Unix, nil
	}
	path := s.cfg.Comm.Unix
	if path == "off" || runtime.GOOS == "windows" {
		return nil, nil
	}
	named := filepath.IsAbs(path)
	if !named {
		path = filepath.Join(s.cfg.Data, path)
	}
	l, err := listener.Unix(path)
	if errors.Is(err, listener.ErrPath) && !named {
		s.log.Info("there is no Unix socket; comm.unix can name a shorter path", "error", err)
		return nil, nil
	}
	if advice := store.Advice(err); err != nil && !named && advice != "" {
		return nil, exit.Errorf(exit.Data, "cannot write into the data folder: %w%s", err, advice)
	}
	if err != nil {
		return nil, exit.With(exit.Usage, fmt.Errorf("%w; name another path with --set comm.unix=PATH, or off", err))
	}
	return l, nil
}

// complete adds to a status what the process and its data folder take (COM-53).
func (s *starting) complete(st *comm.Status) {
	st.Errors = s.recent.Lines()
	if spent := s.spent.Now(); spent.Calls > 0 {
		st.Spent = &spent
	}
	st.Events, st.Channels, st.MCP = s.watching(), s.channels.Status(), borrowed(s.servers.States())
	st.Process = &comm.Process{PID: os.Getpid(), Resident: process.Resident(os.Getpid())}
	u, err := s.usage()
	if err != nil {
		s.log.Debug("the size of the store is not known", "error", err)
		return
	}
	st.Disk = &comm.Disk{Store: u.Bytes, Free: u.Free, Reserve: u.Reserve}
}

// serve runs a listener until close. If it ends before that, the daemon ends: a deaf daemon
// would look alive to a process supervisor.
func (s *starting) serve(ctx context.Context, listen func(context.Context) error) {
	s.beside(ctx, func(ctx context.Context) error {
		err := listen(ctx)
		if ctx.Err() == nil {
			s.fail(fmt.Errorf("a listener failed: %w", err))
			err = nil // the daemon's end reports it
		}
		return err
	})
}
