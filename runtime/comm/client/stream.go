package client

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"shelly/runtime/comm"
)

// readEvents reads an SSE stream and calls take with its events and their ids until take returns
// false or the stream ends. It calls alive for each line, comments included. If the daemon says why it
// ends the stream, the error is an [Error], and otherwise ErrBroken.
func readEvents[E any](r io.Reader, alive func(), take func(id string, e E) bool) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, answerBytesMax)
	var data []byte
	id, name := "", ""
	for lines.Scan() {
		alive()
		line := lines.Bytes()
		if text, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			data = append(data, bytes.TrimPrefix(text, []byte(" "))...)
			continue
		}
		if text, ok := bytes.CutPrefix(line, []byte("id:")); ok {
			id = string(bytes.TrimPrefix(text, []byte(" ")))
			continue
		}
		if text, ok := bytes.CutPrefix(line, []byte("event:")); ok {
			name = string(bytes.TrimPrefix(text, []byte(" ")))
			continue
		}
		if len(line) > 0 || len(data) == 0 {
			continue // a comment, or a field that adds nothing to data
		}
		if name == comm.EndError {
			var p comm.ProblemBody
			if err := json.Unmarshal(data, &p); err != nil {
				return fmt.Errorf("%w: read why the stream ends: %w", ErrBroken, err)
			}
			return &Error{p.Error}
		}
		var e E
		if err := json.Unmarshal(data, &e); err != nil {
			return fmt.Errorf("%w: read an event: %w", ErrBroken, err)
		}
		data, name = nil, ""
		if !take(id, e) {
			return nil
		}
	}
	return errors.Join(ErrBroken, lines.Err())
}
