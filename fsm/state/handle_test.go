package state

import (
	"testing"

	"shelly/fsm"
)

// An initial inference begins before requests are served or, if they are served beside it, while
// they are (LIF-14); the farewell at the end; anything else while requests are served.
func TestLIF14WhatTheLifecycleLetsStart(t *testing.T) {
	for _, tt := range []struct {
		kind   fsm.Kind
		beside bool
		in     fsm.State
	}{
		{fsm.KindInit, false, Initializing}, {fsm.KindInit, true, Serving}, {fsm.KindFarewell, false, Farewell}, {fsm.KindUser, false, Serving},
	} {
		for _, lifecycle := range []fsm.State{Down, Initializing, Serving, Draining, Farewell, Stopped} {
			h := Handle{Accepted: Accepted{Kind: tt.kind, Beside: tt.beside}}
			if got := h.Served(lifecycle); got != (lifecycle == tt.in) {
				t.Errorf("%s (beside others: %t) may start in %s: %t", tt.kind, tt.beside, lifecycle, got)
			}
		}
	}
}
