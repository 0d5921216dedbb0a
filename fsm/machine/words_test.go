package machine_test

import (
	"testing"

	"shelly/fsm"
)

// A request is answered in the words of the epoch that answers it.
func TestCFG14TheWordsAreThoseOfTheEpoch(t *testing.T) {
	for _, tt := range []struct {
		name  string
		words fsm.Words
		want  string
	}{
		{"an older build's", nil, "Nothing is stopped: this profile does not cancel."},
		{"today's", fsm.PresentWords(), "Nothing was stopped: this profile does not cancel."},
		{"a later build's", fsm.Words(nil).With(fsm.WordStopRefused, "No."), "No."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newDriver(t)
			d.config.Words, d.config.Switches.Commands, d.config.Switches.Cancel = tt.words, true, fsm.CancelRefused
			d.boot()
			d.ask("/stop")
			if got := one[fsm.Reply](d).Text; got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}
