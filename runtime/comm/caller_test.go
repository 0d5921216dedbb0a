package comm_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/state"
	"shelly/runtime/access"
	"shelly/runtime/comm"
	"shelly/runtime/comm/fronttest"
	"shelly/runtime/page"
	"shelly/runtime/session"
)

// club is a listener with clients.
type club struct {
	*site
	clients *access.Clients
	routes  []comm.Route
}

// sessionsOf knows the sessions of a list.
type sessionsOf []string

func (s sessionsOf) List() (all []session.Listed, err error) {
	for _, id := range s {
		all = append(all, session.Listed{ID: id})
	}
	return all, nil
}

func (s sessionsOf) Known(id string) (bool, error) {
	return strings.Contains(strings.Join(s, " "), id), nil
}

func (s sessionsOf) ForgetAll(id string) (messages int, known bool, err error) {
	known, err = s.Known(id)
	if !known {
		return 0, false, err
	}
	return 3, true, err
}

func (s sessionsOf) Archive(id string, after uint64, limit int) ([]session.Archived, error) {
	if known, _ := s.Known(id); !known || after > 0 {
		return nil, nil
	}
	return []session.Archived{{Number: 1, Message: fsm.Message{Role: fsm.RoleUser, Text: "said in " + id}}}, nil
}

func serveClub(t *testing.T, sessions ...string) *club {
	t.Helper()
	clients, err := access.Open(t.TempDir(), access.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c := &club{clients: clients}
	c.site = serveHTTP(t, func(o *comm.HTTPOptions) {
		o.Clients, o.Sessions, o.Page = clients, sessionsOf(sessions), page.New(page.Options{})
		o.Metrics = func(http.ResponseWriter, *http.Request, comm.Status) {}
		h, err := comm.NewHTTP(fronttest.New(), *o)
		if err != nil {
			t.Fatal(err)
		}
		c.routes = h.Routes()
	})
	return c
}

// as returns a call with the token of a client that has rights.
func (c *club) as(name string, rights ...access.Right) func(call) call {
	c.t.Helper()
	shown, err := c.clients.Add(name, rights)
	if err != nil {
		c.t.Fatal(err)
	}
	return func(one call) call { return with(one, "Authorization", "Bearer "+shown) }
}

func keyOf(principal, id string) fsm.RequestKey {
	return fsm.RequestKey{Principal: principal, Channel: comm.ChannelHTTP, ID: id}
}

// journalOf has a request of each key, in this order.
func journalOf(t *testing.T, keys ...fsm.RequestKey) *engine.MemoryJournal {
	t.Helper()
	j := engine.NewMemoryJournal()
	for i, key := range keys {
		r := engine.Request{Key: key, Index: uint64(i + 1), Handle: fsm.HandleID(i + 1), Text: "hello", Accepted: 1}
		must(t, j.Append(engine.Batch{Requests: []engine.Request{r}}, true))
	}
	return j
}

func TestCOM86EachRouteAsksForARight(t *testing.T) {
	c := serveClub(t)
	tokens := map[access.Right]func(call) call{}
	for _, r := range access.Given {
		tokens[r] = c.as("has-"+string(r), r)
	}
	for _, route := range c.routes {
		path := strings.NewReplacer("{id}", "x", "{handle}", "7", "{name}", "nobody").Replace(route.Pattern)
		if route.Pattern == "/v1/messages/events" || route.Pattern == "/v1/backup" { // which are answered piece by piece
			path += "?x=1"
		}
		for _, right := range access.Given {
			r := c.start(tokens[right](call{method: route.Method, path: path, body: "{}"}))
			if forbidden := r.StatusCode == http.StatusForbidden; forbidden == (access.Rights{right}).Has(route.Right) {
				t.Errorf("%s %s with %s: status %d; it asks for %s", route.Method, route.Pattern, right, r.StatusCode, route.Right)
			}
		}
	}
}

func TestCOM86ARouteWithoutARightIsNotServed(t *testing.T) {
	for _, right := range []access.Right{"", "most"} {
		_, err := comm.NewHTTP(fronttest.New(), comm.HTTPOptions{Token: token, RequestBytesMax: 1, Routes: []comm.Route{{
			Method: "GET", Pattern: "/v1/more", Right: right, Handle: func(http.ResponseWriter, *http.Request) error { return nil },
		}}})
		if err == nil || !strings.Contains(err.Error(), "GET /v1/more") {
			t.Errorf("right %q: %v", right, err)
		}
	}
}

func TestCOM86AnIDIsItsPrincipalsOwn(t *testing.T) {
	c := serveClub(t)
	local, ci, eve, ops := func(one call) call { return one }, c.as("ci", access.Decide), c.as("eve", access.Decide), c.as("ops", access.All)
	for _, as := range []func(call) call{local, ci, ops} {
		if r := c.start(as(post(good))); r.StatusCode != http.StatusAccepted {
			t.Fatalf("status %d", r.StatusCode)
		}
	}
	c.front.Reply(keyOf("ci", "m1"), "for ci", false)
	var record comm.Record
	if r := c.do(ci(call{method: "GET", path: "/v1/requests/m1"}), &record); r.StatusCode != http.StatusOK || record.Reply != "for ci" || record.InSession != "direct" {
		t.Errorf("its own: status %d, %+v", r.StatusCode, record)
	}
	if r := c.do(ops(call{method: "GET", path: "/v1/requests/m1?client=ci"}), &record); r.StatusCode != http.StatusOK || record.Client != "ci" || record.InSession != "client:ci/direct" {
		t.Errorf("with all: status %d, %+v", r.StatusCode, record)
	}
	for path, method := range map[string]string{
		"": "GET", "/events": "GET", "/cancel": "POST", "/approve": "POST", "/deny": "POST", "/resolve": "POST",
	} {
		one := call{method: method, path: "/v1/requests/m1" + path, body: `{"key":"k"}`}
		if path == "/cancel" || path == "/resolve" {
			one.body = "{}"
		}
		if r := c.start(eve(one)); r.StatusCode != http.StatusNotFound {
			t.Errorf("another's %q: status %d", path, r.StatusCode)
		}
		one.path += "?client=ci"
		if r := c.start(eve(one)); r.StatusCode != http.StatusForbidden {
			t.Errorf("another's %q by name: status %d", path, r.StatusCode)
		}
	}
	if told := c.front.Seen().Told; len(told) != 0 {
		t.Errorf("the daemon was told %+v", told)
	}
}

func TestCOM87WhatAClientNamesIsItsOwn(t *testing.T) {
	c := serveClub(t, "cli:direct", "client:ci/notes", "client:ci-2/notes", "notes")
	ci := c.as("ci", access.Ask)
	for _, body := range []string{
		`{"id":"a","text":"x"}`, `{"id":"b","text":"x","session":"cli:direct"}`, `{"id":"c","text":"x","channel":"irc","chat":"#all"}`,
		`{"id":"d","text":"x","session":"../eve/notes"}`,
	} {
		if r := c.start(ci(post(body))); r.StatusCode != http.StatusAccepted {
			t.Fatalf("%s: status %d", body, r.StatusCode)
		}
	}
	type place struct {
		Session string
		Origin  fsm.Origin
	}
	var got []place
	for _, r := range c.front.Seen().Requests {
		got = append(got, place{r.Session, r.Origin})
	}
	want := []place{
		{"", fsm.Origin{Channel: "client", Chat: "ci/direct"}},
		{"client:ci/cli:direct", fsm.Origin{Channel: "client", Chat: "ci/direct"}},
		{"", fsm.Origin{Channel: "client", Chat: "ci/irc:#all"}},
		{"client:ci/../eve/notes", fsm.Origin{Channel: "client", Chat: "ci/direct"}},
	}
	same(t, want, got)
	var list comm.SessionsBody
	c.do(ci(call{method: "GET", path: "/v1/sessions"}), &list)
	if len(list.Sessions) != 1 || list.Sessions[0].ID != "notes" {
		t.Errorf("sessions %+v", list)
	}
	var said comm.ArchiveBody
	c.do(ci(call{method: "GET", path: "/v1/sessions/notes"}), &said)
	if len(said.Messages) != 1 || said.Messages[0].Message.Text != "said in client:ci/notes" {
		t.Errorf("said %+v", said)
	}
	long := ci(post(`{"text":"x","session":"` + strings.Repeat("s", 120) + `"}`))
	if r := c.start(long); r.StatusCode != http.StatusBadRequest {
		t.Errorf("a session that is too long with the prefix: status %d", r.StatusCode)
	}
}

// So is what it says that a person writes in (COM-111).
func TestCOM87WhatIsWrittenInIsItsOwn(t *testing.T) {
	c := serveClub(t)
	ci := c.as("ci", access.Ask)
	for _, body := range []string{`{}`, `{"session":"notes"}`, `{"channel":"irc","chat":"#all"}`} {
		if r := c.start(ci(call{method: "POST", path: "/v1/typing", body: body})); r.StatusCode != http.StatusOK {
			t.Errorf("%s: status %d", body, r.StatusCode)
		}
	}
	for body, want := range map[string]int{ // order-free: each alone
		`{"session":"` + strings.Repeat("s", 120) + `"}`: http.StatusBadRequest, `{"channel":"a b"}`: http.StatusBadRequest,
		`{"chat":"` + strings.Repeat("c", 2000) + `"}`: http.StatusBadRequest, `{"text":"hello"}`: http.StatusBadRequest,
	} {
		if r := c.start(ci(call{method: "POST", path: "/v1/typing", body: body})); r.StatusCode != want {
			t.Errorf("%.30s: status %d", body, r.StatusCode)
		}
	}
	var got []string
	for _, in := range c.front.Seen().Told {
		got = append(got, in.Fact.(fsm.Typing).Session)
	}
	same(t, []string{"client:ci/direct", "client:ci/notes", "client:ci/irc:#all"}, got)
}

func TestCOM87AClientReadsTheMessagesToItsChats(t *testing.T) {
	c := serveClub(t)
	ci := c.as("ci", access.Ask)
	to := func(n uint64, channel, chat string) engine.Message {
		return engine.Message{Position: n, SendMessage: fsm.SendMessage{To: fsm.Origin{Channel: channel, Chat: chat}, Text: chat}}
	}
	c.front.Send(to(1, "client", "eve/direct"), to(2, "client", "ci/direct"), to(3, "cli", "direct"), to(4, "client", "ci/irc:#all"), to(5, "client", "ci-2/direct"))
	for query, want := range map[string][]string{"": {"direct", "irc:#all"}, "?limit=1": {"direct"}, "?channel=irc&chat=%23all": {"irc:#all"}, "?channel=client&chat=eve/direct": nil} {
		var body comm.MessagesBody
		c.do(ci(call{method: "GET", path: "/v1/messages" + query}), &body)
		var got []string
		for _, m := range body.Messages {
			got = append(got, m.To.Chat)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: %s", query, diff)
		}
	}
}

func TestCOM87AClientDecidesAboutItsOwnRequests(t *testing.T) {
	c := serveClub(t)
	ci, eve := c.as("ci", access.Decide), c.as("eve", access.Decide)
	c.start(ci(post(`{"id":"a","text":"x"}`)))
	c.start(eve(post(`{"id":"b","text":"x"}`)))
	c.front.Stand(comm.Standing{Handle: 1, Request: keyOf("ci", "a")}, comm.Standing{Handle: 2, Request: keyOf("eve", "b")})
	if r := c.start(ci(call{method: "POST", path: "/v1/requests/a/approve", body: `{"key":"k","by":"the boss"}`})); r.StatusCode != http.StatusOK {
		t.Errorf("its own: status %d", r.StatusCode)
	}
	if r := c.start(ci(call{method: "POST", path: "/v1/requests/a/approve", body: `{"key":"k","grant":"always"}`})); r.StatusCode != http.StatusForbidden {
		t.Errorf("for always: status %d", r.StatusCode)
	}
	// The front itself keeps them apart, whatever a package that uses it lets through.
	ctx := comm.WithCaller(t.Context(), comm.Caller{Name: "ci", Rights: access.Rights{access.Decide}})
	if _, err := comm.Owned(c.front).Decide(ctx, fsm.Decided{Handle: 2, Key: "k"}); err == nil {
		t.Error("it has decided about another's request")
	}
	front := comm.Owned(c.front)
	if _, ok, err := front.Request(ctx, keyOf("eve", "b")); ok || err != nil {
		t.Errorf("it reads another's request: %v", err)
	}
	if _, err := front.Watch(ctx, keyOf("eve", "b")); err == nil {
		t.Error("it watches another's request")
	}
	if _, err := front.Cancel(ctx, keyOf("eve", "b")); err == nil {
		t.Error("it cancels another's request")
	}
	if _, err := comm.Owned(c.front).Accept(t.Context(), comm.Request{Key: keyOf("ci", "c"), Text: "x"}); err == nil {
		t.Error("a caller without a name was let in")
	}
	want := []fsm.Input{{Fact: fsm.Decided{Handle: 1, Key: "k", Approve: true, By: "ci"}}}
	same(t, want, c.front.Seen().Told)
}

func TestCOM87AListHasTheCallersOwn(t *testing.T) {
	c := serveClub(t)
	if r := c.start(c.as("ci", access.Ask)(call{method: "GET", path: "/v1/requests?client=local"})); r.StatusCode != http.StatusOK {
		t.Errorf("status %d", r.StatusCode)
	}
	j := journalOf(t, keyOf("local", "m1"), keyOf("ci", "m1"), keyOf("ci", "m2"), keyOf("eve", "m1"))
	c.front.Record(j)
	ids := func(as func(call) call, query string) (got []string) {
		var body comm.RequestsBody
		c.do(as(call{method: "GET", path: "/v1/requests" + query}), &body)
		for _, r := range body.Requests {
			got = append(got, r.Client+" "+r.ID)
		}
		return got
	}
	own := func(one call) call { return one }
	bob := c.as("bob", access.Ask)
	eve := c.as("eve", access.Ask)
	for _, one := range []struct {
		as    func(call) call
		query string
		want  []string
	}{
		{own, "", []string{"eve m1", "ci m2", "ci m1", " m1"}}, {own, "?client=ci", []string{"ci m2", "ci m1"}}, {own, "?client=local", []string{" m1"}},
		{eve, "", []string{" m1"}}, {eve, "?client=ci", []string{" m1"}}, {bob, "", nil},
	} {
		if diff := cmp.Diff(one.want, ids(one.as, one.query)); diff != "" {
			t.Errorf("%q: %s", one.query, diff)
		}
	}
}

func TestCOM88ATokenThatIsTakenBackEndsItsStreams(t *testing.T) {
	c := serveClub(t)
	var made comm.NewToken
	c.do(call{method: "POST", path: "/v1/tokens", body: `{"name":"ci","can":["ask"]}`}, &made)
	as := func(one call) call { return with(one, "Authorization", "Bearer "+made.Token) }
	stream := eventsOf(t, c.start(as(call{method: "POST", path: "/v1/requests?stream=1", body: good})))
	stream.want(comm.Event{Type: comm.EventAccepted, ID: "m1"})
	messages := eventsOf(t, c.start(as(call{method: "GET", path: "/v1/messages/events"})))
	c.await(watching)
	var taken comm.Taken
	if c.do(call{method: "POST", path: "/v1/tokens/ci/revoke", body: "{}"}, &taken); !taken.Taken {
		t.Fatal("it was not taken back")
	}
	for _, s := range []*events{stream, messages} {
		if got := s.last(); !slices.Equal(got, []string{"event: error", `data: {"error":{"code":"unauthorized","message":"the token was revoked","hint":"what was accepted with it is kept; ask with another token"}}`}) {
			t.Errorf("the last event is %q", got)
		}
	}
	if r := c.start(as(call{method: "GET", path: "/v1/requests/m1"})); r.StatusCode != http.StatusUnauthorized {
		t.Errorf("afterwards: status %d", r.StatusCode)
	}
	if c.do(call{method: "POST", path: "/v1/tokens/ci/revoke", body: "{}"}, &taken); taken.Taken {
		t.Error("it was taken back twice")
	}
	var list comm.TokensBody
	if c.do(call{method: "GET", path: "/v1/tokens"}, &list); len(list.Tokens) != 0 {
		t.Errorf("there are still %+v", list)
	}
}

// An answer that waits says that the token is why it has none.
func TestCOM88ATokenThatIsTakenBackEndsItsWaits(t *testing.T) {
	c := serveClub(t)
	var made comm.NewToken
	c.do(call{method: "POST", path: "/v1/tokens", body: `{"name":"ci","can":["ask"]}`}, &made)
	type answer struct {
		status int
		body   comm.ProblemBody
	}
	waited := make(chan answer, 1)
	go func() {
		var a answer
		a.status = c.do(with(call{method: "POST", path: "/v1/requests?wait=1", body: good}, "Authorization", "Bearer "+made.Token), &a.body).StatusCode
		waited <- a
	}()
	c.await(watching)
	c.do(call{method: "POST", path: "/v1/tokens/ci/revoke", body: "{}"}, &comm.Taken{})
	if a := <-waited; a.status != http.StatusUnauthorized || a.body.Error.Message != "the token was revoked" {
		t.Errorf("got %+v; want status 401, body.Error.Message %q", a, "the token was revoked")
	}
}

func TestCOM88WhatIsNotAClientIsRefused(t *testing.T) {
	c := serveClub(t)
	c.as("ci", access.Ask)
	for body, want := range map[string]int{
		`{"name":"ci","can":["ask"]}`: 409, `{"name":"local","can":["ask"]}`: 400, `{"name":"A","can":["ask"]}`: 400, `{"name":"","can":["ask"]}`: 400,
		`{"name":"b","can":[]}`: 400, `{"name":"b"}`: 400, `{"name":"b","can":["anyone"]}`: 400, `{"name":"b","can":["ask"],"token":"x"}`: 400,
	} {
		if r := c.start(call{method: "POST", path: "/v1/tokens", body: body}); r.StatusCode != want {
			t.Errorf("%s: status %d, want %d", body, r.StatusCode, want)
		}
	}
}

func TestCOM96ARequestsSubagentsAreSeenAndEndedByThemselves(t *testing.T) {
	c := serveClub(t)
	ci, eve := c.as("ci", access.Ask), c.as("eve", access.Ask)
	c.start(ci(post(`{"id":"a","text":"x"}`)))
	c.start(eve(post(`{"id":"b","text":"x"}`)))
	sub := func(handle, parent fsm.HandleID) comm.Standing {
		return comm.Standing{Handle: handle, Parent: parent, Subagent: &comm.Subagent{Handle: handle, Task: "look", State: state.Execution, Rounds: 2}}
	}
	c.front.Stand(comm.Standing{Handle: 1, Request: keyOf("ci", "a")}, comm.Standing{Handle: 2, Request: keyOf("eve", "b")}, sub(3, 1), sub(4, 2), sub(5, 1))
	var list comm.SubagentsBody
	c.do(ci(call{method: "GET", path: "/v1/requests/a/subagents"}), &list)
	want := []comm.Subagent{*sub(3, 1).Subagent, *sub(5, 1).Subagent}
	same(t, want, list.Subagents)
	var record comm.Record
	c.do(ci(call{method: "GET", path: "/v1/requests/a"}), &record)
	same(t, want, record.Subagents)
	for path, want := range map[string]int{ // order-free: each is asked alone
		"/v1/requests/a/subagents/5/cancel": http.StatusOK,
		"/v1/requests/a/subagents/4/cancel": http.StatusNotFound, // of eve's
		"/v1/requests/a/subagents/1/cancel": http.StatusNotFound, // the request itself
		"/v1/requests/a/subagents/x/cancel": http.StatusNotFound,
		"/v1/requests/b/subagents/4/cancel": http.StatusNotFound,
	} {
		if r := c.start(ci(call{method: "POST", path: path})); r.StatusCode != want {
			t.Errorf("%s: status %d, want %d", path, r.StatusCode, want)
		}
	}
	if told := c.front.Seen().Told; len(told) != 1 || told[0].Fact != (fsm.CancelRequested{Handle: 5}) {
		t.Errorf("told is %+v", told)
	}
}
