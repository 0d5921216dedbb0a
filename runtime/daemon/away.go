package daemon

import (
	"context"

	"shelly/fsm"
)

// away is the waits for a server that could not be reached. They end as soon as it answers
// (BRN-44). Work that is postponed may wait for hours, and there may be much of it: the server is
// asked once for all.
type away struct {
	waits map[fsm.TimerID]fsm.HandleID
	stop  context.CancelFunc // ends the asking; nil: nobody asks
}

// forget forgets the wait of a timer, if it is one.
func (a *away) forget(timer fsm.TimerID) {
	delete(a.waits, timer)
	if len(a.waits) == 0 {
		a.leave()
	}
}

// leave ends the asking.
func (a *away) leave() {
	if a.stop != nil {
		a.stop()
		a.stop = nil
	}
}
