package rpc

import (
	"encoding/json"
	"fmt"

	"shelly/fsm/wording"
	"shelly/runtime/front/wire"
)

// The codes of errors that the protocol names.
const (
	CodeParse    = -32700 // the line is not JSON
	CodeInvalid  = -32600 // it is not a request
	CodeMethod   = -32601 // there is no such method
	CodeParams   = -32602
	CodeInternal = -32603
	CodeUnknown  = -32002 // something named in the parameters does not exist
)

// Error is an error answer.
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

func (e *Error) Error() string { return e.Message }

// Errorf returns an [Error].
func Errorf(code int, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// outgoing is a message as it is written.
type outgoing struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  any             `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *Error          `json:"error,omitempty"`
}

// incoming is a message as it was read.
type incoming struct {
	id     json.RawMessage // nil: a notification
	method string          // empty: an answer
	params wire.Value
	result wire.Value
	err    wire.Value
}

// ID returns the id of a request as JSON; nil: it is none.
func ID(v wire.Value) (id json.RawMessage) {
	switch v.Kind {
	case wire.Number:
		id = json.RawMessage(v.Text)
	case wire.String:
		id, _ = wording.JSON(v.Text) // a text is always JSON
	}
	return id
}

// read reads a line. If it is wrong, its id is still returned if it has one.
func read(line []byte) (in incoming, wrong *Error) {
	v, err := wire.Parse(line)
	if err != nil {
		return in, Errorf(CodeParse, "%s", err)
	}
	if v.Kind != wire.Object {
		return in, Errorf(CodeInvalid, "the message is %s; send an object", v.Kind)
	}
	id := v.Member("id")
	if wrong := id.Faithful(); wrong != nil {
		return in, Errorf(CodeInvalid, "%s", wrong)
	}
	if in.id = ID(id); in.id == nil && id.Kind != wire.Null {
		return in, Errorf(CodeInvalid, "id is %s; send a number or a text", id.Kind)
	}
	if version := v.Member("jsonrpc"); version.Kind != wire.String || version.Text != "2.0" {
		switch version.Kind {
		case wire.Null, "":
			return in, Errorf(CodeInvalid, `jsonrpc is missing; send "2.0"`)
		case wire.String:
			return in, Errorf(CodeInvalid, `jsonrpc is another version; send "2.0"`)
		default:
			return in, Errorf(CodeInvalid, `jsonrpc is %s; send "2.0"`, version.Kind)
		}
	}
	method := v.Member("method")
	if method.Kind != wire.String && method.Kind != wire.Null {
		return in, Errorf(CodeInvalid, "method is %s; send a text", method.Kind)
	}
	in.method, in.params, in.result, in.err = method.Text, v.Member("params"), v.Member("result"), v.Member("error")
	switch {
	case in.method != "":
	case in.id == nil:
		return in, Errorf(CodeInvalid, "the message has neither a method nor an id")
	case !v.Has("result") && !v.Has("error"): // no answer; who sent it may wait for one
		return in, Errorf(CodeInvalid, "the message has an id and no method; name the method")
	}
	return in, nil
}
