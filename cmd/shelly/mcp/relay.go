package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
)

// lineBytesMax is the longest message, in bytes.
const lineBytesMax = 16 << 20

// send sends a message to the daemon.
type send = func(ctx context.Context, header http.Header, message []byte) (*http.Response, error)

// relay relays messages between a client's lines and the daemon.
type relay struct {
	send  send
	ended sync.WaitGroup // the unfinished requests

	mu      sync.Mutex
	out     io.Writer
	version string // from the server's answer to initialize, in versions of the protocol that have it
}

// message has the parts of a message that the relay reads.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name   string `json:"name"`
		TaskID string `json:"taskId"`
		Meta   struct {
			Version string `json:"io.modelcontextprotocol/protocolVersion"`
		} `json:"_meta"`
	} `json:"params"`
	Result struct {
		Version string `json:"protocolVersion"`
	} `json:"result"`
}

// read relays each line of the client. Requests run concurrently; initialize and notifications
// are finished before the next line is sent.
func (r *relay) read(ctx context.Context, in io.Reader) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, lineBytesMax)
	for lines.Scan() {
		line := bytes.Clone(bytes.TrimSpace(lines.Bytes()))
		if len(line) == 0 {
			continue
		}
		var m message
		if err := json.Unmarshal(line, &m); err != nil {
			r.write(problem(json.RawMessage("null"), -32700, "the line is not a JSON-RPC message"))
			continue
		}
		if m.Method == "initialize" || len(m.ID) == 0 {
			r.pass(ctx, m, line)
			continue
		}
		r.ended.Go(func() { r.pass(ctx, m, line) })
	}
	return lines.Err()
}

// pass sends a message and writes the answers.
func (r *relay) pass(ctx context.Context, m message, line []byte) {
	response, err := r.send(ctx, r.header(m), line)
	if err != nil {
		if len(m.ID) > 0 && m.Method != "" && ctx.Err() == nil {
			r.write(problem(m.ID, -32603, err.Error()))
		}
		return
	}
	defer response.Body.Close()
	answered := false
	each := func(data []byte) {
		var a message
		answered = answered || json.Unmarshal(data, &a) == nil && bytes.Equal(a.ID, m.ID) && a.Method == ""
		r.write(data)
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
			text = "shelly stopped before it answered; ask again: " + err.Error()
		}
		r.write(problem(m.ID, code, text))
	}
}

// header returns the headers that repeat parts of a message, as the protocol requires over
// HTTP.
func (r *relay) header(m message) http.Header {
	h := http.Header{}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case m.Params.Meta.Version != "":
		h.Set("MCP-Protocol-Version", m.Params.Meta.Version)
		h.Set("Mcp-Method", m.Method)
		if name := m.Params.Name + m.Params.TaskID; name != "" {
			h.Set("Mcp-Name", name)
		}
	case r.version != "":
		h.Set("MCP-Protocol-Version", r.version)
	}
	return h
}

// write writes a message as a line.
func (r *relay) write(data []byte) {
	var line bytes.Buffer
	if json.Compact(&line, data) != nil {
		return
	}
	var m message
	_ = json.Unmarshal(data, &m)
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
	var m struct {
		Version string `json:"jsonrpc"`
		Error   struct {
			Message, Hint string
		}
	}
	if json.Unmarshal(body, &m) == nil && m.Version != "" {
		each(body)
		return nil
	}
	if m.Error.Message != "" {
		return fmt.Errorf("%s; %s", m.Error.Message, m.Error.Hint)
	}
	if text := strings.TrimSpace(string(body)); response.StatusCode == http.StatusBadRequest && text != "" {
		if strings.HasPrefix(text, unknownMethod) {
			return &refusal{-32601, "method not found" + strings.TrimPrefix(text, unknownMethod)}
		}
		return &refusal{-32600, text}
	}
	return nil
}

// unknownMethod begins the text with which the protocol's library refuses a method that it does
// not know.
const unknownMethod = "JSON RPC not handled"

// refusal is a request that was refused in words, and not in a message of the protocol.
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
