package ollama_test

import (
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
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

// failing returns the addresses of two servers that answer each chat with an error: one before a
// stream, the other within it.
func failing(t *testing.T, status int, text string) []string {
	answer := `{"error":"` + text + `"}`
	s := server(t, func(w http.ResponseWriter, _ *http.Request, _ string) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, answer)
	})
	return []string{s.URL, sending(t, `{"message":{"content":"a"}}`, answer).URL}
}

// Each part of a server has its own words for a prompt that does not fit.
func TestBRN7APromptThatDoesNotFitIsTypedInAnyWords(t *testing.T) {
	for _, text := range []string{
		"the input length exceeds the context length",
		"the prompt is longer than the context length currently available to the model; shorten the prompt",
		`{\"error\":{\"code\":400,\"message\":\"request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it\"}}`,
		"input length (5000 tokens) exceeds the model's maximum context length (4096 tokens)",
	} {
		for _, url := range failing(t, http.StatusBadRequest, text) {
			_, err := client(t, playing(t, "chat-text"), func(o *ollama.Options) { o.BaseURL = url }).Chat(testContext(t), ask("x"), nil, nil)
			wantClass(t, err, fsm.BrainContextTruncated, "raise num_ctx")
		}
	}
}

// Whoever asks for a sign-in decides what helps: Ollama, for a model that another host runs, or a proxy.
func TestBRN7ASignInIsAskedForByOllamaOrByAProxy(t *testing.T) {
	for _, tt := range []struct {
		status     int
		body, want string
	}{
		{401, `{"error":"unauthorized","signin_url":"https://ollama.com/connect"}`, `run "ollama signin" there`},
		{401, `{"error":{"message":"no key"}}`, "set brain.url to an address that needs none"},
		{401, `<html>401 Authorization Required</html>`, "set brain.url to an address that needs none"},
		{401, ``, "(status 401: without a reason): shelly sends no password"},
		{401, `401 Unauthorized`, "(status 401: Unauthorized): shelly sends no password"},
		{407, `Proxy Authentication Required`, "(status 407: Proxy Authentication Required): shelly sends no password"},
	} {
		s := bare(t, func(w http.ResponseWriter, _ *http.Request, _ string) {
			w.WriteHeader(tt.status)
			_, _ = io.WriteString(w, tt.body)
		})
		_, err := client(t, s, nil).Chat(testContext(t), ask("x"), nil, nil)
		wantClass(t, err, fsm.BrainError, tt.want)
		_, err = client(t, s, nil).Models(testContext(t))
		wantClass(t, err, fsm.BrainError, tt.want[len(tt.want)-20:])
	}
}

// No answer comes of asking again with the wrong scheme, or of a certificate that is not trusted.
func TestBRN7AWrongSchemeAndAnUntrustedCertificateAreNotAskedAgain(t *testing.T) {
	answers := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	open, secure := httptest.NewServer(answers), httptest.NewUnstartedServer(answers)
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	t.Cleanup(open.Close)
	t.Cleanup(secure.Close)
	for url, want := range map[string]string{ // order-free: each is another server
		strings.Replace(open.URL, "http:", "https:", 1):   "does not speak HTTPS: write its address with http://",
		strings.Replace(secure.URL, "https:", "http:", 1): "speaks HTTPS: write its address with https://",
		secure.URL: "certificate that is not valid here",
	} {
		c := client(t, open, func(o *ollama.Options) { o.BaseURL = url })
		_, err := c.Chat(testContext(t), ask("x"), nil, nil)
		wantClass(t, err, fsm.BrainError, want)
		_, err = c.Models(testContext(t))
		wantClass(t, err, fsm.BrainError, want)
	}
}

// What answers at the address may be another program.
func TestBRN7AnotherProgramAtTheAddressIsSaidToBeOne(t *testing.T) {
	for sends, want := range map[string]string{ // order-free: each is another server
		"SSH-2.0-OpenSSH_9.2\r\n":                                                      "does not speak HTTP (malformed HTTP response \"SSH-2.0-OpenSSH_9.2\"): check the address",
		"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<html>":                           "could not be read: invalid character '<' looking for beginning of value; if it stays so, check the address",
		"HTTP/1.1 404 Not Found\r\nContent-Length: 20\r\n\r\n{\"error\":\"no route\"}": "does not speak Ollama's API (status 404: no route): check the address",
	} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		go func() {
			for {
				conn, err := l.Accept()
				if err != nil {
					return
				}
				_, _ = conn.Read(make([]byte, 4096))
				_, _ = io.WriteString(conn, sends)
				conn.Close()
			}
		}()
		c := client(t, playing(t, "chat-text"), func(o *ollama.Options) { o.BaseURL = "http://" + l.Addr().String() })
		if _, err := c.Models(testContext(t)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v; want %q", sends, err, want)
		}
	}
}

// A call that the server cannot parse is the model's fault, not an outage: the model is asked
// again, in other words.
func TestBRN31ACallThatTheServerCannotReadIsTheModelsFault(t *testing.T) {
	for text, words := range map[string]string{
		`error parsing tool call: raw='{\"name\": \"look\"', err=unexpected end of JSON input`:                           `error parsing tool call: raw='{"name"`,
		`XML syntax error on line 3: element <parameter> closed by </function>`:                                          "read: XML syntax error on line 3",
		`llama-server returned invalid tool call arguments for \"look\": unexpected end of JSON input`:                   `arguments for "look"`,
		`llama-server chat error: map[code:500 message:Failed to parse input at pos 12: </tool_call> type:server_error]`: "could not read: Failed to parse input at pos 12: </tool_call>",
	} {
		for _, url := range failing(t, http.StatusInternalServerError, text) {
			_, err := client(t, playing(t, "chat-text"), func(o *ollama.Options) { o.BaseURL = url }).Chat(testContext(t), ask("x"), nil, nil)
			wantClass(t, err, fsm.BrainBadCall, words)
			if strings.Contains(err.Error(), "map[") {
				t.Errorf("the reason %q quotes a program's data", err)
			}
		}
	}
}

func TestBRN31ARunnerThatDiedIsLoadedAgain(t *testing.T) {
	for _, text := range []string{
		"llama runner process has terminated: signal: killed",
		"llama-server process has terminated: signal: killed",
		"llama-server process no longer running: exit status 1",
		"model runner has unexpectedly stopped, this may be due to resource limitations or an internal error",
		"unexpected EOF",
		"an error was encountered while running the model: CUDA error",
		"error reading llama-server chat response: read tcp 127.0.0.1:46350->127.0.0.1:34685: read: connection reset by peer",
		"error unmarshalling llama-server chat response: unexpected end of JSON input",
	} {
		for _, url := range failing(t, http.StatusInternalServerError, text) {
			_, err := client(t, playing(t, "chat-text"), func(o *ollama.Options) { o.BaseURL = url }).Chat(testContext(t), ask("x"), nil, nil)
			wantClass(t, err, fsm.BrainCrashed, text, "loads it again")
		}
	}
}

// Some answers with status 500 report what asking again cannot change.
func TestBRN31APlain500IsAskedAgainAndARefusalIsNot(t *testing.T) {
	for text, class := range map[string]fsm.BrainClass{
		"Internal Server Error": fsm.BrainCrashed,
		"model requires more system memory (5.6 GiB) than is available (3.1 GiB)":                                           fsm.BrainError,
		"llama-server reported out-of-memory during startup: llama-server process has terminated: exit status 1":            fsm.BrainError,
		"llama runner process has terminated: error loading model: unknown model architecture: 'new'":                       fsm.BrainError,
		"this model may be incompatible with your version of Ollama. If you previously pulled this model, try updating it":  fsm.BrainError,
		`tensor \"blk.0.attn_q.weight\" offset+size (10013248) exceeds file size (10000000)`:                                fsm.BrainError,
		"llama-server process has terminated: exit status 1: cudaMalloc failed: out of memory":                              fsm.BrainError,
		"llama-server process has terminated: exit status 1: llama_init_from_model: failed to allocate buffer for kv cache": fsm.BrainError,
		"an error was encountered while running the model: CUDA error: out of memory":                                       fsm.BrainCrashed,
		"llama-server binary not found (checked: lib/ollama/llama-server)":                                                  fsm.BrainError,
		`option \"temperature\" must be of type float32`:                                                                    fsm.BrainError,
		"invalid JSON schema in format":                             fsm.BrainError,
		"Jinja Exception: System message must be at the beginning.": fsm.BrainError,
	} {
		_, err := client(t, playing(t, "chat-text"), func(o *ollama.Options) { o.BaseURL = failing(t, http.StatusInternalServerError, text)[0] }).Chat(testContext(t), ask("x"), nil, nil)
		wantClass(t, err, class, strings.ReplaceAll(text, `\`, ""))
	}
}

// A server's process for a model that is not ready yet does not mean that the server is busy.
func TestBRN7AModelThatStillLoadsIsNotABusyServer(t *testing.T) {
	for text, status := range map[string]int{
		`{\"error\":{\"code\":503,\"message\":\"Loading model\",\"type\":\"unavailable_error\"}}`: http.StatusServiceUnavailable,
		"unexpected server status: llm server loading model":                                      http.StatusInternalServerError,
	} {
		for _, url := range failing(t, status, text) {
			_, err := client(t, playing(t, "chat-text"), func(o *ollama.Options) { o.BaseURL = url }).Chat(testContext(t), ask("x"), nil, nil)
			wantClass(t, err, fsm.BrainLoading, "still loading (", "oading model)")
		}
	}
}

func TestBRN45AModelThatRepeatsItselfIsNotAskedAgain(t *testing.T) {
	chunk := func(text string) string { return `{"message":{"content":"` + text + `"}}` }
	stopped := func(times int) []string {
		return append([]string{chunk("Well")}, slices.Repeat([]string{chunk(" la"), chunk("la ")}, times)...)
	}
	_, err := client(t, sending(t, stopped(16)...), nil).Chat(testContext(t), ask("x"), nil, nil)
	wantClass(t, err, fsm.BrainError, `"m" repeated itself`)
	_, err = client(t, sending(t, stopped(15)...), nil).Chat(testContext(t), ask("x"), nil, nil)
	wantClass(t, err, fsm.BrainCutStream)
	_, err = client(t, sending(t, append(stopped(16), chunk("lo"))...), nil).Chat(testContext(t), ask("x"), nil, nil)
	wantClass(t, err, fsm.BrainCutStream)
	if answer, err := client(t, sending(t, append(stopped(16), done)...), nil).Chat(testContext(t), ask("x"), nil, nil); err != nil || !strings.HasSuffix(answer.Text, " lala ") {
		t.Errorf("got %q, %v; want the whole answer", answer.Text, err)
	}
	for _, url := range failing(t, http.StatusInternalServerError, "prediction aborted, token repeat limit reached") {
		_, err := client(t, playing(t, "chat-text"), func(o *ollama.Options) { o.BaseURL = url }).Chat(testContext(t), ask("x"), nil, nil)
		wantClass(t, err, fsm.BrainError, `"m" repeated itself`)
	}
}

func TestBRN7AnErrorWithoutAReasonIsQuotedOrSaidToHaveNone(t *testing.T) {
	for _, text := range []string{"", " "} {
		for _, url := range failing(t, http.StatusBadRequest, text) {
			_, err := client(t, playing(t, "chat-text"), func(o *ollama.Options) { o.BaseURL = url }).Chat(testContext(t), ask("x"), nil, nil)
			wantClass(t, err, fsm.BrainError, `: {"error":"`+text+`"}`)
		}
	}
	s := server(t, func(w http.ResponseWriter, _ *http.Request, _ string) { w.WriteHeader(http.StatusBadRequest) })
	_, err := client(t, s, nil).Chat(testContext(t), ask("x"), nil, nil)
	wantClass(t, err, fsm.BrainError, "status 400: without a reason")
}

func TestBRN7AServerThatGivesUpIsACutStream(t *testing.T) {
	s := server(t, func(w http.ResponseWriter, _ *http.Request, _ string) {
		w.WriteHeader(499)
		_, _ = io.WriteString(w, `{"error":"request canceled"}`)
	})
	_, err := client(t, s, nil).Chat(testContext(t), ask("x"), nil, nil)
	wantClass(t, err, fsm.BrainCutStream, "499")
}
