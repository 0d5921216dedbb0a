package chat

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"shelly/cmd/shelly/chat/editor"
	"shelly/runtime/durable"
)

const (
	// pastFile is the file in the data folder that keeps what was asked, one JSON string per line.
	pastFile = "chat_history"
	// pastLineMax is the longest text that is kept, in bytes; pastBytesMax the longest file,
	// which is cut to the newest lines at a start.
	pastLineMax  = 16 << 10
	pastBytesMax = 1 << 20
	// escapedMax is how many bytes one byte of a line takes at most in JSON, as "<" does.
	escapedMax = len(`\u003c`)
)

// loadPast returns what was asked before, the newest last. A file that cannot be read is
// treated as missing: it is a convenience, and the journal has everything.
func loadPast(data string) []string {
	name := filepath.Join(data, pastFile)
	raw, err := os.ReadFile(name)
	if err != nil {
		return nil
	}
	var lines []string
	scan := bufio.NewScanner(bytes.NewReader(raw))
	scan.Buffer(nil, escapedMax*pastLineMax+len("\"\"\r\n"))
	for scan.Scan() {
		var line string
		if json.Unmarshal(scan.Bytes(), &line) == nil {
			lines = append(lines, line)
		}
	}
	over := max(len(lines)-editor.PastMax, 0)
	lines = lines[over:]
	if len(raw) > pastBytesMax || over > editor.PastMax {
		lines = newest(lines)
		_ = writePast(name, lines)
	}
	return lines
}

// newest returns those of the lines, from the last one back, that the file has room for.
func newest(lines []string) []string {
	left := pastBytesMax
	for i := len(lines) - 1; i >= 0; i-- {
		if left -= len(pastLine(lines[i])); left < 0 {
			return lines[i+1:]
		}
	}
	return lines
}

// writePast replaces the file.
func writePast(name string, lines []string) error {
	var b bytes.Buffer
	for _, line := range lines {
		b.Write(pastLine(line))
	}
	return durable.Text(name, b.Bytes())
}

// keepPast appends a line to the file, which only its owner may read.
func keepPast(data, line string) error {
	if len(line) > pastLineMax {
		return nil
	}
	f, err := os.OpenFile(filepath.Join(data, pastFile), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if errors.Is(err, fs.ErrNotExist) { // the data folder is gone
		return nil
	}
	if err != nil {
		return err
	}
	_, err = f.Write(pastLine(line))
	return errors.Join(err, f.Close())
}

func pastLine(line string) []byte {
	raw, _ := json.Marshal(line) // a string is always JSON
	return append(raw, '\n')
}
