package scenario

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/suite"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/runtime/durable"
	"shelly/sim/scenario/choose"
	"shelly/sim/scenario/layout"
	"shelly/sim/strict"
)

type formatCmd struct {
	Paths []string `arg:"" optional:"" help:"Files or folders; - is standard input. With none, ./scenarios."`
	Check bool     `help:"Write nothing; list the files that would change."`
}

// Help is the text after the usage.
func (formatCmd) Help() string {
	return "Puts the keys of each file in the order of the format, and removes blanks at line ends and needless empty lines. What a file says stays the same, comments too. " +
		"Exit codes: 0 done, 1 with --check: a file would change, 2 a file is not YAML, 4 nothing matched, 9 a write failed."
}

// Run implements the subcommand (SCN-68).
func (c *formatCmd) Run(t *terminal.Terminal) error {
	if len(c.Paths) == 1 && c.Paths[0] == "-" {
		return c.stream(t)
	}
	files, err := c.files()
	if err != nil {
		return err
	}
	var wrong, unwritten, changed int
	for _, file := range files {
		different, err := c.file(file)
		var write *writeError
		switch {
		case errors.As(err, &write):
			unwritten++
			fmt.Fprintln(t.Err, "shelly:", terminal.Printable(err.Error()))
		case err != nil:
			wrong++
			if bad, ok := errors.AsType[*strict.Error](err); ok {
				fmt.Fprint(t.Err, terminal.Printable(bad.Detail()))
			} else {
				fmt.Fprintf(t.Err, "shelly: %s: %s\n", terminal.Printable(file), terminal.Printable(err.Error()))
			}
		case different:
			changed++
			fmt.Fprintln(t.Out, terminal.Printable(file))
		}
	}
	switch {
	case wrong > 0:
		return exit.Silent(exit.Usage)
	case unwritten > 0:
		return exit.Silent(exit.Disk)
	case c.Check && changed > 0:
		return exit.Silent(exit.Failed)
	}
	return nil
}

// stream formats standard input.
func (c *formatCmd) stream(t *terminal.Terminal) error {
	source, err := io.ReadAll(io.LimitReader(t.In, strict.FileBytesMax+1))
	if err != nil {
		return err
	}
	text, err := laid("standard input", source)
	switch {
	case err != nil:
		return exit.With(exit.Usage, err)
	case !c.Check:
		_, err = t.Out.Write(text)
		return err
	case !bytes.Equal(source, text):
		return exit.Errorf(exit.Failed, "standard input would change")
	}
	return nil
}

// files returns the named files, which may be fragments too, and the scenarios and properties
// in the named folders.
func (c *formatCmd) files() (files []string, err error) {
	var folders []string
	for _, path := range c.Paths {
		info, err := os.Stat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, exit.Errorf(exit.NoMatch, "%s", choose.Nowhere(path))
		case err != nil:
			return nil, exit.With(exit.Usage, err)
		case info.IsDir():
			folders = append(folders, path)
		case !strings.HasSuffix(path, ".yaml") && !strings.HasSuffix(path, ".yml"):
			return nil, exit.Errorf(exit.Usage, "%s: the name of a scenario, property or fragment ends in .yaml", path)
		default:
			files = append(files, path)
		}
	}
	if len(folders) > 0 || len(c.Paths) == 0 {
		found, err := suite.Files(folders)
		if err != nil {
			return nil, err
		}
		files = append(files, found...)
	}
	return files, nil
}

// writeError is a failed write of a file.
type writeError struct{ error }

// laid is a text laid out, or what is wrong with it by its name.
func laid(name string, source []byte) ([]byte, error) {
	text, err := layout.Text(source)
	if bad, ok := errors.AsType[*strict.Error](err); ok {
		bad.File = name
	}
	return text, err
}

// file formats a file, whole or not at all, and reports whether its text has changed.
func (c *formatCmd) file(name string) (different bool, err error) {
	source, err := strict.ReadFile(os.DirFS(filepath.Dir(name)), filepath.Base(name), strict.FileBytesMax)
	if err != nil {
		return false, err
	}
	text, err := laid(name, source)
	if err != nil || bytes.Equal(source, text) || c.Check {
		return err == nil && !bytes.Equal(source, text), err
	}
	info, err := os.Stat(name)
	if err == nil {
		err = durable.As{Perm: info.Mode().Perm(), Follow: true}.Text(name, text)
	}
	if err != nil {
		return false, &writeError{err}
	}
	return true, nil
}
