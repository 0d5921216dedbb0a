package file

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"shelly/fsm"
	"shelly/runtime/tool"
)

// Bounds of [Options] and of what the tools take.
const (
	ReadBytesLeast = 4 << 10 // the least ReadBytesMax

	pathBytesMax   = 4096 // as the kernel's PATH_MAX
	pathPartsMax   = 255
	entriesMax     = 1000   // entries that list_dir shows
	entriesReadMax = 10_000 // entries that list_dir sorts
)

// Options is what the tools may do. All bounds are required.
type Options struct {
	Workspace      string   // the folder that the tools are bound to; it must exist
	KnownAs        string   // an absolute path that also means Workspace, where the model knows it by another; empty: none
	Everywhere     bool     // the tools also take paths outside the workspace
	Private        []string // folders that the tools refuse, inside the workspace or not
	ResultBytesMax int      // the longest result
	ReadBytesMax   int      // how far into a file read_file looks
}

// Tools are the file tools of one workspace. They are safe for concurrent use.
type Tools struct {
	options Options
	root    *os.Root
	real    string // the workspace, absolute and without symbolic links
	dir     string // the workspace as an absolute path
	private []string
}

// Open opens the workspace. Close the tools when no call runs any more.
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
	return t, nil
}

// Close releases the workspace.
func (t *Tools) Close() error { return t.root.Close() }

// one is a tool of the room.
type one struct {
	decl fsm.ToolDecl
	run  func(context.Context, fsm.RunTool, tool.Arguments) tool.Result
}

func (t *Tools) all() []one {
	return []one{
		{readFileDecl(t.options.Everywhere), t.readFile},
		{listDirDecl(t.options.Everywhere), t.listDir},
	}
}

// Added are the tools for a [tool.Runner].
func (t *Tools) Added() ([]tool.Added, error) {
	var added []tool.Added
	for _, o := range t.all() {
		a, err := tool.Checked(o.decl, o.run)
		if err != nil {
			return nil, err
		}
		added = append(added, a)
	}
	return added, nil
}

// Declarations declares the tools as they are bound to a workspace.
func Declarations() []fsm.ToolDecl {
	var decls []fsm.ToolDecl
	for _, o := range (&Tools{}).all() {
		decls = append(decls, o.decl)
	}
	return decls
}

// room is how much of a result a tool may fill with what it was asked for.
func (t *Tools) room() int { return tool.Room(t.options.ResultBytesMax) }
