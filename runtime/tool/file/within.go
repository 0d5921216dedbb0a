package file

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"shelly/fsm/wording"
	"shelly/runtime/tool"
)

// within opens a folder of a root whose path had no symbolic link when it was looked at, and follows
// none that a process has put there since: the link could lead around all that was looked at, such
// as into .git or to the daemon's own data (TOL-3).
func within(root *os.Root, folder string) (*os.Root, error) {
	return each(root, folder, func(*os.Root, string) error { return nil })
}

// without opens a folder by an absolute path that had no symbolic link when it was looked at. The
// folders above it need not be readable.
func without(folder string) (*os.Root, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	opened, err := root.Stat(".")
	if err == nil {
		err = stands(folder, opened)
	}
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return root, nil
}

// stands returns an error if what was opened by an absolute path is not what has the path without a
// symbolic link. It looks for links twice, because the path is followed once more in between.
func stands(path string, opened fs.FileInfo) error {
	before, err := filepath.EvalSymlinks(path)
	named, gone := os.Lstat(path)
	after, wrong := filepath.EvalSymlinks(path)
	if err = errors.Join(err, gone, wrong); err == nil && (before != path || after != path || !os.SameFile(opened, named)) {
		err = displaced(path)
	}
	return err
}

func displaced(path string) error {
	return tool.Refuse("%s is a symbolic link, or has just been replaced, where something else was", wording.PathLine(path))
}

// each opens a folder as within does, and calls do before it opens each part of the path.
func each(root *os.Root, folder string, do func(above *os.Root, name string) error) (*os.Root, error) {
	at, err := root.OpenRoot(".")
	if err != nil {
		return nil, err
	}
	for part := range strings.SplitSeq(folder, string(filepath.Separator)) {
		if part == "." {
			continue
		}
		var below *os.Root
		if err = do(at, part); err == nil {
			below, err = child(at, part)
		}
		_ = at.Close() // it was only read
		if err != nil {
			return nil, err
		}
		at = below
	}
	return at, nil
}

// child opens a folder in a folder, which must not be a link. Nobody can put a folder in two places,
// so it is the one with that name if it has the same identity.
func child(above *os.Root, name string) (*os.Root, error) {
	below, err := above.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	opened, err := below.Stat(".")
	named, gone := above.Lstat(name)
	if err = errors.Join(err, gone); err == nil && !os.SameFile(opened, named) {
		err = displaced(name)
	}
	if err != nil {
		return nil, errors.Join(err, below.Close())
	}
	return below, nil
}
