package page

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"net"
	"net/netip"
	"os"
	"strconv"
	"strings"
)

// ownPeer reports whether the socket at the other end of a connection within this machine belongs
// to the user of this process, or to root. A link with its ticket can be an argument of the
// program that opens the browser, and all users of a machine can see arguments.
// If the kernel does not say whose socket it is, it counts as the user's own: then only the
// ticket protects the page, as on other systems.
func ownPeer(local, remote net.Addr) bool {
	for _, table := range []string{"/proc/self/net/tcp", "/proc/self/net/tcp6"} {
		data, err := os.ReadFile(table)
		if err != nil {
			continue
		}
		if uid, ok := ownerIn(data, addrPort(remote), addrPort(local)); ok {
			return uid == os.Getuid() || uid == 0
		}
	}
	return true
}

func addrPort(a net.Addr) netip.AddrPort {
	if tcp, ok := a.(*net.TCPAddr); ok {
		p := tcp.AddrPort()
		return netip.AddrPortFrom(p.Addr().Unmap(), p.Port())
	}
	return netip.AddrPort{}
}

// ownerIn finds the user of the socket that is bound to one address and connected to another,
// in a table as proc_pid_net(5) describes it.
func ownerIn(table []byte, bound, connected netip.AddrPort) (uid int, ok bool) {
	for lines := bufio.NewScanner(bytes.NewReader(table)); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if len(fields) < 8 {
			continue
		}
		from, err := kernelAddr(fields[1])
		to, wrong := kernelAddr(fields[2])
		if err != nil || wrong != nil || from != bound || to != connected {
			continue
		}
		uid, err := strconv.Atoi(fields[7])
		return uid, err == nil
	}
	return 0, false
}

// kernelAddr reads an address such as 0100007F:1D09: words of four bytes, each in the byte order
// of the machine.
func kernelAddr(text string) (netip.AddrPort, error) {
	host, port, _ := strings.Cut(text, ":")
	var raw []byte
	for ; len(host) >= 8; host = host[8:] {
		word, err := strconv.ParseUint(host[:8], 16, 32)
		if err != nil {
			return netip.AddrPort{}, err
		}
		raw = binary.NativeEndian.AppendUint32(raw, uint32(word))
	}
	n, err := strconv.ParseUint(port, 16, 16)
	if err != nil {
		return netip.AddrPort{}, err
	}
	addr, ok := netip.AddrFromSlice(raw)
	if !ok {
		return netip.AddrPort{}, fmt.Errorf("%q is not an address", text)
	}
	return netip.AddrPortFrom(addr.Unmap(), uint16(n)), nil
}
