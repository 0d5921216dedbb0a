package ollama

import "time"

// AnsweredFor is how long after an answer the server is not asked what it has loaded.
const AnsweredFor = answeredFor

// TellTime has c take the time from now.
func (c *Client) TellTime(now func() time.Time) { c.now = now }

// TickBy has c told by tick, and not by a clock, that a model still loads.
func (c *Client) TickBy(tick <-chan time.Time) {
	c.ticks = func(time.Duration) (<-chan time.Time, func()) { return tick, func() {} }
}
