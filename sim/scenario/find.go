package scenario

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Suffix ends the name of every scenario file.
const Suffix = ".scenario.yaml"

// CasesMax is how many files one Find returns.
const CasesMax = 10_000

// ErrNoMatch says that patterns name no scenario.
var ErrNoMatch = errors.New("no scenario matches")

// Find returns the scenario files that patterns name, sorted, each once. A
// pattern is a slash-separated path in fsys: a file, a file and a line of it
// (FILE:LINE), or a folder, which with or without /... stands for all files below
// it that end in [Suffix]. Folders named testdata or beginning with a dot or an
// underscore are passed over. An error that wraps [ErrNoMatch] names the first
// pattern that matches nothing.
func Find(fsys fs.FS, patterns []string) ([]string, error) {
	var found []string
	for _, pattern := range patterns {
		list, err := findOne(fsys, pattern)
		if err != nil {
			return nil, err
		}
		if found = append(found, list...); len(found) > CasesMax {
			return nil, fmt.Errorf("more than %d scenarios; name a folder further down", CasesMax)
		}
	}
	slices.Sort(found)
	return slices.Compact(found), nil
}

func findOne(fsys fs.FS, pattern string) ([]string, error) {
	name, line := splitLine(pattern)
	name = path.Clean(strings.TrimSuffix(strings.TrimSuffix(name, "..."), "/"))
	if !fs.ValidPath(name) {
		return nil, fmt.Errorf("%s: wants a path below the folder that is searched", shown(pattern))
	}
	info, err := fs.Stat(fsys, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%w: %s: no such file or folder", ErrNoMatch, pattern)
	case err != nil:
		return nil, err
	case !info.IsDir():
		return findFile(fsys, name, line)
	}
	var found []string
	err = fs.WalkDir(fsys, name, func(p string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && p != name && passedOver(entry.Name()):
			return fs.SkipDir
		case !entry.IsDir() && strings.HasSuffix(p, Suffix):
			found = append(found, p)
		}
		return nil
	})
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("%w: %s: holds no file that ends in %s", ErrNoMatch, pattern, Suffix)
	}
	return found, err
}

func passedOver(folder string) bool {
	return folder == "testdata" || strings.HasPrefix(folder, ".") || strings.HasPrefix(folder, "_")
}

// findFile returns a file that is named itself. A line must be one of its own.
func findFile(fsys fs.FS, name string, line int) ([]string, error) {
	if !strings.HasSuffix(name, Suffix) {
		return nil, fmt.Errorf("%w: %s: the name of a scenario ends in %s", ErrNoMatch, name, Suffix)
	}
	if line > 0 {
		source, err := readFile(fsys, name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if n := strings.Count(string(source), "\n") + 1; line > n {
			return nil, fmt.Errorf("%w: %s has %d lines, not %d", ErrNoMatch, name, n, line)
		}
	}
	return []string{name}, nil
}

// splitLine takes the line off FILE:LINE.
func splitLine(pattern string) (name string, line int) {
	if i := strings.LastIndexByte(pattern, ':'); i >= 0 {
		if n, err := strconv.Atoi(pattern[i+1:]); err == nil && n > 0 {
			return pattern[:i], n
		}
	}
	return pattern, 0
}
