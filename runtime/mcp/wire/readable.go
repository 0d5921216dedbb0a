package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// nestedMax is how deep the library reads a message.
const nestedMax = 1000

// Why an answer is not one that the library could read.
var (
	errNested    = fmt.Errorf("its answer is nested more than %d deep", nestedMax)
	errNoMessage = errors.New("its answer is not a message of the protocol")
)

// Messages returns the messages in a program's line, each by itself, and how many of them are requests. It drops what is none: the
// library would end the session, and with it all calls. An error takes the place of an answer that is
// nested too deep, so that only its call fails.
func Messages(line []byte) (messages [][]byte, requests int) {
	list := []json.RawMessage{line}
	if bytes.HasPrefix(line, []byte("[")) && json.Unmarshal(line, &list) != nil {
		return nil, 0
	}
	for _, m := range list {
		if read, err := jsonrpc.DecodeMessage(m); err == nil && json.Valid(m) {
			messages = append(messages, m)
			if Requests(read) {
				requests++
			}
		} else if id := nested(m); id != nil {
			messages = append(messages, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`, id, jsonrpc.CodeInternalError, errNested))
		}
	}
	return messages, requests
}

// unreadable returns why a message is not the answer to the request with an id.
func unreadable(m []byte, id json.RawMessage) error {
	if of := nested(m); of != nil && bytes.Equal(of, id) {
		return errNested
	}
	return errNoMessage
}

// nested returns the id of an answer that is nested too deep, or nil. It reads token by token, which
// no depth ends.
func nested(m []byte) (id json.RawMessage) {
	d := json.NewDecoder(bytes.NewReader(m))
	d.UseNumber()
	depth, deepest := 0, 0
	var top []any // the keys and values of the object, without what is in them
	for {
		t, err := d.Token()
		if err != nil && (err != io.EOF || depth > 0 || deepest <= nestedMax) {
			return nil
		}
		if err != nil {
			break
		}
		switch t {
		case json.Delim('}'), json.Delim(']'):
			depth--
			continue
		}
		if depth == 1 {
			top = append(top, t)
		}
		if _, opens := t.(json.Delim); opens {
			depth++
			deepest = max(deepest, depth)
		}
	}
	fields := map[any]any{}
	for i := 1; i < len(top); i += 2 {
		fields[top[i-1]] = top[i]
	}
	if fields["jsonrpc"] != "2.0" || fields["method"] != nil {
		return nil
	}
	switch of := fields["id"].(type) {
	case json.Number:
		return json.RawMessage(of)
	case string:
		id, _ = json.Marshal(of)
	}
	return id
}
