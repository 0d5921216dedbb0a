package egress

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// Allowed is one entry of what an operator allows besides the public network: an
// address, a network or a name, and a port or all of the usual ones.
type Allowed struct {
	prefix netip.Prefix // invalid: a name
	name   string       // in lower case, without a trailing dot
	port   uint16       // 0: the usual ports
}

// ParseAllowed reads an entry: 10.1.2.3, 10.0.0.0/8, fd00::/8 or intranet.example, with a port
// unless it is a usual one: 127.0.0.1:8888, [fd00::1]:8000, [fd00::/8]:8000.
func ParseAllowed(text string) (Allowed, error) {
	wanted := errors.New("wants an address, a network or a name such as 10.0.0.0/8, 127.0.0.1:8888, \"[::1]:8888\" or intranet.example")
	host, port := strings.TrimSpace(text), ""
	if inner, ok := strings.CutPrefix(host, "["); ok && strings.HasSuffix(inner, "]") { // without a port
		host = strings.TrimSuffix(inner, "]")
		if !strings.Contains(host, ":") {
			return Allowed{}, wanted
		}
	}
	if strings.Contains(host, "://") {
		return Allowed{}, wanted
	}
	if _, err := netip.ParsePrefix(host); err != nil {
		if _, err := netip.ParseAddr(host); err != nil && strings.Contains(host, ":") {
			// SplitHostPort accepts [fd00::/8]:80 too.
			if host, port, err = net.SplitHostPort(host); err != nil {
				return Allowed{}, wanted
			}
		}
	}
	a := Allowed{}
	if port != "" {
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil || n == 0 {
			return Allowed{}, fmt.Errorf("%q is not a port; ports are 1 to 65535", port)
		}
		a.port = uint16(n)
	}
	if p, err := netip.ParsePrefix(host); err == nil {
		if p != p.Masked() {
			return Allowed{}, fmt.Errorf("%s has bits beyond its length; write %s", p, p.Masked())
		}
		a.prefix = p
		return a, nil
	}
	if ip, err := netip.ParseAddr(host); err == nil && ip.Zone() == "" {
		a.prefix = netip.PrefixFrom(ip.Unmap(), ip.Unmap().BitLen())
		return a, nil
	}
	a.name = plainName(host)
	if a.name == "" || strings.ContainsAny(a.name, "/:@*? \t") || endsInNumber(a.name) {
		return Allowed{}, fmt.Errorf("%q is neither an address nor a network nor a name", host)
	}
	return a, nil
}

// plainName returns a host name in the form in which names are compared.
func plainName(host string) string { return strings.TrimSuffix(strings.ToLower(host), ".") }

// allows reports whether an entry covers a host's address.
func (a Allowed) allows(host string, to netip.AddrPort) bool {
	if a.port != 0 && a.port != to.Port() || a.port == 0 && !usual(to.Port()) {
		return false
	}
	if a.prefix.IsValid() {
		return a.prefix.Contains(to.Addr())
	}
	return a.name == plainName(host)
}

// Loopback reports whether an entry covers only this machine.
func (a Allowed) Loopback() bool {
	return a.name == "localhost" || a.prefix.IsValid() && a.prefix.IsSingleIP() && a.prefix.Addr().IsLoopback()
}

// usual reports whether web servers commonly use a port.
func usual(port uint16) bool { return slices.Contains([]uint16{80, 443, 8080, 8443}, port) }
