package daemon

import (
	"context"

	"shelly/fsm"
	"shelly/fsm/state"
)

// Pulse is the loop's report about itself to a watchdog (DEP-2).
type Pulse struct {
	Lifecycle fsm.State
	Active    int    // handles that are active
	Waiting   int    // handles that wait to begin
	Short     string // why the disk is too full to accept anything, or ""
}

// ErrStopped is the error of Pulse once the loop has ended.
var ErrStopped = errStopped

// Pulse asks the loop, which answers between two turns. Its error is ErrStopped, or ctx's if
// that ended first.
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
		p.Lifecycle = state.Down // not booted: the machine is as the last process left it
	}
	return p
}
