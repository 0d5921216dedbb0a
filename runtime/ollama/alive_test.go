package ollama_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"testing"
	"time"

	"shelly/runtime/ollama"
)

// nowhere returns an address of loopback at which nothing listens.
func nowhere(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return l.Addr().String()
}

func TestBRN44AServerThatComesBackIsNoticed(t *testing.T) {
	addr := nowhere(t)
	c, err := ollama.New(ollama.Options{BaseURL: "http://" + addr, Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	tick, back := make(chan time.Time), make(chan error, 1)
	c.TickBy(tick)
	go func() { back <- c.Await(t.Context()) }()
	for range 3 { // the third is taken once two questions have been refused
		tick <- time.Time{}
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.NotFoundHandler()} // whatever it says
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { _ = server.Close() })
	for {
		select {
		case tick <- time.Time{}:
		case err := <-back:
			if err != nil {
				t.Error(err)
			}
			return
		}
	}
}

func TestBRN44NobodyAwaitsAServerForEver(t *testing.T) {
	c, err := ollama.New(ollama.Options{BaseURL: "http://" + nowhere(t), Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	c.TickBy(nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := c.Await(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
