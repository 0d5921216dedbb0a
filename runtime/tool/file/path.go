package file

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"shelly/fsm/wording"
	"shelly/runtime/descriptor"
	"shelly/runtime/system"
	"shelly/runtime/tool"
)

// ownProcess is where the kernel shows this process: its environment and open
// files are also the daemon's own data.
const ownProcess = "/proc/self"

// spot is what a path from the model means: a path in the workspace, or, if the
// tools may look everywhere, an absolute one.
type spot struct {
	root  *os.Root // nil: path is absolute and free of symbolic links
	path  string
	real  string // where the symbolic links lead, absolute; empty: they lead nowhere
	named string // the path as the call gave it, relative to the workspace; empty: as path
}

func (s spot) in(name string) spot {
	return spot{root: s.root, path: filepath.Join(s.path, name), real: filepath.Join(s.real, name)}
}

func (s spot) stat() (fs.FileInfo, error) {
	if s.root != nil {
		return s.root.Stat(s.path)
	}
	return os.Stat(s.path)
}

func (s spot) lstat() (fs.FileInfo, error) {
	if s.root != nil {
		return s.root.Lstat(s.path)
	}
	return os.Lstat(s.path)
}

func (s spot) readlink() (string, error) {
	if s.root != nil {
		return s.root.Readlink(s.path)
	}
	return os.Readlink(s.path)
}

// open opens for reading without waiting for the other end of a pipe. The path had no symbolic link
// when it was looked at.
func (s spot) open() (*os.File, error) {
	const flags = os.O_RDONLY | syscall.O_NONBLOCK | system.NoFollow
	if s.root != nil {
		folder, err := within(s.root, filepath.Dir(s.path))
		if err != nil {
			return nil, err
		}
		defer folder.Close()
		return folder.OpenFile(filepath.Base(s.path), flags, 0)
	}
	f, err := os.OpenFile(s.path, flags, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil {
		err = stands(s.path, info)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// resolve returns what a path from the model means. It refuses early, in plain
// words, what os.Root would refuse too. The actual guard of the workspace is os.Root,
// which resolves and opens in one step (TOL-3).
func (t *Tools) resolve(path string) (spot, error) {
	path = t.meant(path)
	switch {
	case strings.TrimSpace(path) == "":
		return spot{}, tool.Refuse("path is empty; give one relative to the workspace, such as . or notes.txt")
	case len(path) > pathBytesMax:
		return spot{}, tool.Refuse("path is %d bytes long; the most is %d", len(path), pathBytesMax)
	case strings.Contains(path, "\x00"):
		return spot{}, tool.Refuse("path holds a NUL byte")
	case strings.Count(path, "/") >= pathPartsMax:
		return spot{}, tool.Refuse("path has more than %d parts", pathPartsMax)
	}
	if t.options.Everywhere {
		return t.anywhere(path)
	}
	rel := filepath.Clean(path)
	if filepath.IsAbs(rel) {
		rel = t.relative(rel)
	}
	if !filepath.IsLocal(rel) {
		if inside := t.inside(path); inside != "" {
			return spot{}, tool.Refuse("%s is outside the workspace; there is %s in it", strconv.Quote(path), strconv.Quote(wording.Path(inside)))
		}
		return spot{}, tool.Refuse("%s is outside the workspace; give a path relative to the workspace, such as . or notes.txt", strconv.Quote(path))
	}
	root, err := t.workspace()
	if err != nil {
		return spot{}, err
	}
	// If the symbolic links lead nowhere, opening it fails with a better message.
	target, err := filepath.EvalSymlinks(filepath.Join(t.real, rel))
	switch {
	case err != nil:
		return spot{root: root, path: rel}, nil
	case t.isPrivate(target):
		return spot{}, ownData(path)
	}
	if inside, err := filepath.Rel(t.real, target); err == nil && filepath.IsLocal(inside) {
		// os.Root follows no absolute link, even if it leads to a place inside.
		return spot{root: root, path: inside, real: target, named: rel}, nil
	}
	return spot{root: root, path: rel, real: target}, nil
}

// meant returns the path that a call means: what is there as it is written, or what [wording.Path] writes
// so, or what looks the same. Any other way to write a path with \x is none, because approvals go by the
// written one.
func (t *Tools) meant(path string) string {
	path = t.composed(path)
	if !strings.Contains(path, `\x`) {
		return path
	}
	raw := escapedByte.ReplaceAllStringFunc(path, func(escape string) string {
		b, _ := strconv.ParseUint(escape[2:], 16, 8) // two digits always can be read
		return string([]byte{byte(b)})
	})
	there := func(path string) bool {
		_, err := os.Lstat(t.absolute(path))
		return err == nil
	}
	dir, rawDir := filepath.Dir(path), filepath.Dir(raw)
	if raw != path && wording.Path(raw) == path && !there(path) && (there(raw) || !there(dir) && there(rawDir)) {
		return raw
	}
	return path
}

// anywhere resolves a path on the whole machine; a relative one is relative to the
// workspace. What is opened is what the symbolic links led to when they were resolved.
func (t *Tools) anywhere(path string) (spot, error) {
	abs := t.absolute(path)
	target, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return spot{}, explain(path, unresolved(path, err))
	}
	if t.isPrivate(target) {
		return spot{}, ownData(path)
	}
	return spot{path: target, real: target, named: abs}, nil
}

func ownData(path string) error {
	return tool.Refuse("%s belongs to the agent itself; the tools do not touch it", strconv.Quote(path))
}

// absolute returns a path as an absolute one: a relative one begins at the workspace.
func (t *Tools) absolute(path string) string {
	if !filepath.IsAbs(path) {
		path = filepath.Join(t.real, path)
	}
	return filepath.Clean(path)
}

// relative returns an absolute path relative to the workspace.
func (t *Tools) relative(path string) string {
	for _, base := range []string{t.dir, t.real, t.options.KnownAs} {
		if base == "" {
			continue
		}
		if rel, err := filepath.Rel(base, path); err == nil && filepath.IsLocal(rel) {
			return rel
		}
	}
	return path
}

// isPrivate reports whether a path without symbolic links is in a private folder.
func (t *Tools) isPrivate(target string) bool {
	for _, folder := range t.private {
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

// opened is a regular file or a folder that is open for reading.
type opened struct {
	*os.File
	info fs.FileInfo
	at   spot
}

// open opens a regular file or a folder for reading (TOL-3), without waiting for
// the other end of a pipe or touching a device. It waits for a descriptor (CFG-15).
func (t *Tools) open(ctx context.Context, path string) (opened, error) {
	f, err := descriptor.Get(ctx, func() (opened, error) { return t.openOnce(path) })
	switch {
	case !errors.Is(err, fs.ErrNotExist):
	case t.dangling(path):
		err = tool.Refuse("%s is a symbolic link that leads to nothing", strconv.Quote(path))
	default:
		err = tool.Refuse("%v%s", err, t.near(ctx, path))
	}
	return f, err
}

// dangling reports whether a path at which there is no file is that of a symbolic link.
func (t *Tools) dangling(path string) bool {
	info, err := os.Lstat(t.absolute(path))
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}

func (t *Tools) openOnce(path string) (opened, error) {
	s, err := t.resolve(path)
	if err != nil {
		return opened{}, err
	}
	info, err := s.stat()
	if err == nil {
		err = readable(path, info)
	}
	if err != nil {
		return opened{}, explain(path, err)
	}
	f, err := s.open()
	if err != nil {
		return opened{}, explain(path, err)
	}
	// The name may mean another file by now; what was opened counts.
	if info, err = f.Stat(); err == nil {
		err = readable(path, info)
	}
	if err == nil {
		err = t.linked(path, info, "a copy of it can be read")
	}
	if err == nil && !info.IsDir() && t.secretName(s) {
		err = holdsSecrets(path)
	}
	if err != nil {
		return opened{}, errors.Join(explain(path, err), f.Close())
	}
	return opened{f, info, s}, nil
}

// linked refuses a file that has a second name, because under that name it may lie outside the
// workspace or belong to the agent itself: a hard link looks like what it links to (TOL-3). The
// error says what can be done instead.
func (t *Tools) linked(path string, info fs.FileInfo, instead string) error {
	links := system.Links(info)
	switch {
	case links < 2 || !info.Mode().IsRegular():
		return nil
	case !t.options.Everywhere:
		return tool.Refuse("%s has %d names (hard links), and one of them may be outside the workspace; it is refused: %s", strconv.Quote(path), links, instead)
	}
	for _, folder := range t.options.Private {
		folder, err := filepath.EvalSymlinks(folder)
		if err != nil {
			continue // it does not exist
		}
		own := false
		err = filepath.WalkDir(folder, func(_ string, e fs.DirEntry, err error) error {
			if err != nil || !e.Type().IsRegular() {
				return nil // a file that is gone, or cannot be looked at, is not the opened one
			}
			if other, err := e.Info(); err == nil && os.SameFile(info, other) {
				own = true
				return fs.SkipAll
			}
			return nil
		})
		if own || err != nil {
			return ownData(path)
		}
	}
	return nil
}

func readable(path string, info fs.FileInfo) error {
	if mode := info.Mode(); !mode.IsRegular() && !mode.IsDir() {
		return tool.Refuse("%s is %s, not a regular file; it cannot be read", strconv.Quote(path), special(mode))
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
