package daemon

import (
	"sync"
	"sync/atomic"
)

// crewMax is how many goroutines wait for a call to perform.
const crewMax = 32

// crew performs calls, each in a goroutine of its own. One that has performed its call waits
// for the next: by then its stack has the size that a model call or a tool needs, to which it
// would be copied again and again as it grows.
type crew struct {
	sync.WaitGroup // all of them
	next           chan func()
	waiting        atomic.Int32
}

// performs lets one of the crew, or a new one, call f. Those that wait go when over is closed.
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

// await returns the next call, or nil where nobody needs to wait for it.
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
