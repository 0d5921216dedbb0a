package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"shelly/fsm/wording"
	"shelly/runtime/comm"
	"shelly/runtime/comm/idempotency"
	"shelly/runtime/front/wire"
)

// Dialect returns how the listener's problems are written for this front's path (FRT-4).
func Dialect() comm.Dialect {
	return comm.Dialect{Front: Channel, Word: func(path string) (func(*comm.Problem, int) any, bool) { return worded, path == Path }}
}

// worded is a problem of the listener, which concerns no message.
func worded(p *comm.Problem, status int) any { return refusal(nil, codeOf(status), p.Sentence()) }

// codeOf returns the code of an error with an HTTP status.
func codeOf(status int) int64 {
	if status >= http.StatusInternalServerError {
		return jsonrpc.CodeInternalError
	}
	return jsonrpc.CodeInvalidRequest
}

// refused is the answer to a message that was not carried out.
type refused struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"` // absent: of no request
	Error   *jsonrpc.Error  `json:"error"`
}

func refusal(id json.RawMessage, code int64, text string) refused {
	return refused{"2.0", id, &jsonrpc.Error{Code: code, Message: text}}
}

func (r refused) write(w http.ResponseWriter, status int) {
	body, err := json.Marshal(r)
	if err != nil {
		panic("mcpserver: encode an error: " + err.Error()) // plain texts
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n')) // an error means that the client has gone
}

// serve answers a message of a client.
func (f *Front) serve(to http.ResponseWriter, r *http.Request) error {
	body, err := io.ReadAll(http.MaxBytesReader(to, r.Body, f.o.RequestBytesMax))
	if errors.As(err, new(*http.MaxBytesError)) {
		return &comm.Problem{Code: comm.CodeTooLarge, Message: "the message is longer than " + strconv.FormatInt(f.o.RequestBytesMax, 10) + " bytes", Hint: "send less, or raise request_bytes_max in shelly's configuration"}
	}
	if err != nil {
		return comm.Broken(err, "the message", "send it again")
	}
	w := &patient{ResponseWriter: to, timeout: f.o.WriteTimeout}
	m, err := wire.Parse(body)
	if err != nil {
		refusal(nil, jsonrpc.CodeParseError, err.Error()).write(w, http.StatusBadRequest)
		return nil
	}
	id := idIn(m, "id")
	if err := check(m); err != nil {
		code := int64(jsonrpc.CodeInvalidRequest)
		if fault, ok := errors.AsType[*wire.Error](err); ok && strings.HasPrefix(fault.Param, "params") {
			code = jsonrpc.CodeInvalidParams
		}
		refusal(id, code, err.Error()).write(w, http.StatusBadRequest)
		return nil
	}
	if name := m.Member("params").Member("name").Text; id != nil && asTask(m) && name != ToolAsk {
		refusal(id, jsonrpc.CodeMethodNotFound, wording.Quote(name)+" cannot run as a task; leave task out").write(w, http.StatusOK)
		return nil
	}
	switch m.Member("method").Text {
	case "tools/call":
		if id != nil {
			called, end := f.withCall(r, id)
			defer end()
			r = called
		}
	case withdrawal:
		f.withdrawn(r, m)
	}
	if m.Member("method").Text != listening {
		r = lasting(r)
	}
	r = r.Clone(r.Context())
	if m.Kind == wire.List {
		r.Header.Del(idempotency.Header) // which of the requests would it name?
	}
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	answer := &texts{patient: w, id: id}
	f.handler.ServeHTTP(answer, r)
	answer.end()
	return nil
}

// asTask reports whether a message is a call that its client of 2025-11-25 wants as a task.
func asTask(m wire.Value) bool {
	return m.Member("method").Text == "tools/call" && m.Member("params").Member("task").Kind == wire.Object
}

// listening is the method whose answer lasts as long as the client listens.
const listening = "subscriptions/listen"

// requestIn is the context key of the context with which a message came.
type requestIn struct{}

// lasting lets the library answer a message after its client has gone or its token was revoked. It
// would drop the answer then, and wait for a tool all the same; what waits ends by itself ([visit.waiting]).
func lasting(r *http.Request) *http.Request {
	return r.WithContext(context.WithValue(context.WithoutCancel(r.Context()), requestIn{}, r.Context()))
}

// idIn returns the id of a request in a member of v as it is written, or nil.
func idIn(v wire.Value, name string) json.RawMessage {
	switch id := v.Member(name); {
	case id.Kind == wire.Number:
		return json.RawMessage(id.Text)
	case id.Kind == wire.String && id.Faithful() == nil:
		text, _ := json.Marshal(id.Text) // a text
		return text
	}
	return nil
}

// batchMax bounds a batch: each of its messages is a request of its own to the library.
const batchMax = 100

// check refuses a message whose parts are not of the protocol's types. The library would, but
// with the names of its own.
func check(m wire.Value) error {
	if m.Kind == wire.List { // a batch of the older versions; the library checks the rest of its messages
		if len(m.Items) > batchMax {
			return m.Fault("is a batch of %d messages; send at most %d at once", len(m.Items), batchMax)
		}
		for _, one := range m.Items {
			if err := checkNames(one); err != nil {
				return err
			}
		}
		return nil
	}
	if err := m.Is(wire.Object); err != nil {
		return err
	}
	params := m.Member("params")
	client := params.Member("clientInfo")
	for _, part := range []struct {
		of    wire.Value
		name  string
		kinds []wire.Kind
	}{
		{m, "jsonrpc", []wire.Kind{wire.String}}, {m, "id", []wire.Kind{wire.String, wire.Number}}, {m, "method", []wire.Kind{wire.String}}, {m, "params", []wire.Kind{wire.Object}},
		{params, "_meta", []wire.Kind{wire.Object}}, {params, "name", []wire.Kind{wire.String}}, {params, "arguments", []wire.Kind{wire.Object}},
		{params, "taskId", []wire.Kind{wire.String}}, {params, "task", []wire.Kind{wire.Object}}, {params, "inputResponses", []wire.Kind{wire.Object}}, {params, "protocolVersion", []wire.Kind{wire.String}},
		{params, "capabilities", []wire.Kind{wire.Object}}, {params, "clientInfo", []wire.Kind{wire.Object}},
		{params.Member("_meta"), "progressToken", []wire.Kind{wire.String, wire.Number}},
		{client, "name", []wire.Kind{wire.String}}, {client, "title", []wire.Kind{wire.String}}, {client, "version", []wire.Kind{wire.String}},
	} {
		if v := part.of.Member(part.name); v.Kind != wire.Null {
			if err := v.Is(part.kinds...); err != nil {
				return err
			}
		}
	}
	return checkNames(m)
}

// idMax is the largest number that the library keeps as it is.
const idMax = 1 << 53

// checkNames refuses a request whose answer the library would send under another id, or its progress
// under another token, and what has an id and is no request and no answer: its sender may wait.
func checkNames(m wire.Value) error {
	if m.Member("id").Kind != wire.Null && m.Member("method").Kind == wire.Null && !m.Has("result") && !m.Has("error") {
		return m.Fault("has an id and no method; name the method")
	}
	for _, id := range []wire.Value{m.Member("id"), m.Member("params").Member("_meta").Member("progressToken")} {
		if err := checkID(id); err != nil {
			return err
		}
	}
	return nil
}

func checkID(id wire.Value) error {
	if err := id.Faithful(); err != nil {
		return err
	}
	if id.Kind != wire.Number {
		return nil
	}
	n, err := strconv.ParseInt(id.Text, 10, 64)
	if f, other := strconv.ParseFloat(id.Text, 64); err != nil && other == nil && f == math.Trunc(f) && math.Abs(f) < idMax { // such as 1e3
		n, err = int64(f), nil
	}
	if err != nil || n < -idMax || n > idMax {
		return id.Fault("is not a whole number from -2^53 to 2^53; send such a number, or a text")
	}
	return nil
}

// texts is an answer in which what the library refuses in plain text is a message of the
// protocol.
type texts struct {
	*patient
	id     json.RawMessage
	status int // of a refusal; 0: there is none
	text   bytes.Buffer
}

// WriteHeader implements [http.ResponseWriter].
func (w *texts) WriteHeader(status int) {
	if status >= http.StatusBadRequest && strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain") {
		w.status = status
		return
	}
	w.patient.WriteHeader(status)
}

// Write implements [io.Writer].
func (w *texts) Write(b []byte) (int, error) {
	if w.status != 0 {
		return w.text.Write(b)
	}
	return w.patient.Write(b)
}

// unknownMethod begins the text with which the library refuses a method that it does not know.
const unknownMethod = "JSON RPC not handled"

// end writes a refusal. A request of an unknown method is answered like any other request.
func (w *texts) end() {
	if w.status == 0 {
		return
	}
	text, code := strings.TrimSpace(w.text.String()), codeOf(w.status)
	if rest, is := strings.CutPrefix(text, unknownMethod); is {
		code, text = jsonrpc.CodeMethodNotFound, "method not found"+rest
		if w.id != nil {
			w.status = http.StatusOK
		}
	}
	refusal(w.id, code, text).write(w.patient, w.status)
}
