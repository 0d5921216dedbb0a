package engine

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"shelly/fsm"
	"shelly/fsm/state"
)

// A journal file has one JSON object per line: a record, with its index, the hash of its
// effects, and the input in its wire form (JRN-15); or a snapshot, with the index of the
// record whose step it follows. The first line is a snapshot if the journal does not begin
// at record 1. The committed journals are such files (JRN-18).

// Line is one line of a journal file.
type Line struct {
	Record   Record          // if Snapshot is nil
	Index    uint64          // of the record, or of the record that the snapshot follows
	Snapshot *state.Snapshot // nil: the line is a record
}

// recordLine is a record as it is written.
type recordLine struct {
	Index   uint64          `json:"index"`
	Effects string          `json:"effects"` // 16 hexadecimal digits
	Input   json.RawMessage `json:"input"`
}

// snapshotLine is a snapshot as it is written.
type snapshotLine struct {
	Index    uint64         `json:"index"`
	Snapshot state.Snapshot `json:"snapshot"`
}

// lineMax bounds a line of a journal file in bytes.
const lineMax = 64 << 20

// ReadLines calls fn for each line of a journal file, until it returns an error. A line
// that cannot be read is an error with its number.
func ReadLines(r io.Reader, fn func(Line) error) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, lineMax)
	n := 1
	for ; lines.Scan(); n++ {
		l, err := readLine(lines.Bytes())
		if err != nil {
			return fmt.Errorf("line %d %w", n, err)
		}
		if err := fn(l); err != nil {
			return err
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return fmt.Errorf("line %d is longer than %d bytes", n, lineMax)
	}
	return lines.Err()
}

func readLine(text []byte) (Line, error) {
	var l struct {
		recordLine
		Snapshot *state.Snapshot `json:"snapshot"`
	}
	if err := json.Unmarshal(text, &l); err != nil {
		return Line{}, fmt.Errorf("is not a record: %w", err)
	}
	if l.Snapshot != nil {
		return Line{Index: l.Index, Snapshot: l.Snapshot}, nil
	}
	effects, err := strconv.ParseUint(l.Effects, 16, 64)
	if err != nil {
		return Line{}, fmt.Errorf("is not a record: effects wants 16 hexadecimal digits, not %q", l.Effects)
	}
	in, err := fsm.UnmarshalInput(l.Input)
	if err != nil {
		return Line{}, fmt.Errorf("is not a record: %w", err)
	}
	return Line{Index: l.Index, Record: Record{Index: l.Index, Input: in, Effects: effects}}, nil
}

// ReadJournal reads a journal file. The file does not have the journal's requests, messages
// and audit records.
func ReadJournal(r io.Reader) (*MemoryJournal, error) {
	j := NewMemoryJournal()
	empty := true
	err := ReadLines(r, func(l Line) error {
		switch {
		case l.Snapshot == nil:
			j.records = append(j.records, l.Record)
		case empty:
			j = NewMemoryJournalFrom(l.Index, *l.Snapshot)
		default:
			if err := j.SaveSnapshot(l.Index, *l.Snapshot); err != nil {
				return err
			}
		}
		empty = false
		return nil
	})
	if err != nil {
		return nil, err
	}
	j.sync()
	return j, nil
}

// WriteRecord writes a record as a line.
func WriteRecord(w io.Writer, r Record) error {
	input, err := fsm.MarshalInput(r.Input)
	if err != nil {
		return fmt.Errorf("record %d: %w", r.Index, err)
	}
	return writeLine(w, recordLine{r.Index, fmt.Sprintf("%016x", r.Effects), input})
}

// WriteSnapshot writes a snapshot as a line.
func WriteSnapshot(w io.Writer, index uint64, s state.Snapshot) error {
	return writeLine(w, snapshotLine{index, s})
}

func writeLine(w io.Writer, line any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(line)
}

// WriteJournal writes what r holds from a record on up to another, as a journal file. The
// file begins with the last snapshot before from, if there is one; each further snapshot
// comes after the record whose step it follows. If from is 0, the first kept record is
// meant; if it was trimmed, the error is an ErrTrimmed, and nothing is written.
func WriteJournal(w io.Writer, r Reader, from, to uint64) error {
	kept, err := r.Kept()
	if err != nil {
		return err
	}
	if from == 0 {
		from = kept.First
	}
	if from < kept.First {
		return errTrimmed(from, kept.First)
	}
	base, snapshot, err := r.Snapshot(from - 1)
	if err != nil {
		return err
	}
	if base > 0 {
		if err := WriteSnapshot(w, base, snapshot); err != nil {
			return err
		}
	}
	later := kept.Snapshots
	err = r.Replay(base, func(record Record) error {
		if record.Index > to {
			return errWritten
		}
		if err := WriteRecord(w, record); err != nil {
			return err
		}
		for len(later) > 0 && later[0] < record.Index {
			later = later[1:]
		}
		if len(later) == 0 || later[0] != record.Index {
			return nil
		}
		index, snapshot, err := r.Snapshot(record.Index)
		if err != nil || index != record.Index {
			return err
		}
		return WriteSnapshot(w, index, snapshot)
	})
	if errors.Is(err, errWritten) {
		return nil
	}
	return err
}

// errWritten ends a replay once everything wanted is written.
var errWritten = errors.New("all is written")
