package session

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"shelly/fsm"
)

// Note is what a tool call writes into one of the files (MEM-15).
type Note struct {
	Key  string // the key of the tool's use (TOL-8): a key is written only once
	File string // [MemoryFile] or [HistoryFile]
	Old  string // the part of MEMORY.md that Text replaces; empty: Text is added at the end
	Text string

	Source fsm.Source // where Text came from
}

// The errors of a note that cannot be written as it is. Nothing has been written.
var (
	ErrNoFile  = errors.New("there is no such file")
	ErrEmpty   = errors.New("there is nothing to write")
	ErrOnlyAdd = errors.New("HISTORY.md can only be added to")
	ErrNoOld   = errors.New("the old text is not there")
	ErrOlds    = errors.New("the old text is there more than once")
	ErrTooLong = errors.New("the file would be too long")
	ErrReading = errors.New("a daemon is using the files; ask it")
)

// Reading returns the files of a data folder for a caller that only reads them, while a daemon uses
// the store.
func Reading(data string) *Sessions {
	return &Sessions{files: folder{dir: filepath.Join(data, Folder)}}
}

// Written is what a note has changed.
type Written struct {
	Before, After string // MEMORY.md without its mark; for HISTORY.md only After is set, to the new entry
	Already       bool   // an earlier run of the same call has written it; Before and After are empty
}

// Write writes a whole note into what the file holds at that moment, even if others write to it
// too. Once it returns without an error the note is durable.
func (s *Sessions) Write(ctx context.Context, n Note) (Written, error) {
	if err := ctx.Err(); err != nil {
		return Written{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.store == nil:
		return Written{}, ErrReading
	case n.File == MemoryFile:
		return s.files.noteMemory(n)
	case n.File == HistoryFile:
		return s.files.noteHistory(n, fsm.Millis(s.now().UnixMilli()))
	default:
		return Written{}, fmt.Errorf("%w: %q", ErrNoFile, n.File)
	}
}

// noteMemory writes a note into MEMORY.md.
func (f folder) noteMemory(n Note) (Written, error) {
	for try := 1; ; try++ {
		m, err := f.memory()
		if err != nil {
			return Written{}, err
		}
		if slices.Contains(m.turns, n.Key) {
			return Written{Already: true}, nil
		}
		text, err := n.noted(m.content)
		if err != nil {
			return Written{}, err
		}
		m.source |= n.Source
		whole := m.marked(text, n.Key, f.store)
		if len(whole) > memoryBytesMax {
			return Written{}, fmt.Errorf("%w: %d bytes; at most %d are allowed", ErrTooLong, len(whole), memoryBytesMax)
		}
		err = f.swapMemory(m, whole)
		if errors.Is(err, errChanged) && try < triesMax {
			continue
		}
		return Written{Before: m.content, After: text}, err
	}
}

// noted returns MEMORY.md with the note in it.
func (n Note) noted(content string) (string, error) {
	text := strings.TrimSpace(n.Text)
	if n.Old == "" {
		switch content = strings.TrimRight(content, "\n"); {
		case text == "":
			return "", ErrEmpty
		case content == "":
			return text, nil
		}
		return content + "\n" + text, nil
	}
	switch strings.Count(content, n.Old) {
	case 0:
		return "", ErrNoOld
	case 1:
		return strings.Replace(content, n.Old, n.Text, 1), nil
	default:
		return "", ErrOlds
	}
}

// noteHistory adds an entry to HISTORY.md.
func (f folder) noteHistory(n Note, now fsm.Millis) (Written, error) {
	text := strings.TrimSpace(n.Text)
	switch {
	case n.Old != "":
		return Written{}, ErrOnlyAdd
	case text == "":
		return Written{}, ErrEmpty
	}
	if !strings.HasPrefix(text, "[") {
		text = "[" + now.Date() + "] " + text
	}
	return Written{After: text}, f.appendHistory([]string{text}, n.Key)
}

// Memory returns MEMORY.md without its mark, as valid UTF-8; "" if there is no file.
func (s *Sessions) Memory() (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m, err := s.files.memory()
	return strings.ToValidUTF8(m.content, "\uFFFD"), err
}

// lineBytesMax is how many bytes of a line of HISTORY.md are read.
const lineBytesMax = 64 << 10

// History calls fn for each line of HISTORY.md with its number, from 1, until fn returns false.
// Marks do not count as lines, and a line longer than 64 KiB is cut.
func (s *Sessions) History(ctx context.Context, fn func(number int, line string) bool) error {
	file, info, err := open(filepath.Join(s.files.dir, HistoryFile), historyBytesMax)
	if err != nil || file == nil {
		return err
	}
	err = eachLine(ctx, io.NewSectionReader(file, 0, info.Size()), fn)
	return errors.Join(err, file.Close())
}

func eachLine(ctx context.Context, from io.Reader, fn func(number int, line string) bool) error {
	in := bufio.NewReaderSize(from, lineBytesMax)
	for number, rest := 1, false; ; {
		part, err := in.ReadSlice('\n')
		line := strings.TrimRight(strings.ToValidUTF8(string(part), "\uFFFD"), "\r\n")
		switch {
		case err != nil && err != io.EOF && !errors.Is(err, bufio.ErrBufferFull):
			return err
		case len(part) == 0 && err == io.EOF:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case rest || strings.HasPrefix(line, markBegin) && strings.HasSuffix(line, markEnd):
		case !fn(number, line):
			return nil
		default:
			number++
		}
		rest = errors.Is(err, bufio.ErrBufferFull)
	}
}
