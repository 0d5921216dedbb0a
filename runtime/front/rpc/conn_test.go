package rpc_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"shelly/runtime/front/rpc"
	"shelly/runtime/front/wire"
)

// echo answers with what it was asked, and waits where it is told to.
type echo struct {
	conn *rpc.Conn

	mu    sync.Mutex
	order []string
}

func (e *echo) note(text string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.order = append(e.order, text)
}

func (e *echo) Request(_, method string, params wire.Value) (rpc.Work, error) {
	e.note(method)
	return func(ctx context.Context) (rpc.Answer, error) {
		switch method {
		case "wait":
			<-ctx.Done()
			return rpc.Answer{}, ctx.Err()
		case "fail":
			return rpc.Answer{}, errors.New("it went wrong")
		case "ask":
			said, err := e.conn.Ask(ctx, "m", map[string]int{"n": 1})
			return rpc.Answer{Result: said.Text}, err
		case "unask":
			gone, cancel := context.WithCancel(ctx)
			cancel()
			_, err := e.conn.Ask(gone, "m", nil)
			return rpc.Answer{Result: err == context.Canceled}, nil
		}
		return rpc.Answer{Result: map[string]string{"said": params.Member("text").Text}}, nil
	}, nil
}

func (e *echo) Notified(method string, _ wire.Value) { e.note(method) }

// served plays a conversation: what begins with < is awaited, anything else is sent. Then the
// input ends.
func served(t *testing.T, o rpc.Options, e *echo, lines ...string) {
	t.Helper()
	read, write := io.Pipe()
	out, to := io.Pipe()
	e.conn = rpc.New(e, to, o)
	ended := make(chan error, 1)
	go func() { ended <- e.conn.Serve(t.Context(), read); _ = to.Close() }()
	sent := make(chan string, len(lines))
	go func() { // beside it: who answers does not read meanwhile
		for line := range sent {
			_, _ = io.WriteString(write, line+"\n")
		}
		_ = write.Close()
	}()
	heard := bufio.NewScanner(out)
	for _, line := range lines {
		want, awaited := strings.CutPrefix(line, "<")
		if !awaited {
			sent <- line
		} else if !heard.Scan() || heard.Text() != want {
			t.Errorf("heard %s, not %s", heard.Text(), want)
		}
	}
	close(sent)
	for heard.Scan() {
		t.Errorf("an unexpected message: %s", heard.Text())
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestFRT45WhatIsWrongWithALineIsSaidInItsAnswer(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"nonsense", `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"the message is not JSON at byte 0"}}`},
		{`{"jsonrpc":"2.0","id":1,"id":2,"method":"x"}`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"\"id\" is given twice"}}`},
		{`[{"jsonrpc":"2.0","id":1,"method":"x"}]`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"the message is a list; send an object"}}`},
		{`{"jsonrpc":"1.0","id":1,"method":"x"}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"jsonrpc is another version; send \"2.0\""}}`},
		{`{"jsonrpc":2.0,"id":1,"method":"x"}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"jsonrpc is a number; send \"2.0\""}}`},
		{`{"id":1,"method":"x"}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"jsonrpc is missing; send \"2.0\""}}`},
		{`{"jsonrpc":"2.0","id":{},"method":"x"}`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"id is an object; send a number or a text"}}`},
		{`{"jsonrpc":"2.0","id":"a\ud800","method":"x"}`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"\"id\" holds U+FFFD, or what is read as that because it is no character, such as \\ud800 alone; send another"}}`},
		{`{"jsonrpc":"2.0","id":"a","method":7}`, `{"jsonrpc":"2.0","id":"a","error":{"code":-32600,"message":"method is a number; send a text"}}`},
		{`{"jsonrpc":"2.0","id":7}`, `{"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"the message has an id and no method; name the method"}}`},
		{`{"jsonrpc":"2.0","id":"a","method":""}`, `{"jsonrpc":"2.0","id":"a","error":{"code":-32600,"message":"the message has an id and no method; name the method"}}`},
		{`{"jsonrpc":"2.0"}`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"the message has neither a method nor an id"}}`},
		{strings.Repeat("x", 200_000), `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"the message is longer than 100 bytes"}}`},
		{`{"jsonrpc":"2.0","id":7,"method":"say","params":"` + strings.Repeat("x", 200_000), `{"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"the message is longer than 100 bytes"}}`},
		{`{"jsonrpc":"2.0","id":7,"result":"` + strings.Repeat("x", 200_000), `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"the message is longer than 100 bytes"}}`},
		{`{"jsonrpc":"2.0","id":-1.5,"method":"fail"}`, `{"jsonrpc":"2.0","id":-1.5,"error":{"code":-32603,"message":"it went wrong"}}`},
	} {
		ask := `{"jsonrpc":"2.0","id":"<1>","method":"say","params":{"text":"<&>"}}` // what follows is read
		served(t, rpc.Options{LineBytesMax: 100}, &echo{}, tt.in, "<"+tt.want, "", "  "+ask, `<{"jsonrpc":"2.0","id":"<1>","result":{"said":"<&>"}}`)
	}
}

// Who closes the input without reading the output, and without closing it, does not keep the process.
func TestFRT56WhoNoLongerReadsDoesNotHoldUpTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out, to := io.Pipe()
		e := &echo{}
		e.conn = rpc.New(e, to, rpc.Options{})
		if err := e.conn.Serve(t.Context(), strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"say"}`)); err != nil {
			t.Error(err)
		}
		_ = out.Close() // as the end of the process does
	})
}

// Lines are handled in order, even while an earlier one is still being worked on. The end of the
// input cancels the work.
func TestFRT45LinesBeginInTheirOrder(t *testing.T) {
	e := &echo{}
	served(t, rpc.Options{}, e,
		`{"jsonrpc":"2.0","id":1,"method":"wait"}`, `{"jsonrpc":"2.0","method":"first"}`,
		`{"jsonrpc":"2.0","id":2,"method":"wait"}`, `{"jsonrpc":"2.0","method":"second"}`)
	if order := strings.Join(e.order, " "); order != "wait first wait second" {
		t.Errorf("got %q; want %q", order, "wait first wait second")
	}
}

func TestFRT45OnlySoManyRequestsAreUnderWay(t *testing.T) {
	served(t, rpc.Options{AtOnce: 1}, &echo{},
		`{"jsonrpc":"2.0","id":1,"method":"wait"}`, `{"jsonrpc":"2.0","id":2,"method":"wait"}`,
		`<{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"1 requests are under way; send it again later"}}`)
}

// A question of the agent is answered by its id, or withdrawn. An answer that nobody waits for
// is dropped.
func TestFRT45TheAgentAsks(t *testing.T) {
	served(t, rpc.Options{}, &echo{},
		`{"jsonrpc":"2.0","id":5,"method":"ask"}`, `<{"jsonrpc":"2.0","id":1,"method":"m","params":{"n":1}}`,
		`{"jsonrpc":"2.0","id":7,"result":"no"}`, `{"jsonrpc":"2.0","id":1,"result":"yes"}`, `<{"jsonrpc":"2.0","id":5,"result":"yes"}`,
		`{"jsonrpc":"2.0","id":1,"result":"again"}`, `{"jsonrpc":"2.0","id":1,"result":null}`,
		`{"jsonrpc":"2.0","id":6,"method":"ask"}`, `<{"jsonrpc":"2.0","id":2,"method":"m","params":{"n":1}}`,
		`{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"there is none"}}`, `<{"jsonrpc":"2.0","id":6,"error":{"code":-32603,"message":"there is none"}}`,
		`{"jsonrpc":"2.0","id":8,"method":"unask"}`, `<{"jsonrpc":"2.0","id":3,"method":"m"}`,
		`<{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":3}}`, `<{"jsonrpc":"2.0","id":8,"result":true}`)
}
