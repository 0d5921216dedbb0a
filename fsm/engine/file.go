package engine

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	"shelly/fsm"
)

// recordLine is a record as a line of a journal file.
type recordLine struct {
	Index   uint64          `json:"index"`
	Effects string          `json:"effects"` // 16 hexadecimal digits
	Input   json.RawMessage `json:"input"`
}

// lineMax bounds a line of a journal file in bytes.
const lineMax = 64 << 20

// ReadRecords reads a journal file: one JSON object a line, with the index, the hash
// of the effects, and the input in its wire form (JRN-15). The committed journals are
// such files (JRN-18). An error names the line.
func ReadRecords(r io.Reader) ([]Record, error) {
	var records []Record
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, lineMax)
	for n := 1; lines.Scan(); n++ {
		var l recordLine
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			return nil, fmt.Errorf("line %d is no record: %w", n, err)
		}
		effects, err := strconv.ParseUint(l.Effects, 16, 64)
		if err != nil {
			return nil, fmt.Errorf("line %d: effects wants 16 hexadecimal digits, not %q", n, l.Effects)
		}
		in, err := fsm.UnmarshalInput(l.Input)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		records = append(records, Record{Index: l.Index, Input: in, Effects: effects})
	}
	return records, lines.Err()
}
