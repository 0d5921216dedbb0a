package fit

import (
	"strings"
	"testing"

	"shelly/fsm"
)

// What has just the length that all are cut to stays as it is: of a call nothing would be left.
func TestCTX10WhatIsShortEnoughStays(t *testing.T) {
	args := `{"path":"` + strings.Repeat("a", 4*floorEarlier-11) + `"}`
	talk := fsm.Conversation{}.Add(
		fsm.Message{Role: fsm.RoleUser, Text: "question"},
		fsm.Message{Role: fsm.RoleAssistant, Calls: []fsm.ToolCall{{ID: "1", Name: "look", Args: args}}},
		fsm.Message{Role: fsm.RoleTool, Text: strings.Repeat("b", 4000), ToolCall: "1"},
	)
	if n := fsm.TextTokens(args); n != floorEarlier {
		t.Fatalf("the arguments have %d tokens", n)
	}
	d := newDraft(fsm.PresentWords(), nil, talk, 0)
	d.shorten(d.parts(0, len(d.msgs), false), 0, floorEarlier)
	if got := d.msgs[1].Calls[0].Args; got != args || len(d.msgs[2].Text) >= 4000 {
		t.Errorf("arguments %q, result of %d bytes", got, len(d.msgs[2].Text))
	}
}
