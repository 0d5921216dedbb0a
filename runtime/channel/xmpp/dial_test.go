package xmpp

import (
	"net"
	"testing"

	"github.com/google/go-cmp/cmp"
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
