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
