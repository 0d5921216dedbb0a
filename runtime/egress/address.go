package egress

import "net/netip"

// block is a range of addresses that is not the public network's.
type block struct {
	prefix netip.Prefix
	kind   string
}

// blocks returns the refused ranges, from IANA's registries of special-purpose addresses
// (RFC 6890), together with the addresses of clouds' own services in the public range. The first
// range that contains an address names it.
func blocks() []block {
	named := []struct{ prefix, kind string }{
		{"169.254.169.254/32", "a cloud's metadata address"},
		{"100.100.100.200/32", "a cloud's metadata address"},
		{"168.63.129.16/32", "a cloud's metadata address"},
		{"fd00:ec2::/32", "a cloud's metadata address"},
		{"0.0.0.0/8", "an address of this machine"},
		{"127.0.0.0/8", "an address of this machine"},
		{"::1/128", "an address of this machine"},
		{"::/128", "an address of this machine"},
		{"10.0.0.0/8", "a private address"},
		{"172.16.0.0/12", "a private address"},
		{"192.168.0.0/16", "a private address"},
		{"fc00::/7", "a private address"},
		{"fec0::/10", "a private address"},
		{"100.64.0.0/10", "an address shared by a provider (carrier NAT)"},
		{"169.254.0.0/16", "a link-local address"},
		{"fe80::/10", "a link-local address"},
		{"192.0.0.0/24", "a reserved address"},
		{"192.0.2.0/24", "a documentation address"},
		{"198.51.100.0/24", "a documentation address"},
		{"203.0.113.0/24", "a documentation address"},
		{"2001:db8::/32", "a documentation address"},
		{"3fff::/20", "a documentation address"},
		{"192.88.99.0/24", "a reserved address"},
		{"198.18.0.0/15", "an address for benchmarks"},
		{"2001:2::/48", "an address for benchmarks"},
		{"224.0.0.0/4", "a multicast address"},
		{"ff00::/8", "a multicast address"},
		{"240.0.0.0/4", "a reserved address"},
		{"64:ff9b::/96", "an IPv6 address that stands for an IPv4 one"},
		{"64:ff9b:1::/48", "an IPv6 address that stands for an IPv4 one"},
		{"2002::/16", "an IPv6 address that stands for an IPv4 one"},
		{"2001::/23", "a reserved address"}, // Teredo, ORCHID and others
		{"5f00::/16", "a reserved address"},
	}
	list := make([]block, len(named))
	for i, n := range named {
		list[i] = block{netip.MustParsePrefix(n.prefix), n.kind}
	}
	return list
}

// global is the part of IPv6 from which public addresses are assigned (RFC 4291).
func global() netip.Prefix { return netip.MustParsePrefix("2000::/3") }

// kindOf returns what a non-public address is; "" for a public one.
func kindOf(a netip.Addr) string {
	for _, b := range blocks() {
		if b.prefix.Contains(a) {
			return b.kind
		}
	}
	if a.Is6() && !global().Contains(a) {
		return "a reserved address"
	}
	return ""
}
