package engine_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"shelly/fsm/engine"
	"shelly/fsm/engine/journaltest"
)

// Whatever the bytes of a journal file are, they are an error or records that are
// written as the same file each time (JRN-15).
func FuzzReadRecords(f *testing.F) {
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
		f.Add(data[:len(data)/2]) // cut in the midst of a line
	}
	for _, odd := range []string{
		"", "\n", "null", `{"index":1,"effects":"","input":{}}`, `{"index":-1,"effects":"0","input":null}`,
		`{"index":1,"effects":"00000000000000001","input":{"kind":"stored"}}`, "{\"index\":1,\"effects\":\"FF\",\"input\":{\"kind\":\"stored\"}}\r\n",
	} {
		f.Add([]byte(odd))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		records, err := engine.ReadRecords(bytes.NewReader(data))
		if err != nil {
			if len(records) > 0 {
				t.Errorf("an error %v and %d records", err, len(records))
			}
			return
		}
		var written bytes.Buffer
		if err := journaltest.WriteRecords(&written, records); err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		back, err := engine.ReadRecords(bytes.NewReader(written.Bytes()))
		if err != nil || len(back) != len(records) {
			t.Fatalf("%d records, read again %d: %v", len(records), len(back), err)
		}
		for i := range records {
			if records[i].Index != back[i].Index || records[i].Effects != back[i].Effects {
				t.Errorf("record %d of %x is read again as %d of %x", records[i].Index, records[i].Effects, back[i].Index, back[i].Effects)
			}
		}
		var again bytes.Buffer
		if err := journaltest.WriteRecords(&again, back); err != nil || !bytes.Equal(written.Bytes(), again.Bytes()) {
			t.Errorf("written as %s, then as %s, %v", written.Bytes(), again.Bytes(), err)
		}
	})
}
