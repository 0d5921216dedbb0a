package ollama_test

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/runtime/ollama"
)

// Covers the stop reason (BRN-4), the calls of all lines (BRN-5) and the thinking (BRN-6), among
// other things.
func TestINF2RecordedAnswersAreRead(t *testing.T) {
	listDir := func(id, path string) fsm.ToolCall {
		return fsm.ToolCall{ID: id, Name: "list_dir", Args: `{"path":"` + path + `"}`}
	}
	defaultText := "This is the scripted default answer of the handmade test model."
	tests := map[string]fsm.BrainAnswered{
		"chat-text": {Stop: fsm.StopEndTurn, Text: defaultText, Tokens: fsm.Tokens{Prompt: 15, Answer: 7}},
		"chat-call": {
			Stop:  fsm.StopToolUse,
			Calls: []fsm.ToolCall{listDir("call_pgw4wlxk", ".")}, Tokens: fsm.Tokens{Prompt: 129, Answer: 8},
		},
		"chat-text-then-call": {
			Stop: fsm.StopToolUse, Text: "Let me look at the file first. ",
			Calls:  []fsm.ToolCall{{ID: "call_0g6k6iqh", Name: "read_file", Args: `{"limit":20,"path":"README.md"}`}},
			Tokens: fsm.Tokens{Prompt: 128, Answer: 11},
		},
		"chat-two-calls": {
			Stop:   fsm.StopToolUse,
			Calls:  []fsm.ToolCall{listDir("call_29jfntoa", "a"), listDir("call_6emvf8ks", "b")},
			Tokens: fsm.Tokens{Prompt: 128, Answer: 13},
		},
		"chat-unoffered-call": {Stop: fsm.StopEndTurn, Tokens: fsm.Tokens{Prompt: 127, Answer: 7}},
		"chat-length":         {Stop: fsm.StopMaxTokens, Text: "This is the scripted default answer", Tokens: fsm.Tokens{Prompt: 15, Answer: 3}},
		"chat-call-cut":       {Stop: fsm.StopMaxTokens, Tokens: fsm.Tokens{Prompt: 126, Answer: 2}},
		"chat-utf8":           {Stop: fsm.StopEndTurn, Text: "Grüße, 世界! Ça va? 🦙 fin.", Tokens: fsm.Tokens{Prompt: 13, Answer: 4}},
		"chat-thinking": {
			Stop: fsm.StopEndTurn, Text: "Here is the plan: one step, then stop.",
			Thinking: "The user wants a plan. I should think briefly.", Tokens: fsm.Tokens{Prompt: 12, Answer: 10},
		},
		"chat-think-in-text": {
			Stop: fsm.StopEndTurn, Text: "Here is the plan: one step, then stop.",
			Thinking: "The user wants a plan. I should think briefly.", Tokens: fsm.Tokens{Prompt: 12, Answer: 10},
		},
		"chat-thinking-then-call": {
			Stop: fsm.StopToolUse, Thinking: "I need the directory before answering.",
			Calls: []fsm.ToolCall{listDir("call_jj0eurd2", "src")}, Tokens: fsm.Tokens{Prompt: 127, Answer: 12},
		},
		"chat-text-whole": {Stop: fsm.StopEndTurn, Text: defaultText, Tokens: fsm.Tokens{Prompt: 15, Answer: 7}},
	}
	spent := map[string][2]fsm.Millis{ // reading and writing
		"chat-text": {0, 2}, "chat-call": {2, 2}, "chat-text-then-call": {0, 3}, "chat-two-calls": {0, 4}, "chat-unoffered-call": {0, 2},
		"chat-thinking": {0, 2}, "chat-think-in-text": {0, 2}, "chat-thinking-then-call": {1, 2}, "chat-text-whole": {0, 1},
	}
	for name, want := range tests {
		t.Run(name, func(t *testing.T) {
			want.Tokens.Reading, want.Tokens.Writing = spent[name][0], spent[name][1]
			got, err := client(t, playing(t, name), nil).Chat(testContext(t), ask("hello"), nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			want.Model.Name = "m"
			same(t, want, got)
		})
	}
}

func TestBRN9ChunksAreStreamedInOrder(t *testing.T) {
	var text, thinking strings.Builder
	n := 0
	answer, err := client(t, playing(t, "chat-thinking"), nil).Chat(testContext(t), ask("x"), nil, func(c ollama.Chunk) {
		if c.Stage != "" {
			return
		}
		n++
		text.WriteString(c.Text)
		thinking.WriteString(c.Thinking)
	})
	if err != nil {
		t.Fatal(err)
	}
	if n != 9 || text.String() != answer.Text || thinking.String() != answer.Thinking {
		t.Errorf("%d chunks, text %q, thinking %q; answer %+v", n, &text, &thinking, answer)
	}
}

func TestBRN7RecordedErrorsAreTyped(t *testing.T) {
	tests := []struct {
		name  string
		class fsm.BrainClass
		parts []string
	}{
		{"chat-unknown-model", fsm.BrainMissingModel, []string{`"m"`, "ollama pull m", "http://127.0.0.1"}},
		{"chat-no-tools", fsm.BrainNoTools, []string{"does not support tools", "ollama show"}},
		{"chat-too-long", fsm.BrainContextTruncated, []string{"8192", "num_ctx"}},
		{"chat-bad-option", fsm.BrainError, []string{"500", "must be of type float32"}},
		{"chat-bad-json", fsm.BrainError, []string{"400", "unexpected EOF"}},
		{"chat-embed-model", fsm.BrainNoChat, []string{"cannot chat", "brain.model"}},
		{"unknown-path", fsm.BrainError, []string{"404", "check the address"}},
		{"chat-wrong-method", fsm.BrainError, []string{"405"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := client(t, playing(t, tt.name), nil).Chat(testContext(t), ask("hello"), nil, nil)
			wantClass(t, err, tt.class, tt.parts...)
		})
	}
}

func TestBRN3AFullWindowMeansTruncation(t *testing.T) {
	for numCtx, truncated := range map[int]bool{255: true, 256: true, 257: false} {
		c := client(t, playing(t, "chat-truncated"), func(o *ollama.Options) { o.NumCtx = numCtx })
		_, err := c.Chat(testContext(t), ask("x"), nil, nil)
		if truncated {
			wantClass(t, err, fsm.BrainContextTruncated, "num_ctx")
		} else if err != nil {
			t.Errorf("num_ctx %d: %v", numCtx, err)
		}
	}
}

func TestBRN7StatusesAreTyped(t *testing.T) {
	tests := []struct {
		status int
		body   string
		class  fsm.BrainClass
	}{
		{503, `{"error":"server busy, please try again.  maximum pending requests exceeded"}`, fsm.BrainBusy},
		{503, "", fsm.BrainBusy},
		{429, `{"error":"slow down"}`, fsm.BrainBusy},
		{502, "<html>bad gateway</html>", fsm.BrainUnreachable},
		{504, "", fsm.BrainTimeout},
		{500, `{"error":"timed out waiting for llama runner to start"}`, fsm.BrainLoading},
		{500, `{"error":{"message":"boom"}}`, fsm.BrainCrashed},
		{307, "", fsm.BrainError},
	}
	for _, tt := range tests {
		s := server(t, func(w http.ResponseWriter, _ *http.Request, _ string) {
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(tt.status)
			_, _ = io.WriteString(w, tt.body)
		})
		_, err := client(t, s, nil).Chat(testContext(t), ask("x"), nil, nil)
		wantClass(t, err, tt.class)
	}
}

// BRN-1, BRN-7, BRN-11.
func TestINF6BrokenStreamsAreTyped(t *testing.T) {
	hello := `{"message":{"role":"assistant","content":"hello"},"done":false}`
	tests := []struct {
		name  string
		lines []string
		class fsm.BrainClass
		part  string
	}{
		{"no last line", []string{hello, ""}, fsm.BrainCutStream, "without its last line"},
		{"nothing at all", nil, fsm.BrainCutStream, "without its last line"},
		{"half a line", []string{hello, `{"message":{"ro`}, fsm.BrainCutStream, "without its last line"},
		{"half an object on a whole line", []string{hello, `{"message":{"ro`, ""}, fsm.BrainGarbage, `{\"message\":{\"ro`},
		{"half of its last line", []string{hello, `{"message":{},"done":true,"done_re`}, fsm.BrainCutStream, "without its last line"},
		{"a last line too deep to read", []string{hello, `{"a":` + strings.Repeat("[", 20000)}, fsm.BrainGarbage, "not part of an answer"},
		{"half a page", []string{hello, "<html>oo"}, fsm.BrainGarbage, "<html>oo"},
		{"an error line", []string{hello, `{"error":"an error was encountered"}`}, fsm.BrainError, "an error was encountered"},
		{"an error object", []string{`{"error":{"code":7}}`}, fsm.BrainError, `{"code":7}`},
		{"an error that has a class", []string{`{"error":"server busy"}`}, fsm.BrainBusy, "busy"},
		{"a page", []string{hello, "<html>oops</html>", done}, fsm.BrainGarbage, "<html>oops"},
		{"another type", []string{`["hello"]`}, fsm.BrainGarbage, "not part of an answer"},
		{"a line without end", []string{strings.Repeat("x", 17<<20)}, fsm.BrainGarbage, "too large"},
		{"too much", []string{strings.Repeat(strings.Repeat(" ", 1<<20)+"\n", 65)}, fsm.BrainGarbage, "too large"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := client(t, sending(t, tt.lines...), nil).Chat(testContext(t), ask("x"), nil, nil)
			wantClass(t, err, tt.class, tt.part)
		})
	}
}

func TestBRN1ADroppedConnectionIsACutStream(t *testing.T) {
	for name, before := range map[string]string{
		"before the answer": "", "in the answer": `{"message":{"content":"a"}}` + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			s := server(t, func(w http.ResponseWriter, _ *http.Request, _ string) {
				if before != "" {
					_, _ = io.WriteString(w, before)
					_ = http.NewResponseController(w).Flush()
				}
				panic(http.ErrAbortHandler)
			})
			_, err := client(t, s, nil).Chat(testContext(t), ask("x"), nil, nil)
			wantClass(t, err, fsm.BrainCutStream)
		})
	}
}

func TestBRN7NoServerIsUnreachable(t *testing.T) {
	const nobody = "http://127.0.0.1:1"
	c := client(t, playing(t, "chat-text"), func(o *ollama.Options) { o.BaseURL = nobody })
	_, err := c.Chat(testContext(t), ask("x"), nil, nil)
	wantClass(t, err, fsm.BrainUnreachable, nobody, "ollama serve", "OLLAMA_HOST", "refused")
	_, err = c.Version(testContext(t))
	wantClass(t, err, fsm.BrainUnreachable, nobody)
}

func TestACallWithoutAModelIsRefused(t *testing.T) {
	s := server(t, func(http.ResponseWriter, *http.Request, string) { t.Error("a request was sent") })
	_, err := client(t, s, func(o *ollama.Options) { o.Model = "" }).Chat(testContext(t), ask("x"), nil, nil)
	wantClass(t, err, fsm.BrainMissingModel, "ollama pull")
}

func TestBRN8ACallGivenUpIsCancelled(t *testing.T) {
	s := server(t, func(w http.ResponseWriter, r *http.Request, _ string) {
		_, _ = io.WriteString(w, `{"message":{"content":"a"}}`+"\n")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	ctx, cancel := context.WithCancel(testContext(t))
	_, err := client(t, s, nil).Chat(ctx, ask("x"), nil, func(c ollama.Chunk) {
		if c.Stage == "" {
			cancel()
		}
	})
	wantClass(t, err, fsm.BrainCancelled)
}

func TestRequestsCarryPurposeAndSession(t *testing.T) {
	var purpose, session string
	s := server(t, func(w http.ResponseWriter, r *http.Request, _ string) {
		purpose, session = r.Header.Get(ollama.PurposeHeader), r.Header.Get(ollama.SessionHeader)
		recorded(t, w, "chat-text")
	})
	a := ask("x")
	a.Purpose, a.Session = fsm.PurposeSummary, "café: a b"
	if _, err := client(t, s, nil).Chat(testContext(t), a, nil, nil); err != nil {
		t.Fatal(err)
	}
	if got, err := url.QueryUnescape(session); purpose != "summary" || got != a.Session || err != nil {
		t.Errorf("purpose %q, session %q", purpose, session)
	}
}

func TestConnectionsAreUsedAgain(t *testing.T) {
	const calls = 8
	heard := make(chan struct{})
	remote := map[string]bool{}
	s := server(t, func(w http.ResponseWriter, r *http.Request, _ string) {
		remote[r.RemoteAddr] = true
		_, _ = io.WriteString(w, `{"message":{"content":"a"},"done":true}`+"\n")
		_ = http.NewResponseController(w).Flush()
		<-heard // so the end of the response comes after the last line
	})
	c := client(t, s, nil)
	for range calls {
		if _, err := c.Chat(testContext(t), ask("x"), nil, func(c ollama.Chunk) {
			if c.Stage == "" {
				go func() { heard <- struct{}{} }()
			}
		}); err != nil {
			t.Fatal(err)
		}
	}
	if len(remote) > calls/2 { // a busy machine may lose a few
		t.Errorf("%d calls took %d connections", calls, len(remote))
	}
}
