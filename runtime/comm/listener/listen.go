package listener

import (
	"fmt"
	"net"
	"net/netip"
)

// TCP binds a loopback address such as 127.0.0.1:7433.
// Port 0 means any free one.
func TCP(address string) (net.Listener, error) {
	if err := Loopback(address); err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listen for HTTP on %s: %w", address, err)
	}
	return l, nil
}

// burstBytes is the size of the buffer for datagrams not yet read that the system is asked for.
const burstBytes = 1 << 20

// UDP binds a loopback address. Port 0 means any free one.
func UDP(address string) (*net.UDPConn, error) {
	if err := Loopback(address); err != nil {
		return nil, err
	}
	to, err := net.ResolveUDPAddr("udp", address)
	if err != nil {
		return nil, fmt.Errorf("listen for UDP on %s: %w", address, err)
	}
	c, err := net.ListenUDP("udp", to)
	if err != nil {
		return nil, fmt.Errorf("listen for UDP on %s: %w", address, err)
	}
	_ = c.SetReadBuffer(burstBytes) // as much of it as the system allows
	return c, nil
}

// Loopback returns an error unless address is a literal loopback address (COM-1): a name may
// resolve to another address tomorrow.
func Loopback(address string) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("%q is not an address to listen on; use one such as 127.0.0.1:0", address)
	}
	if !to.Addr().Unmap().IsLoopback() {
		return fmt.Errorf("%q is not a loopback address; shelly listens on loopback only: use 127.0.0.1:%d or [::1]:%d", address, to.Port(), to.Port())
	}
	return nil
}
