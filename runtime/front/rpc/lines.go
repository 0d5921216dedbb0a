package rpc

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"shelly/runtime/front/wire"
)

// Long is the error for a line that is beyond the bound. Reading can continue after it.
type Long struct {
	ID  json.RawMessage // of the request that it is; nil: it is none, or its beginning does not say
	max int
}

func (l *Long) Error() string { return fmt.Sprintf("the message is longer than %d bytes", l.max) }

// Lines reads lines of at most a number of bytes.
type Lines struct {
	r   *bufio.Reader
	max int
}

// NewLines returns a reader of the lines of in.
func NewLines(in io.Reader, bytesMax int) Lines {
	return Lines{bufio.NewReaderSize(in, 64<<10), bytesMax}
}

// Next returns the next line, without its end. A line that is too long is skipped: the error is a
// [Long].
func (l Lines) Next() ([]byte, error) {
	var line []byte
	var long *Long
	for {
		part, err := l.r.ReadSlice('\n')
		if long == nil {
			line = append(line, part...)
		}
		if long == nil && len(line) > l.max {
			long, line = &Long{requestID(line), l.max}, nil
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && (len(line) > 0 || long != nil): // the last line may lack its end
		case err != nil:
			return nil, err
		}
		if long != nil {
			return nil, long
		}
		return bytes.TrimSpace(line), nil
	}
}

// requestID returns the id of a request, given the beginning of its message: who sends one waits
// for the answer. An id without a method may be an answer's.
func requestID(beginning []byte) json.RawMessage {
	d := json.NewDecoder(bytes.NewReader(beginning))
	if first, err := d.Token(); err != nil || first != json.Delim('{') {
		return nil
	}
	members := map[any]json.RawMessage{}
	for d.More() {
		name, err := d.Token()
		var value json.RawMessage
		if err != nil || d.Decode(&value) != nil {
			break
		}
		members[name] = value
	}
	id, err := wire.Parse(members["id"])
	if err != nil || members["method"] == nil || id.Faithful() != nil {
		return nil
	}
	return ID(id)
}
