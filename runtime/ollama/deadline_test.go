package ollama_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/runtime/ollama"
)

// soon is a deadline that surely passes during a test.
const soon = 20 * time.Millisecond

func TestBRN8DeadlinesAreTyped(t *testing.T) {
	tests := []struct {
		name     string
		before   string // sent before the server falls silent
		timeouts ollama.Timeouts
		class    fsm.BrainClass
		part     string
	}{
		{"no first token", "", ollama.Timeouts{FirstToken: soon}, fsm.BrainLoading, "timeouts.first_token"},
		{"silence in the answer", `{"message":{"content":"a"}}` + "\n", ollama.Timeouts{Idle: soon}, fsm.BrainTimeout, "timeouts.idle"},
		{"a blank line is not a token", "\n", ollama.Timeouts{FirstToken: soon}, fsm.BrainLoading, "timeouts.first_token"},
		{"too long in all", `{"message":{"content":"a"}}` + "\n", ollama.Timeouts{Total: soon}, fsm.BrainTimeout, "timeouts.total"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := silentAfter(t, tt.before)
			c := client(t, s.Server, func(o *ollama.Options) { o.Timeouts = tt.timeouts })
			_, err := c.Chat(testContext(t), ask("x"), nil, nil)
			wantClass(t, err, tt.class, tt.part)
			s.wait(t)
		})
	}
}

// A server sends nothing of a tool call before its end, but answers other questions.
func TestBRN43ASilentModelMayBeWritingAToolCall(t *testing.T) {
	tools := []fsm.ToolDecl{{Name: "look", Effects: fsm.EffectsNone}}
	for _, tt := range []struct {
		name  string
		tools []fsm.ToolDecl
		by    ollama.ToolsBy
		fails bool
	}{
		{"offered", tools, ollama.ToolsNative, false},
		{"described", tools, ollama.ToolsDescribed, true},
		{"none", nil, ollama.ToolsNative, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			alive := make(chan struct{}, 8)
			s := server(t, func(w http.ResponseWriter, r *http.Request, _ string) {
				if r.URL.Path != "/api/chat" {
					alive <- struct{}{}
					return
				}
				_, _ = io.WriteString(w, `{"message":{"content":"a"}}`+"\n")
				_ = http.NewResponseController(w).Flush()
				for range 2 {
					select {
					case <-alive:
					case <-r.Context().Done():
						return
					}
				}
				_, _ = io.WriteString(w, done)
			})
			c := client(t, s, func(o *ollama.Options) { o.Tools, o.Timeouts = tt.by, ollama.Timeouts{Idle: soon} })
			_, err := c.Chat(testContext(t), ask("x"), tt.tools, nil)
			if tt.fails {
				wantClass(t, err, fsm.BrainTimeout, "timeouts.idle")
			} else if err != nil {
				t.Error(err)
			}
		})
	}
}

func TestBRN8ConnectingHasADeadline(t *testing.T) {
	c := client(t, playing(t, "chat-text"), func(o *ollama.Options) { o.Timeouts.Connect = time.Nanosecond })
	_, err := c.Chat(testContext(t), ask("x"), nil, nil)
	wantClass(t, err, fsm.BrainUnreachable, "no connection in time")
}

func TestTheCallersDeadlineIsATimeout(t *testing.T) {
	s := silentAfter(t, "")
	ctx, cancel := context.WithTimeout(testContext(t), soon)
	defer cancel()
	_, err := client(t, s.Server, nil).Chat(ctx, ask("x"), nil, nil)
	wantClass(t, err, fsm.BrainTimeout, s.URL+" gave no answer in time", "restart it")
}

func TestQuestionsHaveADeadline(t *testing.T) {
	s := silentAfter(t, "")
	c := client(t, s.Server, func(o *ollama.Options) { o.Timeouts = ollama.Timeouts{Idle: soon, Load: soon, FirstToken: soon} })
	_, err := c.Version(testContext(t))
	wantClass(t, err, fsm.BrainTimeout, s.URL, "its version within", "restart it")
	_, err = c.Models(testContext(t))
	wantClass(t, err, fsm.BrainTimeout, "models")
	_, err = c.Show(testContext(t), "x")
	wantClass(t, err, fsm.BrainTimeout, "what the model can do")
	_, _, err = c.Embed(testContext(t), "text")
	wantClass(t, err, fsm.BrainTimeout, "to embed")
}

func TestAServerThatLingersAfterTheLastLineHoldsNobodyUp(t *testing.T) {
	s := silentAfter(t, done+"\n")
	ctx := testContext(t)
	if _, err := client(t, s.Server, nil).Chat(ctx, ask("x"), nil, nil); err != nil || ctx.Err() != nil {
		t.Fatalf("%v; the test's guard: %v", err, ctx.Err())
	}
	s.wait(t)
}

// silent is a server that sends something and then waits for its client to leave.
type silent struct {
	*httptest.Server
	left chan struct{}
}

func silentAfter(t *testing.T, before string) silent {
	left := make(chan struct{}, 8)
	return silent{server(t, func(w http.ResponseWriter, r *http.Request, _ string) {
		if before != "" {
			_, _ = io.WriteString(w, before)
			_ = http.NewResponseController(w).Flush()
		}
		<-r.Context().Done()
		left <- struct{}{}
	}), left}
}

// wait returns once the server has seen its client leave.
func (s silent) wait(t *testing.T) {
	t.Helper()
	select {
	case <-s.left:
	case <-testContext(t).Done():
		t.Fatal("the server never saw its client leave")
	}
}

// A server that says anything is alive, as is one that has no such question.
func TestBRN42ASilentServerIsReportedUntilItAnswersAgain(t *testing.T) {
	tick, answer := make(chan time.Time), make(chan struct{})
	var asked atomic.Int32
	s := server(t, func(w http.ResponseWriter, r *http.Request, _ string) {
		if r.URL.Path != "/api/version" {
			go func() {
				for {
					select {
					case tick <- time.Time{}:
					case <-answer:
						return
					}
				}
			}()
			<-answer
			_, _ = io.WriteString(w, done)
			return
		}
		if asked.Add(1) == 2 {
			<-r.Context().Done()
			return
		}
		w.WriteHeader(http.StatusNotFound)
	})
	c := client(t, s, func(o *ollama.Options) { o.Timeouts.Connect = 5 * soon })
	c.TickBy(tick)
	c.LosePatience()
	var notes []string
	_, err := c.Chat(testContext(t), ask("x"), nil, func(ch ollama.Chunk) {
		if ch.Note == "" {
			return
		}
		if notes = append(notes, ch.Note); len(notes) == 2 {
			close(answer)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"the Ollama server at " + s.URL + " gave no answer to the question whether it is alive within 100ms: if it stays so, restart it",
		"the Ollama server answers again; waiting for the model",
	}
	if diff := cmp.Diff(want, notes); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
