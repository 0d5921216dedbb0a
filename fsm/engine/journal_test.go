package engine_test

import (
	"testing"

	"pgregory.net/rapid"

	"shelly/fsm/engine"
	"shelly/fsm/engine/journaltest"
)

func TestJRN16MemoryJournalConforms(t *testing.T) {
	journaltest.Conform(t, &memoryHarness{})
}

type memoryHarness struct{ journal *engine.MemoryJournal }

func (h *memoryHarness) Create(rapid.TB) engine.Journal {
	h.journal = engine.NewMemoryJournal()
	return h.journal
}

func (h *memoryHarness) Reopen(rapid.TB) engine.Journal { return h.journal }

func (h *memoryHarness) Crash(rapid.TB) engine.Journal {
	h.journal.Crash()
	return h.journal
}
