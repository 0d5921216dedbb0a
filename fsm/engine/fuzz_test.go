package engine_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"shelly/fsm/engine"
)

// Any bytes are either an error or the lines of a journal file, which are written the same
// way each time (JRN-15).
func FuzzReadLines(f *testing.F) {
	names, err := filepath.Glob("../../sim/scenario/testdata/journals/*.jsonl")
	if err != nil || len(names) == 0 {
		f.Fatalf("no journals: %v", err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
		f.Add(data[:len(data)/2]) // cut in the middle of a line
	}
	for _, odd := range []string{
		"", "\n", "null", `{"index":1,"effects":"","input":{}}`, `{"index":-1,"effects":"0","input":null}`,
		`{"index":1,"effects":"00000000000000001","input":{"kind":"stored"}}`, "{\"index\":1,\"effects\":\"FF\",\"input\":{\"kind\":\"stored\"}}\r\n",
	} {
		f.Add([]byte(odd))
	}
	f.Add([]byte(`{"index":3,"snapshot":{"Now":7}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		lines, err := readLines(data)
		if err != nil {
			return
		}
		written := writeLines(t, lines)
		back, err := readLines(written)
		if err != nil || len(back) != len(lines) {
			t.Fatalf("%d lines, read again %d: %v", len(lines), len(back), err)
		}
		for i := range lines {
			if lines[i].Index != back[i].Index || lines[i].Record.Effects != back[i].Record.Effects || (lines[i].Snapshot == nil) != (back[i].Snapshot == nil) {
				t.Errorf("line %d of %x is read again as %d of %x", lines[i].Index, lines[i].Record.Effects, back[i].Index, back[i].Record.Effects)
			}
		}
		if again := writeLines(t, back); !bytes.Equal(written, again) {
			t.Errorf("written as %s, then as %s", written, again)
		}
	})
}

func readLines(data []byte) (lines []engine.Line, err error) {
	err = engine.ReadLines(bytes.NewReader(data), func(l engine.Line) error {
		lines = append(lines, l)
		return nil
	})
	return lines, err
}

func writeLines(t *testing.T, lines []engine.Line) []byte {
	t.Helper()
	var file bytes.Buffer
	for _, l := range lines {
		var err error
		if l.Snapshot != nil {
			err = engine.WriteSnapshot(&file, l.Index, *l.Snapshot)
		} else {
			err = engine.WriteRecord(&file, l.Record)
		}
		if err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
	}
	return file.Bytes()
}
