package run

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"shelly/cmd/shelly/internal/brain"
	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/moment"
	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/clock"
	"shelly/runtime/comm"
	"shelly/runtime/memory"
	"shelly/runtime/store"
)

// remember makes the memory, which reads its index once shelly serves (MEM-7).
func (s *starting) remember(entries *store.Store, b brain.Brain) *memory.Memory {
	m := memory.New(entries, memory.Options{
		Embedder: b.Embedder,
		Embeds:   b.Embeds,
		Apart:    b.Apart,
		HalfLife: fsm.Millis(s.cfg.Memory.HalfLife.Milliseconds()),
		Now:      moment.Now,
	})
	s.later(func() error {
		m.Close()
		return nil
	})
	return m
}

// texts counts the long results that are kept, for the status.
func (s *starting) texts(of *store.Store) func() comm.Texts {
	return func() comm.Texts {
		held, err := of.Texts()
		if err != nil {
			s.log.Warn("cannot count the kept results", "error", err)
		}
		return comm.Texts{Count: held.Texts, Bytes: held.Bytes}
	}
}

// manyEntries is from how many entries on a garbage collection is worthwhile after reading
// them.
const manyEntries = 10_000

// keep maintains the memory until close, and ends the daemon if an entry cannot be read.
func (s *starting) keep(ctx context.Context, m *memory.Memory, apart func() bool) {
	s.spares.Store(s.cfg.Switches.SpareModel)
	spared := quiet(s.daemon, s.cfg.Brain.KeepAlive, func() bool { return s.spares.Load() && apart() })
	s.beside(ctx, func(ctx context.Context) error {
		if err := m.Wait(ctx); err != nil {
			if ctx.Err() == nil {
				s.fail(exit.With(exit.Data, fmt.Errorf("load the memory: %w", err)))
			}
			return nil
		}
		if m.Made() && m.Counts().Entries > manyEntries {
			debug.FreeOSMemory() // reading them leaves more garbage than it keeps
		}
		err := m.Keep(ctx, memory.Upkeep{Quiet: spared, Pause: clock.Pause, Log: s.log})
		if err != nil && ctx.Err() == nil && !errors.Is(err, context.Canceled) && !errors.Is(err, engine.ErrStopping) {
			s.log.Error("memory entries are no longer embedded", "error", err)
		}
		return nil
	})
}
