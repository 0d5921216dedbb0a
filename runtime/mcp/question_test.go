package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"shelly/fsm"
	"shelly/runtime/mcp/kept"
	"shelly/runtime/tool"
)

// asking is a server whose tool asks with a form, in the newer or the older way, and which
// tells how often it was called.
func asking(form string, answers chan<- string) *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "k"}, nil)
	s.AddTool(&sdk.Tool{Name: "ask", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		got, ok := r.Params.InputResponses["q"]
		if !ok { // the library asks in the older way where the client is older
			return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{"q": &sdk.ElicitParams{Message: "Delete\nall?", RequestedSchema: json.RawMessage(form)}}}, nil
		}
		e := got.(*sdk.ElicitResult)
		said, _ := json.Marshal(e.Content)
		text := fmt.Sprintf("%s %s", e.Action, said)
		if answers != nil {
			answers <- text
		}
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}}, nil
	})
	s.AddTool(&sdk.Tool{Name: "other", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "done"}}}, nil
	})
	return s
}

const confirm = `{"type":"object","properties":{"sure":{"type":"boolean"},"days":{"type":"integer","default":7},"note":{"type":"string"}},"required":["sure"]}`

// each tries something with both ways of the protocol to ask.
func each(t *testing.T, form string, answers chan<- string, test func(t *testing.T, w *world)) {
	for name, older := range map[string]bool{"older": true, "newer": false} { // order-free: each has its own world
		t.Run(name, func(t *testing.T) {
			b := kind(func() *sdk.Server { return asking(form, answers) })
			if older {
				b = deaf(b)
			}
			test(t, newWorld(t, b, brief(), one("k")))
		})
	}
}

func (w *world) use(key string, approved bool) fsm.RunTool {
	return fsm.RunTool{Name: "k_ask", Key: key, Approved: approved}
}

func TestTOL97AServersQuestionIsAPersons(t *testing.T) {
	each(t, confirm, nil, func(t *testing.T, w *world) {
		ask := w.tool("k_ask")
		got := ask.Run(t.Context(), w.use("h1", false))
		if want := `its server asks "Delete all?"; yes answers days: 7, sure: true`; got.Asks != want || !got.Failed || !got.Nothing {
			t.Fatalf("got %+v, want the question %s", got, want)
		}
		if other := w.call("k_other", ""); other.Text != "done" {
			t.Errorf("another call meanwhile: %+v", other)
		}
		if got := ask.Run(t.Context(), w.use("h1", true)); got.Failed || got.Text != `accept {"days":7,"sure":true}` {
			t.Errorf("approved: %+v", got)
		}
	})
}

func TestTOL97ARefusalIsTheServersAnswer(t *testing.T) {
	answers := make(chan string, 1)
	each(t, confirm, answers, func(t *testing.T, w *world) {
		if got := w.tool("k_ask").Run(t.Context(), w.use("h1", false)); got.Asks == "" {
			t.Fatalf("got %+v; want some Asks", got)
		}
		w.Refused("another")
		w.Refused("h1")
		if got := <-answers; got != "decline null" {
			t.Errorf("the server got %q", got)
		}
		w.Refused("h1") // which is over
	})
}

// A person who has approved the call has not seen the question, but is not asked twice.
func TestTOL97WhatCannotBeAskedIsDeclinedAndTold(t *testing.T) {
	for name, c := range map[string]struct {
		form string
		call fsm.RunTool
		why  string
	}{ // order-free: each has its own world
		"approved before": {confirm, fsm.RunTool{Name: "k_ask", Key: "h1", Approved: true}, "the call was approved before"},
		"without a use":   {confirm, fsm.RunTool{Name: "k_ask"}, "nobody can be asked about the call"},
		"more than yes":   {`{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}`, fsm.RunTool{Name: "k_ask", Key: "h1"}, "a yes does not answer it"},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, c.form, nil, func(t *testing.T, w *world) {
				got := w.tool("k_ask").Run(t.Context(), c.call)
				want := "decline null\n[the server asked a person \"Delete all?\"; it was declined, because " + c.why + "]"
				if got.Asks != "" || got.Text != want {
					t.Errorf("got %+v; want Asks %q, Text %q", got, "", want)
				}
			})
		})
	}
}

func TestTOL97ACallThatAsksAgainIsTold(t *testing.T) {
	n, f := &session{mu: &sync.Mutex{}}, &flight{asks: make(chan *question, 1)}
	if q, _ := n.asked([]*flight{f}, question1("")); q == nil {
		t.Fatal("the first question is not put to a person")
	}
	q, _ := n.asked([]*flight{f}, question1(""))
	if got := n.declined(f); q != nil || len(got) != 1 || !strings.HasSuffix(got[0], "it was declined, because the call has asked before") {
		t.Errorf("got %+v, %q", q, got)
	}
}

// A call whose question was answered goes on, and may ask again: the person of another call that is under
// way is not asked about that.
func TestTOL97ASecondQuestionIsNotThatOfAnotherCall(t *testing.T) {
	begun, end := make(chan struct{}), make(chan struct{})
	b := kind(func() *sdk.Server {
		s := asking(confirm, nil)
		text := func(parts ...string) (*sdk.CallToolResult, error) {
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: strings.Join(parts, " ")}}}, nil
		}
		s.AddTool(&sdk.Tool{Name: "twice", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			var got []string
			for range 2 {
				res, err := r.Session.Elicit(ctx, question1(""))
				if err != nil {
					return nil, err
				}
				got = append(got, res.Action)
			}
			return text(got...)
		})
		s.AddTool(&sdk.Tool{Name: "long", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			close(begun)
			<-end
			return text("done")
		})
		return s
	})
	w := newWorld(t, deaf(b), brief(), one("k"))
	twice, long := w.tool("k_twice"), w.tool("k_long")
	if got := twice.Run(t.Context(), fsm.RunTool{Name: "k_twice", Key: "h1"}); got.Asks == "" {
		t.Fatalf("got %+v; want some Asks", got)
	}
	other := make(chan tool.Result, 1)
	go func() { other <- long.Run(t.Context(), fsm.RunTool{Name: "k_long", Key: "h2"}) }()
	<-begun
	first := make(chan tool.Result, 1)
	go func() { first <- twice.Run(t.Context(), fsm.RunTool{Name: "k_twice", Key: "h1", Approved: true}) }()
	select {
	case got := <-other:
		t.Errorf("the other call: got %+v; want that its person is not asked", got)
		w.Refused("h2")
		<-first
	case got := <-first:
		if want := "accept decline\n[the server asked a person \"Delete all?\"; it was declined, because it is unclear whether it belongs to this call]"; got.Text != want {
			t.Errorf("got %+v; want Text %q", got, want)
		}
	}
	close(end)
}

// Who is told that a person has declined would believe it.
func TestTOL97AQuestionThatNobodyIsAskedBecauseOthersWaitIsTold(t *testing.T) {
	each(t, confirm, nil, func(t *testing.T, w *world) {
		ask := w.tool("k_ask")
		for i := range heldMax {
			if got := ask.Run(t.Context(), w.use(fmt.Sprint("h", i), false)); got.Asks == "" {
				t.Fatalf("call %d: got %+v; want some Asks", i, got)
			}
		}
		got := ask.Run(t.Context(), w.use("more", false))
		if want := "decline null\n[the server asked a person \"Delete all?\"; it was declined, because too many calls wait for a person]"; got.Asks != "" || got.Text != want {
			t.Errorf("got %+v; want Text %q", got, want)
		}
	})
}

func TestTOL97AServerThatEndsWhileAPersonIsAskedLeavesAnUnknownOutcome(t *testing.T) {
	each(t, confirm, nil, func(t *testing.T, w *world) {
		ask := w.tool("k_ask")
		if got := ask.Run(t.Context(), w.use("h1", false)); got.Asks == "" {
			t.Fatalf("got %+v; want some Asks", got)
		}
		s := w.now()[0]
		n, err := s.current()
		if err != nil {
			t.Fatal(err)
		}
		s.lost(n, errEnded)
		w.until(func() bool { // which is when the old one is closed
			again, err := s.current()
			return err == nil && again != n
		})
		if got := ask.Run(t.Context(), w.use("h1", true)); !got.Failed || got.Nothing || !strings.Contains(got.Text, "outcome is unknown") {
			t.Errorf("got %+v; want Failed, not Nothing, Text with %q", got, "outcome is unknown")
		}
		// What a server says while it ends is that the question was cut off.
		said := &jsonrpc.Error{Message: "cut off"}
		for question, want := range map[string]string{"Delete all?": "outcome is unknown", "": "answers with an error: cut off"} {
			c := &calling{s: s, n: n, note: kept.Note{Question: question}}
			if got := s.failure(t.Context(), c, said); !got.Failed || !strings.Contains(got.Text, want) {
				t.Errorf("asked %q: %+v", question, got)
			}
		}
	})
}

// CFG-10: a call that begins to wait for a person waits as long as the settings of then say; one that
// waits already keeps its time.
func TestCFG10ACallWaitsForAPersonAsLongAsTheSettingsOfThenSay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		patience := time.Hour
		s := &server{options: Options{Patience: func() time.Duration { return patience }}}
		holds := func(key string) *question {
			q := &question{answer: make(chan bool, 1)}
			c := &calling{result: make(chan answer, 1), cancel: func(error) {}}
			c.result <- answer{}
			if !s.hold(key, c, q) {
				t.Fatal("too many wait")
			}
			return q
		}
		before := holds("before")
		patience = 8 * time.Hour
		after := holds("after")
		time.Sleep(2 * time.Hour) // virtual time
		if len(before.answer) != 1 || len(after.answer) != 0 {
			t.Errorf("after two hours %d and %d of the calls are refused; want 1 and 0", len(before.answer), len(after.answer))
		}
		time.Sleep(7 * time.Hour)
		if len(after.answer) != 1 {
			t.Error("after nine hours the second call is not refused")
		}
	})
}
