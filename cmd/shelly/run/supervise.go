package run

import (
	"context"
	"errors"
	"net"
	"slices"

	"shelly/cmd/shelly/internal/exit"
	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/state"
	"shelly/runtime/comm/listener"
	"shelly/runtime/daemon"
	"shelly/runtime/supervise"
	"shelly/runtime/telemetry"
)

// supervised lets the supervisor follow the start, then the loop, and the stop.
func (s *starting) supervised(by *supervise.Supervisor) {
	s.supervisor, s.opened = by, make(chan *daemon.Daemon, 1)
	var d *daemon.Daemon
	by.Start(supervise.Options{Log: s.log, Ask: func(ctx context.Context) (supervise.Look, error) {
		if d == nil { // the machine is being recovered
			select {
			case d = <-s.opened:
			case <-ctx.Done():
				return supervise.Look{}, ctx.Err()
			}
		}
		p, err := d.Pulse(ctx)
		if errors.Is(err, daemon.ErrStopped) {
			err = supervise.ErrEnded
		}
		return supervise.Look{
			Serving:  p.Lifecycle == state.Serving,
			Stopping: slices.Contains(stops, p.Lifecycle),
			Active:   p.Active, Waiting: p.Waiting, Short: p.Short,
		}, err
	}})
}

// stops are the states of the lifecycle from which it does not serve again.
var stops = []fsm.State{state.Draining, state.Farewell, state.Stopped}

// turns wakes the supervisor when the lifecycle has changed.
type turns struct {
	telemetry.Silent
	by *supervise.Supervisor
}

// Stepped implements [telemetry.Teller].
func (t turns) Stepped(step *engine.Step) {
	if slices.ContainsFunc(step.Moves, func(m state.Move) bool { return m.Table == state.Lifecycle.Name }) {
		t.by.Look()
	}
}

// bind returns the socket for HTTP: one that the supervisor has passed, or one bound to the
// configured address.
func (s *starting) bind() (net.Listener, error) {
	if s.passed.HTTP != nil {
		return s.passed.HTTP, nil
	}
	l, err := listener.TCP(s.cfg.Comm.HTTP)
	if err != nil {
		return nil, s.elsewhere(err)
	}
	return l, nil
}

// elsewhere says what to do about an address for HTTP that cannot be had. A daemon that has it, such
// as another user's, most likely has the one for UDP, too: both are said at once (LIF-2).
func (s *starting) elsewhere(err error) error {
	conn, udp := s.bindUDP()
	if udp != nil {
		return exit.Errorf(exit.Usage, "%w, and %w --set comm.http=127.0.0.1:0", err, udp)
	}
	err = exit.Errorf(exit.Usage, "%w; name another address with --set comm.http=127.0.0.1:0", err)
	if conn != nil {
		err = errors.Join(err, conn.Close())
	}
	return err
}

// bindUDP returns the socket for UDP, bound to the configured address; nil if there is to be none.
func (s *starting) bindUDP() (*net.UDPConn, error) {
	if s.cfg.Comm.UDP == "" {
		return nil, nil
	}
	conn, err := listener.UDP(s.cfg.Comm.UDP)
	if err != nil {
		return nil, exit.Errorf(exit.Usage, "%w; name another address with --set comm.udp=127.0.0.1:0", err)
	}
	return conn, nil
}
