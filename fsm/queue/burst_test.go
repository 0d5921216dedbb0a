package queue

import (
	"testing"

	"shelly/fsm/state"
)

// Without bursts nothing is kept of the session that the model was asked for last, also after a
// configuration that had them.
func TestWithoutBurstsNoSessionIsRemembered(t *testing.T) {
	s := state.Snapshot{LastSession: "a", Burst: 2}
	s.Config.Limits.SessionBurst = 3
	if AskedFor(&s, "b"); s.LastSession != "b" {
		t.Errorf("with bursts: %q", s.LastSession)
	}
	s.Config.Limits.SessionBurst = 1
	if AskedFor(&s, "c"); s.LastSession != "" || s.Burst != 0 {
		t.Errorf("without: %q and %d", s.LastSession, s.Burst)
	}
}
