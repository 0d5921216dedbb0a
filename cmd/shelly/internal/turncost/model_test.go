package turncost_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
)

// The model is instant: in each turn it asks for three reads, one per answer, and then answers.
// It keeps no state: the number of results since the question shows how far a turn is.
const (
	modelName = "instant:latest"
	reads     = 3
	readCall  = `{"message":{"role":"assistant","content":"","tool_calls":[{"id":"call_%d","function":{"index":0,"name":"list_dir","arguments":{"path":"%s."}}}]},"done":false}`
	answer    = "There is one file."
	lastLine  = `{"message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","prompt_eval_count":100,"prompt_eval_duration":500,"eval_count":10,"eval_duration":500}`

	completionCall  = `{"role":"assistant","content":"","tool_calls":[{"id":"call_%d","type":"function","function":{"name":"list_dir","arguments":"{\"path\":\"%s.\"}"}}]}`
	completionWhole = `{"id":"c","object":"chat.completion","created":1,"model":"` + modelName + `","choices":[{"index":0,"message":%s,"finish_reason":"%s"}],` +
		`"usage":{"prompt_tokens":100,"completion_tokens":10,"total_tokens":110}}`
)

// received counts the requests of a chat and their bytes.
var received struct{ calls, bytes atomic.Int64 }

// serveModel serves the model on a free loopback port, which it prints, until stdin ends.
func serveModel() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Println(listener.Addr())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	routes := http.NewServeMux()
	routes.HandleFunc("POST /api/chat", chat)
	routes.HandleFunc("POST /v1/chat/completions", completion)
	routes.HandleFunc("GET /received", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintln(w, received.calls.Load(), received.bytes.Load())
	})
	for path, body := range map[string]string{
		"GET /api/version": `{"version":"0.17.4"}`,
		"GET /api/tags":    `{"models":[{"name":"` + modelName + `","model":"` + modelName + `"}]}`,
		"GET /api/ps":      `{"models":[{"name":"` + modelName + `","model":"` + modelName + `","context_length":8192,"expires_at":"2100-01-01T00:00:00Z"}]}`,
		"POST /api/show":   `{"model_info":{"general.architecture":"x","x.context_length":131072},"capabilities":["completion","tools"]}`,
	} {
		routes.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) })
	}
	panic(http.Serve(listener, routes))
}

// asked is the part of a request that the model reads.
type asked struct {
	Messages []struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	} `json:"messages"`
	Tools []json.RawMessage `json:"tools"`
}

// results counts the results since the question.
func (a asked) results() (n int) {
	for _, m := range a.Messages {
		switch m.Role {
		case "user":
			if n = 0; !strings.HasSuffix(m.Content, "go") { // no question
				n = reads
			}
		case "tool":
			n++
		}
	}
	return n
}

func read(w http.ResponseWriter, r *http.Request) (a asked, ok bool) {
	if err := json.NewDecoder(r.Body).Decode(&a); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return a, false
	}
	return a, true
}

func chat(w http.ResponseWriter, r *http.Request) {
	received.calls.Add(1)
	received.bytes.Add(r.ContentLength)
	a, ok := read(w, r)
	if !ok {
		return
	}
	w.Header().Set("Content-Type", "application/x-ndjson")
	if len(a.Messages) == 0 { // a request to load the model
		_, _ = io.WriteString(w, lastLine+"\n")
		return
	}
	for _, line := range lines(a.results(), len(a.Tools) > 0) {
		_, _ = io.WriteString(w, line+"\n")
		w.(http.Flusher).Flush()
	}
}

// completion answers the same in OpenAI's API, without streaming.
func completion(w http.ResponseWriter, r *http.Request) {
	a, ok := read(w, r)
	if !ok {
		return
	}
	message, reason := `{"role":"assistant","content":"`+answer+`"}`, "stop"
	if n := a.results(); len(a.Tools) > 0 && n < reads {
		message, reason = fmt.Sprintf(completionCall, n, strings.Repeat("./", n)), "tool_calls"
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprintf(w, completionWhole, message, reason)
}

// lines returns the lines of a streamed answer.
func lines(results int, tools bool) (said []string) {
	if tools && results < reads {
		again := strings.Repeat("./", results) // the same call three times would be a repetition
		return []string{fmt.Sprintf(readCall, results, again), lastLine}
	}
	for word := range strings.FieldsSeq(answer) {
		said = append(said, `{"message":{"role":"assistant","content":"`+word+` "},"done":false}`)
	}
	return append(said, lastLine)
}
