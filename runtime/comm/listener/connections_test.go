package listener_test

import (
	"net"
	"net/http"
	"testing"

	"shelly/runtime/comm/listener"
)

// piped is a listener whose connections come from a channel.
type piped chan net.Conn

func (p piped) Accept() (net.Conn, error) { return <-p, nil }
func (p piped) Close() error              { return nil }
func (p piped) Addr() net.Addr            { return &net.TCPAddr{} }

// come has a connection accepted, and returns both of its ends.
func (p piped) come(t *testing.T, l net.Listener) (ours, theirs net.Conn) {
	t.Helper()
	theirs, conn := net.Pipe()
	p <- conn
	ours, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = ours.Close(), theirs.Close() })
	return ours, theirs
}

// works has a connection begin a request that shows a token.
func works(t *testing.T, conn net.Conn) {
	listener.Shown((&http.Request{}).WithContext(listener.With(t.Context(), conn)))
}

// open reports whether a connection is open, at the end of whoever connected.
func open(t *testing.T, ours, theirs net.Conn) bool {
	t.Helper()
	read := make(chan error, 1)
	go func() {
		_, err := theirs.Read(make([]byte, 1))
		read <- err
	}()
	_, err := ours.Write([]byte("x"))
	<-read
	return err == nil
}

// A program that sends many requests at once has connected for all of them before it sends one.
func TestCOM19HalfOfTheConnectionsMayYetShowNoToken(t *testing.T) {
	from := make(piped, 1)
	l := listener.Bound(from, listener.ConnectionsMax)
	var ours, theirs [listener.ConnectionsMax/2 + 1]net.Conn
	for i := range ours {
		ours[i], theirs[i] = from.come(t, l)
	}
	for i := range ours {
		if got, want := open(t, ours[i], theirs[i]), i > 0; got != want {
			t.Errorf("connection %d: open is %v, want %v", i, got, want)
		}
	}
}

// Of the idle connections, the one whose last request is the longest ago makes room.
func TestCOM19TheLongestIdleMakesRoom(t *testing.T) {
	from := make(piped, 1)
	l := listener.Bound(from, 4)
	var ours, theirs [4]net.Conn
	for i := range ours {
		ours[i], theirs[i] = from.come(t, l)
		works(t, ours[i])
		if i != 1 {
			listener.Rests(ours[i])
		}
	}
	works(t, ours[0])
	listener.Rests(ours[0])
	gone := func() (gone []int) {
		for i := range ours {
			if !open(t, ours[i], theirs[i]) {
				gone = append(gone, i)
			}
		}
		return gone
	}
	last, _ := from.come(t, l) // 1 is at work
	if got := gone(); len(got) != 1 || got[0] != 2 {
		t.Errorf("%v made room, not 2", got)
	}
	works(t, last)
	listener.Rests(ours[1])
	from.come(t, l)
	if got := gone(); len(got) != 2 || got[0] != 1 {
		t.Errorf("%v have made room, not 1 and 2", got)
	}
}
