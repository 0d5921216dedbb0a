package mock_test

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
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
