package logging

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"shelly/runtime/datafolder"
)

const (
	fileName  = "shelly.log"
	filesKept = 4           // files of the log, with the one being written
	lookTick  = time.Second // how often it is asked whether the file still has its name
)

// errFull is the error of a record for which there is no room.
var errFull = errors.New("the log's file is full, or was moved, and no other can be begun")

// rotating is a file that is replaced by a new one when it is full. It is our own because
// existing packages for that remove old files in a goroutine that never ends, at unpredictable
// times.
type rotating struct {
	name   string
	most   int64       // bytes of one file
	folder fs.FileInfo // the data folder that was opened; nil: whichever is there
	file   *os.File
	is     fs.FileInfo // what file is
	size   int64
	torn   bool      // the file ends within a record
	looked time.Time // when its name was last looked at
}

// open opens the file to append to it, in a new folder if a cleanup program has removed it.
func (r *rotating) open() error {
	if err := os.Mkdir(filepath.Dir(r.name), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	f, err := os.OpenFile(r.name, os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		return errors.Join(err, f.Close())
	}
	r.file, r.is, r.size = f, info, info.Size()
	last := []byte{'\n'}
	if r.size > 0 {
		_, err = f.ReadAt(last, r.size-1)
	}
	r.torn = err != nil || last[0] != '\n'
	return nil
}

// removed reports whether the file that is open has lost its name: something has removed or renamed
// it.
func (r *rotating) removed() bool {
	named, err := os.Stat(r.name)
	return errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(named, r.is)
}

// moved reports whether the data folder was moved: what stands in its place is another's (CFG-8).
func (r *rotating) moved() bool {
	if r.folder == nil {
		return false
	}
	there, err := os.Stat(filepath.Dir(filepath.Dir(r.name)))
	return err != nil || !os.SameFile(there, r.folder)
}

// write appends a record, to a new file if this one has no room for it. It drops the record rather
// than write into a full file that cannot be set aside.
func (r *rotating) write(record []byte) error {
	if now := time.Now(); r.file != nil && now.Sub(r.looked) >= lookTick {
		r.looked = now
		if r.removed() && !r.moved() {
			_ = r.close() // nobody finds what is in it
		}
	}
	if err := r.room(record); err != nil {
		return err
	}
	if r.torn { // by a kill or a full disk; this record has a line of its own all the same
		record = append([]byte{'\n'}, record...)
	}
	n, err := r.file.Write(record)
	r.size += int64(n)
	if n > 0 {
		r.torn = record[n-1] != '\n'
	}
	return err
}

// room makes room for a record where there is none, unless the data folder was moved.
func (r *rotating) room(record []byte) error {
	switch {
	case r.file != nil && !r.full(record):
		return nil
	case r.moved():
		return errFull
	case r.file == nil: // nor could it be opened before
		return r.open()
	}
	if err := r.turn(); r.file == nil || r.full(record) {
		return errors.Join(errFull, err)
	}
	return nil
}

// full reports whether the file has no room for a record. An empty file has room for any.
func (r *rotating) full(record []byte) bool {
	needs := r.size + int64(len(record))
	if r.torn {
		needs++
	}
	return r.size > 0 && needs > r.most
}

// turn rotates the files: it sets this one aside, begins a new one and removes the oldest. After an
// error the file may still be the full one.
func (r *rotating) turn() error {
	err := r.close()
	for n := filesKept - 1; n > 0; n-- {
		if moved := os.Rename(aside(r.name, n-1), aside(r.name, n)); moved != nil && !errors.Is(moved, fs.ErrNotExist) {
			err = errors.Join(err, moved)
		}
	}
	return errors.Join(err, r.open())
}

func (r *rotating) close() error {
	if r.file == nil {
		return nil
	}
	err := r.file.Close()
	r.file, r.is, r.size, r.torn = nil, nil, 0, false
	return err
}

// aside returns the name of the n-th file before the one being written.
func aside(name string, n int) string {
	if n == 0 {
		return name
	}
	return fmt.Sprintf("%s.%d", name, n)
}

// Current returns the file of a data folder's log that is being written.
func Current(data string) string { return filepath.Join(datafolder.Logs(data), fileName) }

// Next returns the name of the file that was begun after the file was, of the log whose current file
// has the name; the oldest one where that is gone.
func Next(name string, was fs.FileInfo) string {
	next := name
	for n := 1; n < filesKept; n++ {
		older, err := os.Stat(aside(name, n))
		switch {
		case err != nil:
			return next
		case os.SameFile(older, was):
			return next
		}
		next = aside(name, n)
	}
	return next
}

// Files returns the files of a data folder's log, the one being written last.
func Files(data string) ([]string, error) {
	var files []string
	for n := filesKept - 1; n >= 0; n-- {
		name := aside(Current(data), n)
		switch _, err := os.Stat(name); {
		case err == nil:
			files = append(files, name)
		case !errors.Is(err, fs.ErrNotExist):
			return nil, err
		}
	}
	return files, nil
}
