package telemetry

import (
	"sync"

	"shelly/fsm"
)

// Spent adds up what the model's answers have used, as its server counts. It is a
// [Teller].
type Spent struct {
	Silent

	mu  sync.Mutex
	now fsm.Spent
}

// Ended implements [Teller].
func (s *Spent) Ended(c *Call) {
	if _, ok := c.Answer.(fsm.BrainAnswered); !ok {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now.Take(c.tokens())
}

// Now returns the sum so far, from any goroutine.
func (s *Spent) Now() fsm.Spent {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}
