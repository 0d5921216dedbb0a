package openai_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/state"
	"shelly/runtime/comm"
	"shelly/runtime/comm/fronttest"
	"shelly/runtime/front/asking"
	"shelly/runtime/front/openai"
)

const (
	hello = `"model":"shelly","messages":[{"role":"user","content":"Hi"}]`
	keyed = "Idempotency-Key"
)

// serve starts a front whose journal knows an answer.
func serve(t *testing.T) *asking.Server {
	t.Helper()
	return serveWith(t, openai.Past{Prompt: 7, Cached: 3, Answer: 4, Last: openai.Spoken{Epoch: 1, Call: 5, Text: "It is."}})
}

func serveWith(t *testing.T, past openai.Past) *asking.Server {
	t.Helper()
	front := fronttest.New()
	known := func(context.Context, fsm.RequestKey) (openai.Past, error) { return past, nil }
	routes := openai.New(front, openai.Options{RequestBytesMax: 1 << 16, Models: []string{"qwen3:4b", "hf.co/a/b"}, Past: known}).Routes()
	return asking.Serve(t, front, routes, openai.Dialect())
}

func says(call fsm.CallID, from int, text string) comm.Event {
	return comm.Event{Type: comm.EventChunk, Call: call, From: from, Text: text}
}

// answering replies once somebody waits.
func answering(s *asking.Server, text string) func(fsm.RequestKey) {
	return func(key fsm.RequestKey) { s.Front.Reply(key, text, false) }
}

const done = `{"id":"chatcmpl-k","object":"chat.completion","created":0,"model":"shelly","choices":[{"index":0,"message":{"role":"assistant","content":"It is.","refusal":null},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":7,"completion_tokens":4,"total_tokens":11,"prompt_tokens_details":{"cached_tokens":3}}}` + "\n"

func TestFRT8AChatIsARequestWithItsOwnHistory(t *testing.T) {
	s := serve(t)
	got := s.Meanwhile(1, answering(s, "It is."), "POST", "/v1/chat/completions", `{"model":"shelly","temperature":0.7,"user":"mia","messages":[
		{"role":"system","content":"Be short."},{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello."},
		{"role":"user","content":[{"type":"text","text":"What"},{"type":"text","text":"is it?"}]}]}`, keyed, "k")
	if got.Status != 200 || got.Body != done {
		t.Errorf("got %d %s; want 200, %s", got.Status, got.Body, done)
	}
	r := s.Front.Seen().Requests[0]
	said := ""
	for _, m := range r.Context {
		said += fmt.Sprintf("%s: %s|", m.Role, m.Text)
	}
	if r.Key != (fsm.RequestKey{Principal: comm.Principal, Channel: "openai", ID: "k"}) || r.Session != "mia" || r.Text != "What\nis it?" ||
		said != "user: |system: Be short.|user: Hi|assistant: Hello.|" {
		t.Errorf("got %+v, %s; want Key %+v, Session %q, Text %q, %s", r, said, (fsm.RequestKey{Principal: comm.Principal, Channel: "openai", ID: "k"}), "mia", "What\nis it?", "user: |system: Be short.|user: Hi|assistant: Hello.|")
	}
	again := s.Ask("POST", "/v1/chat/completions", `{"model":"shelly","messages":[{"role":"user","content":"Hi"}]}`, keyed, `"k"`)
	if again.Status != 409 || !strings.Contains(again.Body, `"code":"conflict"`) {
		t.Errorf("another message with the key: %d %s", again.Status, again.Body)
	}
}

const chunks = `data: {"id":"chatcmpl-k","object":"chat.completion.chunk","created":0,"model":"shelly","choices":[`

func TestFRT11AChatStreamsAndEndsWithTheReply(t *testing.T) {
	s := serve(t)
	got := s.Meanwhile(1, func(key fsm.RequestKey) {
		s.Front.Say(key, comm.Event{Type: comm.EventState, State: "cognition"},
			comm.Event{Type: comm.EventChunk, Call: 5, Thinking: "Hm."}, says(5, 0, "Wait."), comm.Event{Type: comm.EventTool, Tool: "look"}, says(8, 0, "It "), says(8, 3, "is"))
		s.Front.Reply(key, "It is.", false)
	}, "POST", "/v1/chat/completions", `{"stream":true,"stream_options":{"include_usage":true},`+hello+`}`, keyed, "k")
	delta := func(what string) string {
		return chunks + `{"index":0,"delta":{` + what + `},"logprobs":null,"finish_reason":null}],"usage":null}` + "\n\n"
	}
	want := delta(`"role":"assistant","content":""`) + delta(`"reasoning":"Hm."`) + delta(`"content":"Wait."`) + delta(`"content":"\n\nIt "`) + delta(`"content":"is"`) + delta(`"content":"."`) +
		chunks + `{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}],"usage":null}` + "\n\n" +
		chunks + `],"usage":{"prompt_tokens":7,"completion_tokens":4,"total_tokens":11,"prompt_tokens_details":{"cached_tokens":3}}}` + "\n\ndata: [DONE]\n\n"
	if got.Status != 200 || got.Header.Get("Content-Type") != "text/event-stream" || got.Body != want {
		t.Errorf("%d %s\n%s\nwant\n%s", got.Status, got.Header, got.Body, want)
	}
}

func TestFRT5ANewRequestIsStreamedFromItsBeginning(t *testing.T) {
	for path, body := range map[string]string{"/v1/chat/completions": hello, "/v1/responses": `"model":"shelly","input":"Hi"`} {
		s := serve(t)
		s.Meanwhile(1, answering(s, "It is."), "POST", path, `{"stream":true,`+body+`}`, keyed, "k")
		s.Ask("POST", path, `{"stream":true,`+body+`}`, keyed, "k") // the second time only the rest comes
		if n := s.Front.Seen().Begun; n != 1 {
			t.Errorf("%s: %d streams are from the beginning", path, n)
		}
	}
}

// A stream that is cut off says so; otherwise a client would take what it has for the answer.
func TestFRT6AStreamThatIsCutSaysSo(t *testing.T) {
	s := serve(t)
	got := s.Meanwhile(1, func(key fsm.RequestKey) {
		s.Front.Say(key, says(5, 0, "It "))
		s.Front.Cut()
	}, "POST", "/v1/chat/completions", `{"stream":true,`+hello+`}`, keyed, "k")
	if !strings.HasSuffix(got.Body, `"type":"server_error","param":null,"code":"stopping"}}`+"\n\n") || strings.Contains(got.Body, "[DONE]") {
		t.Errorf("got %s; want ending with %q, without %q", got.Body, `"type":"server_error","param":null,"code":"stopping"}}`+"\n\n", "[DONE]")
	}
	if seen := s.Front.Seen(); len(seen.Told) != 0 {
		t.Errorf("it was told %+v", seen.Told)
	}
}

func TestFRT6AStreamWhoseTokenIsRevokedSaysSo(t *testing.T) {
	for body, path := range map[string]string{ // order-free: each is alone
		`{"stream":true,` + hello + `}`: "/v1/chat/completions", `{` + hello + `}`: "/v1/chat/completions",
		`{"stream":true,"model":"shelly","input":"Hi"}`: "/v1/responses", `{"model":"shelly","input":"Hi"}`: "/v1/responses",
	} {
		s := serve(t)
		got := s.Revoked("POST", path, body)
		if !strings.Contains(got.Body, "the token was revoked") || !strings.Contains(body, "stream") && got.Status != 401 {
			t.Errorf("%s: got %d %s; want 401 or a stream, and %q", body, got.Status, got.Body, "the token was revoked")
		}
	}
}

func TestFRT4ErrorsHaveTheShapeOfTheProtocol(t *testing.T) {
	s := serve(t)
	png := base64.StdEncoding.EncodeToString([]byte("\x89PNG\r\n\x1a\n" + strings.Repeat("\x00", 16)))
	message := func(content string) string {
		return `{"model":"shelly","messages":[{"role":"user","content":` + content + `}]}`
	}
	for _, tt := range []struct {
		name, method, path, body string
		headers                  []string
		status                   int
		want                     string
	}{
		{"no token", "GET", "/v1/models", "", []string{"Authorization", ""}, 401, `"type":"authentication_error","param":null,"code":"invalid_api_key"}}`},
		{"another method", "GET", "/v1/chat/completions", "", nil, 405, `"code":"method_not_allowed"}}`},
		{"completions", "POST", "/v1/completions", `{}`, nil, 404, `{"error":{"message":"/v1/completions is not served: shelly is an agent, and answers at /v1/chat/completions and /v1/responses","type":"invalid_request_error","param":null,"code":"not_served"}}`},
		{"counting tokens", "POST", "/v1/responses/input_tokens", `{}`, nil, 404, `/v1/responses/input_tokens is not served: `},
		{"a conversation", "POST", "/v1/conversations", `{}`, nil, 404, `is not served: a conversation begins with its first response; send a name of your choice as conversation to /v1/responses","type":"invalid_request_error","param":null,"code":"not_served"}}`},
		{"vectors without a token", "POST", "/v1/embeddings", `{}`, []string{"Authorization", ""}, 401, `"code":"invalid_api_key"}}`},
		{"no such route", "GET", "/v1/chat/other", "", nil, 404, `"type":"invalid_request_error","param":null,"code":"not_found"}}`},
		{"a slash too many", "POST", "/v1//chat/completions", `{` + hello + `}`, nil, 404, `no slash at its end: /v1/chat/completions","type":"invalid_request_error","param":null,"code":"not_found"}}`},
		{"a slash at the end", "POST", "/v1/responses/", `{}`, nil, 404, `no slash at its end: /v1/responses","type":"invalid_request_error","param":null,"code":"not_found"}}`},
		{"another model", "POST", "/v1/chat/completions", `{"model":"gpt","messages":[{"role":"user","content":"Hi"}]}`, nil, 404, `{"error":{"message":"there is no model \"gpt\" here: the agent is \"shelly\"","type":"invalid_request_error","param":"model","code":"model_not_found"}}`},
		{"no model", "POST", "/v1/chat/completions", `{"messages":[{"role":"user","content":"Hi"}]}`, nil, 400, `{"error":{"message":"\"model\" is missing; the agent is \"shelly\"","type":"invalid_request_error","param":"model",`},
		{"tools", "POST", "/v1/chat/completions", `{"tools":[{"type":"function"}],` + hello + `}`, nil, 400, `"param":"tools","code":"invalid_value"}}`},
		{"a user who can name no session", "POST", "/v1/chat/completions", `{"user":"` + strings.Repeat("u", 129) + `",` + hello + `}`, nil, 400, `{"error":{"message":"field \"user\" is longer than 128 bytes; shorten it","type":"invalid_request_error","param":"user","code":"invalid_value"}}`},
		{"a session that can have no name", "POST", "/v1/chat/completions", `{"metadata":{"session":"a\nb"},` + hello + `}`, nil, 400, `"param":"metadata.session","code":"invalid_value"}}`},
		{"a conversation that can have no name", "POST", "/v1/responses", `{"model":"shelly","input":"Hi","conversation":"` + strings.Repeat("c", 122) + `"}`, nil, 400, `field \"conversation\" is longer than 121 bytes; shorten it","type":"invalid_request_error","param":"conversation","code":"invalid_value"}}`},
		{"a response's session that can have no name", "POST", "/v1/responses", `{"model":"shelly","input":"Hi","metadata":{"session":"a\nb"}}`, nil, 400, `"param":"metadata.session","code":"invalid_value"}}`},
		{"two answers", "POST", "/v1/chat/completions", `{"n":2,` + hello + `}`, nil, 400, `{"error":{"message":"\"n\" is not supported: there is one answer; send 1","type":"invalid_request_error","param":"n","code":"invalid_value"}}`},
		{"a format", "POST", "/v1/chat/completions", `{"response_format":{"type":"json_object"},` + hello + `}`, nil, 400, `"param":"response_format","code":"invalid_value"}}`},
		{"an unknown field", "POST", "/v1/chat/completions", `{"temprature":1,` + hello + `}`, nil, 400, `{"error":{"message":"unknown field \"temprature\"; leave it out","type":"invalid_request_error","param":"temprature","code":"unknown_parameter"}}`},
		{"no messages", "POST", "/v1/chat/completions", `{"model":"shelly"}`, nil, 400, `"param":"messages","code":"invalid_value"}}`},
		{"an answer last", "POST", "/v1/chat/completions", `{"model":"shelly","messages":[{"role":"assistant","content":"Hi"}]}`, nil, 400, `"param":"messages[0]","code":"invalid_value"}}`},
		{"a tool's result", "POST", "/v1/chat/completions", `{"model":"shelly","messages":[{"role":"tool","content":"Hi"},{"role":"user","content":"Hi"}]}`, nil, 400, `"param":"messages[0]","code":"invalid_value"}}`},
		{"no text", "POST", "/v1/chat/completions", message(`""`), nil, 400, `{"error":{"message":"\"messages[0]\" has no text; say what the agent should do","type":"invalid_request_error","param":"messages[0]",`},
		{"only an image", "POST", "/v1/chat/completions", message(`[{"type":"image_url","image_url":{"url":"data:image/png;base64,` + png + `"}}]`), nil, 400, `"param":"messages[0]",`},
		{"a response to no text", "POST", "/v1/responses", `{"model":"shelly","input":" "}`, nil, 400, `"param":"input",`},
		{"a response to no text, without a record", "POST", "/v1/responses", `{"model":"shelly","store":false,"input":[{"role":"user","content":""}]}`, nil, 400, `"param":"input[0]",`},
		{"a remote image", "POST", "/v1/chat/completions", message(`[{"type":"image_url","image_url":{"url":"http://127.0.0.1/a.png"}}]`), nil, 400, `shelly fetches no image`},
		{"an image that is none", "POST", "/v1/chat/completions", message(`[{"type":"image_url","image_url":{"url":"data:image/png;base64,aGVsbG8="}}]`), nil, 400, `is not a PNG, JPEG or WebP image`},
		{"too many images", "POST", "/v1/chat/completions", message(`[{"type":"text","text":"a"}` + strings.Repeat(`,{"type":"image_url","image_url":"data:image/png;base64,`+png+`"}`, 17) + `]`), nil, 400, `has 17 images; send at most 16`},
		{"sound", "POST", "/v1/chat/completions", message(`[{"type":"input_audio","input_audio":{}}]`), nil, 400, `is a part of type \"input_audio\"`},
		{"too long", "POST", "/v1/chat/completions", message(`"` + strings.Repeat("a", 1<<16) + `"`), nil, 413, `"code":"request_too_large"}}`},
		{"a key too long", "POST", "/v1/chat/completions", `{` + hello + `}`, []string{keyed, strings.Repeat("k", 101)}, 400, `"code":"invalid_idempotency_key"}}`},
		{"no such response", "GET", "/v1/responses/resp_none", "", nil, 404, `"code":"not_found"}}`},
		{"an id of another kind", "GET", "/v1/responses/chatcmpl-k", "", nil, 404, `"code":"not_found"}}`},
		{"an unknown part of the query", "GET", "/v1/responses/resp_none?x=1", "", nil, 404, `"code":"not_found"}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := s.Ask(tt.method, tt.path, tt.body, tt.headers...)
			if got.Status != tt.status || !strings.Contains(got.Body, tt.want) || !strings.HasPrefix(got.Body, `{"error":{"message":"`) {
				t.Errorf("%d %s\nwant %d %s", got.Status, got.Body, tt.status, tt.want)
			}
		})
	}
	if seen := s.Front.Seen(); len(seen.Accepted) != 0 {
		t.Errorf("accepted: %v", seen.Accepted)
	}
	s.Front.Refuse(engine.ErrBusy)
	if got := s.Ask("POST", "/v1/chat/completions", `{`+hello+`}`); got.Status != 429 || !strings.Contains(got.Body, `"type":"rate_limit_error"`) || got.Header.Get("Retry-After") == "" {
		t.Errorf("busy: %d %v %s", got.Status, got.Header, got.Body)
	}
}

// An error reply is an error, and says that asking again does not help.
func TestFRT4AReplyThatIsAnErrorIsOne(t *testing.T) {
	s := serve(t)
	fails := func(key fsm.RequestKey) { s.Front.Reply(key, "error: no model", true) }
	got := s.Meanwhile(1, fails, "POST", "/v1/chat/completions", `{`+hello+`}`, keyed, "k")
	if got.Status != 500 || got.Header.Get("X-Should-Retry") != "false" || !strings.Contains(got.Body, `{"error":{"message":"error: no model","type":"server_error"`) {
		t.Errorf("got %d %v %s; want 500, X-Should-Retry false, and a server_error", got.Status, got.Header, got.Body)
	}
	got = s.Meanwhile(2, fails, "POST", "/v1/chat/completions", `{"stream":true,`+hello+`}`, keyed, "l")
	if !strings.HasSuffix(got.Body, `data: {"error":{"message":"error: no model","type":"server_error","param":null,"code":null}}`+"\n\n") {
		t.Errorf("got %s; want one ending with %q", got.Body, `data: {"error":{"message":"error: no model","type":"server_error","param":null,"code":null}}`+"\n\n")
	}
}

// Without a key, the id is made from the bytes and a number; a request that says that it is
// another try is the same request.
func TestFRT7AnotherTryIsTheSameRequest(t *testing.T) {
	s := serve(t)
	ask := func(n int, try string) string {
		got := s.Meanwhile(n, answering(s, "It is."), "POST", "/v1/chat/completions", `{`+hello+`}`, "X-Stainless-Retry-Count", try)
		return strings.Split(got.Body, `"`)[3]
	}
	first, second := ask(1, "0"), ask(2, "0")
	if first == second || !strings.HasSuffix(first, "-1") || !strings.HasSuffix(second, "-2") {
		t.Errorf("%s and %s", first, second)
	}
	if again := s.Ask("POST", "/v1/chat/completions", `{`+hello+`}`, "X-Stainless-Retry-Count", "1"); !strings.Contains(again.Body, second) {
		t.Errorf("another try is %s", again.Body)
	}
	if n := len(s.Front.Seen().Accepted); n != 2 {
		t.Errorf("%d were accepted", n)
	}
}

// The same message that comes several times at once is several requests, and the last attempt
// of all is reported.
func TestFRT7TheSameMessageAtOnceIsSeveralRequests(t *testing.T) {
	s := serve(t)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second) // ends a test that hangs
	defer cancel()
	release := s.Front.Hold()
	const several = 9
	answers := make(chan asking.Answer, several)
	for range several {
		go func() { answers <- s.Ask("POST", "/v1/chat/completions", `{`+hello+`}`) }()
	}
	if err := s.Front.Await(ctx, func(seen fronttest.Seen) bool { return seen.Held == several }); err != nil {
		t.Fatal(err)
	}
	release()
	if err := s.Front.Await(ctx, func(seen fronttest.Seen) bool { return len(seen.Requests) == several }); err != nil {
		t.Fatalf("%v: accepted are %v", err, s.Front.Seen().Accepted)
	}
	ids := s.Front.Seen().Accepted
	for _, r := range s.Front.Seen().Requests {
		s.Front.Reply(r.Key, "It is.", false)
	}
	for range several {
		if got := <-answers; got.Status != 200 {
			t.Errorf("got %d %s; want 200", got.Status, got.Body)
		}
	}
	slices.Sort(ids)
	if ids = slices.Compact(ids); len(ids) != several {
		t.Errorf("the requests are %v", ids)
	}
	if again := s.Ask("POST", "/v1/chat/completions", `{`+hello+`}`, "X-Stainless-Retry-Count", "1"); !strings.Contains(again.Body, ids[several-1]) {
		t.Errorf("another try of the last is %s", again.Body)
	}
}

func TestFRT12AQuestionIsAskedWhereItCanBe(t *testing.T) {
	s := serve(t)
	got := s.Meanwhile(1, func(key fsm.RequestKey) {
		s.Front.Say(key, comm.Event{Type: comm.EventQuestion, Question: fsm.QuestionApprove, Key: "h1.1", Tool: "exec", Args: `{"command":"make"}`, Text: "it costs\u202e"},
			comm.Event{Type: comm.EventState, State: state.Queued, Decision: &comm.Decision{Verdict: comm.Refused, By: "ann", Reason: "not on a Friday"}})
		s.Front.Reply(key, "It is.", false)
	}, "POST", "/v1/chat/completions", `{"stream":true,`+hello+`}`, keyed, "k")
	if want := `{"reasoning":"\n[refused by ann: not on a Friday]\n"}`; !strings.Contains(got.Body, want) { // APR-24
		t.Errorf("got %s; want one with %q", got.Body, want)
	}
	if !strings.Contains(got.Body, `{"reasoning":"\n[shelly waits for approval of exec {\"command\":\"make\"} (it costs\\u202e): shelly request approve k --channel openai]\n"}`) {
		t.Errorf("got %s; want one with %q", got.Body, `{"reasoning":"\n[shelly waits for approval of exec {\"command\":\"make\"} (it costs\\u202e): shelly request approve k --channel openai]\n"}`)
	}
}

func TestFRT14TheModelIsTheAgent(t *testing.T) {
	s := serve(t)
	if got := s.Ask("GET", "/v1/models", ""); got.Body != `{"object":"list","data":[{"id":"shelly","object":"model","created":0,"owned_by":"shelly"},{"id":"qwen3:4b","object":"model","created":0,"owned_by":"shelly"},{"id":"hf.co/a/b","object":"model","created":0,"owned_by":"shelly"}]}`+"\n" {
		t.Errorf("got %s; want the agent, then the models", got.Body)
	}
	for path, name := range map[string]string{"qwen3:4b": "qwen3:4b", "hf.co/a/b": "hf.co/a/b", "hf.co%2Fa%2Fb": "hf.co/a/b"} { // order-free: each is alone
		if got := s.Ask("GET", "/v1/models/"+path, ""); got.Body != `{"id":"`+name+`","object":"model","created":0,"owned_by":"shelly"}`+"\n" {
			t.Errorf("%s: got %s; want %s", path, got.Body, `{"id":"`+name+`","object":"model","created":0,"owned_by":"shelly"}`+"\n")
		}
	}
	if got := s.Ask("GET", "/v1/models/other", ""); got.Status != 404 {
		t.Errorf("got %d %s; want 404", got.Status, got.Body)
	}
}

// An image is checked, and never fetched.
func TestFRT10AnImageComesWithTheMessage(t *testing.T) {
	s := serve(t)
	png := "\x89PNG\r\n\x1a\n" + strings.Repeat("\x00", 16)
	url := "data:image/png;base64," + base64.StdEncoding.EncodeToString([]byte(png))
	got := s.Meanwhile(1, answering(s, "It is."), "POST", "/v1/chat/completions",
		`{"model":"shelly","messages":[{"role":"user","content":[{"type":"text","text":"What?"},{"type":"image_url","image_url":{"url":"`+url+`","detail":"low"}}]}]}`, keyed, "k")
	if r := s.Front.Seen().Requests[0]; got.Status != 200 || len(r.Images) != 1 || string(r.Images[0]) != png {
		t.Errorf("got %d %s, images %q; want 200, and 1, %q", got.Status, got.Body, r.Images, png)
	}
}

// Each of the front's routes is recognised by its path, which decides how errors are worded and as what
// its clients count (COM-99).
func TestFRT4EachRouteIsTheFrontsOwn(t *testing.T) {
	for _, r := range openai.New(fronttest.New(), openai.Options{}).Routes() {
		if _, ours := openai.Dialect().Word(r.Pattern); !ours {
			t.Errorf("%s is not", r.Pattern)
		}
	}
}

// The SDKs send again what is refused so, and nothing else that is the client's fault.
func TestFRT4ABodyThatEndsEarlyHasTheStatusOfARequestThatCanBeSentAgain(t *testing.T) {
	s := serve(t)
	if got := s.Cut("POST", "/v1/chat/completions", `{`+hello); got.Status != 408 || !strings.Contains(got.Body, "send it whole") || len(s.Front.Seen().Requests) != 0 {
		t.Errorf("%+v, %d requests; want 408 with what to do, and none", got, len(s.Front.Seen().Requests))
	}
	if got := s.Malform("POST", "/v1/chat/completions"); got != 400 {
		t.Errorf("a body that cannot be read again either: %d; want 400", got)
	}
}

// A client that gives up while its request becomes durable tries again. Until it is known whether the
// request is accepted, no other one gets its id, and the retry is not taken for an older one.
func TestFRT7ARequestWhoseClientHasGoneKeepsItsID(t *testing.T) {
	front := fronttest.New()
	routes := openai.New(front, openai.Options{RequestBytesMax: 1 << 16}).Routes()
	chat := routes[slices.IndexFunc(routes, func(r comm.Route) bool { return r.Pattern == "/v1/chat/completions" })]
	gone, leave := context.WithCancel(comm.WithCaller(t.Context(), comm.Local()))
	leave()
	release := front.Hold()
	done := make(chan error, 1)
	go func() {
		done <- chat.Handle(httptest.NewRecorder(), httptest.NewRequestWithContext(gone, "POST", chat.Pattern, strings.NewReader("{"+hello+"}")))
	}()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if err := front.Await(ctx, func(seen fronttest.Seen) bool { return seen.Held == 1 }); err != nil {
		t.Error("it was given up:", err)
	}
	release()
	<-done
	if n := len(front.Seen().Requests); n != 1 {
		t.Errorf("%d requests were accepted", n)
	}
}
