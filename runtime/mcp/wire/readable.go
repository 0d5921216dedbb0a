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
		} else if o := outlined(m); o.nested() != nil {
			inPlace(o.nested(), errNested)
		} else if id := o.broken(); id != nil {
			inPlace(id, errBroken)
		}
	}
	return messages, requests
}

// unreadable returns why a message is not the answer to the request with an id.
func unreadable(m []byte, id json.RawMessage) error {
	if of := outlined(m).nested(); of != nil && bytes.Equal(of, id) {
		return errNested
	}
	return errNoMessage
}

// outline is what a text that may be no message shows of one, of whatever size.
type outline struct {
	fields  map[string]any // the values of a message's own keys, without what is in them; "" for one that cannot be read
	deepest int            // how deep it is nested
	end     error          // io.EOF if it is JSON
}

// outlined reads a text token by token, which no depth ends.
func outlined(m []byte) outline {
	o := outline{fields: map[string]any{}}
	d := json.NewDecoder(bytes.NewReader(m))
	d.UseNumber()
	depth, key, named := 0, "", false
	for {
		t, err := d.Token()
		if err == io.EOF && depth > 0 {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			o.end = err
			return o
		}
		switch t {
		case json.Delim('}'), json.Delim(']'):
			depth--
			continue
		}
		if depth == 1 {
			var value any = ""
			if named = !named; named {
				key, _ = t.(string)
			} else {
				value = t
			}
			switch key {
			case "jsonrpc", "method", "id", "result", "error":
				o.fields[key] = value
			}
		}
		if _, opens := t.(json.Delim); opens {
			depth++
			o.deepest = max(o.deepest, depth)
		}
	}
}

// nested returns the id of an answer that is nested too deep, or nil.
func (o outline) nested() (id json.RawMessage) {
	if o.end != io.EOF || o.deepest <= nestedMax {
		return nil
	}
	return o.answered()
}

// broken returns the id of an answer whose result, or error, is not JSON, or nil.
func (o outline) broken() (id json.RawMessage) {
	if o.end == io.EOF || o.fields["result"] == nil && o.fields["error"] == nil {
		return nil
	}
	return o.answered()
}

// answered returns the id of an answer, or nil if it is none.
func (o outline) answered() (id json.RawMessage) {
	if o.fields["jsonrpc"] != "2.0" || o.fields["method"] != nil {
		return nil
	}
	switch of := o.fields["id"].(type) {
	case json.Number:
		id = json.RawMessage(of)
	case string:
		id, _ = json.Marshal(of)
	}
	return id
}
