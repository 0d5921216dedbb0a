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
	errBroken    = errors.New("its answer is not JSON on one line")
)

// Messages returns the messages in a program's line, each by itself, and how many of them are requests. It drops what is none: the
// library would end the session, and with it all calls. An error takes the place of an answer that is
// nested too deep or is not JSON, such as one with NaN, so that only its call fails, and at once.
func Messages(line []byte) (messages [][]byte, requests int) {
	list := []json.RawMessage{line}
	inPlace := func(id json.RawMessage, why error) {
		messages = append(messages, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`, id, jsonrpc.CodeInternalError, why))
	}
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
			inPlace(id, errNested)
		} else if id := broken(m); id != nil {
			inPlace(id, errBroken)
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
	top, deepest, err := tokens(m)
	if err != io.EOF || deepest <= nestedMax {
		return nil
	}
	_, id = answered(top)
	return id
}

// broken returns the id of an answer whose result, or error, is not JSON, or nil.
func broken(m []byte) (id json.RawMessage) {
	top, _, err := tokens(m)
	if err == io.EOF {
		return nil
	}
	if holds, id := answered(top); holds {
		return id
	}
	return nil
}

// tokens reads a text token by token, which no depth ends, and returns the keys and values of its object,
// without what is in them, how deep it is nested, and the error at its end, which is io.EOF if it is JSON.
func tokens(m []byte) (top []any, deepest int, err error) {
	d := json.NewDecoder(bytes.NewReader(m))
	d.UseNumber()
	depth := 0
	for {
		t, err := d.Token()
		if err == io.EOF && depth > 0 {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return top, deepest, err
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
}

// answered returns the id of the message with some keys and values, or nil if it is no answer, and
// whether these have a result or an error.
func answered(top []any) (holds bool, id json.RawMessage) {
	fields := map[any]any{}
	for i := 1; i < len(top); i += 2 {
		fields[top[i-1]] = top[i]
	}
	if len(top)%2 == 1 { // the value of the last cannot be read
		fields[top[len(top)-1]] = ""
	}
	if fields["jsonrpc"] != "2.0" || fields["method"] != nil {
		return false, nil
	}
	switch of := fields["id"].(type) {
	case json.Number:
		id = json.RawMessage(of)
	case string:
		id, _ = json.Marshal(of)
	}
	return fields["result"] != nil || fields["error"] != nil, id
}
