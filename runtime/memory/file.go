package memory

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"shelly/fsm"
	"shelly/fsm/wording"
	"shelly/runtime/misfit"
)

// FileVersion is the version of the file that [Memory.Export] writes.
const FileVersion = 1

// lineBytesMax bounds a line: the longest text with each byte escaped, and a vector in base64.
const lineBytesMax = 6*TextBytesMax + 2*vectorBytesMax

// endBytesMax is more than the length of the last line.
const endBytesMax = 64

// fileHead is a file's first line, fileEnd its last.
type (
	fileHead struct {
		Version int `json:"shelly_memory"`
	}
	fileEnd struct {
		Entries int `json:"entries"` // the lines in between
	}
)

// Errors about a file as a whole.
var (
	ErrNoFile    = errors.New(`the file is not an export of a memory: its first line is not {"shelly_memory":1}`)
	ErrNewerFile = errors.New("the file was written by a newer shelly")
	ErrCutFile   = errors.New("the file ends early")
	ErrLongFile  = errors.New("the file goes on after its last line")
)

// Export writes every entry, in the order of ids, as lines of JSON:
//
//	{"shelly_memory":1}
//	{"id":…,"kind":…,"session":…,"at":…,"summary":…,"text":…,"vector":…,"model":…}
//	{"entries":1}
//
// "at" is in ms since 1970; the vector is little-endian float32 in base64. With vectors false, the
// vector and its model are left out. The last line distinguishes a whole file from a part.
func (m *Memory) Export(ctx context.Context, w io.Writer, vectors bool) error {
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	if err := out.Encode(fileHead{FileVersion}); err != nil {
		return err
	}
	n := 0
	err := m.entries.Entries(func(e fsm.Entry) error {
		if !vectors {
			e.Vector, e.Model = nil, ""
		}
		n++
		return errors.Join(ctx.Err(), out.Encode(e))
	})
	if err != nil {
		return err
	}
	return out.Encode(fileEnd{n})
}

// ReadFile calls fn for each entry of a file that Export wrote, with the number of its line, from
// 1. If the line holds no entry, bad says why. ReadFile returns the first error of fn, or one of
// those above; ErrCutFile and ErrLongFile come after all entries.
func ReadFile(r io.Reader, fn func(line int, e fsm.Entry, bad error) error) error {
	in := bufio.NewReaderSize(r, 1<<20)
	for line, entries := 1, 0; ; line++ {
		data, long, err := readLine(in)
		switch {
		case errors.Is(err, io.EOF) && line == 1:
			return ErrNoFile
		case errors.Is(err, io.EOF):
			return fmt.Errorf("%w: its last line is not {\"entries\":%d}", ErrCutFile, entries)
		case err != nil:
			return fmt.Errorf("read line %d: %w", line, err)
		case line == 1:
			if err := readHead(data); err != nil {
				return err
			}
			continue
		case !long && len(bytes.TrimSpace(data)) == 0:
			continue
		}
		if end := (fileEnd{}); len(data) <= endBytesMax && strict(data, &end) == nil {
			if end.Entries != entries {
				return fmt.Errorf("%w: it says that it has %s, but has %d", ErrCutFile, wording.Counted(end.Entries, "entry", "entries"), entries)
			}
			return over(in, line+1)
		}
		entries++
		e, bad := fsm.Entry{}, error(nil)
		if long {
			bad = fmt.Errorf("it is longer than %d bytes", lineBytesMax)
		} else {
			e, bad = ReadEntry(data)
		}
		if err := fn(line, e, bad); err != nil {
			return err
		}
	}
}

// over returns ErrLongFile if anything but empty lines follows.
func over(in *bufio.Reader, line int) error {
	for ; ; line++ {
		data, long, err := readLine(in)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("read line %d: %w", line, err)
		case long || len(bytes.TrimSpace(data)) > 0:
			return fmt.Errorf("%w, at line %d", ErrLongFile, line)
		}
	}
}

// byteOrderMark is what some editors put before the text of a file.
const byteOrderMark = "\ufeff"

func readHead(data []byte) error {
	var head fileHead
	data = bytes.TrimPrefix(data, []byte(byteOrderMark))
	switch err := json.Unmarshal(data, &head); {
	case err != nil || head.Version < 1:
		return ErrNoFile
	case head.Version > FileVersion:
		return fmt.Errorf("%w: version %d, this one reads up to %d", ErrNewerFile, head.Version, FileVersion)
	}
	return nil
}

// readLine reads a line. A line that is too long is read to its end, but only part of it is
// returned.
func readLine(in *bufio.Reader) (data []byte, long bool, err error) {
	for {
		part, err := in.ReadSlice('\n')
		if len(data)+len(part) > lineBytesMax {
			long = true
		} else {
			data = append(data, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && (len(data) > 0 || long):
			return data, long, nil // the next read finds the end
		default:
			return data, long, err
		}
	}
}

// ReadEntry reads an entry from a line of a file.
func ReadEntry(data []byte) (e fsm.Entry, err error) {
	if !utf8.Valid(data) {
		return e, errors.New("it is not valid UTF-8")
	}
	if err := strict(data, &e); err != nil {
		return fsm.Entry{}, fmt.Errorf("not an entry: %w", misfit.Worded(err))
	}
	return e, Check(e)
}

// strict decodes one JSON value, and rejects unknown fields.
func strict(data []byte, to any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(to); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is more after it")
	}
	return nil
}
