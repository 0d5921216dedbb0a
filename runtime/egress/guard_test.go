package egress

import (
	"errors"
	"net"
	"net/netip"
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
	for _, address := range []string{"example.com:25", "2130706433:80", "0x7f.1:80", "localhost:80", "a.localhost:80", "metadata.google.internal:80", "127.1:80"} {
		g := Guard{} // its look-up would ask the system
		if _, err := g.Dial(t.Context(), "tcp", address); !errors.As(err, new(*Refused)) {
			t.Errorf("%s: got %v; want a Refused", address, err)
		}
	}
}
