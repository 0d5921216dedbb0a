package explore

import (
	"testing"

	"shelly/fsm"
)

// HND-67: whatever a session keeps, however a summary is asked for, and whatever becomes of a long
// history, a compression while nobody waits breaks no invariant.
func TestHND67ACompressionHoldsWithEachHistory(t *testing.T) {
	for _, history := range []fsm.HistoryMode{fsm.HistoryAnswers, fsm.HistoryAll, fsm.HistorySent} {
		for _, side := range []fsm.SideMode{fsm.SideAppended, fsm.SideAlone} {
			for _, overflow := range []fsm.OverflowMode{fsm.OverflowKeep, fsm.OverflowSummarize, fsm.OverflowConsolidate} {
				b := idleWorld()
				b.Requests = 1
				b.Switches.History, b.Switches.SideCalls, b.Switches.Overflow = history, side, overflow
				b.Limits.MaxHistory, b.Limits.MaxPending = 3, 1
				if r := Run(b); r.Found != nil || !r.Complete {
					t.Errorf("history %q, side calls %q, overflow %q: %+v", history, side, overflow, r)
				}
			}
		}
	}
}
