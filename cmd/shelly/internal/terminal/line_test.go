package terminal

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"
)

// What ends within a second is not said to be waited for; what is shown is removed, and elsewhere
// than on a terminal nothing is shown.
func TestCLI219WhatTakesLongIsShownUntilItEnds(t *testing.T) {
	for _, c := range []struct {
		terminal bool
		takes    time.Duration
		want     string
	}{
		{true, 900 * time.Millisecond, ""},
		{true, 3 * time.Second, "\rwaiting" + clear + "\r" + clear},
		{false, 3 * time.Second, ""},
	} {
		synctest.Test(t, func(t *testing.T) {
			var out bytes.Buffer
			end := (&Line{Out: &out, Terminal: c.terminal}).Later(func() string { return "waiting" })
			<-time.After(c.takes)
			if end(); out.String() != c.want {
				t.Errorf("after %v on a terminal (%v): got %q; want %q", c.takes, c.terminal, out.String(), c.want)
			}
		})
	}
}
