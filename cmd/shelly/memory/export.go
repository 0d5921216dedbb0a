package memory

import (
	"context"
	"io"

	"shelly/cmd/shelly/internal/flags"
	"shelly/cmd/shelly/internal/output"
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
	to := output.File{Name: c.Output, Force: c.Force}
	if err := to.Free(); err != nil {
		return err
	}
	return use(&c.Place, reading, func(ctx context.Context, _ config.Config, m memories) error {
		return to.Write(t, func(w io.Writer) error { return m.Export(ctx, w, !c.NoVectors) })
	})
}
