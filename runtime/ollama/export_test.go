package ollama

import "time"

// TickBy has c told by tick, and not by a clock, that a model still loads.
func (c *Client) TickBy(tick <-chan time.Time) {
	c.ticks = func(time.Duration) (<-chan time.Time, func()) { return tick, func() {} }
}
