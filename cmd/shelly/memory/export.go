package memory

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/flags"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/runtime/config"
)

type exportCmd struct {
	Output    string `short:"o" placeholder:"FILE" help:"Where it is written. Default: standard output."`
	Force     bool   `help:"Write over a file that is there."`
	NoVectors bool   `help:"Leave the vectors out; whoever imports them makes them anew."`
	flags.Place
}

// Help says what the file is.
func (exportCmd) Help() string {
	return "The first line has the version, each other one an entry, the last one how many there are; vectors are in base64, with the name " +
		"of their model. The file is for its owner alone, and is whole when it has its name."
}

// Run implements the subcommand (CLI-26).
func (c *exportCmd) Run(t *terminal.Terminal) error {
	if _, err := os.Lstat(c.Output); c.Output != "" && err == nil && !c.Force {
		return exit.Errorf(exit.Usage, "%s is there; name another file with -o, or give --force", c.Output)
	}
	return use(&c.Place, reading, func(ctx context.Context, _ config.Config, m memories) error {
		if c.Output == "" {
			out := bufio.NewWriter(t.Out)
			return errors.Join(m.Export(ctx, out, !c.NoVectors), out.Flush())
		}
		err := saveFile(c.Output, c.Force, func(w io.Writer) error { return m.Export(ctx, w, !c.NoVectors) })
		if errors.Is(err, fs.ErrExist) {
			return exit.Errorf(exit.Usage, "%s is there; name another file with -o, or give --force", c.Output)
		}
		return err
	})
}

// saveFile writes a file whole or not at all, for its owner alone. Without force it
// takes the place of no other: then the error is an fs.ErrExist.
func saveFile(name string, force bool, content func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*") // mode 0600
	if err != nil {
		return exit.With(exit.Disk, err)
	}
	defer os.Remove(f.Name()) // it is not there any more where it was renamed
	out := bufio.NewWriter(f)
	if err := content(out); err != nil {
		return errors.Join(err, f.Close())
	}
	if err := errors.Join(out.Flush(), f.Sync(), f.Close()); err != nil {
		return exit.With(exit.Disk, err)
	}
	move := os.Link // which does not take the place of another
	if force {
		move = os.Rename
	}
	err = move(f.Name(), name)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return exit.With(exit.Disk, err)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}
