package chat

import (
	"slices"
	"testing"

	"shelly/fsm"
	"shelly/runtime/comm"
	"shelly/runtime/comm/client"
)

func TestCLI216WhatIsAskedElsewhereIsFresh(t *testing.T) {
	var n news
	var last seen
	looks := func(want []string, list ...comm.Record) {
		t.Helper()
		var got []string
		for _, r := range n.fresh(&last, list, comm.ChannelHTTP) {
			got = append(got, r.ID)
		}
		if !slices.Equal(got, want) {
			t.Errorf("got %q; want %q", got, want)
		}
	}
	r := func(handle fsm.HandleID, id string, done bool) comm.Record {
		return comm.Record{Handle: handle, ID: id, Channel: comm.ChannelHTTP, Done: done}
	}
	n.follows("mine")
	looks([]string{"going"}, r(6, "mine", false), r(5, "going", false), r(4, "past", true))
	looks(nil, r(6, "mine", true), r(5, "going", true))
	n.ended("mine")
	n.follows("next")
	n.ended("next")
	other, schedule := r(11, "other", false), r(12, "run", false)
	other.Channel, schedule.Kind = "acp", fsm.KindSchedule
	looks([]string{"quick", "slow"}, schedule, other, r(10, "next", true), r(9, "slow", false), r(8, "quick", true), r(6, "mine", true))
	looks(nil, schedule, other, r(10, "next", true), r(9, "slow", true))
	for _, id := range []string{"going", "quick", "slow"} {
		n.ended(id)
	}
	if len(n.followed) != 0 {
		t.Errorf("%d requests that have ended are kept", len(n.followed))
	}
}

func TestCLI216WhatIsAskedFirstInASessionIsFresh(t *testing.T) {
	var n news
	var last seen
	if got := n.fresh(&last, nil, comm.ChannelHTTP); len(got) != 0 {
		t.Errorf("got %v of nothing", got)
	}
	first := comm.Record{Handle: 1, ID: "first", Channel: comm.ChannelHTTP, Done: true}
	if got := n.fresh(&last, []comm.Record{first}, comm.ChannelHTTP); len(got) != 1 {
		t.Errorf("got %v; want the first, which has ended already", got)
	}
}

// A session that is shown again has its running requests once.
func TestCLI216WhatIsFollowedIsNotFollowedAgain(t *testing.T) {
	var n news
	n.follows("runs")
	for range 2 {
		var last seen
		if got := n.fresh(&last, []comm.Record{{Handle: 3, ID: "runs", Channel: comm.ChannelHTTP}}, comm.ChannelHTTP); len(got) != 0 {
			t.Errorf("got %v, which is followed already", got)
		}
	}
}

// What a client with a token of its own asks is followed and cancelled as that client's.
func TestCLI216AClientsRequestIsTheClients(t *testing.T) {
	var n news
	n.follows("own")
	n.fresh(&seen{}, []comm.Record{{Handle: 3, ID: "job", Channel: comm.ChannelHTTP, Client: "ci"}}, comm.ChannelHTTP)
	for id, want := range map[string]string{"own": "", "job": "ci", "unknown": ""} { // order-free: each by itself
		if got := n.about(id, "http"); got != (client.About{ID: id, Channel: "http", Client: want}) {
			t.Errorf("%s: got %+v; want the client %q", id, got, want)
		}
	}
}

func TestCLI216AnotherJournalIsLookedAtFromItsBeginning(t *testing.T) {
	var n news
	s := seen{looked: true, last: 90, record: 400}
	if got := s.upTo(401); got != 400 {
		t.Errorf("got %d; want 400", got)
	}
	if got := s.upTo(20); got != 0 {
		t.Errorf("of another journal: got %d; want 0", got)
	}
	list := []comm.Record{{Handle: 3, ID: "going", Channel: comm.ChannelHTTP}, {Handle: 2, ID: "past", Channel: comm.ChannelHTTP, Done: true}}
	if got := n.fresh(&s, list, comm.ChannelHTTP); len(got) != 1 || got[0].ID != "going" {
		t.Errorf("got %+v; want the one that goes on", got)
	}
}

func TestCLI150ARequestWaitsSinceTheOneBeforeItEnded(t *testing.T) {
	list := []comm.Record{
		{Handle: 9, Accepted: 400, Done: true, Replied: 900},
		{Handle: 5, Accepted: 200},
		{Handle: 4, Accepted: 150},
		{Handle: 3, Accepted: 100, Done: true, Replied: 300},
		{Handle: 1, Accepted: 50, Done: true, Replied: 60},
	}
	for at, want := range []fsm.Millis{400, 300, 300, 100, 50} {
		if got := since(list[at], list); got != want {
			t.Errorf("request h%d: got %d, want %d", list[at].Handle, got, want)
		}
	}
}
