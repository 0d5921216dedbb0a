package logs

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"time"

	"shelly/cmd/shelly/internal/logging"
)

// lookEvery is how often the log is read while it is followed.
const lookEvery = 250 * time.Millisecond

// read passes on the records of a file, each without its line end, and returns how many bytes
// it has consumed: a record that is still being written is read the next time.
func read(from io.Reader, each func(record []byte) error) (n int64, err error) {
	r := bufio.NewReader(from)
	for {
		record, err := r.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return n, err
		}
		n += int64(len(record))
		if err := each(bytes.TrimSuffix(record, []byte("\n"))); err != nil {
			return n, err
		}
	}
}

// following reads the file that is being written, and continues in the next one when it is
// replaced, which may itself be replaced by then.
type following struct {
	name string
	file *os.File
	at   int64
}

// more passes on what has been written since the last call.
func (f *following) more(each func(record []byte) error) error {
	for {
		if f.file == nil {
			if err := f.open(f.name); err != nil || f.file == nil {
				return err
			}
		}
		if _, err := f.file.Seek(f.at, io.SeekStart); err != nil {
			return err
		}
		n, err := read(f.file, each)
		f.at += n
		if err != nil || !f.replaced() {
			return err
		}
		if err := f.advance(); err != nil {
			return err
		}
	}
}

// open opens a file, unless it was just rotated.
func (f *following) open(name string) error {
	file, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	f.file, f.at = file, 0
	return err
}

// advance continues with the file that was begun after this one. If they are rotated meanwhile, the
// one that is opened may be a later one; then it looks again.
func (f *following) advance() error {
	read := f.file
	defer func() { _ = read.Close() }() // only then, or another file could become the same
	was, err := read.Stat()
	if err != nil {
		return err
	}
	f.file = nil
	for {
		if err := f.open(logging.Next(f.name, was)); err != nil || f.file == nil {
			return err
		}
		is, err := f.file.Stat()
		if err != nil {
			return err
		}
		if next, err := os.Stat(logging.Next(f.name, was)); err == nil && os.SameFile(is, next) {
			return nil
		}
		f.close()
	}
}

// replaced reports whether another file has the name now, and this one has been read to its
// end.
func (f *following) replaced() bool {
	now, err := os.Stat(f.name)
	was, werr := f.file.Stat()
	return err == nil && werr == nil && !os.SameFile(now, was) && f.at == was.Size()
}

func (f *following) close() {
	if f.file != nil {
		_ = f.file.Close()
		f.file = nil
	}
}

// follow passes on records until ctx ends.
func (f *following) follow(ctx context.Context, each func(record []byte) error) error {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		if err := f.more(each); err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}
