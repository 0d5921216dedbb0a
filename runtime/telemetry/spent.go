package telemetry

import (
	"sync"

	"shelly/fsm"
	"shelly/runtime/comm"
)

// Spent adds up what the model's answers have used, as its server counts. It is a
// [Teller].
type Spent struct {
	Silent

	mu  sync.Mutex
	now comm.Spent
}

// Ended implements [Teller].
func (s *Spent) Ended(c *Call) {
	if _, ok := c.Answer.(fsm.BrainAnswered); !ok {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now.Calls++
	if c.tokens().Untimed() {
		s.now.Untimed++
	}
	if c.tokens().Uncounted() {
		s.now.Uncounted++
	}
	s.now.Add(c.tokens())
}

// Now returns the sum so far, from any goroutine.
func (s *Spent) Now() comm.Spent {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}
