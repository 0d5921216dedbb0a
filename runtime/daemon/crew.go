package daemon

import (
	"sync"
	"sync/atomic"
)

// crewMax is the most idle goroutines that wait for a call.
const crewMax = 32

// crew performs calls, each in its own goroutine. A goroutine that has performed its call waits
// for the next one, because its stack has already grown to the size that a model call or a tool
// needs; a new goroutine would have to copy its stack several times.
type crew struct {
	sync.WaitGroup // all of them
	next           chan func()
	waiting        atomic.Int32
}

// performs calls f on an idle goroutine of the crew, or on a new one. Idle goroutines end when
// over is closed.
func (c *crew) performs(f func(), over <-chan struct{}) {
	select {
	case c.next <- f:
	default:
		c.Go(func() {
			for f != nil {
				f()
				f = c.await(over)
			}
		})
	}
}

// await returns the next call, or nil if the goroutine should end.
func (c *crew) await(over <-chan struct{}) (f func()) {
	if c.waiting.Add(1) <= crewMax {
		select {
		case f = <-c.next:
		case <-over:
		}
	}
	c.waiting.Add(-1)
	return f
}
