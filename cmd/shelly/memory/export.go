package memory

import (
	"context"
	"errors"
	"fmt"
	"io"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/flags"
	"shelly/cmd/shelly/internal/output"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/fsm/wording"
	"shelly/runtime/config"
)

type exportCmd struct {
	Output    string `short:"o" placeholder:"FILE" help:"File to write; - is standard output, the default."`
	Force     bool   `help:"Overwrite an existing file."`
	NoVectors bool   `help:"Leave the vectors out; they are computed again after an import."`
	flags.Place
}

// Help says what the file is.
func (exportCmd) Help() string {
	return "The first line has the version, the last one the number of entries; vectors are in base64, with the name " +
		"of their model. The file is readable by its owner alone, and appears only once it is complete."
}

// Run implements the subcommand (CLI-26).
func (c *exportCmd) Run(t *terminal.Terminal) error {
	to := output.File{Name: c.Output, Force: c.Force}
	if err := to.Free(); err != nil {
		return err
	}
	return use(&c.Place, reading, func(ctx context.Context, _ config.Config, m memories) error { return c.write(ctx, t, to, m) })
}

func (c *exportCmd) write(ctx context.Context, t *terminal.Terminal, to output.File, m memories) error {
	lines, err := to.Lines(t, func(w io.Writer) error { return m.Export(ctx, w, !c.NoVectors) })
	switch {
	case err == nil:
		fmt.Fprintf(t.Err, "%s: %s\n", to, wording.Counted(lines-2, "entry", "entries")) // the first and the last are of the file
		return nil
	case !errors.Is(err, context.Canceled):
		return err
	case to.Standard():
		return exit.Interrupted(ctx, "what was written is not a whole export; run it again")
	default:
		return exit.Interrupted(ctx, to.Name+" was not written; run it again")
	}
}
