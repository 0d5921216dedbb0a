package turn

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
)

// A compaction puts a mark in the place of each earlier image, and keeps the images of the
// present question. It does not change its argument.
func TestSES21ACompactionLeavesMarksOfEarlierImages(t *testing.T) {
	c := fsm.Config{Words: fsm.PresentWords()}
	picture := []byte("a picture")
	msgs := []fsm.Message{
		{Role: fsm.RoleUser, Text: "two", Images: [][]byte{picture, picture}}, {Role: fsm.RoleAssistant, Text: "seen"},
		{Role: fsm.RoleUser, Text: "one", Images: [][]byte{picture}},
	}
	marked := func(text string) string { return c.Words.Text(fsm.WordImageInput, "text", text) }
	want := []fsm.Message{{Role: fsm.RoleUser, Text: marked(marked("two"))}, msgs[1], msgs[2]}
	if diff := cmp.Diff(want, ImagesLeft(&c, msgs, 2)); diff != "" {
		t.Error(diff)
	}
	if len(msgs[0].Images) != 2 || msgs[0].Text != "two" {
		t.Errorf("its argument is now %+v", msgs[0])
	}
}

// SES-18: what is within the bound is kept whole, also what belongs to no turn; beyond it the
// oldest turn leaves, and the summary at the head stays.
func TestSES18OnlyWhatIsOverTheBoundLeaves(t *testing.T) {
	c := fsm.Config{Words: fsm.PresentWords()}
	c.Switches.Overflow, c.Limits.MaxHistory, c.Limits.MaxPending = fsm.OverflowKeep, 3, 2
	history := []fsm.Message{
		{Role: fsm.RoleSystem, Text: "before"}, {Role: fsm.RoleAssistant, Text: "a report"},
		{Role: fsm.RoleUser, Text: "one"}, {Role: fsm.RoleAssistant, Text: "first"}, {Role: fsm.RoleUser, Text: "two"},
	}
	if diff := cmp.Diff(history, Newest(&c, history)); diff != "" {
		t.Errorf("at the bound: %s", diff)
	}
	c.Limits.MaxPending = 1
	if diff := cmp.Diff([]fsm.Message{history[0], history[2], history[3], history[4]}, Newest(&c, history)); diff != "" {
		t.Errorf("beyond it: %s", diff)
	}
}
