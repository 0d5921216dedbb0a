package ollama

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/runtime/yardstick"
)

func encodingClient(t testing.TB) *Client {
	t.Helper()
	c, err := New(Options{Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// grown returns a conversation after some more calls of a handle: messages are added, and
// occasionally earlier ones change.
func grown(rng *rand.Rand, messages []fsm.Message) []fsm.Message {
	messages = append([]fsm.Message{}, messages...)
	if n := len(messages); n > 0 && rng.IntN(4) == 0 {
		messages[rng.IntN(n)].Text += " changed <&> \"messages\":0 "
	}
	if n := len(messages); n > 2 && rng.IntN(8) == 0 {
		messages = messages[n/2:]
	}
	for range rng.IntN(3) {
		messages = append(messages, fsm.Message{
			Role: fsm.RoleAssistant, Thinking: "hm", Calls: []fsm.ToolCall{{ID: fmt.Sprint(rng.IntN(9)), Name: "read", Args: `{"path": "a"}`}},
		}, fsm.Message{Role: fsm.RoleTool, Tool: "read", Text: strings.Repeat("磁盘 text 123 ", rng.IntN(20))})
	}
	return append(messages, fsm.Message{Role: fsm.RoleUser, Text: fmt.Sprint("go on ", rng.IntN(100)), Images: [][]byte{{byte(rng.IntN(3))}}})
}

// someTools returns one of more toolsets than are kept, or none.
func someTools(rng *rand.Rand) (tools []fsm.ToolDecl) {
	n := rng.IntN(2 * toolsetsMax)
	for i := range n {
		tools = append(tools, fsm.ToolDecl{Name: fmt.Sprint("tool ", i), Description: fmt.Sprintf(`of %d, "tools":1 "messages":0`, n), Parameters: `{"type":"object"}`})
	}
	return tools
}

// BRN-2: keeping encoded conversations changes nothing in what is sent.
func TestBRN2AKeptConversationIsSentAsItIs(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	c := encodingClient(t)
	of := map[fsm.HandleID][]fsm.Message{}
	for call := range 300 {
		handle := fsm.HandleID(rng.IntN(3))
		of[handle] = grown(rng, of[handle])
		ask := fsm.AskBrain{Purpose: fsm.PurposeAnswer, System: fmt.Sprint("system ", call/10)}
		ask.Handle, ask.Conversation.Messages = handle, of[handle]
		tools := someTools(rng)
		got, least, err := c.request(ask, tools, manner{})
		want, wantLeast, failed := encodingClient(t).request(ask, tools, manner{})
		if err != nil || failed != nil {
			t.Fatal(err, failed)
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" || least != wantLeast {
			t.Fatalf("call %d, at least %d tokens, want %d (-want +got):\n%s", call, least, wantLeast, diff)
		}
		var sent struct {
			Messages []struct{ Content string }
			Tools    []struct {
				Function struct{ Name, Description string }
			}
		}
		if err := json.Unmarshal(got, &sent); err != nil || len(sent.Messages) != len(ask.Messages()) || len(sent.Tools) != len(tools) {
			t.Fatalf("call %d: %d messages, %d tools, %v", call, len(sent.Messages), len(sent.Tools), err)
		}
		for i := range tools {
			if f := sent.Tools[i].Function; f.Name != tools[i].Name || f.Description != tools[i].Description {
				t.Errorf("call %d: tool %d is %+v; want %+v", call, i, f, tools[i])
			}
		}
		for i, m := range ask.Messages() {
			if sent.Messages[i].Content != m.Text {
				t.Errorf("call %d: message %d is %q; want %q", call, i, sent.Messages[i].Content, m.Text)
			}
		}
	}
}

// A call encodes only what is new in its conversation.
func TestBRN2AMessageIsEncodedOnce(t *testing.T) {
	c := encodingClient(t)
	ask := fsm.AskBrain{Purpose: fsm.PurposeAnswer, System: "one"}
	ask.Conversation = ask.Conversation.Add(fsm.Message{Role: fsm.RoleUser, Text: "first"})
	request := func() *transcript {
		t.Helper()
		if _, _, err := c.request(ask, nil, manner{}); err != nil {
			t.Fatal(err)
		}
		return c.encoded.kept[len(c.encoded.kept)-1]
	}
	before := &request().json[1][0]
	ask.System = "two"
	ask.Conversation = ask.Conversation.Add(fsm.Message{Role: fsm.RoleUser, Text: "second"})
	if after := &request().json[1][0]; after != before {
		t.Error("the first message was encoded again")
	}
}

// The turns of a session reuse what earlier ones encoded.
func TestBRN2ASessionsNextTurnEncodesNothingAgain(t *testing.T) {
	c := encodingClient(t)
	ask := fsm.AskBrain{Purpose: fsm.PurposeAnswer, Session: "s", Asked: fsm.Asked{Handle: 1}}
	ask.Conversation = ask.Conversation.Add(fsm.Message{Role: fsm.RoleUser, Text: "first"})
	tools := []fsm.ToolDecl{{Name: "look", Parameters: `{"type":"object"}`}}
	var pieces []*byte
	for handle := range fsm.HandleID(2) {
		ask.Handle = handle
		if _, _, err := c.request(ask, slices.Clone(tools), manner{}); err != nil {
			t.Fatal(err)
		}
		pieces = append(pieces, &c.encoded.kept[0].json[0][0], &c.encoded.tools[0].json[0])
	}
	if len(c.encoded.kept) != 1 || len(c.encoded.tools) != 1 || pieces[0] != pieces[2] || pieces[1] != pieces[3] {
		t.Errorf("%d conversations and %d sets of tools are kept, or they were encoded again", len(c.encoded.kept), len(c.encoded.tools))
	}
}

// What is kept is bounded, and what was used last stays.
func TestBRN2WhatIsKeptOfConversationsIsBounded(t *testing.T) {
	c := encodingClient(t)
	text := strings.Repeat("x", encodedBytesMax/10)
	for handle := range fsm.HandleID(30) {
		ask := fsm.AskBrain{Purpose: fsm.PurposeAnswer, Asked: fsm.Asked{Handle: handle}}
		ask.Conversation.Messages = []fsm.Message{{Role: fsm.RoleUser, Text: text}}
		if _, _, err := c.request(ask, nil, manner{}); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(c.encoded.kept); n != 4 || c.encoded.kept[n-1].of.handle != 29 || c.encoded.bytes > encodedBytesMax {
		t.Errorf("%d are kept, with %d bytes", n, c.encoded.bytes)
	}
}

// BenchmarkRequest measures making the body of a call after many results, one of which is new. Its
// yardstick is encoding all of them.
func BenchmarkRequest(b *testing.B) {
	c := encodingClient(b)
	ask := fsm.AskBrain{Purpose: fsm.PurposeAnswer, System: "system"}
	for range 60 {
		ask.Conversation = ask.Conversation.Add(fsm.Message{Role: fsm.RoleTool, Tool: "read", Text: strings.Repeat("some text of a file\n", 250)})
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := c.request(ask, nil, manner{}); err != nil {
			b.Fatal(err)
		}
	}
	yardstick.Of(b, "all", func() {
		c.encoded = &encoded{}
		if _, _, err := c.request(ask, nil, manner{}); err != nil {
			b.Fatal(err)
		}
	})
}
