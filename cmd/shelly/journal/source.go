package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/folder"
	"shelly/fsm/engine"
	"shelly/runtime/backup"
	"shelly/runtime/store"
)

// openJournal opens what a path names: a data folder, or the daemon that has it, a
// journal file, or a backup.
func openJournal(path string) (engine.Reader, func() error, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil, exit.Errorf(exit.NoMatch, "%s: no such file or folder", path)
	case err != nil:
		return nil, nil, exit.With(exit.Usage, err)
	case info.IsDir():
		s, err := folder.JournalOf(context.Background(), path)
		if err != nil {
			return nil, nil, err
		}
		return s, s.Close, nil
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, exit.With(exit.Usage, err)
	}
	defer file.Close()
	if isTar(file) {
		return openBackup(file)
	}
	j, err := engine.ReadJournal(file)
	if err != nil {
		return nil, nil, exit.Errorf(exit.Data, "%s: %w", path, err)
	}
	return j, func() error { return nil }, nil
}

// isTar reports whether a file is a tar file, by the word that all those have that
// package backup writes.
func isTar(file io.ReaderAt) bool {
	magic := make([]byte, 5)
	_, err := file.ReadAt(magic, 257)
	return err == nil && bytes.Equal(magic, []byte("ustar"))
}

// openBackup unpacks a backup where nobody else looks, and opens its store.
func openBackup(file *os.File) (engine.Reader, func() error, error) {
	dir, err := os.MkdirTemp("", "shelly-verify-")
	if err != nil {
		return nil, nil, err
	}
	if _, err := backup.Unpack(file, dir); err != nil {
		return nil, nil, errors.Join(fmt.Errorf("%s: %w", file.Name(), err), os.RemoveAll(dir))
	}
	s, err := store.Open(filepath.Join(dir, "store"), store.Options{})
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("%s: %w", file.Name(), err), os.RemoveAll(dir))
	}
	return s, func() error { return errors.Join(s.Close(), os.RemoveAll(dir)) }, nil
}
