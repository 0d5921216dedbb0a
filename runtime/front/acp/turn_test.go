package acp_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/fsm/state"
	"shelly/runtime/comm"
	"shelly/runtime/comm/client"
	"shelly/runtime/front/acp"
	"shelly/runtime/front/wire"
	"shelly/runtime/session"
)

func chunk(call fsm.CallID, from int, text string) comm.Event {
	return comm.Event{Type: comm.EventChunk, Call: call, From: from, Text: text}
}

func whole(call fsm.CallID, text string) comm.Event {
	return comm.Event{Type: comm.EventChunk, Call: call, Text: text, Whole: true}
}

func reply(text string) comm.Event { return comm.Event{Type: comm.EventReply, Text: text} }

func tool(name, args string) comm.Event {
	return comm.Event{Type: comm.EventTool, Tool: name, Args: args}
}

func result(name, text string) comm.Event {
	return comm.Event{Type: comm.EventToolResult, Tool: name, Text: text}
}

func question(key, name, args string) comm.Event {
	return comm.Event{Type: comm.EventQuestion, Question: fsm.QuestionApprove, Handle: 4, Key: key, Tool: name, Args: args, Subject: []string{"path"}}
}

var thinks = comm.Event{Type: comm.EventState, Inference: state.Thinking}

func TestCLI217AnEditorsIDIsQuotedInACommand(t *testing.T) {
	held := acp.NewTurn("a;b", acp.Place{}).Heard(comm.Event{Type: comm.EventQuestion, Question: fsm.QuestionUnknown, Key: "k"})
	for want, u := range map[string]acp.Update{"show": held.Updates[0], "approve": acp.Elsewhere("a;b", "k")} { // order-free: each is alone
		text, err := json.Marshal(u)
		if want = "shelly request " + want + " 'a;b' --channel acp"; err != nil || !strings.Contains(string(text), want) {
			t.Errorf("got %s, %v; want %q", text, err, want)
		}
	}
}

// told returns the updates that an editor gets for events, a line each.
func told(t *testing.T, place acp.Place, events ...comm.Event) []string {
	t.Helper()
	turn := acp.NewTurn("r", place)
	var lines []string
	for _, e := range events {
		h := turn.Heard(e)
		if h.Closed {
			lines = append(lines, "closed")
		}
		lines = append(lines, written(t, h.Updates)...)
		if h.Ask != nil {
			lines = append(lines, "ask "+h.Ask.Key)
		}
	}
	return lines
}

func written(t *testing.T, updates []acp.Update) (lines []string) {
	t.Helper()
	for _, u := range updates {
		b, err := json.Marshal(u)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(b))
	}
	return lines
}

// said are the texts of messages, | between two messages.
func said(t *testing.T, events ...comm.Event) string {
	t.Helper()
	var b strings.Builder
	last := ""
	for _, line := range told(t, acp.Place{}, events...) {
		var u struct {
			Kind, MessageID string
			Content         struct{ Text string }
		}
		if !strings.Contains(line, "agent_message_chunk") {
			continue
		}
		if err := json.Unmarshal([]byte(line), &u); err != nil {
			t.Fatal(err)
		}
		if last != "" && last != u.MessageID {
			b.WriteString("|")
		}
		b.WriteString(u.Content.Text)
		last = u.MessageID
	}
	return b.String()
}

// Nothing is sent twice. If a call that was never answered is asked again and says the same, the
// text continues where it was.
func TestFRT51ExactlyTheRestOfATextIsSent(t *testing.T) {
	for _, tt := range []struct {
		name   string
		events []comm.Event
		want   string
	}{
		{"in pieces", []comm.Event{chunk(7, 0, "It "), chunk(7, 3, "is."), reply("It is.")}, "It is."},
		{"nothing was streamed", []comm.Event{reply("It is.")}, "It is."},
		{"the rest after a break", []comm.Event{chunk(7, 0, "It "), whole(7, "It is"), chunk(7, 5, "."), reply("It is.")}, "It is."},
		{"asked again, the same", []comm.Event{chunk(7, 0, "It is"), whole(9, "I"), chunk(9, 1, "t "), chunk(9, 3, "is so."), reply("It is so.")}, "It is so."},
		{"asked again, and more of it", []comm.Event{
			chunk(7, 0, "It is"), whole(9, "It is s"), chunk(9, 7, "o"), chunk(9, 8, ", "), whole(11, "It is so, "), chunk(11, 10, "y"), chunk(11, 11, "es."), reply("It is so, yes."),
		}, "It is so, yes."},
		{"asked again, the same at once", []comm.Event{chunk(7, 0, "It is"), whole(9, "It is so."), reply("It is so.")}, "It is so."},
		{"asked again, twice", []comm.Event{chunk(7, 0, "It is"), whole(9, "It"), whole(11, "It i"), chunk(11, 4, "s so."), reply("It is so.")}, "It is so."},
		{"asked again, and it was all", []comm.Event{chunk(7, 0, "It is."), whole(9, "It "), reply("It is.")}, "It is."},
		{"asked again, another", []comm.Event{chunk(7, 0, "It is"), whole(9, "It"), chunk(9, 2, " was."), reply("It was.")}, "It is|\n\nIt was."},
		{"asked again, less", []comm.Event{chunk(7, 0, "It is so"), whole(9, "It is"), reply("It is")}, "It is so|\n\nIt is"},
		{"answered meanwhile", []comm.Event{chunk(7, 0, "It "), reply("It is.")}, "It is."},
		{"another reply", []comm.Event{chunk(7, 0, "It "), reply("No.")}, "It |\n\nNo."},
		{"beside a tool", []comm.Event{chunk(7, 0, "Wait."), tool("look", "{}"), result("look", "x"), chunk(9, 0, "Now."), reply("Now.")}, "Wait.|Now."},
		{"asked again, with a tool", []comm.Event{
			chunk(7, 0, "Wa"), whole(9, "Wait."), tool("look", "{}"), result("look", "x"), chunk(11, 0, "Now."), reply("Now."),
		}, "Wait.|Now."},
		{"an error has no text", []comm.Event{{Type: comm.EventReply, Text: "error: no model", IsError: true, Outcome: fsm.OutcomeFailed}}, ""},
		{"nor has what was cancelled", []comm.Event{chunk(7, 0, "It "), {Type: comm.EventReply, Text: "cancelled", Outcome: fsm.OutcomeCancelled}}, "It "},
	} {
		if got := said(t, tt.events...); got != tt.want {
			t.Errorf("%s: %q, not %q", tt.name, got, tt.want)
		}
	}
}

func TestFRT51ThoughtsAreSent(t *testing.T) {
	think := func(call fsm.CallID, from int, text string, whole bool) comm.Event {
		return comm.Event{Type: comm.EventChunk, Call: call, Thinking: text, ThinkingFrom: from, Whole: whole}
	}
	want := []string{
		`{"sessionUpdate":"agent_thought_chunk","messageId":"r-thought-7","content":{"type":"text","text":"Hm"}}`,
		`{"sessionUpdate":"agent_thought_chunk","messageId":"r-thought-7","content":{"type":"text","text":", yes."}}`,
		`{"sessionUpdate":"agent_message_chunk","messageId":"r-9","content":{"type":"text","text":"Yes."}}`,
	}
	got := told(t, acp.Place{}, think(7, 0, "Hm", false), think(9, 0, "Hm", true), think(9, 2, ", yes.", false), chunk(9, 0, "Yes."), reply("Yes."))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A call is sent with its kind, its file, its changes and its end.
func TestFRT52ToolCallsAreSent(t *testing.T) {
	before := "old\n"
	place := acp.Place{Workspace: "/w", Before: func(path string, after *string, result string) acp.Earlier {
		if path != "/w/a.txt" || after == nil || *after != "new\n" {
			t.Errorf("asked for %s", path)
		}
		return map[string]acp.Earlier{"written": {Known: true, Text: &before}, "created": {Known: true}}[result]
	}}
	write := `{"path":"a.txt","content":"new\n"}`
	begun := `{"sessionUpdate":"tool_call","toolCallId":"r-call-1","title":"write_file: a.txt","kind":"edit","status":"in_progress","locations":[{"path":"/w/a.txt"}],"rawInput":` + write + `}`
	for _, tt := range []struct {
		name   string
		events []comm.Event
		want   []string
	}{
		{"a file is read", []comm.Event{tool("read_file", `{"path":"/w/../x.go","offset":7}`), result("read_file", "package x")}, []string{
			`{"sessionUpdate":"tool_call","toolCallId":"r-call-1","title":"read_file: /w/../x.go","kind":"read","status":"in_progress","locations":[{"path":"/x.go","line":7}],"rawInput":{"path":"/w/../x.go","offset":7}}`,
			`{"sessionUpdate":"tool_call_update","content":[{"type":"content","content":{"type":"text","text":"package x"}}],"toolCallId":"r-call-1","status":"completed"}`,
		}},
		{"a file is written", []comm.Event{tool("write_file", write), result("write_file", "written")}, []string{
			begun,
			`{"sessionUpdate":"tool_call_update","content":[{"type":"diff","path":"/w/a.txt","oldText":"old\n","newText":"new\n"}],"toolCallId":"r-call-1","status":"completed"}`,
		}},
		{"a file is made", []comm.Event{tool("write_file", write), result("write_file", "created")}, []string{
			begun,
			`{"sessionUpdate":"tool_call_update","content":[{"type":"diff","path":"/w/a.txt","newText":"new\n"}],"toolCallId":"r-call-1","status":"completed"}`,
		}},
		{"a file holds that already", []comm.Event{tool("write_file", write), result("write_file", "nothing was written")}, []string{
			begun,
			`{"sessionUpdate":"tool_call_update","content":[{"type":"content","content":{"type":"text","text":"nothing was written"}}],"toolCallId":"r-call-1","status":"completed"}`,
		}},
		{"a file is edited, and that fails", []comm.Event{
			tool("edit_file", `{"path":"a.txt","edits":[{"old":"a","new":"b"},{"old":"","new":"c"}]}`), {Type: comm.EventToolResult, Tool: "edit_file", Text: "old is not found", Failed: true},
		}, []string{
			`{"sessionUpdate":"tool_call","content":[{"type":"diff","path":"/w/a.txt","oldText":"a","newText":"b"},{"type":"diff","path":"/w/a.txt","newText":"c"}],"toolCallId":"r-call-1",` +
				`"title":"edit_file: a.txt","kind":"edit","status":"in_progress","locations":[{"path":"/w/a.txt"}],"rawInput":{"path":"a.txt","edits":[{"old":"a","new":"b"},{"old":"","new":"c"}]}}`,
			`{"sessionUpdate":"tool_call_update","content":[{"type":"content","content":{"type":"text","text":"old is not found"}}],"toolCallId":"r-call-1","status":"failed"}`,
		}},
		{"a file is edited, with the edits as a text (TOL-2)", []comm.Event{tool("edit_file", `{"path":"a.txt","edits":"[{\"old\":\"a\",\"new\":\"b\"}]"}`)}, []string{
			`{"sessionUpdate":"tool_call","content":[{"type":"diff","path":"/w/a.txt","oldText":"a","newText":"b"}],"toolCallId":"r-call-1",` +
				`"title":"edit_file: a.txt","kind":"edit","status":"in_progress","locations":[{"path":"/w/a.txt"}],"rawInput":{"path":"a.txt","edits":"[{\"old\":\"a\",\"new\":\"b\"}]"}}`,
		}},
		{"a file is edited, with one edit in place of a list", []comm.Event{tool("edit_file", `{"path":"a.txt","edits":{"old":"a","new":"b"}}`)}, []string{
			`{"sessionUpdate":"tool_call","content":[{"type":"diff","path":"/w/a.txt","oldText":"a","newText":"b"}],"toolCallId":"r-call-1",` +
				`"title":"edit_file: a.txt","kind":"edit","status":"in_progress","locations":[{"path":"/w/a.txt"}],"rawInput":{"path":"a.txt","edits":{"old":"a","new":"b"}}}`,
		}},
		{"a command writes and is started again after a kill", []comm.Event{
			tool("exec", `{"command":"a\nb"}`), {Type: comm.EventOutput, Tool: "exec", Text: "x"}, tool("exec", `{"command":"a\nb"}`), {Type: comm.EventOutput, Tool: "exec", Text: "y"}, result("exec", ""),
		}, []string{
			`{"sessionUpdate":"tool_call","toolCallId":"r-call-1","title":"exec: a …","kind":"execute","status":"in_progress","rawInput":{"command":"a\nb"}}`,
			`{"sessionUpdate":"tool_call_update","content":[{"type":"content","content":{"type":"text","text":"x"}}],"toolCallId":"r-call-1"}`,
			`{"sessionUpdate":"tool_call_update","toolCallId":"r-call-1","status":"in_progress"}`,
			`{"sessionUpdate":"tool_call_update","content":[{"type":"content","content":{"type":"text","text":"xy"}}],"toolCallId":"r-call-1"}`,
			`{"sessionUpdate":"tool_call_update","content":[{"type":"content","content":{"type":"text","text":"xy"}}],"toolCallId":"r-call-1","status":"completed"}`,
		}},
		{"a command has an override of the direction (APR-22)", []comm.Event{tool("exec", "{\"command\":\"a\u202eb\"}"), result("exec", "")}, []string{
			`{"sessionUpdate":"tool_call","toolCallId":"r-call-1","title":"exec: a\\u202eb","kind":"execute","status":"in_progress","rawInput":{"command":"a` + "\u202e" + `b"}}`,
			`{"sessionUpdate":"tool_call_update","toolCallId":"r-call-1","status":"completed"}`,
		}},
		{"what a model has written is no object, and it is stopped", []comm.Event{tool("mcp_x", `nonsense`), reply("It is.")}, []string{
			`{"sessionUpdate":"tool_call","toolCallId":"r-call-1","title":"mcp_x","kind":"other","status":"in_progress","rawInput":"nonsense"}`,
			`{"sessionUpdate":"agent_message_chunk","messageId":"r-reply","content":{"type":"text","text":"It is."}}`,
			`{"sessionUpdate":"tool_call_update","toolCallId":"r-call-1","status":"failed"}`,
		}},
	} {
		if diff := cmp.Diff(tt.want, told(t, place, tt.events...)); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}

// ended is the state after a question.
func ended(d comm.Decision) comm.Event {
	return comm.Event{Type: comm.EventState, State: state.Queued, Decision: &d}
}

// A question is asked once, even if it comes again after a kill, and is withdrawn if it was
// answered elsewhere.
func TestFRT53AQuestionIsAskedOnce(t *testing.T) {
	held := "old"
	place := acp.Place{Workspace: "/w", Held: func(string) acp.Earlier { return acp.Earlier{Known: true, Text: &held} }}
	args := `{"path":"a","content":"b"}`
	call := `{"sessionUpdate":"tool_call","content":[{"type":"diff","path":"/w/a","oldText":"old","newText":"b"}],"toolCallId":"r-call-1","title":"write_file: a","kind":"edit","status":"pending","locations":[{"path":"/w/a"}],"rawInput":` + args + `}`
	ran := `{"sessionUpdate":"tool_call_update","toolCallId":"r-call-1","status":"in_progress"}`
	refused := `{"sessionUpdate":"tool_call_update","toolCallId":"r-call-1","status":"failed"}`
	asked := question("k1", "write_file", args)
	for _, tt := range []struct {
		name   string
		events []comm.Event
		want   []string
	}{
		{"approved", []comm.Event{asked, tool("write_file", args)}, []string{call, "ask k1", "closed", ran}},
		{"again after a kill", []comm.Event{asked, asked, tool("write_file", args)}, []string{call, "ask k1", "ask k1", "closed", ran}},
		{"again after it was answered", []comm.Event{asked, tool("write_file", args), asked}, []string{call, "ask k1", "closed", ran}},
		{"refused", []comm.Event{asked, thinks}, []string{call, "ask k1", "closed", refused}},
		{"refused elsewhere", []comm.Event{asked, ended(comm.Decision{Verdict: comm.Refused, By: "ann", Reason: "not on a Friday"}), asked, thinks}, []string{call, "ask k1", "closed",
			`{"sessionUpdate":"tool_call_update","content":[{"type":"content","content":{"type":"text","text":"refused by ann: not on a Friday"}}],"toolCallId":"r-call-1","status":"failed"}`}}, // APR-24
		{"approved elsewhere", []comm.Event{asked, ended(comm.Decision{Verdict: comm.Approved, By: "ann"}), tool("write_file", args)}, []string{call, "ask k1", "closed", ran}},
		{"cancelled", []comm.Event{asked, {Type: comm.EventReply, Outcome: fsm.OutcomeCancelled}}, []string{call, "ask k1", "closed", refused}},
		{"not of a call", []comm.Event{{Type: comm.EventQuestion, Question: fsm.QuestionUnknown, Key: "k"}}, []string{
			`{"sessionUpdate":"agent_thought_chunk","messageId":"r-held-k","content":{"type":"text","text":"[shelly waits for a person: shelly request show r --channel acp]"}}`,
		}},
	} {
		if diff := cmp.Diff(tt.want, told(t, place, tt.events...)); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
	p := acp.NewTurn("r", place).Heard(asked).Ask
	options, _ := json.Marshal(p.Options())
	if want := `[{"optionId":"once","name":"Allow once","kind":"allow_once"},{"optionId":"session","name":"Allow in this session: the same path","kind":"allow_always"},` +
		`{"optionId":"always","name":"Allow always: the same path","kind":"allow_always"},{"optionId":"reject","name":"Reject","kind":"reject_once"}]`; string(options) != want {
		t.Errorf("the options are %s", options)
	}
}

// Many editors show only the title and the content of what they ask about.
func TestAPR25AnEditorShowsAllOfACall(t *testing.T) {
	for _, tt := range []struct{ tool, args, title, want string }{
		{"exec", `{"command":"ls"}`, "exec: ls", ""},
		{"exec", `{"command":"ls\n rm -rf ~"}`, "exec: ls …", "```\n" + `{"command":"ls\n rm -rf ~"}` + "\n```"},
		{"exec", `{"command":"` + strings.Repeat(" ", 300) + `rm"}`, "exec: " + strings.Repeat(" ", 200) + "…", "```\n" + `{"command":"` + strings.Repeat(" ", 300) + `rm"}` + "\n```"},
		{"exec", `{"command":"ls","working_dir":"x"}`, "exec: ls", "```\n" + `{"command":"ls","working_dir":"x"}` + "\n```"},
		{"exec", `{"argv":["rm","a b"]}`, "exec: rm a b", "```\n" + `{"argv":["rm","a b"]}` + "\n```"},
		{"files_move", `{"pattern":"x","to":"` + "\u202e" + `"}`, "files_move: x", "```\n" + `{"pattern":"x","to":"\u202e"}` + "\n```"},
		{"now", `{}`, "now", ""},
	} {
		u := acp.NewTurn("r", acp.Place{Workspace: "/w"}).Heard(question("k", tt.tool, tt.args)).Ask.Call
		got := ""
		if parts, any := u.Content.([]acp.Part); any {
			got = parts[0].Content.Text
		}
		if u.Title != tt.title || got != tt.want {
			t.Errorf("%s is titled %q and shown as %q; want %q and %q", tt.args, u.Title, got, tt.title, tt.want)
		}
	}
}

func TestAPR22AnEditorShowsWhatACallWouldDoInItsOrder(t *testing.T) {
	e := question("k", "files_move", `{"pattern":"x"}`)
	e.Preview, e.Text = "a\u202eb\n", "why\u2066"
	parts, _ := acp.NewTurn("r", acp.Place{Workspace: "/w"}).Heard(e).Ask.Call.Content.([]acp.Part)
	if len(parts) != 2 || parts[0].Content.Text != "```\na\\u202eb\n```" || parts[1].Content.Text != `why\u2066` {
		t.Errorf("it shows %+v", parts)
	}
}

func TestFRT53AnAnswerIsADecision(t *testing.T) {
	for in, want := range map[string]acp.Decision{
		`{"outcome":{"outcome":"selected","optionId":"once"}}`:    {Approve: true},
		`{"outcome":{"outcome":"selected","optionId":"session"}}`: {Approve: true, Grant: fsm.GrantSession},
		`{"outcome":{"outcome":"selected","optionId":"always"}}`:  {Approve: true, Grant: fsm.GrantAlways},
		`{"outcome":{"outcome":"selected","optionId":"reject"}}`:  {},
	} {
		if got, ok := acp.Chosen(parsed(t, in)); !ok || got != want {
			t.Errorf("%s is %+v, %t", in, got, ok)
		}
	}
	for _, in := range []string{`{"outcome":{"outcome":"cancelled"}}`, `{"outcome":{"outcome":"selected","optionId":"other"}}`, `{}`, `null`, `"once"`} {
		if got, ok := acp.Chosen(parsed(t, in)); ok {
			t.Errorf("%s is %+v", in, got)
		}
	}
}

func parsed(t *testing.T, text string) wire.Value {
	t.Helper()
	v, err := wire.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestFRT54WhyATurnHasEnded(t *testing.T) {
	for _, tt := range []struct {
		reply     client.Reply
		want, err string
	}{
		{client.Reply{Outcome: fsm.OutcomeAnswered}, "end_turn", ""},
		{client.Reply{Outcome: fsm.OutcomeCancelled, IsError: true}, "cancelled", ""},
		{client.Reply{Outcome: fsm.OutcomeCut}, "max_tokens", ""},
		{client.Reply{Outcome: fsm.OutcomeExhausted, IsError: true}, "max_turn_requests", ""},
		{client.Reply{Text: "error: the model is not there", Outcome: fsm.OutcomeFailed, IsError: true}, "", "error: the model is not there"},
	} {
		got, err := acp.Stop(tt.reply)
		if got != tt.want || (err != nil || tt.err != "") && (err == nil || err.Error() != tt.err) {
			t.Errorf("%+v: got %q, %v; want %q, %q", tt.reply, got, err, tt.want, tt.err)
		}
	}
}

// In a prompt, files are named as the tools name them, and attachments come after the text.
func TestFRT49APromptIsARequest(t *testing.T) {
	place := acp.Place{Workspace: "/w", Folder: "."}
	png := "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
	for _, tt := range []struct {
		name, in, text string
		images         int
	}{
		{"text", `[{"type":"text","text":" Hello","annotations":{}},{"type":"text","text":", you. "}]`, "Hello, you.", 0},
		{"a link", `[{"type":"text","text":"See "},{"type":"resource_link","uri":"file:///w/src/a%20b.go#L3","name":"a b.go"},{"type":"text","text":"."}]`, "See `src/a b.go#L3`.", 0},
		{"a link to elsewhere", `[{"type":"resource_link","uri":"file:///etc/x","name":"x"},{"type":"resource_link","uri":"https://h/x","name":"x"},{"type":"resource_link","uri":"","name":"it"}]`,
			"`/etc/x` `https://h/x` `it`", 0},
		{"links between words", `[{"type":"text","text":"Compare:"},{"type":"resource_link","uri":"file:///w/a"},{"type":"text","text":"and ("},{"type":"resource_link","uri":"file:///w/b"},{"type":"text","text":")."}]`,
			"Compare: `a` and (`b`).", 0},
		{"a file", `[{"type":"text","text":"See "},{"type":"resource","resource":{"uri":"file:///w/a.md","text":"x\n` + "```" + `\ny\n` + "```" + `\n"}}]`,
			"See `a.md`\n\na.md:\n````\nx\n```\ny\n```\n````", 0},
		{"what is no text", `[{"type":"resource","resource":{"uri":"file:///w/a.pdf","mimeType":"application/pdf","blob":"AAAA"}}]`, "`a.pdf`", 0},
		{"images", `[{"type":"text","text":"See"},{"type":"image","mimeType":"image/png","data":"` + png + `"},{"type":"resource","resource":{"uri":"file:///w/a.png","mimeType":"image/png","blob":"` + png + `"}}]`, "See", 2},
	} {
		got, err := acp.Prompt(parsed(t, tt.in), place)
		if err != nil || got.Text != tt.text || len(got.Images) != tt.images {
			t.Errorf("%s: %q, %d images, %v", tt.name, got.Text, len(got.Images), err)
		}
	}
	for in, want := range map[string]string{
		`"x"`:                           "prompt is a text; send a list",
		`[]`:                            "the prompt has no text; say what is to be done",
		`[{"type":"audio","data":"x"}]`: "[0] is sound, which shelly does not take",
		`[{"type":"video"}]`:            `[0] is of the unknown type "video"`,
		`[{"type":"image","uri":"http://x/y.png","data":""}]`:                   "[0] has no data; shelly fetches nothing from an address",
		`[{"type":"image","data":"AAAA"}]`:                                      "[0] is not a PNG, JPEG or WebP image (it looks like application/octet-stream)",
		`[{"type":"text","text":"a"},{"type":"text","text":["b"]}]`:             "[1].text is a list; send a text",
		`[{"type":"text"}]`:                                                     "[0].text is null; send a text",
		`[{"type":"text","text":"a"},{"type":"resource_link"}]`:                 "[1] has no uri; send the file's address",
		`[{"type":"text","text":"a"},{"type":"resource"}]`:                      "[1].resource has no uri; send the file's address",
		`[{"type":"resource","resource":{"uri":"file:///w/a","text":{"a":1}}}]`: "[0].resource.text is an object; send a text",
		`[{"type":"image","data":"!!!"}]`:                                       "[0].data is not base64",
	} {
		if got, err := acp.Prompt(parsed(t, in), place); err == nil || err.Error() != want {
			t.Errorf("%s: got %+v, %v; want an error, %q", in, got, err, want)
		}
	}
}

// A folder below the workspace is named, unless the text is a command.
func TestFRT47TheEditorsFolderIsNamed(t *testing.T) {
	place := acp.Place{Workspace: "/w", Folder: "sub/dir"}
	for in, want := range map[string]string{"Hello": "Hello\n\ncwd: `sub/dir`", "/new": "/new"} {
		got, err := acp.Prompt(parsed(t, `[{"type":"text","text":"`+in+`"}]`), place)
		if err != nil || got.Text != want {
			t.Errorf("got %q, %v; want %q", got.Text, err, want)
		}
	}
	p := acp.Past{Session: "s", Place: place}
	got := written(t, p.Heard(session.Archived{Number: 1, Message: fsm.Message{Role: fsm.RoleUser, Text: "Hello\n\ncwd: `sub/dir`"}}))
	if want := `{"sessionUpdate":"user_message_chunk","messageId":"s-1","content":{"type":"text","text":"Hello"}}`; len(got) != 1 || got[0] != want {
		t.Errorf("told again is %s", got)
	}
}

// A change that was made is shown again as a diff, and one that was not by its result.
func TestFRT48ChangesAreSentAgain(t *testing.T) {
	p := acp.Past{Session: "s", Place: acp.Place{Workspace: "/w", Before: func(_ string, _ *string, result string) acp.Earlier {
		return acp.Earlier{Known: result == "done"}
	}}}
	p.Heard(session.Archived{Number: 1, Message: fsm.Message{Role: fsm.RoleAssistant, Calls: []fsm.ToolCall{
		{ID: "a", Name: "write_file", Args: `{"path":"a","content":"x"}`}, {ID: "b", Name: "write_file", Args: `{"path":"a","content":"x"}`},
		{ID: "c", Name: "edit_file", Args: `{"path":"a","old":"x","new":"y"}`}, {ID: "d", Name: "edit_file", Args: `{"path":"a","old":"x","new":"y"}`},
	}}})
	var got []string
	for n, m := range []fsm.Message{
		{Role: fsm.RoleTool, Tool: "write_file", ToolCall: "a", Text: "done"}, {Role: fsm.RoleTool, Tool: "write_file", ToolCall: "b", Text: "nothing was written"},
		{Role: fsm.RoleTool, Tool: "edit_file", ToolCall: "c", Text: "done"}, {Role: fsm.RoleTool, Tool: "edit_file", ToolCall: "d", Text: "not found"},
	} {
		got = append(got, written(t, p.Heard(session.Archived{Number: uint64(n + 2), Message: m}))...)
	}
	want := []string{
		`{"sessionUpdate":"tool_call_update","content":[{"type":"diff","path":"/w/a","newText":"x"}],"toolCallId":"s-call-1","status":"completed"}`,
		`{"sessionUpdate":"tool_call_update","content":[{"type":"content","content":{"type":"text","text":"nothing was written"}}],"toolCallId":"s-call-2","status":"completed"}`,
		`{"sessionUpdate":"tool_call_update","content":[{"type":"diff","path":"/w/a","oldText":"x","newText":"y"}],"toolCallId":"s-call-3","status":"completed"}`,
		`{"sessionUpdate":"tool_call_update","content":[{"type":"content","content":{"type":"text","text":"not found"}}],"toolCallId":"s-call-4","status":"completed"}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// As while it was watched, a call that failed, or was not let run, is not completed.
func TestFRT48ACallThatFailedHasFailedWhenItIsSentAgain(t *testing.T) {
	for result, want := range map[string]string{ // order-free: each is sent alone
		"error: no such file": "failed", "not run: mia refused it": "failed", "not run: no person approved it in time": "failed", "cancelled, not run": "failed",
		"3 errors: see the log": "completed", "": "completed",
	} {
		for _, tool := range []string{"exec", "write_file"} {
			p := acp.Past{Session: "s", Place: acp.Place{Workspace: "/w"}}
			p.Heard(session.Archived{Number: 1, Message: fsm.Message{Role: fsm.RoleAssistant, Calls: []fsm.ToolCall{{ID: "a", Name: tool, Args: `{"path":"a","content":"x"}`}}}})
			got := written(t, p.Heard(session.Archived{Number: 2, Message: fsm.Message{Role: fsm.RoleTool, Tool: tool, ToolCall: "a", Text: result}}))
			if len(got) != 1 || !strings.Contains(got[0], `"status":"`+want+`"`) {
				t.Errorf("%s, %q: got %s; want %s", tool, result, got, want)
			}
		}
	}
}

func TestFRT48WhatWasSaidIsSentAgain(t *testing.T) {
	p := acp.Past{Session: "s", Place: acp.Place{Workspace: "/w"}}
	var got []string
	for n, m := range []fsm.Message{
		{Role: fsm.RoleUser, Text: "Look.", Images: [][]byte{[]byte("\x89PNG\r\n\x1a\n")}},
		{Role: fsm.RoleUser, Text: "hm", Aside: true},
		{Role: fsm.RoleAssistant, Text: "I look.", Thinking: "Hm.", Calls: []fsm.ToolCall{{ID: "a", Name: "list_dir", Args: `{}`}, {ID: "b", Name: "look", Args: `{}`}}},
		{Role: fsm.RoleTool, Tool: "list_dir", ToolCall: "a", Text: "x"},
		{Role: fsm.RoleAssistant, Text: "It is."},
	} {
		got = append(got, written(t, p.Heard(session.Archived{Number: uint64(n + 1), Message: m}))...)
	}
	got = append(got, written(t, p.End())...)
	want := []string{
		`{"sessionUpdate":"user_message_chunk","messageId":"s-1","content":{"type":"image","data":"iVBORw0KGgo=","mimeType":"image/png"}}`,
		`{"sessionUpdate":"user_message_chunk","messageId":"s-1","content":{"type":"text","text":"Look."}}`,
		`{"sessionUpdate":"agent_thought_chunk","messageId":"s-3-thought","content":{"type":"text","text":"Hm."}}`,
		`{"sessionUpdate":"agent_message_chunk","messageId":"s-3","content":{"type":"text","text":"I look."}}`,
		`{"sessionUpdate":"tool_call","toolCallId":"s-call-1","title":"list_dir","kind":"search","status":"pending","rawInput":{}}`,
		`{"sessionUpdate":"tool_call","toolCallId":"s-call-2","title":"look","kind":"other","status":"pending","rawInput":{}}`,
		`{"sessionUpdate":"tool_call_update","content":[{"type":"content","content":{"type":"text","text":"x"}}],"toolCallId":"s-call-1","status":"completed"}`,
		`{"sessionUpdate":"agent_message_chunk","messageId":"s-5","content":{"type":"text","text":"It is."}}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"s-call-2","status":"failed"}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
