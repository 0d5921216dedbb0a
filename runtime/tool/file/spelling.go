package file

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

var (
	escapedByte = regexp.MustCompile(`\\x[0-9a-f]{2}`)
	position    = regexp.MustCompile(`:[0-9]+(:[0-9]+)?$`)
)

// undressed returns a path without what models put around one: blanks, quotes, file:// and ~/; with / for \,
// unless that begins an escape, as in the names of systemd's units.
func undressed(path string) string {
	path = strings.TrimSpace(path)
	for _, quote := range []string{`"`, "'", "`"} {
		if inner, is := strings.CutPrefix(path, quote); is {
			path = strings.TrimSuffix(inner, quote)
		}
	}
	path = strings.TrimPrefix(path, "file://")
	if !escapedByte.MatchString(path) {
		path = strings.ReplaceAll(path, `\`, "/")
	}
	return strings.TrimPrefix(path, "~/")
}

// withoutPosition returns a path without the line, and the column, that compilers write after it.
func withoutPosition(path string) string { return path[:len(path)-len(position.FindString(path))] }

// composed returns a path with the names that are there in place of those that differ only in how letters
// and their accents are composed (NFC, NFD): they look the same to whoever approves a call, and most models
// cannot write the other form. A name that is there as it is written counts, and so does the only other one.
func (t *Tools) composed(path string) string {
	if !strings.ContainsFunc(path, func(r rune) bool { return r >= utf8.RuneSelf }) || len(path) > pathBytesMax {
		return path
	}
	rel, shown := filepath.Clean(path), ""
	root, err := t.workspace()
	if err != nil {
		return path
	}
	at := spot{root: root, path: "."}
	if filepath.IsAbs(rel) {
		rel = t.relative(rel)
	}
	if filepath.IsAbs(rel) && t.options.Everywhere {
		at, shown, rel = spot{path: "/"}, "/", rel[1:]
	}
	if !filepath.IsLocal(rel) {
		return path
	}
	found := false
	for part := range strings.SplitSeq(rel, "/") {
		if _, err := at.in(part).lstat(); err != nil {
			if only := at.sameName(part); only != "" {
				part, found = only, true
			}
		}
		at, shown = at.in(part), filepath.Join(shown, part)
	}
	if !found {
		return path
	}
	return shown
}

// mixed reports whether some letters of a path are composed with their accents and some are not: no
// approval is about such a path.
func mixed(path string) bool { return !norm.NFC.IsNormalString(path) && !norm.NFD.IsNormalString(path) }

// sameName returns the only name in a folder that is another form of one, or an empty text.
func (s spot) sameName(name string) (only string) {
	if info, err := s.stat(); err != nil || !info.IsDir() {
		return ""
	}
	open := func() (*os.File, error) { return os.OpenFile(s.path, os.O_RDONLY|syscall.O_NONBLOCK, 0) } // it may be a pipe by now
	if s.root != nil {
		open = func() (*os.File, error) { return s.root.OpenFile(s.path, os.O_RDONLY|syscall.O_NONBLOCK, 0) }
	}
	f, err := open()
	if err != nil {
		return ""
	}
	defer f.Close()
	name = norm.NFC.String(name)
	for left := walkMax; ; {
		names, err := f.Readdirnames(entriesReadMax)
		for _, other := range names {
			if norm.NFC.String(other) != name {
				continue
			}
			if only != "" {
				return ""
			}
			only = other
		}
		switch left -= len(names); {
		case err == io.EOF:
			return only
		case err != nil || left < 0: // there may be one more
			return ""
		}
	}
}
