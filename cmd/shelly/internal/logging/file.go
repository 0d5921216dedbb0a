package logging

import (
	"log/slog"
	"os"
	"sync"

	"shelly/runtime/config"
	"shelly/runtime/datafolder"
)

// earlyMax is how many bytes of records are held until the data folder is open.
const earlyMax = 64 << 10

// File keeps the log in the data folder, as JSON (OBS-5). Records logged before it is opened
// are held.
type File struct {
	keep    config.Bytes
	handler slog.Handler

	mu    sync.Mutex
	early []byte
	to    *rotating
	shut  bool
}

// NewFile returns a File that is not open yet. It keeps records from the configured level on,
// and at least from info on.
func NewFile(c config.Log) *File {
	f := &File{keep: c.Keep, shut: c.Keep == 0}
	level := slog.LevelInfo
	var said slog.Level
	if said.UnmarshalText([]byte(c.Level)) == nil { // the configuration allows only levels
		level = min(level, said)
	}
	f.handler = asJSON(f, level)
	if f.shut {
		f.handler = slog.DiscardHandler
	}
	return f
}

// Handler returns the handler that writes to the file.
func (f *File) Handler() slog.Handler { return f.handler }

// Write implements [io.Writer] for one record. A failed write is ignored.
func (f *File) Write(line []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.shut:
	case f.to != nil:
		_ = f.to.write(line)
	case len(f.early)+len(line) <= earlyMax:
		f.early = append(f.early, line...)
	}
	return len(line), nil
}

// Open keeps the log in a data folder from now on, with the records held so far. This process
// must have the folder locked.
func (f *File) Open(data string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.shut {
		return nil
	}
	if err := os.MkdirAll(datafolder.Logs(data), 0o700); err != nil {
		f.shut, f.early = true, nil
		return err
	}
	folder, err := os.Stat(data)
	if err != nil {
		f.shut, f.early = true, nil
		return err
	}
	f.to = &rotating{name: Current(data), most: int64(f.keep) / filesKept, folder: folder}
	err = f.to.open()
	if err == nil {
		err = f.to.write(f.early)
	}
	f.early = nil
	return err
}

// Close closes the file; later records are not kept.
func (f *File) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.shut = true
	if f.to == nil {
		return nil
	}
	return f.to.close()
}
