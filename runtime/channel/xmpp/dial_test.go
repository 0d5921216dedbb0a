package xmpp

import (
	"io"
	"net"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"mellium.im/xmpp/jid"
)

// A domain that says that it has no such service does not lead to the port of this machine (CHN-30).
func TestCHN30ARecordOfTheRootNamesNoServer(t *testing.T) {
	for _, tt := range []struct {
		found []*net.SRV
		want  []string
	}{
		{nil, []string{"example.org:5222"}},
		{[]*net.SRV{{Target: ".", Port: 0}}, []string{"example.org:5222"}},
		{[]*net.SRV{{Target: "a.example.org.", Port: 5269}, {Target: "b.example.org.", Port: 5222}}, []string{"a.example.org:5269", "b.example.org:5222", "example.org:5222"}},
	} {
		if diff := cmp.Diff(tt.want, servers(tt.found, "example.org", "5222")); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	}
}

// elsewhere is a connection to another machine.
type elsewhere struct{ net.Conn }

func (elsewhere) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 5222} }

func TestCHN30WithoutTLSAnotherMachineHearsNothing(t *testing.T) {
	here, there := net.Pipe()
	heard := make(chan string, 1)
	go func() {
		text, _ := io.ReadAll(there) // until it is closed
		heard <- string(text)
	}()
	_, err := New(Options{TLS: PlainText}).negotiate(t.Context(), jid.MustParse("shelly@example.org"), elsewhere{here}, nil, "hush")
	if err == nil || !strings.Contains(err.Error(), "only a server on this machine") {
		t.Errorf("got %v; want an error that says so", err)
	}
	if err := here.Close(); err != nil {
		t.Error(err)
	}
	if text := <-heard; text != "" {
		t.Errorf("it hears %q", text)
	}
}
