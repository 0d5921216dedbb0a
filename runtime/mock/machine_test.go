package mock_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"

	"github.com/ollama/ollama/api"

	"shelly/fsm"
	"shelly/runtime/mock"
	"shelly/sim/server"
)

// SIM-20: a slow machine reports the time that it took, and what its slot holds is not read again.
func TestSIM20AMachineTakesItsTime(t *testing.T) {
	brain := &scripted{answer: mock.Answer{Text: "all is well"}}
	c := server.Config{Reads: 10_000, Writes: 1000, Slots: 1, Window: 4096, Loads: 20}
	s := httptest.NewServer(mock.New(mock.Options{Brain: brain, Machine: &c}))
	defer s.Close()
	loaded := request(t, s, "POST", chatPath, `{"model":"mock","messages":[]}`)
	if loaded.status != 200 || !strings.Contains(loaded.body, "load") {
		t.Fatalf("got %+v; want status 200, body with %q", loaded, "load")
	}
	talk := `{"role":"user","content":"` + strings.Repeat("tell me ", 500) + `"}`
	ask := func(messages string) api.ChatResponse {
		t.Helper()
		got := request(t, s, "POST", chatPath, `{"model":"mock","stream":false,"messages":[`+messages+`]}`)
		var a api.ChatResponse
		if err := json.Unmarshal([]byte(got.body), &a); err != nil || got.status != 200 {
			t.Fatalf("got %+v, %v; want status 200", got, err)
		}
		return a
	}
	first := ask(talk)
	second := ask(talk + `,{"role":"assistant","content":"all is well"},{"role":"user","content":"and now?"}`)
	if first.LoadDuration != 1 || second.LoadDuration != 1 {
		t.Errorf("loading took %v, then %v, although the model was loaded before", first.LoadDuration, second.LoadDuration)
	}
	if want := 101 * time.Millisecond; first.PromptEvalDuration != want {
		t.Errorf("the first prompt, of %d tokens, was read in %v, want %v", first.PromptEvalCount, first.PromptEvalDuration, want)
	}
	if second.PromptEvalCount <= first.PromptEvalCount || second.PromptEvalDuration >= 5*time.Millisecond {
		t.Errorf("the second prompt, of %d tokens, was read in %v, the part included that the slot holds", second.PromptEvalCount, second.PromptEvalDuration)
	}
}

// SIM-20: of a prompt that is too long for the machine, what fits is read, in its time.
func TestSIM20WhatFitsOfAPromptIsRead(t *testing.T) {
	c := server.Config{Reads: 10_000, Slots: 1, Window: 200}
	s := httptest.NewServer(mock.New(mock.Options{Brain: &scripted{answer: mock.Answer{Text: "so"}}, Machine: &c}))
	defer s.Close()
	word := strings.Repeat("word ", 100)
	for what, messages := range map[string]string{ // order-free: the prompts share no beginning
		"several messages": `{"role":"user","content":"` + word + `"},{"role":"user","content":"` + strings.ToUpper(word) + `"}`,
		"one message":      `{"role":"user","content":"` + strings.Repeat("other "+word, 3) + `"}`,
	} {
		got := request(t, s, "POST", chatPath, `{"model":"mock","stream":false,"messages":[`+messages+`]}`)
		var a api.ChatResponse
		if err := json.Unmarshal([]byte(got.body), &a); err != nil || got.status != 200 {
			t.Fatalf("got %+v, %v; want status 200", got, err)
		}
		if least := 12 * time.Millisecond; a.PromptEvalDuration < least {
			t.Errorf("%s: %d tokens were read in %v, want at least %v", what, a.PromptEvalCount, a.PromptEvalDuration, least)
		}
	}
}

// The machine's window is that of every request, also of one that only loads a model or wants a vector.
func TestSIM20TheMachinesWindowIsThatOfEveryRequest(t *testing.T) {
	s := httptest.NewServer(mock.New(mock.Options{EmbedDims: 4, Machine: &server.Config{Window: 200}}))
	defer s.Close()
	request(t, s, "POST", chatPath, `{"model":"mock","messages":[],"options":{"num_ctx":32768}}`)
	if got := request(t, s, "GET", "/api/ps", ""); !strings.Contains(got.body, `"context_length":200}`) {
		t.Errorf("loaded: %s; want one with %s", got.body, `"context_length":200`)
	}
	long := `{"model":"mock-embed","input":"` + strings.Repeat("word ", 200) + `"`
	if got := request(t, s, "POST", "/api/embed", long+`}`); !strings.Contains(got.body, `"prompt_eval_count":200}`) {
		t.Errorf("embedded: %s; want one with %s", got.body, `"prompt_eval_count":200`)
	}
	if got := request(t, s, "POST", "/api/embed", long+`,"truncate":false}`); got.status != http.StatusBadRequest {
		t.Errorf("embedded whole: %+v; want status 400", got)
	}
}

// A model that a client has unloaded, or has asked not to keep, is loaded again.
func TestSIM21WhatIsUnloadedIsLoadedAgain(t *testing.T) {
	const loads = 20 * time.Millisecond
	s := httptest.NewServer(mock.New(mock.Options{Brain: &scripted{answer: mock.Answer{Text: "so"}}, Machine: &server.Config{Loads: 20}}))
	defer s.Close()
	for i, c := range []struct {
		more string
		want time.Duration
	}{{"", loads}, {`,"keep_alive":0`, 1}, {"", loads}, {"", 1}} {
		got := request(t, s, "POST", chatPath, `{"model":"mock","stream":false,`+hello+c.more+`}`)
		var a api.ChatResponse
		if err := json.Unmarshal([]byte(got.body), &a); err != nil || a.LoadDuration != c.want {
			t.Errorf("call %d: loaded for %v, %v; want %v", i+1, a.LoadDuration, err, c.want)
		}
	}
	request(t, s, "POST", chatPath, `{"model":"mock","messages":[],"keep_alive":0}`)
	got := request(t, s, "POST", chatPath, `{"model":"mock","stream":false,`+hello+`}`)
	if !strings.Contains(got.body, `"load_duration":20000000,`) {
		t.Errorf("after it was unloaded: %s; want one with %s", got.body, `"load_duration":20000000`)
	}
}

// Vectors are made on the machine by either path, so that a model is loaded for them.
func TestSIM21EitherPathForVectorsLoadsItsModel(t *testing.T) {
	for path, text := range map[string]string{"/api/embed": "input", "/api/embeddings": "prompt"} {
		s := httptest.NewServer(mock.New(mock.Options{Brain: &scripted{answer: mock.Answer{Text: "so"}}, EmbedDims: 4, Machine: &server.Config{Loads: 20}}))
		request(t, s, "POST", path, `{"model":"mock","`+text+`":"words"}`)
		got := request(t, s, "POST", chatPath, `{"model":"mock","stream":false,`+hello+`}`)
		if want := `"load_duration":1,`; !strings.Contains(got.body, want) {
			t.Errorf("a call after %s: %s; want one with %s", path, got.body, want)
		}
		s.Close()
	}
}

// SIM-20: an answer takes as long as writing it, streamed or not, including its calls.
func TestSIM20WritingTakesItsTime(t *testing.T) {
	brain := &scripted{answer: mock.Answer{Calls: []fsm.ToolCall{{Name: "look", Args: `{"at":"the sky above the house"}`}}}}
	c := server.Config{Writes: 200, Slots: 1}
	s := httptest.NewServer(mock.New(mock.Options{Brain: brain, Machine: &c}))
	defer s.Close()
	for _, streamed := range []string{"true", "false"} {
		got := request(t, s, "POST", chatPath, `{"model":"mock","stream":`+streamed+`,"tools":[{"type":"function","function":{"name":"look"}}],`+hello+`}`)
		lines := strings.Split(strings.TrimSpace(got.body), "\n")
		var a api.ChatResponse
		if err := json.Unmarshal([]byte(lines[len(lines)-1]), &a); err != nil || got.status != 200 {
			t.Fatalf("got %+v, %v; want status 200", got, err)
		}
		if least := 40 * time.Millisecond; a.EvalDuration < least || a.TotalDuration < least {
			t.Errorf("streamed %s: the answer of %d tokens was written in %v of %v, want at least %v", streamed, a.EvalCount, a.EvalDuration, a.TotalDuration, least)
		}
	}
}

// hangsOnce is a model whose first answer never ends.
type hangsOnce struct{ asked atomic.Bool }

func (h *hangsOnce) Answer(context.Context, mock.Question) (mock.Answer, error) {
	return mock.Answer{Text: "fine", Hang: h.asked.CompareAndSwap(false, true)}, nil
}

// SIM-21: one slot serves one call at a time; a client that leaves frees it.
func TestSIM21WhoeverLeavesGivesTheSlotBack(t *testing.T) {
	s := httptest.NewServer(mock.New(mock.Options{Brain: &hangsOnce{}, Machine: &server.Config{Slots: 1}}))
	defer s.Close()
	ctx, leave := context.WithCancel(testContext(t))
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+chatPath, strings.NewReader(`{"model":"mock",`+hello+`}`))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := s.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if line, err := bufio.NewReader(resp.Body).ReadString('\n'); err != nil || !strings.Contains(line, "fine") {
		t.Fatalf("got %q, %v; want one with %q", line, err, "fine")
	}
	leave()
	if got := request(t, s, http.MethodPost, chatPath, `{"model":"mock","stream":false,`+hello+`}`); !strings.Contains(got.body, "fine") {
		t.Errorf("after a client that left: %+v", got)
	}
}

// wholly is a body that notes when its end was read.
type wholly struct {
	io.Reader
	ended bool
}

func (w *wholly) Read(b []byte) (int, error) {
	n, err := w.Reader.Read(b)
	w.ended = w.ended || err == io.EOF
	return n, err
}

// after is a model that says whether a body had ended before it was asked.
type after struct{ body *wholly }

func (a after) Answer(context.Context, mock.Question) (mock.Answer, error) {
	return mock.Answer{Text: fmt.Sprintf("ended: %v", a.body.ended)}, nil
}

// SIM-21: only once a body is read to its end does net/http see that its client leaves, so that the slot comes back.
func TestSIM21ARequestIsReadToItsEnd(t *testing.T) {
	body := &wholly{Reader: io.MultiReader(strings.NewReader(`{"model":"mock",`+hello+`}`), strings.NewReader("\n"))}
	w := httptest.NewRecorder()
	mock.New(mock.Options{Brain: after{body}}).ServeHTTP(w, httptest.NewRequest(http.MethodPost, here+chatPath, body))
	if !strings.Contains(w.Body.String(), "ended: true") {
		t.Errorf("got %d %s; want one with %q", w.Code, w.Body, "ended: true")
	}
}

func TestSIM21ARequestThatBreaksOffIsRefused(t *testing.T) {
	body := io.MultiReader(strings.NewReader(`{"model":"mock",`+hello+`}`), iotest.ErrReader(io.ErrUnexpectedEOF))
	brain := &scripted{answer: mock.Answer{Text: "so"}}
	w := httptest.NewRecorder()
	mock.New(mock.Options{Brain: brain}).ServeHTTP(w, httptest.NewRequest(http.MethodPost, here+chatPath, body))
	if len(brain.questions()) > 0 || w.Code != http.StatusBadRequest {
		t.Errorf("got %d %s, %d questions; want 400 and none", w.Code, w.Body, len(brain.questions()))
	}
}
