package ollama

import "time"

// AnsweredFor is how long after an answer the server is not asked again what it has loaded.
const AnsweredFor = answeredFor

// TellTime makes c take the time from now.
func (c *Client) TellTime(now func() time.Time) { c.now = now }

// TickBy makes tick, instead of a clock, tell c that a model is still loading, or an answer has not
// begun.
func (c *Client) TickBy(tick <-chan time.Time) {
	c.ticks = func(time.Duration) (<-chan time.Time, func()) { return tick, func() {} }
}

// LosePatience makes c ask at once whether a server that has not begun its answer is alive.
func (c *Client) LosePatience() { c.patience = 0 }
