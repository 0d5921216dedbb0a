package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/state"
	"shelly/runtime/access"
	"shelly/runtime/comm"
	"shelly/runtime/comm/fronttest"
	"shelly/runtime/comm/idempotency"
	"shelly/runtime/front/asking"
	front "shelly/runtime/front/wire"
	"shelly/runtime/mcp/wire"
)

const token = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// site is a listener with the server, in front of a daemon that the test plays.
type site struct {
	t     *testing.T
	front *fronttest.Front
	url   string
}

func open(t *testing.T, front *fronttest.Front, wait time.Duration) *site {
	t.Helper()
	f := New(front, Options{Version: "test", RequestBytesMax: 1 << 16, Wait: wait})
	h, err := comm.NewHTTP(front, comm.HTTPOptions{Token: token, RequestBytesMax: 1 << 16, Routes: f.Routes(), Dialects: []comm.Dialect{Dialect()}})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return &site{t, front, server.URL + Path}
}

// newer is what goes with each request of 2026-07-28.
const newer = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}}`

// send sends a message as it is, and returns what the answer's result or error is.
func (s *site) send(method, name, params string) (result json.RawMessage, failure string) {
	s.t.Helper()
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":%q,"params":%s}`, method, params)
	req, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.url, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	for k, v := range map[string]string{"Authorization": "Bearer " + token, "Content-Type": "application/json", "Accept": "application/json, text/event-stream"} { // order-free: headers
		req.Header.Set(k, v)
	}
	req.Header.Set("MCP-Protocol-Version", "2025-11-25")
	if strings.Contains(params, "2026-07-28") {
		req.Header.Set("MCP-Protocol-Version", "2026-07-28")
		req.Header.Set("Mcp-Method", method)
		req.Header.Set("Mcp-Name", name)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	last := answered(resp)
	var m struct {
		Result json.RawMessage
		Error  *struct{ Message string }
	}
	if err := json.Unmarshal(last, &m); err != nil {
		s.t.Fatalf("%s: got %s, %v; want no error", resp.Status, last, err)
	}
	if m.Error != nil {
		return nil, m.Error.Message
	}
	return m.Result, ""
}

// answered is the last message of an answer.
func answered(resp *http.Response) (last []byte) {
	if !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		last, _ = io.ReadAll(resp.Body)
		return last
	}
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			last = []byte(data)
		}
	}
	return last
}

func text(t *testing.T, result json.RawMessage) string {
	t.Helper()
	var r sdk.CallToolResult
	if err := json.Unmarshal(result, &r); err != nil || len(r.Content) == 0 {
		t.Fatalf("got %s, %v, %+v; want some r.Content", result, err, r.Content)
	}
	return r.Content[0].(*sdk.TextContent).Text
}

func keyOf(id string) fsm.RequestKey {
	return fsm.RequestKey{Principal: comm.Principal, Channel: Channel, ID: id}
}

func (s *site) accepted() []comm.Request { return s.front.Seen().Requests }

// await waits until a request has been accepted.
func (s *site) await(n int) {
	s.t.Helper()
	if err := s.front.Await(s.t.Context(), func(seen fronttest.Seen) bool { return len(seen.Requests) >= n }); err != nil {
		s.t.Fatal(err)
	}
}

// client is one of the library's, with the tasks that it does not know.
func (s *site) client(older bool) (*sdk.ClientSession, *wire.Client) {
	s.t.Helper()
	c := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, &sdk.ClientOptions{
		Capabilities: &sdk.ClientCapabilities{Extensions: map[string]any{wire.Extension: map[string]any{}}},
	})
	tasks, err := wire.NewClient(c)
	if err != nil {
		s.t.Fatal(err)
	}
	o := &sdk.ClientSessionOptions{}
	if older {
		o.ProtocolVersion = "2025-11-25"
	}
	session, err := c.Connect(s.t.Context(), &sdk.StreamableClientTransport{Endpoint: s.url, HTTPClient: &http.Client{Transport: bearer{}}, DisableStandaloneSSE: true}, o)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = session.Close() })
	return session, tasks
}

type bearer struct{}

func (bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+token)
	return (&wire.Sender{Next: http.DefaultTransport}).Send(r)
}

func TestFRT30TheServerIsGuardedAsTheOtherRoutesAre(t *testing.T) {
	s := open(t, fronttest.New(), 0)
	resp, err := http.Post(s.url, "application/json", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("without a token: %s", resp.Status)
	}
	for _, older := range []bool{true, false} {
		session, tasks := s.client(older)
		list, err := session.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, tool := range list.Tools {
			names = append(names, tool.Name)
		}
		slices.Sort(names)
		if want := []string{"approve", "ask", "cancel", "deny", "request", "requests", "status"}; !slices.Equal(names, want) {
			t.Errorf("the tools are %q", names)
		}
		if !tasks.Tasks(session, "ask") || older && tasks.Tasks(session, "status") {
			t.Errorf("older %v: ask may be no task, or status may", older)
		}
	}
}

func TestFRT31TheSameIDIsTheSameRequest(t *testing.T) {
	s := open(t, fronttest.New(), 0)
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.await(1)
		s.front.Reply(keyOf("m1"), "It is done.", false)
	}()
	for range 2 {
		result, failure := s.send("tools/call", "ask", `{"name":"ask","arguments":{"text":"do it","id":"m1","session":"s"}}`)
		if failure != "" || text(t, result) != "It is done." {
			t.Errorf("it is %s %s", result, failure)
		}
	}
	<-done
	if got := s.accepted(); len(got) != 1 || got[0].Text != "do it" || got[0].Session != "s" || got[0].Key != keyOf("m1") {
		t.Errorf("accepted are %+v", got)
	}
}

// A client that cannot write an id into the arguments, such as shelly mcp, has one all the same.
func TestFRT31TheKeyOfAMessageIsTheIDOfACallWithoutOne(t *testing.T) {
	s := open(t, fronttest.New(), time.Nanosecond)
	for _, c := range []struct{ arguments, want string }{
		{`{"text":"do it"}`, "request k1 "}, {`{"text":"do it"}`, "request k1 "}, {`{"text":"do it","id":"k1"}`, "request k1 "},
		{`{"text":"do it","id":"m1"}`, "the id and the Idempotency-Key differ"}, {`{"text":"do that"}`, "another request has this id and another text, session or chat; send it with a new id"},
	} {
		call := `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"ask","arguments":` + c.arguments + `}}`
		if got, err := s.post("", call, idempotency.Header, "k1"); err != nil || !strings.Contains(got, c.want) {
			t.Errorf("%s: got %s, %v; want %s", c.arguments, got, err, c.want)
		}
	}
	batch := `[{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"ask","arguments":{"text":"do this"}}}]`
	if got, err := s.post("", batch, idempotency.Header, "k1", "Mcp-Protocol-Version", "2025-03-26"); err != nil || strings.Contains(got, "k1") {
		t.Errorf("in a batch: got %s, %v", got, err)
	}
	if got := s.accepted(); len(got) != 2 || got[0].Key != keyOf("k1") || got[1].Text != "do this" {
		t.Errorf("accepted are %+v", got)
	}
}

func TestFRT32WhatTakesLongIsNamedByItsID(t *testing.T) {
	s := open(t, fronttest.New(), time.Nanosecond)
	result, _ := s.send("tools/call", "ask", `{"name":"ask","arguments":{"text":"do it","id":"m1"}}`)
	if got := text(t, result); !strings.Contains(got, "request m1") || !strings.Contains(got, "Call request") {
		t.Errorf("it is %q", got)
	}
	s.front.Reply(keyOf("m1"), "error: it broke", true)
	result, _ = s.send("tools/call", "request", `{"name":"request","arguments":{"id":"m1"}}`)
	if got := text(t, result); got != "error: it broke" || !strings.Contains(string(result), `"isError":true`) || !strings.Contains(string(result), `"state":"failed"`) {
		t.Errorf("later it is %s", result)
	}
	if result, _ := s.send("tools/call", "request", `{"name":"request","arguments":{"id":"m2"}}`); !strings.Contains(text(t, result), `there is no request "m2"`) {
		t.Errorf("another is %s", result)
	}
}

func TestFRT31AToolThatNeedsAnIDSaysSo(t *testing.T) {
	s := open(t, fronttest.New(), time.Second)
	for _, tool := range []string{"request", "approve", "deny", "cancel"} {
		result, _ := s.send("tools/call", tool, fmt.Sprintf(`{"name":%q,"arguments":{}}`, tool))
		if got := text(t, result); !strings.HasPrefix(got, "id is missing; ") || !strings.Contains(string(result), `"isError":true`) {
			t.Errorf("%s without an id: %s", tool, result)
		}
	}
}

// ending is a daemon that stops once it has accepted a request.
type ending struct{ *fronttest.Front }

// Standings implements [comm.Front].
func (ending) Standings(context.Context) ([]comm.Standing, error) { return nil, engine.ErrStopping }

// A client that gave no id finds its answer after the next start.
func TestFRT32ARequestIsNamedWhenShellyStops(t *testing.T) {
	front := fronttest.New()
	v := visit{Front: New(ending{front}, Options{Wait: time.Nanosecond}), caller: comm.Local(), came: t.Context()}
	res, err := v.ask(v.as(t.Context()), &sdk.CallToolRequest{Params: &sdk.CallToolParamsRaw{}}, arguments{Text: "do it"})
	if err != nil || !res.IsError {
		t.Fatalf("got %+v, %v; want IsError", res, err)
	}
	if got, id := res.Content[0].(*sdk.TextContent).Text, front.Seen().Accepted[0]; !strings.Contains(got, "request "+id+" is kept") || !strings.Contains(got, engine.ErrStopping.Error()) {
		t.Errorf("got %s; want %q and %q", got, "request "+id+" is kept", engine.ErrStopping)
	}
}

// awaited is a daemon whose events end with the wait for them.
type awaited struct{ *fronttest.Front }

// Watch implements [comm.Front].
func (awaited) Watch(ctx context.Context, _ fsm.RequestKey) (<-chan comm.Event, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// It is not the end of the wait that is said, but why it ended.
func TestFRT32ACallWhoseConnectionEndsSaysWhy(t *testing.T) {
	came, end := context.WithCancelCause(t.Context())
	end(&comm.Problem{Code: comm.CodeUnknownOutcome, Message: "the client has closed its side"})
	v := visit{Front: New(awaited{fronttest.New()}, Options{}), caller: comm.Local(), came: came}
	res, err := v.ask(v.as(t.Context()), &sdk.CallToolRequest{Params: &sdk.CallToolParamsRaw{}}, arguments{Text: "do it"})
	if err != nil || !res.IsError {
		t.Fatalf("got %+v, %v; want IsError", res, err)
	}
	if got := res.Content[0].(*sdk.TextContent).Text; !strings.HasSuffix(got, ": the client has closed its side") {
		t.Errorf("got %s", got)
	}
}

// gone is a daemon that has stopped.
type gone struct{ ending }

// Request implements [comm.Front].
func (gone) Request(context.Context, fsm.RequestKey) (engine.Request, bool, error) {
	return engine.Request{}, false, engine.ErrStopping
}

// A client that is told that there is no task would forget it.
func TestFRT4AStoppedDaemonDoesNotSayThatATaskIsUnknown(t *testing.T) {
	v := visit{Front: New(gone{ending{fronttest.New()}}, Options{}), caller: comm.Local(), came: t.Context()}
	ctx := v.as(t.Context())
	_, got := v.stands(ctx, "m1", wire.Abilities{})
	_, result := v.result(ctx, nil, "m1")
	_, cancelled := v.cancelTask(ctx, "m1")
	for _, err := range []error{got, result, cancelled, v.update(ctx, "m1", nil)} {
		if of, is := errors.AsType[*jsonrpc.Error](err); !is || of.Code != jsonrpc.CodeInternalError || !strings.HasPrefix(of.Message, engine.ErrStopping.Error()+"; nothing has happened") {
			t.Errorf("got %#v; want code %d: %s", err, jsonrpc.CodeInternalError, engine.ErrStopping)
		}
	}
}

// A task's client learns that the task is kept.
func TestFRT33ATaskIsNamedWhenItIsNoLongerWaitedFor(t *testing.T) {
	came, stop := context.WithCancelCause(t.Context())
	front := fronttest.New()
	v := visit{Front: New(front, Options{}), caller: comm.Local(), came: came}
	ctx := v.as(t.Context())
	if _, err := v.accept(ctx, arguments{Text: "do it", ID: "m1"}); err != nil {
		t.Fatal(err)
	}
	stop(engine.ErrStopping)
	_, err := v.result(ctx, nil, "m1")
	if of, is := errors.AsType[*jsonrpc.Error](err); !is || of.Code != jsonrpc.CodeInternalError || !strings.Contains(of.Message, "request m1 is kept") {
		t.Errorf("got %#v", err)
	}
}

// post sends a message of a client with more headers, and returns the answer's last message.
func (s *site) post(client, body string, headers ...string) (string, error) {
	req, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.url, strings.NewReader(body))
	if err != nil {
		return "", err
	}
	req.Header = http.Header{
		"Authorization": {"Bearer " + token}, "Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
		"Mcp-Protocol-Version": {"2025-11-25"}, ClientHeader: {client},
	}
	for pair := range slices.Chunk(headers, 2) {
		req.Header.Set(pair[0], pair[1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	return string(answered(resp)), nil
}

// A name that no header can hold is encoded in it (SEP-2243).
func TestFRT30ANameMayBeEncodedInItsHeader(t *testing.T) {
	s := open(t, fronttest.New(), 0)
	for header, want := range map[string]string{ // order-free: each is sent alone
		wire.HeaderText("a\nb"): `unknown tool "a\nb"`, "=?base64?YQpi?=": `unknown tool "a\nb"`, "=?base64?Yg==?=": "header mismatch", "=?base64?YQpi": "header mismatch", "=?base64?-?=": "header mismatch",
	} {
		if _, failure := s.send("tools/call", header, `{"name":"a\nb",`+newer+`}`); !strings.Contains(failure, want) {
			t.Errorf("%s: %s, want %s", header, failure, want)
		}
	}
}

// In versions in which the library lets a call go on after its HTTP request, too.
func TestFRT6ACallWhoseTokenIsRevokedSaysSo(t *testing.T) {
	for version, meta := range map[string]string{ // order-free: each is alone
		"2025-11-25": "",
		"2026-07-28": `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`,
	} {
		f := fronttest.New()
		s := asking.Serve(t, f, New(f, Options{RequestBytesMax: 1 << 16}).Routes(), Dialect())
		got := s.Revoked("POST", Path, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"ask","arguments":{"text":"do it","id":"m1"}`+meta+`}}`,
			"Accept", "application/json, text/event-stream", "MCP-Protocol-Version", version, "Mcp-Method", "tools/call", "Mcp-Name", "ask")
		if !strings.Contains(got.Body, "request m1 is kept") || !strings.Contains(got.Body, "the token was revoked") {
			t.Errorf("%s: got %d %s", version, got.Status, got.Body)
		}
	}
}

// A client that has gone takes no place of those that wait.
func TestFRT32ACallThatItsClientLeavesWaitsNoLonger(t *testing.T) {
	s := open(t, fronttest.New(), 0)
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, strings.NewReader(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"ask","arguments":{"text":"do it"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = http.Header{"Authorization": {"Bearer " + token}, "Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
	left := make(chan error, 1)
	go func() {
		resp, err := http.DefaultClient.Do(req)
		if err == nil {
			_ = resp.Body.Close()
		}
		left <- err
	}()
	within, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for _, watching := range []int{1, 0} {
		if err := s.front.Await(within, func(seen fronttest.Seen) bool { return len(seen.Requests) == 1 && seen.Watching == watching }); err != nil {
			t.Fatalf("%d watch, not %d: %v", s.front.Seen().Watching, watching, err)
		}
		leave()
	}
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// So many wait for the result of a task, too: each holds a connection of the listener, which has room
// for a few hundred.
func TestFRT32OnlySoManyWaitForTheResultOfATask(t *testing.T) {
	front := fronttest.New()
	f := New(front, Options{})
	v := visit{Front: f, caller: comm.Local(), came: t.Context()}
	if _, err := v.accept(v.as(t.Context()), arguments{Text: "do it", ID: "m1"}); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, WaitsMax)
	for range WaitsMax {
		go func() {
			_, err := v.result(t.Context(), nil, "m1")
			ended <- err
		}()
	}
	if err := front.Await(t.Context(), func(seen fronttest.Seen) bool { return seen.Watching == WaitsMax }); err != nil {
		t.Fatal(err)
	}
	within, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if _, err := v.result(within, nil, "m1"); err == nil || !strings.Contains(err.Error(), "too many calls wait") {
		t.Errorf("one more waits: %v", err)
	}
	front.Reply(keyOf("m1"), "It is done.", false)
	for range WaitsMax {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	for range 2 * WaitsMax { // a result that is there needs no place, and each place is free again
		if _, err := v.result(t.Context(), nil, "m1"); err != nil {
			t.Fatal(err)
		}
	}
	if len(f.waits) != 0 {
		t.Errorf("%d places are still taken", len(f.waits))
	}
}

// Cancelling a call ends its request, and none of another client's call with the same id.
func TestFRT32ACancelledCallCancelsItsRequest(t *testing.T) {
	s := open(t, fronttest.New(), 0)
	answers := make(chan error, 2)
	for _, client := range []string{"a", "b"} {
		go func() {
			_, err := s.post(client, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"ask","arguments":{"text":"do it","id":"of-`+client+`"}}}`)
			answers <- err
		}()
	}
	if err := s.front.Await(t.Context(), func(seen fronttest.Seen) bool { return seen.Watching == 2 }); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ client, id string }{{"a", "8"}, {"c", "7"}, {"a", "7"}} {
		if got, err := s.post(c.client, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":`+c.id+`}}`); got != "" || err != nil {
			t.Errorf("the notification is answered with %s, %v", got, err)
		}
	}
	if told := s.front.Seen().Told; len(told) != 1 || told[0].Fact != (fsm.CancelRequested{Request: keyOf("of-a")}) {
		t.Errorf("told is %+v", told)
	}
	for _, client := range []string{"a", "b"} {
		s.front.Reply(keyOf("of-"+client), "It is over.", false)
		if err := <-answers; err != nil {
			t.Error(err)
		}
	}
}

// The notification may overtake its call.
func TestFRT32ACallThatWasCancelledBeforeItBeganIsCancelled(t *testing.T) {
	front := fronttest.New()
	f := New(front, Options{Wait: time.Nanosecond})
	key := callKey{comm.Principal, "a", "7"}
	c, end := f.calls.begin(key)
	defer end()
	if _, waits := f.calls.withdraw(key); waits {
		t.Error("it waits already")
	}
	v := visit{Front: f, caller: comm.Local(), call: c, came: t.Context()}
	if _, err := v.ask(v.as(t.Context()), &sdk.CallToolRequest{Params: &sdk.CallToolParamsRaw{}}, arguments{Text: "do it", ID: "m1"}); err != nil {
		t.Fatal(err)
	}
	if told := front.Seen().Told; len(told) != 1 || told[0].Fact != (fsm.CancelRequested{Request: keyOf("m1")}) {
		t.Errorf("told is %+v", told)
	}
}

// A client that asks for progress gets it.
func TestFRT32AClientHearsHowItsCallGoesOn(t *testing.T) {
	front := fronttest.New()
	s := open(t, front, 0)
	heard := make(chan string, 10)
	c := sdk.NewClient(&sdk.Implementation{Name: "test"}, &sdk.ClientOptions{ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
		heard <- r.Params.Message
	}})
	session, err := c.Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: s.url, HTTPClient: &http.Client{Transport: bearer{}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	go func() {
		if <-heard != "queued" {
			return
		}
		front.Say(keyOf("m1"), comm.Event{Type: comm.EventState, State: state.Queued, Decision: &comm.Decision{Verdict: comm.Refused, By: "ann", Reason: "not on a Friday"}})
		if <-heard == "refused by ann: not on a Friday" { // APR-24
			front.Reply(keyOf("m1"), "It is done.", false)
		}
	}()
	p := &sdk.CallToolParams{Name: "ask", Arguments: map[string]any{"text": "do it", "id": "m1"}}
	p.SetProgressToken("p1")
	if res, err := session.CallTool(t.Context(), p); err != nil || res.IsError {
		t.Errorf("got %+v, %v; want not IsError", res, err)
	}
}

// A task's id is its request's, so the task survives a restart.
func TestFRT33ATaskIsItsRequest(t *testing.T) {
	for _, older := range []bool{true, false} {
		front := fronttest.New()
		session, tasks := open(t, front, 0).client(older)
		if _, err := session.ListTools(t.Context(), nil); err != nil { // which says what may be a task
			t.Fatal(err)
		}
		out, err := tasks.Call(t.Context(), session, "ask", map[string]any{"text": "do it", "id": "m1"}, wire.Answers{})
		if err != nil || out.Task == nil || out.Task.ID != "m1" || out.Task.Status != wire.Working {
			t.Fatalf("older %v: it is %+v, %v", older, out.Task, err)
		}
		session, tasks = open(t, front, 0).client(older) // another process
		if task, err := tasks.Get(t.Context(), session, "m1"); err != nil || task.Status != wire.Working {
			t.Errorf("older %v: it stands %+v, %v", older, task, err)
		}
		front.Reply(keyOf("m1"), "It is done.", false)
		task, err := tasks.Get(t.Context(), session, "m1")
		if err != nil || task.Status != wire.Completed || !older && !strings.Contains(string(task.Result), "It is done.") {
			t.Errorf("older %v: it ends %+v, %v", older, task, err)
		}
		if older {
			if res, err := tasks.Result(t.Context(), session, "m1"); err != nil || res.Content[0].(*sdk.TextContent).Text != "It is done." {
				t.Errorf("its result is %+v, %v", res, err)
			}
		}
		if _, err := tasks.Get(t.Context(), session, "m2"); err == nil || !strings.Contains(err.Error(), "there is no task \"m2\"; the tool requests") {
			t.Errorf("another: %v", err)
		}
	}
}

// stands makes a request wait for a person.
func (s *site) stands(id string) {
	s.front.Stand(comm.Standing{Handle: 3, Request: keyOf(id), Phase: state.Approving, Asks: &comm.Ask{Question: fsm.QuestionApprove, Handle: 3, Key: "k1", Tool: "exec", Args: `{"command":"ls"}`}})
}

// Whoever asks for more than this call is not told that it was approved for it alone.
func TestFRT34AnApprovalOfAnUnknownScopeDecidesNothing(t *testing.T) {
	s := open(t, fronttest.New(), time.Nanosecond)
	s.send("tools/call", "ask", `{"name":"ask","arguments":{"text":"do it","id":"m1"}}`)
	s.stands("m1")
	for _, grant := range []string{"forever", "Always", "session "} {
		result, _ := s.send("tools/call", "approve", `{"name":"approve","arguments":{"id":"m1","grant":"`+grant+`"}}`)
		if want := "the grant is not one of once, session, always; leave it out for the one call"; !strings.Contains(string(result), `"isError":true`) || text(t, result) != want {
			t.Errorf("%s: got %s; want an error: %s", grant, result, want)
		}
	}
	if told := s.front.Seen().Told; len(told) != 0 {
		t.Errorf("told is %+v, want nothing", told)
	}
	if result, _ := s.send("tools/call", "approve", `{"name":"approve","arguments":{"id":"m1","grant":"once"}}`); text(t, result) != "Approved." {
		t.Errorf("once: got %s; want it approved", result)
	}
}

func TestCOM114AnAnswerThatWasForgottenIsNotEmpty(t *testing.T) {
	got := replied(engine.Request{Key: keyOf("m1"), Done: true, Outcome: fsm.OutcomeAnswered, Forgotten: true})
	if text := got.Content[0].(*sdk.TextContent).Text; text != "The session of this request was forgotten, and its answer with it." || got.IsError {
		t.Errorf("got %q, %v; want that it was forgotten", text, got.IsError)
	}
}

// A misspelt key must not decide about whichever call waits.
func TestFRT3AnUnknownArgumentOfAToolIsRefused(t *testing.T) {
	s := open(t, fronttest.New(), time.Nanosecond)
	s.send("tools/call", "ask", `{"name":"ask","arguments":{"text":"do it","id":"m1"}}`)
	s.stands("m1")
	for _, c := range []struct{ name, arguments, want string }{
		{"approve", `{"id":"m1","kye":"k0"}`, `unknown field "kye"`},
		{"approve", `{"id":"m1","Key":"k0"}`, `unknown field "Key"`},
		{"approve", `{"id":"m1","key":7}`, `"key" is a number; send a text`},
		{"deny", `{"id":"m1","grant":"always"}`, `unknown field "grant"`},
		{"ask", `{"text":"do it","sesion":"s"}`, `unknown field "sesion"`},
		{"requests", `{"id":"m1"}`, `unknown field "id"`},
	} {
		result, _ := s.send("tools/call", c.name, `{"name":"`+c.name+`","arguments":`+c.arguments+`}`)
		if !strings.Contains(string(result), `"isError":true`) || !strings.Contains(text(t, result), c.want) {
			t.Errorf("%s %s: got %s; want an error with %q", c.name, c.arguments, result, c.want)
		}
	}
	if _, failure := s.send("tools/call", "approve", `{"name":"approve","arguments":{"id":"m1","key":"k1","key":"k0"}}`); failure != `"params.arguments.key" is given twice` {
		t.Errorf("a name given twice: %s", failure)
	}
	if _, failure := s.send("tools/call", "ask", `{"name":"ask","arguments":{"text":"do it","sesion":"s"},`+newer+`}`); !strings.Contains(failure, `unknown field "sesion"`) {
		t.Errorf("as a task: %s", failure)
	}
	if seen := s.front.Seen(); len(seen.Told) != 0 || len(seen.Accepted) != 1 {
		t.Errorf("told %+v, accepted %+v", seen.Told, seen.Accepted)
	}
}

// Whatever refuses a message, the answer is one of the protocol and has the request's id.
func TestFRT4ARefusedMessageIsAnsweredInTheProtocol(t *testing.T) {
	s := open(t, fronttest.New(), time.Nanosecond)
	for _, c := range []struct {
		body, header string
		status       int
		want         string
	}{
		{`{"jsonrpc":"2.0","id":1,"method":"ping"}`, "Authorization: x", 401, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"the token is missing or wrong; `},
		{`{"jsonrpc":"2.0","id":1,"method":"ping"}`, "Content-Encoding: gzip", 415, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"the body has the Content-Encoding \"gzip\"; `},
		{`{"jsonrpc":"2.0","id":1,"method":"ping"}`, "Content-Type: text/plain", 415, `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"Content-Type must be 'application/json'"}}`},
		{`{"jsonrpc":"2.0","id":"a","method":"ping"}`, "Accept: application/json", 400, `{"jsonrpc":"2.0","id":"a","error":{"code":-32600,"message":"Accept must contain`},
		{`{"jsonrpc":"2.0","id":1,"method":"ping"}`, "MCP-Protocol-Version: 1999-01-01", 400, `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"Bad Request: Unsupported protocol version`},
		{`{"jsonrpc":"2.0","id":1,"method":"x/y","params":{}}`, "", 200, `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"method not found: \"x/y\" unsupported"}}`},
		{`{"jsonrpc":"2.0","method":"x/y"}`, "", 400, `{"jsonrpc":"2.0","error":{"code":-32601,"message":"method not found: \"x/y\" unsupported"}}`},
		{`{"jsonrpc":"2.0","id":1}`, "", 400, `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"the message has an id and no method; name the method"}}`},
		{`{"jsonrpc":"2.0","id":"a","method":null,"params":{}}`, "", 400, `{"jsonrpc":"2.0","id":"a","error":{"code":-32600,"message":"the message has an id and no method; name the method"}}`},
		{`[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2}]`, "", 400, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"\"[1]\" has an id and no method; name the method"}}`},
		{`{"jsonrpc":"2.0","id":1,"result":null}`, "", 202, ""},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, "", 400, `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"invalid request: missing required \"params\""}}`},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":"x"}`, "", 400, `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"\"params\" is a text; send an object"}}`},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","arguments":"x"}}`, "", 400, `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"\"params.arguments\" is a text; send an object"}}`},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","arguments":{"text":"hi"},"task":5}}`, "", 400, `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"\"params.task\" is a number; send an object"}}`},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"status","task":{}}}`, "", 200, `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"\"status\" cannot run as a task; leave task out"}}`},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","task":{}}}`, "", 200, `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"\"text\" is missing or empty; say what shelly should do"}}`},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask"}}`, "", 200, `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"\"text\" is missing or empty; say what shelly should do"}],"isError":true}}`},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","name":"deny"}}`, "", 400, `{"jsonrpc":"2.0","error":{"code":-32700,"message":"\"params.name\" is given twice"}}`},
		{`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"clientInfo":{"name":"x","version":1}}}`, "", 400, `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"\"params.clientInfo.version\" is a number; send a text"}}`},
		{`{"jsonrpc":"2.0","id":{},"method":"ping"}`, "", 400, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"\"id\" is an object; send a text or a number"}}`},
		{`{"jsonrpc":"2.0","id":1795803201123456789,"method":"ping"}`, "", 400, `{"jsonrpc":"2.0","id":1795803201123456789,"error":{"code":-32600,"message":"\"id\" is not a whole number from -2^53 to 2^53; send such a number, or a text"}}`},
		{`{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, "", 400, `{"jsonrpc":"2.0","id":9007199254740993,"error":{"code":-32600,"message":"\"id\" is not a whole number`},
		{"[" + strings.Repeat(`{"jsonrpc":"2.0","method":"notifications/cancelled"},`, 100) + `{"jsonrpc":"2.0","id":1,"method":"ping"}]`, "", 400, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"the message is a batch of 101 messages; send at most 100 at once`},
		{`[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}]`, "", 400, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"\"[1].id\" is not a whole number`},
		{`{"jsonrpc":"2.0","id":1e3,"method":"x/y","params":{}}`, "", 200, `{"jsonrpc":"2.0","id":1e3,"error":`},
		{`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, "", 400, `{"jsonrpc":"2.0","id":1.5,"error":{"code":-32600,"message":"\"id\" is not a whole number`},
		{`{"jsonrpc":"2.0","id":9007199254740992,"method":"x/y","params":{}}`, "", 200, `{"jsonrpc":"2.0","id":9007199254740992,"error":`},
		{`{"jsonrpc":"2.0","id":"a\ud800","method":"ping"}`, "", 400, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"\"id\" holds U+FFFD, or what is read as that`},
		{`[{"jsonrpc":"2.0","id":"\udfff","method":"ping"}]`, "", 400, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"\"[0].id\" holds U+FFFD`},
		{`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"progressToken":"\ud800"}}}`, "", 400, `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"\"params._meta.progressToken\" holds U+FFFD`},
		{`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"progressToken":9007199254740993}}}`, "", 400, `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"\"params._meta.progressToken\" is not a whole number`},
		{`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"progressToken":{}}}}`, "", 400, `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"\"params._meta.progressToken\" is an object; send a text or a number"}}`},
		{`{"jsonrpc":2.0,"id":1,"method":"ping"}`, "", 400, `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"\"jsonrpc\" is a number; send a text"}}`},
		{`{"jsonrpc":"2.0"`, "", 400, `{"jsonrpc":"2.0","error":{"code":-32700,"message":"the message ends too early at byte 16"}}`},
		{`"x"`, "", 400, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"the message is a text; send an object"}}`},
		{`{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("x", 1<<16) + `"}`, "", 413, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"the message is longer than 65536 bytes; `},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"requests","arguments":null}}`, "", 200, `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"No request is unfinished."}]`},
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url, strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header = http.Header{"Authorization": {"Bearer " + token}, "Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
		if name, value, is := strings.Cut(c.header, ": "); is {
			req.Header.Set(name, value)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		got, kind := string(answered(resp)), resp.Header.Get("Content-Type")
		_ = resp.Body.Close()
		if resp.StatusCode != c.status || !strings.HasPrefix(got, c.want) || c.status >= 400 && !strings.HasPrefix(kind, "application/json") {
			t.Errorf("%.99s %s: %d %s %s\nwant %d %s", c.body, c.header, resp.StatusCode, kind, got, c.status, c.want)
		}
	}
}

func TestFRT4AMessageThatIsMalformedIsNotOneThatWasCutOff(t *testing.T) {
	f := New(fronttest.New(), Options{RequestBytesMax: 1 << 10})
	for _, c := range []struct {
		broken error
		want   comm.Code
	}{
		{io.ErrUnexpectedEOF, comm.CodeIncomplete},
		{errors.New("malformed chunked encoding"), comm.CodeBadRequest},
	} {
		err := f.serve(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, Path, iotest.ErrReader(c.broken)))
		if got := comm.ProblemOf(err).Code; got != c.want {
			t.Errorf("%v: %v (%s); want %s", c.broken, err, got, c.want)
		}
	}
}

func TestAPR22AQuestionIsReadInTheOrderInWhichItRuns(t *testing.T) {
	for _, kind := range []fsm.Question{fsm.QuestionApprove, fsm.QuestionUnknown} {
		if got := question(&comm.Ask{Question: kind, Tool: "exec", Args: "{\"command\":\"a\u202eb\"}"}); !strings.Contains(got, `{"command":"a\u202eb"}`) {
			t.Errorf("%s: it is %q", kind, got)
		}
	}
}

func TestAPR25AQuestionSaysHowMuchItDoesNotShow(t *testing.T) {
	got := question(&comm.Ask{Question: fsm.QuestionApprove, Tool: "exec", Args: strings.Repeat("a", 500) + "rm", Text: "b\u202e"})
	if want := strings.Repeat("a", 500) + "… [2 more bytes are not shown]? b\\u202e"; !strings.HasSuffix(got, want) {
		t.Errorf("it is %q, want %q at its end", got, want)
	}
}

func TestFRT34ADecisionIsTheCallers(t *testing.T) {
	s := open(t, fronttest.New(), time.Nanosecond)
	for _, name := range []string{"approve", "deny"} {
		result, _ := s.send("tools/call", name, `{"name":"`+name+`","arguments":{"id":"m1"}}`)
		if !strings.Contains(text(t, result), `there is no request "m1" in channel "mcp"; name its channel if it came another way`) || !strings.Contains(string(result), `"isError":true`) {
			t.Errorf("%s of an unknown request: %s", name, result)
		}
	}
	s.stands("m1")
	result, _ := s.send("tools/call", "ask", `{"name":"ask","arguments":{"text":"do it","id":"m1"}}`)
	if got := text(t, result); !strings.Contains(got, `may exec run with {"command":"ls"}?`) || !strings.Contains(got, "Call approve or deny") {
		t.Errorf("it is %q", got)
	}
	result, _ = s.send("tools/call", "requests", `{"name":"requests","arguments":{}}`)
	if got := text(t, result); !strings.Contains(got, "m1 (mcp): waiting_approval") {
		t.Errorf("they are %q", got)
	}
	for _, c := range []struct{ call, want string }{
		{`{"name":"approve","arguments":{"id":"m1","key":"k0"}}`, "is not waiting for this decision"},
		{`{"name":"approve","arguments":{"id":"m1","grant":"session"}}`, "Approved."},
		{`{"name":"deny","arguments":{"id":"m1"}}`, "Denied."},
		{`{"name":"deny","arguments":{"id":"m1","reason":"use staging"}}`, "Denied."},
		{`{"name":"deny","arguments":{"id":"m1","reason":"` + strings.Repeat("a", 2001) + `"}}`, "longer than 2000 bytes"},
	} {
		name, _, _ := strings.Cut(strings.TrimPrefix(c.call, `{"name":"`), `"`)
		if result, _ := s.send("tools/call", name, c.call); !strings.Contains(text(t, result), c.want) {
			t.Errorf("%s: got %s; want %q", c.call, result, c.want)
		}
	}
	told := fmt.Sprintf("%+v", s.front.Seen().Told)
	if !strings.Contains(told, "Handle:3 Key:k1 Approve:true By:local Grant:session") || !strings.Contains(told, "Handle:3 Key:k1 Approve:false By:local Grant: Reason:}") ||
		!strings.Contains(told, "Handle:3 Key:k1 Approve:false By:local Grant: Reason:use staging}") {
		t.Errorf("told is %s", told)
	}
}

// Who may not decide learns that, and who can; so does who is asked what only shelly request resolve answers.
func TestFRT34WhoMayNotDecideLearnsWhoMay(t *testing.T) {
	played := fronttest.New()
	key := fsm.RequestKey{Principal: "ci", Channel: Channel, ID: "m 1"}
	if _, err := played.Accept(t.Context(), comm.Request{Key: key, Text: "do it"}); err != nil {
		t.Fatal(err)
	}
	lacks := "the token of ci does not give the right decide; make a token that does with: shelly token add NAME --can decide"
	for _, c := range []struct {
		right    access.Right
		question fsm.Question
		next     string
		decided  string
	}{
		{access.Ask, fsm.QuestionApprove, "Your token may not answer this. A person can, with: shelly request approve 'm 1' --channel mcp.", lacks},
		{access.Decide, fsm.QuestionApprove, "Call approve or deny with this id, then request for the answer.", "Approved."},
		{access.Decide, fsm.QuestionUnknown, "Once it is answered, call request with this id for the answer.", "Nothing has changed: the request is not waiting for this decision."},
	} {
		played.Stand(comm.Standing{Handle: 3, Request: key, Phase: state.Approving, Asks: &comm.Ask{Question: c.question, Handle: 3, Key: "k1", Tool: "exec"}})
		v := visit{Front: New(played, Options{}), caller: comm.Caller{Name: "ci", Rights: access.Rights{c.right}}, came: t.Context()}
		ctx := v.as(t.Context())
		shown, err := v.request(ctx, nil, arguments{ID: key.ID})
		if text := fmt.Sprint(shown.Content[0].(*sdk.TextContent).Text); err != nil || !strings.Contains(text, c.next) {
			t.Errorf("%s, %s: it is %q, %v; want %q", c.right, c.question, text, err, c.next)
		}
		decided, err := v.decide(true)(ctx, nil, arguments{ID: key.ID})
		if text := decided.Content[0].(*sdk.TextContent).Text; err != nil || text != c.decided {
			t.Errorf("%s, %s: it is %q, %v; want %q", c.right, c.question, text, err, c.decided)
		}
	}
}

func TestFRT35ATasksQuestionIsAskedOfItsClient(t *testing.T) {
	s := open(t, fronttest.New(), 0)
	if _, failure := s.send("tools/call", "ask", `{"name":"ask","arguments":{"text":"do it","id":"m1"},`+newer+`}`); failure != "" {
		t.Fatal(failure)
	}
	s.stands("m1")
	result, _ := s.send("tasks/get", "m1", `{"taskId":"m1",`+newer+`}`)
	for _, want := range []string{`"status":"input_required"`, `"decide-k1"`, `"method":"elicitation/create"`, `may exec run`} {
		if !strings.Contains(string(result), want) {
			t.Errorf("it lacks %s: %s", want, result)
		}
	}
	for said, want := range map[string]string{ // order-free: each is sent alone
		`{"action":"accept","content":{"approve":true}}`:                           "Approve:true",
		`{"action":"accept","content":{"approve":false}}`:                          "Approve:false",
		`{"action":"accept","content":{"approve":false,"reason":" use staging "}}`: "Approve:false By:local Grant: Reason:use staging}",
		`{"action":"accept","content":{"approve":true,"reason":"  "}}`:             "Approve:true By:local Grant: Reason:}",
		`{"action":"accept","content":{"approve":true,"reason":"not now"}}`:        "error: only a refusal has a reason",
		`{"action":"accept","content":{"reason":"not now"}}`:                       "error: only a refusal has a reason",
		`{"action":"accept","content":null}`:                                       "Approve:true",
		`{"action":"accept","content":{"approve":"false"}}`:                        `error: "content.approve" is a text; send true or false`,
		`{"action":"accept","content":{"Approve":false}}`:                          `error: unknown field "content.Approve"`,
		`{"action":"accept","content":{"aprove":false}}`:                           `error: unknown field "content.aprove"`,
		`{"action":"accept","content":[false]}`:                                    `error: "content" is a list; send an object`,
		`{"action":"decline","content":{"approve":true}}`:                          "Approve:false",
		`{"action":"decline"}`:                                                     "Approve:false",
		`{"action":"decline","Action":"accept"}`:                                   "Approve:false",
		`{"action":"cancel"}`:                                                      "",
		`{"action":"Accept"}`:                                                      "error: send accept, decline or cancel",
		`{}`:                                                                       "error: the answer to decide-k1: its action is none that is known",
		`true`:                                                                     "error: send an object",
	} {
		before := len(s.front.Seen().Told)
		_, failure := s.send("tasks/update", "m1", `{"taskId":"m1","inputResponses":{"decide-k1":`+said+`,"other":{}},`+newer+`}`)
		told := fmt.Sprintf("%+v", s.front.Seen().Told[before:])
		if why, fails := strings.CutPrefix(want, "error: "); fails {
			if !strings.Contains(failure, why) || told != "[]" {
				t.Errorf("%s: got %q, told is %s; want %q and nothing told", said, failure, told, why)
			}
			continue
		}
		if failure != "" {
			t.Fatal(failure)
		}
		if want == "" && told != "[]" || !strings.Contains(told, want) {
			t.Errorf("%s: told is %s", said, told)
		}
	}
}

// Whatever a client sends, it is answered with a message of the protocol, under its own id, or with
// nothing if it asks for nothing (FRT-30).
func FuzzMessages(f *testing.F) {
	for _, text := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"a","version":"1"}}}`,
		`{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"ask","arguments":{"text":"Hi"},"task":{}}}`, `{"jsonrpc":"2.0","id":1e3,"method":"tasks/get","params":{"taskId":"t"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","arguments":{"text":"Hi"},` + newer + `}}`, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`,
		`[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":1,"method":"ping"}]`, `{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","id":null,"method":"shelly/call"}`, "[]", "[[]]", "null",
		`{"jsonrpc":"2.0","id":1,"method":"tasks/update","params":{"taskId":"t","inputResponses":{"a":7}}}`, `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"x"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"a"}}}`, `{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"no"}}`,
	} {
		f.Add([]byte(text), false)
		f.Add([]byte(text), true)
	}
	f.Fuzz(func(t *testing.T, body []byte, later bool) {
		sent, err := front.Parse(body)
		if err == nil && strings.Contains(fmt.Sprint(sent), "listen") {
			return // which would wait
		}
		played := fronttest.New()
		played.Refuse(engine.ErrBusy)
		h, err := comm.NewHTTP(played, comm.HTTPOptions{
			Token: token, RequestBytesMax: 1 << 16, Routes: New(played, Options{Version: "test", RequestBytesMax: 1 << 16}).Routes(), Dialects: []comm.Dialect{Dialect()},
		})
		if err != nil {
			t.Fatal(err)
		}
		socket := context.WithValue(t.Context(), http.LocalAddrContextKey, &net.UnixAddr{Name: "shelly", Net: "unix"}) // where any Host is the listener's
		r := httptest.NewRequestWithContext(socket, http.MethodPost, "http://shelly"+Path, bytes.NewReader(body))
		r.Header = http.Header{"Authorization": {"Bearer " + token}, "Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Mcp-Protocol-Version": {"2025-03-26"}}
		if later {
			r.Header.Set("MCP-Protocol-Version", "2026-07-28")
			r.Header.Set("Mcp-Method", sent.Member("method").Text)
			r.Header.Set("Mcp-Name", sent.Member("params").Member("name").Text)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code >= 500 || w.Code == http.StatusUnauthorized || w.Code == http.StatusForbidden {
			t.Fatalf("got %d %s; want less than 500", w.Code, w.Body)
		}
		if w.Code == http.StatusAccepted && w.Body.Len() == 0 {
			return
		}
		last := answered(w.Result())
		got, err := front.Parse(last)
		if err != nil || got.Kind == front.Object && got.Member("jsonrpc").Text != "2.0" {
			t.Fatalf("got %d %q, %v; want JSON-RPC 2.0", w.Code, last, err)
		}
		if id := sent.Member("id"); w.Code == http.StatusOK && sent.Kind == front.Object && got.Member("id").Text != id.Text && id.Kind == front.String {
			t.Errorf("%q is answered under the id %q", id.Text, got.Member("id").Text)
		}
	})
}
