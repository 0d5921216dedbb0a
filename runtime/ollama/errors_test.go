package ollama_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/runtime/ollama"
)

func TestBRN7ABusyServerSaysHowLong(t *testing.T) {
	for said, want := range map[string]string{"1": "it asks to wait for 1 s", "Sun, 22 Nov 2026 01:00:00 GMT": "wait for Sun, 22 Nov"} {
		s := server(t, func(w http.ResponseWriter, _ *http.Request, _ string) {
			w.Header().Set("Retry-After", said)
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = io.WriteString(w, `{"error":"server busy, please try again.  maximum pending requests exceeded"}`)
		})
		_, err := client(t, s, nil).Chat(testContext(t), ask("x"), nil, nil)
		wantClass(t, err, fsm.BrainBusy, want)
	}
}

// A call that the server's parser cannot read is the model's fault, and no outage: it
// is asked again.
func TestBRN7ACallThatTheServerCannotReadIsGarbage(t *testing.T) {
	for _, text := range []string{
		`error parsing tool call: raw='{\"name\": \"look\"', err=unexpected end of JSON input`,
		`XML syntax error on line 3: element <parameter> closed by </function>`,
	} {
		answer := `{"error":"` + text + `"}`
		s := server(t, func(w http.ResponseWriter, _ *http.Request, _ string) {
			w.WriteHeader(http.StatusInternalServerError)
			_, _ = io.WriteString(w, answer)
		})
		for _, c := range []string{s.URL, sending(t, `{"message":{"content":"a"}}`, answer).URL} {
			_, err := client(t, playing(t, "chat-text"), func(o *ollama.Options) { o.BaseURL = c }).Chat(testContext(t), ask("x"), nil, nil)
			wantClass(t, err, fsm.BrainGarbage, "could not read", strings.SplitN(text, ":", 2)[0])
		}
	}
}

func TestBRN7AServerThatGivesUpIsACutStream(t *testing.T) {
	s := server(t, func(w http.ResponseWriter, _ *http.Request, _ string) {
		w.WriteHeader(499)
		_, _ = io.WriteString(w, `{"error":"request canceled"}`)
	})
	_, err := client(t, s, nil).Chat(testContext(t), ask("x"), nil, nil)
	wantClass(t, err, fsm.BrainCutStream, "499")
}
