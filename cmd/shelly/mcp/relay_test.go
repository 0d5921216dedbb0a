package mcp

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"testing/synctest"

	"shelly/runtime/comm/client"
	"shelly/runtime/comm/idempotency"
	"shelly/runtime/front/mcpserver"
)

// reply is a response of the daemon.
func reply(kind, body string) *http.Response {
	return &http.Response{Status: "200 OK", Header: http.Header{"Content-Type": {kind}}, Body: io.NopCloser(strings.NewReader(body))}
}

func relayed(t *testing.T, in string, send send) string {
	t.Helper()
	read, write := io.Pipe()
	var out bytes.Buffer
	ended := make(chan error, 1)
	go func() {
		err := serve(t.Context(), send, read, &out)
		_ = read.Close() // whoever still writes learns it
		ended <- err
	}()
	for _, line := range strings.SplitAfter(in, "\n") {
		_, _ = io.WriteString(write, line)
	}
	_ = write.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	return out.String()
}

// Who closes the input without reading the output, and without closing it, does not keep the process.
func TestCLI194WhoNoLongerReadsDoesNotHoldUpTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out, to := io.Pipe()
		answers := func(context.Context, http.Header, []byte) (*http.Response, error) {
			return reply("application/json", `{"jsonrpc":"2.0","id":1,"result":{}}`), nil
		}
		if err := serve(t.Context(), answers, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`), to); err != nil {
			t.Error(err)
		}
		_ = out.Close() // as the end of the process does
	})
}

// What is neither a request nor a notification nor an answer is answered: its sender may wait.
func TestCLI194AMessageThatIsNoneIsAnswered(t *testing.T) {
	for _, line := range []string{"null", "{}", `{"jsonrpc":"2.0","method":5}`, `{"jsonrpc":"2.0","params":{}}`} {
		got := relayed(t, line+"\n", func(context.Context, http.Header, []byte) (*http.Response, error) { return reply("", ""), nil })
		if want := `{"error":{"code":-32600,"message":"the message has neither a method nor an id"},"id":null,"jsonrpc":"2.0"}` + "\n"; got != want {
			t.Errorf("%s: written is %q, want %q", line, got, want)
		}
	}
}

func TestCLI194MessagesArePassedOnWithTheHeadersThatTheProtocolWants(t *testing.T) {
	var seen []string
	got := relayed(t, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","method":"notifications/x","params":{"name":"n","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}
{"jsonrpc":"2.0","method":"notifications/x\n","params":{"name":"n\nX: y","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28\r"}}}
not JSON
`, func(_ context.Context, h http.Header, message []byte) (*http.Response, error) {
		seen = append(seen, fmt.Sprint(h.Get("MCP-Protocol-Version"), " ", h.Get("Mcp-Method"), " ", h.Get("Mcp-Name")))
		if bytes.Contains(message, []byte("initialize\"")) {
			return reply("text/event-stream", ": hello\n\nevent: message\ndata: {\"jsonrpc\":\"2.0\",\n"+
				"data: \"id\":1,\"result\":{\"protocolVersion\":\"2025-11-25\"}}\n\n"), nil
		}
		return reply("", ""), nil
	})
	want := `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25"}}` + "\n" +
		`{"error":{"code":-32700,"message":"the line is not a JSON-RPC message"},"id":null,"jsonrpc":"2.0"}` + "\n"
	if got != want {
		t.Errorf("written is %s", got)
	}
	if headers := []string{"  ", "2025-11-25  ", "2026-07-28 notifications/x n", "=?base64?MjAyNi0wNy0yOA0=?= =?base64?bm90aWZpY2F0aW9ucy94Cg==?= =?base64?bgpYOiB5?="}; fmt.Sprint(seen) != fmt.Sprint(headers) {
		t.Errorf("the headers are %q", seen)
	}
}

func TestCLI194ARefusedRequestGetsTheReason(t *testing.T) {
	for _, c := range []struct {
		line, body string
		status     int
		want       string
	}{
		{`{"jsonrpc":"2.0","id":1,"method":"x/y"}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"method not found"}}`, 200, `"id":1,"error":{"code":-32601,"message":"method not found"}`},
		{`{"jsonrpc":"2.0","id":1,"method":"x/y"}`, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"too long"}}`, 413, `"code":-32600,"message":"too long"},"id":1,`},
		{`{"jsonrpc":"2.0","id":1,"method":"x/y"}`, `{"error":{"code":"not_found","message":"no such route"}}`, 404, `"message":"the running shelly does not serve clients of this protocol; set comm.mcp`},
		{`{"jsonrpc":"2.0","id":1,"method":"x/y"}`, ``, 400, `"code":-32603,"message":"shelly did not answer (400 Bad Request)"},"id":1,`},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[1]}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"send an object"}}`, 400, `"id":1,"error":{"code":-32602,`},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":7}}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"send a text"}}`, 400, `"id":1,"error":{"code":-32602,`},
	} {
		send := func(context.Context, http.Header, []byte) (*http.Response, error) {
			r := reply("application/json", c.body)
			r.StatusCode, r.Status = c.status, fmt.Sprint(c.status, " ", http.StatusText(c.status))
			return r, nil
		}
		read, write := io.Pipe()
		out, to := io.Pipe()
		go func() { _ = serve(t.Context(), send, read, to); _ = to.Close() }()
		_, _ = io.WriteString(write, c.line+"\n")
		lines := bufio.NewScanner(out)
		if !lines.Scan() || !strings.Contains(lines.Text(), c.want) {
			t.Errorf("%s: written is %s", c.line, lines.Text())
		}
		_ = write.Close()
	}
}

// Each request has a connection to the daemon, which drops some if there are too many.
func TestCLI194OnlySoManyRequestsAreUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const all = 3 * atOnce
		var under atomic.Int32
		answer := make(chan struct{})
		send := func(_ context.Context, _ http.Header, message []byte) (*http.Response, error) {
			under.Add(1)
			defer under.Add(-1)
			<-answer
			return reply("application/json", strings.Replace(string(message), `"method":"x"`, `"result":{}`, 1)), nil
		}
		var in strings.Builder
		for i := range all {
			fmt.Fprintf(&in, `{"jsonrpc":"2.0","id":%d,"method":"x"}`+"\n", i)
		}
		var out bytes.Buffer
		ended := make(chan error, 1)
		go func() { ended <- serve(t.Context(), send, strings.NewReader(in.String()), &out) }()
		for answered := range all {
			synctest.Wait()
			if got, want := int(under.Load()), min(atOnce, all-answered); got != want {
				t.Fatalf("%d are under way after %d answers; want %d", got, answered, want)
			}
			answer <- struct{}{}
		}
		if err := <-ended; err != nil || strings.Count(out.String(), `"result":{}`) != all {
			t.Errorf("%v: %d answers", err, strings.Count(out.String(), `"result":{}`))
		}
	})
}

// An id may be written in several ways.
func TestCLI194AnAnswerIsRecognizedByItsID(t *testing.T) {
	got := relayed(t, `{"jsonrpc":"2.0","id":"\u00e9","method":"initialize"}
{"jsonrpc":"2.0","id":1.0,"method":"initialize"}
`, func(_ context.Context, _ http.Header, message []byte) (*http.Response, error) {
		id := "1"
		if bytes.Contains(message, []byte("u00e9")) {
			id = `"é"`
		}
		return reply("application/json", `{"jsonrpc":"2.0","id":`+id+`,"result":{}}`), nil
	})
	if want := `{"jsonrpc":"2.0","id":"é","result":{}}` + "\n" + `{"jsonrpc":"2.0","id":1,"result":{}}` + "\n"; got != want {
		t.Errorf("written is %s", got)
	}
}

// A request always gets an answer, and the next one is tried again.
func TestCLI194ARequestThatNobodyAnswersGetsAnError(t *testing.T) {
	for name, send := range map[string]send{ // order-free: each is alone
		"nothing answers": func(context.Context, http.Header, []byte) (*http.Response, error) {
			return nil, errors.New("shelly is not running")
		},
		"the daemon is killed": func(context.Context, http.Header, []byte) (*http.Response, error) {
			return reply("text/event-stream", "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}\n\n"), nil
		},
		"shelly refuses it": func(context.Context, http.Header, []byte) (*http.Response, error) {
			return reply("application/json", `{"error":{"code":"busy","message":"shelly is not running","hint":"later"}}`), nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			read, write := io.Pipe()
			out, to := io.Pipe()
			go func() { _ = serve(t.Context(), send, read, to); _ = to.Close() }()
			lines := bufio.NewScanner(out)
			for id := range 2 {
				fmt.Fprintf(write, `{"jsonrpc":"2.0","id":%d,"method":"tools/list"}`+"\n", id)
				for answered := false; !answered && lines.Scan(); {
					answered = strings.Contains(lines.Text(), `"error"`)
					if answered && !strings.Contains(lines.Text(), fmt.Sprintf(`"id":%d`, id)) {
						t.Errorf("answered is %s", lines.Text())
					}
				}
			}
			_ = write.Close()
		})
	}
}

// An answer to another request, or to none, is not the one that the client waits for.
func TestCLI194AnAnswerToAnotherRequestIsNone(t *testing.T) {
	for _, other := range []string{`{"jsonrpc":"2.0","id":2,"result":{}}`, `{"jsonrpc":"2.0","id":"1","result":{}}`, `{"jsonrpc":"2.0","id":null,"result":{}}`, `{"jsonrpc":"2.0","result":{}}`} {
		got := relayed(t, `{"jsonrpc":"2.0","id":1,"method":"initialize"}`+"\n", func(context.Context, http.Header, []byte) (*http.Response, error) {
			return reply("text/event-stream", "data: "+other+"\n\n"), nil
		})
		if !strings.Contains(got, `"error"`) || !strings.Contains(got, `"id":1,`) && !strings.Contains(got, `"id":1}`) {
			t.Errorf("%s: written is %s; want an error for the request", other, got)
		}
	}
}

// What the daemon has accepted continues after its next start, so the client must not ask again.
func TestCLI194ARequestThatTheDaemonMayHaveAcceptedIsNamed(t *testing.T) {
	for how, last := range map[string]func() (*http.Response, error){ // order-free: each is alone
		"before the answer": func() (*http.Response, error) { return nil, fmt.Errorf("ask shelly: %w", client.ErrBroken) },
		"in the answer": func() (*http.Response, error) {
			return &http.Response{Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: io.NopCloser(iotest.ErrReader(io.ErrUnexpectedEOF))}, nil
		},
	} {
		for arguments, id := range map[string]string{`{"text":"do it"}`: "", `{"text":"do it","id":"m1"}`: "m1"} { // order-free: each is alone
			key := make(chan string, 1)
			send := func(_ context.Context, h http.Header, _ []byte) (*http.Response, error) {
				key <- h.Get(idempotency.Header)
				return last()
			}
			read, write := io.Pipe()
			out, to := io.Pipe()
			go func() { _ = serve(t.Context(), send, read, to); _ = to.Close() }()
			_, _ = io.WriteString(write, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","arguments":`+arguments+"}}\n")
			lines := bufio.NewScanner(out)
			lines.Scan()
			_ = write.Close()
			sent := <-key
			if named := cmp.Or(id, sent); named == "" || id != "" && sent != "" || !strings.Contains(lines.Text(), "request "+named+", the request is kept") {
				t.Errorf("%s, %s: the key is %q and the answer %s", how, arguments, sent, lines.Text())
			}
		}
	}
}

// A client that has cancelled a request gets no answer to it, and the daemon learns which it was.
func TestCLI194ACancelledRequestIsNotAnswered(t *testing.T) {
	asked, answered := make(chan string, 1), make(chan struct{})
	var named []string
	send := func(_ context.Context, h http.Header, message []byte) (*http.Response, error) {
		name := h.Get(mcpserver.ClientHeader)
		switch {
		case bytes.Contains(message, []byte("tools/call")):
			asked <- name
			<-answered
			return reply("application/json", `{"jsonrpc":"2.0","id":1,"result":{}}`), nil
		case bytes.Contains(message, []byte("notifications/cancelled")):
			named = append(named, <-asked, name)
			close(answered)
		}
		return reply("", ""), nil
	}
	got := relayed(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call"}
{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}
`, send)
	if got != "" {
		t.Errorf("written is %s", got)
	}
	if len(named) != 2 || named[0] == "" || named[0] != named[1] {
		t.Errorf("the client's name was %q", named)
	}
}

func TestCLI194ALineTooLongIsAnsweredAndTheNextOneIsRead(t *testing.T) {
	got := relayed(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+strings.Repeat("x", lineBytesMax)+`"}}
{"jsonrpc":"2.0","id":2,"method":"initialize"}
`, func(context.Context, http.Header, []byte) (*http.Response, error) {
		return reply("application/json", `{"jsonrpc":"2.0","id":2,"result":{}}`), nil
	})
	want := `{"error":{"code":-32600,"message":"the message is longer than 16777216 bytes"},"id":1,"jsonrpc":"2.0"}` + "\n" + `{"jsonrpc":"2.0","id":2,"result":{}}` + "\n"
	if got != want {
		t.Errorf("written is %s", got)
	}
}

// Versions of the protocol that have batches require them to be understood.
func TestCLI194ABatchIsAnsweredByABatch(t *testing.T) {
	for version, want := range map[string]string{ // order-free: each is alone
		"2025-03-26": `[{"jsonrpc":"2.0","id":2,"result":{}}]`,
		"2025-06-18": `{"error":{"code":-32600,"message":"this version of the protocol has no batches; send each message as a line"},"id":null,"jsonrpc":"2.0"}`,
	} {
		got := relayed(t, `{"jsonrpc":"2.0","id":1,"method":"initialize"}
[{"jsonrpc":"2.0","method":"notifications/initialized"},{"jsonrpc":"2.0","id":2,"method":"ping"}]
`, func(_ context.Context, _ http.Header, message []byte) (*http.Response, error) {
			switch {
			case bytes.Contains(message, []byte(`"initialize"`)):
				return reply("application/json", `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"`+version+`"}}`), nil
			case bytes.Contains(message, []byte(`"ping"`)):
				return reply("application/json", `{"jsonrpc":"2.0","id":2,"result":{}}`), nil
			}
			return reply("", ""), nil
		})
		if _, got, _ := strings.Cut(got, "\n"); got != want+"\n" {
			t.Errorf("%s: written is %s", version, got)
		}
	}
}
