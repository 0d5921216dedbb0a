package mcp

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"

	"shelly/runtime/comm/client"
	"shelly/runtime/comm/idempotency"
	"shelly/runtime/front/mcpserver"
	"shelly/runtime/front/rpc"
	"shelly/runtime/mcp/wire"
)

// lineBytesMax is the longest message, in bytes.
const lineBytesMax = 16 << 20

// atOnce is how many requests are under way at once; the lines after them are read when one has its
// answer. It is more than may wait for long, so that a short one always has a place.
const atOnce = mcpserver.WaitsMax + 32

// send sends a message to the daemon.
type send = func(ctx context.Context, header http.Header, message []byte) (*http.Response, error)

// relay relays messages between a client's lines and the daemon.
type relay struct {
	send   send
	name   string         // tells its client from others, whose requests may have the same ids
	ended  sync.WaitGroup // the unfinished requests
	places chan struct{}  // a token for each of them

	mu      sync.Mutex
	calls   map[string]*call // by the ids of their requests
	out     io.Writer
	version string // from the server's answer to initialize, in versions of the protocol that have it
}

// message has the parts of a message that the relay reads.
type message struct {
	ID     json.RawMessage
	Method string
	Params struct {
		Name      string `json:"name"`
		Arguments struct {
			ID string `json:"id"`
		} `json:"arguments"`
		TaskID string          `json:"taskId"`
		CallID json.RawMessage `json:"requestId"`
		Meta   struct {
			Version string `json:"io.modelcontextprotocol/protocolVersion"`
		} `json:"_meta"`
	}
	Result struct {
		Version string `json:"protocolVersion"`
	}
	Error *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
		Hint    string `json:"hint"` // of a daemon that does not speak the protocol
	}
	request string // that a call of ask begins; the client may have left its name to shelly
}

// parse reads a message. Parts of other types count as absent: the daemon refuses them, under the
// message's id.
func parse(line []byte) (m message, err error) {
	var parts map[string]json.RawMessage
	if err := json.Unmarshal(line, &parts); err != nil {
		return m, err
	}
	m.ID = parts["id"]
	for name, to := range map[string]any{"method": &m.Method, "params": &m.Params, "result": &m.Result, "error": &m.Error} { // order-free: each is another part
		_ = json.Unmarshal(parts[name], to)
	}
	if m.Method == "tools/call" && m.Params.Name == mcpserver.ToolAsk {
		m.request = cmp.Or(m.Params.Arguments.ID, rand.Text())
	}
	return m, nil
}

// unheard words that the daemon ended before it answered a message.
func (m message) unheard(err error) string {
	next := "try again"
	if m.request != "" { // asking again would do the work twice
		next = fmt.Sprintf("if it has accepted request %s, the request is kept: after the next start call request with this id, or ask again with it", m.request)
	}
	return fmt.Sprintf("shelly stopped before it answered; %s: %v", next, err)
}

// same reports whether two ids are the same, however they are written.
func same(a, b json.RawMessage) bool {
	var one, other any
	return json.Unmarshal(a, &one) == nil && json.Unmarshal(b, &other) == nil && reflect.DeepEqual(one, other)
}

// read relays each line of the client. Requests run concurrently; initialize and notifications
// are finished before the next line is sent.
func (r *relay) read(ctx context.Context, in io.Reader) error {
	lines := rpc.NewLines(in, lineBytesMax)
	for {
		line, err := lines.Next()
		var long *rpc.Long
		switch {
		case errors.As(err, &long):
			r.write(problem(long.ID, rpc.CodeInvalid, long.Error()))
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case len(line) == 0:
		case line[0] == '[':
			r.batch(ctx, line)
		default:
			r.one(ctx, line, r.write, &r.ended)
		}
	}
}

// one relays a message; running gets what is unfinished of it.
func (r *relay) one(ctx context.Context, line []byte, write func([]byte), running *sync.WaitGroup) {
	m, err := parse(line)
	switch {
	case err != nil:
		write(problem(json.RawMessage("null"), -32700, "the line is not a JSON-RPC message"))
	case m.Method == "" && len(m.ID) == 0:
		write(problem(json.RawMessage("null"), -32600, "the message has neither a method nor an id"))
	case m.Method == "notifications/cancelled":
		r.withdraw(ctx, m, line)
	case m.Method == "initialize" || len(m.ID) == 0:
		r.pass(ctx, m, line, write)
	default:
		r.places <- struct{}{}
		within, c := r.begin(ctx, m.ID, write)
		running.Go(func() {
			defer func() { <-r.places }()
			defer r.end(m.ID, c)
			r.pass(within, m, line, c.write)
		})
	}
}

// withoutBatches is the first version of the protocol that has no batches.
const withoutBatches = "2025-06-18"

// batch relays the messages of a batch, and answers with a batch.
func (r *relay) batch(ctx context.Context, line []byte) {
	r.mu.Lock()
	known := r.version != "" && r.version < withoutBatches
	r.mu.Unlock()
	var all, answers []json.RawMessage
	err := json.Unmarshal(line, &all)
	switch {
	case err != nil:
		r.write(problem(json.RawMessage("null"), -32700, "the line is not a JSON-RPC message"))
		return
	case !known:
		r.write(problem(json.RawMessage("null"), -32600, "this version of the protocol has no batches; send each message as a line"))
		return
	case len(all) == 0:
		r.write(problem(json.RawMessage("null"), -32600, "the batch is empty"))
		return
	}
	var mu sync.Mutex
	var running sync.WaitGroup
	gather := func(data []byte) {
		if m, err := parse(data); err != nil || m.Method != "" { // not an answer
			r.write(data)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		answers = append(answers, bytes.Clone(data))
	}
	for _, message := range all {
		r.one(ctx, message, gather, &running)
	}
	r.ended.Go(func() {
		running.Wait()
		if len(answers) > 0 {
			text, _ := json.Marshal(answers) // each has been parsed
			r.write(text)
		}
	})
}

// call is an unfinished request.
type call struct {
	to       func([]byte)
	cancel   context.CancelFunc
	unwanted atomic.Bool // its client has cancelled it
}

// write writes an answer that is wanted.
func (c *call) write(data []byte) {
	if !c.unwanted.Load() {
		c.to(data)
	}
}

func (r *relay) begin(ctx context.Context, id json.RawMessage, to func([]byte)) (context.Context, *call) {
	within, cancel := context.WithCancel(ctx)
	c := &call{to: to, cancel: cancel}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls[string(id)] = c
	return within, c
}

func (r *relay) end(id json.RawMessage, c *call) {
	c.cancel()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.calls[string(id)] == c {
		delete(r.calls, string(id))
	}
}

// withdraw passes on that a client has cancelled a request, whose answer it no longer wants.
func (r *relay) withdraw(ctx context.Context, m message, line []byte) {
	r.mu.Lock()
	c := r.calls[string(m.Params.CallID)]
	r.mu.Unlock()
	if c != nil {
		c.unwanted.Store(true)
		defer c.cancel() // once the daemon knows which call it was
	}
	r.pass(ctx, m, line, r.write)
}

// pass sends a message and writes the answers.
func (r *relay) pass(ctx context.Context, m message, line []byte, write func([]byte)) {
	response, err := r.send(ctx, r.header(m), line)
	if err != nil {
		if len(m.ID) > 0 && m.Method != "" && ctx.Err() == nil {
			text := err.Error()
			if errors.Is(err, client.ErrBroken) {
				text = m.unheard(err)
			}
			write(problem(m.ID, -32603, text))
		}
		return
	}
	defer response.Body.Close()
	answered := false
	each := func(data []byte) {
		a, err := parse(data)
		answered = answered || err == nil && same(a.ID, m.ID) && a.Method == ""
		write(data)
	}
	if strings.HasPrefix(response.Header.Get("Content-Type"), "text/event-stream") {
		err = events(response.Body, each)
	} else {
		err = whole(response, each)
	}
	if !answered && len(m.ID) > 0 && m.Method != "" && ctx.Err() == nil {
		code, text := -32603, fmt.Sprintf("shelly did not answer (%s)", response.Status)
		var refused *refusal
		switch {
		case errors.As(err, &refused):
			code, text = refused.code, refused.text
		case err != nil:
			text = m.unheard(err)
		}
		write(problem(m.ID, code, text))
	}
}

// header returns the headers that repeat parts of a message, as the protocol requires over
// HTTP.
func (r *relay) header(m message) http.Header {
	h := http.Header{mcpserver.ClientHeader: {r.name}}
	set := func(name, text string) {
		if text != "" {
			h.Set(name, wire.HeaderText(text))
		}
	}
	if m.Params.Arguments.ID == "" {
		set(idempotency.Header, m.request)
	}
	if m.Params.Meta.Version != "" {
		set("MCP-Protocol-Version", m.Params.Meta.Version)
		set("Mcp-Method", m.Method)
		set("Mcp-Name", m.Params.Name+m.Params.TaskID)
		return h
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	set("MCP-Protocol-Version", r.version)
	return h
}

// write writes a message as a line.
func (r *relay) write(data []byte) {
	var line bytes.Buffer
	if json.Compact(&line, data) != nil {
		return
	}
	m, _ := parse(data)
	r.mu.Lock()
	defer r.mu.Unlock()
	if m.Result.Version != "" {
		r.version = m.Result.Version
	}
	line.WriteByte('\n')
	_, _ = r.out.Write(line.Bytes()) // a client that has stopped reading closes its end
}

// whole reads an answer that is one message, or an error of the daemon itself.
func whole(response *http.Response, each func([]byte)) error {
	body, err := io.ReadAll(io.LimitReader(response.Body, lineBytesMax))
	if err != nil {
		return err
	}
	m, err := parse(body)
	switch {
	case err != nil:
		return nil
	case m.Error == nil || len(m.ID) > 0:
		each(body)
		return nil
	case m.Error.Code == 0 && response.StatusCode == http.StatusNotFound:
		return &refusal{-32603, "the running shelly does not serve clients of this protocol; set comm.mcp to on and start it again"}
	case m.Error.Code == 0:
		return fmt.Errorf("%s; %s", m.Error.Message, m.Error.Hint)
	}
	return &refusal{m.Error.Code, m.Error.Message}
}

// refusal is an error that does not name the request that it answers.
type refusal struct {
	code int
	text string
}

func (r *refusal) Error() string { return r.text }

// events reads the messages of a stream of server-sent events.
func events(body io.Reader, each func([]byte)) error {
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, lineBytesMax)
	var data []byte
	for lines.Scan() {
		line := lines.Bytes()
		if text, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			data = append(append(data, bytes.TrimPrefix(text, []byte(" "))...), '\n')
		}
		if len(line) == 0 && len(data) > 0 {
			if json.Valid(data) {
				each(data)
			}
			data = nil
		}
	}
	return lines.Err()
}

// problem returns a JSON-RPC error.
func problem(id json.RawMessage, code int, text string) []byte {
	b, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code, "message": text}}) // the id has been parsed already
	return b
}
