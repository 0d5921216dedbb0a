// Package repository finds git's folders: git runs what some of their files say.
//
//	found := repository.Find("/home/ann/work", 100_000)
//	for _, dir := range found.Dirs { … } // dir/hooks, dir/config, …
package repository

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"shelly/runtime/system"
)

// Deciding are the names in a git folder that decide what git runs. If there is a commondir, it
// names another folder that has hooks and config.
var Deciding = []string{"hooks", "config", "config.worktree", "commondir"}

// Found is what git takes for repositories in a folder, including those of submodules and of other
// worktrees. Paths are absolute if the folder's path is.
type Found struct {
	Dirs  []string // git's folders, called .git or not
	Files []string // files called .git, each of which names such a folder
	Links []Link   // symbolic links called .git
	Whole bool     // everything was searched
}

// Link is a symbolic link.
type Link struct{ Path, To string }

// finder walks breadth first, so that it finds what is near however much lies beside it.
type finder struct {
	root  string
	found Found
	seen  map[string]bool
	queue []string
	left  int // entries that may still be read
}

// Find searches a folder, whose path must have no symbolic links, and the folders in it, until it
// has read the given number of entries. It follows no symbolic links except those called .git. It
// skips what it cannot read.
func Find(root string, entries int) Found {
	f := finder{root: root, seen: map[string]bool{}, queue: []string{root}, left: entries}
	for len(f.queue) > 0 && f.left > 0 {
		dir := f.queue[0]
		f.queue = f.queue[1:]
		f.look(dir)
	}
	f.found.Whole = f.left > 0
	return f.found
}

// look reads the entries of a folder.
func (f *finder) look(dir string) {
	open, err := os.OpenFile(dir, os.O_RDONLY|syscall.O_NONBLOCK|system.NoFollow, 0) // it may be a link or a pipe by now
	if err != nil {
		return
	}
	defer open.Close()
	var folders []string
	names := map[string]bool{}
	for {
		list, err := open.ReadDir(1000)
		for _, e := range list {
			switch name := e.Name(); {
			case strings.EqualFold(name, ".git"):
				f.git(filepath.Join(dir, name), e.Type())
			case e.IsDir():
				folders = append(folders, name)
				names[name] = true
			case name == "HEAD" || name == "commondir":
				names[name] = true
			}
		}
		f.left -= len(list)
		if err != nil || f.left <= 0 {
			break
		}
	}
	if f.seen[dir] || names["HEAD"] && (names["objects"] && names["refs"] || names["commondir"]) && isHead(filepath.Join(dir, "HEAD")) {
		f.add(dir)
		return
	}
	for _, name := range folders {
		f.queue = append(f.queue, filepath.Join(dir, name))
	}
}

// add adds a git folder, and queues those of its folders that may hold other git folders.
func (f *finder) add(dir string) {
	if f.seen[dir] {
		return
	}
	f.seen[dir] = true
	f.found.Dirs = append(f.found.Dirs, dir)
	for _, inner := range []string{"modules", "worktrees"} {
		f.queue = append(f.queue, filepath.Join(dir, inner))
	}
}

// git handles an entry called .git: a folder, or something that leads to one.
func (f *finder) git(path string, kind fs.FileMode) {
	switch {
	case kind.IsDir():
		f.add(path)
	case kind.IsRegular():
		f.found.Files = append(f.found.Files, path)
		if dir := Named(path); f.holds(dir) {
			f.add(dir)
		}
	case kind&fs.ModeSymlink != 0:
		if to, err := os.Readlink(path); err == nil {
			f.found.Links = append(f.found.Links, Link{path, to})
		}
		if dir, err := filepath.EvalSymlinks(path); err == nil && f.holds(dir) {
			f.add(dir)
		}
	}
}

// holds reports whether a path is a folder in the root, with no symbolic link on the way.
func (f *finder) holds(path string) bool {
	rel, err := filepath.Rel(f.root, path)
	if err != nil || !filepath.IsLocal(rel) {
		return false
	}
	if real, err := filepath.EvalSymlinks(path); err != nil || real != path {
		return false
	}
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}

// Named returns the folder that a file called .git names, or "".
func Named(file string) string {
	text, err := beginning(file)
	dir, ok := strings.CutPrefix(text, "gitdir: ")
	if err != nil || !ok {
		return ""
	}
	dir = strings.TrimRight(dir, "\r\n")
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(filepath.Dir(file), dir)
	}
	return filepath.Clean(dir)
}

// Is reports whether git takes a folder for one of its own, whatever its name.
func Is(dir string) bool {
	there := func(name string) bool {
		_, err := os.Stat(filepath.Join(dir, name))
		return err == nil
	}
	return (there("objects") && there("refs") || there("commondir")) && isHead(filepath.Join(dir, "HEAD"))
}

// isHead reports whether a file has a possible content of git's HEAD.
func isHead(path string) bool {
	if to, err := os.Readlink(path); err == nil {
		return strings.HasPrefix(to, "refs/")
	}
	text, err := beginning(path)
	if err != nil {
		return false
	}
	if strings.HasPrefix(text, "ref:") {
		return true
	}
	text = strings.TrimSpace(text)
	return len(text) >= 40 && strings.Trim(text, "0123456789abcdefABCDEF") == ""
}

// beginning reads the beginning of a regular file.
func beginning(path string) (string, error) {
	f, _, err := system.Regular(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, 4096))
	return string(text), err
}
