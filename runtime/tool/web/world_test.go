package web_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"testing"
	"time"

	"shelly/fsm"
	"shelly/runtime/egress"
	"shelly/runtime/tool"
	"shelly/runtime/tool/web"
)

// network is a network without a packet: its names are a table, and every connection
// that the guard would open ends at one server over a pipe.
type network struct {
	dns     [][]string // the answer to each look-up in turn, the last one for ever
	handler http.Handler
	tls     bool

	mu      sync.Mutex
	lookups int
	opened  []netip.AddrPort
}

// guard returns a guard of the network whose server runs until the test ends.
func (n *network) guard(t *testing.T, allow ...string) *egress.Guard {
	t.Helper()
	l := &pipes{conns: make(chan net.Conn), done: make(chan struct{})}
	handler := n.handler
	if handler == nil {
		handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "reached") })
	}
	server := &http.Server{Handler: handler}
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { _ = server.Close() })
	g := &egress.Guard{Lookup: n.lookup, Connect: func(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
		n.mu.Lock()
		n.opened = append(n.opened, to)
		n.mu.Unlock()
		ours, theirs := net.Pipe()
		if n.tls {
			theirs = tls.Server(theirs, &tls.Config{Certificates: []tls.Certificate{selfSigned(t)}})
		}
		select {
		case l.conns <- theirs:
			return ours, nil
		case <-l.done:
			return nil, net.ErrClosed
		}
	}}
	for _, text := range allow {
		a, err := egress.ParseAllowed(text)
		if err != nil {
			t.Fatal(err)
		}
		g.Allow = append(g.Allow, a)
	}
	return g
}

func (n *network) lookup(_ context.Context, name string) ([]netip.Addr, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.dns) == 0 {
		return nil, &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
	}
	answer := n.dns[min(n.lookups, len(n.dns)-1)]
	n.lookups++
	var list []netip.Addr
	for _, a := range answer {
		list = append(list, netip.MustParseAddr(a))
	}
	return list, nil
}

// pipes is a listener whose connections are handed to it.
type pipes struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.done) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

func selfSigned(t *testing.T) tls.Certificate {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Error(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{"public.test"}, NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Error(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// called runs a tool with arguments.
func called(t *testing.T, o web.Options, name string, args map[string]any) tool.Result {
	t.Helper()
	tools, err := web.Tools(o)
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	for _, added := range tools {
		if added.Decl.Name == name {
			return added.Run(t.Context(), fsm.RunTool{Name: name, Args: string(b)})
		}
	}
	t.Fatalf("there is no %s", name)
	return tool.Result{}
}

func call(args string) fsm.RunTool { return fsm.RunTool{Name: web.FetchName, Args: args} }

// fetched reads a page with web_fetch.
func fetched(t *testing.T, n *network, url string, allow ...string) tool.Result {
	t.Helper()
	return called(t, options(n.guard(t, allow...)), web.FetchName, map[string]any{"url": url})
}

func options(g *egress.Guard) web.Options {
	return web.Options{Fetch: true, Guard: g, Timeout: 30 * time.Second, BytesMax: 1 << 20}
}
