package ollama_test

import (
	"net/http"
	"testing"

	"shelly/fsm"
	"shelly/runtime/ollama"
)

func TestBRN19PreloadAsksForWhatTheChatsAskFor(t *testing.T) {
	var asked string
	s := bare(t, func(w http.ResponseWriter, r *http.Request, body string) {
		if r.Method == http.MethodGet { // the question of what is loaded
			recorded(t, w, "ps")
			return
		}
		asked = r.URL.Path + " " + body
		recorded(t, w, "chat-load")
	})
	c := client(t, s, func(o *ollama.Options) { o.NumCtx = 4096 })
	if err := c.Preload(testContext(t)); err != nil {
		t.Fatal(err)
	}
	const want = `/api/chat {"model":"m","messages":[],"stream":false,"keep_alive":"5m0s","options":{"num_ctx":4096},"shift":false}`
	if asked != want {
		t.Errorf("asked %s\nwant  %s", asked, want)
	}
	none := bare(t, func(w http.ResponseWriter, _ *http.Request, _ string) { recorded(t, w, "chat-unknown-model") })
	wantClass(t, client(t, none, nil).Preload(testContext(t)), fsm.BrainMissingModel)
}

// HND-72: whether the model is loaded is what the server lists, while it loads, too.
func TestHND72AModelIsHeldIfTheServerListsIt(t *testing.T) {
	for list, want := range map[string]bool{ // order-free: each alone
		`{"models":[]}`: false, `{"models":[{"name":"other:latest","model":"other:latest"}]}`: false,
		`{"models":[{"name":"m:latest","model":"m:latest"}]}`: true,
	} {
		s := bare(t, func(w http.ResponseWriter, _ *http.Request, _ string) { _, _ = w.Write([]byte(list)) })
		if holds, err := client(t, s, nil).Holds(testContext(t)); err != nil || holds != want {
			t.Errorf("%s: %v, %v", list, holds, err)
		}
	}
	away := bare(t, func(w http.ResponseWriter, _ *http.Request, _ string) { w.WriteHeader(http.StatusNotFound) })
	if holds, err := client(t, away, nil).Holds(testContext(t)); err == nil {
		t.Errorf("a server without the list: %v", holds)
	}
}
