package repository

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// How many entries are searched for repositories before each call, and how many git folders are
// protected at most. Those that are near come first.
const (
	EntriesMax = 100_000
	FoldersMax = 300
)

// commonDir is the file of a git folder that names the folder that counts in its place.
const commonDir = "commondir"

// Kept is what to protect from a command, so that a person's next git is safe (TOL-45), in each
// repository of a workspace that no command made.
type Kept struct {
	Pinned []string // git's folders, which must stay where they are, outer ones first
	Fixed  []string // files and folders that must stay as they are
	Partly bool     // there is more than EntriesMax or FoldersMax, or the configurations are too long, so not everything may be among them
	absent []string // paths in the workspace that do not exist and must not exist afterwards
	links  []Link   // links that must be the same afterwards
	in     string
}

// Keep finds what to protect in a workspace, whose path must be absolute and without symbolic
// links. With complete it makes what a git folder lacks, so that it can be protected.
func Keep(workspace string, complete bool, made *Calls) (Kept, error) {
	return keepOf(workspace, complete, made, EntriesMax, FoldersMax)
}

func keepOf(workspace string, complete bool, made *Calls, entriesMax, foldersMax int) (Kept, error) {
	k := Kept{in: workspace}
	root, err := os.OpenRoot(workspace)
	if err != nil {
		return k, err
	}
	defer root.Close()
	found := Find(workspace, entriesMax)
	dirs := slices.DeleteFunc(found.Dirs, made.have)
	files := slices.DeleteFunc(found.Files, made.have)
	links := slices.DeleteFunc(found.Links, func(l Link) bool { return made.have(l.Path) })
	k.Partly = !found.Whole || max(len(dirs), len(files), len(links)) > foldersMax
	files, links = files[:min(len(files), foldersMax)], links[:min(len(links), foldersMax)]
	left := newBudget()
	for _, dir := range dirs[:min(len(dirs), foldersMax)] {
		if err := k.keep(root, dir, complete); err != nil {
			return k, err
		}
		for _, path := range left.named(dir, tops(dir, files, links)) {
			if around(workspace, path) && path != workspace && !slices.Contains(k.Fixed, path) {
				k.Fixed = append(k.Fixed, path)
			}
		}
	}
	k.Partly = k.Partly || left.short
	k.Fixed = append(k.Fixed, files...)
	k.links = links
	return k, nil
}

// tops returns the folders whose files belong to a git folder, and the git folder itself, which the
// paths of a bare repository's hooks are relative to.
func tops(dir string, files []string, links []Link) []string {
	list := []string{dir}
	if strings.EqualFold(filepath.Base(dir), ".git") {
		list = append(list, filepath.Dir(dir))
	}
	for _, file := range files {
		if to := Named(file); to != "" && around(dir, to) {
			list = append(list, filepath.Dir(file))
		}
	}
	for _, link := range links {
		if to, err := filepath.EvalSymlinks(link.Path); err == nil && around(dir, to) {
			list = append(list, filepath.Dir(link.Path))
		}
	}
	return list
}

// keep protects a git folder and what decides in it.
func (k *Kept) keep(root *os.Root, dir string, complete bool) error {
	k.Pinned = append(k.Pinned, dir)
	rel, err := filepath.Rel(k.in, dir)
	if err != nil {
		return err
	}
	there := func(name string) bool {
		info, err := root.Lstat(filepath.Join(rel, name))
		return err == nil && info.Mode()&os.ModeSymlink == 0
	}
	if !there(commonDir) {
		k.absent = append(k.absent, filepath.Join(rel, commonDir))
		if complete && there("HEAD") {
			if err := own(root, rel); err != nil {
				return fmt.Errorf("keep the hooks of git from being changed: %w", err)
			}
		}
	}
	for _, name := range Deciding {
		if there(name) {
			k.Fixed = append(k.Fixed, filepath.Join(dir, name))
		}
	}
	return nil
}

// own makes the deciding files and folders that a git folder lacks.
func own(root *os.Root, dir string) error {
	err := root.Mkdir(filepath.Join(dir, "hooks"), 0o755)
	if err == nil || errors.Is(err, fs.ErrExist) {
		var f *os.File
		if f, err = root.OpenFile(filepath.Join(dir, "config"), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644); err == nil {
			err = f.Close()
		}
	}
	if errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return nil
	}
	return err
}

// TakeAway removes what a command made to redirect git to another configuration, and restores links
// called .git that it changed; whatever took the place of such a link is kept beside it. It returns
// what was removed. A link that the command made cannot lead TakeAway out of the workspace.
func (k Kept) TakeAway() (removed []string) {
	if len(k.absent)+len(k.links) == 0 {
		return nil
	}
	root, err := os.OpenRoot(k.in)
	if err != nil {
		return nil
	}
	defer root.Close()
	for _, path := range k.absent {
		if _, err := root.Lstat(path); err == nil && root.RemoveAll(path) == nil {
			removed = append(removed, path)
		}
	}
	for _, link := range k.links {
		path, err := filepath.Rel(k.in, link.Path)
		if err == nil && putBack(root, path, link.To) {
			removed = append(removed, path)
		}
	}
	return removed
}

// beside is the suffix for the name of what a command put in place of a link.
const beside = ".not-git"

// putBack makes a link what it was, and reports whether it had become something else. If the folder
// of the link is gone, there is nothing to restore.
func putBack(root *os.Root, path, to string) bool {
	if now, err := root.Readlink(path); err == nil && now == to {
		return false
	}
	if info, err := root.Lstat(path); err == nil {
		if info.Mode()&os.ModeSymlink != 0 {
			_ = root.Remove(path)
		} else {
			_ = root.RemoveAll(path + beside)
			_ = root.Rename(path, path+beside)
		}
	}
	return root.Symlink(to, path) == nil
}
