// Package choose finds scenario files, and chooses among their cases: by lines, tags and
// shards.
package choose

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"shelly/fsm/wording"
	"shelly/sim/scenario/document"
	"shelly/sim/strict"
)

// FilesMax is how many files one run takes (SCN-19).
const FilesMax = 10_000

// ErrNoMatch says that patterns name no scenario.
var ErrNoMatch = errors.New("no scenario matches")

// NoMatch is the [ErrNoMatch] of a pattern. Whoever looks for a part of what was given, in a folder, puts
// what was given in its place.
type NoMatch struct {
	Pattern string
	Why     string // follows the pattern
}

func (e *NoMatch) Error() string { return ErrNoMatch.Error() + ": " + e.Pattern + e.Why }

// Unwrap implements the interface of [errors.Is].
func (*NoMatch) Unwrap() error { return ErrNoMatch }

// Target is a scenario file that was named.
type Target struct {
	Path  string
	Lines []int // those that were named with it, in order; none: all of the file

	// Meant is the suffix that its name should have, where only its content says that it is a
	// scenario or a property. It does not load: passed over, it would be tested by nothing.
	Meant string
}

// Pick returns the cases that a target's lines choose: those that such a line is the
// own one of, as each row of a matrix has it, or all where it is no case's (SCN-18).
func Pick[C interface{ Row() int }](t Target, cases []C) []C {
	own := func(line int) bool {
		return slices.ContainsFunc(cases, func(c C) bool { return c.Row() == line })
	}
	if len(t.Lines) == 0 || !slices.ContainsFunc(t.Lines, own) || slices.ContainsFunc(t.Lines, func(l int) bool { return !own(l) }) {
		return cases
	}
	return slices.DeleteFunc(slices.Clone(cases), func(c C) bool { return !slices.Contains(t.Lines, c.Row()) })
}

// Join returns targets sorted by path, each path once, with the lines of all.
func Join(targets []Target) ([]Target, error) {
	targets = slices.Clone(targets)
	slices.SortStableFunc(targets, func(a, b Target) int { return strings.Compare(a.Path, b.Path) })
	var joined []Target
	for _, t := range targets {
		last := len(joined) - 1
		switch {
		case last < 0 || joined[last].Path != t.Path:
			joined = append(joined, t)
		case len(joined[last].Lines) == 0 || len(t.Lines) == 0:
			joined[last].Lines = nil
		default:
			lines := append(slices.Clip(joined[last].Lines), t.Lines...)
			slices.Sort(lines)
			joined[last].Lines = slices.Compact(lines)
		}
	}
	if len(joined) > FilesMax {
		return nil, fmt.Errorf("names %d scenario files; the limit of a run is %d: name a folder further down", len(joined), FilesMax)
	}
	return joined, nil
}

// Find returns the scenario and property files that patterns name, sorted, each once. A
// pattern is a slash-separated path in fsys: a file, a file and a line of it
// (FILE:LINE), or a folder, which with or without /... stands for all files below
// it that end in [Suffix] or [PropertySuffix], or that say that they should. Folders named testdata or beginning with a dot or an
// underscore are passed over. An error that wraps [ErrNoMatch] names the first
// pattern that matches nothing.
func Find(fsys fs.FS, patterns []string) ([]Target, error) {
	var found []Target
	for _, pattern := range patterns {
		list, err := findOne(fsys, pattern)
		if err != nil {
			return nil, err
		}
		found = append(found, list...)
	}
	return Join(found)
}

func findOne(fsys fs.FS, pattern string) ([]Target, error) {
	name, line := SplitLine(pattern)
	name = path.Clean(strings.TrimSuffix(strings.TrimSuffix(name, "..."), "/"))
	if !fs.ValidPath(name) {
		return nil, fmt.Errorf("%s: wants a path below the folder that is searched", wording.Word(pattern))
	}
	info, err := fs.Stat(fsys, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &NoMatch{pattern, nowhere(pattern)}
	case err != nil:
		return nil, err
	case !info.IsDir():
		return findFile(fsys, name, line)
	}
	var found []Target
	err = fs.WalkDir(fsys, name, func(p string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && p != name && PassedOver(entry.Name()):
			return fs.SkipDir
		case !entry.IsDir() && isCases(p):
			found = append(found, Target{Path: p})
		case entry.Type().IsRegular() && isYAML(p):
			if suffix := meant(fsys, p); suffix != "" {
				found = append(found, Target{Path: p, Meant: suffix})
			}
		}
		return nil
	})
	if err == nil && len(found) == 0 {
		err = &NoMatch{pattern, ": holds no file that ends in " + document.Suffix + " or " + document.PropertySuffix}
	}
	return found, err
}

// Nowhere says that there is nothing at a path.
func Nowhere(path string) string { return path + nowhere(path) }

func nowhere(path string) string {
	text := ": no such file or folder"
	if strings.ContainsAny(path, "*?[") {
		text += "; a shell fills in patterns that are not in quotes, and a folder stands for all files below it"
	}
	return text
}

// isCases reports whether a name is that of a scenario or property file, or of one that is misnamed
// and does not load: passed over, it would be tested by nothing.
func isCases(name string) bool {
	return document.Misnamed(name) != "" || strings.HasSuffix(name, document.Suffix) || strings.HasSuffix(name, document.PropertySuffix)
}

func isYAML(name string) bool {
	end := strings.ToLower(path.Ext(name))
	return end == ".yaml" || end == ".yml"
}

// headBytesMax is how far into a file its version is looked for.
const headBytesMax = 64 << 10

// meant is the suffix that the name of a file should have by what it says of itself, or "".
func meant(fsys fs.FS, name string) string {
	file, err := fsys.Open(name)
	if err != nil {
		return "" // whose content nobody knows is passed over
	}
	defer func() { _ = file.Close() }()
	head, _ := io.ReadAll(io.LimitReader(file, headBytesMax))
	head = bytes.TrimPrefix(head, []byte("\uFEFF")) // which some editors put there
	for line := range bytes.Lines(head) {
		key, rest, _ := bytes.Cut(line, []byte{':'})
		key = bytes.Trim(bytes.TrimRight(key, " \t"), `"'`)
		if of := bytes.Fields(rest); len(of) == 0 || string(of[0]) != "1" {
			continue
		}
		switch string(key) {
		case "scenario":
			return document.Suffix
		case "property":
			return document.PropertySuffix
		}
	}
	return ""
}

func PassedOver(folder string) bool {
	return folder == "testdata" || strings.HasPrefix(folder, ".") || strings.HasPrefix(folder, "_")
}

// findFile returns a file that is named itself. A line must be one of its own.
func findFile(fsys fs.FS, name string, line int) ([]Target, error) {
	if !isCases(name) {
		return nil, &NoMatch{name, ": the name of a scenario ends in " + document.Suffix + ", that of a property in " + document.PropertySuffix}
	}
	var lines []int
	if line > 0 {
		lines = []int{line}
		source, err := strict.ReadFile(fsys, name, strict.FileBytesMax)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if n := len(strings.SplitAfter(strings.TrimSuffix(string(source), "\n"), "\n")); line > n {
			return nil, &NoMatch{name, fmt.Sprintf(" has %s, not %d", wording.Count(n, "line"), line)}
		}
	}
	return []Target{{Path: name, Lines: lines}}, nil
}

// SplitLine takes the line off FILE:LINE.
func SplitLine(pattern string) (name string, line int) {
	if i := strings.LastIndexByte(pattern, ':'); i >= 0 {
		if n, err := strconv.Atoi(pattern[i+1:]); err == nil && n > 0 {
			return pattern[:i], n
		}
	}
	return pattern, 0
}
