package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"shelly/fsm"
	"shelly/runtime/clock"
	"shelly/runtime/mcp/wire"
	"shelly/runtime/tool"
)

// errKilled is the cause of a call whose process is gone.
var errKilled = errors.New("killed")

// started begins a call in the background. Kill is the end of the process that waits for it.
func (w *world) started(name string, run fsm.RunTool) (result <-chan tool.Result, kill func()) {
	w.t.Helper()
	run.Name = name
	ctx, cancel := context.WithCancelCause(w.t.Context())
	got, t := make(chan tool.Result, 1), w.tool(name)
	go func() { got <- t.Run(ctx, run) }()
	return got, func() {
		cancel(errKilled)
		<-got
		w.Close()
	}
}

func TestTOL98ATasksResultIsThatOfTheCall(t *testing.T) {
	over(t, func(t *testing.T, s *shop, open func() *world) {
		w := open()
		got, _ := w.started("k_deploy", fsm.RunTool{Key: "h1.1"})
		s.wait(t.Context(), func() bool { return s.tasks["t1"] != nil })
		s.set("t1", wire.Completed, "deployed")
		if r := <-got; r.Failed || r.Text != "deployed" {
			t.Errorf("it is %+v", r)
		}
		if r := w.call("k_plain", `{"text": "x"}`); r.Text != `plain got {"text":"x"}` {
			t.Errorf("a call without a task: %+v", r)
		}
	})
}

func TestTOL98ATaskThatIsGivenUpIsEndedAtItsServer(t *testing.T) {
	over(t, func(t *testing.T, s *shop, open func() *world) {
		w := open()
		ctx, cancel := context.WithCancel(t.Context())
		got := make(chan tool.Result, 1)
		deploy := w.tool("k_deploy")
		go func() { got <- deploy.Run(ctx, fsm.RunTool{Name: "k_deploy", Key: "h1.1"}) }()
		s.wait(t.Context(), func() bool { return s.tasks["t1"] != nil })
		w.until(func() bool { note, _, _ := w.options.notes.Get("h1.1"); return note.Task == "t1" })
		cancel()
		if r := <-got; !r.Failed || !strings.Contains(r.Text, "given up; its outcome is unknown") {
			t.Errorf("it is %+v", r)
		}
		s.wait(t.Context(), func() bool { return len(s.cancelled) == 1 })
	})
}

// A task on which its server is working is waited for, however long that takes, and is given up
// once its server no longer reports on it.
func TestTOL98TheTimeOutIsThatOfEachAnswerAboutATask(t *testing.T) {
	for _, silent := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			s := &server{config: Server{Name: "k", Timeout: time.Minute}, options: Options{pace: usual()}}
			n := &session{link: &reached{}, mu: &s.asking, end: func(error) {}, ended: t.Context()}
			c := &calling{s: s, n: n, f: &flight{}, asks: make(chan *question), alive: make(chan struct{}, 1), result: make(chan answer, 1), cancel: func(error) {}}
			go func() {
				for range 10 {
					if clock.Pause(t.Context(), 40*time.Second) != nil {
						return
					}
					if !silent {
						c.alive <- struct{}{}
					}
				}
				c.result <- answer{res: &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "deployed"}}}}
			}()
			got := s.await(t.Context(), fsm.RunTool{}, c)
			if silent != got.Failed || silent == (got.Text == "deployed") {
				t.Errorf("silent %v: %+v", silent, got)
			}
		})
	}
}

func TestTOL99ATaskOutlivesTheProcessThatWaitsForIt(t *testing.T) {
	for _, name := range []string{"k_deploy", "k_set"} {
		over(t, func(t *testing.T, s *shop, open func() *world) {
			w := open()
			_, kill := w.started(name, fsm.RunTool{Key: "h1.1"})
			w.until(func() bool { note, _, _ := w.options.notes.Get("h1.1"); return note.Task == "t1" })
			kill()
			w = open()
			got, _ := w.started(name, fsm.RunTool{Key: "h1.1"})
			s.set("t1", wire.Completed, "deployed")
			if r := <-got; r.Failed || r.Text != "deployed" {
				t.Errorf("it is %+v", r)
			}
			if made, cancelled := s.count(); made != 1 || cancelled > 0 {
				t.Errorf("%d tasks were made, %d cancelled", made, cancelled)
			}
			got, _ = w.started(name, fsm.RunTool{Key: "h1.1", Attempt: 2}) // which has nothing to do with the first
			s.wait(t.Context(), func() bool { return len(s.tasks) == 2 })
			s.set("t2", wire.Completed, "again")
			if r := <-got; r.Text != "again" {
				t.Errorf("another attempt is %+v", r)
			}
		})
	}
}

func TestTOL99TheProbeAsksForTheTask(t *testing.T) {
	long := strings.Repeat("x", tool.ProbeBytesMax+1)
	over(t, func(t *testing.T, s *shop, open func() *world) {
		w := open()
		_, kill := w.started("k_deploy", fsm.RunTool{Key: "h1.1"})
		w.until(func() bool { note, _, _ := w.options.notes.Get("h1.1"); return note.Task == "t1" })
		kill()
		w = open()
		probe := w.tool("k_deploy").Probe
		ask := func(key string) tool.Found {
			return probe(t.Context(), fsm.RunProbe{Name: "k_deploy", Args: "{}", Key: key})
		}
		if f := ask("h1.1"); f.Answer != fsm.ProbeWorking {
			t.Errorf("it is worked on: %+v", f)
		}
		s.set("t1", wire.Completed, "deployed")
		if f := ask("h1.1"); f.Answer != fsm.ProbeDone || f.Text != "deployed" || f.Failed {
			t.Errorf("it is completed: %+v", f)
		}
		s.set("t1", wire.Completed, long)
		if f := ask("h1.1"); f.Answer != fsm.ProbeWorking {
			t.Errorf("its result is too long for a probe: %.200v", f)
		}
		s.set("t1", wire.Cancelled, "")
		if f := ask("h1.1"); f.Answer != fsm.ProbeUnsure {
			t.Errorf("it is cancelled: %+v", f)
		}
		s.mu.Lock()
		delete(s.tasks, "t1")
		s.mu.Unlock()
		if f := ask("h1.1"); f.Answer != fsm.ProbeUnsure || !strings.Contains(f.Text, "Task not found") {
			t.Errorf("it is forgotten: %+v", f)
		}
		if f := ask("h2.1"); f.Answer != fsm.ProbeUnsure {
			t.Errorf("another call: %+v", f)
		}
		if w.tool("k_plain").Probe != nil && !wire.Extended(session1(w).client) {
			t.Error("a tool that is never a task has a probe")
		}
	})
}

func session1(w *world) *session {
	n, err := w.now()[0].current()
	if err != nil {
		w.t.Fatal(err)
	}
	return n
}

func TestTOL100AnAnswerCountsForItsTaskAfterARestart(t *testing.T) {
	for _, kills := range []bool{false, true} {
		over(t, func(t *testing.T, s *shop, open func() *world) {
			s.questions = true
			w := open()
			got, _ := w.started("k_deploy", fsm.RunTool{Key: "h1.1"})
			r := <-got
			if want := `its server asks "Delete all?"; yes answers days: 7, sure: true`; r.Asks != want {
				t.Fatalf("got %+v, want the question %s", r, want)
			}
			if kills {
				w.Close()
				w = open()
			}
			got, _ = w.started("k_deploy", fsm.RunTool{Key: "h1.1", Approved: true, Attempt: 2})
			s.wait(t.Context(), func() bool { return s.answered != "" })
			s.set("t1", wire.Completed, "deployed")
			if r := <-got; r.Failed || r.Text != "deployed" {
				t.Errorf("it is %+v", r)
			}
			if made, _ := s.count(); s.answered != `accept {"days":7,"sure":true}` || made != 1 {
				t.Errorf("the server got %s for %d tasks", s.answered, made)
			}
		})
	}
}

func TestTOL100ANoAfterARestartEndsTheTask(t *testing.T) {
	over(t, func(t *testing.T, s *shop, open func() *world) {
		s.questions = true
		w := open()
		got, _ := w.started("k_deploy", fsm.RunTool{Key: "h1.1"})
		if r := <-got; r.Asks == "" {
			t.Fatalf("got %+v; want some Asks", r)
		}
		w.Close()
		w = open()
		w.Refused("h2.1") // another call
		w.Refused("h1.1")
		s.wait(t.Context(), func() bool { return len(s.cancelled) > 0 })
		w.until(func() bool { note, _, _ := w.options.notes.Get("h1.1"); return note.Ended })
		if !slices.Equal(s.cancelled, []string{"t1"}) {
			t.Errorf("cancelled are %q; want t1", s.cancelled)
		}
	})
}

// A task whose server wants what it will not get is not waited for: it would ask for ever.
func TestTOL98ATaskThatAsksForWhatItDoesNotGetFails(t *testing.T) {
	for _, c := range []struct {
		wants string
		again bool
		says  string
	}{
		{"sampling/createMessage", false, `it asks for "sampling/createMessage", which shelly does not support`},
		{"", true, "its task asks for more than 100 things"},
	} {
		over(t, func(t *testing.T, s *shop, open func() *world) {
			if strings.Contains(t.Name(), "older") { // there it asks by requests of its own
				return
			}
			s.questions, s.wants, s.again = true, c.wants, c.again
			got := open().call("k_deploy", "")
			if !got.Failed || got.Nothing || !strings.Contains(got.Text, c.says+"; its outcome is unknown") {
				t.Errorf("got %+v; want %q", got, c.says)
			}
			s.wait(t.Context(), func() bool { return len(s.cancelled) == 1 })
		})
	}
}

// Of two tasks at once each asks the person of its own call.
func TestTOL97TwoTasksAskEachForItsCall(t *testing.T) {
	over(t, func(t *testing.T, s *shop, open func() *world) {
		s.questions = true
		w := open()
		one, _ := w.started("k_deploy", fsm.RunTool{Key: "h1.1"})
		s.wait(t.Context(), func() bool { return len(s.tasks) == 1 })
		two, _ := w.started("k_deploy", fsm.RunTool{Key: "h2.1"})
		declined := make(chan struct{})
		go func() {
			s.wait(t.Context(), func() bool { return s.answered != "" })
			close(declined)
		}()
		for i, got := range []<-chan tool.Result{one, two} {
			select {
			case r := <-got:
				if r.Asks == "" {
					t.Errorf("call %d: got %+v; want some Asks", i+1, r)
				}
			case <-declined:
				t.Fatalf("call %d: nobody was asked", i+1)
			}
		}
	})
}

// killed begins a call that asks, and opens what there is after a restart.
func killed(t *testing.T, b box, list Server) (w *world) {
	t.Helper()
	notes := t.TempDir()
	w = newWorldKept(t, b, notes, list)
	if got := w.tool("k_ask").Run(t.Context(), w.use("h1", false)); got.Asks == "" {
		t.Fatalf("got %+v; want some Asks", got)
	}
	w.Close()
	return newWorldKept(t, b, notes, list)
}

// A call that cannot be begun again has an unknown outcome; the others begin again or continue,
// and ask nobody twice.
func TestTOL100ACallThatWasCutOffAtItsQuestionGetsTheAnswer(t *testing.T) {
	for name, c := range map[string]struct {
		older bool
		hints *sdk.ToolAnnotations
		state string
		want  string
	}{ // order-free: each has its own world
		"idempotent, older":           {older: true, hints: &sdk.ToolAnnotations{IdempotentHint: true}, want: "accept, state: , calls: 2"},
		"idempotent, newer":           {hints: &sdk.ToolAnnotations{IdempotentHint: true}, want: "accept, state: , calls: 2"},
		"unsafe, older":               {older: true, want: "its outcome is unknown"},
		"unsafe, newer":               {want: "its outcome is unknown"},
		"unsafe, newer, with a state": {state: "s1", want: "accept, state: s1, calls: 1"},
	} {
		t.Run(name, func(t *testing.T) {
			calls := 0
			b := kind(func() *sdk.Server {
				s := sdk.NewServer(&sdk.Implementation{Name: "k"}, nil)
				s.AddTool(&sdk.Tool{Name: "ask", Annotations: c.hints, InputSchema: json.RawMessage(`{"type":"object"}`)}, func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
					got, ok := r.Params.InputResponses["q"]
					if !ok {
						calls++
						return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{"q": question1("")}, RequestState: c.state}, nil
					}
					text := fmt.Sprintf("%s, state: %s, calls: %d", got.(*sdk.ElicitResult).Action, r.Params.RequestState, calls)
					return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}}, nil
				})
				return s
			})
			if c.older {
				b = deaf(b)
			}
			w := killed(t, b, one("k"))
			if got := w.tool("k_ask").Run(t.Context(), w.use("h1", true)); !strings.Contains(got.Text, c.want) {
				t.Errorf("approved: %+v, want %s", got, c.want)
			}
		})
	}
}

// What a server knows by an earlier, declined question is not what a person has said yes to.
func TestTOL100TheStateOfAnEarlierQuestionIsNotSentWithTheAnswer(t *testing.T) {
	b := kind(func() *sdk.Server {
		s := sdk.NewServer(&sdk.Implementation{Name: "k"}, nil)
		s.AddTool(&sdk.Tool{Name: "ask", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			got, ok := r.Params.InputResponses["q"]
			switch {
			case !ok: // which nobody can answer with yes
				visit := &sdk.ElicitParams{Mode: "url", Message: "Pay first", URL: "http://127.0.0.1:1/", ElicitationID: "e"}
				return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{"q": visit}, RequestState: "pay"}, nil
			case r.Params.RequestState == "pay" && got.(*sdk.ElicitResult).Action == "decline":
				return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{"q": question1("")}}, nil
			}
			text := fmt.Sprintf("%s, state: %s", got.(*sdk.ElicitResult).Action, r.Params.RequestState)
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}}, nil
		})
		return s
	})
	w := killed(t, b, one("k"))
	if got := w.tool("k_ask").Run(t.Context(), w.use("h1", true)); !strings.Contains(got.Text, "its outcome is unknown") {
		t.Errorf("got %+v; want an unknown outcome", got)
	}
}

// A person's yes covers only what was shown.
func TestTOL100AnotherQuestionIsDeclined(t *testing.T) {
	asked := 0
	b := kind(func() *sdk.Server {
		s := sdk.NewServer(&sdk.Implementation{Name: "k"}, nil)
		s.AddTool(&sdk.Tool{Name: "ask", Annotations: &sdk.ToolAnnotations{IdempotentHint: true}, InputSchema: json.RawMessage(`{"type":"object"}`)}, func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			got, ok := r.Params.InputResponses["q"]
			if !ok {
				asked++
				q := question1("")
				q.Message += fmt.Sprint(asked)
				return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{"q": q}}, nil
			}
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: got.(*sdk.ElicitResult).Action}}}, nil
		})
		return s
	})
	w := killed(t, b, one("k"))
	if got := w.tool("k_ask").Run(t.Context(), w.use("h1", true)); !strings.HasPrefix(got.Text, "decline\n[the server asked a person \"Delete all?2\"") {
		t.Errorf("got %+v; want Text beginning with %q", got, "decline\n[the server asked a person \"Delete all?2\"")
	}
}
