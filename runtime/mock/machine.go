package mock

import (
	"context"
	"sync"
	"time"

	"shelly/fsm"
	"shelly/runtime/clock"
	"shelly/sim/server"
)

// machine is the machine that the server runs on, in real time: calls wait for its slots, and for
// its loading, reading and writing (SIM-20, SIM-21).
type machine struct {
	config server.Config

	mu      sync.Mutex
	server  *server.Server
	started time.Time
	last    uint64
	waiting map[uint64]chan server.Served
}

func newMachine(c server.Config) *machine {
	return &machine{config: c, server: server.New(c), started: time.Now(), waiting: map[uint64]chan server.Served{}}
}

// ask waits until a call has a slot, its model is loaded and its prompt is read, of which a window
// that is too short has the beginning. The caller must call over when the call ends, whatever ok is.
// Ok is false if the client has left.
func (m *machine) ask(ctx context.Context, c server.Call) (served server.Served, over func(), ok bool) {
	if m.config.Window > 0 {
		c.Prompt = server.First(c.Prompt, m.config.Estimated(m.config.Window))
	}
	begins := make(chan server.Served, 1)
	m.mu.Lock()
	m.last++
	c.ID = m.last
	m.waiting[c.ID] = begins
	m.begin(m.server.Ask(m.now(), c))
	m.mu.Unlock()
	over = func() { m.end(c.ID) }
	select {
	case served = <-begins:
	case <-ctx.Done():
		return served, over, false
	}
	return served, over, clock.Pause(ctx, time.Until(m.at(served.First))) == nil
}

func (m *machine) end(id uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.waiting, id)
	m.begin(m.server.End(m.now(), id))
}

// unload unloads a model unless a call is under way.
func (m *machine) unload(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.server.Unload(name)
}

// begin wakes the calls that are now served. The caller holds m.mu.
func (m *machine) begin(served []server.Served) {
	for _, v := range served {
		m.waiting[v.ID] <- v
	}
}

// loaded names the models that are loaded.
func (m *machine) loaded() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.server.Loaded(m.now())
}

func (m *machine) now() fsm.Millis { return fsm.Millis(time.Since(m.started) / time.Millisecond) }

func (m *machine) at(t fsm.Millis) time.Time {
	return m.started.Add(time.Duration(t) * time.Millisecond)
}

// paced returns the answer in pieces of about a token each, timed by the speed at which the machine
// writes. An answer whose script sets a pace keeps that.
func (m *machine) paced(a Answer) Answer {
	if a.Every > 0 || m.config.Writes <= 0 {
		return a
	}
	a.Every = time.Second / time.Duration(m.config.Writes)
	var pieces []Piece
	for _, p := range a.pieces() {
		for _, part := range byToken(p.Thinking) {
			pieces = append(pieces, Piece{Thinking: part})
		}
		for _, part := range byToken(p.Text) {
			pieces = append(pieces, Piece{Text: part})
		}
	}
	a.Pieces = pieces
	return a
}

func byToken(text string) []string {
	var parts []string
	for text != "" {
		part := server.First(text, 1)
		parts, text = append(parts, part), text[len(part):]
	}
	return parts
}
