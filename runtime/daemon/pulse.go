package daemon

import (
	"context"

	"shelly/fsm"
	"shelly/fsm/state"
)

// Pulse is what the loop says of itself to who watches that it lives (DEP-2).
type Pulse struct {
	Lifecycle fsm.State
	Active    int    // pieces of work that are under way
	Waiting   int    // those that wait to begin
	Short     string // why nothing is accepted for lack of disk space, or ""
}

// ErrStopped is the error of Pulse once the loop has ended.
var ErrStopped = errStopped

// Pulse asks the loop, which answers between two turns. It is ErrStopped, or that ctx has
// ended first.
func (d *Daemon) Pulse(ctx context.Context) (Pulse, error) { return ask(ctx, d, d.pulse) }

func (d *Daemon) pulse() Pulse {
	view := d.driver.Machine().View()
	p := Pulse{Lifecycle: view.Lifecycle, Waiting: view.Waiting()}
	for i := range view.Handles {
		if !view.Handles[i].Waiting() {
			p.Active++
		}
	}
	if err := d.driver.Short(d.now()); err != nil {
		p.Short = err.Error()
	}
	if d.driver.Down() {
		p.Lifecycle = state.Down // the machine is as the last process left it
	}
	return p
}
