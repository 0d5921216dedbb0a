package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestTOL98AMethodOfOurOwnLeavesUnderItsStandardName(t *testing.T) {
	for in, want := range map[string]string{ // order-free: each is written alone
		`{"jsonrpc":"2.0","id":1,"method":"shelly/call","params":{"name":"a"}}`:                          `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":{"method":"shelly/call"}}}`: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":{"method":"shelly/call"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"shelly/other"}`:                                               `{"jsonrpc":"2.0","id":1,"method":"shelly/other"}`,
		`{"jsonrpc":"2.0","id":1,"result":{"text":"\"shelly/call\""}}`:                                   `{"jsonrpc":"2.0","id":1,"result":{"text":"\"shelly/call\""}}`,
	} {
		var out bytes.Buffer
		n, err := Writer(closer{&out}, func() {}).Write([]byte(in + "\n"))
		if err != nil || n != len(in)+1 || out.String() != want+"\n" {
			t.Errorf("%s becomes %s, %d, %v", in, out.String(), n, err)
		}
	}
}

type closer struct{ io.Writer }

func (closer) Close() error { return nil }

// The headers that repeat what a message says are those of the message that is sent.
func TestTOL98TheHeadersSayWhatTheMessageSays(t *testing.T) {
	for body, want := range map[string][2]string{ // order-free: each is sent alone
		`{"jsonrpc":"2.0","id":1,"method":"shelly/call","params":{"name":"deploy"}}`:    {"tools/call", "deploy"},
		`{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"taskId":"t1"}}`:        {"tasks/get", "t1"},
		`{"jsonrpc":"2.0","id":1,"method":"shelly/call","params":{"name":"a\nX: b"}}`:   {"tools/call", "=?base64?YQpYOiBi?="},
		`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"file:/x"}}`: {"resources/read", "kept"},
	} {
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
		r.Header.Set(methodHeader, "shelly/call")
		r.Header.Set(nameHeader, "kept")
		if _, err := standard(r); err != nil {
			t.Fatal(err)
		}
		sent, _ := io.ReadAll(r.Body)
		if got := [2]string{r.Header.Get(methodHeader), r.Header.Get(nameHeader)}; got != want || !json.Valid(sent) || r.ContentLength != int64(len(sent)) {
			t.Errorf("%s is sent as %s with %q", body, sent, got)
		}
	}
}

// A client gets a method of our own by asking for a task, and not by its name.
func TestTOL98WhatAClientSendsIsDistinguished(t *testing.T) {
	for in, method := range map[string]string{ // order-free: each is read alone
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","task":{"ttl":5}}}`: methodCallTask,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","task":null}}`:      "tools/call",
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}`:                  "tools/call",
		`{"jsonrpc":"2.0","id":1,"method":"shelly/task","params":{"name":"a"}}`:                 "unknown/shelly/task",
		`no JSON`: "",
	} {
		got := incoming([]byte(in))
		var e envelope
		if _ = json.Unmarshal(got, &e); e.Method != method {
			t.Errorf("%s: got %s, want the method %q", in, got, method)
		}
	}
}

func TestTOL98BothFormsOfATaskAreRead(t *testing.T) {
	for in, want := range map[string]string{ // order-free: each is read alone
		`{"task":{"taskId":"t1","status":"working","pollInterval":5000}}`:                            "t1 working 5s",
		`{"resultType":"task","taskId":"t1","status":"working","pollIntervalMs":20,"ttlMs":null}`:    "t1 working 20ms",
		`{"content":[{"type":"text","text":"x"}],"structuredContent":{"task":{"taskId":"no task"}}}`: "a result",
		`{"resultType":"input_required","inputRequests":{"q":{"method":"elicitation/create"}}}`:      "asks",
	} {
		var o outcome
		if err := json.Unmarshal([]byte(in), &o); err != nil {
			t.Fatal(err)
		}
		got := ""
		switch {
		case o.Task != nil:
			got = o.Task.ID + " " + string(o.Task.Status) + " " + o.Task.Poll.String()
		case o.Result != nil:
			got = "a result"
		case o.Asks["q"].Method == "elicitation/create":
			got = "asks"
		}
		if got != want {
			t.Errorf("%s is read as %q", in, got)
		}
	}
}

// A deep schema that has an argument repeated at each of its levels takes memory by its length, and
// not by the square of it: a server may list many such tools.
func TestTOL93TheHeadersOfADeepSchemaTakeNoMoreThanItsLength(t *testing.T) {
	takes := func(levels int) uint64 {
		schema := []byte(strings.Repeat(`{"x-mcp-header":"h","properties":{"a":`, levels) + "{}" + strings.Repeat("}}", levels))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if found := repeats(schema); len(found) != levels-1 {
			t.Fatalf("%d of %d are found", len(found), levels-1)
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	if few, many := takes(400), takes(4000); many > 20*few {
		t.Errorf("%d bytes with 400 levels and %d with 4000", few, many)
	}
}

// What is sent in two bytes may take a thousand times as many, and as much time, to read.
func TestTOL93AListIsReadInPart(t *testing.T) {
	many := func(name, item string, n int) []byte {
		return []byte(`{"` + name + `":[` + strings.TrimSuffix(strings.Repeat(item+",", n), ",") + `]}`)
	}
	for _, n := range []int{itemsMax, itemsMax + 1, 10 * itemsMax} {
		for _, item := range []string{`{}`, `1`, `{"name":"a"}`} {
			for _, name := range []string{"tools", "Tools"} {
				var l list
				if err := l.UnmarshalJSON(many(name, item, n)); err != nil || len(l.Tools) != itemsMax {
					t.Errorf("of %d tools %s %d are read (%v)", n, item, len(l.Tools), err)
				}
			}
		}
		for _, item := range []string{`{"type":"text","text":"a"}`, `{}`} {
			r, err := Result(many("content", item, n))
			if err != nil || len(r.Content) != min(n, itemsMax+1) {
				t.Fatalf("of %d items %s of content, %+v are read (%v)", n, item, r, err)
			}
			last, is := r.Content[len(r.Content)-1].(*sdk.TextContent)
			if !is || (last.Text == "[more than 10000 items of content; the others are not shown]") != (n > itemsMax) {
				t.Errorf("of %d items %s the last is %+v", n, item, last)
			}
		}
	}
}

// What is known of tools is that of two lists: a server may change all names each time. While a list is read
// again, the tools on its later pages are still called as before.
func TestTOL94OnlyTheLatestListsAreKept(t *testing.T) {
	c := &Client{offered: true}
	read := func(cursor string, tools ...string) {
		l := &list{modes: map[string]mode{}}
		for _, name := range tools {
			l.modes[name] = mode{tasks: true}
		}
		next := func(context.Context, string, sdk.Request) (sdk.Result, error) { return l, nil }
		if _, err := c.looks(next)(t.Context(), "tools/list", &sdk.ClientRequest[*sdk.ListToolsParams]{Params: &sdk.ListToolsParams{Cursor: cursor}}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 10 {
		read("", fmt.Sprint("a", i), "stays")
		if i > 0 && !c.mode(fmt.Sprint("b", i-1)).tasks {
			t.Errorf("list %d: a tool of the second page is unknown while the first is read", i)
		}
		read("more", fmt.Sprint("b", i))
	}
	if known := len(c.latest) + len(c.before); known != 6 {
		t.Errorf("%d tools are kept: %v, %v", known, c.latest, c.before)
	}
	read("", "a9")
	if c.mode("a8").tasks || !c.mode("b9").tasks || !c.mode("stays").tasks {
		t.Errorf("known are %v, %v", c.latest, c.before)
	}
}

// Of a line that is no message, and may have millions of keys, only what tells an answer is kept.
func TestTOL92NoLineMakesMuchOfItself(t *testing.T) {
	var line strings.Builder
	line.WriteString(`{"jsonrpc":"2.0"`)
	for i := range 1000 {
		fmt.Fprintf(&line, `,"k%d":{"id":%d}`, i, i)
	}
	line.WriteString(`,"id":"a","result":NaN}`)
	o := outlined([]byte(line.String()))
	if want := map[string]any{"jsonrpc": "2.0", "id": "a", "result": ""}; !maps.Equal(o.fields, want) {
		t.Errorf("kept are %d: %v", len(o.fields), o.fields)
	}
	if got := string(o.broken()); got != `"a"` {
		t.Errorf("got %s", got)
	}
}
