// Package asking lets the tests of fronts send requests as a client does: over HTTP, through the
// listener's guard, to a front that the test drives by hand.
package asking

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"shelly/fsm"
	"shelly/runtime/access"
	"shelly/runtime/comm"
	"shelly/runtime/comm/fronttest"
)

// Token is the server's token.
const Token = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// guard ends a test that hangs.
const guard = 30 * time.Second

// Server is a listener with the routes of a front.
type Server struct {
	Front   *fronttest.Front
	clients *access.Clients // there are none to begin with
	t       *testing.T
	http    *httptest.Server
}

// Serve starts a server.
func Serve(t *testing.T, front *fronttest.Front, routes []comm.Route, dialect comm.Dialect) *Server {
	t.Helper()
	clients, err := access.Open(t.TempDir(), access.Options{})
	if err != nil {
		t.Fatal(err)
	}
	h, err := comm.NewHTTP(front, comm.HTTPOptions{Token: Token, Clients: clients, RequestBytesMax: 1 << 16, Routes: routes, Dialects: []comm.Dialect{dialect}})
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{Front: front, clients: clients, t: t, http: httptest.NewServer(h)}
	t.Cleanup(s.http.Close)
	return s
}

// Answer is a whole answer.
type Answer struct {
	Status int
	Header http.Header
	Body   string
}

// Ask sends a request with the token and with headers, given as name and value in turn. An
// Authorization among them replaces the token.
func (s *Server) Ask(method, path, body string, headers ...string) Answer {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), guard)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, s.http.URL+path, strings.NewReader(body))
	if err != nil {
		s.t.Error(err)
		return Answer{}
	}
	req.Header.Set("Authorization", "Bearer "+Token)
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
		if headers[i+1] == "" {
			req.Header.Del(headers[i])
		}
	}
	resp, err := s.http.Client().Do(req)
	if err != nil {
		s.t.Error(err)
		return Answer{}
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Error(err)
	}
	return Answer{resp.StatusCode, resp.Header, string(text)}
}

// Cut sends a request whose body ends before its length, and returns the status of the answer.
func (s *Server) Cut(method, path, body string) Answer {
	s.t.Helper()
	return s.raw(method, path, fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body)+1, body))
}

// Malform sends a request whose body has a chunk without a length, and returns the status of the answer.
func (s *Server) Malform(method, path string) int {
	s.t.Helper()
	return s.raw(method, path, "Transfer-Encoding: chunked\r\n\r\nhello\r\n0\r\n\r\n").Status
}

// raw sends a request with a last header and a body as they are, and then nothing more.
func (s *Server) raw(method, path, rest string) Answer {
	s.t.Helper()
	conn, err := net.Dial("tcp", s.http.Listener.Addr().String())
	if err != nil {
		s.t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(guard))
	fmt.Fprintf(conn, "%s %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n%s",
		method, path, conn.RemoteAddr(), Token, rest)
	_ = conn.(*net.TCPConn).CloseWrite()
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return Answer{Status: resp.StatusCode, Body: string(body)}
}

// Meanwhile asks, and calls happens with the key of the n-th accepted request once that is
// being watched.
func (s *Server) Meanwhile(n int, happens func(key fsm.RequestKey), method, path, body string, headers ...string) Answer {
	s.t.Helper()
	answered := make(chan Answer, 1)
	go func() { answered <- s.Ask(method, path, body, headers...) }()
	ctx, cancel := context.WithTimeout(context.Background(), guard)
	defer cancel()
	if err := s.Front.Await(ctx, func(seen fronttest.Seen) bool { return len(seen.Requests) >= n && seen.Watching > 0 }); err != nil {
		s.t.Fatalf("nobody watches: %v; %+v", err, <-answered)
	}
	happens(s.Front.Seen().Requests[n-1].Key)
	return <-answered
}

// Revoked asks with a token of its own, which is revoked once the request is being watched.
func (s *Server) Revoked(method, path, body string, headers ...string) Answer {
	s.t.Helper()
	const name = "ci"
	token, err := s.clients.Add(name, access.Rights{access.Ask})
	if err != nil {
		s.t.Fatal(err)
	}
	return s.Meanwhile(1, func(fsm.RequestKey) {
		if taken, err := s.clients.Revoke(name); err != nil || !taken {
			s.t.Error(taken, err)
		}
	}, method, path, body, append(headers, "Authorization", "Bearer "+token)...)
}
