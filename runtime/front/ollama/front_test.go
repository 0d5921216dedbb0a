package ollama_test

import (
	"context"
	"encoding/base64"
	"regexp"
	"strings"
	"testing"
	"time"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/state"
	"shelly/runtime/comm"
	"shelly/runtime/comm/fronttest"
	"shelly/runtime/front/asking"
	"shelly/runtime/front/ollama"
)

const keyed = "Idempotency-Key"

func serve(t *testing.T) *asking.Server {
	t.Helper()
	front := fronttest.New()
	tokens := func(context.Context, fsm.RequestKey) (int, int, error) { return 7, 4, nil }
	return asking.Serve(t, front, ollama.New(front, ollama.Options{RequestBytesMax: 1 << 16, Started: time.Unix(0, 0), Tokens: tokens}).Routes(), ollama.Dialect())
}

// changing matches what differs from run to run.
var changing = regexp.MustCompile(`"(created_at|total_duration)":("[^"]*"|\d+)`)

func plain(body string) string { return changing.ReplaceAllString(body, `"$1":…`) }

func says(call fsm.CallID, from int, text, thinking string) comm.Event {
	return comm.Event{Type: comm.EventChunk, Call: call, From: from, Text: text, Thinking: thinking}
}

const hello = `"model":"shelly","messages":[{"role":"user","content":"Hi"}]`

func TestFRT8AChatIsAnsweredOverOllamasAPI(t *testing.T) {
	s := serve(t)
	replies := func(key fsm.RequestKey) { s.Front.Reply(key, "It is.", false) }
	got := s.Meanwhile(1, replies, "POST", "/api/chat", `{"model":"shelly:latest","stream":false,"options":{"temperature":0,"stop":["<|im_end|>"]},"keep_alive":"5m",
		"messages":[{"role":"system","content":"Be short."},{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello."},{"role":"user","content":"What is it?"}]}`, keyed, "k")
	want := `{"model":"shelly:latest","created_at":…,"message":{"role":"assistant","content":"It is."},"done":true,"done_reason":"stop","total_duration":…,"prompt_eval_count":7,"eval_count":4}` + "\n"
	if got.Status != 200 || plain(got.Body) != want {
		t.Errorf("got %d %s; want 200, %q", got.Status, got.Body, want)
	}
	if r := s.Front.Seen().Requests[0]; r.Key.Channel != "ollama" || r.Key.ID != "k" || r.Text != "What is it?" || len(r.Context) != 4 || r.Session != "ollama-once:k" {
		t.Errorf("got %+v; want Key.Channel %q, Key.ID %q, Text %q, 4 Context, Session %q", r, "ollama", "k", "What is it?", "ollama-once:k")
	}
	got = s.Meanwhile(2, replies, "POST", "/api/generate", `{"model":"shelly","stream":false,"prompt":"Hi","system":"Be short."}`, "Content-Type", "application/x-www-form-urlencoded")
	want = `{"model":"shelly","created_at":…,"response":"It is.","done":true,"done_reason":"stop","total_duration":…,"prompt_eval_count":7,"eval_count":4}` + "\n"
	if got.Status != 200 || plain(got.Body) != want {
		t.Errorf("got %d %s; want 200, %q", got.Status, got.Body, want)
	}
}

// Lines that end without a reply say why.
func TestFRT6LinesWhoseTokenIsRevokedSaySo(t *testing.T) {
	for _, body := range []string{`{` + hello + `}`, `{"stream":false,` + hello + `}`} {
		s := serve(t)
		got := s.Revoked("POST", "/api/chat", body)
		if !strings.HasPrefix(got.Body, `{"error":"the token was revoked; `) {
			t.Errorf("%s: got %d %s; want one beginning with %q", body, got.Status, got.Body, `{"error":"the token was revoked; `)
		}
	}
}

func TestFRT11LinesEndWithTheReply(t *testing.T) {
	s := serve(t)
	happens := func(key fsm.RequestKey) {
		s.Front.Say(key, says(5, 0, "", "Hm."), says(5, 0, "Wait.", ""), comm.Event{Type: comm.EventTool, Tool: "look"}, says(8, 0, "It is", ""),
			comm.Event{Type: comm.EventQuestion, Question: fsm.QuestionApprove, Tool: "exec", Args: `{}`},
			comm.Event{Type: comm.EventState, State: state.Queued, Decision: &comm.Decision{Verdict: comm.TimedOut}})
		s.Front.Reply(key, "It is.", false)
	}
	line := func(what string) string {
		return `{"model":"shelly","created_at":…,"message":{"role":"assistant",` + what + `},"done":false}` + "\n"
	}
	end := `{"model":"shelly","created_at":…,"message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","total_duration":…,"prompt_eval_count":7,"eval_count":4}` + "\n"
	got := s.Meanwhile(1, happens, "POST", "/api/chat", `{`+hello+`}`, keyed, "k")
	want := line(`"content":"","thinking":"Hm."`) + line(`"content":"Wait."`) + line(`"content":"\n\nIt is"`) +
		line(`"content":"","thinking":"\n[shelly waits for approval of exec {}: shelly request approve k --channel ollama]\n"`) +
		line(`"content":"","thinking":"\n[not answered in time, so it does not run]\n"`) + line(`"content":"\n\nIt is."`) + end
	if got.Header.Get("Content-Type") != "application/x-ndjson" || plain(got.Body) != want {
		t.Errorf("%s\nwant\n%s", plain(got.Body), want)
	}
	if got = s.Meanwhile(2, happens, "POST", "/api/chat", `{"think":false,`+hello+`}`, keyed, "l"); strings.Contains(got.Body, "thinking") {
		t.Errorf("got %s; want one without %q", got.Body, "thinking")
	}
	got = s.Meanwhile(3, func(fsm.RequestKey) { s.Front.Cut() }, "POST", "/api/chat", `{`+hello+`}`, keyed, "m")
	if !strings.HasPrefix(got.Body, `{"error":"shelly is stopping; the request is kept`) {
		t.Errorf("got %s; want one beginning with %q", got.Body, `{"error":"shelly is stopping; the request is kept`)
	}
}

func TestFRT11AWholeAnswerHasTheThinking(t *testing.T) {
	s := serve(t)
	happens := func(key fsm.RequestKey) {
		s.Front.Say(key, says(5, 0, "", "Hm."), says(5, 0, "It is.", ""))
		s.Front.Reply(key, "It is.", false)
	}
	got := s.Meanwhile(1, happens, "POST", "/api/chat", `{"stream":false,"think":true,`+hello+`}`)
	if !strings.Contains(got.Body, `"content":"It is.","thinking":"Hm."}`) {
		t.Errorf("got %s; want one with %q", got.Body, `"content":"It is.","thinking":"Hm."}`)
	}
	got = s.Meanwhile(2, happens, "POST", "/api/chat", `{"stream":false,"think":false,`+hello+`}`)
	if strings.Contains(got.Body, "thinking") {
		t.Errorf("got %s; want one without %q", got.Body, "thinking")
	}
}

func TestFRT5ANewRequestIsStreamedFromItsBeginning(t *testing.T) {
	s := serve(t)
	s.Meanwhile(1, func(key fsm.RequestKey) { s.Front.Reply(key, "It is.", false) }, "POST", "/api/chat", `{`+hello+`}`, keyed, "k")
	s.Ask("POST", "/api/chat", `{`+hello+`}`, keyed, `"k"`) // the second time, with a quoted key, only the rest comes
	if n := s.Front.Seen().Begun; n != 1 {
		t.Errorf("%d streams are from the beginning", n)
	}
}

func TestFRT7AnAnswerGivenAgainTookAsLongAsBefore(t *testing.T) {
	s := serve(t)
	s.Meanwhile(1, func(key fsm.RequestKey) { s.Front.Reply(key, "It is.", false) }, "POST", "/api/chat", `{`+hello+`}`, keyed, "k")
	for _, body := range []string{`{` + hello + `}`, `{"stream":false,` + hello + `}`} {
		if got := s.Ask("POST", "/api/chat", body, keyed, "k"); !strings.Contains(got.Body, `"total_duration":1000000,`) { // a millisecond
			t.Errorf("%s: got %s; want one with %q", body, got.Body, `"total_duration":1000000,`)
		}
	}
}

func TestFRT15WhatClientsOfOllamaAsk(t *testing.T) {
	s := serve(t)
	const there = "Ollama is running"
	for _, tt := range []struct {
		name, method, path, body string
		headers                  []string
		status                   int
		want                     string
	}{
		{"the root", "GET", "/", "", nil, 200, there},
		{"a token in the address", "GET", "/ollama/" + asking.Token + "/", "", []string{"Authorization", ""}, 200, there},
		{"a token in the address, further", "GET", "/ollama/" + asking.Token + "/api/version", "", []string{"Authorization", ""}, 200, `{"version":"0.17.4"}`},
		{"a token in the address and another server's key", "GET", "/ollama/" + asking.Token + "/api/version", "", []string{"Authorization", "Bearer sk-other"}, 200, `{"version":"0.17.4"}`},
		{"another token in the address", "GET", "/ollama/wrong/api/version", "", []string{"Authorization", ""}, 401, `{"error":"the token is missing or wrong; `},
		{"no token", "GET", "/api/tags", "", []string{"Authorization", ""}, 401, `{"error":"the token is missing or wrong; `},
		{"models", "GET", "/api/tags", "", nil, 200, `{"models":[{"name":"shelly:latest","model":"shelly:latest",`},
		{"those that run", "GET", "/api/ps", "", nil, 200, `{"models":[{"name":"shelly:latest","model":"shelly:latest",`},
		{"the model", "POST", "/api/show", `{"model":"shelly"}`, nil, 200, `"capabilities":["completion","thinking","vision"]`},
		{"the model, as older clients ask", "POST", "/api/show", `{"name":"shelly:latest"}`, nil, 200, `"capabilities":`},
		{"another model", "POST", "/api/show", `{"model":"other"}`, nil, 404, `{"error":"model 'other' not found: the agent is \"shelly\""}`},
		{"no model", "POST", "/api/chat", `{}`, nil, 400, `{"error":"model is required"}`},
		{"loading", "POST", "/api/generate", `{"model":"shelly"}`, nil, 200, `"response":"","done":true,"done_reason":"load"}`},
		{"unloading", "POST", "/api/chat", `{"model":"shelly","keep_alive":0}`, nil, 200, `"done":true,"done_reason":"unload"}`},
		{"unloading, in words", "POST", "/api/generate", `{"model":"shelly","keep_alive":"0s"}`, nil, 200, `"done":true,"done_reason":"unload"}`},
		{"staying loaded", "POST", "/api/generate", `{"model":"shelly","keep_alive":"5m"}`, nil, 200, `"done":true,"done_reason":"load"}`},
		{"pulling", "POST", "/api/pull", `{"model":"other"}`, nil, 501, `not a store of models`},
		{"deleting", "DELETE", "/api/delete", `{"model":"other"}`, nil, 501, `not a store of models`},
		{"vectors", "POST", "/api/embed", `{}`, nil, 501, `not a store of models`},
		{"another method", "GET", "/api/chat", "", nil, 405, `{"error":"GET is not for this route; use POST"}`},
		{"no such route", "GET", "/api/other", "", nil, 404, `{"error":"there is no such route`},
		{"tools", "POST", "/api/chat", `{"tools":[{}],` + hello + `}`, nil, 400, `its own tools`},
		{"a format", "POST", "/api/chat", `{"format":"json",` + hello + `}`, nil, 400, `only in text`},
		{"a result", "POST", "/api/chat", `{"model":"shelly","messages":[{"role":"tool","content":"a"}]}`, nil, 400, `has the role \"tool\"`},
		{"an unknown field", "POST", "/api/chat", `{"modle":"x"}`, nil, 400, `{"error":"unknown field \"modle\"; leave it out"}`},
		{"an answer last", "POST", "/api/chat", `{"model":"shelly","messages":[{"role":"assistant","content":"a"}]}`, nil, 400, `of role user`},
		{"an image that is none", "POST", "/api/generate", `{"model":"shelly","prompt":"a","images":["aGVsbG8="]}`, nil, 400, `is not a PNG, JPEG or WebP image`},
		{"no text", "POST", "/api/chat", `{"model":"shelly","messages":[{"role":"user","content":" "}]}`, nil, 400, `{"error":"\"messages[0]\" has no text; `},
		{"blanks", "POST", "/api/generate", `{"model":"shelly","prompt":" "}`, nil, 400, `{"error":"\"prompt\" has no text; `},
		{"a context", "POST", "/api/generate", `{"model":"shelly","prompt":"a","context":[1]}`, nil, 400, `use /api/chat`},
		{"too long", "POST", "/api/generate", `{"model":"shelly","prompt":"` + strings.Repeat("a", 1<<16) + `"}`, nil, 413, `raise request_bytes_max`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := s.Ask(tt.method, tt.path, tt.body, tt.headers...)
			if got.Status != tt.status || !strings.Contains(got.Body, tt.want) {
				t.Errorf("%d %s\nwant %d %s", got.Status, got.Body, tt.status, tt.want)
			}
			if strings.Contains(got.Body, "0001-01-01") {
				t.Errorf("a time is missing: %s", got.Body)
			}
		})
	}
	if seen := s.Front.Seen(); len(seen.Accepted) != 0 {
		t.Errorf("accepted: %v", seen.Accepted)
	}
}

// A client that loads the model is about to ask (COM-111); one that unloads it is not.
func TestCOM111WhoLoadsTheModelIsAboutToAsk(t *testing.T) {
	s := serve(t)
	s.Ask("POST", "/api/generate", `{"model":"shelly","keep_alive":0}`)
	if told := s.Front.Seen().Told; len(told) != 0 {
		t.Errorf("unloading tells %+v", told)
	}
	s.Ask("POST", "/api/generate", `{"model":"shelly"}`)
	if told := s.Front.Seen().Told; len(told) != 1 || told[0].Fact != fsm.Fact(fsm.Typing{Session: "ollama:"}) {
		t.Errorf("loading tells %+v", told)
	}
	s.Front.Refuse(engine.ErrStopping)
	if got := s.Ask("POST", "/api/generate", `{"model":"shelly"}`); got.Status != 200 {
		t.Errorf("loading it while shelly stops: %d %s", got.Status, got.Body)
	}
}

func TestFRT10AnImageComesInBase64(t *testing.T) {
	s := serve(t)
	png := "\x89PNG\r\n\x1a\n" + strings.Repeat("\x00", 16)
	s.Meanwhile(1, func(key fsm.RequestKey) { s.Front.Reply(key, "It is.", false) }, "POST", "/api/generate",
		`{"model":"shelly","prompt":"What?","images":["`+base64.StdEncoding.EncodeToString([]byte(png))+`"]}`)
	if r := s.Front.Seen().Requests[0]; len(r.Images) != 1 || string(r.Images[0]) != png {
		t.Errorf("got %q; want 1 image, %q", r.Images, png)
	}
}

// Whatever the bytes are, they are refused with an explanation.
func FuzzBodies(f *testing.F) {
	for _, body := range []string{`{` + hello + `}`, `{"model":"shelly","prompt":"Hi"}`, `{"model":"shelly","messages":[null]}`, `{"model":7}`, "", "[[[[", `{"model":"shelly","messages":[{"images":["A"]}]}`} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		s := serve(t)
		s.Front.Refuse(engine.ErrBusy)
		for _, path := range []string{"/api/chat", "/api/generate"} {
			got := s.Ask("POST", path, string(body))
			loads := strings.Contains(got.Body, `load"}`)
			if got.Status == 200 && !loads || got.Status != 200 && !strings.HasPrefix(got.Body, `{"error":"`) {
				t.Errorf("%s: got %d %s; want 200 for what loads, or else an error", path, got.Status, got.Body)
			}
		}
	})
}

func TestFRT4ABodyThatEndsEarlyHasTheStatusOfARequestThatCanBeSentAgain(t *testing.T) {
	s := serve(t)
	if got := s.Cut("POST", "/api/chat", `{`+hello); got.Status != 408 || !strings.Contains(got.Body, "send it whole") || len(s.Front.Seen().Requests) != 0 {
		t.Errorf("%+v, %d requests; want 408 with what to do, and none", got, len(s.Front.Seen().Requests))
	}
	if got := s.Malform("POST", "/api/chat"); got != 400 {
		t.Errorf("a body that cannot be read again either: %d; want 400", got)
	}
}
