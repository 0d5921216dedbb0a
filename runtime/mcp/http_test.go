package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"shelly/fsm"
	"shelly/runtime/egress"
	"shelly/runtime/tool"
)

func TestTOL94AListThatCannotBeReadAgainCostsNoCall(t *testing.T) {
	for name, refuse := range map[string]func(http.ResponseWriter, json.RawMessage){ // order-free: each is a world of its own
		"a broken gateway": func(w http.ResponseWriter, _ json.RawMessage) { w.WriteHeader(http.StatusBadGateway) },
		"a refusal": func(w http.ResponseWriter, id json.RawMessage) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":"busy"}}`, id)
		},
	} {
		t.Run(name, func(t *testing.T) {
			var lists atomic.Int32
			again, calling := make(chan struct{}), make(chan struct{})
			s, at, sessions := web(t, func(w http.ResponseWriter, r *http.Request) {
				close(calling)
				select {
				case <-again:
				case <-r.Context().Done():
				}
				w.WriteHeader(http.StatusUnauthorized)
			}, func(w http.ResponseWriter) {
				w.Header().Set("Content-Type", "text/event-stream")
				_ = http.NewResponseController(w).Flush()
				select {
				case <-calling:
				case <-t.Context().Done():
				}
				_, _ = io.WriteString(w, `data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`+"\n\n")
			})
			plain := at.Config.Handler
			at.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				var m message
				if json.Unmarshal(body, &m) == nil && m.Method == "tools/list" {
					switch lists.Add(1) {
					case 2, 3:
						refuse(w, m.ID)
						return
					case 4:
						close(again)
					}
				}
				r.Body = io.NopCloser(bytes.NewReader(body))
				plain.ServeHTTP(w, r)
			})
			w := newWorld(t, nil, brief(), s)
			if got := w.call("r_act", ""); got != tool.Invalid("the server r refuses the call: it answers HTTP 401 Unauthorized") || sessions.Load() != 1 {
				t.Errorf("it is %+v after %d sessions", got, sessions.Load())
			}
		})
	}
}

func TestTOL93AServerAtAnAddressIsReached(t *testing.T) {
	var wrong atomic.Int32
	handler := sdk.NewStreamableHTTPHandler(func(r *http.Request) *sdk.Server {
		if r.Header.Get("Authorization") != "Bearer key" {
			wrong.Add(1)
		}
		return offering(&sdk.Tool{Name: "a"})
	}, nil)
	server := httptest.NewServer(handler)
	defer server.Close()
	s := Server{Name: "r", URL: server.URL + "/mcp", Headers: []Header{{"Authorization", "Bearer key"}}, Timeout: 20 * time.Second}
	refused := s
	s.Allow = allowing(t, server)
	w := newWorld(t, nil, brief(), s)
	if got := w.call("r_a", `{"text": "x"}`); got.Failed || got.Text != `a got {"text":"x"}` || wrong.Load() > 0 {
		t.Errorf("%+v; %d requests without the header", got, wrong.Load())
	}
	w.Use([]Server{refused})
	w.Servers.Wait(t.Context())
	if err := w.States()[0].Err; err == nil || !strings.Contains(err.Error(), "is refused") {
		t.Errorf("without being allowed: %v", err)
	}
}

// web is a server at an address that greets, has one unsafe tool, and answers calls, and a client
// that listens (unless nil), as it likes.
func web(t *testing.T, call http.HandlerFunc, listen func(http.ResponseWriter)) (s Server, at *httptest.Server, sessions *atomic.Int32) {
	t.Helper()
	sessions = &atomic.Int32{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m message
		_ = json.NewDecoder(r.Body).Decode(&m)
		answers := map[string]string{
			"initialize": `{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"h","version":"1"}}`,
			"tools/list": `{"tools":[{"name":"act","inputSchema":{"type":"object"}}]}`,
		}
		switch {
		case r.Method == http.MethodGet && listen != nil:
			listen(w)
		case r.Method != http.MethodPost:
			w.WriteHeader(http.StatusMethodNotAllowed)
		case m.Method == "tools/call":
			call(w, r)
		case answers[m.Method] != "":
			w.Header().Set("Content-Type", "application/json")
			if m.Method == "initialize" {
				w.Header().Set("Mcp-Session-Id", fmt.Sprint(sessions.Add(1)))
			}
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, answers[m.Method])
		case m.ID != nil:
			w.WriteHeader(http.StatusBadRequest)
		default:
			w.WriteHeader(http.StatusAccepted)
		}
	}))
	t.Cleanup(server.Close)
	return Server{Name: "r", URL: server.URL + "/mcp", Allow: allowing(t, server), Timeout: 20 * time.Second}, server, sessions
}

func TestTOL96AStatusSaysWhatBecameOfTheCall(t *testing.T) {
	for name, c := range map[string]struct { // order-free: each is a world of its own
		status   int
		body     string
		want     tool.Result
		sessions int32 // afterwards
	}{
		"refused":                 {401, "no token", tool.Invalid("the server r refuses the call: it answers HTTP 401 Unauthorized: no token"), 1},
		"refused as a protocol":   {400, `{"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"no x"}}`, tool.Invalid("the server r refuses the call: no x"), 1},
		"a worthless token":       {401, "", tool.Invalid(`the server r refuses the call: it answers HTTP 401 Unauthorized; it asks for: Bearer error="invalid_token", error_description="expired", Basic`), 1},
		"moved":                   {307, "", tool.Failed("the server r gave no answer: it answers HTTP 307 Temporary Redirect; no redirect is followed, and this one leads to the same address with a / at its end; its outcome is unknown: check before you repeat it"), 1},
		"a session's end":         {404, "who?", tool.Nothing("the server r is not up, and is being started again: it answers HTTP 404 Not Found: who?"), 2},
		"as other servers say":    {400, `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no valid session"}}`, tool.Nothing("the server r is not up, and is being started again: it answers HTTP 400 Bad Request: no valid session"), 2},
		"a broken gateway":        {502, "<html>sorry</html>", tool.Failed("the server r gave no answer: it answers HTTP 502 Bad Gateway; its outcome is unknown: check before you repeat it"), 1},
		"too many calls":          {429, "slower", tool.Nothing("the server r does not take the call now: it answers HTTP 429 Too Many Requests: slower; it asks to wait: 30 s"), 1},
		"too many, as a protocol": {429, `{"jsonrpc":"2.0","id":3,"error":{"code":-32000,"message":"slower"}}`, tool.Nothing("the server r does not take the call now: it answers HTTP 429 Too Many Requests: slower; it asks to wait: 30 s"), 1},
		"overloaded":              {503, "", tool.Failed("the server r gave no answer: it answers HTTP 503 Service Unavailable; it asks to wait: 30 s; its outcome is unknown: check before you repeat it"), 1},
		"a failure":               {500, `{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"boom"}}`, tool.Failed("the server r gave no answer: it answers HTTP 500 Internal Server Error: boom; its outcome is unknown: check before you repeat it"), 1},
	} {
		t.Run(name, func(t *testing.T) {
			s, _, sessions := web(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", http.DetectContentType([]byte(c.body)))
				if c.status == 429 || c.status == 503 {
					w.Header().Set("Retry-After", "30")
				}
				if c.body == "" && c.status == 401 {
					w.Header()["Www-Authenticate"] = []string{`Bearer error="invalid_token", error_description="expired"`, "Basic"}
				}
				w.Header().Set("Location", "/mcp/")
				w.WriteHeader(c.status)
				_, _ = io.WriteString(w, c.body)
			}, nil)
			w := newWorld(t, nil, brief(), s)
			if got := w.call("r_act", ""); got != c.want {
				t.Errorf("it is %+v, not %+v", got, c.want)
			}
			w.until(func() bool { return w.States()[0].Up && sessions.Load() == c.sessions })
		})
	}
}

func TestTOL93AReasonSaysWhereARedirectLeads(t *testing.T) {
	for location, want := range map[string]string{ // order-free: each is a server of its own
		"":                              "",
		"http://[::bad":                 "",
		"mcp/?key=secret":               "the same address with a / at its end",
		"/s":                            "the same address without the / at its end",
		"/s/other":                      "another path of the same host",
		"https://127.0.0.1/s/":          "the same host with https",
		"http://127.0.0.1:8080/s/":      "the same host at port 8080",
		"https://u:p@a.example/secret/": "https://a.example/…",
	} {
		asked := "http://127.0.0.1/s/"
		if location == "mcp/?key=secret" {
			asked = "http://127.0.0.1/mcp"
		}
		r := remoteVia(trip(func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: http.StatusPermanentRedirect, Header: http.Header{"Location": {location}}, Body: http.NoBody}, nil
		}), nil, usual(), func(error) {})
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, asked, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize"}`))
		if err != nil {
			t.Fatal(err)
		}
		text := "it answers HTTP 308 Permanent Redirect"
		if want != "" {
			text += "; no redirect is followed, and this one leads to " + want
		}
		if _, err := r.RoundTrip(req); err == nil || err.Error() != text {
			t.Errorf("%q: %v, want %q", location, err, text)
		}
	}
}

// A server forgets a session that was idle, and the call that meets this is tried again soon.
func TestTOL95AForgottenSessionIsBegunAgainAtOnce(t *testing.T) {
	var calls atomic.Int32
	s, _, sessions := web(t, func(w http.ResponseWriter, _ *http.Request) {
		if calls.Add(1) == 1 {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		w.WriteHeader(http.StatusForbidden)
	}, nil)
	p := brief()
	p.least, p.settled = time.Hour, 0
	w := newWorld(t, nil, p, s)
	if got := w.call("r_act", ""); !got.Nothing {
		t.Errorf("got %+v; want Nothing", got)
	}
	w.until(func() bool { return w.States()[0].Up && sessions.Load() == 2 })
	if got := w.call("r_act", ""); !got.Invalid || calls.Load() != 2 {
		t.Errorf("got %+v after %d calls; want that the server refuses the second", got, calls.Load())
	}
}

func TestTOL96AnAnswerOverHTTPThatIsNotAMessageCostsOneCall(t *testing.T) {
	for name, c := range map[string]struct{ kind, body, want string }{ // order-free: each is a world of its own
		"a page":       {"text/html; charset=utf-8", "<html>sign in</html>", "it answers HTTP 200 with text/html, not with a message of the protocol"},
		"garbage":      {"application/json", "{oops", "its answer is not a message of the protocol"},
		"nothing":      {"application/json", "", "its answer is not a message of the protocol"},
		"half":         {"application/json", "", "its answer cannot be read: unexpected EOF"},
		"a text as id": {"application/json", `{"jsonrpc":"2.0","id":"3","result":{}}`, "its answer has another id than the request"},
		"a request":    {"application/json", `{"jsonrpc":"2.0","id":3,"method":"ping"}`, "its answer has another id than the request"},
		"too long":     {"application/json", strings.Repeat(" ", 64<<20+2), "its answer is longer than 67108864 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			s, _, sessions := web(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", c.kind)
				if name == "half" {
					w.Header().Set("Content-Length", "100")
				}
				_, _ = io.WriteString(w, c.body)
			}, nil)
			w := newWorld(t, nil, brief(), s)
			if got := w.call("r_act", ""); got != tool.Failed("the server r gave no answer: %s; its outcome is unknown: check before you repeat it", c.want) {
				t.Errorf("it is %+v", got)
			}
			if n := sessions.Load(); n != 1 || !w.States()[0].Up {
				t.Errorf("%d sessions, %+v", n, w.States())
			}
		})
	}
}

func TestTOL96AStreamOfEventsCostsOneCall(t *testing.T) {
	result := func(id string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"result":{"content":[{"type":"text","text":"done"}]}}`
	}
	done := tool.Result{Text: "done"}
	none := func(why string) tool.Result {
		return tool.Failed("the server r gave no answer: its stream of events %s; its outcome is unknown: check before you repeat it", why)
	}
	continued := func(status int, body string) func(http.ResponseWriter, string) {
		return func(w http.ResponseWriter, id string) {
			w.WriteHeader(status)
			_, _ = io.WriteString(w, strings.ReplaceAll(body, "ID", id))
		}
	}
	for name, c := range map[string]struct { // order-free: each is a world of its own
		events string // ID: the id of the request
		again  []func(w http.ResponseWriter, id string)
		want   tool.Result
	}{
		"cut":                  {": hello\n\n", nil, none("ends without the answer")},
		"garbage":              {"oops\n\ndata: {oops\n\ndata: 1\n\ndata\n\n", nil, none("ends without the answer; events that are no messages of the protocol: 3")},
		"another's answer":     {"data: " + result("77") + "\n\n", nil, none("ends without the answer")},
		"garbage, and then it": {"oops\nretry\n\ndata: {oops\n\ndata: " + result("ID") + "\n\n", nil, done},
		"a byte order mark":    {"\uFEFFdata: " + result("ID") + "\r\n\r\n", nil, done},
		"several lines":        {"event: message\ndata: " + strings.ReplaceAll(result("ID"), ":{", ":{\ndata:") + "\n\n", nil, done},
		"without its last end": {"data: " + result("ID"), nil, done},
		"nested too deep": {"id: 1\ndata: " + strings.Replace(result("ID"), "{", `{"deep":`+deep+`,`, 1) + "\n\n", nil,
			tool.Failed("the server r gave no answer: its answer is nested more than 1000 deep; its outcome is unknown: check before you repeat it")},
		"too long": {"data: " + strings.Repeat("x", 15<<20) + "\n\n", nil, none("ends without the answer: an event is longer than 15728640 bytes")},
		"too many requests": {"id: 1\n" + strings.Repeat(`data: {"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n\n", 1001) + "data: " + result("ID") + "\n\n", nil,
			none("ends without the answer: it has sent more than 1000 requests")},
		"continued": {"id: 1\nretry: 1\n\n", []func(http.ResponseWriter, string){
			continued(502, "sorry"), continued(200, "oops\n\n"), continued(200, "data: "+result("ID")+"\n\n"),
		}, done},
		"not continued": {"id: 1\nretry: 1\n\n", []func(http.ResponseWriter, string){continued(405, "")},
			none("was cut, and when it is opened again the server answers HTTP 405 Method Not Allowed")},
		"a half event is not passed over": {"id: 1\nretry: 1\n\nid: 2\ndata: {", []func(http.ResponseWriter, string){continued(200, "data: "+result("ID")+"\n\n")}, done},
	} {
		t.Run(name, func(t *testing.T) {
			var id, last atomic.Value
			var opened atomic.Int32
			s, at, sessions := web(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream")
				_, _ = io.WriteString(w, strings.ReplaceAll(c.events, "ID", id.Load().(string)))
			}, nil)
			plain := at.Config.Handler
			at.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodGet && r.Header.Get("Last-Event-ID") != "" {
					last.Store(r.Header.Get("Last-Event-ID"))
					w.Header().Set("Content-Type", "text/event-stream")
					c.again[opened.Add(1)-1](w, id.Load().(string))
					return
				}
				body, _ := io.ReadAll(r.Body)
				var m message
				if json.Unmarshal(body, &m) == nil && m.Method == "tools/call" {
					id.Store(string(m.ID))
				}
				r.Body = io.NopCloser(bytes.NewReader(body))
				plain.ServeHTTP(w, r)
			})
			w := newWorld(t, nil, brief(), s)
			if got := w.call("r_act", ""); got != c.want {
				t.Errorf("it is %+v, not %+v", got, c.want)
			}
			if n := sessions.Load(); n != 1 || !w.States()[0].Up || int(opened.Load()) != len(c.again) || last.Load() != nil && last.Load() != "1" {
				t.Errorf("%d sessions, continued %d times after %v, %+v", n, opened.Load(), last.Load(), w.States())
			}
		})
	}
}

func TestTOL96ARefusedMessageWithoutAnAnswerCostsNothing(t *testing.T) {
	refused := make(chan struct{})
	var calls atomic.Int32
	s, at, sessions := web(t, func(w http.ResponseWriter, r *http.Request) {
		if calls.Add(1) > 1 {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, `data: {"jsonrpc":"2.0","id":"p","method":"ping"}`+"\n\n")
		_ = http.NewResponseController(w).Flush()
		select {
		case <-refused:
		case <-r.Context().Done():
		}
	}, nil)
	plain := at.Config.Handler
	at.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		plain.ServeHTTP(w, r) // it refuses the answer to its ping
		if bytes.Contains(body, []byte(`"id":"p"`)) {
			close(refused)
		}
	})
	w := newWorld(t, nil, brief(), s)
	if got := w.call("r_act", ""); !strings.HasPrefix(got.Text, "the server r gave no answer: its stream of events ends without the answer") {
		t.Errorf("it is %+v", got)
	}
	for range 5 {
		if got := w.call("r_act", ""); !got.Invalid || sessions.Load() != 1 {
			t.Errorf("afterwards it is %+v in %d sessions", got, sessions.Load())
		}
	}
}

func TestTOL96AnAnswerThatNamesAnotherSessionIsAnAnswer(t *testing.T) {
	s, at, sessions := web(t, nil, nil)
	plain := at.Config.Handler
	at.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var m message
		if json.Unmarshal(body, &m) == nil && m.Method == "tools/call" {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Mcp-Session-Id", "another")
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"of %s"}]}}`, m.ID, r.Header.Get("Mcp-Session-Id"))
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		plain.ServeHTTP(w, r)
	})
	w := newWorld(t, nil, brief(), s)
	for range 2 {
		if got := w.call("r_act", ""); got != (tool.Result{Text: "of 1"}) || sessions.Load() != 1 {
			t.Errorf("it is %+v in %d sessions", got, sessions.Load())
		}
	}
}

func TestTOL96AServerAtAnAddressThatEndsIsNoticed(t *testing.T) {
	s, at, _ := web(t, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, nil)
	w := newWorld(t, nil, brief(), s)
	if got := w.call("r_act", ""); got.Nothing || !strings.HasSuffix(got.Text, "EOF; its outcome is unknown: check before you repeat it") {
		t.Errorf("during the call: %+v", got)
	}
	w.until(func() bool { return w.States()[0].Up })
	at.Close()
	if got := w.call("r_act", ""); !got.Nothing || !strings.HasSuffix(got.Text, "connection refused") {
		t.Errorf("after its end: %+v", got)
	}
	w.until(func() bool { return !w.States()[0].Up })
}

func TestTOL93AStreamThatIsCutIsOpenedAgain(t *testing.T) {
	var opened atomic.Int32
	s, _, sessions := web(t, nil, func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "retry: 1\n\n")
		opened.Add(1)
	})
	w := newWorld(t, nil, brief(), s)
	w.until(func() bool { return opened.Load() >= 10 })
	if n := sessions.Load(); n != 1 || !w.States()[0].Up {
		t.Errorf("%d sessions, %+v", n, w.States())
	}
}

func TestTOL93AStreamThatSaysOrMeetsAnythingIsOpenedAgain(t *testing.T) {
	var opened atomic.Int32
	s, _, sessions := web(t, nil, func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "text/event-stream")
		switch opened.Add(1) % 4 {
		case 0:
			w.WriteHeader(http.StatusBadGateway)
		case 1:
			_, _ = io.WriteString(w, "retry: 1\n\noops\n\ndata: {oops\n\n")
		case 2:
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, "retry: 1\n\n<html>")
		case 3:
			_, _ = io.WriteString(w, "retry: 1\n\n"+strings.Repeat("x", 16<<20))
		}
	})
	w := newWorld(t, nil, brief(), s)
	w.until(func() bool { return opened.Load() >= 9 })
	if n := sessions.Load(); n != 1 || !w.States()[0].Up {
		t.Errorf("%d sessions, %+v", n, w.States())
	}
}

// passed returns what is left of a stream.
func passed(t *testing.T, stream string) string {
	t.Helper()
	r := remoteVia(trip(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: io.NopCloser(strings.NewReader(stream))}, nil
	}), nil, pace{least: time.Second}, func(error) {})
	answer, err := (&http.Client{Transport: r}).Get("http://127.0.0.1/mcp")
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestTOL93AStreamIsNotOpenedAgainAtOnce(t *testing.T) {
	if got := passed(t, "retry: 1\n\nretry: 5000\nid: 1\n\nretry: soon\n\n"); got != "retry: 1000\n\nid: 1\nretry: 5000\n\n" {
		t.Errorf("got %q; want %q", got, "retry: 1000\n\nid: 1\nretry: 5000\n\n")
	}
}

func TestTOL93ALastLineThatFillsABufferIsRead(t *testing.T) {
	message := `{"jsonrpc":"2.0","method":"x"}`
	if got := passed(t, "data:"+strings.Repeat(" ", 4096-len("data:"+message))+message); got != "data: "+message+"\n\n" {
		t.Errorf("got %q; want %q", got, "data: "+message+"\n\n")
	}
}

func TestTOL93AServerOf2026IsListenedToAgain(t *testing.T) {
	var opened, cut atomic.Int32
	s := offering(&sdk.Tool{Name: "a"})
	handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, &sdk.StreamableHTTPOptions{Stateless: true})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Mcp-Method") != "subscriptions/listen" {
			handler.ServeHTTP(w, r)
			return
		}
		switch n := opened.Add(1); {
		case n == 1:
			w.WriteHeader(http.StatusBadGateway)
		case n == 2:
			w.WriteHeader(http.StatusTooManyRequests)
		case n <= 5: // without an answer
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, `data: {"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{}}}`+"\n\n")
			cut.Add(1)
		default:
			if n == 6 { // nobody is told
				s.AddTool(&sdk.Tool{Name: "b", InputSchema: json.RawMessage(`{"type":"object"}`)}, nil)
			}
			handler.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(server.Close)
	w := newWorld(t, nil, brief(), Server{Name: "r", URL: server.URL, Allow: allowing(t, server), Timeout: 20 * time.Second})
	w.until(func() bool { return slices.Equal(names(w.Tools(nil)), []string{"r_a", "r_b"}) })
	s.AddTool(&sdk.Tool{Name: "c", InputSchema: json.RawMessage(`{"type":"object"}`)}, nil)
	w.until(func() bool { return len(w.Tools(nil)) == 3 })
	if cut.Load() != 3 || !w.States()[0].Up {
		t.Errorf("cut %d times; the servers are %+v", cut.Load(), w.States())
	}
}

// An argument that a header is to repeat is repeated each time that a call is sent, also after its
// server's question (TOL-97).
func TestTOL93EachSendingOfACallRepeatsArguments(t *testing.T) {
	s := sdk.NewServer(&sdk.Implementation{Name: "k"}, nil)
	const schema = `{"type":"object","properties":{"place":{"type":"string","x-mcp-header":"Place"},"at":{"type":"object","properties":{"hour":{"type":"integer","x-mcp-header":"Hour"}}},` +
		`"sure":{"type":"boolean","x-mcp-header":"Sure"},"id":{"type":"integer","x-mcp-header":"Id"},"left":{"type":"string","x-mcp-header":"Left"}}}`
	s.AddTool(&sdk.Tool{Name: "ask", InputSchema: json.RawMessage(schema)}, func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		if r.Params.InputResponses["q"] == nil {
			return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{"q": &sdk.ElicitParams{Message: "Now?", RequestedSchema: json.RawMessage(`{"type":"object"}`)}}}, nil
		}
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "done"}}}, nil
	})
	handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, &sdk.StreamableHTTPOptions{Stateless: true})
	var mu sync.Mutex
	var sent []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Mcp-Method") == "tools/call" {
			var line string
			for _, name := range []string{"Place", "Hour", "Sure", "Id", "Left"} {
				line += strings.Join(r.Header.Values("Mcp-Param-"+name), ",") + ";"
			}
			mu.Lock()
			sent = append(sent, line)
			mu.Unlock()
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	w := newWorld(t, nil, brief(), Server{Name: "r", URL: server.URL, Allow: allowing(t, server), Timeout: 20 * time.Second})
	for _, c := range []struct{ args, want string }{
		{`{"place":"Oslo","at":{"hour":-7},"sure":false}`, "Oslo;-7;false;;;"},
		{`{"place":"Ærø","id":9007199254740991,"left":" =?base64?x?="}`, "=?base64?w4Zyw7g=?=;;;9007199254740991;=?base64?ID0/YmFzZTY0P3g/PQ==?=;"},
		{`{"place":"=?base64?x?="}`, "=?base64?PT9iYXNlNjQ/eD89?=;;;;;"},
	} {
		sent = nil
		call := fsm.RunTool{Name: "r_ask", Key: c.args, Args: c.args}
		asked := w.tool("r_ask").Run(t.Context(), call)
		call.Approved = true
		if got := w.tool("r_ask").Run(t.Context(), call); got.Text != "done" || asked.Asks == "" {
			t.Errorf("%s: %+v after %+v", c.args, got, asked)
		}
		if !slices.Equal(sent, []string{c.want, c.want}) {
			t.Errorf("%s: sent were %q, want twice %q", c.args, sent, c.want)
		}
	}
}

// TOL-93: a redirect is an answer, wherever it leads; an error would have the library open the
// stream again for ever.
func TestTOL93ARedirectThatCannotBeReadIsAnAnswer(t *testing.T) {
	r := remoteVia(trip(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusFound, Header: http.Header{"Location": {"http://[::bad"}}, Body: http.NoBody}, nil
	}), nil, pace{least: time.Millisecond}, func(error) {})
	guard := egress.Guard{}
	client := guard.Client(time.Second)
	client.Transport = r
	answer, err := client.Get("http://127.0.0.1/mcp")
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	if answer.StatusCode != http.StatusFound {
		t.Errorf("it is %s", answer.Status)
	}
}

// trip is a transport.
type trip func(*http.Request) (*http.Response, error)

func (f trip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// Neither a stop nor a reload waits long for a server that does not answer the end of its session.
func TestTOL95AServerThatDoesNotAnswerTheEndIsNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := remoteVia(trip(func(req *http.Request) (*http.Response, error) {
			<-req.Context().Done()
			return nil, req.Context().Err()
		}), nil, usual(), func(error) {})
		req, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, "http://127.0.0.1/mcp", nil)
		if err != nil {
			t.Fatal(err)
		}
		begun := time.Now() // virtual time
		if _, err := r.RoundTrip(req); !errors.Is(err, context.DeadlineExceeded) || time.Since(begun) != usual().grace {
			t.Errorf("got %v after %v; want it given up after %v", err, time.Since(begun), usual().grace)
		}
	})
}
