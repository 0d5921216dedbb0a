package named_test

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/named"
	"shelly/fsm"
	"shelly/runtime/comm"
	"shelly/runtime/comm/client"
)

// pages is a daemon that has looked at no request that fits when its first answer is full (COM-15).
type pages []comm.RequestsBody

func (p pages) GetOf(_ context.Context, a client.About) (comm.Record, error) {
	for _, page := range p {
		for _, r := range page.Requests {
			if r.ID == a.ID && r.Channel == cmp.Or(a.Channel, "http") && r.Client == a.Client {
				return r, nil
			}
		}
	}
	return comm.Record{}, client.ErrNotFound
}

func (p pages) Requests(_ context.Context, w comm.Wanted) (comm.RequestsBody, error) {
	for _, page := range p {
		if page.Next < w.Before {
			page.Requests = slices.DeleteFunc(slices.Clone(page.Requests), func(r comm.Record) bool { return !strings.HasPrefix(r.ID, w.Prefix) })
			return page, nil
		}
	}
	return comm.RequestsBody{}, nil
}

func TestCLI5ARequestIsFoundByTheBeginningOfItsIDHoweverOldItIs(t *testing.T) {
	r := func(id, channel string) comm.Record { return comm.Record{ID: id, Channel: channel} }
	daemon := pages{{Next: 9000}, {Next: 5000, Requests: []comm.Record{r("four", "http"), r("fox", "phone")}}, {Requests: []comm.Record{r("fort", "http"), r("fo", "phone"),
		{ID: "job", Channel: "http", Client: "ci"}, {ID: "note", Channel: "http", Client: "ci"}, {ID: "note", Channel: "http", Client: "eve"}}}}
	for _, c := range []struct {
		id, channel, want string
		code              int
		says              string
	}{
		{"four", "", "four", 0, ""},
		{"fou", "", "four", 0, ""},
		{"fo", "", "fo", 0, ""}, // the id itself, of another channel
		{"f", "", "", exit.Usage, "the ids of 4 requests begin with \"f\""},
		{"fox", "http", "", exit.NoMatch, "of channel http"},
		{"fou", "phone", "", exit.NoMatch, "of channel phone"},
		{"job", "", "job", 0, ""}, // a client's
		{"jo", "http", "job", 0, ""},
		{"note", "", "", exit.Usage, "several clients have a request \"note\" in the channel http: name it by its handle"},
		{"five", "", "", exit.NoMatch, "there is no request \"five\""},
	} {
		got, err := named.Record(t.Context(), daemon, c.id, c.channel)
		if e := (exit.Error{}); got.ID != c.want || errors.As(err, &e) != (c.code != 0) || e.Code != c.code || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s of %q: got %q, %v; want %q, %d %s", c.id, c.channel, got.ID, err, c.want, c.code, c.says)
		}
	}
}

// Where several clients share an id, a handle names the request of one.
func TestCLI5ARequestIsFoundByItsHandle(t *testing.T) {
	r := func(handle fsm.HandleID, client string) comm.Record {
		return comm.Record{ID: "note", Channel: "http", Client: client, Handle: handle}
	}
	daemon := pages{{Next: 9000}, {Next: 5000, Requests: []comm.Record{r(12, "eve"), r(0, "eve")}}, {Requests: []comm.Record{r(7, "ci"), r(2, "")}}}
	for handle, want := range map[fsm.HandleID]string{12: "eve", 7: "ci", 2: "", 13: "none", 9: "none", 1: "none"} { // order-free: each by itself
		got, ok, err := named.OfHandle(t.Context(), daemon, handle)
		if err != nil || ok != (want != "none") || ok && (got.Client != want || got.Handle != handle) {
			t.Errorf("h%d: got %+v, %v, %v; want the client %q", handle, got, ok, err, want)
		}
	}
}
