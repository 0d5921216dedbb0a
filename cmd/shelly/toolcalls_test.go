package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"shelly/fsm"
	"shelly/fsm/profile"
	"shelly/runtime/comm"
	"shelly/runtime/daemon"
	"shelly/runtime/memory"
	"shelly/runtime/ollama"
	"shelly/runtime/session"
	"shelly/runtime/store"
	"shelly/runtime/tool"
	"shelly/runtime/tool/file"
)

// oddCall is an answer as small models give it, and what comes of it through the real client,
// machine and tools. Ids are those of the corpus of odd tool calls.
type oddCall struct {
	id, what string
	answer   string // message of the first answer, as JSON
	raw      string // or the whole first response
	always   bool   // it is each answer, and not the first alone
	text     bool   // the call is in the text, of a model that has no others

	result string // is in the one result, or the last, that the model is shown; empty: it is shown none
	told   string // part of what else the model is told before it is asked again
	reply  string // is in the reply; empty: "the end", of the second answer
	failed bool   // the reply is an error
}

// calls is a message with one call of read_file or another tool.
func calls(name, args string) string {
	return `{"role":"assistant","content":"","tool_calls":[{"function":{"name":` + name + `,"arguments":` + args + `}}]}`
}

func inWords(text string) string {
	b, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return `{"role":"assistant","content":` + string(b) + `}`
}

func quote(s string) string { return strings.ReplaceAll(s, `"`, `\"`) }

// northern is what plan.txt says.
const northern = "north"

func oddCalls() []oddCall {
	plan := `{"path":"plan.txt"}`
	call := `{"name": "read_file", "arguments": {"path": "plan.txt"}}`
	many := make([]string, 10_000)
	for i := range many {
		many[i] = fmt.Sprintf(`"k%d":1`, i)
	}
	return []oddCall{
		{id: "t001", what: "one good call", answer: calls(`"read_file"`, plan), result: northern},
		{id: "t005", what: "arguments in a string in a string", answer: calls(`"read_file"`, `"\"{\\\"path\\\":\\\"plan.txt\\\"}\""`), result: northern},
		{id: "t007", what: "arguments that are an empty text", answer: calls(`"read_file"`, `""`), result: "path is missing"},
		{id: "t010", what: "a comma after the last argument", answer: calls(`"read_file"`, `"{\"path\":\"plan.txt\",}"`), result: northern},
		{id: "t015", what: "line ends inside a JSON string", answer: calls(`"write_file"`, `"{\"path\":\"out.txt\",\"content\":\"a\nb\"}"`), result: "noted"},
		{id: "t019", what: "arguments inside arguments", answer: calls(`"read_file"`, `{"arguments":`+plan+`}`), result: northern},
		{id: "t021", what: "arguments in a broken template", answer: calls(`"read_file"`, `"<malformed>{\"name\": 1}\n</parameter>"`), result: "the arguments are not JSON"},
		{id: "t023", what: "an argument that there is not", answer: calls(`"read_file"`, `{"path":"plan.txt","because":"I want to"}`), result: `ignored: unknown argument "because"; read_file takes: path`},
		{id: "t024", what: "an argument of nearly the name", answer: calls(`"read_file"`, `{"filepath":"plan.txt"}`), result: northern},
		{id: "t024", what: "another agent's names", answer: calls(`"Read"`, `{"filename":"plan.txt"}`), result: northern},
		{id: "t026", what: "an argument in capitals", answer: calls(`"read_file"`, `{"PATH":"plan.txt"}`), result: `unknown argument "PATH"; argument path is missing`},
		{id: "t027", what: "a number for a text", answer: calls(`"read_file"`, `{"path":12}`), result: "argument path must be a string, not 12"},
		{id: "t028", what: "a text for a number", answer: calls(`"read_file"`, `{"path":"plan.txt","offset":"0"}`), result: northern},
		{id: "t028", what: "a word for a number", answer: calls(`"read_file"`, `{"path":"plan.txt","offset":"first"}`), result: `argument offset must be a whole number`},
		{id: "t032", what: "NaN for a number", answer: calls(`"read_file"`, `"{\"path\":\"plan.txt\",\"offset\":NaN}"`), result: "the arguments are not JSON"},
		{id: "t037", what: "a megabyte in an argument", answer: calls(`"write_file"`, `{"path":"big","content":"`+strings.Repeat("b", 1<<20)+`"}`), result: "noted"},
		{id: "t039", what: "arguments nested 100,000 deep", answer: calls(`"read_file"`, strings.Repeat("[", 100_000)+strings.Repeat("]", 100_000)),
			reply: "not part of an answer", failed: true}, // no server that reads what a model writes can send it
		{id: "t039", what: "arguments nested 9,000 deep", answer: calls(`"read_file"`, strings.Repeat("[", 9_000)+strings.Repeat("]", 9_000)), result: "error: the arguments"},
		{id: "t040", what: "ten thousand arguments that there are not", answer: calls(`"read_file"`, "{"+strings.Join(many, ",")+"}"), result: "9995 more unknown arguments; argument path is missing"},
		{id: "t042", what: "a name after functions.", answer: calls(`"functions.read_file"`, plan), result: northern},
		{id: "t043", what: "a name after default_api:", answer: calls(`"default_api:read_file"`, plan), result: northern},
		{id: "t048", what: "nearly the name of a tool that writes", answer: calls(`"write"`, `{"path":"x","content":"y"}`), result: `there is no tool "write"`},
		{id: "t050", what: "an empty name", answer: calls(`""`, plan), result: "a tool call without a name"},
		{id: "t052", what: "no name", answer: `{"role":"assistant","content":"","tool_calls":[{"function":{"arguments":` + plan + `}}]}`, result: "a tool call without a name"},
		{id: "t053", what: "no function", answer: `{"role":"assistant","content":"","tool_calls":[{"id":"one"}]}`, result: "a tool call without a name"},
		{id: "t056", what: "a name of 10,000 letters", answer: calls(`"`+strings.Repeat("n", 10_000)+`"`, plan), result: `there is no tool "nnn`},
		{id: "t068", what: "null for calls, and a text", answer: `{"role":"assistant","content":"good day","tool_calls":null}`, reply: "good day"},
		{id: "t070", what: "the same calls for ever", answer: calls(`"list_dir"`, `{"path":"."}`), always: true, result: "plan.txt", reply: "[stopped: the limit of 3 was reached (max_repeats)]"},
		{id: "t072", text: true, what: "the closing tag alone", answer: inWords(call + "\n</tool_call>"), result: northern},
		{id: "t075", text: true, what: "JSON as the whole text", answer: inWords(call), result: northern},
		{id: "t076", text: true, what: "JSON in a fence as the whole text", answer: inWords("```json\n" + call + "\n```"), result: northern},
		{id: "t077", what: "a fence in an explanation", answer: inWords("One sends\n```json\n" + call + "\n```\nfor that."), reply: "for that."},
		{id: "t078", what: "tags in prose", answer: inWords("As you wished: <tool_call>" + call + "</tool_call> there."), reply: "there."},
		{id: "t081", text: true, what: "a list in brackets", answer: inWords(`[read_file(path="plan.txt")]`), result: northern},
		{id: "t082", text: true, what: "after Python's tag", answer: inWords("<|python_tag|>" + `{"name":"read_file","parameters":{"path":"plan.txt"}}`), result: northern},
		{id: "t084", text: true, what: "markup", answer: inWords("<tool_call>\n<function=read_file>\n<parameter=path>\nplan.txt\n</parameter>\n</function>\n</tool_call>"), result: northern},
		{text: true, what: "words before a call", answer: inWords("I look.\n<tool_call>" + call + "</tool_call>"), result: northern},
		{text: true, what: "a call as Python has it", answer: inWords("<tool_call>{'name': 'read_file', 'arguments': {'path': 'plan.txt'}}</tool_call>"), result: northern},
		{id: "t087", what: "ReAct with an observation that is made up", answer: inWords("Thought: look\nAction: read_file\nAction Input: plan.txt\nObservation: south"), told: "written as text"},
		{id: "t088", what: "a result that is made up", answer: inWords("<tool_response>south</tool_response>\nSo it is south."), reply: "So it is south."},
		{id: "t089", what: "a call in the thinking alone", answer: `{"role":"assistant","content":"","thinking":"I would ` + quote(call) + `"}`, told: "was empty"},
		{id: "t090", what: "tags of thinking before a call", answer: strings.Replace(calls(`"read_file"`, plan), `"content":""`, `"content":"<think>first look</think>"`, 1), result: northern},
		{id: "t091", what: "thinking that is never closed", answer: inWords("<think>might it be south"), told: "was empty"},
		{id: "t100", what: "a call in a line before the last", raw: `{"message":` + calls(`"read_file"`, plan) + `,"done":false}` + "\n" + `{"message":{"role":"assistant","content":""},"done":true,"done_reason":"stop"}`, result: northern},
		{id: "t101", what: "a call that the last line repeats", raw: `{"message":` + calls(`"note"`, `{"text":"x"}`) + `,"done":false}` + "\n" + `{"message":` + calls(`"note"`, `{"text":"x"}`) + `,"done":true}`, result: "noted"},
		{id: "t102", what: "an answer that was cut", raw: `{"message":{"role":"assistant","content":"To begin"},"done":true,"done_reason":"length"}`, reply: "To begin\n\n[the answer was cut"},
		{id: "t106", what: "ten megabytes in one line", raw: `{"message":` + inWords(strings.Repeat("word ", 2<<20)) + `,"done":true,"done_reason":"stop"}`, reply: "[the answer was cut"},
		{id: "t107", what: "thousands of the same word", answer: inWords(strings.Repeat("la ", 200_000)), reply: "[the answer was cut"},
		{id: "t113", what: "a command that is refused, again and again", answer: calls(`"exec"`, `{"command":"true"}`), always: true, result: `there is no tool "exec"`, reply: "[stopped: the limit of 3 was reached (max_repeats)]"},
	}
}

// meeting is what came of an odd answer.
type meeting struct {
	chats   int
	results []string // that the model was shown when it was asked again
	told    []string // what the user's role says beside the question
	reply   comm.Event
	noted   int
}

func meet(t *testing.T, odd oddCall) meeting {
	t.Helper()
	var got meeting
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/api/chat" {
			http.NotFound(w, r)
			return
		}
		raw := odd.raw
		if raw == "" {
			raw = `{"message":` + odd.answer + `,"done":true,"done_reason":"stop"}`
		}
		if r.Header.Get(ollama.PurposeHeader) == string(fsm.PurposeAnswer) {
			got.chats++
			got.heard(t, r.Body)
		} else {
			raw = `{"message":{"content":"nothing"},"done":true}`
		}
		if got.chats > 1 && !odd.always {
			raw = `{"message":{"content":"the end"},"done":true,"done_reason":"stop"}`
		}
		_, _ = io.WriteString(w, raw)
	}))
	defer server.Close()
	o := ollama.Options{BaseURL: server.URL, Model: "m"}
	if odd.text {
		o.Tools = ollama.ToolsDescribed
	}
	client, err := ollama.New(o)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	note := func(context.Context, fsm.RunTool) tool.Result { got.noted++; return tool.Result{Text: "noted"} }
	got.reply = oneTurn(t, client, []tool.Added{
		{Decl: fsm.ToolDecl{Name: "note", Parameters: `{"type":"object"}`, Effects: fsm.EffectsUnsafe}, Run: note},
		{Decl: fsm.ToolDecl{Name: "write_file", Parameters: `{"type":"object"}`, Effects: fsm.EffectsUnsafe}, Run: note},
	})
	return got
}

// heard records what the model is shown.
func (m *meeting) heard(t *testing.T, body io.Reader) {
	var asked struct {
		Messages []struct{ Role, Content string }
	}
	if err := json.NewDecoder(body).Decode(&asked); err != nil {
		t.Errorf("the request: %v", err)
	}
	m.results, m.told = nil, nil
	users := 0
	for _, msg := range asked.Messages {
		switch msg.Role {
		case "tool":
			m.results = append(m.results, msg.Content)
		case "user":
			users++
			switch {
			case strings.HasPrefix(msg.Content, "<tool_result"):
				m.results = append(m.results, msg.Content)
			case users > 1:
				m.told = append(m.told, msg.Content)
			}
		}
	}
}

// oneTurn asks a daemon once and returns the reply.
func oneTurn(t *testing.T, client *ollama.Client, added []tool.Added) comm.Event {
	t.Helper()
	s, err := store.Open(t.TempDir(), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	m, err := memory.Open(s, memory.Options{})
	if err != nil {
		t.Fatal(err)
	}
	workspace, data := t.TempDir(), t.TempDir()
	must(t, os.WriteFile(filepath.Join(workspace, "plan.txt"), []byte(northern+"\n"), 0o600))
	sessions, err := session.Open(data, s, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	tools := fileTools(t, workspace, added...)
	config := profile.Default()
	config.Init, config.Tools, config.Limits.Backoff = fsm.InitOff, append(config.Tools, tools.Declarations()...), nil
	config.Switches.NoCognition = true
	d, err := daemon.Open(daemon.Options{
		Config: config, Journal: s, Brain: chatter{client}, Memory: m, Sessions: sessions, Tools: tools,
		Log: slog.New(slog.DiscardHandler), Now: time.Now,
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = d.Run(ctx)
	}()
	defer func() { cancel(); <-ended }()
	key := fsm.RequestKey{ID: "one"}
	if _, err := d.Accept(ctx, comm.Request{Key: key, Text: "where to?"}); err != nil {
		t.Fatal(err)
	}
	events, err := d.Watch(ctx, key)
	if err != nil {
		t.Fatal(err)
	}
	var last comm.Event
	for e := range events {
		last = e
	}
	return last
}

// INF-25, BRN-5, BRN-20 and others: what small models write is run if it can mean only one
// thing; otherwise the model is told, and nothing of it runs twice.
func TestBRN5OddCallsEndAsTheyShould(t *testing.T) {
	for _, odd := range oddCalls() {
		t.Run(odd.id+" "+odd.what, func(t *testing.T) {
			got := meet(t, odd)
			shown, told := strings.Join(got.results, "\n"), strings.Join(got.told, "\n")
			if odd.result == "" && shown != "" || !strings.Contains(shown, odd.result) {
				t.Errorf("the model is shown %.300q, want %q in it", shown, odd.result)
			}
			if odd.told == "" && told != "" || !strings.Contains(told, odd.told) {
				t.Errorf("the model is told %.300q, want %q in it", told, odd.told)
			}
			reply := odd.reply
			if reply == "" {
				reply = "the end"
			}
			if text := got.reply.Text; !strings.Contains(text, reply) || got.reply.IsError != odd.failed || len(text) > replyBytesMax {
				t.Errorf("the reply of %d bytes, an error: %v, begins %.300q; want %q in it", len(text), got.reply.IsError, text, reply)
			}
			if len(shown) > 33<<10 || got.noted > 1 {
				t.Errorf("%d bytes of results; an unsafe tool ran %d times", len(shown), got.noted)
			}
			if !odd.always && (odd.result == "" && odd.told == "") != (got.chats == 1) {
				t.Errorf("the model was asked %d times", got.chats)
			}
		})
	}
}

// INF-29: if a model has calls of its own, it is asked for one in place of a call in its text, unless
// that has no effects.
func TestINF29OddCallsAsTextOfAModelWithCallsOfItsOwn(t *testing.T) {
	for _, odd := range oddCalls() {
		if !odd.text {
			continue
		}
		odd.text = false
		t.Run(odd.id+" "+odd.what, func(t *testing.T) {
			words := strings.Contains(odd.what, "words")
			got := meet(t, odd)
			if (len(got.results) > 0) == words || (len(got.told) > 0) != words || got.reply.Text != "the end" {
				t.Errorf("the model is shown %q and told %q, the reply is %q", got.results, got.told, got.reply.Text)
			}
			odd.answer = strings.NewReplacer("read_file", "note", "path", "text").Replace(odd.answer)
			got = meet(t, odd)
			if told := strings.Join(got.told, "\n"); len(got.results) > 0 || !strings.Contains(told, "written as text") || got.reply.Text != "the end" {
				t.Errorf("with effects, the model is shown %q and told %q, the reply is %q", got.results, told, got.reply.Text)
			}
		})
	}
}

// replyBytesMax is how much of an answer is kept (BRN-20), and a note.
const replyBytesMax = 512<<10 + 100

// fileTools runs the file tools in a workspace, and what is added.
func fileTools(t testing.TB, workspace string, added ...tool.Added) *tool.Runner {
	t.Helper()
	files, err := file.Open(file.Options{Workspace: workspace, ResultBytesMax: 16 << 10, ReadBytesMax: 64 << 10})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = files.Close() })
	all, err := files.Added()
	if err != nil {
		t.Fatal(err)
	}
	tools, err := tool.New(tool.Options{Workspace: workspace, ResultBytesMax: 16 << 10, Added: append(all, added...)})
	if err != nil {
		t.Fatal(err)
	}
	return tools
}

// durableTurn asks once and waits for the reply.
func durableTurn(b *testing.B, ctx context.Context, d *daemon.Daemon, id string) {
	b.Helper()
	key := fsm.RequestKey{ID: id}
	if _, err := d.Accept(ctx, comm.Request{Key: key, Text: "what is here?"}); err != nil {
		b.Fatal(err)
	}
	events, err := d.Watch(ctx, key)
	if err != nil {
		b.Fatal(err)
	}
	for range events {
	}
}

// chatter is the client in the form that the daemon needs.
type chatter struct{ *ollama.Client }

func (c chatter) Chat(ctx context.Context, ask fsm.AskBrain, tools []fsm.ToolDecl, stream func(daemon.Piece)) (fsm.BrainAnswered, error) {
	return c.Client.Chat(ctx, ask, tools, func(chunk ollama.Chunk) { stream(daemon.Piece(chunk)) })
}
