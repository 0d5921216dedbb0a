package wire

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"slices"
)

// The private names of standard methods, for which the library passes on all parameters and
// answers.
const (
	own            = "shelly/"
	methodGreet    = own + "initialize"
	methodCall     = own + "call"
	methodList     = own + "list"
	methodListen   = own + "listen"
	methodCallTask = own + "task" // at a server: a call that its client wants as a task
)

// named are the standard names of those methods.
var named = map[string]string{
	methodGreet: "initialize", methodCall: "tools/call", methodList: "tools/list", methodListen: "subscriptions/listen", methodCallTask: "tools/call",
}

// envelope is a message of which only the method matters.
type envelope struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params,omitempty"`
}

// outgoing returns a message with the standard name of its method.
func outgoing(message []byte) (_ []byte, e envelope) {
	if !bytes.Contains(message, []byte(`"`+own)) {
		_ = json.Unmarshal(message, &e)
		return message, e
	}
	if json.Unmarshal(message, &e) != nil || named[e.Method] == "" {
		return message, e
	}
	e.Method = named[e.Method]
	changed, err := json.Marshal(e)
	if err != nil {
		return message, e
	}
	return changed, e
}

// Writer passes on the messages that the library writes to a program, each with its
// standard name, and calls answered after each that is an answer. It relies on the library writing a
// message and its line end in one call.
func Writer(to io.WriteCloser, answered func()) io.WriteCloser { return writer{to, answered} }

type writer struct {
	io.WriteCloser
	answered func()
}

func (w writer) Write(p []byte) (int, error) {
	line, end := bytes.CutSuffix(p, []byte("\n"))
	changed, e := outgoing(line)
	if end {
		changed = append(slices.Clip(changed), '\n')
	}
	if _, err := w.WriteCloser.Write(changed); err != nil {
		return 0, err
	}
	if e.Method == "" {
		w.answered()
	}
	return len(p), nil
}

// Headers of a request that repeat what its message says, since 2026-07-28.
const (
	methodHeader = "Mcp-Method"
	nameHeader   = "Mcp-Name"
)

// standard gives the message in a request to a server its standard name, and sets the headers that
// repeat its content.
func standard(req *http.Request) (e envelope, err error) {
	body, err := io.ReadAll(req.Body)
	_ = req.Body.Close()
	if err != nil {
		return e, err
	}
	changed, e := outgoing(body)
	if req.Header.Get(methodHeader) != "" {
		req.Header.Set(methodHeader, HeaderText(e.Method))
		if name := e.name(); name != "" {
			req.Header.Set(nameHeader, HeaderText(name))
		}
		repeat(req)
	}
	req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(changed)), int64(len(changed))
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(changed)), nil }
	return e, nil
}

// name is the value of the header Mcp-Name for one of these messages.
func (e envelope) name() string {
	var p struct{ Name, TaskID string }
	if json.Unmarshal(e.Params, &p) != nil {
		return ""
	}
	switch e.Method {
	case "tools/call":
		return p.Name
	case MethodGet, MethodResult, MethodCancel, MethodUpdate:
		return p.TaskID
	}
	return ""
}
