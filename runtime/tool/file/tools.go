package file

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"shelly/runtime/tool"
	"shelly/runtime/tool/file/change"
)

// Bounds of [Options] and of what the tools take.
const (
	ReadBytesLeast = 4 << 10 // the least ReadBytesMax

	pathBytesMax   = 4096 // as the kernel's PATH_MAX
	pathPartsMax   = 255
	entriesMax     = 1000   // entries that list_dir shows
	entriesReadMax = 10_000 // entries that list_dir sorts
)

// Options sets what the tools may do. All bounds are required.
type Options struct {
	Workspace      string        // the folder that the tools are bound to; it must exist
	KnownAs        string        // another absolute path by which the model knows Workspace; empty: none
	Everywhere     bool          // the tools also take paths outside the workspace
	Private        []string      // folders that the tools refuse, inside the workspace or not
	Settings       []string      // the daemon's configuration files, which the tools may read but not change (TOL-24)
	ResultBytesMax int           // the longest result
	ReadBytesMax   int           // how far into a file read_file and grep look
	Changes        string        // a folder for the record of changes (TOL-26), outside the workspace or private; empty: none is kept
	SearchTime     time.Duration // of one call of list_dir, glob or grep; 0: 20 s
	Offered        []string      // the tools' names; nil: all
	Secrets        bool          // files that may hold secrets are treated like any other (TOL-21)
}

// Tools are the file tools of one workspace. They are safe for concurrent use.
type Tools struct {
	options  Options
	opening  sync.Mutex
	root     *os.Root   // the workspace, guarded by opening
	replaced []*os.Root // workspaces that were replaced; a call may still be in them
	real     string     // the workspace, absolute and without symbolic links
	dir      string     // the workspace as an absolute path
	private  []string
	log      *change.Log // nil: nothing is recorded
	writing  sync.Mutex  // held while a file is written if there is no log
	seen     seen
}

// Open opens the workspace. Close the tools once no call is running.
func Open(o Options) (*Tools, error) {
	switch {
	case o.ResultBytesMax < tool.ResultBytesLeast:
		return nil, fmt.Errorf("result_bytes_max is %d; the least is %d", o.ResultBytesMax, tool.ResultBytesLeast)
	case o.ReadBytesMax < ReadBytesLeast:
		return nil, fmt.Errorf("read_bytes_max is %d; the least is %d", o.ReadBytesMax, ReadBytesLeast)
	}
	dir, err := filepath.Abs(o.Workspace)
	if err != nil {
		return nil, fmt.Errorf("find the workspace: %w", err)
	}
	real, err := tool.Folder(dir)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(real)
	if err != nil {
		return nil, fmt.Errorf("open the workspace: %w; name a folder with --workspace", err)
	}
	t := &Tools{options: o, root: root, dir: dir, real: real, private: slices.Clone(o.Private)}
	if o.Everywhere {
		t.private = append(t.private, ownProcess)
	}
	if o.Changes != "" {
		t.log = change.Open(o.Changes)
	}
	return t, nil
}

// Close releases the workspace.
func (t *Tools) Close() error {
	t.opening.Lock()
	defer t.opening.Unlock()
	err := t.root.Close()
	for _, r := range t.replaced {
		err = errors.Join(err, r.Close())
	}
	return err
}

// workspace returns the folder that is the workspace now: somebody may have put another in its
// place, such as a new clone.
func (t *Tools) workspace() (*os.Root, error) {
	t.opening.Lock()
	defer t.opening.Unlock()
	now, err := os.Lstat(t.real)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !now.IsDir() {
		return nil, tool.Refuse("the workspace %s is gone; ask the person for it", t.real)
	}
	if err != nil {
		return nil, explain(t.real, err)
	}
	if held, err := t.root.Stat("."); err == nil && os.SameFile(held, now) {
		return t.root, nil
	}
	root, err := os.OpenRoot(t.real)
	if err != nil {
		return nil, explain(t.real, err)
	}
	t.root, t.replaced = root, append(t.replaced, t.root)
	return root, nil
}

// room is how many bytes of a result a tool may fill with what it was asked for.
func (t *Tools) room() int { return tool.Room(t.options.ResultBytesMax) }
