package ollama_test

import (
	"net/http"
	"testing"

	"shelly/fsm"
	"shelly/runtime/ollama"
)

func TestBRN19PreloadAsksForWhatTheChatsAskFor(t *testing.T) {
	var asked string
	s := server(t, func(w http.ResponseWriter, r *http.Request, body string) {
		asked = r.URL.Path + " " + body
		recorded(t, w, "chat-load")
	})
	c := client(t, s, func(o *ollama.Options) { o.NumCtx = 4096 })
	if err := c.Preload(testContext(t)); err != nil {
		t.Fatal(err)
	}
	const want = `/api/chat {"model":"m","messages":[],"stream":false,"keep_alive":"5m0s","options":{"num_ctx":4096}}`
	if asked != want {
		t.Errorf("asked %s\nwant  %s", asked, want)
	}
	wantClass(t, client(t, playing(t, "chat-unknown-model"), nil).Preload(testContext(t)), fsm.BrainMissingModel)
}
