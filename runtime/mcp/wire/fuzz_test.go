package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// Whatever a server streams, the library gets events of messages only, and an answer to the request
// unless the stream can be continued (TOL-93).
func FuzzEvents(f *testing.F) {
	for _, text := range []string{
		"data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n", "id: 7\nretry: 1\n\n", "data: {\"jsonrpc\":\"2.0\",\ndata: \"id\":1,\"result\":{}}\n\n",
		"event: ping\ndata: 1\n\n", "\uFEFFdata: {}", ": \n\n", "retry: -9223372036854775808\nid: a\rb\n\n", "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}} x\n\n", "data: [{\"jsonrpc\":\"2.0\",\"method\":\"a\"}]\n\n",
		"data: {\"jsonrpc\":\"2.0\",\"method\":\"a\"}\r\n\r\ndata: {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		of := &awaited{id: json.RawMessage("1")}
		e := newEvents(io.NopCloser(bytes.NewReader(in)), of, 0)
		out, err := io.ReadAll(e)
		if err != nil && !errors.Is(err, errEvent) {
			t.Fatal(err)
		}
		answered := false
		for line := range strings.SplitSeq(string(out), "\n") {
			field, value, _ := strings.Cut(line, ": ")
			switch {
			case field == "data":
				m, err := jsonrpc.DecodeMessage([]byte(value))
				if err != nil {
					t.Fatalf("%q is passed on: %v", line, err)
				}
				answered = answered || answers(m, of.id)
			case !slices.Contains([]string{"", "id", "retry"}, field):
				t.Errorf("%q is passed on", line)
			}
		}
		if !answered && !e.resumes {
			t.Errorf("no answer in %q", out)
		}
	})
}

// Whatever a server lists, no tool costs another one (TOL-94); whatever a call returns, no item of
// its content costs another one.
func FuzzAnswers(f *testing.F) {
	for _, text := range []string{
		`{"tools":[{"name":"a","inputSchema":{"type":"object","properties":{"p":{"x-mcp-header":"P"}}}},{"name":7},null,[]],"nextCursor":"c"}`,
		`{"content":[{"type":"text","text":"a"},{"type":"new"},{"type":"image","data":"==","mimeType":1},7,null],"structuredContent":{"n":12345678901234567890}}`,
		`{"tools":null,"content":null}`, `{"tools":{}}`, `[]`, `null`, `{"CONTENT":[1],"content":[2]}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		var of map[string]json.RawMessage
		var tools, content []json.RawMessage
		_ = errors.Join(json.Unmarshal(in, &of), json.Unmarshal(of["tools"], &tools), json.Unmarshal(of["content"], &content))
		var l list
		if err := json.Unmarshal(in, &l); err == nil && len(l.Tools) < len(tools) {
			t.Errorf("%d of %d tools", len(l.Tools), len(tools))
		}
		r, err := Result(in)
		if err == nil && len(r.Content) < len(content) {
			t.Errorf("%d of %d items of content", len(r.Content), len(content))
		}
	})
}
