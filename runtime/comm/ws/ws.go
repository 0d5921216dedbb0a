package ws

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/coder/websocket"

	"shelly/fsm"
	"shelly/runtime/access"
	"shelly/runtime/comm"
)

// Route is the path of the WebSocket.
const Route = "/v1/ws"

// Protocol is the subprotocol that a browser names besides the one that holds its token.
const Protocol = "shelly"

// Bounds.
const (
	Max        = 64 // connections
	FollowsMax = 64 // requests that a connection follows at once

	pingEvery   = 15 * time.Second
	partTimeout = time.Second // for the last frames, and for the client's answer to the close frame
)

// Options sets it up. BytesMax is required.
type Options struct {
	BytesMax     int           // of a frame
	WriteTimeout time.Duration // for one frame, and for the answer to a ping; 0: 10 s
	PingEvery    time.Duration // 0: 15 s
	Log          *slog.Logger  // nil: none
}

type server struct {
	front comm.Front
	o     Options
	open  chan struct{} // a token per connection
}

// New returns the route.
func New(front comm.Front, o Options) comm.Route {
	o.WriteTimeout = cmp.Or(o.WriteTimeout, 10*time.Second)
	o.PingEvery = cmp.Or(o.PingEvery, pingEvery)
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	s := &server{front: comm.Owned(front), o: o, open: make(chan struct{}, Max)}
	return comm.Route{Method: http.MethodGet, Pattern: Route, Right: access.Ask, Page: true, Handle: s.serve}
}

// serve answers on one connection until it ends. Its origin and token have been checked by
// then.
func (s *server) serve(w http.ResponseWriter, r *http.Request) error {
	select {
	case s.open <- struct{}{}:
		defer func() { <-s.open }()
	default:
		return &comm.Problem{Code: comm.CodeBusy, Message: "too many WebSockets are open already", Hint: "one is enough for many requests"}
	}
	if r.Header.Get("Upgrade") == "" {
		return &comm.Problem{Code: comm.CodeBadRequest, Message: "this route is a WebSocket", Hint: "ask with a client for WebSockets"}
	}
	greeting := &handshake{ResponseWriter: w}
	conn, err := websocket.Accept(greeting, r, &websocket.AcceptOptions{Subprotocols: []string{Protocol}, InsecureSkipVerify: true})
	switch {
	case err != nil && !greeting.begun:
		return &comm.Problem{Code: comm.CodeBadRequest, Message: err.Error(), Hint: "ask with a client for WebSockets (RFC 6455)"}
	case err != nil:
		return nil // the client has gone
	}
	defer func() { _ = conn.CloseNow() }()
	conn.SetReadLimit(int64(s.o.BytesMax))
	life, drop := context.WithCancel(context.WithoutCancel(r.Context()))
	defer drop()
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	l := &link{server: s, conn: conn, life: life, follows: map[fsm.RequestKey]*following{}}
	defer l.running.Wait()
	defer l.told.Wait()
	defer drop()
	defer cancel()
	l.running.Go(func() { l.ping(drop) })
	defer context.AfterFunc(ctx, func() { l.part(ctx, drop) })()
	if err := l.read(ctx); ctx.Err() == nil {
		s.o.Log.Debug("a WebSocket has ended", "error", err)
		for text, says := range violations { // order-free: an error has one of them
			if strings.Contains(err.Error(), text) {
				_ = conn.Close(websocket.StatusProtocolError, says)
			}
		}
	}
	return nil
}

// part sends what is ready of the followed requests and then says why the connection ends, once ctx
// has ended.
func (l *link) part(ctx context.Context, drop func()) {
	defer drop()
	defer time.AfterFunc(partTimeout, drop).Stop()
	l.mu.Lock()
	l.parting = true
	l.mu.Unlock()
	l.told.Wait()
	code, reason := websocket.StatusGoingAway, "shelly is stopping"
	if p, ok := errors.AsType[*comm.Problem](comm.Ended(ctx, nil)); ok {
		code, reason = websocket.StatusPolicyViolation, p.Message
	}
	_ = l.conn.Close(code, reason) // an error means that the client has gone
}

// handshake keeps back the library's answer to a request that begins no WebSocket, which is not a
// [comm.Problem].
type handshake struct {
	http.ResponseWriter
	begun bool // the protocols are switched
}

// WriteHeader implements [http.ResponseWriter].
func (h *handshake) WriteHeader(status int) {
	if h.begun = status == http.StatusSwitchingProtocols; h.begun {
		h.ResponseWriter.WriteHeader(status)
	}
}

// Write implements [http.ResponseWriter].
func (h *handshake) Write(p []byte) (int, error) {
	if !h.begun {
		return len(p), nil
	}
	return h.ResponseWriter.Write(p)
}

// Unwrap is for [http.NewResponseController].
func (h *handshake) Unwrap() http.ResponseWriter { return h.ResponseWriter }

// violations are in the library's errors for those of the protocol after which it sends no close
// frame, each with the reason (RFC 6455, 5.1 and 5.2).
var violations = map[string]string{"unmasked frame": "a client's frames are masked", "negative payload length": "the frame's length is beyond 63 bits"}

// ping drops a client that no longer answers.
func (l *link) ping(drop func()) {
	ticks := time.NewTicker(l.o.PingEvery)
	defer ticks.Stop()
	for {
		select {
		case <-l.life.Done():
			return
		case <-ticks.C:
		}
		within, cancel := context.WithTimeout(l.life, l.o.WriteTimeout)
		err := l.conn.Ping(within)
		cancel()
		if err != nil {
			drop()
			return
		}
	}
}

// send writes a frame. A client that does not read it is dropped.
func (l *link) send(v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	within, cancel := context.WithTimeout(l.life, l.o.WriteTimeout)
	defer cancel()
	if err := l.conn.Write(within, websocket.MessageText, data); err != nil {
		return errors.Join(err, l.conn.CloseNow())
	}
	return nil
}
