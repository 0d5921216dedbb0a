package client

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// readEvents reads an SSE stream and calls take with its events and their ids until take returns
// false or the stream ends. It calls alive for each line, comments included.
func readEvents[E any](r io.Reader, alive func(), take func(id string, e E) bool) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, answerBytesMax)
	var data []byte
	id := ""
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
		if len(line) > 0 || len(data) == 0 {
			continue // a comment, or a field that adds nothing to data
		}
		var e E
		if err := json.Unmarshal(data, &e); err != nil {
			return fmt.Errorf("read an event: %w", err)
		}
		data = nil
		if !take(id, e) {
			return nil
		}
	}
	return lines.Err()
}
