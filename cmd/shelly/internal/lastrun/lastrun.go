// Package lastrun remembers which cases of a project failed when they were last played,
// for shelly test --last-failed (SCN-62). It keeps one small file for each project in the
// user's cache folder, outside every repository.
package lastrun

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"shelly/fsm/wording"
	"shelly/runtime/durable"
)

const (
	version   = 1
	failedMax = 10_000 // cases remembered; if more have failed, none is, so that all are played again
)

// Case is a case that failed; with an empty name, a file that did not load.
type Case struct {
	File string `json:"file"` // absolute, as [wording.Path] writes it: JSON has no bytes that are not UTF-8
	Name string `json:"name,omitempty"`
}

// Run is what is known of a project's earlier runs.
type Run struct {
	Known  bool // there was an earlier run
	path   string
	folder string
	failed []Case // sorted
	over   bool   // more than failedMax have failed
}

// kept is the file of a project.
type kept struct {
	Version int    `json:"version"`
	Folder  string `json:"folder"` // the project, for a person who reads the file, as [wording.Path] writes it
	Failed  []Case `json:"failed"`
}

// Of returns what is known of the project that a folder belongs to: the repository around it,
// or else the folder itself. A damaged file, or one of another version, counts as missing.
func Of(dir string) (*Run, error) {
	folder := Project(dir)
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	digest := sha256.Sum256([]byte(folder))
	r := &Run{path: filepath.Join(cache, "shelly", "last-run", hex.EncodeToString(digest[:8])+".json"), folder: wording.Path(folder)}
	text, err := os.ReadFile(r.path)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return nil, err
	}
	var k kept
	if json.Unmarshal(text, &k) == nil && k.Version == version && k.Folder == r.folder {
		r.Known, r.failed = true, k.Failed
	}
	return r, nil
}

// Project returns the absolute path, with links followed, of the root of the repository that a
// folder is in, or of the folder if it is in none.
func Project(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return at
		}
		if at == filepath.Dir(at) {
			return dir
		}
	}
}

// Failed reports whether a case failed when it was last played, or its file did not load.
func (r *Run) Failed(file, name string) bool {
	file = wording.Path(file)
	return slices.Contains(r.failed, Case{file, name}) || slices.Contains(r.failed, Case{File: file})
}

// Files returns the files, as far as they still exist, with cases that failed when they were last
// played, or that did not load.
func (r *Run) Files() (files []string) {
	for _, c := range r.failed {
		if _, err := os.Lstat(c.File); err == nil && !slices.Contains(files, c.File) {
			files = append(files, c.File)
		}
	}
	return files
}

// Played records a case that was played, or a file that did not load.
func (r *Run) Played(c Case, failed bool) {
	c.File = wording.Path(c.File)
	r.failed = slices.DeleteFunc(r.failed, func(o Case) bool { return o == c })
	switch {
	case failed && len(r.failed) < failedMax:
		r.failed = append(r.failed, c)
	case failed:
		r.over = true
	}
}

// Loaded records the names of the cases that a file has; others are forgotten.
func (r *Run) Loaded(file string, names []string) {
	file = wording.Path(file)
	r.failed = slices.DeleteFunc(r.failed, func(o Case) bool { return o.File == file && !slices.Contains(names, o.Name) })
}

// Save writes the file, readable by the user alone, or removes it if more cases have failed than are
// remembered: a run of only some of them would end as if the others had passed.
func (r *Run) Save() error {
	if r.over {
		if err := os.Remove(r.path); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	slices.SortFunc(r.failed, func(a, b Case) int {
		return cmp.Or(strings.Compare(a.File, b.File), strings.Compare(a.Name, b.Name))
	})
	text, err := json.MarshalIndent(kept{version, r.folder, append([]Case{}, r.failed...)}, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(r.path), 0o700); err != nil {
		return err
	}
	return durable.Text(r.path, append(text, '\n'))
}
