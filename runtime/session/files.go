package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"shelly/fsm"
	"shelly/runtime/descriptor"
	"shelly/runtime/durable"
	"shelly/runtime/failpoint"
)

// Folder is the folder, in the data folder, of the files that all sessions share.
const Folder = "memory"

// The files in it. A person may read and edit them at any time.
const (
	MemoryFile  = "MEMORY.md"
	HistoryFile = "HISTORY.md"
)

// Limits on reading and keeping the files.
const (
	memoryBytesMax  = 1 << 20
	historyBytesMax = 64 << 20 // the file is copied with each entry
	tailBytes       = 1 << 20  // the part of HISTORY.md in which a turn is searched for
	triesMax        = 3        // tries to change a file that others change at the same time
)

// folder is the memory folder.
type folder struct {
	dir   string
	store string // the store's name
}

func openFolder(data, store string) (folder, error) {
	f := folder{dir: filepath.Join(data, Folder), store: store}
	if err := os.MkdirAll(f.dir, 0o700); err != nil {
		return f, fmt.Errorf("make the memory folder: %w", err)
	}
	return f, durable.Folder(data)
}

// errChanged is the error when a file is no longer what was read.
var errChanged = errors.New("the file was changed in the meantime")

// memory reads MEMORY.md. A missing file counts as empty.
func (f folder) memory() (memory, error) {
	file, info, err := open(filepath.Join(f.dir, MemoryFile), memoryBytesMax)
	if err != nil || file == nil {
		return memory{}, err
	}
	text, err := io.ReadAll(io.LimitReader(file, memoryBytesMax+1))
	err = errors.Join(err, file.Close())
	switch {
	case err != nil:
		return memory{}, fmt.Errorf("read %s: %w", MemoryFile, err)
	case len(text) > memoryBytesMax:
		return memory{}, tooLong(MemoryFile, info.Size(), memoryBytesMax)
	}
	return parseMemory(string(text), f.store), nil
}

// replaceMemory replaces the MEMORY.md that was read, or returns errChanged.
func (f folder) replaceMemory(read memory, e fsm.SaveSession) error {
	text, ok := read.replaced(e, f.store)
	if !ok {
		return nil
	}
	if len(text) > memoryBytesMax {
		return tooLong(MemoryFile, int64(len(text)), memoryBytesMax)
	}
	return f.swapMemory(read, text)
}

// swapMemory puts a new MEMORY.md in place of the one that was read, or returns errChanged.
func (f folder) swapMemory(read memory, text string) error {
	return f.replace(MemoryFile, strings.NewReader(text), func() error {
		now, err := f.memory()
		if err == nil && now.hash() != read.hash() {
			err = errChanged
		}
		return err
	})
}

// appendHistory adds a turn's entries to HISTORY.md, unless they are there already.
func (f folder) appendHistory(notes []string, turn string) error {
	if len(notes) == 0 {
		return nil
	}
	for try := 1; ; try++ {
		err := f.tryHistory(notes, mark(f.store, turn))
		if !errors.Is(err, errChanged) || try == triesMax {
			return err
		}
	}
}

func (f folder) tryHistory(notes []string, mark string) (err error) {
	name := filepath.Join(f.dir, HistoryFile)
	file, info, err := open(name, historyBytesMax)
	if err != nil {
		return err
	}
	if file == nil { // there is no HISTORY.md yet
		return f.replace(HistoryFile, strings.NewReader(entries("", notes, mark)), func() error {
			if _, err := os.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
				return errors.Join(err, errChanged)
			}
			return nil
		})
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	tail, err := readTail(file, info.Size())
	if err != nil {
		return fmt.Errorf("read %s: %w", HistoryFile, err)
	}
	if strings.Contains("\n"+tail, "\n"+mark+"\n") {
		return nil
	}
	whole := io.NewSectionReader(file, 0, info.Size())
	return f.replace(HistoryFile, io.MultiReader(whole, strings.NewReader(entries(tail, notes, mark))), func() error {
		now, err := os.Stat(name)
		if err != nil || !os.SameFile(info, now) || now.Size() != info.Size() || now.ModTime() != info.ModTime() {
			return errors.Join(err, errChanged)
		}
		return nil
	})
}

func readTail(file io.ReaderAt, size int64) (string, error) {
	from := max(0, size-tailBytes)
	tail, err := io.ReadAll(io.NewSectionReader(file, from, size-from))
	return string(tail), err
}

// open opens a regular file of at most bytesMax bytes. It returns nil if the file does not exist.
// It never waits for a pipe.
func open(name string, bytesMax int64) (*os.File, fs.FileInfo, error) {
	file, err := descriptor.Get(context.Background(), func() (*os.File, error) {
		return os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	info, err := file.Stat()
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		err = fmt.Errorf("%s is not a regular file: move it away", name)
	case info.Size() > bytesMax:
		err = tooLong(name, info.Size(), bytesMax)
	default:
		return file, info, nil
	}
	return nil, nil, errors.Join(err, file.Close())
}

func tooLong(name string, size, bytesMax int64) error {
	return fmt.Errorf("%s is %d bytes long; at most %d are allowed: shorten it", name, size, bytesMax)
}

// replace replaces the file with this name: a crash leaves either the old one or the new one,
// whole. If same, which is called just before, returns an error, nothing is replaced. If the name
// is a link, its target is replaced.
func (f folder) replace(name string, content io.Reader, same func() error) error {
	as := durable.As{Follow: true, Alone: true, Ready: func() error {
		failpoint.Hit(failpoint.FileWritten)
		return same()
	}}
	err := as.File(filepath.Join(f.dir, name), func(w io.Writer) error {
		_, err := io.Copy(w, content)
		return err
	})
	if err == nil {
		failpoint.Hit(failpoint.FileRenamed)
	}
	return err
}
