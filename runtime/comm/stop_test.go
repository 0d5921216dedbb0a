package comm_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"shelly/runtime/access"
	"shelly/runtime/comm"
	"shelly/runtime/comm/fronttest"
)

// pipes is a listener whose connections are in memory, as if at a socket in the file system.
type pipes struct {
	dialled chan net.Conn
	closed  chan struct{}
	once    sync.Once
}

func newPipes() *pipes {
	return &pipes{dialled: make(chan net.Conn), closed: make(chan struct{})}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-p.dialled:
		return conn, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "shelly", Net: "unix"} }

// dial sends a request and reads what comes until the connection ends.
func (p *pipes) dial(header string) {
	here, there := net.Pipe()
	p.dialled <- pipe{there, p}
	go func() { _, _ = io.Copy(io.Discard, here) }()
	_, _ = fmt.Fprintf(here, "GET /v1/slow HTTP/1.1\r\nHost: shelly\r\nAuthorization: Bearer %s\r\n%s\r\n", token, header)
}

type pipe struct {
	net.Conn
	of *pipes
}

func (p pipe) LocalAddr() net.Addr { return p.of.Addr() }

// Serve returns after the last answer, even if that goes on after its connection was closed, or was
// taken over as a WebSocket's is: what the daemon closes next is still in use until then.
func TestServeReturnsOnceEveryAnswerHasEnded(t *testing.T) {
	for _, header := range []string{"", "Connection: Upgrade\r\nUpgrade: websocket\r\n"} {
		synctest.Test(t, func(t *testing.T) {
			begun, release := make(chan struct{}), make(chan struct{})
			slow := func(w http.ResponseWriter, r *http.Request) error {
				if r.Header.Get("Upgrade") != "" {
					conn, _, err := http.NewResponseController(w).Hijack()
					if err != nil {
						return err
					}
					defer conn.Close()
				}
				close(begun)
				<-release
				return nil
			}
			h, err := comm.NewHTTP(fronttest.New(), comm.HTTPOptions{
				Token: token, RequestBytesMax: 4096, Routes: []comm.Route{{Method: http.MethodGet, Pattern: "/v1/slow", Right: access.Ask, Handle: slow}},
			})
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			l, ended := newPipes(), make(chan error, 1)
			go func() { ended <- h.Serve(ctx, l) }()
			l.dial(header)
			<-begun
			cancel()
			time.Sleep(time.Minute) // of the bubble's time: longer than anything is waited for
			select {
			case err := <-ended:
				t.Errorf("%q: Serve has returned %v while an answer goes on", header, err)
				ended <- err
			default:
			}
			close(release)
			if err := <-ended; err != nil {
				t.Errorf("%q: Serve: %v", header, err)
			}
		})
	}
}
