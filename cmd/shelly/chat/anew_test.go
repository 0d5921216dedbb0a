package chat

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/runtime/comm"
	"shelly/runtime/session"
)

func TestCLI150WhenASessionWasStartedOver(t *testing.T) {
	list := []comm.Record{
		{Text: "/new", Replied: 9, Done: true},
		{Text: " /NEW", Replied: 4, Done: true},
		{Text: "/new", Replied: 5, Done: true, IsError: true},
		{Text: "/new", Done: false},
		{Text: "/new", Replied: 6, Done: true, Kind: fsm.KindMemory},
		{Text: "/news", Replied: 7, Done: true},
	}
	if diff := cmp.Diff([]fsm.Millis{4, 9}, anew(list, nil)); diff != "" {
		t.Error(diff)
	}
	said := []session.Archived{{Message: fsm.Message{Role: fsm.RoleUser, Text: "/new"}}}
	if times := anew(list, said); times != nil {
		t.Errorf("%v, but the model was told", times)
	}
}
