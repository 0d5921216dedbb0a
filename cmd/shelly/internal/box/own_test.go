package box

import (
	"slices"
	"testing"

	"shelly/runtime/config"
)

// TOL-40: the socket that trusts the daemon's own user is hidden, wherever it is.
func TestTOL40TheSocketIsHiddenWhereItIsNotInTheData(t *testing.T) {
	for socket, want := range map[string][]string{
		"off": {"/d"}, "shelly.sock": {"/d"}, "/d/run/s": {"/d"}, "/w/s": {"/d", "/w/s"}, "../s": {"/d", "/s"}, "/data/s": {"/d", "/data/s"},
	} {
		if got := own(config.Config{Data: "/d", Comm: config.Comm{Unix: socket}}); !slices.Equal(got, want) {
			t.Errorf("comm.unix %s: %v, want %v", socket, got, want)
		}
	}
}
