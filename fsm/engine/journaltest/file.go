package journaltest

import (
	"encoding/json"
	"fmt"
	"io"

	"shelly/fsm"
	"shelly/fsm/engine"
)

// WriteRecords writes records as a journal file, which [engine.ReadRecords] reads.
func WriteRecords(w io.Writer, records []engine.Record) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	for _, r := range records {
		input, err := fsm.MarshalInput(r.Input)
		if err != nil {
			return fmt.Errorf("record %d: %w", r.Index, err)
		}
		line := struct {
			Index   uint64          `json:"index"`
			Effects string          `json:"effects"`
			Input   json.RawMessage `json:"input"`
		}{r.Index, fmt.Sprintf("%016x", r.Effects), input}
		if err := e.Encode(line); err != nil {
			return err
		}
	}
	return nil
}
