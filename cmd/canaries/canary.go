package main

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"
)

//go:embed testdata
var testdata embed.FS

// canary is a known bug.
type canary struct {
	path  string // path of its file
	edits []edit
}

func (c canary) name() string   { return strings.TrimSuffix(path.Base(c.path), ".txtar") }
func (c canary) folder() string { return path.Base(path.Dir(c.path)) }

// edit replaces a text that is in a file once.
type edit struct {
	file     string // relative to the project
	old, new string
}

// read reads the canaries of testdata, in the order of their paths.
func read(data fs.FS) ([]canary, error) {
	paths, err := fs.Glob(data, "testdata/*/*.txtar")
	if err != nil {
		return nil, err
	}
	var canaries []canary
	for _, p := range paths {
		text, err := fs.ReadFile(data, p)
		if err != nil {
			return nil, err
		}
		c := canary{path: p}
		files := txtar.Parse(text).Files
		for pair := range slices.Chunk(files, 2) {
			file, isOld := strings.CutPrefix(pair[0].Name, "old ")
			if !isOld || len(pair) != 2 || pair[1].Name != "new "+file {
				return nil, fmt.Errorf(`%s: must have pairs "-- old FILE --" and "-- new FILE --"`, p)
			}
			c.edits = append(c.edits, edit{file, strings.TrimSpace(string(pair[0].Data)), strings.TrimSpace(string(pair[1].Data))})
		}
		canaries = append(canaries, c)
	}
	return canaries, nil
}

// place is where an edit applies in its file.
type place struct {
	edit
	at int
}

// changed returns the files that the canaries change, with all edits applied.
func changed(project fs.FS, canaries []canary) (map[string]string, error) {
	texts, places := map[string]string{}, map[string][]place{}
	var wrong []error
	for _, c := range canaries {
		for _, e := range c.edits {
			text, err := fs.ReadFile(project, e.file)
			if n := strings.Count(string(text), e.old); err == nil && n != 1 {
				err = fmt.Errorf("%s has the old text %d times; it must be there once:\n%s", e.file, n, e.old)
			}
			if err != nil {
				wrong = append(wrong, fmt.Errorf("%s: %w", c.path, err))
				continue
			}
			texts[e.file] = string(text)
			places[e.file] = append(places[e.file], place{e, strings.Index(string(text), e.old)})
		}
	}
	for file, places := range places {
		slices.SortFunc(places, func(a, b place) int { return cmp.Compare(b.at, a.at) })
		end := len(texts[file])
		for _, p := range places { // from the last one, so that the earlier offsets stay valid
			if p.at+len(p.old) > end {
				wrong = append(wrong, fmt.Errorf("%s: two canaries replace the same text:\n%s", file, p.old))
			} else {
				texts[file] = texts[file][:p.at] + p.new + texts[file][p.at+len(p.old):]
			}
			end = p.at
		}
	}
	return texts, errors.Join(wrong...)
}

// added returns the files that are new in a build with canaries: those of testdata/added, and
// the list of names.
func added(canaries []canary) (map[string]string, error) {
	names := map[string][]string{}
	for _, c := range canaries {
		names[c.folder()] = append(names[c.folder()], c.name())
	}
	files := map[string]string{"fsm/canary_names.go": fmt.Sprintf("package fsm\n\nvar canaries = %#v\n", names)}
	dir, err := fs.Sub(testdata, "testdata/added")
	if err != nil {
		return nil, err
	}
	return files, fs.WalkDir(dir, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(dir, name)
		files[name] = string(text)
		return err
	})
}

// tag is the first line of a test that wakes canaries, and keeps it from other builds.
const tag = "//go:build canary\n"

// tests returns the tests that wake canaries, without their tag: with one, go vet would look
// anew at every library.
func tests(project fs.FS) (map[string]string, error) {
	files := map[string]string{}
	for _, root := range []string{"runtime", "sim"} {
		err := fs.WalkDir(project, root, func(name string, d fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(name, "_test.go") {
				return err
			}
			text, err := fs.ReadFile(project, name)
			if rest, ok := strings.CutPrefix(string(text), tag); ok {
				files[name] = rest
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return files, nil
}
