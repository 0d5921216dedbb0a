package repository

import (
	"io"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"

	"shelly/runtime/system"
)

// Limits on what is read of git's configuration.
const (
	configBytesMax = 1 << 20
	includesMax    = 20      // files that one configuration includes in all
	readBytesMax   = 8 << 20 // of the configurations of all repositories
	pathsMax       = 5000    // different paths that they name: each is looked up on the disk
)

// budget is how much may still be read of git's configurations. A clone can bring hundreds of bare
// repositories, and each of them a hundred thousand settings.
type budget struct {
	bytes, paths int
	short        bool // it was not enough
}

func newBudget() *budget { return &budget{bytes: readBytesMax, paths: pathsMax} }

// take reports whether something may still be done, and counts it.
func (b *budget) take(left *int, n int) bool {
	if *left < n {
		b.short = true
		return false
	}
	*left -= n
	return true
}

// settings is where else, according to a git configuration, git finds what it runs.
type settings struct {
	hooks    []string // every value of core.hooksPath
	includes []string // include.path and includeIf.….path
}

// readSettings reads a git configuration file. One that cannot be read has no settings.
func (b *budget) readSettings(path string) (s settings) {
	f, info, err := system.Regular(path)
	if err != nil {
		return s
	}
	defer f.Close()
	if info.Size() > configBytesMax || !b.take(&b.bytes, int(info.Size())) {
		b.short = true
		return s
	}
	text, err := io.ReadAll(io.LimitReader(f, info.Size())) // it may grow meanwhile
	if err != nil {
		return s
	}
	parse(string(text), func(section, key, value string) {
		switch section + "." + key {
		case "core.hookspath":
			s.hooks = append(s.hooks, value)
		case "include.path", "includeif.path":
			s.includes = append(s.includes, value)
		}
	})
	return s
}

// named returns the files and folders outside a git folder that its configuration names and that
// also decide what git runs: hooks, where a relative core.hooksPath is relative to the top of its
// files, and included configuration. The paths are those that exist, without symbolic links; they
// may be anywhere on the disk.
func (b *budget) named(dir string, tops []string) (list []string) {
	known := map[[2]string]string{}
	add := func(base, path string) string {
		key := [2]string{base, path}
		if real, looked := known[key]; looked || !b.take(&b.paths, 1) {
			return real
		}
		known[key] = ""
		if path = expanded(path); !filepath.IsAbs(path) {
			path = filepath.Join(base, path)
		}
		real, err := filepath.EvalSymlinks(path)
		if err != nil || around(real, dir) || slices.ContainsFunc(tops, func(top string) bool { return around(real, top) }) {
			return ""
		}
		known[key] = real
		if !slices.Contains(list, real) {
			list = append(list, real)
		}
		return real
	}
	files := []string{filepath.Join(dir, "config"), filepath.Join(dir, "config.worktree")}
	for i := 0; i < len(files); i++ {
		if i == includesMax {
			b.short = true
			break
		}
		s := b.readSettings(files[i])
		for _, path := range s.hooks {
			for _, top := range tops {
				add(top, path)
			}
		}
		for _, path := range s.includes {
			if file := add(filepath.Dir(files[i]), path); file != "" && !slices.Contains(files, file) {
				files = append(files, file)
			}
		}
	}
	return list
}

// expanded returns a path of git's configuration with the home folder in place of ~ or ~user at its
// beginning. Git's %(prefix) is left: what was installed with git is in no workspace.
func expanded(path string) string {
	first, rest, _ := strings.Cut(path, "/")
	name, is := strings.CutPrefix(first, "~")
	home, err := os.UserHomeDir()
	if is && name != "" {
		var of *user.User
		if of, err = user.Lookup(name); err == nil {
			home = of.HomeDir
		}
	}
	if !is || err != nil {
		return path
	}
	return filepath.Join(home, rest)
}

// around reports whether inner is dir or lies in it.
func around(dir, inner string) bool {
	rel, err := filepath.Rel(dir, inner)
	return err == nil && filepath.IsLocal(rel)
}

// Runs reports whether git runs or follows what is at a path because the configuration of a
// repository that contains the path names it (TOL-45), or may do so, as not all of it could be read.
// The path must be absolute and without symbolic links.
func Runs(path string) bool {
	left := newBudget()
	for top := filepath.Dir(path); ; top = filepath.Dir(top) {
		for _, dir := range foldersOf(filepath.Join(top, ".git")) {
			if slices.ContainsFunc(left.named(dir, []string{top}), func(n string) bool { return around(n, path) }) || left.short {
				return true
			}
		}
		if top == filepath.Dir(top) {
			return false
		}
	}
}

// foldersOf returns git's folders that a path called .git leads to: its own and, if that has a
// commondir, the one that counts.
func foldersOf(path string) []string {
	dir, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil
	}
	if to := Named(dir); to != "" {
		dir = to
	}
	list := []string{dir}
	if text, err := beginning(filepath.Join(dir, commonDir)); err == nil {
		common := strings.TrimSpace(text)
		if !filepath.IsAbs(common) {
			common = filepath.Join(dir, common)
		}
		list = append(list, filepath.Clean(common))
	}
	return list
}
