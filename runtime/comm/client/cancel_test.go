package client_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/runtime/comm"
	"shelly/runtime/comm/client"
)

func TestAskSendsTheChatAndTheImages(t *testing.T) {
	d := newDaemon(t)
	a := d.ask(client.AskRequest{ID: "m1", Text: "hello", Channel: "web", Chat: "7", Images: [][]byte{{0xff}}})
	d.await(watching)
	key := fsm.RequestKey{Principal: comm.Principal, Channel: "web", ID: "m1"}
	want := []comm.Request{{Key: key, Origin: fsm.Origin{Channel: "web", Chat: "7"}, Text: "hello", Images: [][]byte{{0xff}}}}
	if diff := cmp.Diff(want, d.front.Seen().Requests); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	d.front.Say(key, comm.Event{Type: comm.EventReply, Text: "so far", Outcome: fsm.OutcomeExhausted})
	a.all()
	if want := (client.Reply{ID: "m1", Text: "so far", Outcome: fsm.OutcomeExhausted}); a.reply != want {
		t.Errorf("%+v, want %+v", a.reply, want)
	}
}

func TestCancelSaysWhetherItWasTaken(t *testing.T) {
	d := newDaemon(t)
	a := d.ask(hello)
	d.await(watching)
	if taken, err := d.client.Cancel(t.Context(), "m1", ""); !taken || err != nil {
		t.Errorf("%v, %v", taken, err)
	}
	if diff := cmp.Diff([]fsm.Input{fsm.CancelRequested{Request: d.key("m1")}}, d.front.Seen().Told); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	d.front.Deafen()
	if taken, err := d.client.Cancel(t.Context(), "m1", ""); taken || err != nil {
		t.Errorf("too late: %v, %v", taken, err)
	}
	if _, err := d.client.Cancel(t.Context(), "m2", ""); !errors.Is(err, client.ErrNotFound) {
		t.Errorf("unknown: %v", err)
	}
	d.front.Reply(d.key("m1"), "cancelled", true)
	a.all()
}
