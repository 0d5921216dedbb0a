package ollama

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
)

// fuzzClient returns a client whose deadlines no test reaches.
func fuzzClient(f *testing.F) *Client {
	f.Helper()
	long := Timeouts{FirstToken: time.Hour, Idle: time.Hour, Total: time.Hour}
	c, err := New(Options{BaseURL: "http://127.0.0.1:1", Model: "m", Timeouts: long})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(c.Close)
	return c
}

// pieces returns what r holds in pieces of at most n bytes.
type pieces struct {
	r io.Reader
	n int
}

func (p pieces) Read(b []byte) (int, error) { return p.r.Read(b[:min(len(b), p.n)]) }

// streamed is the result of a response that arrives in pieces of at most n bytes.
type streamed struct {
	Answer         fsm.BrainAnswered
	Text, Thinking string // as they streamed in
	Failed         *Error
}

func streamOf(t *testing.T, c *Client, data []byte, n int) streamed {
	w := newWatch(t.Context(), c.opt.Timeouts)
	defer w.stop()
	var s streamed
	s.Answer, s.Failed = c.read(w, &http.Response{Body: io.NopCloser(pieces{bytes.NewReader(data), n})}, fsm.AskBrain{}, func(ch Chunk) {
		s.Text += ch.Text
		s.Thinking += ch.Thinking
	})
	return s
}

// isWhole reports whether lines of JSON without an error end with one that has done.
func isWhole(data []byte) bool {
	for _, line := range bytes.Split(data, []byte("\n")) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		var ch chunk
		if json.Unmarshal(bytes.ToValidUTF8(line, []byte("\uFFFD")), &ch) != nil || len(ch.Error) > 0 && string(ch.Error) != "null" {
			return false
		}
		if ch.Done {
			return true
		}
	}
	return false
}

// However the bytes of a response arrive, they make the same answer or the same error; an answer is
// complete, with distinguishable calls (BRN-1, BRN-4, BRN-5, BRN-7, BRN-11).
func FuzzStream(f *testing.F) {
	const done = `{"message":{"content":""},"done":true,"done_reason":"stop","prompt_eval_count":15,"eval_count":7}`
	for _, text := range []string{
		"", "\n\r\n", done, `{"message":{"content":"<th"}}` + "\n" + `{"message":{"content":"ink>so</think> yes"}}` + "\n" + done, `{"message":{"content":"so</think>yes"}}` + "\n" + done,
		`{"message":{"tool_calls":[{"function":{"name":"f","arguments":{"a":1}}},{"id":"call_1","function":{"name":"g","arguments":"{}"}}]}}` + "\n" + done,
		`{"error":"model 'm' not found"}`, `{"error":null,"done":true}`, "<html>", `{"message":"x"}`, `{"done":"yes"}`, "{\"message\":{\"content\":\"\xff\\ud800\"}}\n" + done,
		`{"done":true,"done_reason":"length"}` + "\n" + done, `{"done":true,"prompt_eval_count":9223372036854775807}`, `{"done":true,"eval_count":-1}`,
		`{"message":{"content":"` + strings.Repeat("a line of many pieces, ", 500) + `"}}` + "\n" + done,
	} {
		f.Add([]byte(text), uint8(3))
	}
	recordings, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(recordings) == 0 {
		f.Fatalf("no recorded answers: %v", err)
	}
	for i, name := range recordings {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		_, body, _ := bytes.Cut(data, []byte("\n\n"))
		f.Add(body, uint8(i))
	}
	c := fuzzClient(f)
	f.Fuzz(func(t *testing.T, data []byte, n uint8) {
		whole := streamOf(t, c, data, len(data)+1)
		if diff := cmp.Diff(whole, streamOf(t, c, data, int(n)+1)); diff != "" {
			t.Fatalf("whole and in pieces of %d bytes: %s", int(n)+1, diff)
		}
		filled := whole.Failed != nil && whole.Failed.Class == fsm.BrainContextTruncated // BRN-3
		if isWhole(data) != (whole.Failed == nil) && !filled {
			t.Fatalf("the response is whole: %t; the error is %v", isWhole(data), whole.Failed)
		}
		if whole.Failed != nil {
			const most = 200 + 4*excerptBytesMax // a control character is shown as four bytes
			if whole.Failed.Class == "" || whole.Failed.Reason == "" || len(whole.Failed.Reason) > most {
				t.Errorf("the error is %+v", whole.Failed)
			}
			return
		}
		a := whole.Answer
		switch {
		case a.Stop != fsm.StopEndTurn && a.Stop != fsm.StopToolUse && a.Stop != fsm.StopMaxTokens, a.Stop == fsm.StopToolUse && len(a.Calls) == 0:
			t.Errorf("stop %q with %d calls", a.Stop, len(a.Calls))
		case len(a.Text)+len(a.Thinking) > len(whole.Text)+len(whole.Thinking):
			t.Errorf("the answer has more than was streamed: %+v", whole)
		}
		ids := map[string]bool{"": true}
		for _, call := range a.Calls {
			if ids[call.ID] || call.Args == "" {
				t.Errorf("calls %+v", a.Calls)
			}
			ids[call.ID] = true
		}
		in := fsm.Input{At: 1, Fact: a}
		if before, err := fsm.MarshalInput(in); err != nil {
			t.Errorf("%+v cannot be written: %v", a, err)
		} else if back, err := fsm.UnmarshalInput(before); err != nil || !cmp.Equal(back, in) {
			t.Errorf("the journal changes the answer: %s, %v", cmp.Diff(in, back), err)
		}
	})
}
