package tool

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// resolve turns a path that the model gave into one relative to the workspace
// (TOL-3). It refuses early, with words, what os.Root would refuse too; the guard is
// os.Root, which resolves and opens in one act.
func (r *Runner) resolve(path string) (string, error) {
	switch {
	case strings.TrimSpace(path) == "":
		return "", errors.New("path is empty; give one relative to the workspace, such as . or notes.txt")
	case len(path) > pathBytesMax:
		return "", fmt.Errorf("path is %d bytes long; the most is %d", len(path), pathBytesMax)
	case strings.Contains(path, "\x00"):
		return "", errors.New("path holds a NUL byte")
	case strings.Count(path, "/") >= pathPartsMax:
		return "", fmt.Errorf("path has more than %d parts", pathPartsMax)
	}
	rel := filepath.Clean(path)
	if filepath.IsAbs(rel) {
		rel = r.relative(rel)
	}
	if !filepath.IsLocal(rel) {
		return "", fmt.Errorf("%s is outside the workspace; give a path relative to the workspace, such as . or notes.txt", strconv.Quote(path))
	}
	if r.isPrivate(rel) {
		return "", fmt.Errorf("%s belongs to the agent itself; the tools do not touch it", strconv.Quote(path))
	}
	return rel, nil
}

// relative returns an absolute path as seen from the workspace.
func (r *Runner) relative(path string) string {
	for _, base := range []string{r.dir, r.real} {
		if rel, err := filepath.Rel(base, path); err == nil && filepath.IsLocal(rel) {
			return rel
		}
	}
	return path
}

// isPrivate reports whether a path in the workspace leads, symbolic links
// followed, into a private folder.
func (r *Runner) isPrivate(rel string) bool {
	if len(r.options.Private) == 0 {
		return false
	}
	target, err := filepath.EvalSymlinks(filepath.Join(r.real, rel))
	if err != nil {
		return false // opening it fails for the same reason, in better words
	}
	for _, folder := range r.options.Private {
		folder, err := filepath.EvalSymlinks(folder)
		if err != nil {
			continue // it does not exist
		}
		if inside, err := filepath.Rel(folder, target); err == nil && filepath.IsLocal(inside) {
			return true
		}
	}
	return false
}

// open opens a regular file or a folder of the workspace for reading (TOL-3),
// without waiting for the other end of a pipe or touching a device.
func (r *Runner) open(path string) (*os.File, fs.FileInfo, error) {
	rel, err := r.resolve(path)
	if err != nil {
		return nil, nil, err
	}
	info, err := r.root.Stat(rel)
	if err == nil {
		err = readable(path, info)
	}
	if err != nil {
		return nil, nil, explain(path, err)
	}
	f, err := r.root.OpenFile(rel, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, explain(path, err)
	}
	// The name may mean another file by now; what counts is what was opened.
	if info, err = f.Stat(); err == nil {
		err = readable(path, info)
	}
	if err != nil {
		return nil, nil, errors.Join(explain(path, err), f.Close())
	}
	return f, info, nil
}

func readable(path string, info fs.FileInfo) error {
	if mode := info.Mode(); !mode.IsRegular() && !mode.IsDir() {
		return fmt.Errorf("%s is %s, not a regular file; it cannot be read", strconv.Quote(path), special(mode))
	}
	return nil
}

func special(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	default:
		return "a special file"
	}
}

// explain words a file system's error for the model.
func explain(path string, err error) error {
	var p *fs.PathError
	if !errors.As(err, &p) {
		return err
	}
	name := strconv.Quote(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("no such file or folder: %s; list_dir shows what there is", name)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("permission denied: %s", name)
	case errors.Is(err, syscall.ELOOP):
		return fmt.Errorf("too many symbolic links: %s", name)
	case errors.Is(err, syscall.ENOTDIR):
		return fmt.Errorf("%s leads through a file as if it were a folder", name)
	case errors.Is(err, syscall.ENAMETOOLONG):
		return fmt.Errorf("the path is too long for the file system: %s", name)
	case strings.Contains(p.Err.Error(), "escapes"):
		// os.Root's error has no name to compare with.
		return fmt.Errorf("%s leads out of the workspace by .. or a symbolic link; it is refused", name)
	default:
		return fmt.Errorf("%s: %w", name, p.Err)
	}
}
