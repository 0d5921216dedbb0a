// Package egress decides which network addresses may be reached on behalf of the
// model, and dials only those (TOL-71).
//
//	guard := egress.Guard{Allow: allow}
//	client := guard.Client(30 * time.Second)
//
// The check is made on the address that the connection is opened to, after every
// look-up and for each dial, redirects included: what a name means may change between
// two look-ups, and one address can be written in many ways. A proxy of the environment
// is not used, since it would make the check one of the proxy's address, and no
// connection is kept for a later request.
//
// An address is refused unless it is public: loopback, private, link-local, shared
// (carrier NAT), multicast, reserved and documentation blocks are not, nor the
// addresses at which clouds answer about their machines, nor IPv6 addresses that stand
// for IPv4 ones. Only the usual ports of web servers are reached. The operator can
// allow addresses, networks and names beyond that ([Allowed]).
package egress
