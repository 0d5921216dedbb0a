package supervise

import (
	"errors"
	"net"
	"strings"
	"testing"
)

// bound is a listener that says it is bound to an address.
type bound struct {
	net.Listener
	at     net.Addr
	closed bool
}

func (b *bound) Addr() net.Addr { return b.at }
func (b *bound) Close() error   { b.closed = true; return net.ErrClosed }

// One loopback TCP socket and one socket in the file system are accepted, and nothing else.
func TestDEP3OnlyLoopbackIsTaken(t *testing.T) {
	at := func(path string) *bound { return &bound{at: &net.UnixAddr{Name: path, Net: "unix"}} }
	own := func(ip string) *bound { return &bound{at: &net.TCPAddr{IP: net.ParseIP(ip), Port: 7433}} }
	for name, c := range map[string]struct {
		passed []*bound
		why    string
	}{
		"IPv4":       {[]*bound{own("127.0.0.1")}, ""},
		"IPv6":       {[]*bound{own("::1")}, ""},
		"anywhere":   {[]*bound{own("0.0.0.0")}, "ListenStream=127.0.0.1:7433"},
		"a network":  {[]*bound{own("192.0.2.1")}, "loopback only"},
		"two":        {[]*bound{own("127.0.0.1"), own("::1")}, "pass one"},
		"both kinds": {[]*bound{own("127.0.0.1"), at("/run/x")}, ""},
		"two paths":  {[]*bound{own("127.0.0.1"), at("/run/x"), at("/run/y")}, "another on /run/x"},
		"a name":     {[]*bound{at("@x")}, "not a path"},
		"no name":    {[]*bound{at("")}, "not a path"},
		"datagrams":  {[]*bound{{at: &net.UnixAddr{Name: "/run/x", Net: "unixgram"}}}, "not a stream socket"},
		"other kind": {[]*bound{{at: &net.IPAddr{IP: net.IPv4(127, 0, 0, 1)}}}, "neither a TCP address"},
	} {
		var g Given
		var err error
		for _, l := range c.passed {
			err = errors.Join(err, g.place(l))
		}
		if c.why == "" && (err != nil || g.HTTP != c.passed[0] || len(c.passed) == 2 && g.Unix != c.passed[1]) || c.why != "" && (err == nil || !strings.Contains(err.Error(), c.why)) {
			t.Errorf("%s: %v, want %q", name, err, c.why)
		}
		if err := g.Close(); err != nil {
			t.Errorf("%s: closing what is closed: %v", name, err)
		}
	}
}
