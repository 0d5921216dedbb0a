package turn

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/fsm/state"
)

// Only what is sent as it is kept begins with a message of the machine's own, and only in the
// edition that has it: older boots are replayed as they were.
func TestCTX5ASummaryIsASystemMessageWhereARecordIsKept(t *testing.T) {
	for _, tt := range []struct {
		history fsm.HistoryMode
		edition int
		want    fsm.Message
	}{
		{fsm.HistorySent, fsm.EighthEdition, fsm.Message{Role: fsm.RoleUser, Aside: true, Text: "they spoke", Source: fsm.FromModel}},
		{fsm.HistorySent, fsm.SeventhEdition, fsm.Message{Role: fsm.RoleSystem, Text: "they spoke", Source: fsm.FromModel}},
		{fsm.HistoryAll, fsm.EighthEdition, fsm.Message{Role: fsm.RoleSystem, Text: "they spoke", Source: fsm.FromModel}},
	} {
		c := fsm.Config{Edition: tt.edition, Words: fsm.PresentWords()}
		c.Switches.History = tt.history
		got := Summary(&c, "they spoke", fsm.FromModel)
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s in edition %d: %s", tt.history, tt.edition, diff)
		}
		if !c.Summed([]fsm.Message{got}) || !Has(&c, []fsm.Message{got}, 9) {
			t.Errorf("%s in edition %d: it is not known as a summary", tt.history, tt.edition)
		}
	}
	c := fsm.Config{Edition: fsm.SeventhEdition}
	if c.Summed([]fsm.Message{{Role: fsm.RoleUser, Aside: true}}) || c.Summed([]fsm.Message{{Role: fsm.RoleUser}}) || c.Summed(nil) {
		t.Error("something else is known as a summary")
	}
}

// A session whose history was the sent form keeps its summary where records are kept from then on.
func TestSES4ASummaryStaysInARecord(t *testing.T) {
	c := fsm.Config{Edition: fsm.PresentEdition, Words: fsm.PresentWords()}
	c.Switches.History, c.Switches.Compress = fsm.HistoryAll, true
	sent := []fsm.Message{
		{Role: fsm.RoleUser, Text: "they spoke", Aside: true}, {Role: fsm.RoleUser, Text: "one"},
		{Role: fsm.RoleUser, Text: "found", Aside: true}, {Role: fsm.RoleAssistant, Text: "first"},
	}
	want := []fsm.Message{{Role: fsm.RoleSystem, Text: "they spoke"}, sent[1], sent[3]}
	if diff := cmp.Diff(want, Settled(&c, sent)); diff != "" {
		t.Errorf("loaded: %s", diff)
	}
	h := state.Handle{Accepted: state.Accepted{Kind: fsm.KindUser, Input: "two"}}
	h.Loaded, h.TurnAt, h.Answer, h.Outcome = true, len(sent), "second", fsm.OutcomeAnswered
	own := []fsm.Message{{Role: fsm.RoleUser, Text: "two"}, {Role: fsm.RoleAssistant, Text: "second"}}
	h.Turn, h.Inf.Purpose, h.Inf.Talk = own, h.Purpose(), fsm.Conversation{}.Add(sent...).Add(own...)
	if diff := cmp.Diff(append(want, own...), Kept(&c, &h)); diff != "" {
		t.Errorf("resumed: %s", diff)
	}
	if !sent[0].Aside {
		t.Error("what was loaded has changed")
	}
}

// What the machine said in the middle of a turn that loses its beginning is no summary.
func TestSES18ATurnWithoutItsBeginningHasNoSummary(t *testing.T) {
	c := fsm.Config{Edition: fsm.PresentEdition, Words: fsm.PresentWords()}
	c.Switches.History, c.Switches.Overflow, c.Limits.MaxHistory, c.Limits.MaxPending = fsm.HistorySent, fsm.OverflowKeep, 1, 1
	history := []fsm.Message{
		{Role: fsm.RoleUser, Text: "one"}, {Role: fsm.RoleAssistant, Text: "NEED: tea"},
		{Role: fsm.RoleUser, Text: "found", Aside: true}, {Role: fsm.RoleAssistant, Text: "first"},
	}
	if diff := cmp.Diff(history[3:], Newest(&c, history)); diff != "" {
		t.Error(diff)
	}
	c.Edition = fsm.SeventhEdition
	if diff := cmp.Diff(history[2:], Newest(&c, history)); diff != "" {
		t.Errorf("up to the seventh edition: %s", diff)
	}
}
