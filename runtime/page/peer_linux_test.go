package page

import (
	"net"
	"net/netip"
	"testing"
)

func TestCOM71TheKernelsTableSaysWhoseASocketIs(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	if !ownPeer(c.RemoteAddr(), c.LocalAddr()) {
		t.Error("a socket of our own is somebody else's")
	}
	table := []byte("  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n" +
		"   0: 0100007F:1D09 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 1\n" +
		"   1: 0100007F:C350 0100007F:1D09 01 00000000:00000000 00:00000000 00000000  1001        0 2\n")
	browser, daemon := netip.MustParseAddrPort("127.0.0.1:50000"), netip.MustParseAddrPort("127.0.0.1:7433")
	if uid, ok := ownerIn(table, browser, daemon); !ok || uid != 1001 {
		t.Errorf("the owner is %d, %t", uid, ok)
	}
	if _, ok := ownerIn(table, daemon, browser); ok {
		t.Error("a socket that is not there has an owner")
	}
	six := []byte("sl\n 1: 00000000000000000000000001000000:C350 00000000000000000000000001000000:1D09 01 0:0 0:0 0 1002 0 2\n")
	if uid, ok := ownerIn(six, netip.MustParseAddrPort("[::1]:50000"), netip.MustParseAddrPort("[::1]:7433")); !ok || uid != 1002 {
		t.Errorf("the owner over IPv6 is %d, %t", uid, ok)
	}
}
