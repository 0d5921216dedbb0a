package acp

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"shelly/fsm"
	"shelly/runtime/comm"
	"shelly/runtime/comm/client"
	"shelly/runtime/front/rpc"
	"shelly/runtime/front/wire"
	"shelly/runtime/session"
)

// fake is a daemon that the test controls.
type fake struct {
	down     error
	play     func(ctx context.Context, d *fake, r client.AskRequest, each func(comm.Event)) (client.Reply, error)
	archive  []session.Archived
	requests []comm.Record
	images   map[string][][]byte // of requests

	mu        sync.Mutex
	opened    []string // sessions in which a person will soon write
	forgotten []string // sessions
	cancelled chan string
	decided   chan client.Decision
	next      chan struct{} // lets what is played go on
	failures  int           // of what a person says, before it is heard
}

func newFake() *fake {
	d := &fake{}
	d.open()
	return d
}

// open makes the channels, which belong to the bubble that they are made in.
func (d *fake) open() {
	d.cancelled, d.decided, d.next = make(chan string, 9), make(chan client.Decision, 9), make(chan struct{}, 9)
}

func (d *fake) Status(context.Context) (comm.Status, error) {
	return comm.Status{Workspace: "/work"}, d.down
}

func (d *fake) Ask(ctx context.Context, r client.AskRequest, each func(comm.Event)) (client.Reply, error) {
	return d.play(ctx, d, r, each)
}

func (d *fake) Typing(_ context.Context, r client.AskRequest) (bool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.opened = append(d.opened, r.Session+" "+r.Channel)
	return true, d.down
}

func (d *fake) Attach(ctx context.Context, id, channel string, each func(comm.Event)) (client.Reply, error) {
	return d.play(ctx, d, client.AskRequest{ID: id, Channel: channel}, each)
}

func (d *fake) fails() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.failures == 0 {
		return nil
	}
	d.failures--
	return client.ErrNotRunning
}

func (d *fake) Cancel(_ context.Context, id, channel string) (bool, error) {
	if err := d.fails(); err != nil {
		return false, err
	}
	d.cancelled <- id + " " + channel
	return true, nil
}

func (d *fake) Decide(_ context.Context, about client.About, in client.Decision) (bool, error) {
	if err := d.fails(); err != nil {
		return false, err
	}
	d.decided <- in
	return true, nil
}

func (d *fake) Requests(context.Context, comm.Wanted) (comm.RequestsBody, error) {
	return comm.RequestsBody{Requests: append([]comm.Record{}, d.requests...)}, d.down
}

func (d *fake) Sessions(context.Context) ([]session.Listed, error) {
	return []session.Listed{{ID: "acp-1", Last: 1, At: 1000}, {ID: "cli:direct", Last: 1, At: 9000}, {ID: "acp-2", Last: 1, At: 5000}, {ID: "acp-3"}}, d.down
}

func (d *fake) Archive(_ context.Context, id string, after uint64, _ int) ([]session.Archived, error) {
	if id == "other" {
		return nil, &client.Error{Problem: comm.Problem{Code: comm.CodeNotFound, Message: "there is no session"}}
	}
	if after > 0 {
		return nil, nil
	}
	return d.archive, nil
}

func (d *fake) ForgetSession(_ context.Context, id string) (int, error) {
	d.forgotten = append(d.forgotten, id)
	if id == "acp-nobody" {
		return 0, &client.Error{Problem: comm.Problem{Code: comm.CodeNotFound, Message: "there is no session"}}
	}
	return 1, d.down
}

func (d *fake) Images(_ context.Context, r comm.Record) ([][]byte, error) { return d.images[r.ID], nil }

const (
	initialize = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"fs":{"readTextFile":true}},"clientInfo":{"name":"ed","version":"1"}}}`
	greeted    = `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{"loadSession":true,"promptCapabilities":{"image":true,"audio":false,"embeddedContext":true},` +
		`"mcpCapabilities":{"http":false,"sse":false},"sessionCapabilities":{"close":{},"delete":{},"list":{},"resume":{}}},"agentInfo":{"name":"shelly","title":"shelly","version":"test"},"authMethods":[]}}`
	load     = `{"jsonrpc":"2.0","id":1,"method":"session/load","params":{"sessionId":"acp-s","cwd":"/work","mcpServers":[]}}`
	loaded   = `{"jsonrpc":"2.0","id":1,"result":{}}`
	offered  = `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"acp-s","update":{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"new","description":"remember this conversation and start a new one"},{"name":"status","description":"show what is running"},{"name":"help","description":"show the commands"}]}}}`
	prompt   = `{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"acp-s","prompt":[{"type":"text","text":"Hello."}]}}`
	finished = `{"jsonrpc":"2.0","id":2,"result":{"stopReason":"REASON","_meta":{"shelly/request":"r"}}}`
)

func reason(of string) string { return strings.Replace(finished, "REASON", of, 1) }

func updated(update string) string {
	return `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"acp-s","update":` + update + `}}`
}

func failure(id, code, text string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"error":{"code":` + code + `,"message":"` + text + `"}}`
}

// next is a line of a conversation at which the test's next action follows.
const next = "next"

// anything is an expected line with any content.
const anything = "<"

// served plays a conversation after the greeting: lines that begin with < are expected, all
// others are sent. Ids of requests are random and so are replaced by r. Time is virtual: an hour is
// over as soon as all wait for each other, and then no line comes any more.
func served(t *testing.T, d *fake, lines ...string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { serve(t, d, lines) })
}

func serve(t *testing.T, d *fake, lines []string) {
	t.Helper()
	d.open()
	read, write := io.Pipe()
	out, to := io.Pipe()
	a := newAgent(d, slog.New(slog.DiscardHandler))
	a.version, a.pause, a.newID = "test", func(ctx context.Context) error { return ctx.Err() }, func() string { return "r" }
	a.conn = rpc.New(a, to, rpc.Options{})
	ended := make(chan error, 1)
	go func() { ended <- a.conn.Serve(t.Context(), read); _ = to.Close() }()
	lines = append([]string{initialize, "<" + greeted}, lines...)
	sent := make(chan string, len(lines))
	go func() { // beside it: who answers does not read meanwhile
		for line := range sent {
			_, _ = io.WriteString(write, line+"\n")
		}
		_ = write.Close()
	}()
	defer time.AfterFunc(time.Hour, func() { _ = to.Close() }).Stop()
	heard := bufio.NewScanner(out)
	for _, line := range lines {
		want, awaited := strings.CutPrefix(line, "<")
		if line == next {
			d.next <- struct{}{}
		} else if !awaited {
			sent <- line
		} else if !heard.Scan() || heard.Text() != want && line != anything {
			t.Errorf("heard %s\n not %s", heard.Text(), want)
		}
	}
	close(sent)
	for heard.Scan() {
		t.Errorf("an unexpected message: %s", heard.Text())
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestFRT46TheVersionIsAgreedOn(t *testing.T) {
	newer := strings.Replace(initialize, `"protocolVersion":1`, `"protocolVersion":2`, 1)
	served(t, newFake(), newer, "<"+greeted,
		`{"jsonrpc":"2.0","id":3,"method":"initialize","params":{"protocolVersion":"1"}}`, "<"+failure("3", "-32602", "protocolVersion is a text; send a number"),
		`{"jsonrpc":"2.0","id":4,"method":"fs/read_text_file"}`, "<"+failure("4", "-32601", `there is no method \"fs/read_text_file\"`),
		`{"jsonrpc":"2.0","method":"session/unknown"}`)
}

func TestFRT46NothingIsAnsweredBeforeTheGreeting(t *testing.T) {
	a := newAgent(newFake(), slog.New(slog.DiscardHandler))
	if _, err := a.Request("1", "session/new", wire.Value{}); err == nil || err.Error() != "send initialize first" {
		t.Error(err)
	}
}

func TestFRT47ASessionIsBegunWhereShellyWorks(t *testing.T) {
	d := newFake()
	begin := func(cwd string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"` + cwd + `","mcpServers":[{"name":"x","command":"x","args":[],"env":[]}]}}`
	}
	served(t, d, begin("/work/sub"), `<{"jsonrpc":"2.0","id":1,"result":{"sessionId":"acp-r"}}`, "<"+strings.Replace(offered, "acp-s", "acp-r", 1),
		begin("/elsewhere"), "<"+failure("1", "-32602", "shelly works in /work, and /elsewhere is not in it; start shelly with --workspace /elsewhere, or open a folder in that workspace"),
		begin("work"), "<"+failure("1", "-32602", "cwd is missing, or is not an absolute path"))
	d.down = client.ErrNotRunning
	served(t, d, begin("/work"), "<"+failure("1", "-32603", "shelly is not running; start it with: shelly run"))
	d.down = &client.Error{Problem: comm.Problem{Code: comm.CodeUnauthorized, Message: "the token is wrong", Hint: "put it back"}}
	served(t, d, begin("/work"), "<"+failure("1", "-32603", "the token is wrong: put it back"))
}

// Whoever opens a session will soon write in it (COM-111); the editor does not learn whether the daemon could be told.
func TestFRT47TheDaemonIsToldOfAnOpenSession(t *testing.T) {
	d := newFake()
	begin := `{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}`
	served(t, d, begin, `<{"jsonrpc":"2.0","id":1,"result":{"sessionId":"acp-r"}}`, "<"+strings.Replace(offered, "acp-s", "acp-r", 1),
		load, "<"+loaded, "<"+offered, strings.Replace(load, "acp-s", "other", 1), "<"+failure("1", "-32002", `there is no session \"other\"`))
	slices.Sort(d.opened)
	if want := []string{"acp-r acp", "acp-s acp"}; !slices.Equal(d.opened, want) {
		t.Errorf("told of %q, want %q", d.opened, want)
	}
}

// What was said is sent before the answer, and what is still running after it.
func TestFRT48ASessionIsLoaded(t *testing.T) {
	d := newFake()
	d.archive = []session.Archived{{Number: 1, Turn: fsm.HandleID(4).Entry(), Message: fsm.Message{Role: fsm.RoleUser, Text: "Hi."}}, {Number: 2, Turn: fsm.HandleID(4).Entry(), Message: fsm.Message{Role: fsm.RoleAssistant, Text: "Yes."}}}
	d.requests = []comm.Record{
		{ID: "r2", Channel: "acp", Handle: 9, Text: "Go on."},
		{ID: "r3", Channel: "acp", Handle: 8, Text: "What?", Done: true}, // it has failed, and is not in the archive
		{ID: "r1", Channel: "acp", Handle: 4, Text: "Hi."},               // it was archived since
		{ID: "r0", Channel: "acp", Handle: 3, Done: true}, {ID: "x", Channel: "http", Handle: 5},
	}
	d.play = func(_ context.Context, _ *fake, r client.AskRequest, each func(comm.Event)) (client.Reply, error) {
		if r.ID == "r3" {
			return client.Reply{ID: r.ID, Text: "error: no", IsError: true, Outcome: fsm.OutcomeFailed}, nil
		}
		each(comm.Event{Type: comm.EventChunk, Call: 7, Text: "So."})
		each(comm.Event{Type: comm.EventReply, Text: "So."})
		return client.Reply{ID: r.ID, Text: "So.", Outcome: fsm.OutcomeAnswered}, nil
	}
	told := []string{
		load, "<" + updated(`{"sessionUpdate":"user_message_chunk","messageId":"acp-s-1","content":{"type":"text","text":"Hi."}}`),
		"<" + updated(`{"sessionUpdate":"agent_message_chunk","messageId":"acp-s-2","content":{"type":"text","text":"Yes."}}`),
		"<" + updated(`{"sessionUpdate":"user_message_chunk","messageId":"r3-asked","content":{"type":"text","text":"What?"}}`),
		"<" + updated(`{"sessionUpdate":"agent_message_chunk","messageId":"r3-failed","content":{"type":"text","text":"error: no"}}`), "<" + loaded, "<" + offered,
		"<" + updated(`{"sessionUpdate":"user_message_chunk","messageId":"r2-asked","content":{"type":"text","text":"Go on."}}`),
		"<" + updated(`{"sessionUpdate":"agent_message_chunk","messageId":"r2-7","content":{"type":"text","text":"So."}}`),
	}
	served(t, d, told...)
	d.requests = nil
	resume := strings.Replace(load, "session/load", "session/resume", 1)
	served(t, d, resume, "<"+loaded, "<"+offered)
	served(t, d, strings.Replace(load, "acp-s", "other", 1), "<"+failure("1", "-32002", `there is no session \"other\"`))
}

// An image is shown as one as long as the journal has it, and as its mark afterwards.
func TestFRT48ImagesAreSentAgain(t *testing.T) {
	d := newFake()
	png := [][]byte{[]byte("\x89PNG\r\n\x1a\n")}
	d.archive = []session.Archived{
		{Number: 1, Turn: "h3", Message: fsm.Message{Role: fsm.RoleUser, Text: "[image]\nOld."}},
		{Number: 2, Turn: "h4", Message: fsm.Message{Role: fsm.RoleUser, Text: "[image]\nSee."}},
		{Number: 3, Turn: "h2", Message: fsm.Message{Role: fsm.RoleUser, Text: "[image]\nGone."}},
	}
	d.requests = []comm.Record{
		{ID: "r2", Channel: "acp", Handle: 5, Text: "And this?"},
		{ID: "r1", Channel: "acp", Handle: 4, Text: "See.", Done: true}, {ID: "r0", Channel: "acp", Handle: 3, Text: "Old.", Done: true},
	}
	d.images = map[string][][]byte{"r1": png, "r2": png}
	d.play = func(context.Context, *fake, client.AskRequest, func(comm.Event)) (client.Reply, error) {
		return client.Reply{Outcome: fsm.OutcomeAnswered}, nil
	}
	asked := func(id, content string) string {
		return "<" + updated(`{"sessionUpdate":"user_message_chunk","messageId":"`+id+`","content":`+content+`}`)
	}
	image := `{"type":"image","data":"iVBORw0KGgo=","mimeType":"image/png"}`
	served(t, d, load, asked("acp-s-1", `{"type":"text","text":"[image]\nOld."}`), asked("acp-s-2", image), asked("acp-s-2", `{"type":"text","text":"See."}`),
		asked("acp-s-3", `{"type":"text","text":"[image]\nGone."}`), "<"+loaded, "<"+offered, asked("r2-asked", image), asked("r2-asked", `{"type":"text","text":"And this?"}`))
}

func TestFRT48SessionsAreListed(t *testing.T) {
	d := newFake()
	d.archive = []session.Archived{{Number: 1, Message: fsm.Message{Role: fsm.RoleUser, Text: "[image]\n[image]\nHi.\nmore"}}}
	list := `{"jsonrpc":"2.0","id":1,"method":"session/list","params":{}}`
	served(t, d, list, `<{"jsonrpc":"2.0","id":1,"result":{"sessions":[{"sessionId":"acp-2","cwd":"/work","title":"Hi.","updatedAt":"1970-01-01T00:00:05Z"},`+
		`{"sessionId":"acp-1","cwd":"/work","title":"Hi.","updatedAt":"1970-01-01T00:00:01Z"}]}}`,
		strings.Replace(list, "{}", `{"cursor":"acp-2","cwd":"/work/sub"}`, 1),
		`<{"jsonrpc":"2.0","id":1,"result":{"sessions":[{"sessionId":"acp-1","cwd":"/work/sub","title":"Hi.","updatedAt":"1970-01-01T00:00:01Z"}]}}`,
		strings.Replace(list, "{}", `{"cwd":"/elsewhere"}`, 1), `<{"jsonrpc":"2.0","id":1,"result":{"sessions":[]}}`,
		strings.Replace(list, "{}", `{"cursor":"other"}`, 1), "<"+failure("1", "-32602", "the cursor is not one that was given out"))
}

func TestFRT48ARequestThatWasCancelledIsNotLeftWithoutAWord(t *testing.T) {
	d := newFake()
	d.requests = []comm.Record{
		{ID: "r2", Channel: "acp", Handle: 9, Text: "Running."}, // another editor cancels it
		{ID: "r1", Channel: "acp", Handle: 8, Text: "Waiting.", Done: true},
	}
	d.play = func(_ context.Context, _ *fake, r client.AskRequest, _ func(comm.Event)) (client.Reply, error) {
		return client.Reply{ID: r.ID, Text: "cancelled", IsError: true, Outcome: fsm.OutcomeCancelled}, nil
	}
	said := func(kind, id, text string) string {
		return "<" + updated(`{"sessionUpdate":"`+kind+`","messageId":"`+id+`","content":{"type":"text","text":"`+text+`"}}`)
	}
	served(t, d, load, said("user_message_chunk", "r1-asked", "Waiting."), said("agent_message_chunk", "r1-cancelled", "[no answer: cancelled]"), "<"+loaded, "<"+offered,
		said("user_message_chunk", "r2-asked", "Running."), said("agent_message_chunk", "r2-cancelled", "[no answer: cancelled]"))
}

// A thread whose first turn runs, waits for a person or has failed is in no archive, and an editor that
// was restarted finds it nowhere else.
func TestFRT48ASessionIsListedBeforeItsFirstTurnIsArchived(t *testing.T) {
	d := newFake()
	d.archive = []session.Archived{{Number: 1, Message: fsm.Message{Role: fsm.RoleUser, Text: "Hi."}}}
	d.requests = []comm.Record{ // the latest first
		{ID: "r6", Channel: "acp", InSession: "acp-1", Text: "Later.", Accepted: 8000},
		{ID: "r5", Channel: "http", InSession: "acp-5", Text: "Not an editor's.", Accepted: 7000},
		{ID: "r4", Channel: "acp", InSession: "work", Text: "Not an editor's session.", Accepted: 7000},
		{ID: "r3", Channel: "acp", InSession: "acp-4", Text: "Failed.", Accepted: 2000, Replied: 3000, Done: true, IsError: true},
		{ID: "r2", Channel: "acp", InSession: "acp-3", Text: "Second.", Accepted: 6000},
		{ID: "r1", Channel: "acp", InSession: "acp-3", Text: "First.\nmore", Accepted: 4000},
	}
	served(t, d, `{"jsonrpc":"2.0","id":1,"method":"session/list","params":{}}`, `<{"jsonrpc":"2.0","id":1,"result":{"sessions":[`+
		`{"sessionId":"acp-1","cwd":"/work","title":"Hi.","updatedAt":"1970-01-01T00:00:08Z"},`+
		`{"sessionId":"acp-3","cwd":"/work","title":"First.","updatedAt":"1970-01-01T00:00:06Z"},`+
		`{"sessionId":"acp-2","cwd":"/work","title":"Hi.","updatedAt":"1970-01-01T00:00:05Z"},`+
		`{"sessionId":"acp-4","cwd":"/work","title":"Failed.","updatedAt":"1970-01-01T00:00:03Z"}]}}`)
}

func TestFRT49APromptIsARequestAndItsEndIsAnswered(t *testing.T) {
	d := newFake()
	var asked client.AskRequest
	d.play = func(_ context.Context, _ *fake, r client.AskRequest, each func(comm.Event)) (client.Reply, error) {
		asked = r
		each(comm.Event{Type: comm.EventAccepted})
		each(comm.Event{Type: comm.EventChunk, Call: 7, Text: "He"})
		each(comm.Event{Type: comm.EventReply, Text: "Hello."})
		return client.Reply{ID: "r", Text: "Hello.", Outcome: fsm.OutcomeAnswered}, nil
	}
	served(t, d, load, "<"+loaded, "<"+offered, prompt,
		"<"+updated(`{"sessionUpdate":"agent_message_chunk","messageId":"r-7","content":{"type":"text","text":"He"}}`),
		"<"+updated(`{"sessionUpdate":"agent_message_chunk","messageId":"r-7","content":{"type":"text","text":"llo."}}`), "<"+reason("end_turn"))
	if asked.Session != "acp-s" || asked.Channel != "acp" || asked.Text != "Hello." {
		t.Errorf("got %+v; want Session %q, Channel %q, Text %q", asked, "acp-s", "acp", "Hello.")
	}
	named := strings.Replace(prompt, `"prompt":`, `"_meta":{"shelly/request":"r7"},"prompt":`, 1)
	served(t, d, load, "<"+loaded, "<"+offered, named,
		"<"+updated(`{"sessionUpdate":"agent_message_chunk","messageId":"r7-7","content":{"type":"text","text":"He"}}`),
		"<"+updated(`{"sessionUpdate":"agent_message_chunk","messageId":"r7-7","content":{"type":"text","text":"llo."}}`), "<"+strings.Replace(reason("end_turn"), `"r"`, `"r7"`, 1))
	served(t, d, prompt, "<"+failure("2", "-32002", `the session \"acp-s\" is not open; load it first`))
}

// A member of another type is not read as a text, nor as one that is missing.
func TestFRT49WhatIsWrongWithAMemberIsSaid(t *testing.T) {
	d := newFake()
	served(t, d, load, "<"+loaded, "<"+offered,
		strings.Replace(prompt, `"acp-s"`, "5", 1), "<"+failure("2", "-32602", "sessionId is a number; send a text"),
		strings.Replace(prompt, `"sessionId":"acp-s",`, "", 1), "<"+failure("2", "-32602", "sessionId is missing; session/new and session/list give one"),
		strings.Replace(prompt, `"acp-s"`, `"acp-s","_meta":{"shelly/request":["r"]}`, 1), "<"+failure("2", "-32602", "_meta.shelly/request is a list; send a text"),
		`{"jsonrpc":"2.0","id":3,"method":"session/delete","params":{}}`, "<"+failure("3", "-32602", "sessionId is missing; session/new and session/list give one"))
}

func TestFRT49ARequestIsFollowedOnce(t *testing.T) {
	d := newFake()
	d.play = func(_ context.Context, d *fake, r client.AskRequest, _ func(comm.Event)) (client.Reply, error) {
		<-d.next
		return client.Reply{ID: r.ID, Outcome: fsm.OutcomeAnswered}, nil
	}
	served(t, d, load, "<"+loaded, "<"+offered, prompt, strings.Replace(prompt, `"id":2`, `"id":3`, 1),
		"<"+failure("3", "-32600", `the request \"r\" is already being followed`), next, "<"+reason("end_turn"))
}

func TestFRT49PromptsAreAcceptedInTheirOrder(t *testing.T) {
	d := newFake()
	order := make(chan string, 9)
	d.play = func(_ context.Context, d *fake, r client.AskRequest, each func(comm.Event)) (client.Reply, error) {
		order <- r.ID
		if r.ID == "r0" {
			<-d.next // its connection is slow
		}
		each(comm.Event{Type: comm.EventAccepted})
		return client.Reply{ID: r.ID, Outcome: fsm.OutcomeAnswered}, nil
	}
	lines := []string{load, "<" + loaded, "<" + offered}
	for n := range 8 {
		lines = append(lines, strings.Replace(prompt, `"prompt":`, fmt.Sprintf(`"_meta":{"shelly/request":"r%d"},"prompt":`, n), 1))
	}
	lines = append(lines, `{"jsonrpc":"2.0","id":5,"method":"x"}`, "<"+failure("5", "-32601", `there is no method \"x\"`), next)
	lines = append(lines, slices.Repeat([]string{anything}, 8)...)
	served(t, d, lines...)
	for n := range 8 {
		if got := <-order; got != fmt.Sprint("r", n) {
			t.Errorf("%s is sent as the %d.", got, n)
		}
	}
}

// An error is in the words of the side that reports it.
func TestFRT54AnErrorIsInPlainWords(t *testing.T) {
	for _, tt := range []struct {
		accepted bool
		reply    client.Reply
		err      error
		want     string
	}{
		{true, client.Reply{Text: "error: the model x is not there", IsError: true, Outcome: fsm.OutcomeFailed}, nil, "error: the model x is not there"},
		{false, client.Reply{}, client.ErrNotRunning, "shelly is not running; start it with: shelly run"},
		{false, client.Reply{}, &client.Error{Problem: comm.Problem{Code: comm.CodeTooLarge, Message: "the body is too large", Hint: "send less"}}, "the body is too large: send less; the limit is request_bytes_max"},
		{true, client.Reply{}, client.ErrInterrupted, "shelly has stopped. It keeps this request (r) and continues it after its next start; load the session then"},
	} {
		d := newFake()
		d.play = func(_ context.Context, _ *fake, _ client.AskRequest, each func(comm.Event)) (client.Reply, error) {
			if tt.accepted {
				each(comm.Event{Type: comm.EventAccepted})
			}
			return tt.reply, tt.err
		}
		served(t, d, load, "<"+loaded, "<"+offered, prompt, "<"+failure("2", "-32603", tt.want))
	}
}

const (
	args     = `{"command":"ls"}`
	called   = `{"sessionUpdate":"tool_call","toolCallId":"r-call-1","title":"exec: ls","kind":"execute","status":"pending","rawInput":{"command":"ls"}}`
	question = `{"jsonrpc":"2.0","id":1,"method":"session/request_permission","params":{"sessionId":"acp-s","toolCall":{"toolCallId":"r-call-1","title":"exec: ls","kind":"execute","status":"pending","rawInput":{"command":"ls"}},` +
		`"options":[{"optionId":"once","name":"Allow once","kind":"allow_once"},{"optionId":"session","name":"Allow in this session: this very call","kind":"allow_always"},` +
		`{"optionId":"always","name":"Allow always: this very call","kind":"allow_always"},{"optionId":"reject","name":"Reject","kind":"reject_once"}]}}`
	ran = `{"sessionUpdate":"tool_call_update","toolCallId":"r-call-1","status":"in_progress"}`
)

var asks = comm.Event{Type: comm.EventQuestion, Question: fsm.QuestionApprove, Handle: 4, Key: "k", Tool: "exec", Args: args}

func answer(option string) string {
	return `{"jsonrpc":"2.0","id":1,"result":{"outcome":{"outcome":"selected","optionId":"` + option + `"}}}`
}

// The choice of the editor's person is the decision, which is sent again until the daemon has
// received it, also if the daemon was killed in between and asks again.
func TestFRT53ThePersonInTheEditorDecides(t *testing.T) {
	d := newFake()
	d.failures = 3
	d.play = func(_ context.Context, d *fake, _ client.AskRequest, each func(comm.Event)) (client.Reply, error) {
		each(asks)
		if in := <-d.decided; in != (client.Decision{Key: "k", Approve: true, Grant: fsm.GrantSession}) {
			t.Errorf("decided is %+v", in)
		}
		each(asks) // killed before it was durable
		<-d.decided
		each(comm.Event{Type: comm.EventTool, Tool: "exec", Args: args})
		each(comm.Event{Type: comm.EventReply, IsError: true, Text: "x"})
		return client.Reply{Outcome: fsm.OutcomeCancelled}, nil
	}
	served(t, d, load, "<"+loaded, "<"+offered, prompt, "<"+updated(called), "<"+question, answer("session"), "<"+updated(ran),
		"<"+updated(`{"sessionUpdate":"tool_call_update","toolCallId":"r-call-1","status":"failed"}`), "<"+reason("cancelled"))
}

// A question that is answered elsewhere is withdrawn, and one that cannot be shown stays open.
func TestFRT53AQuestionIsTakenBack(t *testing.T) {
	d := newFake()
	d.play = func(_ context.Context, d *fake, _ client.AskRequest, each func(comm.Event)) (client.Reply, error) {
		each(asks)
		<-d.next
		each(comm.Event{Type: comm.EventTool, Tool: "exec", Args: args})
		each(comm.Event{Type: comm.EventToolResult, Tool: "exec"})
		return client.Reply{Outcome: fsm.OutcomeAnswered}, nil
	}
	begun := []string{load, "<" + loaded, "<" + offered, prompt, "<" + updated(called), "<" + question}
	ends := []string{"<" + updated(ran), "<" + updated(`{"sessionUpdate":"tool_call_update","toolCallId":"r-call-1","status":"completed"}`), "<" + reason("end_turn")}
	served(t, d, slices.Concat(begun, []string{next, `<{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":1}}`}, ends)...)
	served(t, d, slices.Concat(begun, []string{`{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"unknown method"}}`,
		"<" + updated(`{"sessionUpdate":"agent_thought_chunk","messageId":"r-k","content":{"type":"text","text":"[shelly waits for approval: shelly request approve r --channel acp]"}}`),
		next}, ends)...)
}

// An editor that answers a question with cancelled has its prompt ended, without a session/cancel.
func TestFRT53CancelledEndsTheRequest(t *testing.T) {
	d := newFake()
	d.play = func(_ context.Context, d *fake, _ client.AskRequest, each func(comm.Event)) (client.Reply, error) {
		each(asks)
		if got := <-d.cancelled; got != "r acp" {
			t.Errorf("cancelled is %s", got)
		}
		each(comm.Event{Type: comm.EventReply, IsError: true, Outcome: fsm.OutcomeCancelled})
		return client.Reply{Outcome: fsm.OutcomeCancelled, IsError: true}, nil
	}
	served(t, d, load, "<"+loaded, "<"+offered, prompt, "<"+updated(called), "<"+question, `{"jsonrpc":"2.0","id":1,"result":{"outcome":{"outcome":"cancelled"}}}`,
		"<"+updated(`{"sessionUpdate":"tool_call_update","toolCallId":"r-call-1","status":"failed"}`), "<"+reason("cancelled"))
}

// An editor can end the request in two ways, of which the second names the message with the prompt. The
// daemon is told until it has received it, also if that came before the daemon had the request.
func TestFRT55CancelIsHeard(t *testing.T) {
	for name, cancel := range map[string]string{
		"the session": `{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"acp-s"}}`,
		"the prompt":  `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":2}}`,
	} {
		t.Run(name+" before it is accepted", func(t *testing.T) { cancels(t, cancel, false) })
		t.Run(name+" while it runs", func(t *testing.T) { cancels(t, cancel, true) })
	}
}

func cancels(t *testing.T, cancel string, first bool) {
	d := newFake()
	d.failures = 2
	d.play = func(_ context.Context, d *fake, _ client.AskRequest, each func(comm.Event)) (client.Reply, error) {
		if !first {
			<-d.next
		}
		each(comm.Event{Type: comm.EventChunk, Call: 7, Text: "He"})
		if got := <-d.cancelled; got != "r acp" {
			t.Errorf("cancelled is %s", got)
		}
		return client.Reply{Text: "cancelled", Outcome: fsm.OutcomeCancelled, IsError: true}, nil
	}
	said := "<" + updated(`{"sessionUpdate":"agent_message_chunk","messageId":"r-7","content":{"type":"text","text":"He"}}`)
	lines := []string{load, "<" + loaded, "<" + offered, prompt}
	if first {
		lines = append(lines, said, cancel)
	} else {
		lines = append(lines, cancel, `{"jsonrpc":"2.0","id":5,"method":"x"}`, "<"+failure("5", "-32601", `there is no method \"x\"`), next, said)
	}
	served(t, d, append(lines, "<"+reason("cancelled"))...)
}

// A cancel of anything but a prompt has no effect, whatever its id is.
func TestFRT55OnlyAPromptIsCancelled(t *testing.T) {
	d := newFake()
	d.play = func(_ context.Context, d *fake, _ client.AskRequest, _ func(comm.Event)) (client.Reply, error) {
		<-d.next
		return client.Reply{Outcome: fsm.OutcomeAnswered}, nil
	}
	lines := []string{load, "<" + loaded, "<" + offered, prompt}
	for _, id := range []string{`"2"`, `1`, `null`, `[2]`, `""`} {
		lines = append(lines, `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":`+id+`}}`)
	}
	served(t, d, append(lines, `{"jsonrpc":"2.0","method":"$/cancel_request"}`, `{"jsonrpc":"2.0","id":5,"method":"x"}`, "<"+failure("5", "-32601", `there is no method \"x\"`), next, "<"+reason("end_turn"))...)
	if len(d.cancelled) > 0 {
		t.Error("it was cancelled")
	}
}

// A session that is deleted is forgotten, but not while it runs, as its turn would begin it again.
func TestFRT57ADeletedSessionIsForgotten(t *testing.T) {
	d := newFake()
	d.play = func(_ context.Context, d *fake, _ client.AskRequest, _ func(comm.Event)) (client.Reply, error) {
		<-d.next
		return client.Reply{Outcome: fsm.OutcomeAnswered}, nil
	}
	remove := func(id, session string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"method":"session/delete","params":{"sessionId":"` + session + `"}}`
	}
	done := func(id string) string { return `<{"jsonrpc":"2.0","id":` + id + `,"result":{}}` }
	served(t, d, load, "<"+loaded, "<"+offered, prompt,
		remove("5", "acp-s"), "<"+failure("5", "-32600", `a prompt of the session \"acp-s\" is still being answered; cancel it or wait for its end, and delete the session again`),
		next, "<"+reason("end_turn"), remove("6", "acp-s"), done("6"),
		`{"jsonrpc":"2.0","id":7,"method":"session/close","params":{"sessionId":"acp-s"}}`, "<"+failure("7", "-32002", `the session \"acp-s\" is not open`),
		remove("8", "acp-nobody"), done("8"),
		remove("9", "cli:direct"), "<"+failure("9", "-32602", `the session \"cli:direct\" was not begun in an editor; it is forgotten with shelly session forget`))
	if want := []string{"acp-s", "acp-nobody"}; !slices.Equal(d.forgotten, want) {
		t.Errorf("forgotten are %q, want %q", d.forgotten, want)
	}
}

// The end of an editor ends the process, and cancels nothing.
func TestFRT56AnEditorThatHasGoneCancelsNothing(t *testing.T) {
	d := newFake()
	d.play = func(ctx context.Context, _ *fake, _ client.AskRequest, each func(comm.Event)) (client.Reply, error) {
		each(comm.Event{Type: comm.EventChunk, Call: 7, Text: "He"})
		<-ctx.Done()
		return client.Reply{}, ctx.Err()
	}
	served(t, d, load, "<"+loaded, "<"+offered, prompt, "<"+updated(`{"sessionUpdate":"agent_message_chunk","messageId":"r-7","content":{"type":"text","text":"He"}}`))
	if len(d.cancelled) > 0 {
		t.Error("it was cancelled")
	}
}
