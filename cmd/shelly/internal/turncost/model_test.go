package turncost_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
)

// The model is instant: each turn it asks for three reads, one an answer, and then answers. It
// keeps nothing: where a turn stands is told by the results since its question.
const (
	modelName = "instant:latest"
	reads     = 3
	readCall  = `{"message":{"role":"assistant","content":"","tool_calls":[{"id":"call_%d","function":{"index":0,"name":"list_dir","arguments":{"path":"%s."}}}]},"done":false}`
	answer    = "There is one file."
	lastLine  = `{"message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","prompt_eval_count":100,"prompt_eval_duration":500,"eval_count":10,"eval_duration":500}`
)

// serveModel serves it on a free port of the loopback, which it prints, until its stdin ends.
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

func chat(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		Messages []struct {
			Role string `json:"role"`
		} `json:"messages"`
		Tools []json.RawMessage `json:"tools"`
	}
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	results := 0
	for _, m := range asked.Messages {
		switch m.Role {
		case "user":
			results = 0
		case "tool":
			results++
		}
	}
	w.Header().Set("Content-Type", "application/x-ndjson")
	if len(asked.Messages) == 0 { // it is to be loaded
		_, _ = io.WriteString(w, lastLine+"\n")
		return
	}
	for _, line := range lines(results, len(asked.Tools) > 0) {
		_, _ = io.WriteString(w, line+"\n")
		w.(http.Flusher).Flush()
	}
}

// lines is an answer as it streams.
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
