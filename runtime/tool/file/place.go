package file

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"unicode"

	"shelly/runtime/descriptor"
	"shelly/runtime/repository"
	"shelly/runtime/system"
	"shelly/runtime/tool"
	"shelly/runtime/tool/file/change"
)

// contentMax is the largest file that write_file and edit_file change or create, in bytes.
const contentMax = 16 << 20

// place is where a file will be written: a name in a folder that was resolved without
// symbolic links. Its current content is nil if there is no file.
type place struct {
	root   *os.Root // of the workspace or of the whole machine; must be closed if own
	own    bool
	folder string // in the root, without symbolic links; it may not exist yet
	name   string
	real   string        // the folder, absolute
	shown  string        // the path as the call gave it
	near   func() string // what else the path may mean, for a failure
	info   fs.FileInfo
	held   []byte
	hash   string      // of held; empty: not asked for yet
	made   fs.FileInfo // what replace has put there, whatever anybody else does to it from then on
}

// place resolves a path that will be written (TOL-24), and reads what is there now.
func (t *Tools) place(ctx context.Context, path string) (*place, error) {
	return descriptor.Get(ctx, func() (*place, error) {
		p, err := t.placeOnce(path)
		if err != nil {
			p.close()
			return nil, err
		}
		p.near = func() string { return t.near(ctx, path) }
		return p, nil
	})
}

func (t *Tools) placeOnce(path string) (*place, error) {
	if strings.HasSuffix(path, "/") {
		return nil, tool.Refuse("%s is the name of a folder; give the file's name", strconv.Quote(path))
	}
	target, err := t.target(path)
	if err != nil {
		return nil, err
	}
	p := &place{name: filepath.Base(target), real: filepath.Dir(target), shown: path}
	base := t.real
	if t.options.Everywhere {
		base, p.own = "/", true
		p.root, err = os.OpenRoot(base)
	} else {
		p.root, err = t.workspace()
	}
	if err != nil {
		return nil, err
	}
	if p.folder, err = filepath.Rel(base, p.real); err != nil {
		return p, err
	}
	if target == t.real {
		return p, tool.Refuse("%s is a directory; give a file's name", strconv.Quote(path))
	}
	if err = t.look(p); err == nil && p.info == nil {
		err = t.dressed(path)
	}
	return p, err
}

// dressed refuses the path of a new file that is written as no path is, such as in quotes: a file of
// that name is never meant. In a folder that has such a name it may be.
func (t *Tools) dressed(path string) error {
	plain := undressed(path)
	if plain == path {
		return nil
	}
	if _, err := os.Lstat(t.absolute(filepath.Dir(path))); err == nil && undressed(filepath.Base(path)) == filepath.Base(path) {
		return nil
	}
	if home, err := os.UserHomeDir(); err == nil && t.options.Everywhere && strings.HasPrefix(path, "~/") {
		plain = filepath.Join(home, plain)
	}
	return tool.Refuse("%s is not written as a path is; nothing was written: give %s if that is meant", strconv.Quote(path), strconv.Quote(plain))
}

// target returns where a path leads, absolute and without symbolic links, whether or not
// something is there. Paths that the tools must not write are refused.
func (t *Tools) target(path string) (string, error) {
	var target string
	if given := path; mixed(given) && t.composed(given) != given {
		return "", tool.Refuse("%s has letters with accents in two forms (NFC and NFD); nothing was written: give the path in one of them", strconv.Quote(given))
	}
	path = t.meant(path)
	s, err := t.resolve(path)
	switch {
	case err == nil && s.real != "":
		target = s.real
	case err == nil:
		target, err = newTarget(filepath.Join(t.real, s.path), path)
	case t.options.Everywhere && errors.Is(err, fs.ErrNotExist):
		target, err = newTarget(t.absolute(path), path)
	}
	if err != nil {
		return "", err
	}
	switch inside, err := filepath.Rel(t.real, target); {
	case !t.options.Everywhere && (err != nil || !filepath.IsLocal(inside)):
		return "", tool.Refuse("%s leads out of the workspace by .. or a symbolic link; it is refused", strconv.Quote(path))
	case t.isPrivate(target):
		return "", ownData(path)
	case t.isSetting(target):
		return "", tool.Refuse("%s is the agent's own configuration, which the tools do not change: ask the person to", strconv.Quote(path))
	case protected(path) || protected(target) || decides(target):
		return "", tool.Refuse("%s belongs to git's own folder, which the tools do not change: what stands there is run", strconv.Quote(path))
	case repository.Runs(target):
		return "", tool.Refuse("git runs %s, or goes by it, as the repository's configuration says (core.hooksPath or include.path); the tools do not change it", strconv.Quote(path))
	case !t.options.Secrets && mayHoldSecrets(target):
		return "", holdsSecrets(path)
	}
	return target, nil
}

// isSetting reports whether a file is, or would be, one of the daemon's configuration files, under any
// name.
func (t *Tools) isSetting(target string) bool {
	info, err := os.Stat(target)
	return slices.ContainsFunc(t.options.Settings, func(path string) bool {
		setting, missing := os.Stat(path)
		if missing != nil {
			real, _ := newTarget(path, path)
			return real == target
		}
		return err == nil && os.SameFile(info, setting)
	})
}

// newTarget returns the path of a file that does not exist: its existing folders with their
// symbolic links resolved, and the rest of the path.
func newTarget(abs, path string) (string, error) {
	rest := ""
	for at := abs; ; at = filepath.Dir(at) {
		real, err := filepath.EvalSymlinks(at)
		if err == nil {
			return filepath.Join(real, rest), nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", explain(path, unresolved(path, err))
		}
		if _, err := os.Lstat(at); err == nil {
			return "", tool.Refuse("%s is a symbolic link, or goes through one, that leads to nothing; it is refused: write to a path of its own", strconv.Quote(path))
		}
		rest = filepath.Join(filepath.Base(at), rest)
	}
}

// protected reports whether a path goes through .git, in any spelling that a file system may
// accept.
func protected(path string) bool {
	return slices.ContainsFunc(strings.Split(filepath.ToSlash(path), "/"), func(part string) bool {
		part = strings.Map(func(r rune) rune {
			if unicode.Is(unicode.Cf, r) {
				return -1
			}
			return r
		}, part)
		return strings.EqualFold(strings.TrimRight(part, " ."), ".git")
	})
}

// decides reports whether a path is one of those by which git decides what it runs, in a git
// folder with another name than .git: a bare repository, or one apart from its files.
func decides(path string) bool {
	for dir, below := filepath.Dir(path), filepath.Base(path); ; dir, below = filepath.Dir(dir), filepath.Base(dir) {
		if slices.Contains(repository.Deciding, below) && repository.Is(dir) {
			return true
		}
		if dir == filepath.Dir(dir) {
			return false
		}
	}
}

// version returns what the place holds.
func (p *place) version() version {
	if p.hash == "" {
		p.hash = change.Hash(p.held)
	}
	return version{p.info, p.hash}
}

func (p *place) close() {
	if p != nil && p.own && p.root != nil {
		_ = p.root.Close()
	}
}

// look reads what is at a place now.
func (t *Tools) look(p *place) error {
	folder, err := within(p.root, p.folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return explain(p.shown, err)
	}
	defer folder.Close()
	info, err := folder.Lstat(p.name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return explain(p.shown, err)
	}
	switch {
	case info.IsDir():
		return tool.Refuse("%s is a directory; give a file's name", strconv.Quote(p.shown))
	case !info.Mode().IsRegular():
		return tool.Refuse("%s is %s, not a regular file; it cannot be written", strconv.Quote(p.shown), special(info.Mode()))
	case info.Size() > contentMax:
		return tool.Refuse("%s has %d bytes; the tools change files of at most %d", strconv.Quote(p.shown), info.Size(), contentMax)
	case info.Mode().Perm()&0o222 == 0:
		return tool.Refuse("permission denied: %s is read-only", strconv.Quote(p.shown))
	}
	// A file that must not be written in place must not be replaced either.
	f, err := folder.OpenFile(p.name, os.O_RDWR|syscall.O_NONBLOCK|system.NoFollow, 0)
	if err != nil {
		return explain(p.shown, err)
	}
	defer f.Close()
	if p.info, err = f.Stat(); err == nil {
		err = t.linked(p.shown, p.info, "write a file of another name")
	}
	if err == nil {
		p.held, err = io.ReadAll(io.LimitReader(f, contentMax+1))
	}
	if err == nil && t.secretText(p.held[:min(len(p.held), sampleBytes)]) {
		err = holdsSecrets(p.shown)
	}
	return explain(p.shown, err)
}

// errChanged is the error for a file that was changed in between.
var errChanged = errors.New("somebody else has just changed it; nothing was written: read it again")

// replace puts content in the place, whole and durably: a reader, also after a crash, finds
// either the old content or the new one. If renamed is false nothing has happened, except
// that folders may have been made. Temp is an unused name in the folder.
func (p *place) replace(temp string, content []byte) (renamed bool, err error) {
	folder, err := p.folders()
	if err != nil {
		return false, err
	}
	defer folder.Close()
	if err := p.prepare(folder, temp, content); err != nil {
		return false, errors.Join(err, removed(folder, temp))
	}
	if p.made, err = folder.Lstat(temp); err != nil {
		return false, errors.Join(err, removed(folder, temp))
	}
	if err := p.unchanged(folder); err != nil {
		return false, errors.Join(err, removed(folder, temp))
	}
	if err := folder.Rename(temp, p.name); err != nil {
		return false, errors.Join(err, removed(folder, temp))
	}
	return true, syncFolder(folder, ".")
}

// prepare writes content under another name, with the old file's mode, owner
// and extended attributes.
func (p *place) prepare(folder *os.Root, temp string, content []byte) error {
	mode := fs.FileMode(0o666) // less the umask
	if p.info != nil {
		mode = 0o600 // until it gets the right one
	}
	f, err := folder.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	if p.info != nil {
		if uid, gid, known := system.Owner(p.info); known && (uid != os.Geteuid() || gid != os.Getegid()) {
			if f.Chown(uid, gid) != nil { // without the right to do so, the file is ours, perhaps in its old group
				_ = f.Chown(-1, gid)
			}
		}
		err = f.Chmod(p.info.Mode().Perm())
		if old, wrong := folder.OpenFile(p.name, os.O_RDONLY|syscall.O_NONBLOCK|system.NoFollow, 0); wrong == nil {
			system.CopyAttributes(old, f)
			_ = old.Close()
		}
	}
	if err == nil {
		_, err = f.Write(content)
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// unchanged returns an error if the place no longer holds what was read there.
func (p *place) unchanged(folder *os.Root) error {
	now, err := folder.Lstat(p.name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && p.info == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist), err == nil && p.info == nil:
		return errChanged
	case err != nil:
		return err
	case !os.SameFile(now, p.info) || now.Size() != p.info.Size() || !now.ModTime().Equal(p.info.ModTime()):
		return errChanged
	}
	return nil
}

// missing returns how many folders have to be made.
func (p *place) missing() (n int) {
	for at := p.folder; at != "."; at = filepath.Dir(at) {
		if _, err := p.root.Lstat(at); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		n++
	}
	return n
}

// folders durably makes the missing folders, and opens the innermost.
func (p *place) folders() (*os.Root, error) {
	return each(p.root, p.folder, func(above *os.Root, name string) error {
		err := above.Mkdir(name, 0o777)
		if errors.Is(err, fs.ErrExist) {
			return nil
		}
		if err == nil {
			err = syncFolder(above, ".")
		}
		return err
	})
}

func syncFolder(root *os.Root, name string) error {
	f, err := root.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// removed removes the prepared file, if it is there.
func removed(folder *os.Root, temp string) error {
	if err := folder.Remove(temp); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
