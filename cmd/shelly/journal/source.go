package journal

import (
	"bufio"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/flags"
	"shelly/cmd/shelly/internal/folder"
	"shelly/fsm/engine"
	"shelly/runtime/backup"
	"shelly/runtime/datafolder"
	"shelly/runtime/store"
	"shelly/runtime/tarfile"
)

// source is a journal to verify.
type source struct {
	engine.Reader
	// examine reads the rest of the store that the journal is in; nil: it is a bare journal file.
	examine func(context.Context) (store.Examination, error)
	close   func() error
}

// opening opens the journal at a path.
type opening func(ctx context.Context, path string) (source, error)

// openJournal opens what a path names: a data folder, or the daemon that uses it, a journal
// file, or a backup, which is examined as a whole.
func openJournal(ctx context.Context, path string) (source, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return source{}, exit.Errorf(exit.Usage, "%s: no such file or folder", path)
	case err != nil:
		return source{}, exit.With(exit.Usage, err)
	case info.IsDir():
		return openFolder(ctx, path)
	}
	file, err := flags.File(path)
	if err != nil {
		return source{}, err
	}
	defer file.Close()
	read := bufio.NewReader(file) // a pipe can be read only once
	if isTar(read) {
		return openBackup(read)
	}
	head, _ := read.Peek(tarfile.HeadBytes) // what cannot be read is an error below
	if err := tarfile.Compressed(string(head)); err != nil {
		return source{}, err
	}
	j, err := engine.ReadJournal(read)
	if err != nil {
		return source{}, exit.Errorf(exit.Data, "%s: %w", path, err)
	}
	return source{Reader: j, close: func() error { return nil }}, nil
}

// openFolder opens a data folder, or the daemon that uses it.
func openFolder(ctx context.Context, data string) (source, error) {
	j, err := folder.JournalOf(ctx, data)
	if err != nil {
		return source{}, err
	}
	return source{j, j.Examine, j.Close}, nil
}

// isTar reports whether a file is a tar file, by the magic word that every backup has.
func isTar(file *bufio.Reader) bool {
	const magic, at = "ustar", 257
	head, err := file.Peek(at + len(magic))
	return err == nil && string(head[at:]) == magic
}

// openBackup unpacks a backup to a private folder, and opens its store.
func openBackup(file io.Reader) (source, error) {
	dir, err := os.MkdirTemp("", "shelly-verify-")
	if err != nil {
		return source{}, exit.Errorf(exit.Disk, "cannot unpack the backup: %w: set TMPDIR to a folder that can be written", err)
	}
	_, err = backup.Unpack(file, dir)
	if err == nil {
		var s *store.Store
		if s, err = backup.OpenUnpacked(datafolder.Store(dir)); err == nil {
			return source{s, s.Examine, func() error { return errors.Join(s.Close(), os.RemoveAll(dir)) }}, nil
		}
	}
	return source{}, errors.Join(err, os.RemoveAll(dir))
}
