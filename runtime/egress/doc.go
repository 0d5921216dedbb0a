// Package egress decides which network addresses may be reached on behalf of the
// model, and dials only those (TOL-71).
//
//	guard := egress.Guard{Allow: allow}
//	client := guard.Client(30 * time.Second)
//
// The check is made on the address that the connection is opened to, after every
// lookup and for each dial, redirects included, because a name's addresses may change between
// two lookups, and one address can be written in many ways. The environment's proxy
// is not used, because then the proxy's address would be checked, and no
// connection is kept for a later request.
//
// An address is refused unless it is public: loopback, private, link-local, shared
// (carrier NAT), multicast, reserved and documentation blocks are not, nor the metadata
// addresses of clouds, nor IPv6 addresses that stand for IPv4 ones. Only the usual ports
// of web servers can be reached. The operator can allow further addresses, networks and
// names ([Allowed]).
package egress
