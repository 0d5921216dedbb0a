package egress

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Guard dials public and allowed addresses. Its zero value allows only public ones.
type Guard struct {
	Allow   []Allowed
	Setting string // the operator's, which Allow comes from; an error names it

	// Lookup finds the addresses of a name; nil: as the system does.
	Lookup func(ctx context.Context, name string) ([]netip.Addr, error)
	// Connect opens a connection to a checked address; nil: over the network.
	Connect func(ctx context.Context, to netip.AddrPort) (net.Conn, error)
}

// Refused is the error for an address that must not be reached. Nothing was sent to it.
type Refused struct {
	Host string
	Why  string // "127.0.0.1 is an address of this machine"
}

func (r *Refused) Error() string { return fmt.Sprintf("%s is refused: %s", r.Host, r.Why) }

// Bare returns the error of an HTTP client without the address that it names in full: a path or a
// query may hold a token.
func Bare(err error) error {
	if named, ok := errors.AsType[*url.Error](err); ok {
		return named.Err
	}
	return err
}

// Client returns an HTTP client that reaches only what the guard allows, follows no
// redirects, keeps no connections, does not use the environment's proxy, and gives up
// connecting after connect.
func (g *Guard) Client(connect time.Duration) *http.Client {
	return &http.Client{
		Transport: &http.Transport{
			Proxy:                  nil,
			DialContext:            g.dialWithin(connect),
			DisableKeepAlives:      true,
			TLSHandshakeTimeout:    connect,
			MaxResponseHeaderBytes: headerBytesMax,
			ForceAttemptHTTP2:      true,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// headerBytesMax bounds the headers of a response.
const headerBytesMax = 256 << 10

// addressesMax is the most addresses of one name that are tried.
const addressesMax = 8

func (g *Guard) dialWithin(d time.Duration) func(ctx context.Context, network, address string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		ctx, cancel := context.WithTimeout(ctx, d)
		defer cancel()
		return g.Dial(ctx, network, address)
	}
}

// Dial connects to HOST:PORT over TCP. If the host has several addresses, it uses the first
// that is allowed and answers.
func (g *Guard) Dial(ctx context.Context, _, address string) (net.Conn, error) {
	host, portText, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	port, err := strconv.ParseUint(portText, 10, 16)
	if err != nil {
		return nil, &Refused{host, portText + " is not a port"}
	}
	if !usual(uint16(port)) && !g.allowsPort(uint16(port)) { // before a name is looked up
		return nil, g.unlisted(host, uint16(port), unusual(uint16(port)))
	}
	addrs, err := g.find(ctx, host)
	if err != nil {
		return nil, err
	}
	var failed error
	for _, a := range addrs[:min(len(addrs), addressesMax)] {
		to := netip.AddrPortFrom(a, uint16(port))
		if err := g.Check(host, to); err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		conn, err := g.connect(ctx, host, to)
		if err == nil {
			return conn, nil
		}
		failed = errors.Join(failed, err)
	}
	if failed == nil {
		return nil, fmt.Errorf("%s has no address", host)
	}
	return nil, failed
}

// Check returns why a host must not be reached at an address, or nil.
func (g *Guard) Check(host string, to netip.AddrPort) error {
	a := to.Addr()
	to = netip.AddrPortFrom(a.Unmap(), to.Port())
	if a.Zone() != "" {
		return &Refused{host, "an address with a zone is one of this network"}
	}
	for _, allowed := range g.Allow {
		if allowed.allows(host, to) {
			return nil
		}
	}
	if kind := kindOf(a.Unmap()); kind != "" {
		return g.unlisted(host, to.Port(), fmt.Sprintf("%s is %s", a, kind))
	}
	if !usual(to.Port()) {
		return g.unlisted(host, to.Port(), unusual(to.Port()))
	}
	return nil
}

// unlisted is the error for an address that the operator may allow.
func (g *Guard) unlisted(host string, port uint16, why string) error {
	if g.Setting != "" {
		why += fmt.Sprintf("; to allow it, list %s in %s", net.JoinHostPort(host, strconv.Itoa(int(port))), g.Setting)
	}
	return &Refused{host, why}
}

func (g *Guard) allowsPort(port uint16) bool {
	return slices.ContainsFunc(g.Allow, func(a Allowed) bool { return a.port == port })
}

func unusual(port uint16) string {
	return fmt.Sprintf("port %d is not one of a web server: 80, 443, 8080, 8443", port)
}

// find returns the addresses of a host. It does not look up names of this machine (RFC 6761), nor
// names that a resolver might take for an address (in the WHATWG's URL standard, a host whose
// last part is a number is an address).
func (g *Guard) find(ctx context.Context, host string) ([]netip.Addr, error) {
	if a, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{a}, nil
	}
	name := plainName(host)
	switch {
	case name == "localhost" || strings.HasSuffix(name, ".localhost"):
		return []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1}), netip.IPv6Loopback()}, nil
	case endsInNumber(name):
		return nil, &Refused{host, "it is an address in an unusual form"}
	case name == "metadata.google.internal":
		return nil, &Refused{host, "it is a cloud's metadata address"}
	}
	lookup := g.Lookup
	if lookup == nil {
		lookup = func(ctx context.Context, name string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", name)
		}
	}
	return lookup(ctx, name)
}

// endsInNumber reports whether the last part of a name is a number in any notation, because then
// the C library and some resolvers take the whole for an IPv4 address.
func endsInNumber(name string) bool {
	last := name[strings.LastIndexByte(name, '.')+1:]
	if hex, ok := strings.CutPrefix(last, "0x"); ok && strings.Trim(hex, "0123456789abcdef") == "" {
		return true
	}
	return last != "" && strings.Trim(last, "0123456789") == ""
}

// connect opens a connection to a checked address, and checks again the address to which the
// socket is about to be connected.
func (g *Guard) connect(ctx context.Context, host string, to netip.AddrPort) (net.Conn, error) {
	if g.Connect != nil {
		return g.Connect(ctx, to)
	}
	d := net.Dialer{ControlContext: func(_ context.Context, _, address string, _ syscall.RawConn) error {
		final, err := netip.ParseAddrPort(address)
		if err != nil {
			return err
		}
		return g.Check(host, final)
	}}
	return d.DialContext(ctx, "tcp", to.String())
}
