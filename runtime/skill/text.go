package skill

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"
	"unicode/utf8"

	"shelly/runtime/descriptor"
)

// names returns the names of a folder's entries that are not hidden, in order; only the first
// entriesMax that the system returns are looked at.
func names(root *os.Root, dir string) ([]string, error) {
	folder, err := descriptor.Get(context.Background(), func() (*os.File, error) { return root.Open(dir) })
	if err != nil {
		return nil, err
	}
	entries, err := folder.ReadDir(entriesMax)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	var found []string
	for _, e := range entries {
		if !hidden(e.Name()) {
			found = append(found, e.Name())
		}
	}
	slices.Sort(found)
	return found, errors.Join(err, folder.Close())
}

// hidden reports whether a part of a path is hidden.
func hidden(name string) bool { return strings.HasPrefix(name, ".") || strings.Contains(name, "/.") }

// files lists the files of a skill except its SKILL.md, to a depth of depthMax: the first
// entriesMax of them, among the first lookedMax names. Links that lead round in circles would
// make many more names of a few.
func files(root *os.Root, dir string) ([]string, error) {
	var found []string
	looked := 0
	var walk func(below string, depth int) error
	walk = func(below string, depth int) error {
		inside, err := names(root, path.Join(dir, below))
		if err != nil {
			return err
		}
		for _, name := range inside {
			if looked++; looked > lookedMax || len(found) == entriesMax {
				return nil
			}
			file := path.Join(below, name)
			info, err := root.Stat(path.Join(dir, file))
			switch {
			case err != nil: // a link that leads nowhere, or out of the place
			case info.IsDir() && depth < depthMax:
				if err := walk(file, depth+1); err != nil && depth == 0 {
					return err
				}
			case info.Mode().IsRegular() && file != fileName && file != fileOther:
				found = append(found, file)
			}
		}
		return nil
	}
	err := walk("", 0)
	slices.Sort(found)
	return found, err
}

// worded puts in words that a link leads out of a folder: the error of [os.Root] has no name to
// compare with.
func worded(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok && strings.Contains(p.Err.Error(), "escapes") {
		return fmt.Errorf("the link %s leads out of its folder, so it is not followed", p.Path)
	}
	return err
}

// readText reads a text by its path below a place, line ends as LF. No link leads out of
// the skill's folder.
func readText(place *os.Root, file string) (text string, err error) {
	folder, name, _ := strings.Cut(file, "/")
	defer func() { err = worded(err) }()
	root, err := descriptor.Get(context.Background(), func() (*os.Root, error) { return place.OpenRoot(folder) })
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	// Do not wait for the other end of a pipe.
	f, err := descriptor.Get(context.Background(), func() (*os.File, error) {
		return root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	})
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s is not a regular file", name)
	}
	data, err := io.ReadAll(io.LimitReader(f, textBytesMax+1))
	switch {
	case err != nil:
		return "", err
	case len(data) > textBytesMax:
		return "", fmt.Errorf("%s is longer than %d bytes, the maximum", name, textBytesMax)
	case !utf8.Valid(data):
		return "", fmt.Errorf("%s is not UTF-8 text", name)
	}
	text = strings.TrimPrefix(string(data), "\uFEFF")
	return strings.ReplaceAll(text, "\r\n", "\n"), nil
}
