package machine

import (
	"strconv"
	"testing"

	"shelly/fsm"
	"shelly/fsm/state"
)

func TestSES10HowManyMessagesStay(t *testing.T) {
	tests := []struct {
		overflow fsm.OverflowMode
		window   int
		command  string
		want     int
	}{
		{fsm.OverflowConsolidate, 1, "", 2},
		{fsm.OverflowConsolidate, 5, "", 2},
		{fsm.OverflowConsolidate, 6, "", 3},
		{fsm.OverflowConsolidate, 19, "", 9},
		{fsm.OverflowConsolidate, 20, "", 10},
		{fsm.OverflowConsolidate, 50, "", 10},
		{fsm.OverflowConsolidate, 50, commandNew, 0},
		{fsm.OverflowSummarize, 50, "", 50},
		{fsm.OverflowSummarize, 50, commandNew, 0},
	}
	for _, tt := range tests {
		t.Run(string(tt.overflow)+" "+strconv.Itoa(tt.window)+tt.command, func(t *testing.T) {
			m := New()
			m.s.Config.Switches.Overflow, m.s.Config.Limits.MaxHistory = tt.overflow, tt.window
			if got := m.stays(&state.Handle{Accepted: state.Accepted{Command: tt.command}}); got != tt.want {
				t.Errorf("%d messages stay, want %d", got, tt.want)
			}
		})
	}
}
