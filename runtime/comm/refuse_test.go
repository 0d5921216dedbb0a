package comm_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"shelly/fsm/engine"
	"shelly/runtime/access"
	"shelly/runtime/comm"
	"shelly/runtime/comm/listener"
)

const good = `{"id":"m1","text":"hello"}`

func post(body string) call { return call{method: "POST", path: "/v1/requests", body: body} }

func with(c call, name, value string) call {
	c.header = http.Header{name: {value}}
	return c
}

func TestCOM6EveryRefusalHasItsStatusAndStartsNoWork(t *testing.T) {
	event := func(body string) call { return call{method: "POST", path: "/v1/events", body: body} }
	get := func(path string) call { return call{method: "GET", path: path} }
	hosted := func(host string) call { c := post(good); c.host = host; return c }
	long := strings.Repeat("x", 129)
	cases := []struct {
		name string
		call call
		want int
		code comm.Code
		says string
	}{
		{"no token", with(post(good), "Authorization", ""), 401, comm.CodeUnauthorized, "token"},
		{"wrong token", with(post(good), "Authorization", "Bearer "+token[1:]+"x"), 401, comm.CodeUnauthorized, "token"},
		{"token as a password", with(post(good), "Authorization", "Basic "+token), 401, comm.CodeUnauthorized, "token"},
		{"status without a token", with(get("/v1/status"), "Authorization", ""), 401, comm.CodeUnauthorized, "token"},
		{"audit without a token", with(get("/v1/audit"), "Authorization", ""), 401, comm.CodeUnauthorized, "token"},
		{"unknown route without a token", with(get("/v2"), "Authorization", ""), 401, comm.CodeUnauthorized, "token"},

		{"no challenge", with(get("/v1/proof"), "Authorization", ""), 400, comm.CodeBadRequest, "challenge"},
		{"a short challenge", get("/v1/proof?challenge=00"), 400, comm.CodeBadRequest, "challenge"},
		{"a challenge and more", get("/v1/proof?challenge=" + comm.NewChallenge() + "&path=/v1/status"), 400, comm.CodeBadRequest, `"path"`},
		{"a challenge from a page", with(get("/v1/proof?challenge="+comm.NewChallenge()), "Origin", "https://evil.example"), 403, comm.CodeForbidden, "another site"},

		{"foreign Host", hosted("evil.example"), 403, comm.CodeForbidden, "Host"},
		{"Host that starts with localhost", hosted("localhost.evil.example"), 403, comm.CodeForbidden, "Host"},
		{"Host of another port", hosted("127.0.0.1:1"), 403, comm.CodeForbidden, "Host"},
		{"Host without the port", hosted("127.0.0.1"), 403, comm.CodeForbidden, "Host"},
		{"foreign Origin", with(post(good), "Origin", "https://evil.example"), 403, comm.CodeForbidden, "another site"},
		{"Origin of a sandboxed page", with(post(good), "Origin", "null"), 403, comm.CodeForbidden, "another site"},
		{"cross-site", with(post(good), "Sec-Fetch-Site", "cross-site"), 403, comm.CodeForbidden, "another site"},
		{"another port of this machine", with(post(good), "Sec-Fetch-Site", "same-site"), 403, comm.CodeForbidden, "another site"},

		{"unknown route", get("/v2"), 404, comm.CodeNotFound, "route"},
		{"GET that asks for work", get("/?text=run+exec"), 404, comm.CodeNotFound, "route"},
		{"unknown request", get("/v1/requests/m1"), 404, comm.CodeNotFound, `"m1"`},
		{"events of an unknown request", get("/v1/requests/m1/events"), 404, comm.CodeNotFound, `"m1"`},
		{"a trailing slash", get("/v1/status/"), 404, comm.CodeNotFound, "route"},
		{"PUT of a route that works", call{method: "PUT", path: "/v1/requests"}, 405, comm.CodeMethodNotAllowed, "PUT"},
		{"GET of the events", get("/v1/events"), 405, comm.CodeMethodNotAllowed, "GET"},
		{"POST to the status", call{method: "POST", path: "/v1/status"}, 405, comm.CodeMethodNotAllowed, "POST"},

		{"plain text", with(post(good), "Content-Type", "text/plain"), 415, comm.CodeMediaType, "JSON"},
		{"HTML form", with(post("text=a"), "Content-Type", "application/x-www-form-urlencoded"), 415, comm.CodeMediaType, "JSON"},
		{"no type", with(post(good), "Content-Type", ""), 415, comm.CodeMediaType, "JSON"},
		{"a compressed body", with(post(good), "Content-Encoding", "gzip"), 415, comm.CodeMediaType, `Content-Encoding "gzip"`},
		{"a body compressed besides", with(post(good), "Content-Encoding", "identity, BR"), 415, comm.CodeMediaType, `Content-Encoding "br"`},
		{"another charset", with(post(good), "Content-Type", "application/json; charset=latin1"), 415, comm.CodeMediaType, "JSON"},
		{"a body too long", post(`{"text":"` + strings.Repeat("x", 4096) + `"}`), 413, comm.CodeTooLarge, "4096 bytes"},

		{"no body", post(""), 400, comm.CodeBadRequest, "ends too early"},
		{"not JSON", post("hello"), 400, comm.CodeBadRequest, "not JSON"},
		{"half of it", post(`{"text":"he`), 400, comm.CodeBadRequest, "ends too early"},
		{"an array", post(`[` + good + `]`), 400, comm.CodeBadRequest, "not a JSON object"},
		{"two values", post(good + good), 400, comm.CodeBadRequest, "more after"},
		{"bytes after it", post(good + "x"), 400, comm.CodeBadRequest, "more after"},
		{"unknown field", post(`{"text":"a","colour":"red"}`), 400, comm.CodeBadRequest, `"colour"`},
		{"field in another case", post(`{"Text":"a"}`), 400, comm.CodeBadRequest, `"Text"`},
		{"field twice", post(`{"text":"a","text":"b"}`), 400, comm.CodeBadRequest, `"text" is given twice`},
		{"a number for a text", post(`{"text":1}`), 400, comm.CodeBadRequest, `"text" is not a text`},
		{"null for the text", post(`{"text":null,"id":null}`), 400, comm.CodeBadRequest, `"text" is missing`},
		{"null for an image", post(`{"text":"a","images":[null]}`), 400, comm.CodeBadRequest, `"images[0]" is null`},
		{"null for a message", post(`{"text":"a","context":[{"role":"user","content":"a"},null]}`), 400, comm.CodeBadRequest, `"context[1]" is not an object`},
		{"a number for a message's text", post(`{"text":"a","context":[{"role":"user","content":1}]}`), 400, comm.CodeBadRequest, `"context[0].content" is not a text`},
		{"an object for a text", post(`{"text":{}}`), 400, comm.CodeBadRequest, `"text" is not a text`},
		{"invalid UTF-8", post("{\"text\":\"\xff\"}"), 400, comm.CodeBadRequest, "UTF-8"},
		{"no text", post(`{"id":"m1"}`), 400, comm.CodeBadRequest, `"text" is missing`},
		{"blank text", post(`{"text":" \n"}`), 400, comm.CodeBadRequest, `"text" is missing`},
		{"long id", post(`{"id":"` + long + `","text":"a"}`), 400, comm.CodeBadRequest, `"id" is longer`},
		{"id with a line end", post(`{"id":"a\nb","text":"a"}`), 400, comm.CodeBadRequest, `"id" holds a control`},
		{"id that steers a terminal", post(`{"id":"\u009b2J","text":"a"}`), 400, comm.CodeBadRequest, `"id" holds a control`},
		{"long session", post(`{"session":"` + long + `","text":"a"}`), 400, comm.CodeBadRequest, `"session" is longer`},
		{"channel that is no name", post(`{"channel":"../x","text":"a"}`), 400, comm.CodeBadRequest, "channel"},
		{"channel of a record", get("/v1/requests/m1?channel=A"), 400, comm.CodeBadRequest, "channel"},
		{"misspelt query", call{method: "POST", path: "/v1/requests?steam=1", body: good}, 400, comm.CodeBadRequest, `"steam"`},
		{"a query parameter twice", get("/v1/requests?limit=1&limit=2"), 400, comm.CodeBadRequest, `"limit" is given 2 times`},
		{"none of the requests", get("/v1/requests?limit=0"), 400, comm.CodeBadRequest, "limit is 0"},
		{"none of the messages", get("/v1/messages?limit=0"), 400, comm.CodeBadRequest, "limit is 0"},
		{"none of the records", get("/v1/audit?limit=0"), 400, comm.CodeBadRequest, "limit is 0"},
		{"a wish that is no flag", call{method: "POST", path: "/v1/requests?stream=yes", body: good}, 400, comm.CodeBadRequest, `"yes"`},
		{"stream and wait", call{method: "POST", path: "/v1/requests?stream=1&wait=1", body: good}, 400, comm.CodeBadRequest, "exclude"},

		{"a chat with a line end", post(`{"text":"a","chat":"a\nb"}`), 400, comm.CodeBadRequest, `"chat" holds a control`},
		{"images that are no list", post(`{"text":"a","images":"/9j/"}`), 400, comm.CodeBadRequest, `"images" is not a list`},
		{"an image that is no text", post(`{"text":"a","images":[1]}`), 400, comm.CodeBadRequest, `"images[0]" is not a text`},
		{"an image that is not base64", post(`{"text":"a","images":["/9j/","A"]}`), 400, comm.CodeBadRequest, `"images[1]" is not an image in base64`},
		{"a text as an image", post(`{"text":"a","images":["aGVsbG8="]}`), 400, comm.CodeBadRequest, `"images[0]" is not a PNG, JPEG or WebP image (it looks like text/plain`},
		{"a GIF", post(`{"text":"a","images":["R0lGODlh"]}`), 400, comm.CodeBadRequest, `"images[0]" is not a PNG, JPEG or WebP image (it looks like image/gif`},
		{"an empty image", post(`{"text":"a","images":[""]}`), 400, comm.CodeBadRequest, `"images[0]" is not an image in base64`},
		{"too many images", post(`{"text":"a","images":[` + strings.Repeat(`"/9j/",`, comm.ImagesMax) + `"/9j/"]}`), 400, comm.CodeBadRequest, "more than 16 items"},
		{"images that never end", post(`{"text":"a","images":["/9j/"`), 400, comm.CodeBadRequest, "ends too early"},
		{"context of an unknown role", post(`{"text":"a","context":[{"role":"tool","content":"x"}]}`), 400, comm.CodeBadRequest, `"context[0]" is "tool"`},
		{"unknown field with a long name", post(`{"text":"a","` + strings.Repeat("x", 1000) + `":"red"}`), 400, comm.CodeBadRequest, `"` + strings.Repeat("x", 60) + `…"`},
		{"context with an unknown field", post(`{"text":"a","context":[{"role":"user","name":"x"}]}`), 400, comm.CodeBadRequest, `"context[0].name"`},
		{"context of texts", post(`{"text":"a","context":["x"]}`), 400, comm.CodeBadRequest, `"context[0]" is not an object`},

		{"cancel of an unknown request", call{method: "POST", path: "/v1/requests/m1/cancel"}, 404, comm.CodeNotFound, `"m1"`},
		{"GET that cancels", get("/v1/requests/m1/cancel"), 405, comm.CodeMethodNotAllowed, "GET"},
		{"approval without a key", call{method: "POST", path: "/v1/handles/7/approve", body: "{}"}, 400, comm.CodeBadRequest, `"key" is missing`},
		{"approval of no number", call{method: "POST", path: "/v1/handles/x/approve", body: "{}"}, 400, comm.CodeBadRequest, "whole number"},
		{"approval of an unknown request", call{method: "POST", path: "/v1/requests/m1/deny", body: "{}"}, 404, comm.CodeNotFound, `"m1"`},
		{"resolution with an unknown field", call{method: "POST", path: "/v1/handles/7/resolve", body: `{"txt":""}`}, 400, comm.CodeBadRequest, `"txt"`},
		{"audit of too long a session", get("/v1/audit?session=" + strings.Repeat("s", comm.KeptSessionBytesMax+1)), 400, comm.CodeBadRequest, "session"},
		{"audit after no number", get("/v1/audit?after=x"), 400, comm.CodeBadRequest, "after is not a whole number"},
		{"audit of a chat", get("/v1/audit?chat=1"), 400, comm.CodeBadRequest, "chat"},
		{"events of messages after no number", get("/v1/messages/events?after=x"), 400, comm.CodeBadRequest, "after is not a whole number"},
		{"unread messages perhaps", get("/v1/messages?unread=perhaps"), 400, comm.CodeBadRequest, "unread"},
		{"read up to no number", call{method: "POST", path: "/v1/messages/read", body: `{"read":[{"channel":"a","position":"x"}]}`}, 400, comm.CodeBadRequest, "position"},
		{"read in a channel that forges a line", call{method: "POST", path: "/v1/messages/read", body: `{"read":[{"channel":"a\nb","position":1}]}`}, 400, comm.CodeBadRequest, "channel"},
		{"read in a chat with a long name", call{method: "POST", path: "/v1/messages/read", body: `{"read":[{"channel":"a","chat":"` + strings.Repeat("c", comm.ChatBytesMax+1) + `","position":1}]}`}, 400, comm.CodeBadRequest, "chat"},
		{"read up to less than nothing", call{method: "POST", path: "/v1/messages/read", body: `{"read":[{"channel":"a","position":-1}]}`}, 400, comm.CodeBadRequest, "position"},
		{"schedule of a part of a second", call{method: "POST", path: "/v1/schedules", body: `{"message":"m","every_seconds":0.5}`}, 400, comm.CodeBadRequest, "every_seconds"},
		{"schedule of too long a text", call{method: "POST", path: "/v1/schedules", body: `{"message":"m","zone":"` + strings.Repeat("z", 201) + `"}`}, 400, comm.CodeBadRequest, "zone"},
		{"schedule of no channel", call{method: "POST", path: "/v1/schedules", body: `{"message":"m","channel":"NO"}`}, 400, comm.CodeBadRequest, "NO"},
		{"schedules of a session", get("/v1/schedules?session=s"), 400, comm.CodeBadRequest, "session"},
		{"messages after no number", get("/v1/messages?channel=a&after=-1"), 400, comm.CodeBadRequest, "after is not a whole number"},

		{"event without its source", event(`{"event":"full"}`), 400, comm.CodeBadRequest, `"source" is missing`},
		{"event without what happened", event(`{"source":"disk"}`), 400, comm.CodeBadRequest, `"event" is missing`},
		{"event with an unknown field", event(`{"source":"disk","event":"full","x":"y"}`), 400, comm.CodeBadRequest, `"x"`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := serveHTTP(t, nil)
			var body comm.ProblemBody
			response := s.do(c.call, &body)
			if response.StatusCode != c.want || body.Error.Code != c.code {
				t.Errorf("status %d, code %q; want %d, %q", response.StatusCode, body.Error.Code, c.want, c.code)
			}
			if !strings.Contains(body.Error.Message, c.says) || body.Error.Hint == "" {
				t.Errorf("error %+v; want a message with %q, and a hint", body.Error, c.says)
			}
			if seen := s.front.Seen(); seen.Asked != 0 || len(seen.Raised) != 0 || len(seen.Told) != 0 {
				t.Errorf("work was started: %+v", seen)
			}
		})
	}
}

func TestCOM7ErrorsOfTheDaemonHaveTheirStatus(t *testing.T) {
	cases := []struct {
		err   error
		want  int
		code  comm.Code
		retry string
	}{
		{engine.ErrBusy, 429, comm.CodeBusy, "1"},
		{fmt.Errorf("accept: %w", engine.ErrBusy), 429, comm.CodeBusy, "1"},
		{engine.ErrConflict, 409, comm.CodeConflict, ""},
		{engine.ErrForgotten, 409, comm.CodeConflict, ""},
		{engine.ErrStopping, 503, comm.CodeStopping, ""},
		{engine.ErrDead, 503, comm.CodeUnknownOutcome, ""},
		{fmt.Errorf("%w: %w", engine.ErrDead, engine.ErrNoSpace), 503, comm.CodeUnknownOutcome, ""}, // a write that has failed may have been half done
		{fmt.Errorf("%w: 3 MB free", engine.ErrNoSpace), 507, comm.CodeNoSpace, ""},
		{errors.New("/secret/path: input/output error"), 500, comm.CodeInternal, ""},
	}
	for _, c := range cases {
		for _, path := range []string{"/v1/requests", "/v1/requests?wait=1", "/v1/requests?stream=1", "/v1/events"} {
			t.Run(c.err.Error()+path, func(t *testing.T) {
				s := serveHTTP(t, nil)
				s.front.Refuse(c.err)
				body := good
				if path == "/v1/events" {
					body = `{"source":"disk","event":"full"}`
				}
				var got comm.ProblemBody
				response := s.do(call{method: "POST", path: path, body: body}, &got)
				if response.StatusCode != c.want || got.Error.Code != c.code || response.Header.Get("Retry-After") != c.retry {
					t.Errorf("status %d, %+v, retry %q", response.StatusCode, got.Error, response.Header.Get("Retry-After"))
				}
				if strings.Contains(got.Error.Message+got.Error.Hint, "secret") {
					t.Errorf("%+v tells the client what only the log may", got.Error)
				}
				if n := s.counters.Counts().Refused; n != 1 {
					t.Errorf("%d counted as refused", n)
				}
			})
		}
	}
}

func TestAllNamesOfLoopbackAreOurs(t *testing.T) {
	s := serveHTTP(t, nil)
	port := s.address[strings.LastIndex(s.address, ":"):]
	for _, host := range []string{"127.0.0.1", "localhost", "LOCALHOST", "[::1]"} {
		c := call{method: "GET", path: "/v1/status", host: host + port, header: http.Header{
			"Origin": {"http://" + strings.ToLower(host) + port}, "Sec-Fetch-Site": {"same-origin"},
		}}
		if got := s.start(c).StatusCode; got != http.StatusOK {
			t.Errorf("%s: status %d", host, got)
		}
	}
}

func TestARouteThatLeavesItsFolderIsNotFound(t *testing.T) {
	s := serveHTTP(t, nil)
	head := " HTTP/1.1\r\nHost: " + s.address + "\r\nAuthorization: Bearer " + token + "\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
	for _, line := range []string{"POST /../../etc/passwd", "GET /v1/../healthz", "GET //healthz", "GET /./v1/status"} {
		if got := s.raw(line + head); !strings.HasPrefix(got, "HTTP/1.1 404 ") {
			t.Errorf("%s: got %q; want one beginning with %q", line, got, "HTTP/1.1 404 ")
		}
	}
}

func TestASocketOfAForeignPageIsRefusedBeforeItOpens(t *testing.T) {
	s := serveHTTP(t, nil)
	upgrade := "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
	_, port, _ := strings.Cut(s.address, ":")
	for _, head := range []string{
		"Host: " + s.address + upgrade + "Origin: https://evil.example\r\n",
		"Host: evil.example:" + port + upgrade + "Origin: http://evil.example:" + port + "\r\n",
	} {
		if got := s.raw("GET /ws HTTP/1.1\r\n" + head + "\r\n"); !strings.HasPrefix(got, "HTTP/1.1 403 ") {
			t.Errorf("%q: got %q; want one beginning with %q", head, got, "HTTP/1.1 403 ")
		}
	}
	if n := s.counters.Counts().Foreign; n != 2 {
		t.Errorf("%d counted as foreign", n)
	}
}

func TestCOM6AnEndlessBodyIsRefusedAtTheLimit(t *testing.T) {
	s := serveHTTP(t, nil)
	r, w := io.Pipe()
	go func() {
		chunk := []byte(strings.Repeat("x", 1024))
		_, err := io.WriteString(w, `{"text":"`)
		for err == nil {
			_, err = w.Write(chunk)
		}
	}()
	request, err := http.NewRequestWithContext(testContext(t), "POST", "http://"+s.address+"/v1/requests", r)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", "application/json")
	response, err := s.client.Do(request)
	_ = r.Close()
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("status %d", response.StatusCode)
	}
}

// Many clients read nothing before they have sent everything.
func TestCOM6ABodyThatIsRefusedIsAnsweredAfterItWasSent(t *testing.T) {
	s := serveHTTP(t, nil)
	body := strings.Repeat("x", 16<<20)                                        // more than the buffers of a connection hold
	for name, of := range map[string]struct{ host, token, kind, want string }{ // order-free: each is alone
		"too long":    {s.address, token, "application/json", "HTTP/1.1 413 "},
		"not read":    {s.address, token, "text/plain", "HTTP/1.1 415 "},
		"wrong token": {s.address, "guess", "application/json", "HTTP/1.1 401 "},
		"wrong host":  {"elsewhere", token, "application/json", "HTTP/1.1 403 "},
	} {
		got := s.raw("POST /v1/requests HTTP/1.1\r\nHost: " + of.host + "\r\nAuthorization: Bearer " + of.token +
			"\r\nContent-Type: " + of.kind + "\r\nConnection: close\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body)
		if !strings.HasPrefix(got, of.want) {
			t.Errorf("%s: got %q; want one beginning with %q", name, got, of.want)
		}
	}
}

func TestCOM3WrongTokensAreLimitedAndTheRightOnePasses(t *testing.T) {
	var clock atomic.Int64 // milliseconds
	s := serveHTTP(t, func(o *comm.HTTPOptions) {
		o.Now = func() time.Time { return time.UnixMilli(1e9 + clock.Load()) }
	})
	guess := func() *http.Response {
		return s.start(with(post(good), "Authorization", "Bearer guess"))
	}
	for i := range comm.WrongTokensMax {
		if r := guess(); r.StatusCode != 401 || r.Header.Get("WWW-Authenticate") != "Bearer" || !r.Close {
			t.Fatalf("guess %d: %d %v", i, r.StatusCode, r.Header)
		}
	}
	clock.Add(15_001)
	if r := guess(); r.StatusCode != 429 || r.Header.Get("Retry-After") != "45" || !r.Close {
		t.Errorf("a guess too many: %d %v", r.StatusCode, r.Header)
	}
	if r := s.start(call{method: "GET", path: "/v1/status"}); r.StatusCode != 200 {
		t.Errorf("the owner is shut out: %d", r.StatusCode)
	}
	clock.Add(comm.WrongTokensWindow.Milliseconds())
	if r := guess(); r.StatusCode != 401 {
		t.Errorf("a guess in the next window: %d", r.StatusCode)
	}
	if n := s.counters.Counts().BadTokens; n != int64(comm.WrongTokensMax)+2 {
		t.Errorf("%d counted", n)
	}
}

func TestSlowSendersAreCutOff(t *testing.T) {
	s := serveHTTP(t, func(o *comm.HTTPOptions) { o.ReadTimeout = 20 * time.Millisecond })
	if got := s.raw("POST /v1/requests HTTP/1.1\r\nHost: "); got != "" {
		t.Errorf("headers that never end: %q", got)
	}
	if got := s.raw(""); got != "" {
		t.Errorf("a connection that says nothing: %q", got)
	}
	body := s.raw("POST /v1/requests HTTP/1.1\r\nHost: " + s.address + "\r\nAuthorization: Bearer " + token +
		"\r\nContent-Type: application/json\r\nContent-Length: 26\r\n\r\n{")
	if !strings.HasPrefix(body, "HTTP/1.1 408 ") || !strings.Contains(body, "too slowly") {
		t.Errorf("a body that never ends: %q", body)
	}
	if seen := s.front.Seen(); seen.Asked != 0 {
		t.Error("work was started")
	}
}

// What is cut off may be sent again, which a status says; sending what is malformed again would not help.
func TestCOM6AMalformedBodyIsNotOneThatWasCutOff(t *testing.T) {
	s := serveHTTP(t, func(o *comm.HTTPOptions) { o.ReadTimeout = 20 * time.Millisecond })
	for chunks, want := range map[string]string{ // order-free: each is a request of its own
		"{\r\n0\r\n\r\n":           "HTTP/1.1 400 ",
		"1\r\n{}\r\n0\r\n\r\n":     "HTTP/1.1 400 ",
		"1\r\n{\r\n0\r\nx\r\n\r\n": "HTTP/1.1 400 ",
		"1\r\n{\r\n":               "HTTP/1.1 408 ",
	} {
		got := s.raw("POST /v1/requests HTTP/1.1\r\nHost: " + s.address + "\r\nAuthorization: Bearer " + token +
			"\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks)
		if !strings.HasPrefix(got, want) || strings.Contains(got, "malformed") != (want == "HTTP/1.1 400 ") {
			t.Errorf("%q: %q; want %s", chunks, got, want)
		}
	}
}

func TestHeadersAreBounded(t *testing.T) {
	s := serveHTTP(t, nil)
	got := s.raw("GET /healthz HTTP/1.1\r\nHost: " + s.address + "\r\nX: " + strings.Repeat("x", 2*comm.HeaderBytesMax) + "\r\n\r\n")
	if !strings.HasPrefix(got, "HTTP/1.1 431 ") {
		t.Errorf("got %.100q; want one beginning with %q", got, "HTTP/1.1 431 ")
	}
}

func TestCOM1OnlyLoopbackIsListenedOn(t *testing.T) {
	for _, address := range []string{"0.0.0.0:0", ":0", "[::]:0", "192.0.2.1:7433", "example.com:80", "localhost:0", "nowhere"} {
		if l, err := listener.TCP(address); err == nil || !strings.Contains(err.Error(), "127.0.0.1:") {
			t.Errorf("TCP %s: %v, %v", address, l, err)
		}
		if c, err := listener.UDP(address); err == nil || !strings.Contains(err.Error(), "127.0.0.1:") {
			t.Errorf("UDP %s: %v, %v", address, c, err)
		}
	}
}

func TestAShortTokenIsRefusedAtTheStart(t *testing.T) {
	short := token[1:]
	if _, err := comm.NewHTTP(nil, comm.HTTPOptions{Token: short, RequestBytesMax: 1}); err == nil {
		t.Error("HTTP takes it")
	}
	if _, err := comm.NewUDP(nil, comm.UDPOptions{Token: short, RequestBytesMax: 1}); err == nil {
		t.Error("UDP takes it")
	}
}

func TestCOM97AnUnknownRouteIsPointedToTheDescription(t *testing.T) {
	s := serveHTTP(t, nil)
	var body comm.ProblemBody
	if s.do(call{method: "GET", path: "/v2"}, &body); !strings.Contains(body.Error.Hint, "GET /v1/openapi.json") {
		t.Errorf("got %+v; want Hint with %q", body.Error, "GET /v1/openapi.json")
	}
}

// A stream, which would not end, and a backup, which is long, have only their beginning.
func TestCOM97AHeadIsAnsweredLikeAGetWithoutABody(t *testing.T) {
	s := serveClub(t)
	s.start(post(good))
	s.front.KeepBackup(func(_ context.Context, w io.Writer) error {
		_, err := w.Write(make([]byte, 1<<20))
		return err
	})
	sensor, open := s.as("sensor", access.Events), func(c call) call { return with(c, "Authorization", "") }
	own := func(c call) call { return c }
	for _, tt := range []struct {
		path   string
		as     func(call) call
		status int
		media  string
	}{
		{"/healthz", open, 200, "application/json; charset=utf-8"},
		{"/v1/status", open, 401, "application/json; charset=utf-8"},
		{"/v1/status", sensor, 403, "application/json; charset=utf-8"},
		{"/v1/status", own, 200, "application/json; charset=utf-8"},
		{"/v1/requests/m1", own, 200, "application/json; charset=utf-8"},
		{"/v1/requests/m2", own, 404, "application/json; charset=utf-8"},
		{"/v1/requests/m1/events", own, 200, "text/event-stream"},
		{"/v1/backup", own, 200, "application/x-tar"},
		{"/v1/events", sensor, 405, "application/json; charset=utf-8"},
	} {
		r := s.start(tt.as(call{method: "HEAD", path: tt.path}))
		if media := r.Header.Get("Content-Type"); r.StatusCode != tt.status || media != tt.media {
			t.Errorf("%s: got %d %s; want %d, %s", tt.path, r.StatusCode, media, tt.status, tt.media)
		}
	}
	if r := s.start(call{method: "PUT", path: "/healthz"}); r.Header.Get("Allow") != "GET, HEAD" {
		t.Errorf("got %q; want Allow %q", r.Header, "GET, HEAD")
	}
}
