package file

import (
	"errors"
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

// without opens a folder by an absolute path that had no symbolic link when it was looked at, as within does.
func without(folder string) (*os.Root, error) {
	root, err := os.OpenRoot(filepath.VolumeName(folder) + string(filepath.Separator))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return within(root, strings.TrimPrefix(folder, root.Name()))
}

// each opens a folder as within does, and calls do before it opens each part of the path.
func each(root *os.Root, folder string, do func(above *os.Root, name string) error) (*os.Root, error) {
	at, err := root.OpenRoot(".")
	if err != nil {
		return nil, err
	}
	for part := range strings.SplitSeq(folder, string(filepath.Separator)) {
		if part == "." || part == "" {
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
		err = tool.Refuse("%s is a symbolic link, or has just been replaced, where a folder was", wording.PathLine(name))
	}
	if err != nil {
		return nil, errors.Join(err, below.Close())
	}
	return below, nil
}
