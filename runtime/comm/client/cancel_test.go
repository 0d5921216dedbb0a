package client_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/comm"
	"shelly/runtime/comm/client"
)

func TestAskSendsTheChatAndTheImages(t *testing.T) {
	d := newDaemon(t)
	a := d.ask(client.AskRequest{ID: "m1", Text: "hello", Channel: "web", Chat: "7", Images: [][]byte{[]byte("\x89PNG\r\n\x1a\n")}})
	d.await(watching)
	key := fsm.RequestKey{Principal: comm.Principal, Channel: "web", ID: "m1"}
	want := []comm.Request{{Key: key, Origin: fsm.Origin{Channel: "web", Chat: "7"}, Text: "hello", Images: [][]byte{[]byte("\x89PNG\r\n\x1a\n")}}}
	same(t, want, d.front.Seen().Requests)
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
		t.Errorf("got %v, %v; want taken true", taken, err)
	}
	same(t, []fsm.Input{{Fact: fsm.CancelRequested{Request: d.key("m1")}}}, d.front.Seen().Told)
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

// A person's decision reaches the daemon by the request or by the handle (COM-12).
func TestAPersonsWordIsSent(t *testing.T) {
	d := newDaemon(t)
	a := d.ask(hello)
	d.await(watching)
	m1, nine := client.About{ID: "m1"}, client.About{Handle: 9, ID: "m1"}
	for _, c := range []struct {
		tell func() (bool, error)
		want fsm.Fact
	}{
		{func() (bool, error) {
			return d.client.Decide(t.Context(), m1, client.Decision{Key: "h1.1", By: "Ann", Approve: true, Grant: fsm.GrantAlways})
		}, fsm.Decided{Handle: 1, Key: "h1.1", Approve: true, By: "Ann", Grant: fsm.GrantAlways}},
		{func() (bool, error) { return d.client.Decide(t.Context(), nine, client.Decision{Key: "h9.1"}) }, fsm.Decided{Handle: 9, Key: "h9.1", By: "local"}},
		{func() (bool, error) { return d.client.Revoke(t.Context(), "g1", "Ann") }, fsm.Revoked{Grant: "g1", By: "Ann"}},
		{func() (bool, error) { return d.client.Resolve(t.Context(), m1, "it was sent") }, fsm.Resolved{Handle: 1, Text: "it was sent"}},
		{func() (bool, error) { return d.client.Resolve(t.Context(), nine, "") }, fsm.Resolved{Handle: 9}},
	} {
		if taken, err := c.tell(); !taken || err != nil {
			t.Errorf("%+v: got %v, %v; want taken true", c.want, taken, err)
		}
		told := d.front.Seen().Told
		same(t, c.want, told[len(told)-1].Fact)
	}
	d.front.Deafen()
	if taken, err := d.client.Resolve(t.Context(), m1, ""); taken || err != nil {
		t.Errorf("too late: %v, %v", taken, err)
	}
	d.front.Reply(d.key("m1"), "hi", false)
	a.all()
}

// COM-15: the filter goes with the question, and the answer says where to continue.
func TestWantedRequestsAreRead(t *testing.T) {
	d := newDaemon(t)
	j := engine.NewMemoryJournal()
	for index, id := range []string{"m1", "a&b", "m1"} {
		key := d.key(id)
		if index == 2 {
			key.Channel = "udp"
		}
		r := engine.Request{Key: key, Index: uint64(index + 1), Done: true}
		must(t, j.Append(engine.Batch{Requests: []engine.Request{r}}, true))
	}
	d.front.Record(j)
	for _, c := range []struct {
		wanted comm.Wanted
		want   []uint64
		next   uint64
	}{
		{comm.Wanted{Before: 9, Limit: 9}, []uint64{3, 2, 1}, 0},
		{comm.Wanted{Before: 9, Limit: 1, ID: "m1", State: comm.RecordDone}, []uint64{3}, 3},
		{comm.Wanted{Before: 3, Limit: 9, ID: "m1"}, []uint64{1}, 0},
		{comm.Wanted{Before: 9, Limit: 9, ID: "a&b"}, []uint64{2}, 0},
		{comm.Wanted{Before: 9, Limit: 9, State: comm.StandsHeld}, nil, 0},
	} {
		body, err := d.client.Requests(t.Context(), c.wanted)
		var got []uint64
		for _, r := range body.Requests {
			got = append(got, r.Index)
		}
		if diff := cmp.Diff(c.want, got); err != nil || diff != "" || body.Next != c.next {
			t.Errorf("%+v: next %d, %v\n%s", c.wanted, body.Next, err, diff)
		}
	}
}
