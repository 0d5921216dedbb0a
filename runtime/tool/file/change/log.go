package change

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"shelly/runtime/descriptor"
	"shelly/runtime/durable"
	"shelly/runtime/system"
)

// The newest ended changes are kept, within both bounds.
const (
	CountMax = 1000
	BytesMax = 64 << 20 // of what the files held before
	TextMax  = 4 << 20  // bytes of one file; of a larger one only the hash is kept
)

// version is the version of a record's format.
const version = 1

// State is how far a change has got.
type State string

// The states: a change is being made, or a crash left it so; it was made; it was undone.
const (
	Started State = "started"
	Ended   State = "ended"
	Undone  State = "undone"
)

// Record is what one call changes.
type Record struct {
	Version int    `json:"version"`
	Key     string `json:"key"` // of the use of the tool (TOL-8)
	Session string `json:"session,omitempty"`
	Tool    string `json:"tool"`
	Folder  string `json:"folder"`           // the folder of the file, absolute and without symbolic links
	Name    string `json:"name"`             // in the folder
	Raw     []byte `json:"raw,omitempty"`    // Path, if that is not UTF-8, which JSON texts are
	Shown   string `json:"shown"`            // the path as the call gave it
	Temp    string `json:"temp"`             // in the folder: what is renamed to Name, and must not be left
	Made    int    `json:"made,omitempty"`   // how many folders are made for it: Folder, and those right above it
	At      int64  `json:"at"`               // milliseconds since 1970
	Before  string `json:"before,omitempty"` // Hash of what the file held; empty: there was none
	After   string `json:"after"`            // Hash of what it will hold
	Kept    bool   `json:"kept,omitempty"`   // the old content is kept
	Result  string `json:"result"`           // the call's result once the change is made
}

// Path is the changed file.
func (r Record) Path() string { return filepath.Join(r.Folder, r.Name) }

// Hash names a content: SHA-256, in hexadecimal.
func Hash(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// Log is the record of changes in one folder. It is safe for concurrent use, also by other
// processes, as long as every writer holds the lock.
type Log struct{ dir string }

// Open returns the log in a folder; the first change creates the folder.
func Open(folder string) *Log { return &Log{dir: folder} }

// Entry is a change in the log.
type Entry struct {
	Record
	State State

	log    *Log
	number uint64
	stem   string // of the names of its files
}

// ID identifies the change within the log.
func (e *Entry) ID() string { return strconv.FormatUint(e.number, 10) }

func (e *Entry) path(end string) string { return filepath.Join(e.log.dir, e.stem+"."+end) }

// tag is the part of a file's name that stands for a key.
func tag(key string) string { return Hash([]byte(key))[:16] }

// lockEvery is how often a lock that is taken is tried again.
const lockEvery = 5 * time.Millisecond

// Lock waits until nobody else, in this process or another, is changing anything.
func (l *Log) Lock(ctx context.Context) (unlock func(), err error) {
	if err := l.made(); err != nil {
		return nil, err
	}
	f, err := descriptor.Get(ctx, func() (*os.File, error) {
		return os.OpenFile(filepath.Join(l.dir, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
	})
	if err != nil {
		return nil, err
	}
	for {
		held, err := system.TryLock(f.Fd(), true)
		switch {
		case err != nil:
			return nil, errors.Join(err, f.Close())
		case !held:
			return func() { _ = f.Close() }, nil
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), f.Close())
		case <-time.After(lockEvery):
		}
	}
}

// made creates the folder durably, because its contents must be durable.
func (l *Log) made() error {
	if _, err := os.Stat(l.dir); err == nil {
		return nil
	}
	if err := os.MkdirAll(l.dir, 0o700); err != nil {
		return err
	}
	return durable.Folder(filepath.Dir(l.dir))
}

// Begin durably records a change that is about to be made; before is what the file holds,
// nil if that should not be kept. A record that an earlier start of the same call left is
// replaced.
func (l *Log) Begin(r Record, before []byte) (*Entry, error) {
	entries, err := l.scan()
	if err != nil {
		return nil, err
	}
	e := &Entry{Record: r, State: Started, log: l, number: 1}
	if len(entries) > 0 {
		e.number = entries[len(entries)-1].number + 1
	}
	e.stem = fmt.Sprintf("%012d-%s", e.number, tag(r.Key))
	e.Version, e.Kept = version, before != nil
	if path := r.Path(); !utf8.ValidString(path) {
		e.Raw = []byte(path)
	}
	if before != nil {
		if err := durable.Text(e.path("before"), before); err != nil {
			return nil, err
		}
	}
	text, err := json.Marshal(e.Record)
	if err == nil {
		err = durable.Text(e.path(string(Started)), text)
	}
	if err != nil {
		_ = os.Remove(e.path("before"))
		return nil, err
	}
	for _, old := range entries {
		if old.State == Started && strings.HasSuffix(old.stem, tag(r.Key)) {
			_ = old.Drop()
		}
	}
	return e, nil
}

// End records that the change was made. A crash may lose this record; comparing hashes then
// finds it out.
func (e *Entry) End() error {
	if err := e.become(Ended); err != nil {
		return err
	}
	return e.log.prune()
}

// Undo durably records that the change was undone.
func (e *Entry) Undo() error {
	return errors.Join(e.become(Undone), durable.Folder(e.log.dir))
}

// Renew reads how far the change has got by now, which others may have changed since it was listed. The
// caller holds the lock. The error is fs.ErrNotExist if it is not kept any more.
func (e *Entry) Renew() error {
	var err error
	for _, s := range []State{Started, Ended, Undone} {
		now := *e
		now.State = s
		if err = now.read(); !errors.Is(err, fs.ErrNotExist) {
			*e = now
			return err
		}
	}
	return err
}

func (e *Entry) become(s State) error {
	if err := os.Rename(e.path(string(e.State)), e.path(string(s))); err != nil {
		return err
	}
	e.State = s
	return nil
}

// Drop removes the record of a change that was not made.
func (e *Entry) Drop() error {
	err := os.Remove(e.path(string(e.State)))
	if before := os.Remove(e.path("before")); !errors.Is(before, fs.ErrNotExist) {
		err = errors.Join(err, before)
	}
	return err
}

// Content returns what the file held before, if that is kept.
func (e *Entry) Content() ([]byte, error) { return os.ReadFile(e.path("before")) }

// Find returns the last change with a key, or false if none was begun.
func (l *Log) Find(key string) (*Entry, bool, error) {
	entries, err := l.scan()
	if err != nil {
		return nil, false, err
	}
	for _, e := range slices.Backward(entries) {
		if !strings.HasSuffix(e.stem, tag(key)) {
			continue
		}
		if err := e.read(); err != nil {
			return nil, false, err
		}
		return e, true, nil
	}
	return nil, false, nil
}

// List returns the changes of a session, the newest first, or of all sessions if it is empty.
// Unreadable ones are left out.
func (l *Log) List(session string) ([]*Entry, error) {
	entries, err := l.scan()
	if err != nil {
		return nil, err
	}
	slices.Reverse(entries)
	return slices.DeleteFunc(entries, func(e *Entry) bool {
		return e.read() != nil || session != "" && e.Session != session
	}), nil
}

// scan finds the changes, the oldest first, without reading their records.
func (l *Log) scan() ([]*Entry, error) {
	found, err := os.ReadDir(l.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var entries []*Entry
	for _, f := range found {
		stem, state, _ := strings.Cut(f.Name(), ".")
		if number, ours := numberOf(stem); ours && slices.Contains([]State{Started, Ended, Undone}, State(state)) {
			entries = append(entries, &Entry{State: State(state), log: l, number: number, stem: stem})
		}
	}
	slices.SortFunc(entries, func(a, b *Entry) int { return cmp.Compare(a.number, b.number) })
	return entries, nil
}

// numberOf returns the number of a change from the stem of its files' names.
func numberOf(stem string) (number uint64, ours bool) {
	digits, _, _ := strings.Cut(stem, "-")
	number, err := strconv.ParseUint(digits, 10, 64)
	return number, err == nil
}

// read reads the record.
func (e *Entry) read() error {
	text, err := os.ReadFile(e.path(string(e.State)))
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, &e.Record); err != nil {
		return fmt.Errorf("%s: %w", e.path(string(e.State)), err)
	}
	if len(e.Raw) > 0 {
		e.Folder, e.Name = filepath.Dir(string(e.Raw)), filepath.Base(string(e.Raw))
	}
	return nil
}

// Sweep removes what a killed process has left of a record that it had not finished: what a file
// held before, which belongs to no record, and files that were not renamed yet. One that cannot be
// removed stays. The caller holds the lock.
func (l *Log) Sweep() error {
	found, err := os.ReadDir(l.dir)
	if err != nil {
		return err
	}
	recorded := map[string]bool{} // stems
	for _, f := range found {
		if stem, end, _ := strings.Cut(f.Name(), "."); end != "before" {
			recorded[stem] = true
		}
	}
	for _, f := range found {
		name, unfinished := strings.CutPrefix(f.Name(), ".")
		stem, end, _ := strings.Cut(name, ".")
		if _, ours := numberOf(stem); ours && (unfinished || end == "before" && !recorded[stem]) {
			_ = os.Remove(filepath.Join(l.dir, f.Name()))
		}
	}
	return nil
}

// prune drops the oldest ended changes beyond the bounds.
func (l *Log) prune() error {
	entries, err := l.scan()
	if err != nil {
		return err
	}
	count, bytes := 0, int64(0)
	for _, e := range slices.Backward(entries) {
		if e.State == Started {
			continue
		}
		if info, err := os.Stat(e.path("before")); err == nil {
			bytes += info.Size()
		}
		count++
		if count > CountMax || bytes > BytesMax {
			if err := e.Drop(); err != nil {
				return err
			}
		}
	}
	return nil
}
