package egress

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"slices"
	"strings"
	"testing"
)

// The address to which a socket is about to be connected is checked, whatever was checked before.
func TestTOL71TheSocketsAddressIsChecked(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	to := netip.MustParseAddrPort(l.Addr().String())
	conn, err := (&Guard{}).connect(t.Context(), "public.test", to)
	if !errors.As(err, new(*Refused)) {
		t.Errorf("connected to %v: %v, %v", to, conn, err)
	}
	allowed, err := ParseAllowed(to.String())
	if err != nil {
		t.Fatal(err)
	}
	conn, err = (&Guard{Allow: []Allowed{allowed}}).connect(t.Context(), "public.test", to)
	if err != nil {
		t.Fatalf("an allowed address is not reached: %v", err)
	}
	_ = conn.Close()
}

func TestTOL71AllowedAddressesAreRead(t *testing.T) {
	for _, text := range []string{"10.0.0.0/8", "127.0.0.1", "127.0.0.1:8888", "fd00::/8", "[fd00::1]:80", "[fd00::/8]:80", "[::1]", "::1", "intranet.example", "intranet.example:8000", "localhost"} {
		if _, err := ParseAllowed(text); err != nil {
			t.Errorf("%s: got %v; want no error", text, err)
		}
	}
	for text, want := range map[string]string{
		"":                 "neither",
		"10.0.0.1/8":       "write 10.0.0.0/8",
		"http://x.example": "wants an address",
		"*.example":        "neither",
		"2130706433":       "neither",
		"a:b:c":            "wants an address",
		"[x.example]":      "wants an address",
		"[::1":             "wants an address",
		"x.example:0":      "not a port",
		"x.example:70000":  "not a port",
		"a b":              "neither",
	} {
		if a, err := ParseAllowed(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v; want %q", text, a, err, want)
		}
	}
}

// The operator learns what allows an address, unless nothing does.
func TestTOL71ARefusalNamesTheSetting(t *testing.T) {
	g := Guard{Setting: "tools.mcp.notes.allow_addresses"}
	for address, listed := range map[string]bool{"127.0.0.1:80": true, "203.0.113.1:443": true, "127.0.0.1:9000": true, "2130706433:80": false} { // order-free: each is alone
		_, err := g.Dial(t.Context(), "tcp", address)
		if !errors.As(err, new(*Refused)) || strings.Contains(err.Error(), "; to allow it, list "+address+" in tools.mcp.notes.allow_addresses") != listed {
			t.Errorf("%s: got %v; want a Refused that names the setting: %v", address, err, listed)
		}
	}
}

// A name is not looked up where its port is refused anyway, or where it stands for an
// address.
func TestTOL71NothingIsLookedUpInVain(t *testing.T) {
	for _, address := range []string{"example.com:25", "2130706433:80", "0x7f.1:80", "localhost:80", "a.localhost:80", "metadata.google.internal:80", "127.1:80", "0x7f000001:80", "0x:80", "127.0x1:80"} {
		g := Guard{} // its look-up would ask the system
		if _, err := g.Dial(t.Context(), "tcp", address); !errors.As(err, new(*Refused)) {
			t.Errorf("%s: got %v; want a Refused", address, err)
		}
	}
}

// What an entry covers: with its port or the usual ones, and as a name however that is written.
func TestTOL71AnEntryCoversWhatItNames(t *testing.T) {
	for _, tt := range []struct {
		entry, host, to string
		want            bool
	}{
		{"10.0.0.0/8", "a.test", "10.1.2.3:80", true},
		{"10.0.0.0/8", "a.test", "11.1.2.3:80", false},
		{"10.0.0.0/8", "a.test", "10.1.2.3:22", false},
		{"10.0.0.0/8:22", "a.test", "10.1.2.3:22", true},
		{"10.0.0.0/8:22", "a.test", "10.1.2.3:80", false},
		{"127.0.0.1", "a.test", "127.0.0.1:8080", true},
		{"127.0.0.1", "a.test", "127.0.0.2:8080", false},
		{"intranet.example", "Intranet.Example.", "10.1.2.3:443", true},
		{"Intranet.Example.", "intranet.example", "10.1.2.3:443", true},
		{"intranet.example", "a.intranet.example", "10.1.2.3:443", false},
		{"intranet.example", "a.test", "10.1.2.3:443", false},
		{"intranet.example:8000", "intranet.example", "10.1.2.3:443", false},
	} {
		a, err := ParseAllowed(tt.entry)
		if err != nil {
			t.Fatal(err)
		}
		if got := a.allows(tt.host, netip.MustParseAddrPort(tt.to)); got != tt.want {
			t.Errorf("%s covers %s at %s: %t", tt.entry, tt.host, tt.to, got)
		}
	}
}

// A name that leads to several addresses is no way to those that are refused.
func TestTOL71OnlyACheckedAddressIsConnectedTo(t *testing.T) {
	addresses := []netip.Addr{netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("10.1.2.3"), netip.MustParseAddr("1.1.1.1")}
	var reached []string
	g := Guard{
		Lookup: func(context.Context, string) ([]netip.Addr, error) { return addresses, nil },
		Connect: func(_ context.Context, to netip.AddrPort) (net.Conn, error) {
			reached = append(reached, to.String())
			return nil, errors.New("nobody is there")
		},
	}
	_, err := g.Dial(t.Context(), "tcp", "many.test:443")
	if !errors.As(err, new(*Refused)) || !slices.Equal(reached, []string{"1.1.1.1:443"}) {
		t.Errorf("got %v, reached %q; want a Refused, reached only 1.1.1.1:443", err, reached)
	}
}

func TestTOL71OnlyOneAddressIsThisMachineAlone(t *testing.T) {
	for entry, want := range map[string]bool{
		"localhost": true, "127.0.0.1": true, "127.0.0.5:80": true, "::1": true, "127.0.0.0/8": false, "0.0.0.0/0": false, "10.1.2.3": false, "intranet.example": false,
	} {
		if a, err := ParseAllowed(entry); err != nil || a.Loopback() != want {
			t.Errorf("%s: got %t, %v; want %t", entry, a.Loopback(), err, want)
		}
	}
}
