// Package kept keeps, across a crash, what a call of a server's tool waits for: the task that
// the server is working on (TOL-99), and the question to a person (TOL-100).
//
//	notes := kept.Open(folder)
//	err := notes.Put(kept.Note{Key: key, Task: id, …}) // durable
//	note, found, err := notes.Get(key)                 // also after a crash
//
// A note is a file named after its call's key. A note is not dropped when its call ends, because
// the call's result becomes durable only later; notes are dropped when they are too old or too
// many.
package kept

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"shelly/runtime/durable"
)

// The newest notes are kept, within both bounds.
const (
	CountMax = 1000
	AgeMax   = 30 * 24 * time.Hour
)

// version is the version of a note's format.
const version = 1

// Note is what a call waits for.
type Note struct {
	Version int    `json:"version"`
	Key     string `json:"key"` // of the use of the tool (TOL-8)
	Server  string `json:"server"`
	Tool    string `json:"tool"`            // as its server calls it
	Task    string `json:"task,omitempty"`  // the task's id; empty: the call is not a task
	Ended   bool   `json:"ended,omitempty"` // the call has had its answer

	Question string          `json:"question,omitempty"` // what a person was asked last
	Yes      json.RawMessage `json:"yes,omitempty"`      // what the server gets for a yes
	Ask      string          `json:"ask,omitempty"`      // the server's name for its question, if it must get State back
	State    string          `json:"state,omitempty"`
}

// Notes are the notes of one folder. They are safe for concurrent use by one process.
type Notes struct {
	dir string
	mu  sync.Mutex
}

// Open returns the notes of a folder; the first note creates the folder.
func Open(folder string) *Notes { return &Notes{dir: folder} }

func (n *Notes) path(key string) string {
	sum := sha256.Sum256([]byte(key))
	return filepath.Join(n.dir, hex.EncodeToString(sum[:16])+ending)
}

const ending = ".json"

// Put makes a note durable; it replaces an earlier note of the same call.
func (n *Notes) Put(note Note) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	note.Version = version
	text, err := json.Marshal(note)
	if err != nil {
		return err
	}
	if _, err := os.Stat(n.dir); err != nil {
		if err := errors.Join(os.MkdirAll(n.dir, 0o700), durable.Folder(filepath.Dir(n.dir))); err != nil {
			return err
		}
	}
	if err := durable.Text(n.path(note.Key), text); err != nil {
		return err
	}
	return n.prune(time.Now())
}

// Get returns the note of a call, or false if there is none.
func (n *Notes) Get(key string) (note Note, found bool, err error) {
	text, err := os.ReadFile(n.path(key))
	if errors.Is(err, fs.ErrNotExist) {
		return Note{}, false, nil
	}
	if err != nil {
		return Note{}, false, err
	}
	if err := json.Unmarshal(text, &note); err != nil {
		return Note{}, false, fmt.Errorf("%s: %w", n.path(key), err)
	}
	return note, note.Key == key, nil
}

// prune drops notes beyond the bounds, the oldest first, and what a kill has left of one. The caller
// holds mu.
func (n *Notes) prune(now time.Time) error {
	found, err := os.ReadDir(n.dir)
	if err != nil {
		return err
	}
	type file struct {
		name string
		at   time.Time
	}
	var files []file
	for _, f := range found {
		if strings.HasPrefix(f.Name(), ".") { // a kill left it: nobody else writes now
			_ = os.Remove(filepath.Join(n.dir, f.Name()))
		} else if info, err := f.Info(); err == nil && strings.HasSuffix(f.Name(), ending) {
			files = append(files, file{f.Name(), info.ModTime()})
		}
	}
	slices.SortFunc(files, func(a, b file) int {
		return cmp.Or(b.at.Compare(a.at), strings.Compare(a.name, b.name))
	})
	for i, f := range files {
		if i >= CountMax || now.Sub(f.at) > AgeMax {
			if err := os.Remove(filepath.Join(n.dir, f.name)); err != nil {
				return err
			}
		}
	}
	return nil
}
