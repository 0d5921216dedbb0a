//go:build failpoint

package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"shelly/runtime/comm"
	"shelly/runtime/comm/client"
	"shelly/runtime/comm/position"
	"shelly/runtime/comm/ws"
	"shelly/runtime/front/mcpserver"
	"shelly/runtime/mcp/wire"
)

// The ways to ask shelly itself, and to come back with a position (COM-90).
const (
	asStream  killAs = "stream"    // server-sent events, with Last-Event-ID
	asSocket  killAs = "websocket" // with after
	asUnix    killAs = "unix"      // as asStream, at the socket of the file system and without a token
	asTask    killAs = "task"      // of MCP's newer protocol, which is asked how it stands
	asOldTask killAs = "old task"  // of its older one, whose result is waited for
)

// killWays are conversations of one client of each kind.
func killWays() [][]*killAsk {
	talk := func(as killAs, letter string, verbs ...string) (list []*killAsk) {
		for n, text := range verbs {
			a := killAsk{id: fmt.Sprint(letter, n+1), session: string(as), as: as}
			a.text = text + " " + a.id
			list = append(list, &a)
		}
		return list
	}
	return [][]*killAsk{
		talk(asStream, "s", "run", "tell", "run"), talk(asSocket, "w", "run", "tell"), talk(asUnix, "x", "tell", "run"), talk(asTask, "m", "run"), talk(asOldTask, "n", "tell"),
		{{id: "u1", session: "datagrams", text: "tell u1", udp: true}},
	}
}

// newKilledWays is newKilled with clients of each kind.
func newKilledWays(t testing.TB) *killed {
	t.Helper()
	dir, err := os.MkdirTemp("", "k") // the path of a socket is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	k := newKilled(t, append(killArgs(), "--set", "limits.max_active=3", "--set", "comm.unix="+filepath.Join(dir, "s"))...)
	k.talks = killWays
	return k
}

// The daemon is killed with SIGKILL at each named point, at its first hit, while a client of
// each kind is attached: by a stream of events, a WebSocket, datagrams, the socket of the file
// system and tasks of MCP. Each comes back to the next process and hears exactly the rest: what
// it has heard in parts is what one hears who asks for all of it afterwards. Nothing is done
// twice (COM-2, COM-5, COM-90, COM-91, COM-93, COM-94, FRT-33).
func TestKilledAtANamedPointEveryClientHearsTheRest(t *testing.T) {
	c := campaign{t: t, world: newKilledWays}
	c.at(firstHits(c.world(t).hits(), 2))
}

// The same holds where it is killed up to three times at random moments.
func TestKilledAtRandomEveryClientHearsTheRest(t *testing.T) {
	c := campaign{t: t, world: newKilledWays}
	c.atRandom(*killsAtRandom / 5)
}

// overWays asks one process, or attaches to what it was asked already.
func (a *killAsk) overWays(ctx context.Context, data string, l life) error {
	at, err := client.ReadEndpoint(data)
	if err != nil {
		return errKilled
	}
	switch a.as {
	case asStream:
		return a.overEvents(ctx, http.DefaultTransport, at.HTTP, l.token)
	case asUnix:
		dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", at.Unix)
		}
		return a.overEvents(ctx, &http.Transport{DialContext: dial, DisableKeepAlives: true}, "unix", "")
	case asSocket:
		return a.overSocket(ctx, at.HTTP, l.token)
	default:
		return a.overTask(ctx, at.HTTP, l.token)
	}
}

// overEvents follows the server-sent events of a request.
func (a *killAsk) overEvents(ctx context.Context, by http.RoundTripper, host, token string) error {
	a.ears.comes()
	method, path := http.MethodPost, "/v1/requests?stream=1"
	body, err := json.Marshal(client.AskRequest{ID: a.id, Session: a.session, Text: a.text})
	if err != nil {
		return err
	}
	if a.acknowledged {
		method, path, body = http.MethodGet, "/v1/requests/"+a.id+"/events", nil
	}
	req, err := http.NewRequestWithContext(ctx, method, "http://"+host+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Last-Event-ID", a.ears.place())
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := by.RoundTrip(req)
	if err != nil {
		return errKilled
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return errKilled
	}
	return killEvents(resp.Body, a.takes)
}

// killEvents reads a stream of events with their positions until one is the last.
func killEvents(stream io.Reader, takes func(e comm.Event, at string) (over bool)) error {
	at := ""
	for lines := bufio.NewScanner(stream); lines.Scan(); {
		name, value, _ := strings.Cut(lines.Text(), ": ")
		switch name {
		case "id":
			at = value
		case "data":
			var e comm.Event
			if err := json.Unmarshal([]byte(value), &e); err != nil {
				return errKilled // in the midst of a line
			}
			if takes(e, at) {
				return nil
			}
			at = ""
		}
	}
	return errKilled
}

// takes hears an event at its position, and says whether it is the reply.
func (a *killAsk) takes(e comm.Event, at string) (over bool) {
	a.acknowledged = true
	a.ears.hear(e, at)
	if e.Type == comm.EventReply {
		a.reply = e.Text
	}
	return e.Type == comm.EventReply
}

// overSocket follows a request over a WebSocket.
func (a *killAsk) overSocket(ctx context.Context, host, token string) error {
	conn, _, err := websocket.Dial(ctx, "ws://"+host+ws.Route, &websocket.DialOptions{HTTPHeader: http.Header{"Authorization": {"Bearer " + token}}})
	if err != nil {
		return errKilled
	}
	defer func() { _ = conn.CloseNow() }()
	a.ears.comes()
	frame := map[string]string{"type": "ask", "id": a.id, "session": a.session, "text": a.text, "after": a.ears.place()}
	if a.acknowledged {
		frame = map[string]string{"type": "follow", "id": a.id, "after": a.ears.place()}
	}
	text, err := json.Marshal(frame)
	if err != nil {
		return err
	}
	if conn.Write(ctx, websocket.MessageText, text) != nil {
		return errKilled
	}
	for {
		_, data, err := conn.Read(ctx)
		if err != nil {
			return errKilled
		}
		var e ws.Event
		if err := json.Unmarshal(data, &e); err != nil || e.Type == "error" {
			a.ears.fail("the frame %s, %v", data, err)
			return errKilled
		}
		if a.takes(e.Event, e.At) {
			return nil
		}
	}
}

// overTask asks by a task of MCP, as the protocol's own library does.
func (a *killAsk) overTask(ctx context.Context, host, token string) error {
	c := sdk.NewClient(&sdk.Implementation{Name: "killed"}, &sdk.ClientOptions{
		Capabilities: &sdk.ClientCapabilities{Extensions: map[string]any{wire.Extension: map[string]any{}}},
	})
	tasks, err := wire.NewClient(c)
	if err != nil {
		return err
	}
	o := &sdk.ClientSessionOptions{}
	if a.as == asOldTask {
		o.ProtocolVersion = "2025-11-25"
	}
	to := &sdk.StreamableClientTransport{Endpoint: "http://" + host + mcpserver.Path, HTTPClient: &http.Client{Transport: killBearer(token)}, DisableStandaloneSSE: true}
	session, err := c.Connect(ctx, to, o)
	if err != nil {
		return errKilled
	}
	defer func() { _ = session.Close() }()
	if _, err := session.ListTools(ctx, nil); err != nil { // it says what may be a task
		return errKilled
	}
	if !a.acknowledged {
		out, err := tasks.Call(ctx, session, "ask", map[string]any{"text": a.text, "id": a.id, "session": a.session}, wire.Answers{})
		if err != nil {
			return errKilled
		}
		if out.Task == nil || out.Task.ID != a.id {
			return fmt.Errorf("the task is %+v", out)
		}
		a.acknowledged = true
	}
	result, err := a.resultOf(ctx, tasks, session)
	if err != nil {
		return errKilled
	}
	a.reply = result.Content[0].(*sdk.TextContent).Text
	return nil
}

// resultOf waits for a task's result.
func (a *killAsk) resultOf(ctx context.Context, tasks *wire.Client, session *sdk.ClientSession) (*sdk.CallToolResult, error) {
	if a.as == asOldTask {
		return tasks.Result(ctx, session, a.id)
	}
	for every := time.NewTicker(resendAfter); ; {
		task, err := tasks.Get(ctx, session, a.id)
		if err != nil {
			return nil, err
		}
		if task.Status.Ended() {
			result := &sdk.CallToolResult{}
			return result, json.Unmarshal(task.Result, result)
		}
		select {
		case <-every.C:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// killBearer shows a token.
type killBearer string

func (b killBearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return (&wire.Sender{Next: http.DefaultTransport}).Send(r)
}

// killEars are what a client has heard of a request, in however many parts (COM-90).
type killEars struct {
	at     string   // the position of the last event
	said   []string // events, but for those that pass
	parts  []int    // where in said each part begins
	texts  []string // of the model calls that have answered or still stream
	call   uint64   // that has streamed last
	wrong  []string
	hushed bool // the reply is heard
}

// place is the position to come back with.
func (e *killEars) place() string { return cmp.Or(e.at, position.Position{}.String()) }

// comes back to hear the rest.
func (e *killEars) comes() { e.parts = append(e.parts, len(e.said)) }

func (e *killEars) fail(format string, args ...any) {
	e.wrong = append(e.wrong, fmt.Sprintf(format, args...))
}

func (e *killEars) hear(heard comm.Event, at string) {
	if _, err := position.Parse(at); err != nil {
		e.fail("%s comes without a position: %v", heard.Type, err)
	}
	if e.hushed {
		e.fail("%s comes after the reply", heard.Type)
	}
	e.at = at
	switch heard.Type {
	case comm.EventAccepted, comm.EventQueued, comm.EventWaiting, comm.EventOutput, comm.EventDeferred, comm.EventHeld: // they pass
	case comm.EventChunk:
		e.chunk(heard)
	default:
		e.hushed = heard.Type == comm.EventReply
		e.said = append(e.said, fmt.Sprint(heard.Type, " ", heard.State, heard.Inference, heard.Tool, heard.Args, heard.Text, heard.Outcome))
	}
}

// chunk puts a piece of a text where it belongs.
func (e *killEars) chunk(heard comm.Event) {
	last := len(e.texts) - 1
	if heard.Whole && last >= 0 {
		e.texts, last = e.texts[:last], last-1
	}
	if heard.Whole || last < 0 || uint64(heard.Call) != e.call {
		e.texts, last = append(e.texts, ""), last+1
	}
	e.call = uint64(heard.Call)
	if heard.From != len(e.texts[last]) {
		e.fail("of call %d, of which %q was heard, a piece comes from %d", heard.Call, e.texts[last], heard.From)
	}
	e.texts[last] += heard.Text
}

// makes reports whether the parts that were heard make the whole. The end of one may have been
// lost with the kill that cut it, and have happened again (COM-94).
func (e *killEars) makes(whole []string) bool {
	var from func(n int, whole []string) bool
	from = func(n int, whole []string) bool {
		if n == len(e.parts)-1 {
			return slices.Equal(e.said[e.parts[n]:], whole)
		}
		part := e.said[e.parts[n]:e.parts[n+1]]
		for kept := len(part); ; kept-- {
			if kept <= len(whole) && slices.Equal(part[:kept], whole[:kept]) && from(n+1, whole[kept:]) {
				return true
			}
			if kept == 0 || !killRepeated.MatchString(part[kept-1]) {
				return false
			}
		}
	}
	return len(e.parts) > 0 && from(0, whole)
}

// killRepeated is what may be lost with a kill and happen again: not the start of a tool that
// has effects (JRN-4), nor a reply.
var killRepeated = regexp.MustCompile(`^(state|tool_result|tool read_file)`)

// checkHeard: who has heard of a request in parts has heard what one hears at once.
func (a *killAsk) checkHeard(t testing.TB, whole killEars) {
	t.Helper()
	if a.as != asStream && a.as != asUnix && a.as != asSocket {
		return
	}
	if len(a.ears.wrong)+len(whole.wrong) > 0 {
		t.Errorf("request %s: %v, and asked again: %v", a.id, a.ears.wrong, whole.wrong)
	}
	if !a.ears.makes(whole.said) || !slices.Equal(a.ears.texts, whole.texts) {
		t.Errorf("request %s: heard in parts from %d up to %s\n%q %q\nand at once, up to %s\n%q %q", a.id, a.ears.parts, a.ears.at, a.ears.said, a.ears.texts, whole.at, whole.said, whole.texts)
	}
	if n := len(whole.texts); n == 0 || whole.texts[n-1] != a.reply {
		t.Errorf("request %s: the texts %q do not end with the reply %q", a.id, whole.texts, a.reply)
	}
}
