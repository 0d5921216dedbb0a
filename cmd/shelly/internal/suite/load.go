package suite

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/fsm/wording"
	"shelly/sim/report"
	"shelly/sim/scenario"
	"shelly/sim/scenario/choose"
	"shelly/sim/scenario/document"
	"shelly/sim/strict"
)

// find returns the scenario files that the arguments name, as paths relative to the current
// folder, or absolute if they are outside it.
func (c *Command) find() ([]choose.Target, error) {
	var targets []choose.Target
	for _, p := range c.patterns() {
		base, pattern := ".", filepath.ToSlash(filepath.Clean(p))
		if !filepath.IsLocal(p) {
			base, pattern = filepath.Dir(filepath.Clean(p)), filepath.Base(p)
		}
		if pattern == ".." || pattern == string(filepath.Separator) { // a folder that has no name from here
			base, pattern = filepath.Clean(p), "."
		}
		found, err := choose.Find(os.DirFS(base), []string{pattern})
		none, nothing := errors.AsType[*choose.NoMatch](err)
		switch {
		case nothing:
			if !filepath.IsLocal(p) {
				none.Pattern, _ = choose.SplitLine(p)
			}
			return nil, exit.With(exit.NoMatch, err)
		case err != nil:
			return nil, exit.With(exit.Usage, err)
		}
		for _, f := range found {
			f.Path = filepath.Join(base, filepath.FromSlash(f.Path))
			targets = append(targets, f)
		}
	}
	targets, err := choose.Join(targets)
	return targets, exit.With(exit.Usage, err)
}

// Files returns the scenario and property files in folders; without any, in ./scenarios.
func Files(folders []string) ([]string, error) {
	targets, err := (&Command{Paths: folders}).find()
	if err != nil {
		return nil, err
	}
	files := make([]string, len(targets))
	for i, t := range targets {
		files[i] = t.Path
	}
	return files, nil
}

// patterns returns the files and folders to search.
func (c *Command) patterns() []string {
	if len(c.Paths) == 0 {
		return []string{"scenarios"}
	}
	return c.Paths
}

// host is the real file system with absolute paths, so that the paths in messages are those
// that the user can open.
type host struct{}

// Open implements [fs.FS].
func (host) Open(name string) (fs.File, error) { return os.Open(name) }

// Stat implements [fs.StatFS]: a FIFO is not opened.
func (host) Stat(name string) (fs.FileInfo, error) { return os.Stat(name) }

// Lstat implements [fs.ReadLinkFS]: a fragment may not be a symbolic link (SCN-16).
func (host) Lstat(name string) (fs.FileInfo, error) { return os.Lstat(name) }

// ReadLink implements [fs.ReadLinkFS].
func (host) ReadLink(name string) (string, error) { return os.Readlink(name) }

// load loads the cases of files, or those at chosen lines. A bad file does not keep the others
// from running: it becomes a case that could not be loaded.
func load(targets []choose.Target, vars document.Given) (files []*scenario.File, broken []report.Case) {
	for _, t := range targets {
		cases, err := scenario.LoadFound(host{}, t, vars)
		if err != nil {
			broken = append(broken, report.Case{Outcome: scenario.Outcome{File: t.Path, Err: err}})
		}
		files = append(files, choose.Pick(t, []*scenario.File(cases))...)
	}
	return files, broken
}

// detail returns an error with the source that it refers to, if any. Nothing that it quotes, such
// as a file's name, controls a terminal (CLI-3).
func detail(err error) string {
	if load, ok := errors.AsType[*strict.Error](err); ok {
		return terminal.Printable(strings.TrimSuffix(load.Detail(), "\n"))
	}
	return terminal.Printable(err.Error())
}

func loadFailure(broken []report.Case) error {
	if len(broken) == 0 {
		return nil
	}
	return exit.Errorf(exit.Usage, "%s", wording.Counted(len(broken), "file does not load", "files do not load"))
}

// LoadOne loads a file of one case, wherever it is. Errors have its path as it was given.
func LoadOne(file string) (*scenario.File, error) {
	f, err := scenario.LoadOne(host{}, filepath.Clean(file))
	if err != nil {
		return nil, exit.Errorf(exit.Usage, "%s", detail(err))
	}
	return f, nil
}
