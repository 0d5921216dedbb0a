package comm

import (
	"net/netip"
	"testing"
)

// A datagram from another machine starts nothing and is not answered, whatever token it
// shows (COM-2).
func TestCOM2ADatagramFromOutsideLoopbackIsDropped(t *testing.T) {
	const token = "0123456789abcdef0123456789abcdef"
	data := []byte(`{"id":"m1","text":"hello","token":"` + token + `"}`)
	for from, taken := range map[string]int{
		"127.0.0.1:5000": 1, "127.9.9.9:5000": 1, "[::1]:5000": 1, "[::ffff:127.0.0.1]:5000": 1,
		"192.0.2.1:5000": 0, "[2001:db8::1]:5000": 0, "[::ffff:192.0.2.1]:5000": 0, "0.0.0.0:5000": 0, "169.254.1.1:5000": 0,
	} {
		u, err := NewUDP(nil, UDPOptions{Token: token, RequestBytesMax: 1000})
		if err != nil {
			t.Fatal(err)
		}
		p := &post{UDP: u, inbox: make(chan letter, 1)} // without a socket: an answer would panic
		p.receive(data, netip.MustParseAddrPort(from))
		if len(p.inbox) != taken || u.o.Counters.Counts().Foreign != int64(1-taken) {
			t.Errorf("from %s: %d taken, counts %+v", from, len(p.inbox), u.o.Counters.Counts())
		}
	}
}
